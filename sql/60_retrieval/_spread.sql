create function graphrag._spread(start graphrag._mass[], filter graphrag._filter)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 500
as $function$
-- Personalised PageRank as a few pruned steps. Of the mass at an entity or a passage (which has a negative number) a
-- part stays; the rest moves on over its edges by their weight. Only the heaviest nodes of a step are followed. Answers
-- relations by the mass that crossed them and passages by the mass that stayed. Mass comes back to the same nodes again
-- and again, so the edges of each are read once, and kept in arrays in which a node is its place in _nodes.
declare
    _damping double precision := (graphrag._setting('ppr_damping') #>> '{}')::double precision;
    _width integer := (graphrag._setting('ppr_nodes') #>> '{}')::integer;
    _per_node integer := (graphrag._setting('ppr_edges') #>> '{}')::integer;
    _here bigint[] := array(select m.node from unnest(start) as m);
    _mass double precision[] := array(select m.mass from unnest(start) as m);
    _paths text[] := _here;
    _new bigint[];
    _nodes bigint[] := '{}';
    _edges graphrag._edge_lists := row('{}', '{}', '{}', '{}', '{}', '{}', '{}');
    _visit graphrag._visit_lists;
    _visits graphrag._visit_lists := row('{}', '{}', '{}', '{}');
    _stayed_at bigint[] := '{}';
    _stayed double precision[] := '{}';
begin
    for _hop in 1 .. (graphrag._setting('ppr_steps') #>> '{}')::integer loop
        _stayed_at := _stayed_at || _here;
        _stayed := _stayed || array(select m.mass * (1 - _damping) from unnest(_mass) as m (mass));
        _new := array(select h.id from unnest(_here) as h (id) where array_position(_nodes, h.id) is null);
        if _new <> '{}' then
            _edges := graphrag._more_edges(_edges, _new, filter, _per_node);
            _nodes := _nodes || _new;
        end if;
        _visit := row(
            array(select array_position(_nodes, h.id) from unnest(_here) with ordinality as h (id, no) order by h.no),
            _mass,
            _paths,
            array_fill(_hop, array[cardinality(_here)])
        );
        _visits := row(
            _visits.at || _visit.at, _visits.mass || _mass, _visits.path || _paths, _visits.hop || _visit.hop
        );
        select n.here, n.mass, n.paths
        into _here, _mass, _paths
        from graphrag._heaviest(_edges, _nodes, _visit, _damping, _width) as n;
        exit when _here = '{}';
    end loop;
    return query
    select * from graphrag._crossed(_edges, _nodes, _visits)
    union all
    -- Sums of fractions depend on the order in which they are added up.
    select null, -m.node, null, null, null, sum(m.mass order by m.mass), null, null
    from unnest(_stayed_at || _here, _stayed || _mass) as m (node, mass)
    where m.node < 0
    group by m.node;
end
$function$;
comment on function graphrag._spread(graphrag._mass[], graphrag._filter) is 'Relations and passages by personalised PageRank from the given nodes.';

create function graphrag._more_edges(
    edges graphrag._edge_lists,
    nodes bigint[],
    filter graphrag._filter,
    per_node integer
)
    returns graphrag._edge_lists
    language plpgsql stable parallel safe
as $function$
-- With the edges of more nodes, facts and mentions. A value takes no mass from the others: nothing leads on from it.
declare
    _known integer := cardinality(edges.version);
    _edges graphrag._edge_lists;
begin
    with edge as materialized (
        select f.no, x.version, coalesce(x.other, 0) as other, x.weight, x.is_cut
        from unnest(nodes) with ordinality as f (id, no)
        join entity as e on e.id = f.id
        cross join lateral (select filter.revisions[array_position(filter.spaces, e.space)] as revision offset 0) as r
        cross join lateral graphrag._edges_at(f.id, e.space, r.revision, filter, per_node) as x
        union all
        select f.no, 0, -x.chunk, 1, null
        from unnest(nodes) with ordinality as f (id, no)
        cross join lateral graphrag._naming_passages(f.id, filter, per_node) as x
        where f.id > 0
        union all
        select f.no, 0, x.entity, 1, null
        from unnest(nodes) with ordinality as f (id, no)
        cross join lateral graphrag._named_in(-f.id, filter, per_node) as x
        where f.id < 0
    ),
    node as (
        select
            f.no,
            count(e.no) as edges,
            coalesce(sum(e.weight) filter (where e.other <> 0), sum(e.weight), 0) as degree,
            bool_or(e.is_cut) as is_cut
        from unnest(nodes) with ordinality as f (id, no)
        left join edge as e on e.no = f.no
        group by f.no
    )
    select
        edges.version || e.version, edges.other || e.other, edges.weight || e.weight,
        edges.first || n.first, edges.last || n.last, edges.degree || n.degree, edges.is_cut || n.is_cut
    into _edges
    from (
        select
            coalesce(array_agg(o.version), '{}') as version,
            coalesce(array_agg(o.other), '{}') as other,
            coalesce(array_agg(o.weight), '{}') as weight
        from (select e.version, e.other, e.weight from edge as e order by e.no) as o
    ) as e
    cross join (
        select
            array_agg(_known + o.last - o.edges + 1) as first,
            array_agg(_known + o.last) as last,
            array_agg(o.degree) as degree,
            array_agg(o.is_cut) as is_cut
        from (select n.*, sum(n.edges) over (order by n.no) as last from node as n order by n.no) as o
    ) as n;
    return _edges;
end
$function$;
comment on function graphrag._more_edges(graphrag._edge_lists, bigint[], graphrag._filter, integer) is 'Edges for personalised PageRank, with those of more nodes.';

create function graphrag._heaviest(
    edges graphrag._edge_lists,
    nodes bigint[],
    visits graphrag._visit_lists,
    damping double precision,
    width integer
)
    returns table (here bigint[], mass double precision[], paths text[])
    language plpgsql stable parallel safe rows 1
as $function$
-- Sums of fractions depend on the order in which they are added up.
begin
    return query
    with crossing as materialized (
        select v.no, v.at, i, edges.other[i] as other, v.mass * edges.weight[i] / edges.degree[v.at] as mass
        from unnest(visits.at, visits.mass) with ordinality as v (at, mass, no)
        cross join lateral generate_series(edges.first[v.at], edges.last[v.at]) as i
        where edges.other[i] <> 0
    ),
    heaviest as (
        select c.other, sum(c.mass order by c.mass) as mass
        from crossing as c
        group by c.other
        order by 2 desc, c.other
        limit width
    ),
    way as (
        select distinct on (c.other) c.other, h.mass, c.no
        from heaviest as h
        join crossing as c on c.other = h.other
        order by c.other, c.mass desc, nodes[c.at], nullif(edges.version[c.i], 0)
    )
    select
        coalesce(array_agg(w.other), '{}'),
        coalesce(array_agg(w.mass * damping), '{}'),
        coalesce(array_agg(concat_ws(',', visits.path[w.no], w.other)), '{}')
    from way as w;
end
$function$;
comment on function graphrag._heaviest(graphrag._edge_lists, bigint[], graphrag._visit_lists, double precision, integer) is 'Where a step of personalised PageRank leads, with the mass that is passed on and the path of most of it.';

create function graphrag._crossed(edges graphrag._edge_lists, nodes bigint[], visits graphrag._visit_lists)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 500
as $function$
-- An edge is crossed from both its ends, by all the mass that was ever there. Sums of fractions depend on the order in
-- which they are added up.
begin
    return query
    with node as (
        select v.at, sum(v.mass order by v.mass) as mass, min(v.no) as first
        from unnest(visits.at, visits.mass) with ordinality as v (at, mass, no)
        group by v.at
    ),
    crossing as materialized (
        select
            edges.version[i] as version, n.first, n.at, i,
            n.mass * edges.weight[i] / edges.degree[n.at] as mass
        from node as n
        cross join lateral generate_series(edges.first[n.at], edges.last[n.at]) as i
        where edges.version[i] <> 0
    ),
    way as (
        select distinct on (c.version) c.version, c.first, c.at, c.i
        from crossing as c
        order by
            c.version, visits.hop[c.first],
            visits.mass[c.first] * edges.weight[c.i] / edges.degree[c.at] desc, nodes[c.at]
    ),
    crossed as (
        select c.version, sum(c.mass order by c.mass) as mass, bool_or(edges.is_cut[c.at]) as is_cut
        from crossing as c
        group by c.version
    )
    select
        w.version, null::bigint, nodes[w.at], nullif(edges.other[w.i], 0), visits.hop[w.first], c.mass,
        visits.path[w.first], c.is_cut
    from way as w
    join crossed as c on c.version = w.version;
end
$function$;
comment on function graphrag._crossed(graphrag._edge_lists, bigint[], graphrag._visit_lists) is 'The relations that mass crossed, each with how much did, and the first and most of its ways there.';

create function graphrag._naming_passages(entity bigint, filter graphrag._filter, places integer)
    returns table (chunk bigint)
    language sql stable parallel safe rows 50
as $function$
-- The newest of each of its names, then of all. Which document a passage is in matters only where a name has a meaning
-- of its own somewhere, or metadata are asked for. Inlined.
    select distinct p.chunk
    from entity_name as n
    cross join lateral (
        select
            ($2).revisions[array_position(($2).spaces, n.space)] as revision,
            n.document is not null
            or ($2).metadata_filter is not null
            or exists (
                select
                from entity_name as o
                where o.space = n.space and o.folded = n.folded and o.document is not null
                    and graphrag._believed(o.born, o.died, o.space, $2)
            ) as by_document
        offset 0
    ) as b
    cross join lateral (
        select m.chunk
        from mention as m
        where m.space = n.space
            and m.folded = n.folded
            and exists (
                select
                from document_chunk as d
                where d.chunk = m.chunk
                    and d.born <= b.revision
                    and (d.died is null or d.died > b.revision)
                    and (
                        not b.by_document
                        or exists (
                            select
                            from document_version as v
                            where v.id = d.version
                                and (
                                    n.document = v.document
                                    or (
                                        n.document is null
                                        and not exists (
                                            select from graphrag._own_meanings(n.space, n.folded, v.document, $2)
                                        )
                                    )
                                )
                                and (($2).metadata_filter is null or v.metadata @> ($2).metadata_filter)
                        )
                    )
            )
            and (($2).as_of is null or exists (select from graphrag._holding(m.chunk, ($2).as_of)))
        order by m.chunk desc
        limit $3
    ) as p
    where n.entity = $1 and n.role <> 'claimed' and graphrag._believed(n.born, n.died, n.space, $2)
    order by p.chunk desc
    limit $3
$function$;
comment on function graphrag._naming_passages(bigint, graphrag._filter, integer) is 'The newest passages that name an entity; inlined.';

create function graphrag._named_in(chunk bigint, filter graphrag._filter, places integer)
    returns table (entity bigint)
    language sql stable parallel safe rows 10
as $function$
    select distinct n.entity
    from mention as m
    join chunk as k on k.id = m.chunk
    join entity_name as n on n.space = m.space and n.folded = m.folded
    join entity_version as v on v.entity = n.entity
    where m.chunk = $1
        and n.role <> 'claimed'
        and graphrag._believed(n.born, n.died, n.space, $2)
        and (
            n.document = k.document
            or (
                n.document is null
                and not exists (select from graphrag._own_meanings(n.space, n.folded, k.document, $2))
            )
        )
        and graphrag._believed(v.born, v.died, n.space, $2)
        and (($2).entity_types is null or v.types && ($2).entity_types)
    order by n.entity
    limit $3
$function$;
comment on function graphrag._named_in(bigint, graphrag._filter, integer) is 'The entities that a passage names; inlined.';

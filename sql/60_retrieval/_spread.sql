create function graphrag._spread(
    start graphrag._mass[],
    named bigint[],
    near bigint[],
    filter graphrag._filter,
    places integer
)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 200
as $function$
-- Personalised PageRank as a few pruned steps. Of the mass at an entity or a passage (which has a negative number) a
-- part stays; the rest moves on over its edges by their weight. Followed are the heaviest nodes of a step, none that
-- has less than a twentieth of an even share, and of the passages at the start half as many: what is not followed stays
-- where it is. Mass comes back to the same nodes again and again: their edges are read once, when they are reached.
-- It is counted in whole units: sums of such numbers do not depend on the order in which they are added up.
-- An entity of the start leads to its near-duplicates too, but not one that the question names: that one is meant.
declare
    _damping double precision := (graphrag._setting('ppr_damping') #>> '{}')::double precision;
    _steps integer := (graphrag._setting('ppr_steps') #>> '{}')::integer;
    _width integer := (graphrag._setting('ppr_nodes') #>> '{}')::integer;
    _per_entity integer := (graphrag._setting('max_relation_edges') #>> '{}')::integer;
    _per_node integer := least((graphrag._setting('ppr_edges') #>> '{}')::integer, _per_entity);
    _budget integer := (graphrag._setting('max_walk_edges') #>> '{}')::integer;
    _units constant double precision := 2 ^ 38;
    _unit double precision := (select sum(m.mass order by m.mass) / _units from unnest(start) as m);
    _lightest double precision := _units / (20 * _width);
    _here bigint[];
    _mass double precision[];
    _paths text[];
    _likes bigint[];
    _alike bigint[];
    _edges graphrag._edge_lists := row('{}', '{}', '{}', '{}', 0, '{}', '{}', '{}');
    _visits graphrag._visit_lists := row('{}', '{}', '{}', '{}');
begin
    select
        array_agg(h.node order by h.mass desc, h.node),
        array_agg(h.mass order by h.mass desc, h.node),
        array_agg(h.node::text order by h.mass desc, h.node)
    into _here, _mass, _paths
    from (
        select
            m.node,
            round(m.mass / _unit) as mass,
            row_number() over (partition by m.node > 0 order by m.mass desc, m.node) as no
        from unnest(start) as m
    ) as h
    where h.mass >= _lightest and h.no <= case when h.node > 0 then _width else ceil(_width / 2.0) end;
    select coalesce(array_agg(s.entity), '{}'), coalesce(array_agg(s.other), '{}')
    into _likes, _alike
    from graphrag._synonyms(
        array(select h.node from unnest(_here) as h (node) where h.node > 0 and h.node <> all (named)), near, filter
    ) as s;
    for _hop in 1 .. _steps loop
        exit when _here is null;
        _edges := graphrag._more_edges(_edges, _here, _likes, _alike, filter, _per_node, _per_entity, _budget);
        _visits := row(
            _visits.node || _here, _visits.mass || _mass, _visits.path || _paths,
            _visits.hop || array_fill(_hop, array[cardinality(_here)])
        );
        exit when _hop = _steps;
        select n.here, n.mass, n.paths
        into _here, _mass, _paths
        from graphrag._heaviest(_edges, _here, _mass, _paths, filter, _damping, _width, _lightest) as n;
    end loop;
    perform graphrag._tell_cut(_edges.left_out);
    return query
    select c.version, c.chunk, c.node, c.other, c.hop, c.score * _unit, c.via, c.is_cut
    from graphrag._crossed(
        _edges, _visits, array(select row(m.node, round(m.mass / _unit))::graphrag._mass from unnest(start) as m),
        _damping, places
    ) as c;
end
$function$;
comment on function graphrag._spread(graphrag._mass[], bigint[], bigint[], graphrag._filter, integer) is 'Relations and passages by personalised PageRank from the given nodes, whose near-duplicates, but those of the named ones, are looked for among the given entities.';

create function graphrag._more_edges(
    edges graphrag._edge_lists,
    here bigint[],
    likes bigint[],
    alike bigint[],
    filter graphrag._filter,
    per_node integer,
    per_passage integer,
    budget integer
)
    returns graphrag._edge_lists
    language plpgsql stable parallel safe
as $function$
-- With the edges, facts and mentions, of the nodes that are new; what is left of the budget they share evenly.
-- A value takes no mass from the others: nothing leads on from it.
declare
    _new bigint[] := array(
        select h.node
        from unnest(here) with ordinality as h (node, no)
        where h.node <> all (edges.node)
        order by h.no
    );
    _budget integer := greatest(budget - cardinality(edges.other), 0);
    _left_out integer := greatest(cardinality(_new) - _budget, 0);
    _before integer := cardinality(edges.other);
    _places integer;
    _edges graphrag._edge_lists;
begin
    if _new = '{}' then
        return edges;
    end if;
    _new := _new[: cardinality(_new) - _left_out];
    _places := least(per_node, _budget / greatest(cardinality(_new), 1));
    with edge as materialized (
        select f.no, x.version, x.other, x.weight
        from unnest(_new) with ordinality as f (id, no)
        cross join lateral (
            select x.version, coalesce(x.other, 0) as other, x.weight::double precision as weight
            from graphrag._place_of(f.id, filter) as p
            cross join lateral graphrag._edges_at(f.id, p.space, p.revision, filter, _places) as x
            where f.id > 0
            union all
            select 0, -x.chunk, 1 from graphrag._naming_passages(f.id, filter, _places) as x where f.id > 0
            union all
            select 0, x.entity, 1 from graphrag._named_in(-f.id, filter, per_passage) as x where f.id < 0
            union all
            select 0, x.other, 1 from unnest(alike, likes) as x (other, entity) where x.entity = f.id
        ) as x
    )
    select
        edges.node || _new, edges.degree || n.degree, edges.last || n.last, edges.cut || n.cut,
        greatest(edges.left_out, _left_out),
        edges.other || e.other, edges.version || e.version, edges.weight || e.weight
    into _edges
    from (
        select
            coalesce(array_agg(o.other), '{}') as other,
            coalesce(array_agg(o.version), '{}') as version,
            coalesce(array_agg(o.weight), '{}') as weight
        from (select * from edge as o order by o.no) as o
    ) as e
    cross join (
        select
            coalesce(array_agg(d.degree order by d.no), '{}') as degree,
            coalesce(array_agg((_before + d.edges_so_far)::integer order by d.no), '{}') as last,
            coalesce(array_agg(d.id order by d.no) filter (where d.facts >= _places), '{}') as cut
        from (
            select
                f.no, f.id, g.degree, g.facts, sum(coalesce(g.edges, 0)) over (order by f.no) as edges_so_far
            from unnest(_new) with ordinality as f (id, no)
            left join (
                select
                    o.no,
                    coalesce(sum(o.weight) filter (where o.other <> 0), sum(o.weight)) as degree,
                    count(*) as edges,
                    count(*) filter (where o.version <> 0) as facts
                from edge as o
                group by o.no
            ) as g on g.no = f.no
        ) as d
    ) as n;
    return _edges;
end
$function$;
comment on function graphrag._more_edges(graphrag._edge_lists, bigint[], bigint[], bigint[], graphrag._filter, integer, integer, integer) is 'Edges for personalised PageRank, with those of more nodes.';

create function graphrag._synonyms(entities bigint[], near bigint[], filter graphrag._filter)
    returns table (entity bigint, other bigint)
    language plpgsql stable parallel safe rows 20
as $function$
-- Of the entities near the question, those whose text says nearly the same as that of one of the given; the nearest.
-- All pairs are compared: a search of the vector index for each of them would take longer than the walk. Vectors are
-- copied once, since long ones are stored apart from their rows and would be fetched for each pair.
declare
    _most constant integer := 3;
    _least constant double precision := (graphrag._setting('ppr_synonyms') #>> '{}')::double precision;
begin
    if _least >= 1 or entities = '{}' then
        return;
    end if;
    return query
    with known as materialized (
        select v.entity, v.types, v.space, graphrag._unit(t.vec) as vec
        from (select distinct e.id from unnest(entities || near) as e (id)) as e
        join entity_version as v on v.entity = e.id
        join content as t on t.id = v.content
        where graphrag._believed(v.born, v.died, v.space, filter)
    )
    select own.entity, o.entity
    from unnest(entities) as e (id)
    join known as own on own.entity = e.id
    cross join lateral (
        select k.entity, graphrag._distance(k.vec, own.vec) as distance
        from known as k
        where k.entity <> own.entity
            and k.space = own.space
            and (filter.entity_types is null or k.types && filter.entity_types)
        order by 2, k.entity
        limit _most
    ) as o
    where o.distance <= 1 - _least;
end
$function$;
comment on function graphrag._synonyms(bigint[], bigint[], graphrag._filter) is 'Near-duplicates of entities among those near a question, by the likeness of their texts.';

create function graphrag._heaviest(
    edges graphrag._edge_lists,
    nodes bigint[],
    masses double precision[],
    ways text[],
    filter graphrag._filter,
    damping double precision,
    width integer,
    lightest double precision
)
    returns table (here bigint[], mass double precision[], paths text[])
    language plpgsql stable parallel safe rows 1
as $function$
-- The most that comes over one edge, and which of the nodes from, are kept as one number, of which 32,768 is more than
-- nodes can be. Of the entities that passages name only so many are looked at as it takes to find those that the read
-- may see.
begin
    return query
    select
        array_agg(f.other order by f.mass desc, f.other),
        array_agg(f.mass order by f.mass desc, f.other),
        array_agg(concat_ws(',', ways[ceil(f.most / 32768) * 32768 - f.most], f.other) order by f.mass desc, f.other)
    from (
        select c.other, c.mass, c.most
        from (
            select
                e.other,
                sum(round(damping * h.rate * e.weight)) as mass,
                max(round(damping * h.rate * e.weight) * 32768 - h.no) as most
            from (
                select h.no, h.mass / n.degree as rate, n.first, n.last
                from unnest(nodes, masses) with ordinality as h (node, mass, no)
                join graphrag._read_nodes(edges) as n on n.node = h.node
            ) as h
            cross join lateral unnest(
                edges.other[h.first : h.last], edges.weight[h.first : h.last]
            ) as e (other, weight)
            where e.other <> 0
            group by e.other
            having sum(round(damping * h.rate * e.weight)) >= lightest
            order by 2 desc, 1
        ) as c
        where c.other < 0 or exists (select from graphrag._alive(c.other, filter))
        order by c.mass desc, c.other
        limit width
    ) as f;
end
$function$;
comment on function graphrag._heaviest(graphrag._edge_lists, bigint[], double precision[], text[], graphrag._filter, double precision, integer, double precision) is 'Where a step of personalised PageRank leads, with the mass that is passed on and the path of most of it.';

create function graphrag._crossed(
    edges graphrag._edge_lists,
    visits graphrag._visit_lists,
    start graphrag._mass[],
    damping double precision,
    places integer
)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 200
as $function$
-- A relation is crossed from both its ends, by all the mass that was ever there, and found from the end that was
-- reached first; the sum of its ends says which is the other. At a passage stays what came and was not passed on.
begin
    return query
    with node as materialized (
        select v.node, v.mass, v.mass / d.degree as rate, v.first, d.first as first_edge, d.last as last_edge
        from (
            select v.node, sum(v.mass) as mass, min(v.no) as first
            from unnest(visits.node, visits.mass) with ordinality as v (node, mass, no)
            group by v.node
        ) as v
        left join graphrag._read_nodes(edges) as d on d.node = v.node
    ),
    crossing as materialized (
        select e.version, n.node as at, e.other, n.first, n.rate * e.weight as mass
        from node as n
        cross join lateral unnest(
            edges.other[n.first_edge : n.last_edge],
            edges.version[n.first_edge : n.last_edge],
            edges.weight[n.first_edge : n.last_edge]
        ) as e (other, version, weight)
        where e.version <> 0 or e.other < 0
    )
    select
        c.version, null::bigint, visits.node[c.first], nullif(c.ends - visits.node[c.first], 0), visits.hop[c.first],
        c.mass, visits.path[c.first], visits.node[c.first] = any (edges.cut)
    from (
        select x.version, sum(round(x.mass)) as mass, min(x.first) as first, max(x.at + x.other) as ends
        from crossing as x
        where x.version <> 0
        group by x.version
        order by 2 desc, 1
        limit places
    ) as c
    union all
    (
        select null, -p.node, null, null, null, sum(p.mass), null, null
        from (
            select x.other as node, round(damping * x.mass) as mass from crossing as x where x.other < 0
            union all
            select s.node, s.mass from unnest(start) as s where s.node < 0
            union all
            select n.node, -round(damping * n.mass) from node as n where n.node < 0
        ) as p
        group by p.node
        order by 6 desc, 2
        limit places
    );
end
$function$;
comment on function graphrag._crossed(graphrag._edge_lists, graphrag._visit_lists, graphrag._mass[], double precision, integer) is 'The relations that most mass crossed, each with how much did and the first of its ways there, and as many passages by the mass that stayed.';

create function graphrag._read_nodes(edges graphrag._edge_lists)
    returns table (node bigint, degree double precision, first integer, last integer)
    language sql immutable parallel safe rows 70
as $function$
    select n.node, n.degree, coalesce(lag(n.last) over (order by n.no), 0) + 1, n.last
    from unnest(($1).node, ($1).degree, ($1).last) with ordinality as n (node, degree, last, no)
$function$;
comment on function graphrag._read_nodes(graphrag._edge_lists) is 'Nodes whose edges were read, with the places of these in the lists; inlined.';

create function graphrag._alive(entity bigint, filter graphrag._filter)
    returns table (version bigint)
    language sql stable parallel safe rows 1
as $function$
    select v.id
    from entity_version as v
    where v.entity = $1
        and graphrag._believed(v.born, v.died, v.space, $2)
        and (($2).entity_types is null or v.types && ($2).entity_types)
$function$;
comment on function graphrag._alive(bigint, graphrag._filter) is 'An entity, if a read may see it; inlined.';

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
            r.revision,
            r.by_document,
            r.revision = 9223372036854775806 and not r.by_document as is_plain
        from (
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
        ) as r
        offset 0
    ) as b
    cross join lateral (
        select m.chunk
        from mention as m
        where m.space = n.space
            and m.folded = n.folded
            and case
                -- Of the present, where it does not matter in which document: an index has all that is asked.
                when b.is_plain then exists (
                    select from document_chunk as d where d.chunk = m.chunk and d.died is null
                )
                else exists (
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
            end
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
-- Those too that the read may not see (_alive): looking at each would take longer than all the rest. For meanings that
-- names have in a document it is looked once, whether there are any. Inlined.
    select distinct n.entity
    from (
        select m.space, m.folded from mention as m where m.chunk = $1 order by m.folded limit $3
    ) as m
    join entity_name as n on n.space = m.space and n.folded = m.folded
    where n.role <> 'claimed'
        and graphrag._believed(n.born, n.died, n.space, $2)
        and case
            when n.document is not null then n.document = (select k.document from chunk as k where k.id = $1)
            when 9223372036854775806 > any (($2).revisions)
                or exists (
                    select
                    from entity_name as o
                    where o.space = any (($2).spaces) and o.document is not null and o.died is null
                )
            then not exists (
                select
                from chunk as k
                cross join lateral graphrag._own_meanings(n.space, n.folded, k.document, $2) as o
                where k.id = $1
            )
            else true
        end
$function$;
comment on function graphrag._named_in(bigint, graphrag._filter, integer) is 'The entities that a passage names; inlined.';

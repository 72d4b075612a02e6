create function graphrag._spread(start graphrag._mass[], filter graphrag._filter)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 500
as $function$
-- Personalised PageRank as a few pruned steps. Of the mass at an entity or a passage (which has a negative number) a
-- part stays; the rest moves on over its edges by their weight. Only the heaviest nodes of a step are followed. Answers
-- relations by the mass that crossed them and passages by the mass that stayed.
declare
    _damping double precision := (graphrag._setting('ppr_damping') #>> '{}')::double precision;
    _width integer := (graphrag._setting('ppr_nodes') #>> '{}')::integer;
    _here bigint[] := array(select m.node from unnest(start) as m);
    _mass double precision[] := array(select m.mass from unnest(start) as m);
    _paths text[] := _here;
    _step graphrag._found[];
    _steps graphrag._found[] := '{}';
    _stayed_at bigint[] := '{}';
    _stayed double precision[] := '{}';
begin
    for _hop in 1 .. (graphrag._setting('ppr_steps') #>> '{}')::integer loop
        _stayed_at := _stayed_at || _here;
        _stayed := _stayed || array(select m.mass * (1 - _damping) from unnest(_mass) as m (mass));
        _step := graphrag._spread_once(_here, _mass, _paths, _hop, filter);
        _steps := _steps || array(select s from unnest(_step) as s where s.version is not null);
        select
            coalesce(array_agg(n.other), '{}'),
            coalesce(array_agg(n.mass * _damping), '{}'),
            coalesce(array_agg(n.path), '{}')
        into _here, _mass, _paths
        from (
            select
                s.other,
                sum(s.score order by s.score) as mass,
                (array_agg(concat_ws(',', s.via, s.other) order by s.score desc, s.node, s.version))[1] as path
            from unnest(_step) as s
            where s.other is not null
            group by s.other
            order by 2 desc, s.other
            limit _width
        ) as n;
        exit when _here = '{}';
    end loop;
    _stayed_at := _stayed_at || _here;
    _stayed := _stayed || _mass;
    -- Sums of fractions depend on the order in which they are added up.
    return query
    select
        s.version, null::bigint, (f.way).node, (f.way).other, (f.way).hop, s.score, (f.way).via, s.is_cut
    from (
        select
            e.version,
            sum(e.score order by e.score) as score,
            bool_or(e.is_cut) as is_cut,
            array_agg(e order by e.hop, e.score desc, e.node) as ways
        from unnest(_steps) as e
        group by e.version
    ) as s
    cross join lateral (select s.ways[1] as way) as f
    union all
    select null, -m.node, null, null, null, sum(m.mass order by m.mass), null, null
    from unnest(_stayed_at, _stayed) as m (node, mass)
    where m.node < 0
    group by m.node;
end
$function$;
comment on function graphrag._spread(graphrag._mass[], graphrag._filter) is 'Relations and passages by personalised PageRank from the given nodes.';

create function graphrag._spread_once(
    here bigint[],
    mass double precision[],
    paths text[],
    hop integer,
    filter graphrag._filter
)
    returns graphrag._found[]
    language plpgsql stable parallel safe
as $function$
-- The edges of the given nodes, facts and mentions, with the mass that crosses each. A value takes none from the
-- others: nothing leads on from it.
declare
    _per_node integer := (graphrag._setting('ppr_edges') #>> '{}')::integer;
begin
    return array(
        select row(
            e.version, null, e.node, e.other, hop,
            n.mass * e.weight / coalesce(
                sum(e.weight) filter (where e.other is not null) over (partition by e.node),
                sum(e.weight) over (partition by e.node)
            ),
            n.path, bool_or(e.is_cut) over (partition by e.node)
        )::graphrag._found
        from (
            select f.node, f.version, f.other, f.weight::double precision as weight, f.is_cut
            from graphrag._edges(
                array(select h.id from unnest(here) as h (id) where h.id > 0), filter, _per_node, 1000000
            ) as f
            union all
            select m.node, null, m.other, 1, null
            from graphrag._mention_edges(here, filter, _per_node) as m
        ) as e
        join unnest(here, mass, paths) as n (id, mass, path) on n.id = e.node
    );
end
$function$;
comment on function graphrag._spread_once(bigint[], double precision[], text[], integer, graphrag._filter) is 'One step of personalised PageRank.';

create function graphrag._mention_edges(here bigint[], filter graphrag._filter, per_node integer)
    returns table (node bigint, other bigint)
    language plpgsql stable parallel safe rows 500
as $function$
begin
    return query
    select h.id, c.other
    from unnest(here) as h (id)
    cross join lateral (
        select distinct -m.chunk as other
        from entity_name as n
        join mention as m on m.space = n.space and m.folded = n.folded
        join document_chunk as d on d.chunk = m.chunk
        join document_version as v on v.id = d.version
        where n.entity = h.id
            and n.role <> 'claimed'
            and graphrag._believed(n.born, n.died, n.space, filter)
            and (
                n.document = v.document
                or (n.document is null and not graphrag._means_another(n.space, n.folded, v.document, filter))
            )
            and graphrag._believed(d.born, d.died, n.space, filter)
            and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
            and (filter.as_of is null or graphrag._passage_holds(d.chunk, filter.as_of))
        order by other
        limit per_node
    ) as c
    where h.id > 0
    union all
    select h.id, c.other
    from unnest(here) as h (id)
    cross join lateral (
        select distinct n.entity as other
        from mention as m
        join chunk as k on k.id = m.chunk
        join entity_name as n on n.space = m.space and n.folded = m.folded
        join entity_version as v on v.entity = n.entity
        where m.chunk = -h.id
            and n.role <> 'claimed'
            and graphrag._believed(n.born, n.died, n.space, filter)
            and (
                n.document = k.document
                or (n.document is null and not graphrag._means_another(n.space, n.folded, k.document, filter))
            )
            and graphrag._believed(v.born, v.died, n.space, filter)
            and (filter.entity_types is null or v.types && filter.entity_types)
        order by other
        limit per_node
    ) as c
    where h.id < 0;
end
$function$;
comment on function graphrag._mention_edges(bigint[], graphrag._filter, integer) is 'Edges between entities and the passages that name them.';

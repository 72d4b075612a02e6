create function graphrag._edges_at(
    entity bigint,
    space integer,
    revision bigint,
    filter graphrag._filter,
    per_entity integer
)
    returns table (version bigint, other bigint, ord numeric, weight integer, is_cut boolean)
    language sql stable parallel safe rows 20
as $function$
-- The edges of one entity in both directions, newest first, filters applied to each edge and to the entity it reaches.
-- The revision is the filter's for the space, looked up once by the caller. Closed versions are only looked at when the
-- read is about the past. The last edge that per_entity lets in is marked:
-- the entity may have more. Inlined into the statements of the walks.
    select x.id, x.other, x.ord, x.weight, x.is_cut
    from (
        (
            select d.*, row_number() over (order by d.ord desc, d.weight desc, d.id) = $5 as is_cut
            from (
                (
                    select v.id, v.object as other, v.ord, v.weight
                    from relation_version as v
                    where v.subject = $1 and v.died is null
                        and v.born <= $3
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, $4)
                        and (
                            ($4).entity_types is null
                            or v.object is null
                            or exists (select from graphrag._typed(v.object, $2, $4))
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit $5
                )
                union all
                (
                    select v.id, v.object as other, v.ord, v.weight
                    from relation_version as v
                    where $3 < 9223372036854775806 and v.subject = $1 and v.died is not null
                        and v.born <= $3 and v.died > $3
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, $4)
                        and (
                            ($4).entity_types is null
                            or v.object is null
                            or exists (select from graphrag._typed(v.object, $2, $4))
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit $5
                )
            ) as d
            order by d.ord desc, d.weight desc, d.id
            limit $5
        )
        union all
        (
            select d.*, row_number() over (order by d.ord desc, d.weight desc, d.id) = $5 as is_cut
            from (
                (
                    select v.id, v.subject as other, v.ord, v.weight
                    from relation_version as v
                    where v.object = $1 and v.died is null
                        and v.born <= $3
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, $4)
                        and (
                            ($4).entity_types is null
                            or exists (select from graphrag._typed(v.subject, $2, $4))
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit $5
                )
                union all
                (
                    select v.id, v.subject as other, v.ord, v.weight
                    from relation_version as v
                    where $3 < 9223372036854775806 and v.object = $1 and v.died is not null
                        and v.born <= $3 and v.died > $3
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, $4)
                        and (
                            ($4).entity_types is null
                            or exists (select from graphrag._typed(v.subject, $2, $4))
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit $5
                )
            ) as d
            order by d.ord desc, d.weight desc, d.id
            limit $5
        )
    ) as x
$function$;
comment on function graphrag._edges_at(bigint, integer, bigint, graphrag._filter, integer) is 'The edges that a read may see at an entity; inlined.';

create function graphrag._edges(entities bigint[], filter graphrag._filter, per_entity integer, budget integer)
    returns table (node bigint, version bigint, other bigint, is_cut boolean)
    language plpgsql stable parallel safe rows 200
as $function$
begin
    return query
    select f.id, x.version, x.other, x.is_cut
    from unnest(entities) with ordinality as f (id, no)
    join entity as e on e.id = f.id
    cross join lateral (select filter.revisions[array_position(filter.spaces, e.space)] as revision offset 0) as r
    cross join lateral graphrag._edges_at(f.id, e.space, r.revision, filter, per_entity) as x
    order by x.ord desc, x.weight desc, f.no, x.version
    limit budget;
end
$function$;
comment on function graphrag._edges(bigint[], graphrag._filter, integer, integer) is 'One step of a walk: the edges that a read may see at these entities, newest first.';

create function graphrag._typed(entity bigint, space integer, filter graphrag._filter)
    returns table (version bigint)
    language sql stable parallel safe rows 1
as $function$
    select v.id
    from entity_version as v
    where v.entity = $1 and v.types && ($3).entity_types and graphrag._believed(v.born, v.died, $2, $3)
$function$;
comment on function graphrag._typed(bigint, integer, graphrag._filter) is 'An entity, if it is of a type that a read may see; inlined.';

create function graphrag._walk(seeds bigint[], filter graphrag._filter, max_hops integer)
    returns setof graphrag._found
    language plpgsql stable parallel safe rows 500
as $function$
-- Breadth first from the seeds, one set-based step a hop; each entity is expanded once, at its nearest hop.
declare
    _per_entity integer := (graphrag._setting('max_relation_edges') #>> '{}')::integer;
    _budget integer := (graphrag._setting('max_walk_edges') #>> '{}')::integer;
    _frontier bigint[] := seeds;
    _paths text[] := seeds;
    _visited bigint[] := seeds;
    _step graphrag._found[];
    _steps graphrag._found[] := '{}';
begin
    for _hop in 1 .. max_hops loop
        exit when _frontier = '{}' or _budget <= 0;
        _step := array(
            select row(e.version, null, e.node, e.other, _hop, null, f.path, e.is_cut)::graphrag._found
            from graphrag._edges(_frontier, filter, _per_entity, _budget) with ordinality
                as e (node, version, other, is_cut, no)
            join unnest(_frontier, _paths) as f (id, path) on f.id = e.node
            order by e.no
        );
        _budget := _budget - cardinality(_step);
        _steps := _steps || _step;
        select coalesce(array_agg(r.other order by r.no), '{}'), coalesce(array_agg(r.path order by r.no), '{}')
        into _frontier, _paths
        from (
            select distinct on (s.other) s.other, concat(s.via, ',', s.other) as path, s.no
            from unnest(_step) with ordinality
                as s (version, chunk, node, other, hop, score, via, is_cut, no)
            where s.other is not null and not exists (select from unnest(_visited) as v (id) where v.id = s.other)
            order by s.other, s.no
        ) as r;
        _visited := _visited || _frontier;
    end loop;
    return query
    select w.version, null::bigint, w.node, w.other, w.hop, 1.0::double precision / w.no, w.via, w.is_cut
    from (
        select distinct on (s.version)
            s.version, s.node, s.other, s.hop, s.via, s.no, bool_or(s.is_cut) over (partition by s.node) as is_cut
        from unnest(_steps) with ordinality as s (version, chunk, node, other, hop, score, via, is_cut, no)
        order by s.version, s.no
    ) as w
    order by w.no;
end
$function$;
comment on function graphrag._walk(bigint[], graphrag._filter, integer) is 'The relations within max_hops of the seeds, nearest and newest first.';

create function graphrag._edges_at(
    entity bigint,
    space integer,
    revision bigint,
    filter graphrag._filter,
    places integer
)
    returns table (version bigint, other bigint, ord numeric, weight integer)
    language sql stable parallel safe rows 20
as $function$
-- The edges of one entity in both directions, newest first, filters applied to each edge and to the entity it reaches.
-- The revision is the filter's for the space, looked up once by the caller. Closed versions are only looked at when the
-- read is about the past. Indexes are in the order of ord alone, so the last one comes with its ties: the whole order
-- would have a hub read to its end. Inlined into the statements of the walks.
    select x.id, x.other, x.ord, x.weight
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
            order by v.ord desc
            fetch first ($5) rows with ties
        )
        union all
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
            order by v.ord desc
            fetch first ($5) rows with ties
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
        )
    ) as x
    order by x.ord desc, x.weight desc, x.id
    limit $5
$function$;
comment on function graphrag._edges_at(bigint, integer, bigint, graphrag._filter, integer) is 'The newest edges that a read may see at an entity; inlined.';

create function graphrag._edges(entities bigint[], filter graphrag._filter, places integer)
    returns table (node bigint, version bigint, other bigint, is_cut boolean)
    language plpgsql stable parallel safe rows 200
as $function$
begin
    return query
    select f.id, x.version, x.other, count(*) over (partition by f.no) >= places
    from unnest(entities) with ordinality as f (id, no)
    cross join lateral graphrag._place_of(f.id, filter) as p
    cross join lateral graphrag._edges_at(f.id, p.space, p.revision, filter, places) as x
    order by x.ord desc, x.weight desc, f.no, x.version;
end
$function$;
comment on function graphrag._edges(bigint[], graphrag._filter, integer) is 'One step of a walk: the edges that a read may see at these entities, newest first; is_cut where there may be more.';

create function graphrag._place_of(entity bigint, filter graphrag._filter)
    returns table (space integer, revision bigint)
    language sql stable parallel safe rows 1
as $function$
-- Of an entity that the read has found in one of its spaces. Only where there are several is it looked up; inlined.
    select s.space, ($2).revisions[array_position(($2).spaces, s.space)]
    from (
        select case
            when cardinality(($2).spaces) = 1 then ($2).spaces[1]
            else (select e.space from entity as e where e.id = $1)
        end as space
        offset 0
    ) as s
    offset 0
$function$;
comment on function graphrag._place_of(bigint, graphrag._filter) is 'The space of an entity and the revision that a read of it is about; inlined.';

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
-- Breadth first from the seeds, one set-based step a hop; each entity is expanded once, at its nearest hop. What is left
-- of the budget is shared evenly among the entities of a hop; those for whom nothing is left, the last reached, are told.
declare
    _per_entity integer := (graphrag._setting('max_relation_edges') #>> '{}')::integer;
    _budget integer := (graphrag._setting('max_walk_edges') #>> '{}')::integer;
    _frontier bigint[] := seeds;
    _paths text[] := seeds;
    _visited bigint[] := seeds;
    _left_out integer := 0;
    _step graphrag._found[];
    _steps graphrag._found[] := '{}';
begin
    for _hop in 1 .. max_hops loop
        exit when _frontier = '{}';
        _left_out := _left_out + greatest(cardinality(_frontier) - _budget, 0);
        exit when _budget <= 0;
        _frontier := _frontier[: _budget];
        _step := array(
            select row(e.version, null, e.node, e.other, _hop, null, f.path, e.is_cut)::graphrag._found
            from graphrag._edges(_frontier, filter, least(_per_entity, _budget / cardinality(_frontier)))
                with ordinality as e (node, version, other, is_cut, no)
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
    perform graphrag._tell_cut(_left_out);
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

create function graphrag._tell_cut(left_out integer)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if left_out > 0 then
        raise notice 'the walk ended before % of the entities that it had reached', left_out
            using detail = format('It may scan %s edges.', graphrag._setting('max_walk_edges')),
                hint = 'configure(''max_walk_edges'', …) lets it go further.';
    end if;
end
$function$;
comment on function graphrag._tell_cut(integer) is 'Tells, if a walk had to leave entities out.';

create function graphrag._edges(entities bigint[], filter graphrag._filter, per_entity integer, budget integer)
    returns table (version bigint, relation bigint, other bigint)
    language plpgsql stable parallel safe rows 200
as $function$
-- One step: the edges of these entities in both directions, newest first, filters applied to each edge and to the
-- entity it reaches. Closed versions are only looked at when the read is about the past.
declare
    _is_past boolean := 9223372036854775806 > any (filter.revisions);
begin
    return query
    select x.id, x.relation, x.other
    from unnest(entities) with ordinality as f (id, no)
    join entity as e on e.id = f.id
    cross join lateral (
        (
            select d.*
            from (
                (
                    select v.id, v.relation, v.object as other, v.ord, v.weight
                    from relation_version as v
                    where v.subject = f.id and v.died is null
                        and graphrag._believed(v.born, v.died, e.space, filter)
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
                        and (
                            filter.entity_types is null
                            or v.object is null
                            or graphrag._has_type(v.object, e.space, filter)
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit per_entity
                )
                union all
                (
                    select v.id, v.relation, v.object as other, v.ord, v.weight
                    from relation_version as v
                    where _is_past and v.subject = f.id and v.died is not null
                        and graphrag._believed(v.born, v.died, e.space, filter)
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
                        and (
                            filter.entity_types is null
                            or v.object is null
                            or graphrag._has_type(v.object, e.space, filter)
                        )
                    order by v.ord desc, v.weight desc, v.id
                    limit per_entity
                )
            ) as d
            order by d.ord desc, d.weight desc, d.id
            limit per_entity
        )
        union all
        (
            select d.*
            from (
                (
                    select v.id, v.relation, v.subject as other, v.ord, v.weight
                    from relation_version as v
                    where v.object = f.id and v.died is null
                        and graphrag._believed(v.born, v.died, e.space, filter)
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
                        and (filter.entity_types is null or graphrag._has_type(v.subject, e.space, filter))
                    order by v.ord desc, v.weight desc, v.id
                    limit per_entity
                )
                union all
                (
                    select v.id, v.relation, v.subject as other, v.ord, v.weight
                    from relation_version as v
                    where _is_past and v.object = f.id and v.died is not null
                        and graphrag._believed(v.born, v.died, e.space, filter)
                        and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
                        and (filter.entity_types is null or graphrag._has_type(v.subject, e.space, filter))
                    order by v.ord desc, v.weight desc, v.id
                    limit per_entity
                )
            ) as d
            order by d.ord desc, d.weight desc, d.id
            limit per_entity
        )
    ) as x
    order by x.ord desc, x.weight desc, f.no, x.id
    limit budget;
end
$function$;
comment on function graphrag._edges(bigint[], graphrag._filter, integer, integer) is 'One step of a walk: the edges that a read may see at these entities.';

create function graphrag._has_type(entity bigint, space integer, filter graphrag._filter)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from entity_version as v
        where v.entity = $1 and v.types && filter.entity_types and graphrag._believed(v.born, v.died, $2, filter)
    );
end
$function$;
comment on function graphrag._has_type(bigint, integer, graphrag._filter) is 'Whether an entity is of a type that a read may see.';

create function graphrag._walk(seeds bigint[], filter graphrag._filter, max_hops integer)
    returns table (version bigint, relation bigint, hop integer, rank bigint)
    language plpgsql stable parallel safe rows 500
as $function$
-- Breadth first from the seeds, one set-based step a hop; each entity is expanded once, at its nearest hop.
declare
    _per_entity integer := (graphrag._setting('max_relation_edges') #>> '{}')::integer;
    _budget integer := (graphrag._setting('max_walk_edges') #>> '{}')::integer;
    _frontier bigint[] := seeds;
    _visited bigint[] := seeds;
    _versions bigint[] := '{}';
    _relations bigint[] := '{}';
    _hops integer[] := '{}';
    _found bigint[];
    _found_relations bigint[];
    _others bigint[];
begin
    for _hop in 1 .. max_hops loop
        exit when _frontier = '{}' or _budget <= 0;
        select
            coalesce(array_agg(e.version), '{}'),
            coalesce(array_agg(e.relation), '{}'),
            coalesce(array_agg(e.other), '{}')
        into _found, _found_relations, _others
        from graphrag._edges(_frontier, filter, _per_entity, _budget) as e;
        _budget := _budget - cardinality(_found);
        _versions := _versions || _found;
        _relations := _relations || _found_relations;
        _hops := _hops || array_fill(_hop, array[cardinality(_found)]);
        _frontier := array(
            select o.id
            from unnest(_others) with ordinality as o (id, no)
            where o.id is not null and o.id <> all (_visited)
            group by o.id
            order by min(o.no)
        );
        _visited := _visited || _frontier;
    end loop;
    return query
    select w.version, w.relation, min(w.hop), row_number() over (order by min(w.hop), min(w.no))
    from unnest(_versions, _relations, _hops) with ordinality as w (version, relation, hop, no)
    group by w.version, w.relation;
end
$function$;
comment on function graphrag._walk(bigint[], graphrag._filter, integer) is 'The relations within max_hops of the seeds, nearest and newest first.';

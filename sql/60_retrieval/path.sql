create function graphrag.path(
    entity text,
    other text,
    max_hops integer default 4,
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default false,
    relation_types text[] default null,
    entity_types text[] default null,
    min_confidence double precision default null,
    space text default null,
    realm text default null
)
    returns setof graphrag.evidence
    language plpgsql volatile parallel unsafe rows 4
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set plan_cache_mode = force_generic_plan
    set jit = off
as $function$
declare
    _filter graphrag._filter;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_range('max_hops', max_hops, 1, 10);
    _filter := graphrag._filter_of(
        space, as_of, as_believed_at, include_superseded, relation_types, entity_types, null, min_confidence
    );
    return query
    select r.*
    from graphrag._walked_rows(
        graphrag._shortest(
            array(
                select w
                from graphrag._walk(graphrag._entities_called(entity, _filter), _filter, coalesce(max_hops, 4)) as w
            ),
            graphrag._entities_called(other, _filter)
        ),
        _filter
    ) as r;
    perform graphrag._check_still_whole(_filter);
end
$function$;
comment on function graphrag.path(text, text, integer, text, text, boolean, text[], text[], double precision, text, text) is 'The relations of a shortest path between two entities, in its order; none if there is no path so short.';

create function graphrag._shortest(walked graphrag._found[], targets bigint[])
    returns graphrag._found[]
    language plpgsql stable parallel safe
as $function$
-- The first edge of the walk that reaches a target, and for each step of its path the first edge that took it.
declare
    _last graphrag._found;
    _steps bigint[];
begin
    select w.*
    into _last
    from unnest(walked) with ordinality as w (version, chunk, node, other, hop, score, via, is_cut, no)
    where w.other = any (targets)
    order by w.no
    limit 1;
    if _last.version is null then
        return '{}';
    end if;
    _steps := string_to_array(_last.via, ',')::bigint[] || _last.other;
    return array(
        select (
            select w
            from unnest(walked) as w
            where w.node = _steps[s.no] and w.other = _steps[s.no + 1]
            order by w.score desc
            limit 1
        )
        from generate_series(1, cardinality(_steps) - 1) as s (no)
        order by s.no
    );
end
$function$;
comment on function graphrag._shortest(graphrag._found[], bigint[]) is 'The edges of a walk that lead to a target.';

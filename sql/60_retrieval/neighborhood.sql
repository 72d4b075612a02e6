create function graphrag.neighborhood(
    entity text,
    max_hops integer default 1,
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default false,
    relation_types text[] default null,
    entity_types text[] default null,
    min_confidence double precision default null,
    top_k integer default 100,
    space text default null,
    realm text default null
)
    returns setof graphrag.evidence
    language plpgsql volatile parallel unsafe rows 100
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set plan_cache_mode = force_generic_plan
    set jit = off
as $function$
-- The walk alone: no question, no vectors.
declare
    _filter graphrag._filter;
    _entities bigint[];
begin
    perform graphrag._enter(realm);
    perform graphrag._check_range('max_hops', max_hops, 1, 10);
    perform graphrag._check_range('top_k', top_k, 1, 10000);
    _filter := graphrag._filter_of(
        space, as_of, as_believed_at, include_superseded, relation_types, entity_types, null, min_confidence
    );
    return query
    select r.*
    from graphrag._walked_rows(
        array(
            select w
            from graphrag._walk(graphrag._entities_called(entity, _filter), _filter, coalesce(max_hops, 1)) as w
            order by w.score desc
            limit coalesce(top_k, 100)
        ),
        _filter
    ) as r;
    perform graphrag._check_still_whole(_filter);
end
$function$;
comment on function graphrag.neighborhood(text, integer, text, text, boolean, text[], text[], double precision, integer, text, text) is 'The relations around an entity, nearest and newest first, with the path to each.';

create function graphrag._walked_rows(walked graphrag._found[], filter graphrag._filter)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 100
as $function$
begin
    return query
    select e.*
    from graphrag._evidence_rows(
        '{}',
        array(
            select row(w.version, w.score, jsonb_build_object('walk', w.no), w.hop, w.via, w.is_cut)::graphrag._ranked
            from unnest(walked) with ordinality as w (version, chunk, node, other, hop, score, via, is_cut, no)
            order by w.no
        ),
        '{}',
        0,
        filter
    ) as e;
end
$function$;
comment on function graphrag._walked_rows(graphrag._found[], graphrag._filter) is 'The relations of a walk as rows.';

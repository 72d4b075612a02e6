create function graphrag.merge_entities(
    entity text,
    other text,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
as $function$
declare
    _space integer;
    _names text[];
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    perform graphrag._lock_spaces(array[_space]);
    _names := array[(graphrag._names_of(_space, entity))[1], (graphrag._names_of(_space, other))[1]];
    if _names[1] = _names[2] then
        raise exception '"%" and "%" are one entity already', entity, other
            using errcode = 'GR009',
                detail = 'Both names mean the same entity.',
                hint = 'The view entities lists the aliases of each.';
    end if;
    return graphrag._decide(_space, 'merge', jsonb_build_object('names', _names));
end
$function$;
comment on function graphrag.merge_entities(text, text, text, text) is 'Decides that two entities are one, and returns the decision''s id for undo().';

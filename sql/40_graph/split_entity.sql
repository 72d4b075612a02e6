create function graphrag.split_entity(
    entity text,
    names text[],
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
    _all text[];
    _apart text[] := array(select distinct graphrag._fold_name(n) from unnest(names) as n where n is not null);
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    perform graphrag._lock_spaces(array[_space]);
    _all := graphrag._names_of(_space, entity);
    if _apart = '{}' or not _all @> _apart or _apart @> _all then
        raise exception 'entity "%" cannot be split by %', entity, names
            using errcode = 'GR009',
                detail = 'The names to take away must be some of its names, and not all.',
                hint = format('Its names, folded: %s.', array_to_string(_all, ', '));
    end if;
    return graphrag._decide(_space, 'split', jsonb_build_object('names', _all, 'apart', _apart));
end
$function$;
comment on function graphrag.split_entity(text, text[], text, text) is 'Decides that some names of an entity mean another one, and returns the decision''s id for undo().';

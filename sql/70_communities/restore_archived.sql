create function graphrag.restore_archived(
    entity text default null,
    space text default null,
    realm text default null
)
    returns integer
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
declare
    _space integer;
    _decisions bigint[];
    _names text[];
    _revision bigint;
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change($2);
    perform graphrag._lock_spaces(array[_space]);
    select array_agg(distinct d.id), array_agg(distinct n.name)
    into _decisions, _names
    from decision as d
    cross join jsonb_array_elements_text(d.payload -> 'names') as n (name)
    where d.space = _space
        and d.kind = 'archive'
        and d.died is null
        and (entity is null or d.payload -> 'names' ? graphrag._fold_name(entity));
    if _decisions is null then
        if entity is null then
            return 0;
        end if;
        raise exception 'entity "%" is not archived', entity
            using errcode = 'GR015',
                detail = 'No decision to archive it stands in the space.',
                hint = 'SELECT * FROM decisions WHERE kind = ''archive'' in the realm''s schema lists them.';
    end if;
    _revision := graphrag._next_revision(_space, 'restore_archived');
    delete from decision as d where d.id = any (_decisions) and d.born = _revision;
    update decision as d set died = _revision where d.id = any (_decisions);
    perform graphrag._derive(_space, _revision, '{}', _names);
    return cardinality(_decisions);
end
$function$;
comment on function graphrag.restore_archived(text, text, text) is 'Brings an archived entity back, or all of a space, with their relations, and returns how many.';

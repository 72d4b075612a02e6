create function graphrag.drop_realm(realm text, confirm text default null)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set client_min_messages = warning
as $function$
-- It does not _enter() the realm: one that is of another version can go too.
declare
    _realm text := coalesce(realm, graphrag._default_realm());
begin
    if not graphrag._realm_exists(_realm) then
        perform graphrag._refuse_unknown(_realm);
    end if;
    if confirm is distinct from _realm then
        raise exception 'realm "%" was not dropped: confirm says %', _realm, coalesce('"' || confirm || '"', 'nothing')
            using errcode = 'GR009',
                detail = 'Dropping a realm erases its documents, its graph and its history.',
                hint = format('SELECT graphrag.drop_realm(%L, confirm => %L);', _realm, _realm);
    end if;
    execute format('drop schema %I cascade', _realm);
end
$function$;
comment on function graphrag.drop_realm(text, text) is 'Erases a realm with all its data and history; confirm must repeat its name.';

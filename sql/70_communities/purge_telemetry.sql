create function graphrag.purge_telemetry(before timestamptz, realm text default null)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _purged bigint;
begin
    perform graphrag._enter(realm);
    delete from telemetry as t where t.at < before;
    get diagnostics _purged = row_count;
    return _purged;
end
$function$;
comment on function graphrag.purge_telemetry(timestamptz, text) is 'Forgets what questions before an instant touched, and returns how many there were.';

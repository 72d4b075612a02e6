create function graphrag.doctor(realm text default null)
    returns table ("check" text, status text, detail text, advice text)
    language plpgsql volatile parallel unsafe rows 30
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- One part after another, each for itself: what the caller may not see is skipped, what breaks is reported, the rest is
-- examined all the same. It does not _enter() the realm, which refuses an outdated one. The parts' names stand here in
-- full, because who may call this is given what it calls by reading it (_functions_under).
declare
    _realm text := coalesce(realm, graphrag._default_realm());
    _calls constant text[] := '{
        graphrag._doctor_server($1), graphrag._doctor_libraries($1), graphrag._doctor_privileges($1),
        graphrag._doctor_realm($1), graphrag._doctor_endpoints($1), graphrag._doctor_indexes($1),
        graphrag._doctor_order($1), graphrag._doctor_extraction($1)
    }';
    _call text;
    _part text;
    _findings jsonb;
    _detail text;
    _hint text;
begin
    if graphrag._realm_exists(_realm) then
        perform set_config('search_path', format('%I, pg_temp', _realm), true);
    elsif realm is null then
        _realm := null;
    end if;
    foreach _call in array _calls loop
        _part := substring(_call from '_doctor_(\w+)');
        begin
            execute 'select ' || _call into _findings using _realm;
        exception
            when insufficient_privilege then
                _findings := graphrag._finding(
                    _part, 'skipped', sqlerrm, 'The owner of the realm, or a superuser, sees more.'
                );
            when others then
                get stacked diagnostics _detail = pg_exception_detail, _hint = pg_exception_hint;
                _findings := graphrag._finding(
                    _part,
                    'error',
                    concat_ws('. ', sqlerrm, nullif(_detail, '')),
                    coalesce(nullif(_hint, ''), 'Nothing more can be said until what the message names is put right.')
                );
        end;
        return query
            select f."check", f.status, f.detail, f.advice
            from jsonb_to_recordset(_findings) as f ("check" text, status text, detail text, advice text);
    end loop;
end
$function$;
comment on function graphrag.doctor(text) is 'Examines server, libraries, privileges, endpoints, indexes and extraction of a realm: one row a check, with ok, warning, error or skipped and what to do. Asks each endpoint a small question.';

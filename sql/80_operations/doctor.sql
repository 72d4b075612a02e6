create function graphrag.doctor(realm text default null)
    returns table ("check" text, status text, detail text, advice text)
    language plpgsql volatile parallel unsafe rows 30
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- One part after another, each for itself: what the caller may not see is skipped, what breaks is reported, the rest is
-- examined all the same. It does not _enter() the realm, which refuses an outdated one.
declare
    _realm text := coalesce(realm, graphrag._default_realm());
    _parts constant text[] := '{server, libraries, privileges, realm, endpoints, indexes, reembedding, order,
        identifiers, extraction, jobs}';
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
    foreach _part in array _parts loop
        begin
            _findings := case _part
                when 'server' then graphrag._doctor_server(_realm)
                when 'libraries' then graphrag._doctor_libraries(_realm)
                when 'privileges' then graphrag._doctor_privileges(_realm)
                when 'realm' then graphrag._doctor_realm(_realm)
                when 'endpoints' then graphrag._doctor_endpoints(_realm)
                when 'indexes' then graphrag._doctor_indexes(_realm)
                when 'reembedding' then graphrag._doctor_reembedding(_realm)
                when 'order' then graphrag._doctor_order(_realm)
                when 'identifiers' then graphrag._doctor_identifiers(_realm)
                when 'extraction' then graphrag._doctor_extraction(_realm)
                when 'jobs' then graphrag._doctor_jobs(_realm)
            end;
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

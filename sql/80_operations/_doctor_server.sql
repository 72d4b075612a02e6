create function graphrag._doctor_server(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
declare
    _vector text := (select e.extversion from pg_catalog.pg_extension as e where e.extname = 'vector');
    _newest text := (select a.default_version from pg_catalog.pg_available_extensions as a where a.name = 'graphrag');
    _old_vector boolean := (regexp_match(_vector, '^([0-9]+)\.([0-9]+)'))::integer[] < array[0, 8];
    _old_server boolean := current_setting('server_version_num')::integer < 150000;
    _encoding text := current_setting('server_encoding');
begin
    return graphrag._finding(
        'postgresql',
        case when _old_server then 'error' else 'ok' end,
        'PostgreSQL ' || current_setting('server_version'),
        case when _old_server then 'Use PostgreSQL 15 or later.' end
    ) || graphrag._finding(
        'encoding',
        case when _encoding = 'UTF8' then 'ok' else 'error' end,
        _encoding,
        case when _encoding <> 'UTF8' then 'Text of all scripts needs a database made with ENCODING ''UTF8''.' end
    ) || graphrag._finding(
        'pgvector',
        case when _old_vector then 'error' else 'ok' end,
        'vector ' || _vector,
        case when _old_vector then 'Install pgvector 0.8 or later, then: ALTER EXTENSION vector UPDATE;' end
    ) || graphrag._finding(
        'extension',
        case when _newest <> '@VERSION@' then 'warning' else 'ok' end,
        concat('graphrag @VERSION@', case when _newest <> '@VERSION@' then '; the server has ' || _newest end),
        case when _newest <> '@VERSION@' then 'ALTER EXTENSION graphrag UPDATE;' end
    ) || graphrag._doctor_connection_check();
end
$function$;
comment on function graphrag._doctor_server(text) is 'Findings about versions, encoding and settings of the server.';

create function graphrag._doctor_connection_check()
    returns jsonb
    language sql stable parallel safe
as $function$
-- PostgreSQL looks for a client that went away only if it is told to. What waits for models looks itself.
    select graphrag._finding(
        'lost clients',
        case when s.setting = '0' then 'warning' else 'ok' end,
        format('client_connection_check_interval is %s', current_setting('client_connection_check_interval')),
        case when s.setting = '0'
            then 'ALTER SYSTEM SET client_connection_check_interval = ''1s''; else what is computed in SQL for a client'
                ' that has gone away runs to its end.' end
    )
    from pg_catalog.pg_settings as s
    where s.name = 'client_connection_check_interval'
$function$;
comment on function graphrag._doctor_connection_check() is 'Finding about the setting that lets the server notice lost clients.';

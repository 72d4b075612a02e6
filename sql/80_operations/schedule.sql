create function graphrag.schedule(realm text default null, cron text default '* * * * *')
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _realm text := graphrag._enter_or_create(realm);
    _name text := 'graphrag work ' || _realm;
    _command text := format('call graphrag.work(%L)', _realm);
    -- pg_cron's schema, looked up: no statement here may need it where it is not.
    _cron name := (select n.nspname from pg_catalog.pg_namespace as n where n.nspname = 'cron');
    _id bigint;
begin
    if _cron is null or graphrag._schema_of('pg_cron') is null then
        perform graphrag._refuse_to_schedule(_realm, current_setting('cron.database_name', true), _name, _command);
    end if;
    if cron is not null then
        execute format('select %I.schedule($1, $2, $3)', _cron) using _name, cron, _command into _id;
    elsif graphrag._is_scheduled(_realm) then
        execute format('select %I.unschedule($1)', _cron) using _name;
    end if;
    return _id;
end
$function$;
comment on function graphrag.schedule(text, text) is 'Has pg_cron call work() for a realm, each minute or as a cron expression says, and returns the number of that job of pg_cron. NULL ends it.';

create function graphrag._refuse_to_schedule(realm text, cron_database text, name text, command text)
    returns void
    language plpgsql stable parallel safe
as $function$
-- Null for the database: pg_cron is not loaded, and has no setting that names one.
begin
    raise exception 'pg_cron is not in this database, so nothing can be scheduled for realm "%"', realm
        using errcode = 'GR041',
            detail = case
                when cron_database is null then 'pg_cron is not loaded: it is not in shared_preload_libraries.'
                else format('pg_cron works in database "%s".', cron_database)
            end,
            hint = case
                when cron_database is null then format(
                    'In postgresql.conf shared_preload_libraries = ''pg_cron'' and cron.database_name = %L; after a restart'
                        ' CREATE EXTENSION pg_cron.',
                    current_database()
                )
                when cron_database = current_database() then 'CREATE EXTENSION pg_cron.'
                else format(
                    'In that database: SELECT cron.schedule_in_database(%L, ''* * * * *'', %L, %L);',
                    name, command, current_database()
                )
            end || format(' Or have any other scheduler run: %s', command);
end
$function$;
comment on function graphrag._refuse_to_schedule(text, text, text, text) is 'Raises GR041 with what to do where pg_cron is.';

create function graphrag._is_scheduled(realm text)
    returns boolean
    language plpgsql stable parallel restricted
as $function$
-- Null where pg_cron is not in this database, or may not be looked at.
declare
    _jobs regclass := to_regclass('cron.job');
    _is_scheduled boolean;
begin
    if _jobs is not null and has_table_privilege(_jobs, 'select') then
        execute format('select exists (select from %s where jobname = $1 and active)', _jobs)
            using 'graphrag work ' || realm into _is_scheduled;
    end if;
    return _is_scheduled;
end
$function$;
comment on function graphrag._is_scheduled(text) is 'Whether pg_cron works off a realm''s queue, as far as the caller may see.';

create function graphrag._doctor_privileges(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- By the catalogs alone, so that it can be said to a role that may nothing.
declare
    _namespace oid := (select n.oid from pg_catalog.pg_namespace as n where n.nspname = realm);
    _owner name := (
        select pg_catalog.pg_get_userbyid(n.nspowner) from pg_catalog.pg_namespace as n where n.oid = _namespace
    );
    _usable boolean := has_schema_privilege(_namespace, 'usage');
    _unreadable text[];
    _unwritable text[];
    _functions text[];
begin
    select
        array_agg(c.relname::text order by c.relname) filter (where not has_table_privilege(c.oid, 'select')),
        array_agg(c.relname::text order by c.relname)
            filter (where c.relkind = 'r' and not has_table_privilege(c.oid, 'insert'))
    into _unreadable, _unwritable
    from pg_catalog.pg_class as c
    where c.relnamespace = _namespace and c.relkind in ('r', 'v');
    _functions := array(
        select p.proname::text
        from pg_catalog.pg_proc as p
        where p.pronamespace = (select n.oid from pg_catalog.pg_namespace as n where n.nspname = 'graphrag')
            and p.proname in ('index', 'query', 'retrieve', 'context', 'timeline', 'delete_document')
            and not has_function_privilege(p.oid, 'execute')
        order by p.proname
    );
    return graphrag._finding(
        'privileges: functions',
        case when _functions = '{}' then 'ok' else 'warning' end,
        format(
            'Role %I may %s.',
            current_user,
            case when _functions = '{}' then 'index, ask and delete'
                else 'not execute ' || array_to_string(_functions, ', ') end
        ),
        case when _functions <> '{}'
            then format(
                'SELECT graphrag.grant_reader(%L, %L); or grant_writer; as a superuser', current_user, realm
            )
        end
    ) || case
        when _namespace is null
            then graphrag._finding('privileges: realm', 'skipped', 'There is no realm to look at.')
        when not _usable
            then graphrag._finding(
                'privileges: realm', 'warning', format('Role %I may not use the realm %I.', current_user, realm),
                format('SELECT graphrag.grant_reader(%L, %L); -- as %I', current_user, realm, _owner)
            )
        when _unreadable is not null
            then graphrag._finding(
                'privileges: realm', 'warning',
                format('Role %I may not read %s of %I.', current_user, array_to_string(_unreadable, ', '), realm),
                format('SELECT graphrag.grant_reader(%L, %L); -- as %I', current_user, realm, _owner)
            )
        when _unwritable is not null
            then graphrag._finding(
                'privileges: realm', 'ok', format('Role %I may read %I, not write it.', current_user, realm)
            )
        else graphrag._finding('privileges: realm', 'ok', format('Role %I may read and write %I.', current_user, realm))
    end;
end
$function$;
comment on function graphrag._doctor_privileges(text) is 'Findings about what the caller may do with the functions and the realm.';

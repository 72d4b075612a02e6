create function graphrag._grant_functions(grantee name, entry_points name[], without name[] default '{}')
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The functions belong to whoever created the extension. A realm's owner who is somebody else opens his realm to roles
-- that may call the extension already, and to nobody else.
declare
    _functions regprocedure[] := array(select graphrag._functions_under(entry_points, without));
    _closed regprocedure[] := array(
        select f.id from unnest(_functions) as f (id) where not has_function_privilege(grantee, f.id, 'execute')
    );
    _tables regclass[] := array(
        select c.oid::regclass
        from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = 'graphrag'
            and c.relname in ('setting_default', 'preset_predicate', 'gate_word', 'irregular_verb')
    );
begin
    if _closed = '{}' then
        return;
    end if;
    if exists (
        select from unnest(_closed) as f (id) where not has_function_privilege(f.id, 'execute with grant option')
    ) then
        raise exception 'role "%" may not call the extension', grantee
            using errcode = 'insufficient_privilege',
                detail = format('It lacks EXECUTE on %s and %s more functions, which %I cannot grant.',
                    _closed[1], cardinality(_closed) - 1, current_user),
                hint = 'A superuser calls this function once for the role, with this realm or any other.';
    end if;
    perform graphrag._lock_grants();
    if not has_schema_privilege(grantee, 'graphrag', 'usage') then
        execute format('grant usage on schema graphrag to %I', grantee);
    end if;
    execute format('grant execute on routine %s to %I', array_to_string(_functions, ', '), grantee);
    execute format('grant select on %s to %I', array_to_string(_tables, ', '), grantee);
end
$function$;
comment on function graphrag._grant_functions(name, name[], name[]) is 'Gives a role EXECUTE on entry points and on all that those call.';

create function graphrag._lock_grants()
    returns void
    language sql volatile parallel unsafe
as $function$
-- Of two who grant on one object at once PostgreSQL lets one fail: "tuple concurrently updated".
    select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('graphrag.grants', 0))
$function$;
comment on function graphrag._lock_grants() is 'Waits for others who grant functions or rights on a realm, until their transactions end.';

create function graphrag._may_use_in(base_url text, realm text, caller name)
    returns boolean
    language plpgsql stable parallel safe
    set search_path = pg_catalog, pg_temp
as $function$
-- Runs as a superuser, for _location(). A realm may use what its owner may choose. That of a superuser, who may choose
-- anything, may use what its table of endpoints names; nobody else's table is looked at, its owner could put anything
-- there. A schema in which others have made tables of these names is not its owner's realm.
declare
    _schema oid;
    _owner name;
    _is_superuser boolean;
    _names_it boolean;
begin
    select n.oid, o.rolname, o.rolsuper
    into _schema, _owner, _is_superuser
    from pg_namespace as n
    join pg_roles as o on o.oid = n.nspowner
    where n.nspname = realm
        and 3 = (
            select count(*)
            from pg_class as c
            where c.relnamespace = n.oid
                and c.relname in ('realm', 'endpoint', 'usage')
                and c.relkind = 'r'
                and c.relowner = n.nspowner
        );
    if not found then
        return false;
    end if;
    if not (
        has_schema_privilege(caller, _schema, 'usage')
        and has_table_privilege(caller, format('%I.usage', realm), 'insert')
    ) then
        return false;
    end if;
    if not _is_superuser then
        return graphrag._may_choose(base_url, _owner);
    end if;
    execute format('select exists (select from %I.endpoint as e where rtrim(btrim(e.base_url), ''/'') = $1)', realm)
    into _names_it
    using base_url;
    return _names_it;
end
$function$;
comment on function graphrag._may_use_in(text, text, name) is 'Whether a role may use a base URL because it may use a realm that may.';

-- An update brings inner functions that nobody may call yet but the extension's owner. A definer, so that a realm's
-- owner can migrate it after one. It is told nothing, and gives nothing but what belongs to entry points that a role
-- has been given: whoever calls it, all become able to go on with what they were able to do.
create function graphrag._renew_functions()
    returns void
    language plpgsql volatile parallel unsafe security definer
    set search_path = pg_catalog, pg_temp
as $function$
begin
    perform graphrag._grant_functions(
        r.rolname,
        case
            when g.makes_realms then graphrag._entry_points() || graphrag._trigger_functions()
            when g.writes then g.entry_points || graphrag._trigger_functions()
            else g.entry_points
        end,
        case
            when has_function_privilege(r.oid, 'graphrag._call'::regproc, 'execute') then '{}'::name[]
            else '{_call, _open_calls}'
        end
    )
    from (
        select
            a.grantee,
            array_agg(p.proname) as entry_points,
            bool_or(p.proname = 'index') as writes,
            bool_or(p.proname = 'create_realm') as makes_realms
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        cross join lateral aclexplode(p.proacl) as a
        where n.nspname = 'graphrag'
            and p.proname !~ '^_'
            and a.grantee <> p.proowner
            and has_schema_privilege(a.grantee, n.oid, 'usage')
        group by a.grantee
    ) as g
    join pg_roles as r on r.oid = g.grantee;
end
$function$;
comment on function graphrag._renew_functions() is 'Gives all roles that were let in what inner functions an update has put under their entry points.';

create function graphrag._entry_points()
    returns name[]
    language sql stable parallel safe
as $function$
    select array_agg(p.proname)
    from pg_proc as p
    join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = 'graphrag' and p.proname !~ '^_'
$function$;
comment on function graphrag._entry_points() is 'The public functions of the extension.';

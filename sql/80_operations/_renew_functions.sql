-- An update brings inner functions that nobody may call yet but the extension's owner. A definer, so that a realm's
-- owner can migrate it after one. It is told nothing, and gives only what belongs to what a role itself has been given:
-- whoever calls it, all become able to go on with what they were let in for. Privileges that a role has by being a
-- member of another stay that one's, or they would outlive the membership.
create function graphrag._renew_functions()
    returns void
    language plpgsql volatile parallel unsafe security definer
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _new name[] := graphrag._new_entry_points();
begin
    perform graphrag._grant_functions(
        r.rolname,
        g.entry_points
        || array(
            select n.name
            from unnest(_new) as n (name)
            where g.makes_realms
                or g.reads and n.name = any (graphrag._reader_functions())
                or g.reads and g.spends and n.name = 'query'
                or g.writes and n.name = any (graphrag._writer_functions())
        )
        || case when g.has_triggers or g.makes_realms then graphrag._trigger_functions() else '{}' end,
        case when g.spends then '{}'::name[] else '{_call, _open_calls}' end
    )
    from graphrag._let_in() as g
    join pg_roles as r on r.oid = g.grantee;
end
$function$;
comment on function graphrag._renew_functions() is 'Gives all roles that were let in what inner functions an update has put under their entry points.';

create function graphrag._let_in()
    returns table (
        grantee oid,
        entry_points name[],
        reads boolean,
        writes boolean,
        spends boolean,
        has_triggers boolean,
        makes_realms boolean
    )
    language sql stable parallel safe rows 10
as $function$
-- A reader or writer is known by most of the functions that make one, because an update makes some of them anew,
-- without their grants. What an old snapshot shows as granted counts only if it is granted still, which the functions
-- that look privileges up know.
    select
        a.grantee,
        coalesce(array_agg(f.name) filter (where f.name !~ '^_'), '{}'),
        2 * count(distinct f.name) filter (where f.name = any (graphrag._reader_functions()))
            > cardinality(graphrag._reader_functions()),
        2 * count(distinct f.name) filter (where f.name = any (graphrag._writer_functions()))
            > cardinality(graphrag._writer_functions()),
        bool_or(f.name = '_call'),
        bool_or(f.name = 'index'),
        bool_or(f.name = 'create_realm')
    from graphrag._functions() as f
    join pg_catalog.pg_proc as p on p.oid = f.id
    cross join lateral pg_catalog.aclexplode(p.proacl) as a
    where a.grantee not in (0, p.proowner)
        and has_function_privilege(a.grantee, p.oid, 'execute')
        and has_schema_privilege(a.grantee, p.pronamespace, 'usage')
    group by a.grantee
$function$;
comment on function graphrag._let_in() is 'Roles that have been given functions of the extension, and what they are by them.';

create function graphrag._new_entry_points()
    returns name[]
    language sql stable parallel safe
as $function$
-- One that others have been given is not new: who lacks it was not to have it.
    select coalesce(array_agg(f.name), '{}')
    from graphrag._functions() as f
    join pg_catalog.pg_proc as p on p.oid = f.id
    where f.name !~ '^_'
        and not exists (select from pg_catalog.aclexplode(p.proacl) as a where a.grantee <> p.proowner)
$function$;
comment on function graphrag._new_entry_points() is 'Public functions that nobody has been given, as an update brings them or makes them anew.';

create function graphrag._functions()
    returns table (id oid, name name)
    language sql stable parallel safe rows 500
as $function$
-- By membership: what somebody else has put into the schema is not the extension's to give away.
    select p.oid, p.proname
    from pg_catalog.pg_extension as e
    join pg_catalog.pg_depend as d on d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid
    join pg_catalog.pg_proc as p on p.oid = d.objid
    where e.extname = 'graphrag' and d.classid = 'pg_catalog.pg_proc'::regclass and d.deptype = 'e'
$function$;
comment on function graphrag._functions() is 'The extension''s own functions, by name.';

-- Who may use a registered place: superusers, those allowed to choose it, everybody if it is a default of the database,
-- and whoever may use the realm's schema if its owner may. A session that cannot execute _call() itself came through a
-- definer function of somebody who can, and is not asked for rights on the schema. The realm's own tables are not
-- looked at: their owner could put anything there, and this runs as a superuser.
create function graphrag._location(base_url text, realm text)
    returns table (api_key text, may_use boolean)
    language sql stable parallel restricted rows 1
    set search_path = pg_catalog, pg_temp
as $function$
    with caller as (
        select r.rolname, r.rolsuper
        from pg_roles r
        where r.rolname = graphrag._session_role()
    )
    select
        l.api_key,
        exists (select from caller where rolsuper)
        or graphrag._may_choose(l.base_url, (select rolname from caller))
        or exists (select from graphrag.endpoint_default d where d.base_url = l.base_url)
        or exists (
            select
            from pg_namespace n
            join pg_roles owner on owner.oid = n.nspowner
            cross join caller
            where n.nspname = _location.realm
                and (owner.rolsuper or graphrag._may_choose(l.base_url, owner.rolname))
                and (
                    has_schema_privilege(caller.rolname, n.oid, 'usage')
                    or not has_function_privilege(caller.rolname, 'graphrag._call(jsonb, integer)', 'execute')
                )
        )
    from graphrag.endpoint_location l
    where l.base_url = _location.base_url;
$function$;
comment on function graphrag._location(text, text) is 'The key of a base URL and whether the session may use it, for a realm''s schema; for _call() only.';

-- A definer, because endpoint_location is for nobody's eyes; it tells yes or no.
create function graphrag._may_choose(base_url text, chooser name)
    returns boolean
    language sql stable strict parallel safe security definer
    set search_path = pg_catalog, pg_temp
as $function$
    select exists (
        select
        from graphrag.endpoint_location l
        cross join unnest(l.owners) allowed
        join pg_roles r on r.rolname = allowed
        where l.base_url = $1
            and pg_has_role($2, r.oid, 'member')
    );
$function$;
comment on function graphrag._may_choose(text, name) is 'Whether a superuser has allowed a role to choose an endpoint''s base URL for its realms.';

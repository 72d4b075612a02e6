-- Inside a definer function current_user is its owner; whom the session speaks for is still in the setting `role`.
create function graphrag._session_role()
    returns name
    language sql stable parallel restricted
as $function$
    select coalesce(nullif(pg_catalog.current_setting('role'), 'none')::name, session_user);
$function$;
comment on function graphrag._session_role() is 'The role that the session acts as, seen from inside a definer function too.';

-- Who may use a registered place: superusers, those allowed to choose it, everybody if it is a default of the database,
-- and whoever may use a realm that may.
create function graphrag._location(base_url text, realm text, caller name)
    returns table (api_key text, may_use boolean)
    language sql stable parallel safe rows 1
    set search_path = pg_catalog, pg_temp
as $function$
    select
        l.api_key,
        exists (select from pg_roles r where r.rolname = caller and r.rolsuper)
        or graphrag._may_choose(l.base_url, caller)
        or exists (select from graphrag.endpoint_default d where d.base_url = l.base_url)
        or graphrag._may_use_in(l.base_url, realm, caller)
    from graphrag.endpoint_location l
    where l.base_url = _location.base_url;
$function$;
comment on function graphrag._location(text, text, name) is 'The key of a base URL and whether a role may use it, for a realm''s schema; for _call() only.';

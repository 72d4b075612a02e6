create function graphrag._set_default_endpoint(
    role text,
    base_url text,
    model text,
    api_key text,
    fallback_models text[],
    options jsonb
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _url text;
begin
    if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
        raise exception 'only a superuser sets the default endpoint of a database'
            using errcode = '42501',
                detail = 'realm => null means the default for every realm.',
                hint = 'Name a realm of your own.';
    end if;
    _url := graphrag._choose_location(base_url, api_key);
    insert into graphrag.endpoint_default (role, base_url, model, fallback_models, options)
    values ($1, _url, $3, coalesce($5, '{}'), $6)
    on conflict on constraint endpoint_default_pkey do update
    set base_url = excluded.base_url,
        model = excluded.model,
        fallback_models = excluded.fallback_models,
        options = excluded.options;
end
$function$;
comment on function graphrag._set_default_endpoint(text, text, text, text, text[], jsonb) is 'Sets the database''s default endpoint of a role; for superusers.';

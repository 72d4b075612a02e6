-- options, all optional:
--   deadline            seconds for one call with its retries, fallbacks and answer formats (120; embeddings 60)
--   concurrency         requests to the URL at a time, from all sessions of the database (16)
--   extra               object merged into each request's body, for what only some servers know
--   temperature         of chat models (0)
--   structured_output   first answer format to try: json_schema (default), json_object, text
--   batch_size          texts in one embedding request (64)
--   batch_tokens        tokens in one (8000, estimated)
--   max_input_tokens    tokens of one text; the rest of it is not embedded (8000, estimated)
--   dimensions          asked of embedding models that can shorten their vectors
--   width               of builtin:hash (256)
create function graphrag.set_endpoint(
    role text,
    base_url text,
    model text,
    api_key text default null,
    fallback_models text[] default '{}',
    options jsonb default '{}',
    realm text default graphrag._default_realm()
)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _roles constant text[] := array['embedding', 'extraction', 'synthesis', 'community', 'auxiliary', 'rerank'];
    _model text := coalesce(model, case when base_url = 'builtin:hash' then 'hash' end);
    _logged constant jsonb := graphrag._log_settings();
    _has_secret constant boolean := api_key is not null
        and (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user);
begin
    if _has_secret then
        perform graphrag._keep_statement_from_log();
    end if;
    if role is null or role <> all (_roles) then
        raise exception 'unknown endpoint role "%"', role
            using errcode = 'GR009',
                detail = 'A call to a model is made for one of six roles.',
                hint = coalesce(graphrag._near(role, _roles), 'Known: ' || array_to_string(_roles, ', ') || '.');
    end if;
    if base_url = 'builtin:hash' and role <> 'embedding' then
        raise exception 'builtin:hash cannot serve the role %', role
            using errcode = 'GR009',
                detail = 'It makes vectors, not text.',
                hint = 'Only the role embedding can have it.';
    end if;
    if _model is null or _model = '' then
        raise exception 'the % endpoint needs a model', role
            using errcode = 'GR009',
                detail = 'One server may have several models; none is taken for granted.',
                hint = 'Name it as the server does.';
    end if;
    if role = 'embedding' and cardinality(fallback_models) > 0 then
        raise exception 'the embedding endpoint cannot have fallback models'
            using errcode = 'GR009',
                detail = 'Vectors of two models cannot be compared; those of a realm are of one.',
                hint = 'Leave fallback_models out.';
    end if;
    perform graphrag._check_endpoint_options(options);
    if realm is null then
        perform graphrag._set_default_endpoint(role, base_url, _model, api_key, fallback_models, options);
    else
        perform graphrag._enter_to_set_endpoint(realm, role, base_url, _model);
        perform graphrag._set_realm_endpoint(role, base_url, _model, api_key, fallback_models, options);
    end if;
    if _has_secret then
        perform set_config(l.name, l.setting, true) from jsonb_each_text(_logged) as l (name, setting);
    end if;
end
$function$;
comment on function graphrag.set_endpoint(text, text, text, text, text[], jsonb, text) is 'Says which model server serves a role of a realm; realm => null sets the database''s default.';

create function graphrag._set_realm_endpoint(
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
-- Runs inside a realm.
declare
    _url text;
begin
    if role = 'embedding' then
        perform graphrag._check_same_vectors(base_url, model, options);
    end if;
    _url := graphrag._choose_location(base_url, api_key);
    insert into endpoint (role, base_url, model, fallback_models, options)
    values ($1, _url, $3, coalesce($5, '{}'), $6)
    on conflict on constraint endpoint_pkey do update
    set base_url = excluded.base_url,
        model = excluded.model,
        fallback_models = excluded.fallback_models,
        options = excluded.options;
end
$function$;
comment on function graphrag._set_realm_endpoint(text, text, text, text, text[], jsonb) is 'Sets the endpoint of a role in the current realm.';

create function graphrag._enter_to_set_endpoint(realm text, role text, base_url text, model text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Before there is a realm for them, vectors are those of the realm to be made, or of the database's default.
begin
    if not graphrag._realm_exists(realm)
        and (role = 'embedding' or (graphrag._realms() = '{}' and realm <> 'default'))
    then
        raise exception 'there is no realm "%"', realm
            using errcode = 'GR003',
                detail = 'A realm is made for the vectors of one embedding model.',
                hint = format(
                    'select graphrag.create_realm(%s); or realm => null sets the default of the database.',
                    case when role = 'embedding' then format('%L, %L, %L', realm, base_url, model)
                        else format('%L', realm) end
                );
    end if;
    perform graphrag._enter_or_create(realm);
end
$function$;
comment on function graphrag._enter_to_set_endpoint(text, text, text, text) is 'Enters a realm; where there is none to embed for, GR003 says how to make it or do without.';

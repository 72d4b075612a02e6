-- Runs inside a realm.
create function graphrag._endpoint(role text)
    returns jsonb
    language plpgsql stable strict parallel unsafe
as $function$
begin
    return coalesce(
        (
            select to_jsonb(e) || jsonb_build_object('role', _endpoint.role, 'source', 'realm')
            from endpoint e
            where e.role = _endpoint.role
                or e.role = 'extraction' and _endpoint.role not in ('embedding', 'rerank')
            order by e.role = _endpoint.role desc
            limit 1
        ),
        graphrag._default_endpoint(_endpoint.role)
    );
end
$function$;
comment on function graphrag._endpoint(text) is 'The endpoint of a role for the current realm: {role, base_url, model, fallback_models, options, source}, or null.';

-- Synthesis, community and auxiliary are served by the extraction endpoint unless they have their own; embedding and
-- rerank are not, since no chat model does their work. A definer, so
-- that readers of realms need no rights on the table of defaults.
create function graphrag._default_endpoint(role text)
    returns jsonb
    language plpgsql stable strict parallel unsafe security definer
    set search_path = pg_catalog, pg_temp
as $function$
begin
    return coalesce(
        (
            select to_jsonb(d) || jsonb_build_object('role', $1, 'source', 'database')
            from graphrag.endpoint_default d
            where d.role = $1
                or d.role = 'extraction' and $1 not in ('embedding', 'rerank')
            order by d.role = $1 desc
            limit 1
        ),
        graphrag._environment_endpoint($1)
    );
end
$function$;
comment on function graphrag._default_endpoint(text) is 'The endpoint of a role by the database''s defaults, else by the server''s environment, else null.';

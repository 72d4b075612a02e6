create function graphrag._functions_under(entry_points name[], without name[] default '{}')
    returns setof regprocedure
    language sql stable parallel safe rows 100
as $function$
-- A function runs with its caller's rights, so he needs EXECUTE on all the inner functions that it calls, however
-- deep. What calls what is read from the bodies: a list would go stale. Python's calls stand in the source that
-- _load_python() carries. What a definer calls runs as his.
    with recursive function (id, name, is_definer, body) as (
        select
            p.oid,
            p.proname,
            p.prosecdef,
            concat(
                coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc),
                pg_catalog.pg_get_expr(p.proargdefaults, 0)
            )
        from graphrag._functions() as f
        join pg_catalog.pg_proc as p on p.oid = f.id
    ),
    called (id, is_definer, body) as (
        select f.id, f.is_definer, f.body
        from function as f
        where f.name = any (entry_points)
        union
        select f.id, f.is_definer, f.body
        from called as c
        cross join pg_catalog.regexp_matches(c.body, 'graphrag\.(_\w+)\s*\(', 'g') as m (found)
        join function as f on f.name = m.found[1]::name
        where not c.is_definer and f.name <> '_location' and f.name <> all (without)
    )
    select c.id::regprocedure
    from called as c
$function$;
comment on function graphrag._functions_under(name[], name[]) is 'Functions of the extension and all inner ones that they call, without those named.';

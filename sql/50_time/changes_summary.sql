create function graphrag.changes_summary(
    since text default null,
    space text default null,
    realm text default null
)
    returns table (kind text, changes bigint)
    language plpgsql volatile parallel unsafe rows 10
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
declare
    _is_all boolean := coalesce(space, graphrag._default_space()) = '*';
begin
    perform graphrag._enter(realm);
    return query
    select c.kind, count(*)
    from graphrag._places(since, graphrag._spaces_for_read(space), _is_all) as p
    cross join lateral graphrag._changes(
        p.space, p.revision, p.class, p.id, graphrag._settled_revision(p.space), null, null
    ) as c
    group by c.kind
    order by array_position(graphrag._change_kinds(), c.kind);
end
$function$;
comment on function graphrag.changes_summary(text, text, text) is 'How many changes of each kind there were after a position; NULL is the beginning.';

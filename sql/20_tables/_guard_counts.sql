-- The triggers behind the counts of words, as _guard_belief() is behind all else that is believed: a count is born and
-- dies in the revision that its own transaction has taken in its space. Counts come by the thousand, so a statement is
-- looked at as a whole. That nothing but `died` is updated, and that only once, and nothing truncated is left to
-- triggers that ask no function for each row. Materialized, or the question would be asked of each row before spaces
-- and revisions are made distinct.

create function graphrag._guard_counts()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _is_forged boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    with count as materialized (
        select distinct n.space, coalesce(n.died, n.born) as revision, n.died is null as is_born from new_rows as n
    )
    select coalesce(
        bool_or(c.is_born <> (tg_op = 'INSERT') or not graphrag._is_own_revision(c.space, c.revision)), false
    )
    into _is_forged
    from count as c;
    if _is_forged then
        perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._guard_counts() is 'Trigger: counts are born and die in the revision of their transaction.';

create function graphrag._guard_gone_counts()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _is_forged boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    with count as materialized (
        select distinct o.space, o.born from old_rows as o
    )
    select coalesce(bool_or(not graphrag._is_own_revision(c.space, c.born)), false)
    into _is_forged
    from count as c;
    if _is_forged and not graphrag._may_purge(tg_relid) then
        perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._guard_gone_counts() is 'Trigger: only counts that were never believed go, or those that purge() erases.';

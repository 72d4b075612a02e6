-- The trigger behind the counts of words, as _guard_belief() is behind all else that is believed, where a row goes
-- alone: counts come and go by the thousand, so a statement is looked at as a whole. They are born like any row, and
-- that nothing but `died` is updated and nothing truncated is left to triggers that need no rows. Materialized, or the
-- question would be asked of each row before spaces and revisions are made distinct.

create function graphrag._guard_counts()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- An update ends them, once; what was never believed, or what purge() erases, may go.
declare
    _is_forged boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if tg_op = 'UPDATE' then
        _is_forged := exists (select from old_rows as o where o.died is not null)
            or exists (
                with ended as materialized (
                    select distinct n.space, n.died from new_rows as n
                )
                select
                from ended as e
                where not graphrag._is_own_revision(e.space, e.died)
            );
    else
        _is_forged := not graphrag._may_purge(tg_relid)
            and exists (
                with gone as materialized (
                    select distinct o.space, o.born from old_rows as o
                )
                select
                from gone as g
                where not graphrag._is_own_revision(g.space, g.born)
            );
    end if;
    if _is_forged then
        perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._guard_counts() is 'Trigger: counts die in the revision of their transaction, once, and only those that nobody believed go.';

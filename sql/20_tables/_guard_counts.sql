-- The trigger behind the counts of words, as _guard_belief() is behind all else that is believed, where a row goes alone:
-- counts come and go by the thousand, so a statement is looked at as a whole. They are born like any row, and that
-- nothing but `died` is updated and nothing truncated is left to triggers that need no rows.

create function graphrag._guard_counts()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- An update ends them, once; what was never believed, or what purge() erases, may go.
declare
    _spaces integer[];
    _revisions bigint[];
    _is_right boolean := true;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if tg_op = 'UPDATE' then
        _is_right := not exists (select from old_rows as o where o.died is not null);
        select array_agg(c.space), array_agg(c.died)
        into _spaces, _revisions
        from (select distinct n.space, n.died from new_rows as n) as c;
    else
        select array_agg(c.space), array_agg(c.born)
        into _spaces, _revisions
        from (select distinct o.space, o.born from old_rows as o) as c;
    end if;
    if not (_is_right and graphrag._are_own_revisions(_spaces, _revisions))
        and not (tg_op = 'DELETE' and graphrag._may_purge(tg_relid))
    then
        perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._guard_counts() is 'Trigger: counts die in the revision of their transaction, once, and only those that nobody believed go.';

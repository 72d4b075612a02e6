-- The triggers behind the counts of words, as _guard_belief() is behind all else that is believed: a count is born and
-- dies in the revision that its own transaction has taken in its space. Counts come by the thousand, so a statement is
-- looked at as a whole. That nothing but `died` is updated and nothing truncated is left to triggers that need no rows.
-- Materialized, or the question would be asked of each row before spaces and revisions are made distinct.

create function graphrag._counts_born()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _is_honest boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    with count as materialized (
        select distinct n.space, n.born, n.died from new_rows as n
    )
    select coalesce(bool_and(c.died is null and graphrag._took_revision(c.space, c.born)), true)
    into _is_honest
    from count as c;
    if not _is_honest then
        perform graphrag._refuse_counts(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._counts_born() is 'Trigger: counts are born in the revision of their transaction.';

create function graphrag._counts_ended()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _is_honest boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    with count as materialized (
        select distinct n.space, n.died from new_rows as n
    )
    select coalesce(bool_and(c.died is not null and graphrag._took_revision(c.space, c.died)), true)
    into _is_honest
    from count as c;
    if not _is_honest or exists (select from old_rows as o where o.died is not null) then
        perform graphrag._refuse_counts(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._counts_ended() is 'Trigger: counts die in the revision of their transaction, once.';

create function graphrag._counts_gone()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _is_honest boolean;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    with count as materialized (
        select distinct o.space, o.born from old_rows as o
    )
    select coalesce(bool_and(graphrag._took_revision(c.space, c.born)), true)
    into _is_honest
    from count as c;
    if not _is_honest and not graphrag._may_purge(tg_relid) then
        perform graphrag._refuse_counts(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._counts_gone() is 'Trigger: only counts that were never believed go, or those that purge() erases.';

create function graphrag._refuse_counts(schema_name text, table_name text, operation text)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    raise exception 'table %.% does not take this %', schema_name, table_name, lower(operation)
        using errcode = 'GR022',
            detail = 'A count is born and dies in the revision that its own transaction has taken in its space.',
            hint = 'Let graphrag.index() and the other functions count.';
end
$function$;
comment on function graphrag._refuse_counts(text, text, text) is 'Raises GR022 for counts that would forge history.';

create function graphrag._took_revision(space integer, n bigint)
    returns boolean
    language plpgsql stable parallel unsafe
as $function$
begin
    return exists (
        select from revision as r where r.space = $1 and r.n = $2 and r.transaction = graphrag._transaction()
    );
end
$function$;
comment on function graphrag._took_revision(integer, bigint) is 'Whether this transaction has taken a revision of a space.';

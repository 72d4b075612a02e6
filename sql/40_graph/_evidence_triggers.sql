-- Triggers of mention and assertion (see realm/triggers.sql). The functions that write documents store evidence before
-- its chunk is live, and complete; who inserts into a live chunk does it by hand.

create function graphrag._assertions_inserted()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set extra_float_digits = 1
as $function$
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if exists (
        select
        from new_rows as n
        where n.space is null
            or n.no is null
            or n.stated_predicate is null
            or n.content is null
            or exists (select from document_chunk as d where d.chunk = n.chunk)
    ) then
        perform graphrag._insert_by_hand(
            tg_table_schema, tg_table_name, (select jsonb_agg(to_jsonb(n) order by n.id) from new_rows as n)
        );
    end if;
    return null;
end
$function$;
comment on function graphrag._assertions_inserted() is 'Trigger: assertions by hand pass the gates and are derived.';

create function graphrag._mentions_inserted()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set extra_float_digits = 1
as $function$
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if exists (
        select
        from new_rows as n
        where n.space is null
            or n.folded is null
            or n.content is null
            or exists (select from document_chunk as d where d.chunk = n.chunk)
    ) then
        perform graphrag._insert_by_hand(
            tg_table_schema, tg_table_name, (select jsonb_agg(to_jsonb(n) order by n.id) from new_rows as n)
        );
    end if;
    return null;
end
$function$;
comment on function graphrag._mentions_inserted() is 'Trigger: mentions by hand pass the gates and are derived.';

create function graphrag._evidence_deleted()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- What was believed stays, so the row is not deleted but noted; _withdraw_deleted() ends it. Each table and depth has a
-- note of its own, since one statement can delete from several tables, and what ends its rows deletes too. A session
-- that forges the note only withdraws what it could have deleted.
declare
    _note text := format('graphrag.deleted_%s_%s', tg_relid, pg_trigger_depth());
    _ids text;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if old.content is null
        or not exists (select from document_chunk as d where d.chunk = old.chunk)
        or graphrag._may_purge(tg_relid)
    then
        return old;
    end if;
    -- In two lists, so that the note of a row does not copy those of all before it.
    _ids := current_setting(_note, true);
    if length(_ids) > 8000 then
        perform set_config(_note || '_all', concat(current_setting(_note || '_all', true), _ids), true);
        _ids := '';
    end if;
    perform set_config(_note, concat(_ids, ' ', old.id), true);
    return null;
end
$function$;
comment on function graphrag._evidence_deleted() is 'Trigger: notes which rows somebody deletes by hand.';

create function graphrag._withdraw_deleted()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _note text := format('graphrag.deleted_%s_%s', tg_relid, pg_trigger_depth());
    _ids text := btrim(concat(current_setting(_note || '_all', true), current_setting(_note, true)));
begin
    if _ids <> '' then
        perform set_config(_note, '', true);
        perform set_config(_note || '_all', '', true);
        perform graphrag._withdraw_by_hand(
            tg_table_schema, tg_table_name, string_to_array(_ids, ' ')::bigint[]
        );
    end if;
    return null;
end
$function$;
comment on function graphrag._withdraw_deleted() is 'Trigger: withdraws the rows that a statement deleted by hand.';

-- The trigger function of attached tables. It stands in the realm and uses nothing of the extension, so that a table
-- can be written while the extension is away, and by roles that may nothing but INSERT into this realm's queue.
-- tg_argv[0]: {"space", "source", "relation": oid, "columns": [{"number", "name"}, …], "row": how a row reads as a
-- document}, made by graphrag.attach(). A column is known by its number, which survives its being renamed; in a table
-- that a restore has made anew, by the name that it had when it was attached.
create or replace function enqueue_changes()
    returns trigger
    language plpgsql
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set datestyle = 'ISO, MDY'
    set timezone = 'UTC'
    set intervalstyle = 'postgres'
    set extra_float_digits = 1
    set bytea_output = 'hex'
as $body$
-- A key that is a date or a number is one text, whatever the session of who writes.
declare
    _attached jsonb := tg_argv[0];
    _realm name := (
        select n.nspname
        from pg_trigger as t
        join pg_proc as p on p.oid = t.tgfoid
        join pg_namespace as n on n.oid = p.pronamespace
        where t.tgrelid = tg_relid and t.tgname = tg_name
    );
    _names text[];
    _lost text;
    _row text;
begin
    if tg_op = 'TRUNCATE' then
        execute format('insert into %I.job (space, operation, source) values ($1, ''clear'', $2)', _realm)
            using _attached ->> 'space', _attached ->> 'source';
        return null;
    end if;
    select
        array_agg(a.attname::text order by c.no),
        string_agg(c.known ->> 'name', ', ' order by c.no) filter (where a.attname is null)
    into _names, _lost
    from jsonb_array_elements(_attached -> 'columns') with ordinality as c (known, no)
    left join pg_attribute as a on a.attrelid = tg_relid
        and not a.attisdropped
        and case
            when (_attached ->> 'relation')::oid = tg_relid then a.attnum = (c.known ->> 'number')::smallint
            else a.attname = c.known ->> 'name'
        end;
    if _lost is not null then
        raise exception 'table %.% has no longer what realm "%" reads of it: %',
            tg_table_schema, tg_table_name, _realm, _lost
            using errcode = 'undefined_column',
                hint = 'Call graphrag.attach() with its columns as they are now, or graphrag.detach().';
    end if;
    _row := format(_attached ->> 'row', variadic _names);
    if tg_op <> 'INSERT' then
        execute format(
            'insert into %I.job (space, operation, source, document)'
            ' select $1, ''delete'', $2, o.id from (select t.%I::text from old_rows as t %s) as o (id)'
            ' where o.id is not null order by o.id',
            _realm,
            _names[1],
            case when tg_op = 'UPDATE' then format('except select t.%I::text from new_rows as t', _names[1]) else '' end
        ) using _attached ->> 'space', _attached ->> 'source';
    end if;
    if tg_op <> 'DELETE' then
        -- A row without text is a document that is not there, and the queue says why.
        execute format(
            'insert into %I.job (space, operation, source, document, content, metadata, published_at, ordinal, reason)'
            ' select $1, case when n.content ~ ''\S'' then ''index'' else ''delete'' end, $2,'
            ' n.id, n.content, n.metadata, n.published_at, n.ordinal,'
            ' case when n.content ~ ''\S'' then null else ''its row has no text'' end'
            ' from (%s from new_rows as t %s) as n where n.id is not null order by n.id',
            _realm,
            _row,
            case when tg_op = 'UPDATE' then 'except ' || _row || ' from old_rows as t' else '' end
        ) using _attached ->> 'space', _attached ->> 'source';
    end if;
    return null;
end
$body$;
revoke all on function enqueue_changes() from public;

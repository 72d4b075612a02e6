create function graphrag.attach(
    relation regclass,
    id name,
    content name,
    title name default null,
    published_at name default null,
    metadata name default null,
    ordinal name default null,
    source text default null,
    backfill boolean default true,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set datestyle = 'ISO, MDY'
    set timezone = 'UTC'
    set intervalstyle = 'postgres'
    set extra_float_digits = 1
    set bytea_output = 'hex'
as $function$
-- The triggers are all there is to know about an attached table: they are dumped, restored and dropped with it. Keys
-- are written as the triggers write them.
declare
    _realm text := graphrag._enter_or_create(realm);
    _space text := graphrag._check_space_name(space);
    _old jsonb := graphrag._attachment(relation, _space);
    _source text := coalesce(source, _old ->> 'source', graphrag._qualified_name(relation));
    _columns jsonb := graphrag._columns_to_attach(
        relation,
        array['id', 'content', 'title', 'published_at', 'metadata', 'ordinal'],
        array[id, content, title, published_at, metadata, ordinal]
    );
    _attached jsonb;
begin
    if _old ->> 'source' <> _source then
        raise exception 'table % is attached as source "%" already', relation, _old ->> 'source'
            using errcode = 'GR009',
                detail = format('Its documents would stay behind if it went on as "%s".', _source),
                hint = 'Detach it first, with withdraw => true if its documents shall go.';
    end if;
    perform graphrag._check_document(null, _source, '{}', null, null);
    _attached := jsonb_build_object(
        'space', _space,
        'source', _source,
        'relation', relation::oid::bigint,
        'columns', (
            select jsonb_agg(jsonb_build_object('number', c.known -> 'number', 'name', c.known -> 'name') order by c.no)
            from jsonb_array_elements(_columns) with ordinality as c (known, no)
        ),
        'row', graphrag._row_template(_columns)
    );
    -- Creating a trigger keeps writers out until the transaction ends: what is not in the backfill, the triggers see.
    perform graphrag._drop_triggers(relation, _space);
    perform graphrag._create_triggers(relation, _realm, _attached);
    return case when backfill then graphrag._backfill(relation, _attached) else 0 end;
end
$function$;
comment on function graphrag.attach(regclass, name, name, name, name, name, name, text, boolean, text, text) is 'Keeps a realm in step with a table: every row is a document, and each change of a row is queued in the same transaction. Returns how many jobs the backfill queued.';

create function graphrag._qualified_name(relation regclass)
    returns text
    language sql stable parallel safe
begin atomic
    select n.nspname || '.' || c.relname
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid = relation;
end;
comment on function graphrag._qualified_name(regclass) is 'A table''s name with its schema, whatever the search_path.';

create function graphrag._columns_to_attach(relation regclass, uses text[], names name[])
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- [{"use", "number", "name", "type"}, …] of those that are named.
declare
    _problem text := case
        when (select c.relkind from pg_catalog.pg_class as c where c.oid = relation) not in ('r', 'p')
            then 'It is no table.'
        when names[1] is null or names[2] is null then 'Both id and content must name a column.'
    end;
    _columns jsonb;
begin
    select
        coalesce(_problem, min(graphrag._column_problem(relation, u.use, u.name, a.attnum, a.atttypid))),
        jsonb_agg(
            jsonb_build_object(
                'use', u.use, 'number', a.attnum, 'name', a.attname, 'type', a.atttypid::regtype::text
            )
            order by u.no
        )
    into _problem, _columns
    from unnest(uses, names) with ordinality as u (use, name, no)
    left join pg_catalog.pg_attribute as a on a.attrelid = relation and a.attname = u.name and a.attnum > 0
    where u.name is not null;
    if _problem is not null then
        raise exception 'table % cannot be attached', relation
            using errcode = 'GR009',
                detail = _problem,
                hint = 'attach(''public.articles'', id => ''id'', content => ''body'', published_at => ''published'').';
    end if;
    return _columns;
end
$function$;
comment on function graphrag._columns_to_attach(regclass, text[], name[]) is 'What attach() needs to know of the columns that it was given; raises GR009 for what it cannot use.';

create function graphrag._column_problem(relation regclass, use text, name name, number smallint, type oid)
    returns text
    language sql stable parallel safe
as $function$
    select case
        when number is null then format('It has no column "%s".', name)
        when use = 'id' and not exists (
            select
            from pg_catalog.pg_index as i
            where i.indrelid = relation
                and i.indisunique
                and i.indpred is null
                and i.indnkeyatts = 1
                and i.indkey[0] = number
        ) then format('Its column "%s" is not unique by itself: one row could not be told from another.', name)
        when use = 'published_at' and type not in (
            'pg_catalog.timestamptz'::regtype, 'pg_catalog.timestamp'::regtype, 'pg_catalog.date'::regtype
        ) then format('Its column "%s" is no date or timestamp.', name)
        when use = 'metadata' and type not in ('pg_catalog.jsonb'::regtype, 'pg_catalog.json'::regtype)
            then format('Its column "%s" is no jsonb.', name)
        when use = 'ordinal' and type not in (
            'pg_catalog.int2'::regtype, 'pg_catalog.int4'::regtype, 'pg_catalog.int8'::regtype,
            'pg_catalog.numeric'::regtype, 'pg_catalog.float4'::regtype, 'pg_catalog.float8'::regtype
        ) then format('Its column "%s" is no number.', name)
    end
$function$;
comment on function graphrag._column_problem(regclass, text, name, smallint, oid) is 'Why a column cannot be used so by attach(); null if it can.';

create function graphrag._row_template(columns jsonb)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- For format(), with the names of the columns in their order as arguments: a row t as (id, content, metadata,
-- published_at, ordinal). A date without a time zone is one of UTC. A column of type json may hold what jsonb cannot,
-- NUL and lone surrogates: they go, as from all text, since nobody's write shall fail for them.
declare
    _place jsonb := (
        select jsonb_object_agg(c.known ->> 'use', format('t.%%%s$I', c.no))
        from jsonb_array_elements(columns) with ordinality as c (known, no)
    );
    _is_json boolean := columns @> '[{"use": "metadata", "type": "json"}]';
    _has_zone boolean := columns @> '[{"use": "published_at", "type": "timestamp with time zone"}]';
begin
    return concat(
        'select ', _place ->> 'id', '::text as id, ',
        _place ->> 'content', '::text as content, ',
        case
            when _place ? 'metadata' then format(
                'case when %1$s is null then ''{}'' when jsonb_typeof(%2$s) = ''object'' then %2$s'
                ' else jsonb_build_object(''metadata'', %2$s) end',
                _place ->> 'metadata',
                format(
                    case when _is_json then 'regexp_replace(%s::text, %L, %L, ''g'')::jsonb' else '%s' end,
                    _place ->> 'metadata',
                    '(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})'
                        '|\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2})',
                    '\1\2'
                )
            )
            else '''{}''::jsonb'
        end,
        ' || jsonb_strip_nulls(jsonb_build_object(''title'', ' || (_place ->> 'title') || '::text))',
        ' as metadata, ',
        case
            when not _place ? 'published_at' then 'null::timestamptz'
            when _has_zone then _place ->> 'published_at'
            else (_place ->> 'published_at') || '::timestamp at time zone ''UTC'''
        end,
        ' as published_at, ',
        coalesce(_place ->> 'ordinal', 'null'), '::numeric as ordinal'
    );
end
$function$;
comment on function graphrag._row_template(jsonb) is 'How a row of an attached table reads as a document, with places for its columns'' names.';

create function graphrag._create_triggers(relation regclass, realm text, attached jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _prefix text := format('graphrag_%s_', left(md5(realm || '/' || (attached ->> 'space')), 8));
    _event record;
begin
    for _event in
        select e.name, e.tables
        from (
            values ('insert', 'referencing new table as new_rows'), ('delete', 'referencing old table as old_rows'),
                ('update', 'referencing old table as old_rows new table as new_rows'), ('truncate', '')
        ) as e (name, tables)
    loop
        execute format(
            'create trigger %I after %s on %s %s for each statement execute function %I.enqueue_changes(%L)',
            _prefix || _event.name, _event.name, relation, _event.tables, realm, attached::text
        );
    end loop;
end
$function$;
comment on function graphrag._create_triggers(regclass, text, jsonb) is 'Makes the triggers of an attached table.';

create function graphrag._backfill(relation regclass, attached jsonb)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
declare
    _names text[] := array(
        select c.known ->> 'name'
        from jsonb_array_elements(attached -> 'columns') with ordinality as c (known, no)
        order by c.no
    );
    _rows text := format('%s from %s as t', format(attached ->> 'row', variadic _names), relation);
    _queued bigint;
    _withdrawn bigint;
begin
    execute format(
        $sql$
            insert into job (space, operation, source, document, content, metadata, published_at, ordinal)
            select $1, 'index', $2, n.id, n.content, n.metadata, n.published_at, n.ordinal
            from (%s) as n
            where n.id is not null and n.content ~ '\S'
            order by n.published_at, n.ordinal, n.id
        $sql$,
        _rows
    ) using attached ->> 'space', attached ->> 'source';
    get diagnostics _queued = row_count;
    execute format(
        $sql$
            insert into job (space, operation, source, document)
            select $1, 'delete', $2, d.name
            from (
                select d.name
                from space as s
                join document as d on d.space = s.id
                join document_version as v on v.document = d.id and v.died is null
                where s.name = $1 and d.source = $2
                union
                select j.document
                from job as j
                where j.space = $1 and j.source = $2 and j.operation = 'index' and j.ended_at is null
            ) as d
            where not exists (select from (%s) as n where n.id = d.name and n.content ~ '\S')
            order by d.name
        $sql$,
        _rows
    ) using attached ->> 'space', attached ->> 'source';
    get diagnostics _withdrawn = row_count;
    -- Noted once, however often the table is attached; where a document is withdrawn for it, that job says so.
    execute format(
        $sql$
            insert into job (space, operation, source, document, status, reason, ended_at)
            select $1, 'index', $2, n.id, 'skipped', 'its row has no text', clock_timestamp()
            from (%s) as n
            where n.id is not null
                and (n.content ~ '\S') is not true
                and not exists (
                    select
                    from job as j
                    where j.space = $1
                        and j.target = md5(quote_nullable($2) || quote_nullable(n.id))
                        and (j.reason = 'its row has no text' or j.ended_at is null)
                )
            order by n.id
        $sql$,
        _rows
    ) using attached ->> 'space', attached ->> 'source';
    return _queued + _withdrawn;
end
$function$;
comment on function graphrag._backfill(regclass, jsonb) is 'Queues every row of an attached table, and the withdrawal of documents whose row is gone.';

create function graphrag._attachment(relation regclass, space text)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
begin
    return (
        select graphrag._trigger_argument(t.tgargs)
        from graphrag._attached_triggers(relation, space) as t
        limit 1
    );
end
$function$;
comment on function graphrag._attachment(regclass, text) is 'How a table is attached to a space of the current realm; null if it is not.';

create function graphrag._attached_triggers(relation regclass, space text)
    returns setof pg_catalog.pg_trigger
    language plpgsql stable parallel unsafe rows 4
as $function$
begin
    return query
    select t.*
    from pg_catalog.pg_trigger as t
    where t.tgrelid = relation
        and t.tgfoid = (
            select p.oid
            from pg_catalog.pg_proc as p
            join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
            where n.nspname = current_schema() and p.proname = 'enqueue_changes'
        )
        and graphrag._trigger_argument(t.tgargs) ->> 'space' = $2;
end
$function$;
comment on function graphrag._attached_triggers(regclass, text) is 'The triggers by which a table is attached to a space of the current realm.';

create function graphrag._trigger_argument(arguments bytea)
    returns jsonb
    language sql stable parallel safe
as $function$
-- An argument ends with a zero byte.
    select convert_from(substr(arguments, 1, length(arguments) - 1), 'UTF8')::jsonb
$function$;
comment on function graphrag._trigger_argument(bytea) is 'The only argument of a trigger, as JSON.';

create function graphrag._drop_triggers(relation regclass, space text)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
declare
    _names name[] := array(select t.tgname from graphrag._attached_triggers(relation, space) as t);
    _name name;
begin
    foreach _name in array _names loop
        execute format('drop trigger %I on %s', _name, relation);
    end loop;
    return cardinality(_names);
end
$function$;
comment on function graphrag._drop_triggers(regclass, text) is 'Drops the triggers by which a table is attached; returns how many there were.';

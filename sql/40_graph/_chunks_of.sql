create function graphrag._chunks_of(content text)
    returns table (no integer, start_at integer, end_at integer, body text)
    language plpgsql stable parallel unsafe rows 20
as $function$
-- By the realm's own splitter if it has one, else by paragraphs packed to a budget.
declare
    _splitter text := graphrag._setting('splitter') #>> '{}';
begin
    if _splitter <> '' then
        return query
        select l.no, l.start_at, l.end_at, l.body
        from graphrag._locate(content, graphrag._call_splitter(_splitter, content), _splitter) as l;
        return;
    end if;
    return query
    select s.no, s.start_at, s.end_at, s.body
    from graphrag._split(
        content,
        (graphrag._setting('chunk_size') #>> '{}')::integer,
        (graphrag._setting('chunk_overlap') #>> '{}')::integer
    ) as s;
end
$function$;
comment on function graphrag._chunks_of(text) is 'The chunks of a cleaned document as the realm cuts it, with their half-open character offsets from 0.';

create function graphrag._call_splitter(splitter text, content text)
    returns text[]
    language plpgsql stable parallel unsafe
as $function$
-- With the caller's rights. It is looked at again: since configure() it may have been replaced.
declare
    _pieces text[];
    _problem text := graphrag._splitter_problem(splitter);
    _hint text := 'Mend the function, or SELECT graphrag.configure(''splitter'', NULL) to split as usual.';
begin
    if _problem is not null then
        raise exception 'the splitter "%" cannot be used', splitter
            using errcode = 'GR017', detail = _problem, hint = _hint;
    end if;
    begin
        execute format(
            'select array_agg(p.piece order by p.no) from %s($1) with ordinality as p (piece, no)',
            (select format('%I.%I', n.nspname, p.proname) from graphrag._splitter(splitter) as p
            join pg_catalog.pg_namespace as n on n.oid = p.pronamespace)
        )
        into _pieces
        using content;
    exception
        when serialization_failure or deadlock_detected then
            raise;
        when others then
            raise exception 'the splitter "%" failed', splitter
                using errcode = 'GR017', detail = format('%s: %s', sqlstate, sqlerrm), hint = _hint;
    end;
    return coalesce(_pieces, '{}');
end
$function$;
comment on function graphrag._call_splitter(text, text) is 'What the realm''s own splitter makes of a document; raises GR017 if it cannot be used or fails.';

create function graphrag._splitter(splitter text)
    returns setof pg_catalog.pg_proc
    language sql stable parallel safe rows 1
begin atomic
    select p
    from pg_catalog.pg_proc as p
    join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
    where splitter in (n.nspname || '.' || p.proname, format('%I.%I', n.nspname, p.proname))
        and p.prokind = 'f'
        and p.pronargs = 1
        and p.proargtypes[0] = 'pg_catalog.text'::regtype;
end;
comment on function graphrag._splitter(text) is 'The function of that qualified name that takes one text.';

create function graphrag._splitter_problem(splitter text)
    returns text
    language plpgsql stable parallel unsafe
as $function$
-- It runs with the rights of whoever indexes. Nothing is run for a realm that its owner could not run there anyway, by
-- a trigger on its tables.
declare
    _function pg_catalog.pg_proc := (select p from graphrag._splitter(splitter) as p);
    _owner oid := (select n.nspowner from pg_catalog.pg_namespace as n where n.nspname = current_schema());
begin
    return case
        when splitter = '' then null
        when _function.oid is null
            then 'There is no function of that name, written with its schema, that takes one text.'
        when not (_function.proretset and _function.prorettype = 'pg_catalog.text'::regtype)
            then 'It does not return SETOF text.'
        when _function.prosecdef then 'It is SECURITY DEFINER; a splitter runs with the rights of whoever indexes.'
        when not (
            _function.proowner = _owner
            or exists (select from pg_catalog.pg_roles as r where r.oid = _function.proowner and r.rolsuper)
        ) then 'It belongs neither to the realm''s owner nor to a superuser.'
    end;
end
$function$;
comment on function graphrag._splitter_problem(text) is 'Why a function cannot be a realm''s splitter; null if it can.';

create function graphrag._locate(content text, pieces text[], splitter text)
    returns table (no integer, start_at integer, end_at integer, body text)
    language plpython3u immutable parallel unsafe cost 1000 rows 20
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.splitting import locate_for_sql
return locate_for_sql(plpy, content, pieces, splitter)
$python$;
comment on function graphrag._locate(text, text[], text) is 'Where the pieces of a splitter stand in the document; raises GR017 for one that does not.';

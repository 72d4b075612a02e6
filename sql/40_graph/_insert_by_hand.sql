create function graphrag._insert_by_hand(realm text, kind text, rows jsonb)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set extra_float_digits = 1
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
as $function$
-- The rows of one INSERT or COPY, as they were given: they are taken out again, pass the gates of their chunks, are
-- embedded together, and come back, complete and under their ids, in successors of the chunks.
declare
    _vocabulary bigint;
    _vectors bigint;
    _chunks bigint[];
    _gated jsonb;
    _texts jsonb;
    _spaces integer[];
    _space integer;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_given(kind, rows);
    delete from mention as m
    using jsonb_array_elements(rows) as r (given)
    where kind = 'mention' and m.id = (r.given ->> 'id')::bigint;
    delete from assertion as a
    using jsonb_array_elements(rows) as r (given)
    where kind = 'assertion' and a.id = (r.given ->> 'id')::bigint;
    loop
        select r.vocabulary, r.vectors into _vocabulary, _vectors from realm as r;
        _chunks := graphrag._chunks_by_hand(kind, rows);
        _gated := graphrag._gate_by_hand(kind, rows);
        _texts := graphrag._texts_by_hand(_gated);
        _spaces := array(
            select distinct (g.chunk ->> 'space')::integer from jsonb_array_elements(_gated) as g (chunk) order by 1
        );
        perform graphrag._lock_spaces(_spaces);
        -- While this call was asking for vectors, another session may have put other chunks in their places, changed
        -- the vocabulary, or purged texts that these have too. Not again: the locks stay.
        exit when _chunks = graphrag._chunks_by_hand(kind, rows)
            and (_vocabulary, _vectors) = (select r.vocabulary, r.vectors from realm as r)
            and not exists (
                select n.space, n.kind, n.body from graphrag._new_texts_by_hand(_gated) as n
                except
                select t.space, t.kind, t.body
                from jsonb_to_recordset(_texts) as t (space integer, kind text, body text)
            );
    end loop;
    foreach _space in array _spaces loop
        perform graphrag._write_by_hand(
            _space,
            jsonb_path_query_array(_gated, '$[*] ? (@.space == $space)', jsonb_build_object('space', _space)),
            _texts
        );
    end loop;
end
$function$;
comment on function graphrag._insert_by_hand(text, text, jsonb) is 'Brings mentions or assertions that were inserted by hand through the gates and into the graph.';

create function graphrag._check_given(kind text, rows jsonb)
    returns void
    language plpgsql stable parallel safe
as $function$
-- What would be overwritten, or could only be guessed at, is refused.
declare
    _wrong record;
begin
    select r.given, p.problem, p.hint into _wrong
    from jsonb_array_elements(rows) as r (given)
    cross join lateral (
        select
            format('gives its column %s', c.name) as problem,
            'That column is worked out. Give chunk, subject, predicate, object or value, and what else was said; of a'
                ' mention chunk, surface, type, description, aliases.' as hint
        from (
            values
                ('space', 'null'), ('no', 'null'), ('folded', 'null'), ('content', 'null'), ('claim', 'null'),
                ('value_number', 'null'), ('value_unit', 'null'), ('value_scale', 'null'), ('value_key', 'null'),
                ('stated_predicate', 'null'),
                ('is_swapped', 'false'), ('takes_slot', 'true'), ('folded_aliases', '[]'), ('is_person', 'null'),
                ('form', 'null'), ('gender', 'null'), ('core', 'null'), ('given', '[]'), ('family', '[]'),
                ('first_reading', 'null')
        ) as c (name, untouched)
        where r.given -> c.name <> c.untouched::jsonb
        union all
        select format('has the confidence %s', r.given ->> 'confidence'), 'Give a number from 0 to 1.'
        where not (r.given ->> 'confidence')::real between 0 and 1
        union all
        select
            format('has the evidence span %s to %s', s.start_at, s.end_at),
            'start_at and end_at are offsets in the text of the chunk, half-open, from 0. Leave out both to have the'
                ' sentence found.'
        from jsonb_to_record(r.given) as s (chunk bigint, start_at integer, end_at integer)
        left join chunk as k on k.id = s.chunk
        left join content as t on t.id = k.content
        where num_nulls(s.start_at, s.end_at) = 1
            or s.start_at < 0
            or s.end_at <= s.start_at
            or s.end_at > length(t.body)
    ) as p
    limit 1;
    if found then
        raise exception 'a row for table % %', kind, _wrong.problem
            using errcode = 'GR021',
                detail = format('The row: %s', left(jsonb_strip_nulls(_wrong.given)::text, 500)),
                hint = _wrong.hint;
    end if;
end
$function$;
comment on function graphrag._check_given(text, jsonb) is 'Raises GR021 for rows by hand that give what is not theirs to give, or what cannot be.';

create function graphrag._chunks_by_hand(kind text, rows jsonb)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The live chunk of each row.
declare
    _chunks bigint[];
    _wrong record;
begin
    select array_agg(c.live order by r.no) into _chunks
    from jsonb_array_elements(rows) with ordinality as r (given, no)
    cross join lateral (select graphrag._live_successor((r.given ->> 'chunk')::bigint)) as c (live);
    select r.given, c.failure is not null as has_failed into _wrong
    from jsonb_array_elements(rows) with ordinality as r (given, no)
    left join chunk as c on c.id = _chunks[r.no]
    where c.id is null or c.failure is not null
    order by r.no
    limit 1;
    if found then
        raise exception 'chunk % takes no row by hand', _wrong.given ->> 'chunk'
            using errcode = 'GR021',
                detail = case
                    when _wrong.has_failed then 'Its extraction failed and will be done again.'
                    else 'It is no part of a document that is indexed now.'
                end,
                hint = case
                    when _wrong.has_failed then 'Index its document again first.'
                    else 'The table document_chunk, where died is null, lists the chunks that are.'
                end;
    end if;
    return _chunks;
end
$function$;
comment on function graphrag._chunks_by_hand(text, jsonb) is 'The live chunks that rows by hand are for; raises GR021 where there is none.';

create function graphrag._gate_by_hand(kind text, rows jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- One element a chunk: {chunk, space, mentions, assertions}, each with the row it comes from.
begin
    return (
        select jsonb_agg(graphrag._gate_chunk_by_hand(c.chunk, kind, c.rows) order by c.chunk)
        from (
            select n.live as chunk, jsonb_agg(r.given order by r.no) as rows
            from jsonb_array_elements(rows) with ordinality as r (given, no)
            join unnest(graphrag._chunks_by_hand(kind, rows)) with ordinality as n (live, no) on n.no = r.no
            group by n.live
        ) as c
    );
end
$function$;
comment on function graphrag._gate_by_hand(text, jsonb) is 'What the gates make of rows by hand, by chunk.';

create function graphrag._gate_chunk_by_hand(chunk bigint, kind text, rows jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- The rows are one more extraction of their chunk, in which what it mentions already is known. A person is told of what
-- the gates refuse: nothing of it is dropped.
declare
    _body text := (select t.body from chunk as c join content as t on t.id = c.content where c.id = $1);
    _gated jsonb := graphrag._gate(
        graphrag._extraction_by_hand($1, kind, rows, _body),
        _body,
        graphrag._gate_options() || jsonb_build_object('context_names', graphrag._names_around($1))
    );
    _refused jsonb := jsonb_path_query_first(_gated, '$.rejects[*] ? (exists(@.record.row))');
begin
    if _refused is not null then
        raise exception 'a row for table % is refused: %', kind, _refused ->> 'reason'
            using errcode = 'GR021',
                detail = format('The row: %s', left(jsonb_strip_nulls(_refused -> 'record')::text, 500)),
                hint = case _refused ->> 'reason'
                    when 'ungrounded_name' then
                        'The name does not occur in the chunk. graphrag.assert_relation() states what no document says.'
                    else
                        'The reference says what each reason of the gates means.'
                end;
    end if;
    return jsonb_build_object(
        'chunk', $1,
        'space', (select d.space from chunk as c join document as d on d.id = c.document where c.id = $1),
        'mentions', graphrag._mentions_by_hand($1, kind, rows, _gated -> 'mentions'),
        'assertions', (
            select coalesce(
                jsonb_agg(
                    a.assertion
                    || jsonb_build_object('row', r.given -> 'id')
                    || case
                        -- Where it says so, and not where else the text says the same.
                        when r.given -> 'start_at' <> 'null'
                            then jsonb_build_object('start_at', r.given -> 'start_at', 'end_at', r.given -> 'end_at')
                        else '{}'
                    end
                ),
                '[]'
            )
            from jsonb_array_elements(_gated -> 'assertions') as a (assertion)
            join jsonb_array_elements(rows) with ordinality as r (given, no) on r.no = (a.assertion ->> 'no')::integer
        )
    );
end
$function$;
comment on function graphrag._gate_chunk_by_hand(bigint, text, jsonb) is 'What the gates make of rows by hand for one chunk; raises GR021 for what they refuse.';

create function graphrag._names_around(chunk bigint)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(jsonb_agg(distinct m.surface), '[]')
        from document_chunk as c
        join document_chunk as o on o.version = c.version and o.died is null
        join mention as m on m.chunk = o.chunk
        where c.chunk = $1 and c.died is null
    );
end
$function$;
comment on function graphrag._names_around(bigint) is 'The names mentioned anywhere in a live chunk''s document.';

create function graphrag._extraction_by_hand(chunk bigint, kind text, rows jsonb, body text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- As a model would have answered. Rows by hand go first: the gates give an entity the first type that was stated.
begin
    return jsonb_build_object(
        'entities', (
            select coalesce(jsonb_agg(e.record order by e.rank, e.no), '[]')
            from (
                select 1 as rank, r.no, jsonb_build_object(
                    'name', r.given -> 'surface',
                    'type', r.given -> 'type',
                    'description', r.given -> 'description',
                    'aliases', r.given -> 'aliases',
                    'identifiers', r.given -> 'identifiers',
                    'row', r.given -> 'id'
                ) as record
                from jsonb_array_elements(rows) with ordinality as r (given, no)
                where kind = 'mention'
                union all
                select 2, m.id, jsonb_build_object(
                    'name', m.surface,
                    'type', m.type,
                    'description', m.description,
                    'aliases', m.aliases,
                    'identifiers', m.identifiers
                )
                from mention as m
                where m.chunk = $1
            ) as e
        ),
        'triples', (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'subject', r.given -> 'subject',
                        'predicate', r.given -> 'predicate',
                        'object', coalesce(r.given ->> 'object', r.given ->> 'value'),
                        'object_is_value', r.given -> 'value' <> 'null',
                        'negated', r.given -> 'negated',
                        'confidence', round((r.given ->> 'confidence')::numeric, 6),
                        'description', r.given -> 'description',
                        'valid_from', r.given -> 'stated_from',
                        'valid_to', r.given -> 'stated_to',
                        'evidence', substr(
                            body,
                            (r.given ->> 'start_at')::integer + 1,
                            (r.given ->> 'end_at')::integer - (r.given ->> 'start_at')::integer
                        ),
                        'row', r.given -> 'id'
                    )
                    order by r.no
                ),
                '[]'
            )
            from jsonb_array_elements(rows) with ordinality as r (given, no)
            where kind = 'assertion'
        )
    );
end
$function$;
comment on function graphrag._extraction_by_hand(bigint, text, jsonb, text) is 'Rows by hand as an extraction of their chunk.';

create function graphrag._mentions_by_hand(chunk bigint, kind text, rows jsonb, gated jsonb)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- The mentions that are new, or that a row by hand adds to: its type and description outrank what was read.
begin
    return (
        select coalesce(
            jsonb_agg(
                g.mention || jsonb_strip_nulls(jsonb_build_object(
                    'row', h.id, 'replaces', m.id, 'type', h.type, 'description', coalesce(h.description, m.description)
                ))
            ),
            '[]'
        )
        from jsonb_array_elements(gated) as g (mention)
        left join mention as m on m.chunk = $1 and m.folded = g.mention ->> 'folded'
        left join lateral (
            select
                min((r.given ->> 'id')::bigint) as id,
                (
                    array_agg(r.given ->> 'type' order by r.no) filter (where r.given ->> 'type' is not null)
                )[1] as type,
                (
                    array_agg(btrim(r.given ->> 'description') order by r.no)
                        filter (where btrim(r.given ->> 'description') <> '')
                )[1] as description
            from jsonb_array_elements(rows) with ordinality as r (given, no)
            where kind = 'mention'
                and graphrag._fold_name(graphrag._one_line(r.given ->> 'surface')) = g.mention ->> 'folded'
        ) as h on true
        where m.id is null or h.id is not null
    );
end
$function$;
comment on function graphrag._mentions_by_hand(bigint, text, jsonb, jsonb) is 'The mentions of a chunk that rows by hand make or add to.';

create function graphrag._new_texts_by_hand(gated jsonb)
    returns table (space integer, kind text, body text)
    language plpgsql stable parallel safe rows 20
as $function$
begin
    return query
    select t.*
    from (
        select (g.chunk ->> 'space')::integer, 'entity', graphrag._mention_text(m.mention)
        from jsonb_array_elements(gated) as g (chunk)
        cross join jsonb_array_elements(g.chunk -> 'mentions') as m (mention)
        union
        select (g.chunk ->> 'space')::integer, 'relation', a.assertion ->> 'rendered'
        from jsonb_array_elements(gated) as g (chunk)
        cross join jsonb_array_elements(g.chunk -> 'assertions') as a (assertion)
    ) as t (space, kind, body)
    where not exists (
        select
        from content as c
        where c.space = t.space and c.kind = t.kind and c.hash = sha256(convert_to(t.body, 'UTF8'))
    );
end
$function$;
comment on function graphrag._new_texts_by_hand(jsonb) is 'The texts of rows by hand that have no row in content yet.';

create function graphrag._texts_by_hand(gated jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- The texts that have no vector yet, asked for together.
declare
    _spaces integer[];
    _kinds text[];
    _bodies text[];
    _vectors text[];
begin
    select
        array_agg(t.space order by t.space, t.kind, t.body),
        array_agg(t.kind order by t.space, t.kind, t.body),
        array_agg(t.body order by t.space, t.kind, t.body)
    into _spaces, _kinds, _bodies
    from graphrag._new_texts_by_hand(gated) as t;
    if _bodies is null then
        return '[]';
    end if;
    _vectors := graphrag._embed(_bodies);
    return (
        select jsonb_agg(jsonb_build_object('space', t.space, 'kind', t.kind, 'body', t.body, 'vec', t.vec))
        from unnest(_spaces, _kinds, _bodies, _vectors) as t (space, kind, body, vec)
    );
end
$function$;
comment on function graphrag._texts_by_hand(jsonb) is 'Vectors of the texts of rows by hand that have none yet.';

create function graphrag._write_by_hand(space integer, gated jsonb, texts jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _revision bigint := graphrag._next_revision(space, 'insert');
    _chunks bigint[] := array(select (g.chunk ->> 'chunk')::bigint from jsonb_array_elements(gated) as g (chunk));
    _successors bigint[];
    _places jsonb;
begin
    perform graphrag._store_contents(
        space, jsonb_path_query_array(texts, '$[*] ? (@.space == $space)', jsonb_build_object('space', space))
    );
    _successors := graphrag._make_successors(_chunks, hand => true);
    _places := graphrag._clear_places(_revision, _chunks);
    perform graphrag._hand_on_evidence(
        _chunks,
        _successors,
        mentions => array(
            select (m.id #>> '{}')::bigint from jsonb_path_query(gated, '$[*].mentions[*].replaces') as m (id)
        )
    );
    perform graphrag._store_by_hand(space, gated, _chunks, _successors);
    perform graphrag._take_places(_revision, _places, _chunks, _successors);
    perform graphrag._derive(space, _revision, _chunks || _successors);
    perform graphrag._forget_unplaced(_chunks);
    perform graphrag._recount_terms(space, _revision, cardinality(_chunks));
end
$function$;
comment on function graphrag._write_by_hand(integer, jsonb, jsonb) is 'Stores the rows by hand of one space and derives what they touch.';

create function graphrag._store_by_hand(space integer, gated jsonb, chunks bigint[], successors bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- As the evidence of documents is stored; assertions count on from those that their chunk has.
declare
    _document record;
    _plan graphrag._document_plan;
begin
    for _document in
        select
            c.document,
            array_agg(c.hash order by g.no) as hashes,
            jsonb_agg(
                jsonb_build_object(
                    'no', g.place,
                    'mentions', g.chunk -> 'mentions',
                    'assertions', (
                        select coalesce(
                            jsonb_agg(
                                a.assertion || jsonb_build_object('no', (a.assertion ->> 'no')::integer + g.last)
                            ),
                            '[]'
                        )
                        from jsonb_array_elements(g.chunk -> 'assertions') as a (assertion)
                    )
                )
                order by g.no
            ) as prepared
        from (
            select
                e.no,
                e.chunk,
                s.successor,
                row_number() over (partition by k.document order by e.no) as place,
                coalesce((select max(a.no) from assertion as a where a.chunk = s.successor), 0) as last
            from jsonb_array_elements(gated) with ordinality as e (chunk, no)
            join unnest(chunks, successors) as s (chunk, successor) on s.chunk = (e.chunk ->> 'chunk')::bigint
            join chunk as k on k.id = s.successor
        ) as g
        join chunk as c on c.id = g.successor
        group by c.document
    loop
        _plan.space := space;
        _plan.document := _document.document;
        _plan.hashes := _document.hashes;
        _plan.missing := array(select generate_subscripts(_document.hashes, 1));
        perform graphrag._store_evidence(_plan, _document.prepared);
    end loop;
end
$function$;
comment on function graphrag._store_by_hand(integer, jsonb, bigint[], bigint[]) is 'Stores the evidence that rows by hand have become.';

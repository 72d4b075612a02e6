create function graphrag._write_document(space integer, plan graphrag._document_plan, prepared jsonb)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
as $function$
-- One short transaction's work under the space's lock: store the evidence, replace the version, derive what it touched.
declare
    _revision bigint;
    _touched bigint[];
    _derived graphrag._derived;
    _result graphrag.index_result;
    _chunks bigint := graphrag._count_chunks();
begin
    perform pg_advisory_xact_lock_shared(graphrag._vocabulary_lock());
    perform from space as s where s.id = $1 for update;
    -- While this call was preparing, another session may have written the same document.
    plan := graphrag._compare_document(plan);
    if plan.is_unchanged then
        return graphrag._unchanged_result(plan);
    end if;
    _revision := graphrag._next_revision(space, 'index');
    insert into document (space, source, name, key)
    values ($1, plan.source, plan.name, plan.key)
    on conflict do nothing;
    plan.document := (select d.id from document as d where d.space = $1 and d.key = plan.key);
    perform graphrag._store_contents(space, prepared -> 'texts');
    perform graphrag._store_chunks(space, plan, prepared -> 'chunks');
    perform graphrag._store_evidence(space, plan, prepared -> 'chunks');
    perform graphrag._resolve_new_assertions(plan);
    _touched := graphrag._replace_version(plan, _revision) || graphrag._chunks_of(plan, prepared -> 'chunks');
    _derived := graphrag._derive(space, _revision, _touched);
    perform graphrag._renew_plans(_chunks);

    _result := graphrag._unchanged_result(plan);
    _result.unchanged := _result.chunks - jsonb_array_length(prepared -> 'chunks');
    _result.failures := (
        select coalesce(
            jsonb_agg(jsonb_build_object('chunk', c.chunk -> 'no', 'reason', c.chunk -> 'error') order by c.no), '[]'
        )
        from jsonb_array_elements(prepared -> 'chunks') with ordinality as c (chunk, no)
        where c.chunk ? 'error'
    );
    _result.failed := jsonb_array_length(_result.failures);
    _result.entities_added := _derived.entities_added;
    _result.relations_added := _derived.relations_added;
    _result.superseded := _derived.superseded;
    _result.rejected := prepared -> 'rejected';
    return _result;
end
$function$;
comment on function graphrag._write_document(integer, graphrag._document_plan, jsonb) is 'Writes a prepared document and derives what it touches.';

create function graphrag._store_contents(space integer, texts jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _config regconfig := (graphrag._setting('text_search_config') #>> '{}')::regconfig;
begin
    insert into content (space, kind, hash, body, tsv, vec)
    select
        $1,
        t.kind,
        sha256(convert_to(t.body, 'UTF8')),
        t.body,
        to_tsvector(_config, t.body),
        graphrag._vector(t.vec)
    from jsonb_to_recordset(texts) as t (kind text, body text, vec text)
    on conflict do nothing;
end
$function$;
comment on function graphrag._store_contents(integer, jsonb) is 'Stores texts with their vectors; those already there stay.';

create function graphrag._store_chunks(space integer, plan graphrag._document_plan, prepared jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into chunk (document, hash, content, identifiers, extractor, is_partial, failure)
    select
        plan.document,
        plan.hashes[p.no],
        c.id,
        graphrag._identifiers(plan.bodies[p.no]),
        p.model,
        coalesce(p.partial, false),
        p.error
    from jsonb_to_recordset(prepared) as p (no integer, model text, partial boolean, error text)
    join content as c on c.space = $1 and c.kind = 'chunk' and c.hash = sha256(convert_to(plan.bodies[p.no], 'UTF8'))
    on conflict (document, hash) do update
    set extractor = excluded.extractor, is_partial = excluded.is_partial, failure = excluded.failure
    where chunk.failure is not null or chunk.extractor is null;
end
$function$;
comment on function graphrag._store_chunks(integer, graphrag._document_plan, jsonb) is 'Stores the chunks of a document that are new, or that failed before.';

create function graphrag._chunks_of(plan graphrag._document_plan, prepared jsonb)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select c.id
        from jsonb_to_recordset(prepared) as p (no integer)
        join chunk as c on c.document = plan.document and c.hash = plan.hashes[p.no]
    );
end
$function$;
comment on function graphrag._chunks_of(graphrag._document_plan, jsonb) is 'Ids of the chunks whose evidence was prepared.';

create function graphrag._store_evidence(space integer, plan graphrag._document_plan, prepared jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into mention (
        chunk, space, folded, surface, type, description, aliases, folded_aliases, identifiers, content
    )
    select
        k.id,
        $1,
        m.folded,
        m.surface,
        m.type,
        m.description,
        coalesce(m.aliases, '{}'),
        coalesce(m.folded_aliases, '{}'),
        coalesce(m.identifiers, '{}'),
        c.id
    from jsonb_array_elements(prepared) as p (chunk)
    join chunk as k on k.document = plan.document and k.hash = plan.hashes[(p.chunk ->> 'no')::integer]
    cross join jsonb_array_elements(p.chunk -> 'mentions') as e (mention)
    cross join jsonb_to_record(e.mention) as m (
        folded text,
        surface text,
        type text,
        description text,
        aliases text[],
        folded_aliases text[],
        identifiers text[]
    )
    join content as c on c.space = $1 and c.kind = 'entity'
        and c.hash = sha256(convert_to(graphrag._mention_text(e.mention), 'UTF8'))
    on conflict do nothing;

    insert into assertion (
        chunk, space, no, subject, predicate, object, value, value_number, value_unit, negated, confidence,
        stated_predicate, is_swapped, stated_from, stated_to, claim, takes_slot, description, start_at, end_at, content
    )
    select
        k.id, $1, a.no, a.subject, a.predicate, a.object, a.value, a.value_number, a.value_unit, a.negated,
        a.confidence, a.stated_predicate, coalesce(a.swapped, false), a.stated_from, a.stated_to, a.claim,
        not coalesce(a.no_slot, false), a.description, a.start_at, a.end_at, c.id
    from jsonb_array_elements(prepared) as p (chunk)
    join chunk as k on k.document = plan.document and k.hash = plan.hashes[(p.chunk ->> 'no')::integer]
    cross join jsonb_to_recordset(p.chunk -> 'assertions') as a (
        no integer,
        subject text,
        predicate text,
        object text,
        value text,
        value_number numeric,
        value_unit text,
        negated boolean,
        confidence real,
        stated_predicate text,
        swapped boolean,
        stated_from text,
        stated_to text,
        claim tstzrange,
        no_slot boolean,
        description text,
        start_at integer,
        end_at integer,
        rendered text
    )
    join content as c on c.space = $1 and c.kind = 'relation' and c.hash = sha256(convert_to(a.rendered, 'UTF8'))
    on conflict do nothing;
end
$function$;
comment on function graphrag._store_evidence(integer, graphrag._document_plan, jsonb) is 'Stores the mentions and assertions read in the new chunks.';

create function graphrag._identifiers(body text)
    returns text[]
    language sql immutable parallel safe
as $function$
-- Part numbers, CVE ids, versions, file paths: what a text-search parser takes apart and a reader wants found exactly.
    select coalesce(array_agg(distinct lower(t.token)), '{}')
    from (
        select btrim(w.word[1], '.,;:!?()[]{}<>"''`') as token
        from regexp_matches(body, '[^\s"“”‘’«»]+', 'g') as w (word)
    ) as t
    where length(t.token) between 3 and 200
        and (
            t.token ~ '[0-9].*[-_./:#\\]|[-_./:#\\].*[0-9]'
            or t.token ~ '[/\\_].*[[:alnum:]]'
            or t.token ~ '[[:alpha:]][0-9]|[0-9][[:alpha:]]'
        )
$function$;
comment on function graphrag._identifiers(text) is 'The identifier-like tokens of a text, lower case.';

create function graphrag._count_chunks()
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce((select max(c.id) from chunk as c), 0) + 1;
end
$function$;
comment on function graphrag._count_chunks() is 'About how many chunks the realm holds.';

create function graphrag._renew_plans(chunks_before bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- A session that fills a realm keeps the plans it made when the tables were small, and inside one transaction nobody
-- else will have them made anew. So they are, whenever the realm has doubled.
begin
    if trunc(log(2, graphrag._count_chunks())) > trunc(log(2, chunks_before)) then
        execute 'discard plans';
    end if;
end
$function$;
comment on function graphrag._renew_plans(bigint) is 'Drops the session''s cached plans when a write has doubled the realm.';

create function graphrag._write_document(plan graphrag._document_plan, prepared jsonb)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
as $function$
-- One short transaction's work under the space's lock: store the evidence, replace the version, derive what it touched.
-- NULL: what was prepared is not enough any more.
declare
    _revision bigint;
    _touched bigint[];
    _derived graphrag._derived := row(0, 0, 0, 0);
    _size bigint := graphrag._evidence_size();
    _kinds text[];
begin
    perform pg_advisory_xact_lock_shared(graphrag._vocabulary_lock());
    plan.space := graphrag._make_space(plan.space_name);
    perform graphrag._lock_spaces(array[plan.space]);
    if graphrag._is_behind(plan, (select s.revision from space as s where s.id = plan.space)) then
        plan := graphrag._compare_document(plan);
        if graphrag._lacks(plan, prepared) then
            return null;
        end if;
    end if;
    plan := graphrag._leave_failures(plan, prepared -> 'chunks');
    if not plan.is_unchanged then
        _revision := graphrag._next_revision(plan.space, 'index');
        _kinds := graphrag._order_kinds(plan.space);
        perform graphrag._store_contents(plan.space, prepared -> 'texts');
        _touched := graphrag._store_document(plan, prepared, _revision);
        perform graphrag._renew_plans(_size);
        perform graphrag._warn_of_mixed_order(plan.space, _kinds, array[graphrag._order_kind(plan)]);
        if plan.metadata ? 'corrects' then
            perform graphrag._tell_unknown_corrected(plan);
        end if;
        _derived := graphrag._derive(plan.space, _revision, _touched);
        perform graphrag._renew_plans(_size, by_itself => true);
        perform graphrag._recount_terms(plan.space, _revision);
    end if;
    return graphrag._written_result(plan, prepared, _derived);
end
$function$;
comment on function graphrag._write_document(graphrag._document_plan, jsonb) is 'Writes a prepared document and derives what it touches.';

create function graphrag._store_document(plan graphrag._document_plan, prepared jsonb, revision bigint)
    returns bigint[]
    language plpgsql volatile parallel unsafe
as $function$
-- All of a document but its texts, which are there, and what is derived from it: returns the chunks whose evidence
-- begins or ceases to count.
declare
    _touched bigint[];
begin
    if plan.document is null then
        insert into document (space, source, name, key)
        values (plan.space, plan.source, plan.name, plan.key)
        returning id into plan.document;
    end if;
    perform graphrag._store_chunks(plan, prepared -> 'chunks');
    perform graphrag._store_evidence(plan, prepared -> 'chunks');
    perform graphrag._store_contradictions(plan, prepared -> 'contradictions');
    _touched := graphrag._replace_version(plan, revision);
    return _touched || graphrag._reread(plan.space, revision, _touched);
end
$function$;
comment on function graphrag._store_document(graphrag._document_plan, jsonb, bigint) is 'Stores what is new in a document and puts its version in the place of the live one; returns the chunks it touches.';

create function graphrag._tell_unknown_corrected(plan graphrag._document_plan)
    returns void
    language plpgsql stable parallel unsafe
as $function$
-- It may come later, so that is no mistake; but a misspelt key would correct nothing and say nothing.
declare
    _key text;
begin
    for _key in
        select c.key
        from unnest(graphrag._corrects(plan.metadata)) as c (key)
        where not exists (
            select
            from document as d
            join document_version as v on v.document = d.id and v.died is null
            where d.space = plan.space and d.key = c.key
        )
    loop
        raise notice 'document "%" corrects "%", which is not indexed', left(plan.key, 200), left(_key, 200)
            using detail = 'What it corrects is named by key, and corrected once it is there.',
                hint = graphrag._near_documents(plan.space, _key);
    end loop;
end
$function$;
comment on function graphrag._tell_unknown_corrected(graphrag._document_plan) is 'Tells by a notice which documents that one corrects are not there.';

create function graphrag._is_behind(plan graphrag._document_plan, revision bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- While a document was being prepared, another session may have written it. Where the space's revision, now that it
-- is locked, is the one that the document was compared with, nobody has written anything there.
begin
    return plan.revision is distinct from revision or plan.vectors <> (select r.vectors from realm as r);
end
$function$;
comment on function graphrag._is_behind(graphrag._document_plan, bigint) is 'Whether a document has to be compared anew with what the database holds of it, or prepared anew.';

create function graphrag._lacks(plan graphrag._document_plan, prepared jsonb)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- A chunk or a text that was there when the document was planned, and so was not prepared, can have been purged since,
-- or the realm re-embedded with another model.
begin
    return plan.vectors <> (select r.vectors from realm as r)
        or plan.revision < (select s.revision from space as s where s.id = plan.space)
        and (
            exists (
                select
                from unnest(plan.missing) as m (no)
                where not exists (
                    select
                    from jsonb_array_elements(prepared -> 'chunks') as p (chunk)
                    where (p.chunk ->> 'no')::integer = m.no
                )
            )
            or exists (
                select t.kind, t.body from graphrag._new_texts(plan, prepared -> 'chunks') as t
                except
                select p.kind, p.body
                from jsonb_to_recordset(prepared -> 'texts') as p (kind text, body text)
            )
        );
end
$function$;
comment on function graphrag._lacks(graphrag._document_plan, jsonb) is 'Whether a document needs more than was prepared of it.';

create function graphrag._leave_failures(plan graphrag._document_plan, prepared jsonb)
    returns graphrag._document_plan
    language plpgsql stable parallel safe
as $function$
-- A chunk that failed before and failed again stays as it is: nothing is written for it.
begin
    plan.missing := array(
        select m.no
        from unnest(plan.missing) as m (no)
        join jsonb_to_recordset(prepared) as p (no integer, error text) on p.no = m.no
        where p.error is null or graphrag._latest_chunk(plan.document, plan.hashes[m.no]) is null
        order by m.no
    );
    plan.is_unchanged := plan.is_same and plan.missing = '{}';
    return plan;
end
$function$;
comment on function graphrag._leave_failures(graphrag._document_plan, jsonb) is 'The plan without the chunks for which there is nothing new.';

create function graphrag._written_result(plan graphrag._document_plan, prepared jsonb, derived graphrag._derived)
    returns graphrag.index_result
    language plpgsql stable parallel safe
as $function$
declare
    _result graphrag.index_result := graphrag._unchanged_result(plan);
begin
    _result.unchanged := _result.chunks - jsonb_array_length(prepared -> 'chunks');
    _result.failures := (
        select coalesce(
            jsonb_agg(jsonb_build_object('chunk', c.chunk -> 'no', 'reason', c.chunk -> 'error') order by c.no), '[]'
        )
        from jsonb_array_elements(prepared -> 'chunks') with ordinality as c (chunk, no)
        where c.chunk ? 'error'
    );
    _result.failed := jsonb_array_length(_result.failures);
    _result.entities_added := derived.entities_added;
    _result.relations_added := derived.relations_added;
    _result.superseded := derived.superseded;
    _result.rejected := prepared -> 'rejected';
    _result.cached := (
        select count(*) from jsonb_array_elements(prepared -> 'chunks') as c (chunk) where c.chunk ? 'cached'
    );
    return _result;
end
$function$;
comment on function graphrag._written_result(graphrag._document_plan, jsonb, graphrag._derived) is 'What index() answers after it has written a document.';

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
        graphrag._text_vector(_config, t.body),
        graphrag._vector(t.vec)
    from jsonb_to_recordset(texts) as t (kind text, body text, vec text)
    on conflict do nothing;
end
$function$;
comment on function graphrag._store_contents(integer, jsonb) is 'Stores texts with their vectors; those already there stay.';

create function graphrag._store_chunks(plan graphrag._document_plan, prepared jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Evidence never changes: where an earlier extraction failed, the new one gets a row of its own.
begin
    insert into chunk (
        document, hash, attempt, content, identifiers, extractor, prompt, vocabulary, is_partial, failure, details
    )
    select
        plan.document,
        plan.hashes[p.no],
        coalesce(
            (select max(k.attempt) from chunk as k where k.document = plan.document and k.hash = plan.hashes[p.no]), 0
        ) + 1,
        c.id,
        graphrag._identifiers(plan.bodies[p.no]),
        p.model,
        p.prompt,
        plan.vocabulary,
        coalesce(p.partial, false),
        p.error,
        jsonb_strip_nulls(jsonb_build_object(
            'notes', nullif(p.notes, '[]'), 'refused', nullif(p.rejects, '[]'), 'unused', nullif(p.unused, '[]'),
            'asked', p.asked
        ))
    from jsonb_to_recordset(prepared) as p (
        no integer,
        model text,
        prompt text,
        partial boolean,
        error text,
        notes jsonb,
        rejects jsonb,
        unused jsonb,
        asked jsonb
    )
    join content as c on c.space = plan.space and c.kind = 'chunk'
        and c.hash = sha256(convert_to(plan.bodies[p.no], 'UTF8'))
    where p.no = any (plan.missing)
    order by p.no;
end
$function$;
comment on function graphrag._store_chunks(graphrag._document_plan, jsonb) is 'Stores the chunks of a document that are new, or newly extracted.';

create function graphrag._store_evidence(plan graphrag._document_plan, prepared jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- row: the id of a row by hand, which it keeps.
begin
    with said as (
        select k.id as chunk, k.document, k.hash, k.attempt, e.mention, m.*, row_number() over () as no
        from jsonb_array_elements(prepared) as p (chunk)
        join chunk as k on k.id = graphrag._latest_chunk(plan.document, plan.hashes[(p.chunk ->> 'no')::integer])
        cross join jsonb_array_elements(p.chunk -> 'mentions') as e (mention)
        cross join jsonb_to_record(e.mention) as m (
            "row" bigint,
            folded text,
            surface text,
            type text,
            description text,
            aliases text[],
            folded_aliases text[],
            identifiers text[]
        )
        where (p.chunk ->> 'no')::integer = any (plan.missing)
    ),
    shaped as (
        select s.no, (s.shape).*
        from (
            select array_agg(d.surface order by d.no) as names, array_agg(d.type order by d.no) as types
            from said as d
        ) as a
        cross join graphrag._name_shapes(a.names, a.types) as s
    )
    insert into mention (
        id, chunk, space, folded, surface, type, description, aliases, folded_aliases, identifiers, is_person, form,
        gender, core, given, family, content, first_reading
    )
    overriding system value
    select
        coalesce(m."row", nextval('mention_id_seq')),
        m.chunk,
        plan.space,
        m.folded,
        m.surface,
        m.type,
        m.description,
        coalesce(m.aliases, '{}'),
        coalesce(m.folded_aliases, '{}'),
        coalesce(m.identifiers, '{}'),
        s.is_person,
        s.form,
        s.gender,
        s.core,
        coalesce(s.given, '{}'),
        coalesce(s.family, '{}'),
        c.id,
        case
            when m.attempt > 1 then (
                select min(coalesce(o.first_reading, o.id))
                from chunk as b
                join mention as o on o.chunk = b.id and o.folded = m.folded
                where b.document = m.document and b.hash = m.hash and b.id <> m.chunk
            )
        end
    from said as m
    join shaped as s on s.no = m.no
    join content as c on c.space = plan.space and c.kind = 'entity'
        and c.hash = sha256(convert_to(graphrag._mention_text(m.mention), 'UTF8'));

    insert into assertion (
        id, chunk, space, no, subject, predicate, object, value, value_number, value_unit, value_scale, value_key,
        negated, confidence, stated_predicate, is_swapped, stated_from, stated_to, claim, takes_slot, description,
        start_at, end_at, content
    )
    overriding system value
    select
        coalesce(a."row", nextval('assertion_id_seq')), k.id, plan.space, a.no, a.subject, a.predicate, a.object,
        a.value, a.value_number, a.value_unit, a.value_scale, a.value_key, a.negated, a.confidence, a.stated_predicate,
        coalesce(a.swapped, false), a.stated_from, a.stated_to, a.claim, not coalesce(a.no_slot, false),
        a.description, a.start_at, a.end_at, c.id
    from jsonb_array_elements(prepared) as p (chunk)
    join chunk as k on k.id = graphrag._latest_chunk(plan.document, plan.hashes[(p.chunk ->> 'no')::integer])
    cross join jsonb_to_recordset(p.chunk -> 'assertions') as a (
        "row" bigint,
        no integer,
        subject text,
        predicate text,
        object text,
        value text,
        value_number numeric,
        value_unit text,
        value_scale numeric,
        value_key text,
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
    join content as c on c.space = plan.space and c.kind = 'relation'
        and c.hash = sha256(convert_to(a.rendered, 'UTF8'))
    where (p.chunk ->> 'no')::integer = any (plan.missing);
end
$function$;
comment on function graphrag._store_evidence(graphrag._document_plan, jsonb) is 'Stores the mentions and assertions read in the new chunks.';

create function graphrag._identifiers(body text)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
-- Part numbers, CVE ids, versions, file paths: what a text-search parser takes apart and a reader wants found exactly.
begin
    return (
        select coalesce(array_agg(distinct graphrag._lower(t.token)), '{}')
        from (
            select btrim(w.word, '.,;:!?()[]{}<>"''`') as token
            from regexp_split_to_table(translate(body, '"“”‘’«»', '       '), '\s+') as w (word)
        ) as t
        where length(t.token) between 3 and 200
            -- Most words need no closer look.
            and translate(t.token, '0123456789/\_', '') <> t.token
            and (
                t.token ~ '[0-9].*[-_./:#\\]|[-_./:#\\].*[0-9]'
                or t.token ~ '[/\\_].*[[:alnum:]]'
                or t.token ~ '[[:alpha:]][0-9]|[0-9][[:alpha:]]'
            )
    );
end
$function$;
comment on function graphrag._identifiers(text) is 'The identifier-like tokens of a text, lower case.';

create function graphrag._evidence_size()
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce((select max(c.id) from chunk as c), 0) + coalesce((select max(m.id) from mention as m), 0) + 1;
end
$function$;
comment on function graphrag._evidence_size() is 'About how many chunks and mentions the realm holds.';

create function graphrag._renew_plans(size_before bigint, by_itself boolean default false)
    returns void
    language plpgsql volatile parallel unsafe
    set client_min_messages = error
as $function$
-- A session that fills a realm keeps the plans it made when the tables were small, and inside one transaction nobody
-- else will have them made anew, nor count the new rows: without statistics, a lookup of ten names is planned as a join
-- with the whole table. So both is done whenever the realm has doubled, before what is new is derived from. Only who
-- owns the tables can; what another session is analyzing is left to it. Of so few rows that a whole table is read at
-- once, any plan will do. by_itself: again, after it was derived, if this write alone has doubled it: what there was to
-- derive from was counted, what is derived was not there yet.
declare
    _few constant integer := 300;
    _size bigint := graphrag._evidence_size();
    _tables text;
begin
    if _size >= _few
        and trunc(log(2, _size)) > trunc(log(2, size_before))
        and (not by_itself or _size >= 2 * size_before)
    then
        select string_agg(
            format('%I.%I', n.nspname, c.relname)
                || case when c.relname = 'content' then ' (space, kind, hash)' else '' end,
            ', '
        )
        into _tables
        from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = current_schema() and c.relkind = 'r' and pg_has_role(c.relowner, 'USAGE');
        if _tables is not null then
            execute 'analyze (skip_locked) ' || _tables;
        end if;
        execute 'discard plans';
    end if;
end
$function$;
comment on function graphrag._renew_plans(bigint, boolean) is 'Renews statistics and the session''s cached plans when a write has doubled the realm.';

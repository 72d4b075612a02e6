create function graphrag._plan_document(
    space text,
    content text,
    document text,
    source text,
    metadata jsonb,
    published_at timestamptz,
    ordinal numeric,
    extraction jsonb
)
    returns graphrag._document_plan
    language plpgsql stable parallel unsafe
as $function$
declare
    _plan graphrag._document_plan;
    _content text := graphrag._clean_text(content);
begin
    perform graphrag._check_document(document, source, metadata, published_at, ordinal);
    if coalesce(_content, '') !~ '\S' then
        raise exception 'the document is empty'
            using errcode = 'GR001',
                detail = concat(
                    coalesce('Document "' || left(coalesce(document, source), 100) || '"', 'A document without a key'),
                    ' has no text.'
                ),
                hint = 'Index a document that has at least one visible character.';
    end if;
    _plan.space_name := graphrag._check_space_name(space);
    select s.id, s.revision into _plan.space, _plan.revision from space as s where s.name = _plan.space_name;
    select r.vocabulary, r.vectors into _plan.vocabulary, _plan.vectors from realm as r;
    _plan.source := source;
    _plan.name := document;
    _plan.key := graphrag._document_key(document, source, _content);
    _plan.metadata := coalesce(metadata, '{}');
    _plan.published_at := published_at;
    _plan.ordinal := ordinal;
    select array_agg(s.body order by s.no), array_agg(s.start_at order by s.no), array_agg(s.end_at order by s.no)
    into _plan.bodies, _plan.starts, _plan.ends
    from graphrag._chunks_of(_content) as s;
    if extraction is not null then
        _plan.extractions := graphrag._assign_extraction(
            graphrag._check_chunk_numbers(graphrag._parse_extraction(extraction), cardinality(_plan.bodies)),
            _plan.bodies
        );
    end if;
    select array_agg(sha256(convert_to(b.body || coalesce(e.extraction::text, ''), 'UTF8')) order by b.no)
    into _plan.hashes
    from unnest(_plan.bodies) with ordinality as b (body, no)
    left join unnest(_plan.extractions) with ordinality as e (extraction, no) on e.no = b.no;
    _plan.hash := sha256(
        (
            select string_agg(h.hash, ''::bytea order by h.no)
            from unnest(_plan.hashes) with ordinality as h (hash, no)
        )
    );
    return graphrag._compare_document(_plan);
end
$function$;
comment on function graphrag._plan_document(text, text, text, text, jsonb, timestamptz, numeric, jsonb) is 'Cleans and cuts a document and compares it with its live version.';

create function graphrag._document_key(document text, source text, content text default null)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- Without source and document, the content is the key: two such documents never replace each other. A name that looks
-- like one of the other keys is written as they are.
begin
    return case
        when document is null and source is null then 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex')
        when source is null and document !~ '^(\[|sha256:)' then document
        else jsonb_build_array(source, document)::text
    end;
end
$function$;
comment on function graphrag._document_key(text, text, text) is 'One text for (source, document), or for the content of a document without either.';

create function graphrag._compare_document(plan graphrag._document_plan)
    returns graphrag._document_plan
    language plpgsql stable parallel unsafe
as $function$
declare
    _live document_version;
    _asked jsonb;
begin
    plan.document := (select d.id from document as d where d.space = plan.space and d.key = plan.key);
    if plan.document is null then
        plan.missing := array(
            select min(h.no) from unnest(plan.hashes) with ordinality as h (hash, no) group by h.hash order by 1
        );
        plan.is_same := false;
        plan.is_unchanged := false;
        return plan;
    end if;
    _asked := graphrag._asked();
    select v.* into _live from document_version as v where v.document = plan.document and v.died is null;
    -- A chunk that failed, that was stored when there was no endpoint to extract it, or whose answer was cut off by a
    -- model or limit that is no longer set, is due again.
    plan.missing := array(
        select min(h.no)
        from unnest(plan.hashes) with ordinality as h (hash, no)
        left join chunk as c on c.id = graphrag._latest_chunk(plan.document, h.hash)
        where c.id is null
            or c.failure is not null
            or (c.extractor is null and _asked is not null)
            or (c.is_partial and c.details -> 'asked' <> _asked)
        group by h.hash
        order by 1
    );
    plan.is_same := _live.hash is not null
        and _live.hash = plan.hash
        and _live.metadata = plan.metadata
        and _live.published_at is not distinct from plan.published_at
        and _live.ordinal is not distinct from plan.ordinal;
    plan.is_unchanged := plan.is_same and plan.missing = '{}';
    return plan;
end
$function$;
comment on function graphrag._compare_document(graphrag._document_plan) is 'Completes a plan with what the database holds of the document.';

create function graphrag._assign_extraction(extraction jsonb, bodies text[])
    returns jsonb[]
    language plpgsql immutable parallel safe
as $function$
-- Which chunk the caller's records were read in: an entity in every chunk that has its name or an alias, a triple in
-- the first chunk that has its evidence, else both names, else its subject. What is found nowhere goes to the first
-- chunk, where the gates reject and count it. What is too long to be a name, or a quote, is not looked for.
declare
    _entities jsonb := coalesce(extraction -> 'entities', '[]');
    _triples jsonb := coalesce(extraction -> 'triples', '[]');
    _longest integer := 2 * (select max(length(b)) from unnest(bodies) as b);
begin
    if cardinality(bodies) = 1 and extraction -> 'chunks' is null then
        return array[jsonb_build_object(
            'entities', _entities, 'triples', _triples, 'malformed', coalesce(extraction -> 'malformed', '0')
        )];
    end if;
    return (
        with chunk as materialized (
            select b.no, graphrag._fold_name(b.body) as folded
            from unnest(bodies) with ordinality as b (body, no)
        ),
        numbered (no, records) as (
            -- A chunk may be told of more than once.
            select
                (c.chunk ->> 'no')::integer,
                case when count(*) = 1 then jsonb_agg(c.chunk) -> 0 else jsonb_build_object(
                    'entities', jsonb_path_query_array(jsonb_agg(c.chunk), '$[*].entities[*]'),
                    'triples', jsonb_path_query_array(jsonb_agg(c.chunk), '$[*].triples[*]'),
                    'malformed', sum((c.chunk ->> 'malformed')::integer),
                    'notes', jsonb_path_query_array(jsonb_agg(c.chunk), '$[*].notes[*]')
                ) end
            from jsonb_array_elements(extraction -> 'chunks') as c (chunk)
            group by 1
        ),
        form as materialized (
            select distinct e.no, graphrag._fold_name(n.name) as folded
            from jsonb_array_elements(_entities) with ordinality as e (record, no)
            cross join jsonb_array_elements_text(
                jsonb_build_array(e.record -> 'name') || coalesce(e.record -> 'aliases', '[]')
            ) as n (name)
            where length(n.name) <= 200
        ),
        found as materialized (
            select f.no, array_agg(distinct c.no) as chunks
            from form as f
            join chunk as c on position(f.folded in c.folded) > 0
            group by f.no
        ),
        entity as materialized (
            select e.record, e.no, coalesce(f.chunks, '{1}') as chunks
            from jsonb_array_elements(_entities) with ordinality as e (record, no)
            left join found as f on f.no = e.no
        ),
        stated as materialized (
            select
                t.no,
                t.record,
                case
                    when length(t.record ->> 'subject') <= 200 then graphrag._fold_name(t.record ->> 'subject')
                end as subject,
                case
                    when length(t.record ->> 'object') <= 200 then graphrag._fold_name(t.record ->> 'object')
                end as object,
                case
                    when length(t.record ->> 'evidence') <= _longest
                        then graphrag._fold_name(t.record ->> 'evidence')
                end as evidence
            from jsonb_array_elements(_triples) with ordinality as t (record, no)
        ),
        triple as materialized (
            select
                t.record,
                t.no,
                (
                    select c.no
                    from chunk as c
                    order by
                        position(t.evidence in c.folded) > 0 desc nulls last,
                        position(t.subject in c.folded) > 0 and position(t.object in c.folded) > 0 desc nulls last,
                        position(t.subject in c.folded) > 0 desc nulls last,
                        c.no
                    limit 1
                ) as chunk
            from stated as t
        )
        select array_agg(
            coalesce(
                n.records,
                jsonb_build_object(
                    'entities', coalesce(
                        (select jsonb_agg(e.record order by e.no) from entity as e where c.no = any (e.chunks)), '[]'
                    ),
                    'triples', coalesce(
                        (select jsonb_agg(t.record order by t.no) from triple as t where t.chunk = c.no), '[]'
                    ),
                    'malformed', case when c.no = 1 then coalesce(extraction -> 'malformed', '0') else '0' end
                )
            )
            order by c.no
        )
        from chunk as c
        left join numbered as n on n.no = c.no
    );
end
$function$;
comment on function graphrag._assign_extraction(jsonb, text[]) is 'Distributes supplied entities and triples over the chunks they were read in.';

create function graphrag._check_chunk_numbers(extraction jsonb, chunks integer)
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
declare
    _no text := (
        select c.chunk ->> 'no'
        from jsonb_array_elements(extraction -> 'chunks') as c (chunk)
        where coalesce(c.chunk ->> 'no', '') !~ '^[0-9]{1,9}$' or (c.chunk ->> 'no')::integer not between 1 and chunks
        limit 1
    );
begin
    if _no is not null then
        raise exception 'the extraction has a chunk "%", the document has %', _no, chunks
            using errcode = 'GR009',
                detail = 'Chunks are numbered from 1 in the order of the text.',
                hint = 'Give "entities" and "triples" without "chunks" to have them assigned by where they occur.';
    end if;
    return extraction;
end
$function$;
comment on function graphrag._check_chunk_numbers(jsonb, integer) is 'A supplied extraction whose chunks are all in the document; raises GR009 for others.';

create function graphrag._check_document(
    document text,
    source text,
    metadata jsonb,
    published_at timestamptz,
    ordinal numeric
)
    returns void
    language plpgsql immutable parallel safe
as $function$
declare
    _problem text := case
        when octet_length(document) > 1000 then 'document has more than 1,000 bytes.'
        when octet_length(source) > 1000 then 'source has more than 1,000 bytes.'
        when jsonb_typeof(metadata) <> 'object'
            then format('metadata is a JSON %s, not an object.', jsonb_typeof(metadata))
        when jsonb_path_exists(metadata, '$.corrects ? (@.type() != "string")')
            then 'metadata names what the document corrects by other things than document keys.'
        when not isfinite(published_at) then 'published_at is infinite.'
        -- The years that stated periods may have, and from which a calendar's reckoning goes a step further.
        when extract(year from published_at at time zone 'UTC') not between -4712 and 9999
            then 'published_at lies before 4712 BCE or after the year 9999.'
        when ordinal in ('NaN', 'Infinity', '-Infinity') then format('ordinal is %s.', ordinal)
    end;
begin
    if _problem is not null then
        raise exception '% cannot be indexed',
            coalesce('document "' || left(coalesce(document, source), 100) || '"', 'a document without a key')
            using errcode = 'GR009',
                detail = _problem,
                hint = 'A document is known by short texts and stands at one place in document order.';
    end if;
end
$function$;
comment on function graphrag._check_document(text, text, jsonb, timestamptz, numeric) is 'Raises GR009 for what no document can be called or ordered by.';

create function graphrag._latest_chunk(document bigint, hash bytea)
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select c.id
        from chunk as c
        where c.document = $1 and c.hash = $2
        order by c.attempt desc
        limit 1
    );
end
$function$;
comment on function graphrag._latest_chunk(bigint, bytea) is 'The chunk of a document with its latest extraction.';

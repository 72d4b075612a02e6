create function graphrag.query(
    question text,
    mode text default 'mix',
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default false,
    top_k integer default null,
    max_hops integer default null,
    relation_types text[] default null,
    entity_types text[] default null,
    metadata_filter jsonb default null,
    min_confidence double precision default null,
    community_level integer default null,
    instructions text default null,
    history jsonb default null,
    budget integer default null,
    walk text default null,
    fusion text default null,
    rerank text[] default null,
    keywords text default null,
    decompose boolean default null,
    embedding double precision[] default null,
    space text default null,
    realm text default null
)
    returns graphrag.query_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set plan_cache_mode = force_generic_plan
    set jit = off
    set max_parallel_workers_per_gather = 0
    set hnsw.iterative_scan = strict_order
    set hnsw.ef_search = 100
    set timezone = 'UTC'
    set graphrag.call = ''
    set graphrag.tally = ''
as $function$
declare
    _gathered graphrag._gathered;
    _reply jsonb;
    _prompted text;
    _checked record;
    _result graphrag.query_result;
begin
    perform graphrag._enter(realm);
    perform set_config('graphrag.call', gen_random_uuid()::text, true);
    perform graphrag._check_range('budget', budget, 0);
    _gathered := graphrag._gather(
        question,
        mode,
        graphrag._filter_of(
            space,
            as_of,
            as_believed_at,
            include_superseded,
            relation_types,
            entity_types,
            metadata_filter,
            min_confidence
        ),
        top_k,
        max_hops,
        graphrag._ways_of(walk, fusion, rerank),
        embedding,
        community_level,
        coalesce(keywords, graphrag._usual_keywords(embedding)),
        decompose,
        history
    );
    _prompted := graphrag._prompt_evidence(
        question,
        _gathered.mode,
        _gathered.evidence,
        coalesce(budget, (graphrag._setting('evidence_budget') #>> '{}')::integer),
        graphrag._prompt_header(as_of)
    );
    _reply := graphrag._synthesize(question, _prompted, graphrag._prompt_header(as_of), instructions, history);
    _checked := graphrag._check_citations(_reply ->> 'answer', graphrag._prompted(_gathered.evidence, _prompted));
    _result.answer := _checked.answer;
    _result.citations := _checked.citations;
    _result.mode := _gathered.mode;
    _result.keywords := _gathered.keywords;
    _result.relations := graphrag._evidence_json(_gathered.evidence, 'relation');
    _result.chunks := graphrag._evidence_json(_gathered.evidence, 'chunk');
    _result.entities := graphrag._evidence_json(_gathered.evidence, 'entity');
    _result.communities := graphrag._evidence_json(_gathered.evidence, 'report');
    _result.usage := graphrag._tally() - 'chats'
        || jsonb_build_object(
            'model', _reply -> 'model',
            'is_partial', _reply -> 'is_partial',
            'citations_removed', _checked.removed,
            'fallbacks', _gathered.fallbacks,
            'characters_retrieved',
            case when _prompted is null then 0 else length(graphrag._context(_gathered.evidence)) end,
            'characters_prompted', coalesce(length(_prompted), 0)
        );
    _result.route := _gathered.route;
    return _result;
end
$function$;
comment on function graphrag.query(text, text, text, text, boolean, integer, integer, text[], text[], jsonb, double precision, integer, text, jsonb, integer, text, text, text[], text, boolean, double precision[], text, text) is 'Answers a question from the evidence, with checked citations, as of a date and as believed at an earlier time if wanted.';

create function graphrag._usual_keywords(embedding double precision[])
    returns text
    language plpgsql stable parallel unsafe
as $function$
-- Of a query that says nothing of them. Who brings the question's vector has its own words searched for.
begin
    return case
        when embedding is not null or graphrag._endpoint('auxiliary') is null then 'lexical'
        else graphrag._setting('keywords') #>> '{}'
    end;
end
$function$;
comment on function graphrag._usual_keywords(double precision[]) is 'Where the keywords of a query come from that does not say: the model, if there is one, else the question.';

create function graphrag._check_citations(
    inout answer text,
    evidence graphrag.evidence[],
    out citations jsonb,
    out removed integer
)
    returns record
    language plpgsql stable parallel safe
as $function$
-- A number that no document and no report has is taken out of the answer, alone as in a list ([2, 77]) or a range
-- ([1-3]), and counted. What cites only what there is stays as it was written. [2010-2012] and [2010-05] are no ranges.
declare
    _number constant text := '(?:[1-9][0-9]{0,2}\s*[-–—]\s*[1-9][0-9]{0,2}|[0-9]{1,6})';
    _known integer[] := array(select distinct e.reference from unnest(evidence) as e where e.reference is not null);
    _cited integer[] := '{}';
    _unknown integer[] := '{}';
    _numbers integer[];
    _kept integer[];
    _group text;
begin
    for _group in
        select distinct g.group[1]
        from regexp_matches(answer, format('\[\s*%s(?:\s*[,;]\s*%s)*\s*\]', _number, _number), 'g') as g ("group")
    loop
        _numbers := graphrag._cited_numbers(_group);
        _kept := array(
            select n.number from unnest(_numbers) with ordinality as n (number, no)
            where n.number = any (_known)
            order by n.no
        );
        _cited := _cited || _kept;
        _unknown := _unknown || array(select n from unnest(_numbers) as n where n <> all (_known));
        if _kept = '{}' then
            answer := replace(replace(answer, ' ' || _group, ''), _group, '');
        elsif cardinality(_kept) < cardinality(_numbers) then
            answer := replace(answer, _group, format('[%s]', array_to_string(_kept, ', ')));
        end if;
    end loop;
    removed := (select count(distinct u.number) from unnest(_unknown) as u (number));
    citations := (
        select coalesce(
            jsonb_agg(jsonb_build_object('reference', r.reference) || r.cited order by r.reference),
            '[]'
        )
        from (
            select distinct
                e.reference,
                case e.kind
                    -- A report is no source itself: with it go the relations that its findings rest on.
                    when 'report' then jsonb_build_object(
                        'report', e.subject, 'community', e.id, 'relations', e.metadata -> 'relations'
                    )
                    else jsonb_build_object(
                        'document', e.document, 'source', e.source, 'published_at', e.published_at
                    ) || graphrag._place(e.metadata)
                end as cited
            from unnest(evidence) as e
            where e.reference = any (_cited)
        ) as r
    );
end
$function$;
comment on function graphrag._check_citations(text, graphrag.evidence[]) is 'An answer without citations of what is not in the evidence, and the citations that are left.';

create function graphrag._cited_numbers(citation text)
    returns integer[]
    language sql immutable parallel safe
as $function$
    select array(
        select n.number
        from regexp_matches(citation, '([0-9]+)(?:\s*[-–—]\s*([0-9]+))?', 'g') with ordinality as m (ends, no)
        cross join lateral (
            select m.ends[1]::integer as first, coalesce(m.ends[2], m.ends[1])::integer as last
        ) as r
        cross join lateral generate_series(least(r.first, r.last), greatest(r.first, r.last)) as n (number)
        order by m.no, n.number
    )
$function$;
comment on function graphrag._cited_numbers(text) is 'The numbers that a citation such as [2], [2, 5] or [1-3] stands for.';

create function graphrag._place(metadata jsonb)
    returns jsonb
    language sql stable parallel safe
as $function$
-- One expression, so that the planner inlines it.
    select jsonb_strip_nulls(jsonb_build_object(
        'page', metadata -> 'page',
        'paragraph', metadata -> 'paragraph',
        'category', metadata -> 'category',
        'collection', metadata -> 'collection'
    ))
$function$;
comment on function graphrag._place(jsonb) is 'What of a document''s metadata says where a reader finds it: page, paragraph, category, collection.';

create function graphrag._named_entities(evidence graphrag.evidence[])
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
begin
    return (
        select coalesce(jsonb_agg(e.subject order by e.rank), '[]') from unnest(evidence) as e where e.kind = 'entity'
    );
end
$function$;
comment on function graphrag._named_entities(graphrag.evidence[]) is 'Names of the entities in the evidence.';

create function graphrag._evidence_json(evidence graphrag.evidence[], kind text)
    returns jsonb
    language sql stable parallel safe
as $function$
    select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(e)) - 'kind' order by e.rank), '[]')
    from unnest(evidence) as e
    where e.kind = $2
$function$;
comment on function graphrag._evidence_json(graphrag.evidence[], text) is 'The evidence of one kind as JSON.';

create function graphrag._gather(
    question text,
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways,
    embedding double precision[],
    community_level integer,
    keywords text,
    decompose boolean,
    history jsonb default null
)
    returns graphrag._gathered
    language plpgsql volatile parallel unsafe
as $function$
-- Route, keywords, vectors, evidence, in this order: what is wrong with the arguments is told before a model is asked.
declare
    _top_k integer := coalesce(top_k, (graphrag._setting('top_k') #>> '{}')::integer);
    _max_hops integer := coalesce(max_hops, (graphrag._setting('max_hops') #>> '{}')::integer);
    _passages integer := graphrag._passages_wanted(ways, _top_k);
    _route graphrag._route;
    _keywords graphrag._keywords;
    _searches graphrag._search[];
    _gathered graphrag._gathered;
begin
    perform graphrag._check_question(question, mode, _top_k, _max_hops, community_level);
    _keywords := graphrag._given_keywords(keywords);
    if mode = 'auto' then
        _route := graphrag._route_of(question, filter, _keywords.source = 'llm' or decompose);
    end if;
    _gathered.mode := coalesce(_route.mode, mode);
    _gathered.evidence := '{}';
    _keywords := graphrag._keywords_of(
        question, _gathered.mode, keywords, coalesce(decompose, _route.decomposes, false), history
    );
    _gathered.fallbacks := _keywords.failures;
    if mode <> 'bypass' then
        _searches := graphrag._searches(question, _keywords, embedding);
        perform set_config('hnsw.ef_search', graphrag._setting('hnsw_ef_search') #>> '{}', true);
        _gathered.evidence := graphrag._evidence_with_reports(
            _searches, _gathered.mode, filter, _top_k, _max_hops, ways, community_level, _passages
        );
    end if;
    if not _route.is_sure then
        _gathered := graphrag._better_of(question, _route, _gathered, graphrag._evidence_with_reports(
            _searches[1:1], 'naive', filter, _top_k, _max_hops, ways, community_level, _passages
        ));
    elsif _route.is_sure then
        _gathered.route := graphrag._route_json(_route);
    end if;
    if ways.rerank && '{endpoint, llm}' then
        _gathered := graphrag._rerank(question, _gathered, ways, _top_k);
    end if;
    perform graphrag._tell_route(_gathered);
    perform graphrag._tell_no_graph(filter, _gathered);
    _gathered.keywords := graphrag._keywords_json(_keywords, _gathered.evidence);
    if mode <> 'bypass' then
        perform graphrag._record_touch(question, _gathered.mode, filter.spaces, _gathered.evidence);
    end if;
    perform graphrag._check_still_whole(filter);
    return _gathered;
end
$function$;
comment on function graphrag._gather(text, text, graphrag._filter, integer, integer, graphrag._ways, double precision[], integer, text, boolean, jsonb) is 'Evidence for a question, and how it was found; checks the arguments that every read shares.';

create function graphrag._passages_wanted(ways graphrag._ways, top_k integer)
    returns integer
    language plpgsql stable parallel safe
as $function$
begin
    return case
        when ways.rerank && '{endpoint, llm}'
            then greatest(top_k, (graphrag._setting('rerank_candidates') #>> '{}')::integer)
        else top_k
    end;
end
$function$;
comment on function graphrag._passages_wanted(graphrag._ways, integer) is 'How many passages are looked for: more than are returned, if a model chooses among them.';

create function graphrag._check_question(
    question text,
    mode text,
    top_k integer,
    max_hops integer,
    community_level integer
)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    perform graphrag._check_mode(mode);
    if coalesce(question, '') !~ '\S' then
        raise exception 'the question is empty'
            using errcode = 'GR009', detail = 'It has no visible character.', hint = 'Ask something.';
    end if;
    if length(question) > 100000 then
        raise exception 'the question has % characters', length(question)
            using errcode = 'GR009',
                detail = 'A question has at most 100,000. The words of a longer one are searched for in steps that nothing'
                    ' can cancel.',
                hint = 'Index a long text with index(), and ask about it.';
    end if;
    perform graphrag._check_range('top_k', top_k, 1, 1000);
    perform graphrag._check_range('max_hops', max_hops, 0, 10);
    perform graphrag._check_range('community_level', community_level, 0);
end
$function$;
comment on function graphrag._check_question(text, text, integer, integer, integer) is 'Raises GR002 or GR009 for what no read can be asked.';

create function graphrag._tell_no_graph(filter graphrag._filter, gathered graphrag._gathered)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if gathered.mode <> 'naive'
        and exists (select from unnest(gathered.evidence) as e where e.kind = 'chunk')
        and not graphrag._has_graph(filter)
    then
        raise notice 'relations are not available: nothing has been extracted from what is read'
            using detail = format('Mode %s found passages by vector and words alone.', gathered.mode),
                hint = 'Set an extraction endpoint and index the documents again, or bring extraction => your own triples.';
    end if;
end
$function$;
comment on function graphrag._tell_no_graph(graphrag._filter, graphrag._gathered) is 'Says that a read had passages only, because there is no graph.';

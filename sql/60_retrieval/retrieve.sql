create function graphrag._check_mode(mode text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _modes constant text[] := '{mix, local, global, hybrid, naive, bypass}';
begin
    if mode is null or mode <> all (_modes) then
        raise exception 'there is no mode "%"', mode
            using errcode = 'GR002',
                detail = format('The modes are %s.', array_to_string(_modes, ', ')),
                hint = graphrag._near(mode, _modes);
    end if;
end
$function$;
comment on function graphrag._check_mode(text) is 'Raises GR002 for an unknown mode.';

create function graphrag._ways_of(walk text, fusion text, rerank text[])
    returns graphrag._ways
    language plpgsql stable parallel safe
as $function$
declare
    _ways graphrag._ways := row(
        coalesce(walk, graphrag._setting('walk') #>> '{}'),
        coalesce(fusion, graphrag._setting('fusion') #>> '{}'),
        coalesce(rerank, '{}')
    );
begin
    perform graphrag._check_way('walk', _ways.walk, '{ppr, hops}');
    perform graphrag._check_way('fusion', _ways.fusion, '{rrf, quota}');
    perform graphrag._check_way('rerank', r.way, '{mmr, node_distance}') from unnest(_ways.rerank) as r (way);
    return _ways;
end
$function$;
comment on function graphrag._ways_of(text, text, text[]) is 'How a read walks, fuses and reranks; raises GR009 for a way that there is not.';

create function graphrag._check_way(what text, way text, known text[])
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if way is null or way <> all (known) then
        raise exception 'there is no % "%"', what, way
            using errcode = 'GR009',
                detail = format('For %s there are %s.', what, array_to_string(known, ', ')),
                hint = graphrag._near(way, known);
    end if;
end
$function$;
comment on function graphrag._check_way(text, text, text[]) is 'Raises GR009 for a walk, fusion or reranking that there is not.';

create function graphrag._gather(
    question text,
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways,
    embedding double precision[],
    community_level integer
)
    returns graphrag.evidence[]
    language plpgsql volatile parallel unsafe
as $function$
declare
    _top_k integer := coalesce(top_k, (graphrag._setting('top_k') #>> '{}')::integer);
    _max_hops integer := coalesce(max_hops, (graphrag._setting('max_hops') #>> '{}')::integer);
    _evidence graphrag.evidence[];
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
    perform graphrag._check_range('top_k', _top_k, 1, 1000);
    perform graphrag._check_range('max_hops', _max_hops, 0, 10);
    perform graphrag._check_range('community_level', community_level, 0);
    if mode = 'bypass' then
        return '{}';
    end if;
    perform set_config('hnsw.ef_search', graphrag._setting('hnsw_ef_search') #>> '{}', true);
    _evidence := graphrag._evidence_with_reports(
        question, graphrag._question_vector(question, embedding), mode, filter, _top_k, _max_hops, ways, community_level
    );
    perform graphrag._record_touch(question, mode, filter.spaces, _evidence);
    return _evidence;
end
$function$;
comment on function graphrag._gather(text, text, graphrag._filter, integer, integer, graphrag._ways, double precision[], integer) is 'Evidence for a question; checks the arguments that every read shares.';

create function graphrag._question_vector(question text, embedding double precision[])
    returns vector
    language plpgsql volatile parallel unsafe
as $function$
-- A swap of the realm's vectors may come while a server thinks; after the lock, none can until the transaction ends.
declare
    _width integer;
    _vectors bigint;
    _vector text;
begin
    while embedding is null loop
        _vectors := (select r.vectors from realm as r);
        _vector := (graphrag._embed(array[question], question => question))[1];
        lock table content in access share mode;
        if _vectors = (select r.vectors from realm as r) then
            return graphrag._vector(_vector);
        end if;
    end loop;
    lock table content in access share mode;
    _width := (select r.width from realm as r);
    if not exists (select from unnest(embedding) as n where n <> 0)
        or exists (select from unnest(embedding) as n where n is null or n in ('NaN', 'Infinity', '-Infinity'))
    then
        raise exception 'the question''s vector is all zero, or has a number that is none'
            using errcode = 'GR106',
                detail = 'A vector has a direction: finite numbers, not all zero.',
                hint = 'Leave embedding out to have the realm''s endpoint embed the question.';
    end if;
    if cardinality(embedding) <> _width then
        raise exception 'the question''s vector has % numbers, the realm''s have %', cardinality(embedding), _width
            using errcode = 'GR105',
                detail = 'A question must be embedded by the model of the realm.',
                hint = 'Leave embedding out to have the realm''s endpoint embed the question.';
    end if;
    return graphrag._vector(embedding);
end
$function$;
comment on function graphrag._question_vector(text, double precision[]) is 'The question''s vector: the caller''s, else from the realm''s endpoint.';

create function graphrag.retrieve(
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
    walk text default null,
    fusion text default null,
    rerank text[] default null,
    embedding double precision[] default null,
    space text default null,
    realm text default null
)
    returns setof graphrag.evidence
    language plpgsql volatile parallel unsafe rows 40
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set plan_cache_mode = force_generic_plan
    set jit = off
    set max_parallel_workers_per_gather = 0
    set hnsw.iterative_scan = strict_order
    set hnsw.ef_search = 100
as $function$
begin
    perform graphrag._enter(realm);
    return query
    select e.*
    from unnest(
        graphrag._gather(
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
            community_level
        )
    ) as e;
end
$function$;
comment on function graphrag.retrieve(text, text, text, text, boolean, integer, integer, text[], text[], jsonb, double precision, integer, text, text, text[], double precision[], text, text) is 'The evidence for a question, one row a piece, with the rank that each channel gave it. No language model is called.';

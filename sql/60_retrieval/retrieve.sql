create function graphrag._check_mode(mode text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _modes constant text[] := '{mix, local, global, hybrid, naive, bypass, auto}';
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
    if _ways.rerank <> '{}' then
        perform graphrag._check_way('rerank', r.way, '{mmr, node_distance, endpoint, llm}')
        from unnest(_ways.rerank) as r (way);
    end if;
    if _ways.rerank @> '{endpoint, llm}' then
        raise exception 'rerank has both endpoint and llm'
            using errcode = 'GR009',
                detail = 'Each puts the passages into an order of its own; the second would undo the first.',
                hint = 'Choose one of them; mmr and node_distance go with either.';
    end if;
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
    keywords text default null,
    decompose boolean default null,
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
        (graphrag._gather(
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
            coalesce(keywords, 'lexical'),
            decompose
        )).evidence
    ) as e;
end
$function$;
comment on function graphrag.retrieve(text, text, text, text, boolean, integer, integer, text[], text[], jsonb, double precision, integer, text, text, text[], text, boolean, double precision[], text, text) is 'The evidence for a question, one row a piece, with the rank that each channel gave it. No language model is called unless keywords, decompose or rerank ask for one.';

create function graphrag._chunks_by_vector(question vector, filter graphrag._filter, depth integer)
    returns table (chunk bigint, rank bigint)
    language plpgsql stable parallel safe rows 50
as $function$
begin
    return query
    select found.chunk, row_number() over (order by found.distance, found.chunk)
    from (
        select d.chunk, graphrag._distance(t.vec, question) as distance
        from content as t
        cross join lateral (
            -- A chunk that its document repeats is one passage.
            select distinct k.chunk
            from document_chunk as k
            join document_version as v on v.id = k.version
            where k.content = t.id
                and graphrag._believed(k.born, k.died, t.space, filter)
                and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
                and (filter.as_of is null or graphrag._passage_holds(k.chunk, filter.as_of))
        ) as d
        where t.kind = 'chunk' and t.space = any (filter.spaces)
        order by graphrag._distance(t.vec, question), d.chunk
        limit depth
    ) as found;
end
$function$;
comment on function graphrag._chunks_by_vector(vector, graphrag._filter, integer) is 'Passages nearest to the question.';

create function graphrag._question_terms(question text)
    returns tsquery
    language plpgsql stable parallel safe
as $function$
-- Any of the question's words. Built from lexemes, so that operators in a question are plain text.
declare
    _config regconfig := (graphrag._setting('text_search_config') #>> '{}')::regconfig;
begin
    return (
        select string_agg(quote_literal(l.lexeme), ' | ')::tsquery
        from unnest(to_tsvector(_config, question)) as l
    );
end
$function$;
comment on function graphrag._question_terms(text) is 'The question as a disjunction of its lexemes; NULL if it has none.';

create function graphrag._chunks_by_text(question text, filter graphrag._filter, depth integer)
    returns table (chunk bigint, rank bigint)
    language plpgsql stable parallel safe rows 50
as $function$
declare
    _terms tsquery := graphrag._question_terms(question);
    _identifiers text[] := graphrag._identifiers(question);
begin
    return query
    with matched as (
        select d.chunk, ts_rank(t.tsv, _terms, 1) + 1.0 * cardinality(
            array(select unnest(k.identifiers) intersect select unnest(_identifiers))
        ) as score
        from content as t
        join document_chunk as d on d.content = t.id
        join chunk as k on k.id = d.chunk
        join document_version as v on v.id = d.version
        where t.kind = 'chunk'
            and t.tsv @@ _terms
            and t.space = any (filter.spaces)
            and graphrag._believed(d.born, d.died, t.space, filter)
            and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
            and (filter.as_of is null or graphrag._passage_holds(d.chunk, filter.as_of))
        union
        select d.chunk, 1.0 * cardinality(array(select unnest(k.identifiers) intersect select unnest(_identifiers)))
        from chunk as k
        join document_chunk as d on d.chunk = k.id
        join document_version as v on v.id = d.version
        join document as o on o.id = v.document
        where k.identifiers && _identifiers
            and o.space = any (filter.spaces)
            and graphrag._believed(d.born, d.died, o.space, filter)
            and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
            and (filter.as_of is null or graphrag._passage_holds(d.chunk, filter.as_of))
    )
    select m.chunk, row_number() over (order by max(m.score) desc, m.chunk)
    from matched as m
    group by m.chunk
    order by max(m.score) desc, m.chunk
    limit depth;
end
$function$;
comment on function graphrag._chunks_by_text(text, graphrag._filter, integer) is 'Passages that share words or identifiers with the question.';

create function graphrag._chunks_by_mention(entities bigint[], filter graphrag._filter, depth integer)
    returns table (chunk bigint, rank bigint)
    language plpgsql stable parallel safe rows 50
as $function$
-- Passages that name seed entities: first those that name most of them, then those that name the better seeds.
begin
    return query
    select m.chunk, row_number() over (order by count(distinct e.id) desc, sum(1.0 / e.no) desc, m.chunk)
    from unnest(entities) with ordinality as e (id, no)
    join entity_name as n on n.entity = e.id and n.role <> 'claimed'
    join mention as m on m.space = n.space and m.folded = n.folded
    join document_chunk as d on d.chunk = m.chunk
    join document_version as v on v.id = d.version
    where n.space = any (filter.spaces)
        and graphrag._believed(n.born, n.died, n.space, filter)
        and (
            n.document = v.document
            or (n.document is null and not graphrag._means_another(n.space, n.folded, v.document, filter))
        )
        and graphrag._believed(d.born, d.died, n.space, filter)
        and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
        and (filter.as_of is null or graphrag._passage_holds(d.chunk, filter.as_of))
    group by m.chunk
    order by count(distinct e.id) desc, sum(1.0 / e.no) desc, m.chunk
    limit depth;
end
$function$;
comment on function graphrag._chunks_by_mention(bigint[], graphrag._filter, integer) is 'Passages that name the seed entities.';

create function graphrag._means_another(space integer, folded text, document bigint, filter graphrag._filter)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from entity_name as n
        where n.space = $1 and n.folded = $2 and n.document = $3 and graphrag._believed(n.born, n.died, n.space, filter)
    );
end
$function$;
comment on function graphrag._means_another(integer, text, bigint, graphrag._filter) is 'Whether a document has a meaning of its own for a name.';

create function graphrag._chunks_by_vector(question vector, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
    set enable_sort = off
as $function$
declare
    _selected bigint[] := graphrag._selected('chunk', filter);
begin
    -- The inner query is in the order of the vectors' index; the whole order is one that no index has, before
    -- PostgreSQL 16. The space is tested by array_position: there is no index for that to seem better.
    if _selected is null then
        return query
        select 'vector', found.chunk, rank() over (order by found.distance), 1 - found.distance
        from (
            select d.chunk, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from content as c
                where c.kind = 'chunk' and array_position(filter.spaces, c.space) is not null
                order by graphrag._distance(c.vec, question)
            ) as t
            cross join lateral (
                -- A chunk that its document repeats is one passage.
                select distinct k.chunk
                from document_chunk as k
                where k.content = t.id
                    and graphrag._believed(k.born, k.died, t.space, filter)
                    and (
                        filter.metadata_filter is null
                        or (
                            select v.metadata @> filter.metadata_filter
                            from document_version as v
                            where v.id = k.version
                        )
                    )
                    and (filter.as_of is null or exists (select from graphrag._holding(k.chunk, filter.as_of)))
            ) as d
            order by t.distance, d.chunk
            limit depth
        ) as found;
    else
        return query
        select 'vector', found.chunk, rank() over (order by found.distance), 1 - found.distance
        from (
            select d.chunk, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from (select distinct s.id from unnest(_selected) as s (id)) as s
                join content as c on c.id = s.id
                where c.space = any (filter.spaces)
                order by 3
            ) as t
            cross join lateral (
                -- A chunk that its document repeats is one passage.
                select distinct k.chunk
                from document_chunk as k
                where k.content = t.id
                    and graphrag._believed(k.born, k.died, t.space, filter)
                    and (
                        filter.metadata_filter is null
                        or (
                            select v.metadata @> filter.metadata_filter
                            from document_version as v
                            where v.id = k.version
                        )
                    )
                    and (filter.as_of is null or exists (select from graphrag._holding(k.chunk, filter.as_of)))
            ) as d
            order by t.distance, d.chunk
            limit depth
        ) as found;
    end if;
end
$function$;
comment on function graphrag._chunks_by_vector(vector, graphrag._filter, integer) is 'Passages nearest to the question.';

create function graphrag._chunks_by_text(question text, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
as $function$
-- Those that have identifiers of the question come first, with more of them before fewer.
declare
    _plan graphrag._lexical_plan := graphrag._lexical_plan(question, 'chunk', filter);
    _identifiers text[] := graphrag._identifiers(question);
begin
    return query
    with matched as (
        (
            select d.chunk, 0 as identifiers, s.score
            from (
                select k.chunk, l.tsv
                from graphrag._lexical(_plan, 'chunk', filter) with ordinality as l (content, space, tsv, no)
                cross join lateral (
                    select d.chunk
                    from document_chunk as d
                    where d.content = l.content
                        and graphrag._believed(d.born, d.died, l.space, filter)
                        and (
                            filter.metadata_filter is null
                            or (
                                select v.metadata @> filter.metadata_filter
                                from document_version as v
                                where v.id = d.version
                            )
                        )
                        and (filter.as_of is null or exists (select from graphrag._holding(d.chunk, filter.as_of)))
                    offset 0
                ) as k
                order by l.no, k.chunk
                limit 2 * depth
            ) as d
            cross join lateral graphrag._bm25(d.tsv, _plan) as s
        )
        union all
        select
            d.chunk,
            cardinality(array(select unnest(k.identifiers) intersect select unnest(_identifiers))),
            s.score
        from chunk as k
        join document_chunk as d on d.chunk = k.id
        join document_version as v on v.id = d.version
        join document as o on o.id = v.document
        join content as t on t.id = k.content
        cross join lateral graphrag._bm25(t.tsv, _plan) as s
        where k.identifiers && _identifiers
            and o.space = any (filter.spaces)
            and graphrag._believed(d.born, d.died, o.space, filter)
            and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
            and (filter.as_of is null or exists (select from graphrag._holding(d.chunk, filter.as_of)))
    )
    select
        case when max(m.identifiers) > 0 then 'identifier' else 'text' end,
        m.chunk,
        rank() over (order by max(m.identifiers) desc, max(m.score) desc),
        max(m.score)
    from matched as m
    group by m.chunk
    order by max(m.identifiers) desc, max(m.score) desc, m.chunk
    limit depth;
end
$function$;
comment on function graphrag._chunks_by_text(text, graphrag._filter, integer) is 'Passages that share words (BM25) or identifiers with the question.';

create function graphrag._chunks_by_mention(entities bigint[], filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
as $function$
-- Passages that name seed entities: first those that name most of them, then those that name the better seeds.
begin
    return query
    select
        'mention',
        m.chunk,
        rank() over (order by count(distinct e.id) desc, sum(1.0 / e.no) desc),
        sum(1.0 / e.no)::double precision
    from unnest(entities) with ordinality as e (id, no)
    join entity_name as n on n.entity = e.id and n.role <> 'claimed'
    join mention as m on m.space = n.space and m.folded = n.folded
    join document_chunk as d on d.chunk = m.chunk
    join document_version as v on v.id = d.version
    where n.space = any (filter.spaces)
        and graphrag._believed(n.born, n.died, n.space, filter)
        and (
            n.document = v.document
            or (
                n.document is null
                and not exists (select from graphrag._own_meanings(n.space, n.folded, v.document, filter))
            )
        )
        and graphrag._believed(d.born, d.died, n.space, filter)
        and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
        and (filter.as_of is null or exists (select from graphrag._holding(d.chunk, filter.as_of)))
    group by m.chunk
    order by count(distinct e.id) desc, sum(1.0 / e.no) desc, m.chunk
    limit depth;
end
$function$;
comment on function graphrag._chunks_by_mention(bigint[], graphrag._filter, integer) is 'Passages that name the seed entities.';

create function graphrag._chunks_by_statement(relations graphrag._hit[], filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
as $function$
-- Passages in which the relations found were stated, in the relations' order.
begin
    return query
    select 'statement', d.chunk, rank() over (order by min(r.no)), 1.0::double precision / min(r.no)
    from (
        select f.id, row_number() over (order by f.score desc, f.id) as no from graphrag._fuse(relations, depth) as f
    ) as r
    join relation_version as x on x.id = r.id
    join relation as i on i.id = x.relation
    join assertion as a on a.content = x.content
    join document_chunk as d on d.chunk = a.chunk
    join document_version as v on v.id = d.version
    where graphrag._believed(d.born, d.died, i.space, filter)
        and (filter.metadata_filter is null or v.metadata @> filter.metadata_filter)
        and (filter.as_of is null or exists (select from graphrag._holding(d.chunk, filter.as_of)))
    group by d.chunk
    order by min(r.no), d.chunk
    limit depth;
end
$function$;
comment on function graphrag._chunks_by_statement(graphrag._hit[], graphrag._filter, integer) is 'Passages that state the relations found.';

create function graphrag._own_meanings(space integer, folded text, document bigint, filter graphrag._filter)
    returns table (entity bigint)
    language sql stable parallel safe rows 1
as $function$
-- A document may have thousands of them, and so may a name: the live ones are found by both.
    select n.entity
    from entity_name as n
    where n.space = $1 and n.folded = $2 and n.document = $3 and n.document is not null and n.died is null
        and n.born <= ($4).revisions[array_position(($4).spaces, $1)]
    union all
    select n.entity
    from entity_name as n
    where ($4).revisions[array_position(($4).spaces, $1)] < 9223372036854775806
        and n.space = $1 and n.folded = $2 and n.document = $3 and graphrag._believed(n.born, n.died, n.space, $4)
$function$;
comment on function graphrag._own_meanings(integer, text, bigint, graphrag._filter) is 'What a name means in a document that has a meaning of its own for it; inlined.';

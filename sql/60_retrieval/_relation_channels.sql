create function graphrag._relations_by_vector(question vector, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
    set enable_sort = off
as $function$
declare
    _selected bigint[] := graphrag._selected('relation', filter);
begin
    -- The inner query is in the order of the vectors' index; the whole order is one that no index has, before
    -- PostgreSQL 16. The space is tested by array_position: there is no index for that to seem better.
    if _selected is null then
        return query
        select 'vector', found.id, rank() over (order by found.distance), 1 - found.distance
        from (
            select v.id, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from content as c
                where c.kind = 'relation' and array_position(filter.spaces, c.space) is not null
                order by graphrag._distance(c.vec, question)
            ) as t
            cross join lateral (
                select r.id
                from relation_version as r
                where r.content = t.id
                    and graphrag._believed(r.born, r.died, t.space, filter)
                    and graphrag._holds(r.status, r.effective, r.predicate, r.confidence, filter)
                    and (
                        filter.entity_types is null
                        or (
                            exists (select from graphrag._typed(r.subject, t.space, filter))
                            and (r.object is null or exists (select from graphrag._typed(r.object, t.space, filter)))
                        )
                    )
                offset 0
            ) as v
            order by t.distance, v.id
            limit depth
        ) as found;
    else
        return query
        select 'vector', found.id, rank() over (order by found.distance), 1 - found.distance
        from (
            select v.id, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from (select distinct s.id from unnest(_selected) as s (id)) as s
                join content as c on c.id = s.id
                where c.space = any (filter.spaces)
                order by 3
            ) as t
            cross join lateral (
                select r.id
                from relation_version as r
                where r.content = t.id
                    and graphrag._believed(r.born, r.died, t.space, filter)
                    and graphrag._holds(r.status, r.effective, r.predicate, r.confidence, filter)
                    and (
                        filter.entity_types is null
                        or (
                            exists (select from graphrag._typed(r.subject, t.space, filter))
                            and (r.object is null or exists (select from graphrag._typed(r.object, t.space, filter)))
                        )
                    )
                offset 0
            ) as v
            order by t.distance, v.id
            limit depth
        ) as found;
    end if;
end
$function$;
comment on function graphrag._relations_by_vector(vector, graphrag._filter, integer) is 'Relations whose statement is nearest to the question.';

create function graphrag._relations_by_text(question text, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 50
as $function$
declare
    _plan graphrag._lexical_plan := graphrag._lexical_plan(question, 'relation', filter);
begin
    return query
    select 'text', found.id, rank() over (order by found.score desc), found.score
    from (
        select v.id, s.score
        from (
            select r.id, l.tsv
            from graphrag._lexical(_plan, 'relation', filter) with ordinality as l (content, space, tsv, no)
            cross join lateral (
                select r.id
                from relation_version as r
                where r.content = l.content
                    and graphrag._believed(r.born, r.died, l.space, filter)
                    and graphrag._holds(r.status, r.effective, r.predicate, r.confidence, filter)
                    and (
                        filter.entity_types is null
                        or (
                            exists (select from graphrag._typed(r.subject, l.space, filter))
                            and (r.object is null or exists (select from graphrag._typed(r.object, l.space, filter)))
                        )
                    )
                offset 0
            ) as r
            order by l.no, r.id
            limit 2 * depth
        ) as v
        cross join lateral graphrag._bm25(v.tsv, _plan) as s
        order by 2 desc, v.id
        limit depth
    ) as found;
end
$function$;
comment on function graphrag._relations_by_text(text, graphrag._filter, integer) is 'Relations whose statement, endpoint names included, shares words with the question (BM25).';

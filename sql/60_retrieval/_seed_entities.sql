create function graphrag._question_names(question text)
    returns text[]
    language sql immutable parallel safe
as $function$
-- Every run of one to six words, folded: the names and aliases that the question may use.
    with word (no, word) as (
        select w.no, w.word[1]
        from regexp_matches(question, '[^\s,;:?!"()“”«»]+', 'g') with ordinality as w (word, no)
    )
    select coalesce(array_agg(distinct f.folded) filter (where f.folded <> ''), '{}')
    from word as first
    join word as last on last.no between first.no and first.no + 5
    cross join lateral (
        select graphrag._fold_name(regexp_replace(string_agg(w.word, ' ' order by w.no), '(''s|’s|[.])$', '')) as folded
        from word as w
        where w.no between first.no and last.no
    ) as f
$function$;
comment on function graphrag._question_names(text) is 'Folded word runs of a question.';

create function graphrag._entities_by_name(question text, filter graphrag._filter)
    returns table (entity bigint, rank bigint)
    language plpgsql stable parallel safe rows 10
as $function$
begin
    return query
    select n.entity, row_number() over (order by max(length(n.folded)) desc, n.entity)
    from entity_name as n
    join entity_version as v on v.entity = n.entity
    where n.space = any (filter.spaces)
        and n.folded = any (graphrag._question_names(question))
        and graphrag._believed(n.born, n.died, n.space, filter)
        and graphrag._believed(v.born, v.died, n.space, filter)
        and (filter.entity_types is null or v.types && filter.entity_types)
    group by n.entity;
end
$function$;
comment on function graphrag._entities_by_name(text, graphrag._filter) is 'Entities whose name or alias stands in the question; longer names first.';

create function graphrag._entities_by_vector(question vector, filter graphrag._filter, depth integer)
    returns table (entity bigint, rank bigint)
    language plpgsql stable parallel safe rows 10
as $function$
begin
    return query
    select found.entity, row_number() over (order by found.distance, found.entity)
    from (
        select v.entity, graphrag._distance(t.vec, question) as distance
        from content as t
        join entity_version as v on v.content = t.id
        where t.kind = 'entity'
            and t.space = any (filter.spaces)
            and graphrag._believed(v.born, v.died, t.space, filter)
            and (filter.entity_types is null or v.types && filter.entity_types)
        order by graphrag._distance(t.vec, question)
        limit depth
    ) as found;
end
$function$;
comment on function graphrag._entities_by_vector(vector, graphrag._filter, integer) is 'Entities nearest to the question.';

create function graphrag._seeds(question text, vec vector, filter graphrag._filter, depth integer)
    returns table (entity bigint, rank bigint, ranks jsonb)
    language plpgsql stable parallel safe rows 10
as $function$
declare
    _k double precision := (graphrag._setting('rrf_k') #>> '{}')::double precision;
begin
    return query
    select
        c.entity,
        row_number() over (order by sum(1 / (_k + c.rank)) desc, c.entity),
        jsonb_object_agg(c.channel, c.rank)
    from (
        select 'name' as channel, n.* from graphrag._entities_by_name(question, filter) as n
        union all
        select 'vector', v.* from graphrag._entities_by_vector(vec, filter, depth) as v
    ) as c
    group by c.entity
    order by sum(1 / (_k + c.rank)) desc, c.entity
    limit depth;
end
$function$;
comment on function graphrag._seeds(text, vector, graphrag._filter, integer) is 'Seed entities of a question: by name and by vector, fused.';

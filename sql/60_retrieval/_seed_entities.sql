create function graphrag._question_names(question text)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- Every run of one to six words, folded: the names and aliases that the question may use. Of a question longer than a
-- page, its beginning.
declare
    _words text[] := array(
        select w.word[1]
        from regexp_matches(left(question, 4000), '[^\s,;:?!"()“”«»]+', 'g') with ordinality as w (word, no)
        order by w.no
    );
begin
    return array(
        select distinct f.folded
        from generate_series(1, cardinality(_words)) as first
        cross join generate_series(first, least(first + 5, cardinality(_words))) as last
        cross join lateral (
            select graphrag._fold_name(
                regexp_replace(array_to_string(_words[first : last], ' '), '(''s|’s|[.])$', '')
            ) as folded
            offset 0
        ) as f
        where f.folded <> ''
    );
end
$function$;
comment on function graphrag._question_names(text) is 'Folded word runs of a question.';

create function graphrag._entities_by_name(question text, filter graphrag._filter)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 10
as $function$
-- Of names of which one is a part of the other, the longer.
declare
    _names text[] := graphrag._question_names(question);
begin
    return query
    with named as materialized (
        select n.entity, n.folded
        from entity_name as n
        join entity_version as v on v.entity = n.entity
        where n.space = any (filter.spaces)
            and n.folded = any (_names)
            and graphrag._believed(n.born, n.died, n.space, filter)
            and graphrag._believed(v.born, v.died, n.space, filter)
            and (filter.entity_types is null or v.types && filter.entity_types)
    )
    select
        'name', n.entity, rank() over (order by max(length(n.folded)) desc), max(length(n.folded))::double precision
    from named as n
    where not exists (
        select
        from named as l
        where l.folded <> n.folded and position(' ' || n.folded || ' ' in ' ' || l.folded || ' ') > 0
    )
    group by n.entity;
end
$function$;
comment on function graphrag._entities_by_name(text, graphrag._filter) is 'Entities whose name or alias stands in the question; longer names first.';

create function graphrag._entities_by_vector(question vector, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 10
    set enable_sort = off
as $function$
declare
    _selected bigint[] := graphrag._selected('entity', filter);
begin
    -- The inner query is in the order of the vectors' index; the whole order is one that no index has, before
    -- PostgreSQL 16. The space is tested by array_position: there is no index for that to seem better.
    if _selected is null then
        return query
        select 'vector', found.entity, rank() over (order by found.distance), 1 - found.distance
        from (
            select v.entity, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from content as c
                where c.kind = 'entity' and array_position(filter.spaces, c.space) is not null
                order by graphrag._distance(c.vec, question)
            ) as t
            cross join lateral (
                select e.entity
                from entity_version as e
                where e.content = t.id
                    and graphrag._believed(e.born, e.died, t.space, filter)
                    and (filter.entity_types is null or e.types && filter.entity_types)
                offset 0
            ) as v
            order by t.distance, v.entity
            limit depth
        ) as found;
    else
        return query
        select 'vector', found.entity, rank() over (order by found.distance), 1 - found.distance
        from (
            select v.entity, t.distance
            from (
                select c.id, c.space, graphrag._distance(c.vec, question) as distance
                from (select distinct s.id from unnest(_selected) as s (id)) as s
                join content as c on c.id = s.id
                where c.space = any (filter.spaces)
                order by 3
            ) as t
            cross join lateral (
                select e.entity
                from entity_version as e
                where e.content = t.id
                    and graphrag._believed(e.born, e.died, t.space, filter)
                    and (filter.entity_types is null or e.types && filter.entity_types)
                offset 0
            ) as v
            order by t.distance, v.entity
            limit depth
        ) as found;
    end if;
end
$function$;
comment on function graphrag._entities_by_vector(vector, graphrag._filter, integer) is 'Entities nearest to the question.';

create function graphrag._entities_by_text(question text, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 10
as $function$
declare
    _plan graphrag._lexical_plan := graphrag._lexical_plan(question, 'entity', filter);
begin
    return query
    select 'text', found.entity, rank() over (order by found.score desc), found.score
    from (
        select v.entity, s.score
        from (
            select e.entity, l.tsv
            from graphrag._lexical(_plan, 'entity', filter) with ordinality as l (content, space, tsv, no)
            cross join lateral (
                select e.entity
                from entity_version as e
                where e.content = l.content
                    and graphrag._believed(e.born, e.died, l.space, filter)
                    and (filter.entity_types is null or e.types && filter.entity_types)
                offset 0
            ) as e
            order by l.no, e.entity
            limit 4 * depth
        ) as v
        cross join lateral graphrag._bm25(v.tsv, _plan) as s
        order by 2 desc, v.entity
        limit depth
    ) as found;
end
$function$;
comment on function graphrag._entities_by_text(text, graphrag._filter, integer) is 'Entities whose name or description shares words with the question (BM25).';

create function graphrag._seeds(question text, vec vector, filter graphrag._filter, depth integer)
    returns setof graphrag._hit
    language plpgsql stable parallel safe rows 30
as $function$
begin
    return query
    select n.* from graphrag._entities_by_name(question, filter) as n
    union all
    select v.* from graphrag._entities_by_vector(vec, filter, depth) as v
    union all
    select t.* from graphrag._entities_by_text(question, filter, depth) as t;
end
$function$;
comment on function graphrag._seeds(text, vector, graphrag._filter, integer) is 'Seed entities of a question by name, vector and text.';

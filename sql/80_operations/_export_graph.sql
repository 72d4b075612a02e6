create function graphrag._export_of(
    filter graphrag._filter,
    entity text,
    max_hops integer,
    max_entities bigint,
    include_values boolean,
    described jsonb
)
    returns graphrag._export
    language plpgsql stable parallel safe
as $function$
-- A relation is among candidates: what points to an entity that the read may not see is none of its business.
declare
    _export graphrag._export;
    _candidates bigint[];
    _hops integer[];
begin
    perform graphrag._check_export(max_hops, max_entities);
    if entity is null then
        _candidates := graphrag._entities_in(filter);
    else
        select array_agg(w.entity), array_agg(w.hop)
        into _candidates, _hops
        from graphrag._entities_within(graphrag._entities_called(entity, filter), filter, max_hops) as w;
    end if;
    with candidate as materialized (
        select c.id, c.hop from unnest(_candidates, _hops) as c (id, hop)
    ),
    edge as materialized (
        select v.id, v.subject, v.object
        from relation_version as v
        join candidate as s on s.id = v.subject
        left join candidate as o on o.id = v.object
        where graphrag._believed(v.born, v.died, v.space, filter)
            and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
            and case when v.object is null then include_values else o.id is not null end
    ),
    chosen as materialized (
        select c.id, c.facts, row_number() over (order by c.hop, c.facts desc, v.name collate "C", c.id) as no
        from (
            select c.id, c.hop, count(e.entity) as facts
            from candidate as c
            left join (
                select x.subject as entity from edge as x
                union all
                select x.object from edge as x where x.object <> x.subject
            ) as e on e.entity = c.id
            group by c.id, c.hop
        ) as c
        join entity_version as v on v.entity = c.id and graphrag._believed(v.born, v.died, v.space, filter)
        order by no
        limit max_entities
    ),
    kept as (
        select e.id
        from edge as e
        join chosen as s on s.id = e.subject
        left join chosen as o on o.id = e.object
        where e.object is null or o.id is not null
    )
    select
        array(select c.id from chosen as c order by c.no),
        array(select c.facts from chosen as c order by c.no),
        array(select k.id from kept as k order by k.id),
        coalesce(cardinality(_candidates), 0) - (select count(*) from chosen as c),
        (select count(*) from edge as e) - (select count(*) from kept as k)
    into _export.entities, _export.facts, _export.relations, _export.entities_left_out, _export.relations_left_out;
    _export.filter := filter;
    _export.described := described;
    return _export;
end
$function$;
comment on function graphrag._export_of(graphrag._filter, text, integer, bigint, boolean, jsonb) is 'Which entities and relations an export has.';

create function graphrag._check_export(max_hops integer, max_entities bigint)
    returns void
    language plpgsql immutable parallel safe
as $function$
begin
    if max_hops is null or max_hops not between 0 and 10 or max_entities not between 1 and 100000000 then
        raise exception 'max_hops % or max_entities % is out of range', max_hops, max_entities
            using errcode = 'GR009',
                detail = 'max_hops is 0 to 10, max_entities 1 to 100000000.',
                hint = 'Leave them out for the defaults.';
    end if;
end
$function$;
comment on function graphrag._check_export(integer, bigint) is 'Raises GR009 for an export of an impossible size.';

create function graphrag._export_request(
    realm text,
    space text,
    entity text,
    max_hops integer,
    as_of text,
    as_believed_at text,
    relation_types text[],
    entity_types text[],
    min_confidence double precision
)
    returns jsonb
    language sql stable parallel safe
as $function$
    select jsonb_strip_nulls(jsonb_build_object(
        'realm', realm, 'space', space, 'entity', entity, 'max_hops', case when entity is not null then max_hops end,
        'as_of', as_of, 'as_believed_at', as_believed_at, 'relation_types', to_jsonb(relation_types),
        'entity_types', to_jsonb(entity_types), 'min_confidence', min_confidence
    ))
$function$;
comment on function graphrag._export_request(text, text, text, integer, text, text, text[], text[], double precision) is 'What an export was asked for, as it says itself.';

create function graphrag._tell_what_is_left_out(export graphrag._export)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if export.entities_left_out > 0 then
        raise notice 'left out: % of % entities, those with the fewest facts, and % of % facts',
            export.entities_left_out, export.entities_left_out + cardinality(export.entities),
            export.relations_left_out, export.relations_left_out + cardinality(export.relations)
            using hint = 'max_entities => a larger number takes them in.';
    end if;
end
$function$;
comment on function graphrag._tell_what_is_left_out(graphrag._export) is 'Raises a notice if an export is not whole.';

create function graphrag._entities_in(filter graphrag._filter)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select v.entity
        from entity_version as v
        where v.space = any (filter.spaces)
            and graphrag._believed(v.born, v.died, v.space, filter)
            and (filter.entity_types is null or v.types && filter.entity_types)
    );
end
$function$;
comment on function graphrag._entities_in(graphrag._filter) is 'All entities that a read may see.';

create function graphrag._entities_within(seeds bigint[], filter graphrag._filter, max_hops integer)
    returns table (entity bigint, hop integer)
    language plpgsql stable parallel safe rows 1000
as $function$
-- Breadth first, each step set-based and whole: unlike _walk(), which answers a question, it is under no budget.
declare
    _visited bigint[] := seeds;
    _frontier bigint[] := seeds;
begin
    return query select s.id, 0 from unnest(seeds) as s (id);
    for _hop in 1 .. max_hops loop
        _frontier := array(
            select n.id
            from (
                select v.object as id
                from unnest(_frontier) as f (id)
                join relation_version as v on v.subject = f.id
                where v.object is not null
                    and graphrag._believed(v.born, v.died, v.space, filter)
                    and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
                union
                select v.subject
                from unnest(_frontier) as f (id)
                join relation_version as v on v.object = f.id
                where graphrag._believed(v.born, v.died, v.space, filter)
                    and graphrag._holds(v.status, v.effective, v.predicate, v.confidence, filter)
            ) as n
            join entity_version as e on e.entity = n.id and graphrag._believed(e.born, e.died, e.space, filter)
            where (filter.entity_types is null or e.types && filter.entity_types)
            except
            select x.id from unnest(_visited) as x (id)
        );
        exit when _frontier = '{}';
        _visited := _visited || _frontier;
        return query select f.id, _hop from unnest(_frontier) as f (id);
    end loop;
end
$function$;
comment on function graphrag._entities_within(bigint[], graphrag._filter, integer) is 'The entities within so many hops of others, through what the filter lets pass.';

create function graphrag._exported_entities(export graphrag._export)
    returns table (
        id text,
        kind text,
        name text,
        types text[],
        aliases text[],
        description text,
        facts bigint,
        space text,
        no bigint
    )
    language plpgsql stable parallel safe rows 1000
as $function$
-- A value is a vertex of its own fact: two figures that happen to be equal are not one thing.
begin
    return query
    select x.id, x.kind, x.name, x.types, x.aliases, x.description, x.facts, x.space, x.no
    from (
        select
            c.no,
            'e' || v.entity as id,
            'entity' as kind,
            v.name,
            v.types,
            array(
                select min(n.name collate "C")
                from entity_name as n
                where n.entity = v.entity
                    and n.role <> 'canonical'
                    and graphrag._believed(n.born, n.died, n.space, export.filter)
                group by n.folded
                order by 1
            ) as aliases,
            (
                select m.description from mention as m where m.content = v.content and m.description is not null limit 1
            ) as description,
            c.facts,
            s.name as space
        from unnest(export.entities, export.facts) with ordinality as c (id, facts, no)
        join entity_version as v on v.entity = c.id and graphrag._believed(v.born, v.died, v.space, export.filter)
        join space as s on s.id = v.space
        union all
        select
            cardinality(export.entities) + k.no, 'v' || v.relation, 'value', v.value, '{}', '{}', null, 1, s.name
        from unnest(export.relations) with ordinality as k (id, no)
        join relation_version as v on v.id = k.id
        join space as s on s.id = v.space
        where v.object is null
    ) as x
    order by x.no;
end
$function$;
comment on function graphrag._exported_entities(graphrag._export) is 'The vertices of an export, numbered.';

create function graphrag._exported_relations(export graphrag._export)
    returns table (
        id text,
        source text,
        target text,
        subject text,
        predicate text,
        object text,
        negated boolean,
        status text,
        valid_from timestamptz,
        valid_to timestamptz,
        period text,
        effective tstzmultirange,
        superseded_by text,
        weight integer,
        confidence real,
        documents text[],
        document text,
        document_source text,
        published_at timestamptz,
        evidence text,
        space text
    )
    language plpgsql stable parallel safe rows 1000
as $function$
-- Of documents it is the newest whose words are quoted.
begin
    return query
    select
        'r' || v.relation,
        'e' || v.subject,
        case when v.object is null then 'v' || v.relation else 'e' || v.object end,
        e.subject,
        e.predicate,
        e.object,
        e.negated,
        e.status,
        lower(v.effective),
        upper(v.effective),
        e.period,
        v.effective,
        e.superseded_by,
        e.weight,
        e.confidence,
        s.documents,
        e.document,
        e.source,
        e.published_at,
        q.words,
        p.name
    from graphrag._relation_rows(export.relations, export.filter) as e
    join relation_version as v on v.id = e.id
    join space as p on p.id = v.space
    cross join lateral graphrag._support(v.relation, export.filter) as s
    left join lateral graphrag._newest_words(v.content, v.space, export.filter) as q on true
    order by e.rank;
end
$function$;
comment on function graphrag._exported_relations(graphrag._export) is 'The edges of an export.';

create function graphrag._newest_words(content bigint, space integer, filter graphrag._filter)
    returns table (words text)
    language sql stable parallel safe rows 1
as $function$
-- In the order of _newest_support(). Evidence by hand has no span.
    select substr(t.body, a.start_at + 1, a.end_at - a.start_at)
    from assertion as a
    join document_chunk as k on k.chunk = a.chunk
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    join content as t on t.id = k.content
    where a.content = $1 and graphrag._believed(k.born, k.died, $2, $3)
    order by v.ord desc, d.key collate "C" desc, k.no desc
    limit 1
$function$;
comment on function graphrag._newest_words(bigint, integer, graphrag._filter) is 'The words in which a relation was last stated; inlined.';

create function graphrag._chunk_rows(chunks bigint[], filter graphrag._filter)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 10
as $function$
begin
    if chunks = '{}' then
        return;
    end if;
    return query
    select distinct on (c.no)
        'chunk'::text, c.no::integer, c.id, t.body, null::double precision, null::jsonb, null::integer, null::text,
        null::integer,
        coalesce(d.name, d.key), d.source, v.published_at, v.metadata, null::text, null::text, null::text,
        null::boolean, null::text, null::text, null::text, null::integer, null::real
    from unnest(chunks) with ordinality as c (id, no)
    join document_chunk as k on k.chunk = c.id
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    join content as t on t.id = k.content
    where graphrag._believed(k.born, k.died, d.space, filter)
    order by c.no, k.no;
end
$function$;
comment on function graphrag._chunk_rows(bigint[], graphrag._filter) is 'Passages as evidence, in the given order.';

create function graphrag._entity_rows(entities bigint[], filter graphrag._filter)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 10
as $function$
begin
    if entities = '{}' then
        return;
    end if;
    return query
    select
        'entity'::text, e.no::integer, e.id, t.body, null::double precision, null::jsonb, null::integer, null::text,
        null::integer,
        null::text, null::text, null::timestamptz, jsonb_build_object('types', v.types), v.name, null::text, null::text,
        null::boolean, null::text, null::text, null::text, null::integer, null::real
    from unnest(entities) with ordinality as e (id, no)
    join entity_version as v on v.entity = e.id
    join content as t on t.id = v.content
    where graphrag._believed(v.born, v.died, v.space, filter)
    order by e.no;
end
$function$;
comment on function graphrag._entity_rows(bigint[], graphrag._filter) is 'Entities as evidence, in the given order.';

create function graphrag._relation_rows(versions bigint[], filter graphrag._filter)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 30
as $function$
-- Names, successor and document are those believed at the revision the read is about.
declare
    _today timestamptz := graphrag._today(filter);
begin
    if versions = '{}' then
        return;
    end if;
    return query
    select
        'relation'::text,
        x.no::integer,
        v.id,
        format(
            '(%s) --[%s%s]--> (%s)', s.name, case when v.negated then 'NOT ' else '' end, v.predicate,
            coalesce(o.name, v.value)
        ),
        null::double precision, null::jsonb, null::integer, null::text,
        null::integer,
        d.document, d.source, d.published_at,
        jsonb_strip_nulls(jsonb_build_object(
            'relation', v.relation,
            'description', d.description,
            'documents', d.documents,
            'ended', nullif(graphrag._has_ended(v.effective, _today), false)
        )) || coalesce(d.place, '{}'),
        s.name, v.predicate, coalesce(o.name, v.value), v.negated, v.status,
        graphrag._render_period(v.effective),
        (
            select concat_ws(
                ' ', ns.name, case when n.negated then 'NOT' end, n.predicate, coalesce(nob.name, n.value)
            )
            from relation_version as n
            join entity_version as ns on ns.entity = n.subject
            left join entity_version as nob on nob.entity = n.object
                and graphrag._believed(nob.born, nob.died, v.space, filter)
            where n.relation = v.superseded_by
                and graphrag._believed(n.born, n.died, v.space, filter)
                and graphrag._believed(ns.born, ns.died, v.space, filter)
            limit 1
        ),
        v.weight, v.confidence
    from unnest(versions) with ordinality as x (id, no)
    join relation_version as v on v.id = x.id
    join entity_version as s on s.entity = v.subject and graphrag._believed(s.born, s.died, v.space, filter)
    left join entity_version as o on o.entity = v.object and graphrag._believed(o.born, o.died, v.space, filter)
    left join lateral graphrag._newest_support(v.content, v.space, filter) as d on true
    order by x.no;
end
$function$;
comment on function graphrag._relation_rows(bigint[], graphrag._filter) is 'Relations as evidence, in the given order.';

create function graphrag._newest_support(content bigint, space integer, filter graphrag._filter)
    returns table (
        document text,
        source text,
        published_at timestamptz,
        description text,
        documents bigint,
        place jsonb
    )
    language sql stable parallel safe rows 1
as $function$
-- A relation version points to the text of its newest assertion: this is the document that text was read in.
    select
        coalesce(d.name, d.key), d.source, v.published_at, a.description, count(*) over (),
        case when v.metadata <> '{}' then graphrag._place(v.metadata) end
    from assertion as a
    join document_chunk as k on k.chunk = a.chunk
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    where a.content = $1 and graphrag._believed(k.born, k.died, $2, $3)
    order by v.ord desc, d.key collate "C" desc, k.no desc
    limit 1
$function$;
comment on function graphrag._newest_support(bigint, integer, graphrag._filter) is 'The document in which a relation was last stated; inlined.';

create function graphrag._evidence_rows(
    chunks graphrag._ranked[],
    relations graphrag._ranked[],
    seeds graphrag._hit[],
    top_k integer,
    filter graphrag._filter
)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 40
as $function$
-- Entities worth describing are seeds, and those that the relations found are about.
declare
    _entities graphrag._ranked[] := array(
        select f
        from graphrag._fuse(
            seeds || array(
                select row('relation', n.entity, min(r.no), null)::graphrag._hit
                from unnest(relations) with ordinality as r (id, score, ranks, hop, via, is_cut, no)
                join relation_version as v on v.id = r.id
                cross join unnest(array[v.subject, v.object]) as n (entity)
                where n.entity is not null
                group by n.entity
            ),
            top_k
        ) as f
        order by f.score desc, f.id
    );
begin
    return query
    with pieces as materialized (
        select f.*, case when cardinality(filter.spaces) > 1 then graphrag._space_of(f.kind, f.id) end as space
        from (
            select c.* from graphrag._chunk_rows(array(select x.id from unnest(chunks) as x), filter) as c
            union all
            select r.* from graphrag._relation_rows(array(select x.id from unnest(relations) as x), filter) as r
            union all
            select e.* from graphrag._entity_rows(array(select x.id from unnest(_entities) as x), filter) as e
        ) as f
    ),
    cited as (
        -- One number a document, in the order in which the evidence first uses it. Two spaces may use one name.
        select p.document, p.source, p.space, row_number() over (
            order by min(array[array_position('{chunk, relation}', p.kind), p.rank])
        ) as reference
        from pieces as p
        where p.document is not null
        group by p.document, p.source, p.space
    ),
    ranked as (
        select 'chunk' as kind, c.* from unnest(chunks) as c
        union all
        select 'relation', r.* from unnest(relations) as r
        union all
        select 'entity', e.* from unnest(_entities) as e
    )
    select
        p.kind, p.rank, p.id, p.text, r.score, r.ranks, r.hop, w.path, d.reference::integer,
        p.document, p.source, p.published_at,
        case when r.is_cut then p.metadata || '{"truncated": true}' else p.metadata end,
        p.subject, p.predicate, p.object, p.negated, p.status, p.period, p.superseded_by, p.weight, p.confidence
    from pieces as p
    left join ranked as r on r.kind = p.kind and r.id = p.id
    left join cited as d on d.document = p.document
        and d.source is not distinct from p.source
        and d.space is not distinct from p.space
    left join lateral graphrag._path(r.via, filter) as w on true
    order by p.kind, p.rank;
end
$function$;
comment on function graphrag._evidence_rows(graphrag._ranked[], graphrag._ranked[], graphrag._hit[], integer, graphrag._filter) is 'The rows of ranked passages and relations, and of the entities that matter to them.';

create function graphrag._space_of(kind text, id bigint)
    returns integer
    language plpgsql stable parallel safe
as $function$
begin
    return case kind
        when 'chunk' then (select d.space from chunk as c join document as d on d.id = c.document where c.id = $2)
        when 'relation' then (select v.space from relation_version as v where v.id = $2)
    end;
end
$function$;
comment on function graphrag._space_of(text, bigint) is 'The space of a passage or a relation that is evidence.';

create function graphrag._path(via text, filter graphrag._filter)
    returns table (path text)
    language sql stable parallel safe rows 1
as $function$
-- A walk's ids as names: entities as they were called then, passages by their document in brackets. Inlined.
    select string_agg(
        case
            when n.id::bigint > 0 then (
                select v.name
                from entity_version as v
                where v.entity = n.id::bigint and graphrag._believed(v.born, v.died, v.space, $2)
            )
            else (
                select format('[%s]', coalesce(d.name, d.key))
                from chunk as k
                join document as d on d.id = k.document
                where k.id = -n.id::bigint
            )
        end,
        ' > ' order by n.no
    )
    from unnest(string_to_array($1, ',')) with ordinality as n (id, no)
$function$;
comment on function graphrag._path(text, graphrag._filter) is 'The path of a walk as names.';

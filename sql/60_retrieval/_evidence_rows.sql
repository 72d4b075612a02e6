create function graphrag._chunk_rows(chunks bigint[], filter graphrag._filter)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 10
as $function$
begin
    return query
    select distinct on (c.no)
        'chunk'::text, c.no::integer, c.id, t.body, null::double precision, null::jsonb, null::integer, null::integer,
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
    return query
    select
        'entity'::text, e.no::integer, e.id, t.body, null::double precision, null::jsonb, null::integer, null::integer,
        null::text, null::text, null::timestamptz, jsonb_build_object('types', v.types), v.name, null::text, null::text,
        null::boolean, null::text, null::text, null::text, null::integer, null::real
    from unnest(entities) with ordinality as e (id, no)
    join entity as i on i.id = e.id
    join entity_version as v on v.entity = e.id
    join content as t on t.id = v.content
    where graphrag._believed(v.born, v.died, i.space, filter)
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
    return query
    select
        'relation'::text,
        x.no::integer,
        v.id,
        format(
            '(%s) --[%s%s]--> (%s)', s.name, case when v.negated then 'NOT ' else '' end, v.predicate,
            coalesce(o.name, r.value)
        ),
        null::double precision, null::jsonb, null::integer, null::integer,
        d.document, d.source, d.published_at,
        jsonb_strip_nulls(jsonb_build_object(
            'relation', r.id,
            'description', d.description,
            'documents', d.documents,
            'ended', nullif(graphrag._has_ended(v.effective, _today), false)
        )) || coalesce(d.place, '{}'),
        s.name, v.predicate, coalesce(o.name, r.value), v.negated, v.status,
        graphrag._render_period(v.effective),
        (
            select concat_ws(
                ' ', ns.name, case when n.negated then 'NOT' end, n.predicate, coalesce(nob.name, nr.value)
            )
            from relation_version as n
            join relation as nr on nr.id = n.relation
            join entity_version as ns on ns.entity = n.subject
            left join entity_version as nob on nob.entity = n.object
                and graphrag._believed(nob.born, nob.died, r.space, filter)
            where n.relation = v.superseded_by
                and graphrag._believed(n.born, n.died, r.space, filter)
                and graphrag._believed(ns.born, ns.died, r.space, filter)
            limit 1
        ),
        v.weight, v.confidence
    from unnest(versions) with ordinality as x (id, no)
    join relation_version as v on v.id = x.id
    join relation as r on r.id = v.relation
    join entity_version as s on s.entity = v.subject and graphrag._believed(s.born, s.died, r.space, filter)
    left join entity_version as o on o.entity = v.object and graphrag._believed(o.born, o.died, r.space, filter)
    left join lateral graphrag._newest_support(v.content, r.space, filter) as d on true
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
    language plpgsql stable parallel safe rows 1
as $function$
-- A relation version points to the text of its newest assertion: this is the document that text was read in.
begin
    return query
    select
        coalesce(d.name, d.key), d.source, v.published_at, a.description, count(*) over (), graphrag._place(v.metadata)
    from assertion as a
    join document_chunk as k on k.chunk = a.chunk
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    where a.content = $1 and graphrag._believed(k.born, k.died, $2, filter)
    order by v.ord desc, d.key collate "C" desc, k.no desc
    limit 1;
end
$function$;
comment on function graphrag._newest_support(bigint, integer, graphrag._filter) is 'The document in which a relation was last stated.';

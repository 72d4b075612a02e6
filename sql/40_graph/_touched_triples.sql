create function graphrag._touched_triples(
    space integer,
    chunks bigint[],
    moved graphrag._resolution[],
    old graphrag._resolution[]
)
    returns table (subject bigint, predicate text, object bigint)
    language plpgsql stable parallel safe rows 100
as $function$
-- The triples whose relations a change can move, under the names' entities before and after it: those the chunks state,
-- those that use a name which moved to another entity, and what these were judged to contradict. NULL chunks: every
-- triple.
declare
    _said bigint[] := graphrag._touched_assertions(space, chunks, moved);
begin
    return query
    with judged as (
        select s.id from unnest(_said) as s (id)
        union
        select c.other from unnest(_said) as s (id) join contradiction as c on c.assertion = s.id
        union
        select c.assertion from unnest(_said) as s (id) join contradiction as c on c.other = s.id
    ),
    stated as (
        select distinct k.document, a.subject, a.predicate, a.object
        from judged as j
        join assertion as a on a.id = j.id
        join chunk as k on k.id = a.chunk
    ),
    resolution (folded, document, entity) as materialized (
        select e.folded, e.document, e.entity
        from (select s.subject as folded from stated as s union select s.object from stated as s) as u
        join entity_name as e on e.space = $1 and e.folded = u.folded and e.died is null and e.role <> 'claimed'
            and e.document is null
        union
        select e.folded, e.document, e.entity
        from (select distinct s.document from stated as s) as u
        join entity_name as e on e.document = u.document and e.died is null
        union
        select o.folded, o.document, o.entity from unnest(old) as o
    )
    select s.entity, t.predicate, o.entity
    from stated as t
    join resolution as s on s.folded = t.subject and coalesce(s.document, t.document) = t.document
    left join resolution as o on o.folded = t.object and coalesce(o.document, t.document) = t.document
    where t.object is null or o.entity is not null
    union
    -- Present relations too, where everything is touched: no assertion may state them any more under their predicate.
    select v.subject, v.predicate, v.object
    from relation_version as v
    join relation as r on r.id = v.relation
    where r.space = $1 and v.died is null and chunks is null;
end
$function$;
comment on function graphrag._touched_triples(integer, bigint[], graphrag._resolution[], graphrag._resolution[]) is 'Subject, predicate and object of the relations that a change can move.';

create function graphrag._touched_assertions(space integer, chunks bigint[], moved graphrag._resolution[])
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- Two statements: one that can do both is planned for all assertions, and then looks at all for each document.
-- What a document corrects, or did, loses or regains all its slots, not only those in which it is contradicted.
declare
    _said bigint[];
begin
    if chunks is null then
        return array(select a.id from assertion as a where a.space = $1);
    end if;
    _said := array(
        select a.id
        from unnest(chunks) as c (id)
        join assertion as a on a.chunk = c.id
        union
        select a.id
        from unnest(moved) as m
        join assertion as a on a.space = $1 and a.subject = m.folded
        where m.document is null
        union
        select a.id
        from unnest(moved) as m
        join assertion as a on a.space = $1 and a.object = m.folded
        where m.document is null
        union
        select a.id
        from unnest(moved) as m
        join chunk as k on k.document = m.document
        join assertion as a on a.chunk = k.id and m.folded in (a.subject, a.object)
    );
    return array(
        select s.id from unnest(_said) as s (id)
        union
        select a.id
        from (
            select distinct k.document
            from unnest(_said) as s (id)
            join assertion as a on a.id = s.id
            join chunk as k on k.id = a.chunk
        ) as t
        join document_version as v on v.document = t.document
        cross join unnest(graphrag._corrects(v.metadata)) as c (key)
        join document as d on d.space = $1 and d.key = c.key
        join document_version as w on w.document = d.id and w.died is null
        join document_chunk as p on p.version = w.id and p.died is null
        join assertion as a on a.chunk = p.chunk
    );
end
$function$;
comment on function graphrag._touched_assertions(integer, bigint[], graphrag._resolution[]) is 'The assertions that these chunks make, that use a name which moved, or that are in documents which those correct; NULL chunks: all.';

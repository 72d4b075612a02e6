create function graphrag._claims(
    space integer,
    pair_subjects bigint[],
    pair_objects bigint[],
    slot_subjects bigint[],
    slot_predicates text[]
)
    returns graphrag._claim[]
    language plpgsql stable parallel safe
as $function$
-- The live assertions between the pairs of entities (in either direction) and of the (subject, predicate) slots.
begin
    return array(
        with pair (a, b) as (
            select p.a, p.b from unnest(pair_subjects, pair_objects) as p (a, b)
            union
            select p.b, p.a from unnest(pair_subjects, pair_objects) as p (a, b)
        ),
        slot (entity, predicate) as (
            select distinct s.entity, s.predicate from unnest(slot_subjects, slot_predicates) as s (entity, predicate)
        ),
        named (entity, folded) as materialized (
            select e.entity, e.folded
            from entity_name as e
            where e.died is null
                and e.role <> 'claimed'
                and e.entity in (select p.a from pair as p union select s.entity from slot as s)
        ),
        wanted (id) as (
            select a.id
            from pair as p
            join named as s on s.entity = p.a
            join named as o on o.entity = p.b
            join assertion as a on a.space = $1 and a.subject = s.folded and a.object = o.folded
            union
            select a.id
            from slot as t
            join named as s on s.entity = t.entity
            join assertion as a on a.space = $1 and a.subject = s.folded and a.predicate = t.predicate
            union
            -- A symmetric functional predicate fills the slot of either end.
            select a.id
            from slot as t
            join predicate as p on p.name = t.predicate and p.is_symmetric and p.is_functional
            join named as o on o.entity = t.entity
            join assertion as a on a.space = $1 and a.object = o.folded and a.predicate = t.predicate
        ),
        placed as (
            select distinct on (a.id) a.*, v.ord, v.published_at, d.key, c.no as chunk_no
            from wanted as w
            join assertion as a on a.id = w.id
            join document_chunk as c on c.chunk = a.chunk and c.died is null
            join document_version as v on v.id = c.version
            join document as d on d.id = v.document
            order by a.id, c.no desc
        )
        select row(
            (row_number() over (order by a.ord, a.key collate "C", a.chunk_no, a.no))::integer,
            a.id,
            s.entity,
            a.predicate,
            o.entity,
            a.value,
            case when a.object is null then coalesce(a.claim::text, '') else '' end,
            a.negated,
            case when coalesce(p.is_symmetric, false) then least(s.entity, o.entity) else s.entity end,
            case when coalesce(p.is_symmetric, false) then greatest(s.entity, o.entity) else o.entity end,
            null,
            a.claim,
            a.published_at,
            a.takes_slot and a.confidence >= f.confidence,
            coalesce(p.is_symmetric, false),
            coalesce(p.is_functional, false),
            a.object is null,
            coalesce(p.exclusive_groups, '{}'),
            a.chunk,
            a.ord,
            a.confidence,
            a.content
        )::graphrag._claim
        from placed as a
        cross join (
            select (graphrag._setting('supersession_confidence_floor') #>> '{}')::real as confidence
        ) as f
        join entity_name as s on s.space = $1 and s.folded = a.subject and s.died is null and s.role <> 'claimed'
        left join entity_name as o on o.space = $1 and o.folded = a.object and o.died is null and o.role <> 'claimed'
        left join predicate as p on p.name = a.predicate
        where (a.object is null or o.entity is not null)
            and o.entity is distinct from s.entity
            and not graphrag._is_retracted($1, a.predicate, a.negated, s.entity, o.entity, a.value)
    );
end
$function$;
comment on function graphrag._claims(integer, bigint[], bigint[], bigint[], text[]) is 'Live assertions of pairs and slots, resolved to entities, in document order.';

create function graphrag._identify_relations(space integer, claims graphrag._claim[])
    returns graphrag._claim[]
    language plpgsql volatile parallel unsafe
as $function$
-- Gives each claim the id of the relation it supports, after making the relations that are new.
begin
    insert into relation (space, subject, predicate, object, value, period, negated)
    select distinct $1, c.relation_subject, c.predicate, c.relation_object, c.value, c.period, c.negated
    from unnest(claims) as c
    on conflict do nothing;
    return array(
        select row(
            c.pos, c.assertion, c.subject, c.predicate, c.object, c.value, c.period, c.negated, c.relation_subject,
            c.relation_object, r.id, c.claim, c.published_at, c.qualifies, c.is_symmetric, c.is_functional, c.is_value,
            c.exclusive_groups, c.chunk, c.ord, c.confidence, c.content
        )::graphrag._claim
        from unnest(claims) as c
        join relation as r on r.subject = c.relation_subject
            and r.predicate = c.predicate
            and r.negated = c.negated
            and r.object is not distinct from c.relation_object
            and r.value is not distinct from c.value
            and r.period = c.period
    );
end
$function$;
comment on function graphrag._identify_relations(integer, graphrag._claim[]) is 'The claims with the relations they support.';

create function graphrag._is_retracted(
    space integer,
    predicate text,
    negated boolean,
    subject bigint,
    object bigint,
    value text
)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- A retraction stands until it is undone, whatever document states the fact.
begin
    return exists (
        select
        from decision as d
        join entity_name as s on s.space = $1 and s.folded = d.payload ->> 'subject' and s.died is null
            and s.role <> 'claimed'
        left join entity_name as o on o.space = $1 and o.folded = d.payload ->> 'object' and o.died is null
            and o.role <> 'claimed'
        where d.space = $1
            and d.kind = 'retract'
            and d.died is null
            and d.payload ->> 'predicate' = $2
            and (d.payload ->> 'negated')::boolean = $3
            and (
                (s.entity = $4 and o.entity is not distinct from $5 and d.payload ->> 'value' is not distinct from $6)
                or (
                    s.entity = $5
                    and o.entity = $4
                    and exists (select from predicate as p where p.name = $2 and p.is_symmetric)
                )
            )
    );
end
$function$;
comment on function graphrag._is_retracted(integer, text, boolean, bigint, bigint, text) is 'Whether a decision has retracted a fact.';

create function graphrag._claims(
    space integer,
    pair_subjects bigint[],
    pair_objects bigint[],
    slot_subjects bigint[],
    slot_predicates text[]
)
    returns graphrag._claim[]
    language plpgsql stable parallel safe
    set plan_cache_mode = force_generic_plan
as $function$
-- The live assertions between the pairs of entities (in either direction) and of the (subject, predicate) slots.
declare
    _floor real := (graphrag._setting('supersession_confidence_floor') #>> '{}')::real;
    _has_retractions boolean := exists (
        select from decision as d where d.space = $1 and d.kind = 'retract' and d.died is null
    );
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
        wanted (id) as (
            select a.id
            from pair as p
            join entity_name as s on s.entity = p.a and s.died is null and s.role <> 'claimed' and s.document is null
            join entity_name as o on o.entity = p.b and o.died is null and o.role <> 'claimed' and o.document is null
            join assertion as a on a.space = $1 and a.subject = s.folded and a.object = o.folded
            union
            select a.id
            from slot as t
            join entity_name as s on s.entity = t.entity and s.died is null and s.role <> 'claimed'
                and s.document is null
            join assertion as a on a.space = $1 and a.subject = s.folded and a.predicate = t.predicate
            union
            -- A symmetric functional predicate fills the slot of either end.
            select a.id
            from slot as t
            join predicate as p on p.name = t.predicate and p.is_symmetric and p.is_functional
            join entity_name as o on o.entity = t.entity and o.died is null and o.role <> 'claimed'
                and o.document is null
            join assertion as a on a.space = $1 and a.object = o.folded and a.predicate = t.predicate
            union
            -- What documents say by a name that means one of the entities there.
            select a.id
            from (select p.a as entity from pair as p union select t.entity from slot as t) as e
            join entity_name as n on n.entity = e.entity and n.died is null and n.document is not null
            join chunk as k on k.document = n.document
            join assertion as a on a.chunk = k.id and n.folded in (a.subject, a.object)
        ),
        placed as (
            select distinct on (a.id) a.*, v.ord, v.published_at, v.metadata, v.document, d.key, c.no as chunk_no
            from wanted as w
            join assertion as a on a.id = w.id
            join document_chunk as c on c.chunk = a.chunk and c.died is null
            join document_version as v on v.id = c.version
            join document as d on d.id = v.document
            order by a.id, c.no desc
        ),
        resolved as materialized (
            select
                a.*,
                coalesce(
                    (
                        select e.entity
                        from entity_name as e
                        where e.space = $1 and e.folded = a.subject and e.document = a.document and e.died is null
                    ),
                    (
                        select e.entity
                        from entity_name as e
                        where e.space = $1 and e.folded = a.subject and e.died is null and e.role <> 'claimed'
                            and e.document is null
                    )
                ) as s,
                coalesce(
                    (
                        select e.entity
                        from entity_name as e
                        where e.space = $1 and e.folded = a.object and e.document = a.document and e.died is null
                    ),
                    (
                        select e.entity
                        from entity_name as e
                        where e.space = $1 and e.folded = a.object and e.died is null and e.role <> 'claimed'
                            and e.document is null
                    )
                ) as o
            from placed as a
        )
        select row(
            (row_number() over (order by a.ord, a.key collate "C", a.chunk_no, a.no))::integer,
            a.id,
            a.s,
            a.predicate,
            a.o,
            a.value,
            a.value_key,
            case when a.object is null then graphrag._period_key(a.claim) else '' end,
            a.negated,
            case when p.is_symmetric and a.o < a.s then a.o else a.s end,
            case when p.is_symmetric and a.o < a.s then a.s else a.o end,
            null,
            a.claim,
            a.published_at,
            a.takes_slot and a.confidence >= _floor,
            coalesce(p.is_symmetric, false),
            coalesce(p.is_functional, false),
            a.object is null,
            coalesce(p.exclusive_groups, '{}'),
            a.chunk,
            a.ord,
            a.confidence,
            a.content,
            a.key,
            graphrag._corrects(a.metadata)
        )::graphrag._claim
        from resolved as a
        left join predicate as p on p.name = a.predicate
        where a.s is not null
            and (a.object is null or a.o is not null)
            and a.o is distinct from a.s
            -- A name that was looked up means another entity where its document says so.
            and (
                (a.s, a.o) in (select p.a, p.b from pair as p)
                or (a.s, a.predicate) in (select t.entity, t.predicate from slot as t)
                or (
                    p.is_symmetric
                    and p.is_functional
                    and (a.o, a.predicate) in (select t.entity, t.predicate from slot as t)
                )
            )
            and not (
                _has_retractions
                and graphrag._is_retracted(
                    $1, a.predicate, a.negated, a.s, a.o, a.value_key, graphrag._period_key(a.claim)
                )
            )
    );
end
$function$;
comment on function graphrag._claims(integer, bigint[], bigint[], bigint[], text[]) is 'Live assertions of pairs and slots, resolved to entities, in document order.';

create function graphrag._identify_relations(space integer, claims graphrag._claim[])
    returns graphrag._claim[]
    language plpgsql volatile parallel unsafe
as $function$
-- Gives each claim the id of the relation it supports, after making the relations that are new: in the order in which
-- they were stated, not as a plan happens to give them, for the change feed tells them by id.
begin
    insert into relation (space, subject, predicate, object, value_key, period, negated)
    select $1, c.relation_subject, c.predicate, c.relation_object, c.value_key, c.period, c.negated
    from unnest(claims) as c
    group by c.relation_subject, c.predicate, c.relation_object, c.value_key, c.period, c.negated
    order by min(c.pos)
    on conflict do nothing;
    return array(
        select row(
            c.pos, c.assertion, c.subject, c.predicate, c.object, c.value, c.value_key, c.period, c.negated,
            c.relation_subject, c.relation_object, r.id, c.claim, c.published_at, c.qualifies, c.is_symmetric,
            c.is_functional, c.is_value, c.exclusive_groups, c.chunk, c.ord, c.confidence, c.content, c.document,
            c.corrects
        )::graphrag._claim
        from unnest(claims) as c
        cross join lateral (
            select r.id
            from relation as r
            where r.subject = c.relation_subject
                and r.predicate = c.predicate
                and r.negated = c.negated
                and r.object = c.relation_object
            union all
            select r.id
            from relation as r
            where r.subject = c.relation_subject
                and r.predicate = c.predicate
                and r.negated = c.negated
                and r.object is null
                and r.value_key = c.value_key
                and r.period = c.period
        ) as r
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
    value_key text,
    period text
)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- A retraction stands until it is undone, whatever document states the fact, and in whatever words the vocabulary puts
-- it by then. One that names a period is about claims of that period.
begin
    return exists (
        select
        from entity_name as n
        join decision as d on d.space = $1 and d.payload -> 'names' ? n.folded and d.kind = 'retract' and d.died is null
        join entity_name as s on s.space = $1 and s.folded = d.payload ->> 'subject' and s.died is null
            and s.role <> 'claimed' and s.document is null
        left join entity_name as o on o.space = $1 and o.folded = d.payload ->> 'object' and o.died is null
            and o.role <> 'claimed' and o.document is null
        cross join lateral graphrag._resolve_predicates(array[d.payload ->> 'predicate']) as r
        where n.entity = $4
            and n.died is null
            and n.role <> 'claimed'
            and n.document is null
            and (d.payload ->> 'negated')::boolean = $3
            and d.payload ->> 'value_key' is not distinct from $6
            and coalesce(d.payload ->> 'period', $7) = $7
            and r.predicate = $2
            and (
                (s.entity = $4 and o.entity is not distinct from $5 and ($5 is null or not r.swapped))
                or (
                    s.entity = $5
                    and o.entity = $4
                    and (r.swapped or exists (select from predicate as p where p.name = $2 and p.is_symmetric))
                )
            )
    );
end
$function$;
comment on function graphrag._is_retracted(integer, text, boolean, bigint, bigint, text, text) is 'Whether a decision has retracted a claim.';

create function graphrag._corrects(metadata jsonb)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
begin
    return case jsonb_typeof(metadata -> 'corrects')
        when 'string' then array[metadata ->> 'corrects']
        when 'array' then array(select jsonb_array_elements_text(metadata -> 'corrects'))
    end;
end
$function$;
comment on function graphrag._corrects(jsonb) is 'The keys of the documents that a document corrects, by its metadata; NULL if it corrects none.';

create function graphrag._period_key(claim tstzrange)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- The same text in every session, whatever its time zone and date style; '' for no period.
begin
    return case
        when claim is null then ''
        else concat(extract(epoch from lower(claim)), '/', extract(epoch from upper(claim)))
    end;
end
$function$;
comment on function graphrag._period_key(tstzrange) is 'A stated period as part of the identity of a value.';

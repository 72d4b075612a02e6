create function graphrag._slots_of(
    inout subjects bigint[],
    inout predicates text[],
    objects bigint[],
    out pair_subjects bigint[],
    out pair_objects bigint[]
)
    language plpgsql stable parallel safe
as $function$
-- The pairs of entities and the (subject, predicate) slots that relations of these triples stand in.
begin
    select array_agg(p.a), array_agg(p.b)
    into pair_subjects, pair_objects
    from (
        select distinct least(t.s, t.o) as a, greatest(t.s, t.o) as b
        from unnest(subjects, objects) as t (s, o)
        where t.o is not null
    ) as p;
    select array_agg(f.s), array_agg(f.p)
    into subjects, predicates
    from (
        select t.s, t.p
        from unnest(subjects, predicates, objects) as t (s, p, o)
        left join predicate as d on d.name = t.p
        where t.o is null or d.is_functional
        union
        select t.o, t.p
        from unnest(subjects, predicates, objects) as t (s, p, o)
        join predicate as d on d.name = t.p
        where t.o is not null and d.is_functional and d.is_symmetric
    ) as f;
end
$function$;
comment on function graphrag._slots_of(bigint[], text[], bigint[]) is 'Pairs and slots of triples.';

create function graphrag._derive_relations(
    space integer,
    revision bigint,
    subjects bigint[],
    predicates text[],
    objects bigint[]
)
    returns graphrag._derived
    language plpgsql volatile parallel unsafe
as $function$
-- Recomputes the relations in the slots of the touched triples. A slot is judged with all its claims, and a relation
-- with all its slots: so the slots of everything found there are loaded too, but only the touched ones are changed.
-- Judged contradictions are slots as well: who stands in one touches, and is judged with, the other side.
declare
    _near record;
    _touched record;
    _around record;
    _claims graphrag._claim[];
    _states graphrag._relation_state[];
    _involved bigint[];
    _result graphrag._derived;
begin
    _near := graphrag._with_contradicted(space, subjects, predicates, objects);
    _touched := graphrag._slots_of(_near.subjects, _near.predicates, _near.objects);
    _claims := graphrag._claims(
        space, _touched.pair_subjects, _touched.pair_objects, _touched.subjects, _touched.predicates
    );
    _near := graphrag._with_contradicted(
        space,
        _near.subjects || array(select c.subject from unnest(_claims) as c),
        _near.predicates || array(select c.predicate from unnest(_claims) as c),
        _near.objects || array(select c.object from unnest(_claims) as c)
    );
    _around := graphrag._slots_of(_near.subjects, _near.predicates, _near.objects);
    if _around is distinct from _touched then
        _claims := graphrag._claims(
            space, _around.pair_subjects, _around.pair_objects, _around.subjects, _around.predicates
        );
    end if;
    _claims := graphrag._identify_relations(space, _claims);
    _states := graphrag._withhold_archived(
        space, graphrag._relation_states(_claims, graphrag._judged_pairs(space, _claims))
    );
    _involved := graphrag._involved_relations(
        _claims, _touched.pair_subjects, _touched.pair_objects, _touched.subjects, _touched.predicates
    );
    select
        0,
        count(*) filter (where v.id is null),
        count(*) filter (where s.status = 'superseded' and v.status is distinct from 'superseded'),
        0
    into _result
    from unnest(_states) as s
    left join relation_version as v on v.relation = s.relation and v.died is null
    where s.relation = any (_involved);
    _result.changes := graphrag._apply_relations(revision, _states, _involved);
    return _result;
end
$function$;
comment on function graphrag._derive_relations(integer, bigint, bigint[], text[], bigint[]) is 'Recomputes the relations that touched triples can move.';

create function graphrag._involved_relations(
    claims graphrag._claim[],
    pair_subjects bigint[],
    pair_objects bigint[],
    slot_subjects bigint[],
    slot_predicates text[]
)
    returns bigint[]
    language plpgsql stable parallel safe
    set plan_cache_mode = force_generic_plan
as $function$
-- Facts and values apart, because each kind has its index. Where a predicate is not functional, a slot is of values
-- only: a fact there may be one whose claims, stated from its other end, nobody has loaded. By its object alone a
-- relation is found only while it has a live version or a claim: with neither there is nothing to change.
begin
    return array(
        select r.id
        from unnest(pair_subjects, pair_objects) as p (a, b)
        join relation as r on r.subject = p.a and r.object = p.b
        union
        select r.id
        from unnest(pair_subjects, pair_objects) as p (a, b)
        join relation as r on r.subject = p.b and r.object = p.a
        union
        select r.id
        from unnest(slot_subjects, slot_predicates) as t (entity, predicate)
        join predicate as p on p.name = t.predicate and p.is_functional
        join relation as r on r.subject = t.entity and r.predicate = t.predicate and r.object is not null
        union
        select r.id
        from unnest(slot_subjects, slot_predicates) as t (entity, predicate)
        join relation as r on r.subject = t.entity and r.predicate = t.predicate and r.object is null
        union
        select v.relation
        from unnest(slot_subjects, slot_predicates) as t (entity, predicate)
        join predicate as p on p.name = t.predicate and p.is_symmetric and p.is_functional
        join relation_version as v on v.object = t.entity and v.predicate = t.predicate and v.died is null
        union
        select c.relation
        from unnest(claims) as c
        join unnest(slot_subjects, slot_predicates) as t (entity, predicate)
            on t.entity = c.relation_object and t.predicate = c.predicate
        where c.is_symmetric and c.is_functional
    );
end
$function$;
comment on function graphrag._involved_relations(graphrag._claim[], bigint[], bigint[], bigint[], text[]) is 'The relations that stand in pairs and slots.';

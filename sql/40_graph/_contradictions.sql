-- What a model judged to contradict each other. Its answers are evidence: they count while the statement that was asked
-- about is live, whatever order documents come in, and the graph stays a function of them.

create function graphrag._stated_triples(space integer, assertions bigint[])
    returns table (
        assertion bigint,
        subject bigint,
        predicate text,
        object bigint,
        value_key text,
        period text,
        negated boolean
    )
    language plpgsql stable parallel safe rows 10
as $function$
begin
    return query
    select
        a.id,
        case when p.is_symmetric and m.object < m.subject then m.object else m.subject end,
        a.predicate,
        case when p.is_symmetric and m.object < m.subject then m.subject else m.object end,
        a.value_key,
        case when a.object is null then graphrag._period_key(a.claim) else '' end,
        a.negated
    from assertion as a
    join chunk as k on k.id = a.chunk
    cross join lateral (
        select
            graphrag._entity_meant($1, a.subject, k.document) as subject,
            graphrag._entity_meant($1, a.object, k.document) as object
    ) as m
    left join predicate as p on p.name = a.predicate
    where a.id = any (assertions)
        and m.subject is not null
        and (a.object is null or m.object is not null);
end
$function$;
comment on function graphrag._stated_triples(integer, bigint[]) is 'What assertions state, live or not, by the entities that their names mean now.';

create function graphrag._assertions_of(space integer, subjects bigint[], predicates text[], objects bigint[])
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        with triple (s, p, o) as (
            select distinct t.s, t.p, t.o from unnest(subjects, predicates, objects) as t (s, p, o)
        ),
        named (s, p, o, subject, object) as (
            select distinct s.folded, t.p, o.folded, t.s, t.o
            from triple as t
            join entity_name as s on s.entity = t.s and s.died is null and s.role <> 'claimed'
            left join entity_name as o on o.entity = t.o and o.died is null and o.role <> 'claimed'
            where t.o is null or o.folded is not null
        ),
        spelt (id, chunk, subject, object, s, o) as (
            select a.id, a.chunk, a.subject, a.object, n.subject, n.object
            from named as n
            join assertion as a on a.space = $1 and a.subject = n.s and a.object = n.o and a.predicate = n.p
            union all
            select a.id, a.chunk, a.subject, a.object, n.object, n.subject
            from named as n
            join predicate as p on p.name = n.p and p.is_symmetric
            join assertion as a on a.space = $1 and a.subject = n.o and a.object = n.s and a.predicate = n.p
            union all
            select a.id, a.chunk, a.subject, a.object, n.subject, null
            from named as n
            join assertion as a on a.space = $1 and a.subject = n.s and a.predicate = n.p and a.object is null
            where n.o is null
        )
        -- A name can mean somebody else in its document.
        select distinct t.id
        from spelt as t
        join chunk as k on k.id = t.chunk
        where graphrag._entity_meant($1, t.subject, k.document) = t.s
            and (t.o is null or graphrag._entity_meant($1, t.object, k.document) = t.o)
    );
end
$function$;
comment on function graphrag._assertions_of(integer, bigint[], text[], bigint[]) is 'The assertions, live or not, that state triples.';

create function graphrag._with_contradicted(
    space integer,
    inout subjects bigint[],
    inout predicates text[],
    inout objects bigint[]
)
    language plpgsql stable parallel safe
as $function$
declare
    _assertions bigint[];
    _near record;
begin
    if not exists (select from contradiction) then
        return;
    end if;
    _assertions := graphrag._assertions_of(space, subjects, predicates, objects);
    select array_agg(t.subject) as subjects, array_agg(t.predicate) as predicates, array_agg(t.object) as objects
    into _near
    from graphrag._stated_triples(
        space,
        array(
            select c.other from contradiction as c where c.assertion = any (_assertions)
            union
            select c.assertion from contradiction as c where c.other = any (_assertions)
        )
    ) as t;
    subjects := subjects || _near.subjects;
    predicates := predicates || _near.predicates;
    objects := objects || _near.objects;
end
$function$;
comment on function graphrag._with_contradicted(integer, bigint[], text[], bigint[]) is 'Triples together with those that they were judged to contradict.';

create function graphrag._judged_pairs(space integer, claims graphrag._claim[])
    returns graphrag._relation_pair[]
    language plpgsql stable parallel safe
as $function$
declare
    _live bigint[];
begin
    if not exists (select from contradiction) then
        return '{}';
    end if;
    _live := array(select c.assertion from unnest(claims) as c);
    return array(
        select distinct row(least(a.relation, b.id), greatest(a.relation, b.id))::graphrag._relation_pair
        from contradiction as c
        join unnest(claims) as a on a.assertion = c.assertion
        join graphrag._stated_triples(
            space, array(select x.other from contradiction as x where x.assertion = any (_live))
        ) as t on t.assertion = c.other
        cross join lateral (
            select r.id
            from relation as r
            where r.subject = t.subject
                and r.predicate = t.predicate
                and r.negated = t.negated
                and r.object = t.object
            union all
            select r.id
            from relation as r
            where r.subject = t.subject
                and r.predicate = t.predicate
                and r.negated = t.negated
                and r.object is null
                and r.value_key = t.value_key
                and r.period = t.period
        ) as b
        where c.assertion = any (_live) and b.id <> a.relation
    );
end
$function$;
comment on function graphrag._judged_pairs(integer, graphrag._claim[]) is 'The pairs of relations that live statements were judged to make contradictory.';

create function graphrag._store_contradictions(plan graphrag._document_plan, verdicts jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into contradiction (assertion, other, model, prompt)
    select a.id, f.other, f.model, f.prompt
    from jsonb_to_recordset(verdicts) as f (chunk integer, no integer, other bigint, model text, prompt text)
    join chunk as k on k.id = graphrag._latest_chunk(plan.document, plan.hashes[f.chunk])
    join assertion as a on a.chunk = k.id and a.no = f.no
    where not graphrag._is_live(k.id)
    on conflict do nothing;
end
$function$;
comment on function graphrag._store_contradictions(graphrag._document_plan, jsonb) is 'Stores which statements of the chunks that come a model judged to contradict others.';

create function graphrag._forget_verdicts(chunks bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Before the statements of chunks are erased. A verdict is about the fact that the other statement states: where
-- somebody else states it too, in the same words, the verdict stands with that.
begin
    insert into contradiction (assertion, other, model, prompt)
    select distinct on (c.assertion, b.id) c.assertion, b.id, c.model, c.prompt
    from assertion as a
    join contradiction as c on c.other = a.id
    join assertion as s on s.id = c.assertion and s.chunk <> all (chunks)
    cross join lateral (
        select b.id
        from assertion as b
        where b.space = a.space
            and b.subject = a.subject
            and b.predicate = a.predicate
            and b.negated = a.negated
            and (b.object, b.value_key, b.claim) is not distinct from (a.object, a.value_key, a.claim)
            and b.chunk <> all (chunks)
        order by b.id
        limit 1
    ) as b
    where a.chunk = any (chunks)
    on conflict do nothing;
    delete from contradiction as c
    using assertion as a
    where a.chunk = any (chunks) and a.id in (c.assertion, c.other);
end
$function$;
comment on function graphrag._forget_verdicts(bigint[]) is 'Deletes what models judged of the statements of chunks, or hands it on to those who state the same.';

create function graphrag._renew_verdicts(assertions bigint[], renewed bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Both sides of a verdict may be read otherwise at once. What was judged of the old reading stays, for as long as that
-- may come back.
begin
    insert into contradiction (assertion, other, model, prompt)
    select coalesce(a.successor, c.assertion), coalesce(o.successor, c.other), c.model, c.prompt
    from contradiction as c
    left join unnest(assertions, renewed) as a (id, successor) on a.id = c.assertion
    left join unnest(assertions, renewed) as o (id, successor) on o.id = c.other
    where c.assertion = any (assertions) or c.other = any (assertions)
    on conflict do nothing;
end
$function$;
comment on function graphrag._renew_verdicts(bigint[], bigint[]) is 'What models judged of statements holds for the same statements read by another vocabulary.';

-- ---------------------------------------------------------------- asking the model
create function graphrag._detect_contradictions(plan graphrag._document_plan, prepared jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Adds what a model says of the new statements that no declared rule decides about, where the realm wants that. Nothing
-- is locked while it thinks; what it fails to say, or says of what it was not offered, changes nothing and is counted.
declare
    _questions jsonb := graphrag._contradictions_to_ask(plan, prepared);
begin
    if _questions = '[]' then
        return prepared;
    end if;
    return graphrag._take_contradictions(plan, prepared, graphrag._ask_contradictions(_questions, plan.key));
end
$function$;
comment on function graphrag._detect_contradictions(graphrag._document_plan, jsonb) is 'What was prepared of a document, with the contradictions that a model finds.';

create function graphrag._contradictions_to_ask(plan graphrag._document_plan, prepared jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Null: there should be questions, and nobody is there to ask.
begin
    perform graphrag._check_vectors(plan.vectors);
    return case
        when not (graphrag._setting('contradiction_detection') #>> '{}')::boolean then '[]'
        when graphrag._endpoint('auxiliary') is not null then graphrag._contradiction_questions(plan, prepared)
    end;
end
$function$;
comment on function graphrag._contradictions_to_ask(graphrag._document_plan, jsonb) is 'What a model is to be asked about a document''s new statements: nothing if the realm does not want it, null if it has no endpoint for it.';

create function graphrag._take_contradictions(plan graphrag._document_plan, prepared jsonb, answer jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
begin
    if answer is null then
        perform graphrag._tell_no_endpoint(
            'auxiliary', format('contradictions of document "%s" are not looked for', left(plan.key, 200))
        );
        return graphrag._count_rejected(prepared, 'contradictions_unchecked', 1);
    end if;
    if (answer ->> 'failed')::integer > 0 then
        raise warning 'contradictions of document "%" were not all looked for: %',
            left(plan.key, 200), answer ->> 'error'
            using hint = 'The document is indexed all the same. SELECT * FROM graphrag.doctor() checks the endpoints.';
    end if;
    prepared := graphrag._count_rejected(prepared, 'contradictions_unchecked', (answer ->> 'failed')::integer);
    prepared := graphrag._count_rejected(prepared, 'contradiction_not_offered', (answer ->> 'not_offered')::integer);
    return prepared || jsonb_build_object('contradictions', answer -> 'found');
end
$function$;
comment on function graphrag._take_contradictions(graphrag._document_plan, jsonb, jsonb) is 'What was prepared of a document, with what a model said of its statements; null: nobody was asked.';

create function graphrag._count_rejected(prepared jsonb, reason text, number integer)
    returns jsonb
    language sql stable parallel safe
as $function$
    select case
        when number > 0 then jsonb_set(
            prepared,
            array['rejected', reason],
            to_jsonb(coalesce((prepared #>> array['rejected', reason])::integer, 0) + number)
        )
        else prepared
    end
$function$;
comment on function graphrag._count_rejected(jsonb, text, integer) is 'Counts something that was not used under its reason.';

create function graphrag._contradiction_questions(plan graphrag._document_plan, prepared jsonb)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Each new statement with the few facts that it may contradict: of the same subject, with the same predicate or like it
-- in meaning, that share no slot with it. They are current, or nobody but a model has superseded them: whatever comes
-- after the next in a chain is judged beside its beginning too, which holds again when the middle is deleted. A fact is
-- offered by the id of its newest statement.
begin
    return (
        with said as (
            select
                a.*,
                e.subject as subject_id,
                e.object as object_id,
                coalesce(
                    (
                        select graphrag._vector(t.text ->> 'vec')
                        from jsonb_array_elements(prepared -> 'texts') as t (text)
                        where t.text ->> 'kind' = 'relation' and t.text ->> 'body' = a.rendered
                        limit 1
                    ),
                    (
                        select c.vec
                        from content as c
                        where c.space = plan.space
                            and c.kind = 'relation'
                            and c.hash = sha256(convert_to(a.rendered, 'UTF8'))
                    )
                ) as vec,
                coalesce(p.is_functional, false) as is_functional,
                coalesce(p.exclusive_groups, '{}') as exclusive_groups
            from graphrag._coming_statements(plan, prepared) as a
            cross join lateral (
                select
                    graphrag._entity_meant(plan.space, a.subject, plan.document) as subject,
                    graphrag._entity_meant(plan.space, a.object, plan.document) as object
            ) as e
            left join predicate as p on p.name = a.predicate
            where e.subject is not null
        )
        select coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'chunk', a.chunk,
                    'no', a.no,
                    'text', left(a.rendered, 500),
                    'published_on', (plan.published_at at time zone 'UTC')::date,
                    'candidates', c.candidates
                )
                order by a.chunk, a.no
            ),
            '[]'
        )
        from said as a
        cross join lateral (
            select jsonb_agg(
                jsonb_build_object('id', n.id, 'text', left(n.body, 500), 'published_on', n.published_on)
                order by n.is_superseded, n.distance, n.id
            ) as candidates
            from (
                select
                    x.id,
                    t.body,
                    x.published_on,
                    v.status = 'superseded' as is_superseded,
                    graphrag._distance(t.vec, a.vec) as distance
                from (
                    select v.*
                    from relation_version as v
                    where v.subject = a.subject_id and v.died is null
                    order by v.ord desc
                    limit 200
                ) as v
                join relation as r on r.id = v.relation
                join content as t on t.id = v.content
                cross join lateral (
                    select y.id, (d.published_at at time zone 'UTC')::date as published_on
                    from assertion as y
                    join document_chunk as k on k.chunk = y.chunk and k.died is null
                    join document_version as d on d.id = k.version
                    where y.content = v.content
                    order by d.ord desc, y.id
                    limit 1
                ) as x
                where (v.status = 'current' or graphrag._are_judged(plan.space, v.relation, v.superseded_by))
                    and (v.predicate = a.predicate or graphrag._distance(t.vec, a.vec) < 0.4)
                    and (
                        v.predicate = a.predicate
                        and (
                            a.is_functional
                            or v.object = a.object_id
                            or r.value_key = a.value_key
                            or (r.value_key is not null and r.period <> '' and r.period = graphrag._period_key(a.claim))
                        )
                    ) is not true
                    and not (
                        v.object is not distinct from a.object_id
                        and exists (
                            select
                            from predicate as p
                            where p.name = v.predicate and p.exclusive_groups && a.exclusive_groups
                        )
                    )
                order by is_superseded, distance, x.id
                limit 6
            ) as n
        ) as c
        where c.candidates is not null
    );
end
$function$;
comment on function graphrag._contradiction_questions(graphrag._document_plan, jsonb) is 'The new statements of a document with the facts that they may contradict and no rule decides about.';

create function graphrag._coming_statements(plan graphrag._document_plan, prepared jsonb)
    returns table (
        chunk integer,
        no integer,
        subject text,
        predicate text,
        object text,
        value_key text,
        claim tstzrange,
        rendered text
    )
    language plpgsql stable parallel safe rows 10
as $function$
-- Of new chunks, and of known ones that come back: what was indexed while they were away is not judged beside them yet.
begin
    return query
    select
        (g.chunk ->> 'no')::integer, a.no, a.subject, a.predicate, a.object, a.value_key, a.claim, a.rendered
    from jsonb_array_elements(prepared -> 'chunks') as g (chunk)
    cross join jsonb_to_recordset(g.chunk -> 'assertions') as a (
        no integer, subject text, predicate text, object text, value_key text, claim tstzrange, no_slot boolean,
        rendered text
    )
    where not coalesce(a.no_slot, false)
    union all
    select h.no, a.no, a.subject, a.predicate, a.object, a.value_key, a.claim, t.body
    from (
        select min(h.no)::integer as no, graphrag._latest_chunk(plan.document, h.hash) as latest
        from unnest(plan.hashes) with ordinality as h (hash, no)
        group by h.hash
    ) as h
    join assertion as a on a.chunk = h.latest
    join content as t on t.id = a.content
    where h.no <> all (plan.missing) and a.takes_slot and not graphrag._is_live(h.latest);
end
$function$;
comment on function graphrag._coming_statements(graphrag._document_plan, jsonb) is 'The statements that come with a document, of chunks that are new or come back.';

create function graphrag._are_judged(space integer, one bigint, other bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- Of values, whether any of the one predicate was judged to contradict any of the other.
declare
    _ones bigint[];
    _others bigint[];
begin
    if other is null or not exists (select from contradiction) then
        return false;
    end if;
    select graphrag._assertions_of($1, array[r.subject], array[r.predicate], array[r.object])
    into _ones
    from relation as r
    where r.id = one;
    select graphrag._assertions_of($1, array[r.subject], array[r.predicate], array[r.object])
    into _others
    from relation as r
    where r.id = $3;
    return exists (
        select from contradiction as c where c.assertion = any (_ones) and c.other = any (_others)
        union all
        select from contradiction as c where c.assertion = any (_others) and c.other = any (_ones)
    );
end
$function$;
comment on function graphrag._are_judged(integer, bigint, bigint) is 'Whether a model judged two relations to contradict each other.';

create function graphrag._ask_contradictions(questions jsonb, document text)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.contradictions import find_contradictions
return find_contradictions(plpy, GD, questions, document)
$python$;
comment on function graphrag._ask_contradictions(jsonb, text) is 'Asks the auxiliary endpoint which statements contradict which of the facts offered with them.';

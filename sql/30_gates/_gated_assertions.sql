create function graphrag._gated_assertions(
    entities graphrag._gated_entity[],
    triples graphrag._gated_triple[],
    body text
)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- The evidence is the quote where it is found in the text, else the first sentence that has both names, else the
-- nearest two with one each and what stands between them.
begin
    return (
        with form as (
            -- Ways in which the text may call an entity, and the name it is best known by there.
            select
                f.folded,
                array_agg(distinct lower(normalize(f.form, nfc))) as forms,
                (array_agg(f.form order by f.is_name desc, length(f.form) desc, f.form))[1] as name
            from (
                select e.folded, a.form, a.form = e.name as is_name
                from unnest(entities) as e
                cross join unnest(e.name || e.aliases) as a (form)
                where e.reason is null
                union all
                select p.folded, p.form, false
                from unnest(triples) as t
                cross join lateral (values (t.subject, t.subject_name), (t.object, t.object_name)) as p (folded, form)
                where t.reason is null and p.folded is not null
            ) as f
            group by f.folded
        ),
        quoted as materialized (
            select t.*, q.start_at, q.end_at
            from unnest(triples) as t
            cross join graphrag._evidence_span(body, t.evidence) as q
            where t.reason is null
        ),
        sentence as materialized (
            select s.*
            from graphrag._sentences(
                case when exists (select from quoted as q where q.start_at is null) then body end
            ) as s
        )
        select coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'no', q.no,
                    'subject', q.subject,
                    'predicate', q.predicate,
                    'object', q.object,
                    'value', q.value,
                    'value_number', q.number,
                    'value_unit', q.unit,
                    'value_scale', q.scale,
                    'value_key', q.value_key,
                    'swapped', q.is_swapped,
                    'negated', q.negated,
                    'confidence', q.confidence,
                    'stated_predicate', q.stated_predicate,
                    'stated_from', q.stated_from,
                    'stated_to', q.stated_to,
                    'claim', q.claim,
                    'no_slot', coalesce(q.period_problem = 'inverted_period', false),
                    'description', q.description,
                    'start_at', coalesce(q.start_at, s.start_at, b.start_at),
                    'end_at', coalesce(q.end_at, s.end_at, b.end_at),
                    'rendered', graphrag._render_assertion(
                        f.name, q.predicate, coalesce(g.name, q.value), q.negated, q.description, q.stated_from,
                        q.stated_to
                    )
                )
                order by q.no
            ),
            '[]'
        )
        from quoted as q
        left join form as f on f.folded = q.subject
        left join form as g on g.folded = q.object
        left join lateral (
            select s.start_at, s.end_at
            from sentence as s
            where q.start_at is null
                and exists (select from unnest(f.forms) as n where position(n in s.folded) > 0)
                and exists (
                    select from unnest(coalesce(g.forms, array[lower(q.value)])) as n where position(n in s.folded) > 0
                )
            order by s.rank, s.start_at
            limit 1
        ) as s on true
        left join lateral (
            select least(t.start_at, u.start_at) as start_at, greatest(t.end_at, u.end_at) as end_at
            from sentence as t
            join sentence as u on u.rank = t.rank
            where q.start_at is null
                and s.start_at is null
                and t.rank = 1
                and exists (select from unnest(f.forms) as n where position(n in t.folded) > 0)
                and exists (
                    select from unnest(coalesce(g.forms, array[lower(q.value)])) as n where position(n in u.folded) > 0
                )
            order by greatest(t.end_at, u.end_at) - least(t.start_at, u.start_at), least(t.start_at, u.start_at)
            limit 1
        ) as b on true
    );
end
$function$;
comment on function graphrag._gated_assertions(graphrag._gated_entity[], graphrag._gated_triple[], text) is 'The assertions of a chunk: triples that passed, with their evidence spans and texts.';

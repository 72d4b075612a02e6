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
                array_agg(distinct f.form) as forms,
                (array_agg(f.form order by f.is_name desc, length(f.form) desc, f.form collate "C"))[1] as name
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
            select t.*, q.start_at, q.end_at, coalesce('entity ' || t.object, 'value ' || t.value) as other
            from unnest(triples) as t
            cross join graphrag._evidence_span(body, t.evidence) as q
            where t.reason is null
        ),
        sentence as materialized (
            select s.*
            from graphrag._sentences(
                case when exists (select from quoted as q where q.start_at is null) then body end
            ) as s
        ),
        part as materialized (
            -- What a sentence should have, as the text may write it.
            select u.part, u.forms
            from (
                select 'entity ' || f.folded as part, f.forms
                from form as f
                where f.folded in (
                    select e.folded
                    from quoted as q
                    cross join unnest(array[q.subject, q.object]) as e (folded)
                    where q.start_at is null and e.folded is not null
                )
                union
                select q.other, array[q.value] from quoted as q where q.start_at is null and q.object is null
            ) as u
        ),
        spelling as materialized (
            -- With its longest word: only sentences that have that are looked into.
            select p.part, g.words, l.word
            from part as p
            cross join unnest(p.forms) as f (form)
            cross join lateral (select graphrag._ground_words(f.form) as words offset 0) as g
            cross join lateral (
                select w.word
                from string_to_table(btrim(g.words), ' ') as w (word)
                order by length(w.word) desc, w.word collate "C"
                limit 1
            ) as l
        ),
        exact as materialized (
            select distinct p.part, s.start_at, s.end_at, s.rank
            from spelling as p
            join (
                select s.*, w.word
                from sentence as s
                cross join string_to_table(btrim(s.ground), ' ') as w (word)
            ) as s on s.word = p.word and position(p.words in s.ground) > 0
        ),
        whole as materialized (
            select graphrag._ground_words(body) as ground
        ),
        occurrence as materialized (
            select e.* from exact as e
            union all
            -- Written otherwise than any of its names, as grounding allows: data hub for DataHub.
            select p.part, s.start_at, s.end_at, s.rank
            from part as p
            cross join lateral (
                select array_agg(f.form) as forms
                from whole as w
                cross join unnest(p.forms) as f (form)
                where graphrag._is_grounded(f.form, w.ground)
            ) as g
            join sentence as s on exists (
                select from unnest(g.forms) as f (form) where graphrag._is_grounded(f.form, s.ground)
            )
            where p.part not in (select e.part from exact as e)
        ),
        within_one as materialized (
            select distinct on (q.no) q.no, s.start_at, s.end_at
            from quoted as q
            join occurrence as s on s.part = 'entity ' || q.subject
            join occurrence as t on t.part = q.other and t.start_at = s.start_at and t.rank = s.rank
            where q.start_at is null
            order by q.no, s.rank, s.start_at
        ),
        from_one_to_other as (
            select distinct on (q.no)
                q.no, least(s.start_at, t.start_at) as start_at, greatest(s.end_at, t.end_at) as end_at
            from quoted as q
            join occurrence as s on s.part = 'entity ' || q.subject and s.rank = 1
            join occurrence as t on t.part = q.other and t.rank = 1
            where q.start_at is null and q.no not in (select w.no from within_one as w)
            order by
                q.no,
                greatest(s.end_at, t.end_at) - least(s.start_at, t.start_at),
                least(s.start_at, t.start_at)
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
        left join within_one as s on s.no = q.no
        left join from_one_to_other as b on b.no = q.no
    );
end
$function$;
comment on function graphrag._gated_assertions(graphrag._gated_entity[], graphrag._gated_triple[], text) is 'The assertions of a chunk: triples that passed, with their evidence spans and texts.';

create function graphrag._gate_triples(
    records jsonb,
    entities graphrag._gated_entity[],
    ground text,
    options jsonb
)
    returns setof graphrag._gated_triple
    language plpgsql stable parallel safe rows 20
as $function$
-- entities: those of the same extraction. An object is a value if its predicate takes values, if the record says so, or
-- if it is no entity of the chunk and reads as a literal, or can be no name because it is only a figure or a date.
declare
    _possessive boolean := coalesce((options ->> 'possessive')::boolean, false);
    _floor real := coalesce((options ->> 'confidence_floor')::real, 0);
    _fiscal integer := coalesce((options ->> 'fiscal_year_start')::integer, 1);
begin
    return query
    with stated as materialized (
        select s.*, graphrag._fold_name(s.subject) as subject_folded, graphrag._fold_name(s.object) as object_folded
        from (
            select
                t.no::integer as no,
                t.record,
                graphrag._one_line(t.record ->> 'subject') as subject,
                t.record ->> 'predicate' as predicate,
                graphrag._one_line(t.record ->> 'object') as object,
                coalesce(graphrag._json_flag(t.record -> 'object_is_value'), false) as is_value,
                coalesce(graphrag._json_flag(t.record -> 'negated'), false) as negated,
                graphrag._json_confidence(t.record -> 'confidence') as confidence
            from jsonb_array_elements(records) with ordinality as t (record, no)
        ) as s
    ),
    vocabulary as materialized (
        select
            v.*,
            graphrag._normalize_predicate(v.stated) as normal,
            p.is_value,
            graphrag._lower(p.subject_types::text)::text[] as subject_types,
            graphrag._lower(p.object_types::text)::text[] as object_types
        from graphrag._resolve_predicates(array(select s.predicate from stated as s where s.predicate is not null)) as v
        left join predicate as p on p.name = v.predicate
    ),
    vague as materialized (
        select graphrag._gate_words(array(select v.normal from vocabulary as v)) as words
    ),
    known as materialized (
        -- Names first; an alias only if one entity of the chunk claims it.
        select distinct on (k.form) k.form, k.folded, k.type
        from (
            select e.folded as form, e.folded, e.type, 1 as rank
            from unnest(entities) as e
            where e.reason is null
            union all
            select a.form, min(e.folded collate "C"), min(e.type collate "C"), 2
            from unnest(entities) as e
            cross join unnest(e.folded_aliases) as a (form)
            where e.reason is null
            group by a.form
            having count(distinct e.folded) = 1
        ) as k
        order by k.form, k.rank, k.type collate "C"
    ),
    unknown as materialized (
        select u.folded, min(u.name collate "C") as name, row_number() over (order by u.folded) as nth
        from stated as s
        cross join lateral (values (s.subject_folded, s.subject), (s.object_folded, s.object)) as u (folded, name)
        where u.name is not null and u.folded not in (select k.form from known as k)
        group by u.folded
    ),
    gated as materialized (
        -- Endpoints that are no entity of the chunk must be names themselves.
        select u.folded, u.name, g.reason
        from (
            select array_agg(u.name order by u.nth) as names, array_fill(null::text, array[count(*)::integer]) as types
            from unknown as u
        ) as a
        cross join graphrag._gate_names(a.names, a.types, _possessive) as g
        join unknown as u on u.nth = g.no
    ),
    classified as materialized (
        select
            s.*,
            v.normal,
            v.declared,
            v.subject_types,
            v.object_types,
            l.is_literal,
            v.swapped and not l.is_literal as is_swapped,
            case when v.swapped and l.is_literal then v.normal else v.predicate end as resolved,
            -- What is said to be a value may be a figure that could be a name: 3M.
            case
                when l.is_literal and (p.parsed).kind is null then graphrag._parse_literal(s.object)
                when l.is_literal then p.parsed
            end as figure,
            k.folded as known_subject,
            k.type as subject_type,
            o.folded as known_object,
            o.type as object_type
        from stated as s
        left join vocabulary as v on v.stated = s.predicate
        left join known as k on k.form = s.subject_folded
        left join known as o on o.form = s.object_folded
        left join gated as g on g.folded = s.object_folded
        -- Each worked out once (offset 0), where it is wanted at all: it is dear.
        cross join lateral (
            select case
                when o.form is null or v.is_value or s.is_value then graphrag._parse_value(s.object)
            end
            offset 0
        ) as p (parsed)
        cross join lateral (
            select
                coalesce(v.is_value, false)
                or s.is_value
                or (
                    o.form is null
                    and ((p.parsed).kind is not null or coalesce(g.reason in ('bare_quantity', 'bare_date'), false))
                )
            offset 0
        ) as l (is_literal)
    ),
    refused as materialized (
        select
            g.folded,
            case
                when g.folded in (select e.folded from unnest(entities) as e) then 'orphaned_endpoint'
                when g.reason is not null then g.reason
                when not graphrag._is_grounded(g.name, ground) then 'ungrounded_name'
            end as reason
        from gated as g
        where g.folded in (
            select c.subject_folded from classified as c
            union all
            select c.object_folded from classified as c where not c.is_literal
        )
    ),
    judged as (
        select
            c.*,
            coalesce(c.known_subject, c.subject_folded) as s,
            case when not c.is_literal then coalesce(c.known_object, c.object_folded) end as o,
            p.claim,
            p.problem,
            case
                when c.subject is null or c.predicate is null or c.object is null or c.normal !~ '[^0-9_]'
                    or not graphrag._has_letter(c.normal)
                    then 'malformed'
                when not c.declared and vague.words ? ('vague_predicate ' || c.normal) then 'vague_predicate'
                when length(c.normal) > 100 or length(c.object) > 1000 then 'over_long'
                when c.confidence < _floor then 'confidence_floor'
                when r.reason is not null then r.reason
                when q.reason is not null and not c.is_literal then q.reason
                when coalesce(c.known_subject, c.subject_folded) = coalesce(c.known_object, c.object_folded)
                    and not c.is_literal then 'self_loop'
                when graphrag._lower(case when c.is_swapped then c.object_type else c.subject_type end) <> all (
                    nullif(c.subject_types, '{}')
                ) then 'type_mismatch'
                when not c.is_literal
                    and graphrag._lower(case when c.is_swapped then c.subject_type else c.object_type end) <> all (
                        nullif(c.object_types, '{}')
                    ) then 'type_mismatch'
            end as reason
        from classified as c
        cross join vague
        left join refused as r on r.folded = c.subject_folded and c.known_subject is null
        left join refused as q on q.folded = c.object_folded and c.known_object is null
        cross join graphrag._claim(c.record ->> 'valid_from', c.record ->> 'valid_to', _fiscal) as p
    )
    select
        j.no,
        case when j.is_swapped then j.o else j.s end,
        j.resolved,
        case when j.is_swapped then j.s else j.o end,
        case when j.is_literal then j.object end,
        (j.figure).number,
        (j.figure).unit,
        (j.figure).scale,
        case when j.is_literal then graphrag._value_key(j.object, j.figure) end,
        case when j.is_swapped then j.object else j.subject end,
        case when j.is_swapped then j.subject else j.object end,
        j.is_swapped,
        j.negated,
        j.confidence,
        j.predicate,
        graphrag._one_line(j.record ->> 'valid_from'),
        graphrag._one_line(j.record ->> 'valid_to'),
        j.claim,
        j.problem,
        nullif(left(btrim(graphrag._clean_text(j.record ->> 'description')), 2000), ''),
        nullif(btrim(graphrag._clean_text(j.record ->> 'evidence')), ''),
        coalesce(
            j.reason,
            case
                when row_number() over (
                    partition by
                        j.reason,
                        case when j.is_swapped then j.o else j.s end,
                        j.resolved,
                        case when j.is_swapped then j.s else coalesce(j.o, j.object) end,
                        j.is_literal,
                        j.negated,
                        j.claim,
                        j.confidence
                    -- The last one stays: what is said again after something else was said, holds again.
                    order by j.no desc
                ) > 1 then 'duplicate_triple'
            end
        ),
        j.record
    from judged as j;
end
$function$;
comment on function graphrag._gate_triples(jsonb, graphrag._gated_entity[], text, jsonb) is 'The triples of an extraction, resolved inside their chunk, each with the reason if it is refused.';

create function graphrag._json_flag(flag jsonb)
    returns boolean
    language sql immutable parallel safe
as $function$
    select graphrag._lower(flag #>> '{}') in ('true', 't', 'yes', '1')
$function$;
comment on function graphrag._json_flag(jsonb) is 'A flag a model wrote as JSON boolean, text or number.';

create function graphrag._json_confidence(confidence jsonb)
    returns real
    language sql immutable parallel safe
as $function$
    select case
        when confidence #>> '{}' ~ '^[0-9]{1,9}(\.[0-9]+)?$' then least((confidence #>> '{}')::numeric, 1)::real
        else 1
    end
$function$;
comment on function graphrag._json_confidence(jsonb) is 'A confidence from 0 to 1; 1 where none, or no number, was given.';

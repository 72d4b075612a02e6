create function graphrag._slot_members(claims graphrag._claim[])
    returns table (
        slot text,
        relation bigint,
        pos integer,
        claim tstzrange,
        published_at timestamptz,
        qualifies boolean
    )
    language plpgsql stable parallel safe rows 100
as $function$
-- In which slots each claim stands. A slot can have one holder at a time:
--   t  a triple: assertion against denial (only when both are claimed)
--   g  subject, object and an exclusive group      f  subject and a functional predicate
--   v  subject, value predicate and period (without a period only if the predicate is functional)
-- A denial competes only with its own triple; a symmetric relation stands in the slots of both orientations.
begin
    return query
    with claimed as (
        select
            format('t %s %s %s %L %L', c.relation_subject, c.predicate, c.relation_object, c.period, c.value) as triple,
            c.*
        from unnest(claims) as c
    ),
    disputed as (
        select c.triple
        from claimed as c
        group by c.triple
        having bool_or(c.negated) and not bool_and(c.negated)
    ),
    oriented as (
        select c.subject as holder, c.object as other, c.* from claimed as c where not c.negated
        union all
        select c.object, c.subject, c.* from claimed as c where not c.negated and c.is_symmetric
    ),
    member (slot, relation, pos, claim, published_at, qualifies) as (
        select c.triple, c.relation, c.pos, c.claim, c.published_at, c.qualifies
        from claimed as c
        where c.triple in (select d.triple from disputed as d)
        union all
        select format('g %s %s %s', o.holder, o.other, g.name), o.relation, o.pos, o.claim, o.published_at, o.qualifies
        from oriented as o
        cross join unnest(o.exclusive_groups) as g (name)
        where not o.is_value
        union all
        select format('f %s %s', o.holder, o.predicate), o.relation, o.pos, o.claim, o.published_at, o.qualifies
        from oriented as o
        where o.is_functional and not o.is_value
        union all
        select
            format('v %s %s %s', o.holder, o.predicate, o.period),
            o.relation,
            o.pos,
            o.claim,
            o.published_at,
            o.qualifies
        from oriented as o
        where o.is_value and (o.period <> '' or o.is_functional)
    )
    select m.* from member as m;
end
$function$;
comment on function graphrag._slot_members(graphrag._claim[]) is 'The slots that claims stand in.';

create function graphrag._slot_periods(claims graphrag._claim[])
    returns table (
        relation bigint,
        effective tstzmultirange,
        is_superseded boolean,
        successor bigint,
        successor_pos integer
    )
    language plpgsql stable parallel safe rows 100
as $function$
-- What each relation keeps of its claims, by slot: each claim minus the later claims of other holders that qualify.
-- In a slot, a claim without a lower bound begins when its document was published; the earliest claim begins open, and
-- so does one that had ended by then. A later claim of the same holder may be subtracted too, since what it takes it
-- also holds: so one pass from the latest claim to the earliest will do, whatever the length of the slot.
begin
    return query
    with member as (
        select
            m.slot,
            m.relation,
            m.pos,
            m.qualifies,
            case
                when m.claim is not null and not lower_inf(m.claim) then m.claim
                when m.pos = min(m.pos) over (partition by m.slot) then coalesce(m.claim, tstzrange(null, null))
                when m.published_at is null or m.published_at >= upper(m.claim)
                    then coalesce(m.claim, tstzrange(null, null))
                else tstzrange(m.published_at, upper(m.claim))
            end as span
        from graphrag._slot_members(claims) as m
    ),
    faced as (
        select
            m.*,
            -- Open claims are one open interval together; only bounded ones have to be collected.
            bool_or(lower_inf(m.span)) filter (where m.qualifies and upper_inf(m.span)) over later as takes_all,
            min(lower(m.span)) filter (where m.qualifies and upper_inf(m.span)) over later as takes_from,
            range_agg(m.span) filter (where m.qualifies and not upper_inf(m.span)) over later as takes,
            min(m.pos) filter (where m.qualifies and upper_inf(m.span)) over later as next_open
        from member as m
        window later as (partition by m.slot order by m.pos desc rows between unbounded preceding and 1 preceding)
    ),
    held as (
        select
            f.slot,
            f.relation,
            range_agg(
                f.span::tstzmultirange
                - coalesce(f.takes, '{}')
                - case
                    when f.takes_all then '{(,)}'::tstzmultirange
                    when f.takes_from is not null then tstzmultirange(tstzrange(f.takes_from, null))
                    else '{}'
                end
            ) as effective,
            bool_or(upper_inf(f.span)) as was_open,
            -- Who took over came after the last claim that was open; a bounded one may have been stated since.
            (array_agg(f.next_open order by f.pos desc) filter (where upper_inf(f.span)))[1] as next_open,
            (array_agg(f.span order by f.pos desc))[1] as last_span,
            max(f.pos) as last_pos
        from faced as f
        group by f.slot, f.relation
    )
    select
        h.relation,
        h.effective,
        (h.was_open and not upper_inf(h.effective)) or isempty(h.effective),
        coalesce(o.relation, b.relation),
        coalesce(o.pos, b.pos)
    from held as h
    left join member as o on o.slot = h.slot and o.pos = h.next_open
    left join lateral (
        -- What was bounded and is all taken: the first to take of its last claim.
        select m.relation, m.pos
        from member as m
        where not h.was_open
            and isempty(h.effective)
            and m.slot = h.slot
            and m.pos > h.last_pos
            and m.qualifies
            and m.span && h.last_span
        order by m.pos
        limit 1
    ) as b on true;
end
$function$;
comment on function graphrag._slot_periods(graphrag._claim[]) is 'Per slot and relation: what is left of its claims, and who took over.';

create function graphrag._relation_states(claims graphrag._claim[])
    returns graphrag._relation_state[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        with newest as (
            select distinct on (c.relation) c.*
            from unnest(claims) as c
            order by c.relation, c.pos desc
        ),
        summed as (
            select
                c.relation,
                count(distinct c.chunk)::integer as weight,
                max(c.confidence) as confidence,
                -- Outside slots an undated relation is always valid, and restating one never erases a stated period.
                coalesce(range_agg(c.claim) filter (where c.claim is not null), '{(,)}') as stated
            from unnest(claims) as c
            group by c.relation
        ),
        slotted as (
            select
                s.relation,
                range_intersect_agg(s.effective) as effective,
                bool_or(s.is_superseded) as is_superseded,
                (
                    array_agg(s.successor order by s.successor_pos)
                        filter (where s.is_superseded and s.successor is not null)
                )[1] as successor
            from graphrag._slot_periods(claims) as s
            group by s.relation
        )
        select row(
            n.relation,
            n.subject,
            n.predicate,
            n.object,
            n.negated,
            case when l.is_superseded then 'superseded' else 'current' end,
            coalesce(l.effective, s.stated),
            l.successor,
            n.ord,
            s.weight,
            s.confidence,
            n.content
        )::graphrag._relation_state
        from newest as n
        join summed as s on s.relation = n.relation
        left join slotted as l on l.relation = n.relation
    );
end
$function$;
comment on function graphrag._relation_states(graphrag._claim[]) is 'The versions that the claimed relations should have now.';

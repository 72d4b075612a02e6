create function graphrag._slot_members(claims graphrag._claim[], judged graphrag._relation_pair[])
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
--   t  a triple: assertion against denial (only when both are claimed). Of a value, each period is a triple; a denial
--      without a period denies the value of every period, whenever it was published, and one with a period denies
--      it in that period of what was stated without
--   g  subject, object and an exclusive group      f  subject and a functional predicate, facts and values alike
--   v  subject, predicate and period of a value
--   x  two relations that a model was asked about and judged to contradict each other
-- A denial competes only with its own triple; a symmetric relation stands in the slots of both orientations.
begin
    return query
    with claimed as (
        select
            format('t %s %s %s %L', c.relation_subject, c.predicate, c.relation_object, c.value_key) as fact, c.*
        from unnest(claims) as c
    ),
    triple as (
        select c.fact, c.period, c.relation, c.pos, c.claim, c.published_at, c.qualifies, c.negated
        from claimed as c
        union all
        select
            f.fact,
            f.period,
            c.relation,
            c.pos,
            c.claim,
            case when c.period <> '' then c.published_at end,
            c.qualifies,
            true
        from claimed as c
        join (select distinct a.fact, a.period from claimed as a where a.is_value and not a.negated) as f
            on f.fact = c.fact and (f.period = '') <> (c.period = '')
        where c.negated
    ),
    disputed as (
        select t.fact, t.period
        from triple as t
        group by t.fact, t.period
        having bool_or(t.negated) and not bool_and(t.negated)
    ),
    oriented as (
        select c.subject as holder, c.object as other, c.* from claimed as c where not c.negated
        union all
        select c.object, c.subject, c.* from claimed as c where not c.negated and c.is_symmetric and not c.is_value
    ),
    member (slot, relation, pos, claim, published_at, qualifies) as (
        select t.fact || ' ' || t.period, t.relation, t.pos, t.claim, t.published_at, t.qualifies
        from triple as t
        join disputed as d on d.fact = t.fact and d.period = t.period
        union all
        select format('g %s %s %s', o.holder, o.other, g.name), o.relation, o.pos, o.claim, o.published_at, o.qualifies
        from oriented as o
        cross join unnest(o.exclusive_groups) as g (name)
        where not o.is_value
        union all
        select format('f %s %s', o.holder, o.predicate), o.relation, o.pos, o.claim, o.published_at, o.qualifies
        from oriented as o
        where o.is_functional and o.period = ''
        union all
        select
            format('v %s %s %s', o.holder, o.predicate, o.period),
            o.relation,
            o.pos,
            o.claim,
            o.published_at,
            o.qualifies
        from oriented as o
        where o.is_value and o.period <> ''
        union all
        select format('x %s %s', j.a, j.b), c.relation, c.pos, c.claim, c.published_at, c.qualifies
        from unnest(judged) as j
        join unnest(claims) as c on c.relation in (j.a, j.b)
    )
    select m.* from member as m;
end
$function$;
comment on function graphrag._slot_members(graphrag._claim[], graphrag._relation_pair[]) is 'The slots that claims stand in.';

create function graphrag._completed_claims(claims graphrag._claim[])
    returns table (pos integer, claim tstzrange)
    language plpgsql stable parallel safe rows 10
as $function$
-- The claims that state one bound, and find the other with claims of the same relation: `since 2015` and `until 2019`
-- are 2015 to 2019, not always. What states no end ends with the first stated end of a claim that its beginning lies in;
-- what states no beginning begins with the last stated beginning of a claim that its end lies in.
begin
    if not exists (select from unnest(claims) as c where lower_inf(c.claim) <> upper_inf(c.claim)) then
        return;
    end if;
    return query
    with stated (relation, claim) as (
        select distinct c.relation, c.claim from unnest(claims) as c where c.claim is not null
    ),
    completed as (
        select h.relation, h.claim as half, min(upper(s.claim)) as low_or_high, false as is_end_stated
        from stated as h
        join stated as s on s.relation = h.relation and s.claim @> lower(h.claim) and not upper_inf(s.claim)
        where upper_inf(h.claim) and not lower_inf(h.claim)
        group by h.relation, h.claim
        union all
        select h.relation, h.claim, max(lower(s.claim)), true
        from stated as h
        join stated as s on s.relation = h.relation
            and lower(s.claim) < upper(h.claim)
            and (upper_inf(s.claim) or upper(s.claim) >= upper(h.claim))
        where lower_inf(h.claim) and not upper_inf(h.claim)
        group by h.relation, h.claim
    )
    select
        c.pos,
        case
            when k.is_end_stated then tstzrange(k.low_or_high, upper(k.half))
            else tstzrange(lower(k.half), k.low_or_high)
        end
    from completed as k
    join unnest(claims) as c on c.relation = k.relation and c.claim = k.half;
end
$function$;
comment on function graphrag._completed_claims(graphrag._claim[]) is 'The claims that state one bound only, with the other from claims of the same relation.';

create function graphrag._slot_spans(claims graphrag._claim[], judged graphrag._relation_pair[])
    returns table (slot text, relation bigint, pos integer, qualifies boolean, span tstzrange, ended timestamptz)
    language plpgsql stable parallel safe rows 100
as $function$
-- The time that each claim speaks of in a slot, and where it ends, if it states no end and ends by another's word.
-- A claim without a lower bound begins when its document was published; the earliest one of the slot is open. One that
-- had ended by then begins when its relation last did, but not in what an earlier document knew of others.
-- A claim without a period that was published within a stated one of its relation repeats that: it ends with it.
begin
    return query
    with completed as materialized (
        select k.pos, k.claim from graphrag._completed_claims(claims) as k
    ),
    repeated as (
        select c.pos, max(lower(coalesce(k.claim, o.claim))) as low, min(upper(coalesce(k.claim, o.claim))) as high
        from unnest(claims) as c
        join unnest(claims) as o on o.relation = c.relation and o.claim is not null
        left join completed as k on k.pos = o.pos
        where c.claim is null and coalesce(k.claim, o.claim) @> c.published_at
        group by c.pos
    ),
    placed as materialized (
        select m.*, m.pos = min(m.pos) over (partition by m.slot) as is_first
        from graphrag._slot_members(claims, judged) as m
    )
    select
        p.slot,
        p.relation,
        p.pos,
        p.qualifies,
        case
            when k.claim is not null then k.claim
            when p.claim is null and (p.is_first or p.published_at is null) then tstzrange(r.low, r.high)
            when p.claim is null then tstzrange(p.published_at, r.high)
            when p.is_first or not lower_inf(p.claim) then p.claim
            when p.published_at < upper(p.claim) then tstzrange(p.published_at, upper(p.claim))
            else tstzrange(
                (
                    select max(e.since)
                    from (
                        select
                            case
                                when o.relation = p.relation then coalesce(lower(o.claim), o.published_at)
                                else greatest(lower(o.claim), least(o.published_at, upper(o.claim)))
                            end as since
                        from placed as o
                        where o.slot = p.slot and o.pos < p.pos
                    ) as e
                    where e.since < upper(p.claim)
                ),
                upper(p.claim)
            )
        end as span,
        case
            when p.claim is null and p.published_at is not null then r.high
            when upper_inf(p.claim) then upper(k.claim)
        end as ended
    from placed as p
    left join completed as k on k.pos = p.pos
    left join repeated as r on r.pos = p.pos and p.published_at is not null;
end
$function$;
comment on function graphrag._slot_spans(graphrag._claim[], graphrag._relation_pair[]) is 'Per slot and claim: the time that it speaks of there.';

create function graphrag._slot_periods(claims graphrag._claim[], judged graphrag._relation_pair[])
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
-- A later claim of the same holder may be subtracted too, since what it takes it also holds: so one pass from the latest
-- claim to the earliest will do, whatever the length of the slot. Only what stated no end, and ends by another's word,
-- takes more than it holds: who had the slot open before that end does not get it back.
begin
    return query
    with member as materialized (
        select m.* from graphrag._slot_spans(claims, judged) as m
    ),
    tail as materialized (
        select m.slot, m.relation, m.pos, m.ended from member as m where m.ended is not null and m.qualifies
    ),
    faced as (
        select
            m.*,
            -- Open claims are one open interval together; only bounded ones have to be collected.
            bool_or(lower_inf(m.span)) filter (where m.qualifies and upper_inf(m.span)) over later as takes_all,
            least(
                min(lower(m.span)) filter (where m.qualifies and upper_inf(m.span)) over later,
                t.takes_from
            ) as takes_from,
            range_agg(m.span) filter (where m.qualifies and not upper_inf(m.span)) over later as takes,
            least(min(m.pos) filter (where m.qualifies and upper_inf(m.span)) over later, t.next_open) as next_open
        from member as m
        left join lateral (
            select min(o.ended) as takes_from, min(o.pos) as next_open
            from tail as o
            where upper_inf(m.span)
                and o.slot = m.slot
                and o.pos > m.pos
                and o.relation <> m.relation
                and (lower_inf(m.span) or lower(m.span) < o.ended)
        ) as t on true
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
    ),
    left_over as (
        -- Of what each slot leaves a part, all of them may leave nothing.
        select h.*, isempty(range_intersect_agg(h.effective) over (partition by h.relation)) as is_lost from held as h
    )
    select
        h.relation,
        h.effective,
        (h.was_open and not upper_inf(h.effective)) or h.is_lost,
        coalesce(o.relation, b.relation),
        coalesce(o.pos, b.pos)
    from left_over as h
    left join member as o on o.slot = h.slot and o.pos = h.next_open
    left join lateral (
        -- What was bounded and is all taken: the first to take of its last claim.
        select m.relation, m.pos
        from member as m
        where not h.was_open
            and h.is_lost
            and m.slot = h.slot
            and m.pos > h.last_pos
            and m.qualifies
            and m.span && h.last_span
        order by m.pos
        limit 1
    ) as b on true;
end
$function$;
comment on function graphrag._slot_periods(graphrag._claim[], graphrag._relation_pair[]) is 'Per slot and relation: what is left of its claims, and who took over.';

create function graphrag._corrected_claims(claims graphrag._claim[], judged graphrag._relation_pair[])
    returns table (pos integer, corrector bigint, corrector_pos integer)
    language plpgsql stable parallel safe rows 10
as $function$
-- The claims that lose their whole valid time: in a slot, a later document that corrects theirs states something else
-- of a time that they speak of, or another period of the same. What is corrected itself corrects nothing: since who
-- corrects comes later, that is settled from the latest claim on, in as many rounds as corrections of corrections
-- there are.
declare
    _corrected integer[];
    _correctors integer[];
    _relations bigint[];
    _void integer[] := '{}';
    _next integer[];
begin
    if not exists (select from unnest(claims) as c where c.corrects is not null) then
        return;
    end if;
    select array_agg(e.pos), array_agg(e.by), array_agg(e.relation)
    into _corrected, _correctors, _relations
    from (
        select distinct m.pos, k.pos as by, k.relation
        from graphrag._slot_members(claims, judged) as m
        join graphrag._slot_members(claims, judged) as k on k.slot = m.slot
            and k.relation <> m.relation
            and k.pos > m.pos
            and k.qualifies
            and coalesce(k.claim, '(,)') && coalesce(m.claim, '(,)')
        join unnest(claims) as old on old.pos = m.pos
        join unnest(claims) as new on new.pos = k.pos and old.document = any (new.corrects)
        union
        select old.pos, new.pos, new.relation
        from unnest(claims) as new
        join unnest(claims) as old on old.relation = new.relation
            and old.document = any (new.corrects)
            and old.pos < new.pos
        where new.qualifies
            and new.claim is not null
            and not exists (
                select
                from unnest(claims) as same
                where same.relation = new.relation
                    and same.document = new.document
                    and same.claim is not distinct from old.claim
            )
    ) as e;
    loop
        _next := array(
            select distinct e.pos
            from unnest(_corrected, _correctors) as e (pos, by)
            where e.by <> all (_void)
            order by e.pos
        );
        exit when _next = _void;
        _void := _next;
    end loop;
    return query
    select distinct on (e.pos) e.pos, e.relation, e.by
    from unnest(_corrected, _correctors, _relations) as e (pos, by, relation)
    where e.by <> all (_void)
    order by e.pos, e.by;
end
$function$;
comment on function graphrag._corrected_claims(graphrag._claim[], graphrag._relation_pair[]) is 'The claims that a later document corrects, with the first that does.';

create function graphrag._relation_states(claims graphrag._claim[], judged graphrag._relation_pair[] default '{}')
    returns graphrag._relation_state[]
    language plpgsql stable parallel safe
as $function$
declare
    _corrected integer[];
    _correctors bigint[];
    _standing graphrag._claim[] := claims;
begin
    select array_agg(c.pos order by c.corrector_pos, c.pos), array_agg(c.corrector order by c.corrector_pos, c.pos)
    into _corrected, _correctors
    from graphrag._corrected_claims(claims, judged) as c;
    if _corrected is not null then
        _standing := array(select c from unnest(claims) as c where c.pos <> all (_corrected));
    end if;
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
                max(c.confidence) as confidence
            from unnest(claims) as c
            group by c.relation
        ),
        stated as (
            select
                c.relation,
                -- Outside slots an undated relation is always valid, and restating one never erases a stated period.
                coalesce(range_agg(coalesce(k.claim, c.claim)) filter (where c.claim is not null), '{(,)}') as stated
            from unnest(_standing) as c
            left join graphrag._completed_claims(_standing) as k on k.pos = c.pos
            group by c.relation
        ),
        corrected as (
            select c.relation, (array_agg(k.corrector order by k.no))[1] as corrector
            from unnest(_corrected, _correctors) with ordinality as k (pos, corrector, no)
            join unnest(claims) as c on c.pos = k.pos
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
            from graphrag._slot_periods(_standing, judged) as s
            group by s.relation
        )
        select row(
            n.relation,
            n.subject,
            n.predicate,
            n.object,
            n.value,
            n.negated,
            case when l.is_superseded or t.relation is null then 'superseded' else 'current' end,
            case when t.relation is null then '{}' else coalesce(l.effective, t.stated) end,
            case when t.relation is null then c.corrector else l.successor end,
            n.ord,
            s.weight,
            s.confidence,
            n.content
        )::graphrag._relation_state
        from newest as n
        join summed as s on s.relation = n.relation
        left join stated as t on t.relation = n.relation
        left join slotted as l on l.relation = n.relation
        left join corrected as c on c.relation = n.relation
    );
end
$function$;
comment on function graphrag._relation_states(graphrag._claim[], graphrag._relation_pair[]) is 'The versions that the claimed relations should have now.';

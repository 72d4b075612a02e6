create function graphrag._withdraw_by_hand(realm text, kind text, ids bigint[])
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set extra_float_digits = 1
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
as $function$
-- What somebody deleted from an evidence table: its chunks get successors without it.
declare
    _spaces integer[];
    _space integer;
begin
    perform graphrag._enter(realm);
    _spaces := array(
        select a.space from assertion as a where kind = 'assertion' and a.id = any (ids)
        union
        select m.space from mention as m where kind = 'mention' and m.id = any (ids)
        order by 1
    );
    perform graphrag._lock_spaces(_spaces);
    foreach _space in array _spaces loop
        perform graphrag._withdraw_evidence(_space, kind, graphrag._present_evidence(_space, kind, ids));
    end loop;
end
$function$;
comment on function graphrag._withdraw_by_hand(text, text, bigint[]) is 'Withdraws mentions or assertions that were deleted by hand.';

create function graphrag._present_evidence(space integer, kind text, ids bigint[])
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The rows that stand for these now: in a chunk that another one has replaced, those at the same place in that one. One
-- that is gone already is no mistake; a document that is gone has nothing to withdraw.
declare
    _dead bigint;
begin
    _dead := (
        select g.id
        from (
            select a.id, a.chunk from assertion as a where kind = 'assertion' and a.space = $1 and a.id = any (ids)
            union all
            select m.id, m.chunk from mention as m where kind = 'mention' and m.space = $1 and m.id = any (ids)
        ) as g
        where graphrag._live_successor(g.chunk) is null
        limit 1
    );
    if _dead is not null then
        raise exception '% % cannot be deleted', kind, _dead
            using errcode = 'GR022',
                detail = 'It is of the past: no document that is indexed now has its chunk.',
                hint = 'The view assertions lists those that stand. graphrag.purge() erases history.';
    end if;
    return array(
        select n.id
        from assertion as a
        join assertion as n on n.chunk = graphrag._live_successor(a.chunk) and n.no = a.no
        where kind = 'assertion' and a.space = $1 and a.id = any (ids)
        union
        select n.id
        from mention as m
        join mention as n on n.chunk = graphrag._live_successor(m.chunk) and n.folded = m.folded
        where kind = 'mention' and m.space = $1 and m.id = any (ids)
    );
end
$function$;
comment on function graphrag._present_evidence(integer, text, bigint[]) is 'The live rows that deleted ones stand for; raises GR022 for rows of the past.';

create function graphrag._withdraw_evidence(space integer, kind text, ids bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _revision bigint;
    _chunks bigint[];
    _successors bigint[];
    _places jsonb;
    _needed record;
begin
    if ids = '{}' then
        return;
    end if;
    select m.id, m.surface into _needed
    from mention as m
    join assertion as a on a.chunk = m.chunk and m.folded in (a.subject, a.object)
    where kind = 'mention' and m.id = any (ids)
    limit 1;
    if found then
        raise exception 'mention % of "%" cannot be deleted', _needed.id, left(_needed.surface, 200)
            using errcode = 'GR022',
                detail = 'An assertion of the same chunk speaks of it.',
                hint = 'Delete the assertion first.';
    end if;
    _revision := graphrag._next_revision(space, 'delete');
    _chunks := array(
        select a.chunk from assertion as a where kind = 'assertion' and a.id = any (ids)
        union
        select m.chunk from mention as m where kind = 'mention' and m.id = any (ids)
    );
    _successors := graphrag._make_successors(_chunks);
    _places := graphrag._clear_places(_revision, _chunks);
    perform graphrag._hand_on_evidence(
        _chunks,
        _successors,
        mentions => case when kind = 'mention' then ids else '{}' end,
        assertions => case when kind = 'assertion' then ids else '{}' end
    );
    perform graphrag._take_places(_revision, _places, _chunks, _successors);
    perform graphrag._derive(space, _revision, _chunks || _successors);
    perform graphrag._forget_unplaced(_chunks);
end
$function$;
comment on function graphrag._withdraw_evidence(integer, text, bigint[]) is 'Puts chunks without some of their evidence in the place of those that have it.';

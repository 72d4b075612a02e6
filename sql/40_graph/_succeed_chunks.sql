-- Evidence never changes: where some of a live chunk's has to (a row by hand, a predicate read otherwise), another
-- chunk of the same text takes its place from this revision on, and the past keeps the one it had.

create function graphrag._make_successors(chunks bigint[], hand boolean default false)
    returns bigint[]
    language plpgsql volatile parallel unsafe
as $function$
-- One successor a chunk, in their order, with no evidence yet and not live yet.
declare
    _successors bigint[] := array(select nextval('chunk_id_seq') from unnest(chunks));
begin
    insert into chunk (
        id, document, hash, attempt, content, identifiers, extractor, prompt, vocabulary, is_partial, failure, details
    )
    overriding system value
    select
        m.successor,
        c.document,
        c.hash,
        (select max(k.attempt) from chunk as k where k.document = c.document and k.hash = c.hash) + 1,
        c.content,
        c.identifiers,
        coalesce(c.extractor, case when hand then 'by hand' end),
        c.prompt,
        (select r.vocabulary from realm as r),
        c.is_partial,
        c.failure,
        c.details
    from unnest(chunks, _successors) as m (chunk, successor)
    join chunk as c on c.id = m.chunk;
    return _successors;
end
$function$;
comment on function graphrag._make_successors(bigint[], boolean) is 'Makes for each chunk one of the same text that is to take its place.';

create function graphrag._clear_places(revision bigint, chunks bigint[])
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Ends where chunks stand now, and returns those places. A place taken in this very revision was never believed by
-- anyone.
declare
    _places jsonb;
begin
    with unborn as (
        delete from document_chunk as d
        where d.chunk = any (chunks) and d.died is null and d.born = revision
        returning d.*
    ),
    ended as (
        update document_chunk as d
        set died = revision
        where d.chunk = any (chunks) and d.died is null and d.born < revision
        returning d.*
    )
    select jsonb_agg(to_jsonb(p)) into _places
    from (select * from unborn union all select * from ended) as p;
    return _places;
end
$function$;
comment on function graphrag._clear_places(bigint, bigint[]) is 'Ends the places of chunks in the versions of their documents, and returns them.';

create function graphrag._hand_on_evidence(
    chunks bigint[],
    successors bigint[],
    mentions bigint[] default '{}',
    assertions bigint[] default '{}'
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- All but the named mentions and assertions. A chunk that has stood somewhere keeps its own, and its successor gets
-- copies; one that has stood nowhere gives away what it has, ids included.
begin
    with given as (
        delete from mention as m
        using unnest(chunks, successors) as s (chunk, successor)
        where m.chunk = s.chunk
            and not exists (select from unnest(mentions) as w (id) where w.id = m.id)
            and not exists (select from document_chunk as d where d.chunk = m.chunk)
        returning m, m.id, s.successor
    ),
    copied as (
        select m, nextval('mention_id_seq') as id, s.successor
        from unnest(chunks, successors) as s (chunk, successor)
        join mention as m on m.chunk = s.chunk
        where not exists (select from unnest(mentions) as w (id) where w.id = m.id)
            and exists (select from document_chunk as d where d.chunk = m.chunk)
    )
    insert into mention
    overriding system value
    select n.*
    from (select * from given union all select * from copied) as e
    cross join lateral jsonb_populate_record(e.m, jsonb_build_object(
        'id', e.id,
        'chunk', e.successor,
        'first_reading', coalesce((e.m).first_reading, nullif((e.m).id, e.id))
    )) as n;

    with given as (
        delete from assertion as a
        using unnest(chunks, successors) as s (chunk, successor)
        where a.chunk = s.chunk
            and not exists (select from unnest(assertions) as w (id) where w.id = a.id)
            and not exists (select from document_chunk as d where d.chunk = a.chunk)
        returning a, a.id, s.successor
    ),
    copied as (
        select a, nextval('assertion_id_seq') as id, s.successor
        from unnest(chunks, successors) as s (chunk, successor)
        join assertion as a on a.chunk = s.chunk
        where not exists (select from unnest(assertions) as w (id) where w.id = a.id)
            and exists (select from document_chunk as d where d.chunk = a.chunk)
    )
    insert into assertion
    overriding system value
    select n.*
    from (select * from given union all select * from copied) as e
    cross join lateral jsonb_populate_record(e.a, jsonb_build_object('id', e.id, 'chunk', e.successor)) as n;

    insert into contradiction (assertion, other, model, prompt)
    select copy.id, c.other, c.model, c.prompt
    from unnest(chunks, successors) as s (chunk, successor)
    join assertion as a on a.chunk = s.chunk
    join contradiction as c on c.assertion = a.id
    join assertion as copy on copy.chunk = s.successor and copy.no = a.no;
end
$function$;
comment on function graphrag._hand_on_evidence(bigint[], bigint[], bigint[], bigint[]) is 'Gives the successors of chunks their evidence.';

create function graphrag._take_places(revision bigint, places jsonb, chunks bigint[], successors bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into document_chunk (version, no, chunk, content, start_at, end_at, born)
    select p.version, p.no, s.successor, p.content, p.start_at, p.end_at, revision
    from jsonb_to_recordset(places) as p (
        version bigint,
        no integer,
        chunk bigint,
        content bigint,
        start_at integer,
        end_at integer
    )
    join unnest(chunks, successors) as s (chunk, successor) on s.chunk = p.chunk;
end
$function$;
comment on function graphrag._take_places(bigint, jsonb, bigint[], bigint[]) is 'Puts the successors of chunks in the places that those had.';

create function graphrag._forget_unplaced(chunks bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Those that a later statement of the same transaction has replaced: once derived, what they say is nothing to anyone.
-- The chunks themselves stay, because their ids still lead to what stands now; purge() takes them.
declare
    _unplaced bigint[] := array(
        select c.id
        from unnest(chunks) as c (id)
        where not exists (select from document_chunk as d where d.chunk = c.id)
    );
begin
    if _unplaced <> '{}' then
        perform graphrag._forget_verdicts(_unplaced);
        delete from assertion as a where a.chunk = any (_unplaced);
        delete from mention as m where m.chunk = any (_unplaced);
    end if;
end
$function$;
comment on function graphrag._forget_unplaced(bigint[]) is 'Deletes what those of the chunks say that stand in no version of a document.';

create function graphrag._live_successor(chunk bigint)
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select k.id
        from chunk as c
        join chunk as k on k.document = c.document and k.hash = c.hash
        where c.id = $1 and graphrag._is_live(k.id)
        order by k.attempt desc
        limit 1
    );
end
$function$;
comment on function graphrag._live_successor(bigint) is 'The live chunk that stands for a chunk now: itself, or the one that took its place.';

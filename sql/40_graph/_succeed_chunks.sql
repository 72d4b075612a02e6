-- Evidence never changes: where some of a live chunk's has to (a row by hand, a predicate read otherwise), another chunk
-- of the same text takes its place from this revision on, and the past keeps the one it had.

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

create function graphrag._copy_evidence(
    chunks bigint[],
    successors bigint[],
    mentions bigint[] default '{}',
    assertions bigint[] default '{}'
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- All but the named mentions and assertions.
begin
    insert into mention (
        chunk, space, folded, surface, type, description, aliases, folded_aliases, identifiers, content
    )
    select
        s.successor, m.space, m.folded, m.surface, m.type, m.description, m.aliases, m.folded_aliases, m.identifiers,
        m.content
    from unnest(chunks, successors) as s (chunk, successor)
    join mention as m on m.chunk = s.chunk
    where m.id <> all (mentions);

    insert into assertion (
        chunk, space, no, subject, predicate, object, value, value_number, value_unit, negated, confidence,
        stated_predicate, is_swapped, stated_from, stated_to, claim, takes_slot, description, start_at, end_at, content
    )
    select
        s.successor, a.space, a.no, a.subject, a.predicate, a.object, a.value, a.value_number, a.value_unit, a.negated,
        a.confidence, a.stated_predicate, a.is_swapped, a.stated_from, a.stated_to, a.claim, a.takes_slot,
        a.description, a.start_at, a.end_at, a.content
    from unnest(chunks, successors) as s (chunk, successor)
    join assertion as a on a.chunk = s.chunk
    where a.id <> all (assertions);
end
$function$;
comment on function graphrag._copy_evidence(bigint[], bigint[], bigint[], bigint[]) is 'Gives the successors of chunks their evidence.';

create function graphrag._enact_successors(revision bigint, chunks bigint[], successors bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- A chunk that was put there in this very revision was never believed to be there by anyone.
begin
    with successor (chunk, id) as (
        select * from unnest(chunks, successors)
    ),
    unborn as (
        delete from document_chunk as d
        using successor as s
        where d.chunk = s.chunk and d.died is null and d.born = revision
        returning d.version, d.no, s.id, d.content, d.start_at, d.end_at
    ),
    ended as (
        update document_chunk as d
        set died = revision
        from successor as s
        where d.chunk = s.chunk and d.died is null and d.born < revision
        returning d.version, d.no, s.id, d.content, d.start_at, d.end_at
    )
    insert into document_chunk (version, no, chunk, content, start_at, end_at, born)
    select p.version, p.no, p.id, p.content, p.start_at, p.end_at, revision
    from (select * from unborn union all select * from ended) as p;
end
$function$;
comment on function graphrag._enact_successors(bigint, bigint[], bigint[]) is 'Puts the successors of chunks in their places.';

create function graphrag._forget_unplaced(chunks bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Those that a later statement of the same transaction has replaced: once derived, they are nothing to anyone.
declare
    _unplaced bigint[] := array(
        select c.id
        from unnest(chunks) as c (id)
        where not exists (select from document_chunk as d where d.chunk = c.id)
    );
begin
    if _unplaced <> '{}' then
        delete from assertion as a where a.chunk = any (_unplaced);
        delete from mention as m where m.chunk = any (_unplaced);
        delete from chunk as c where c.id = any (_unplaced);
    end if;
end
$function$;
comment on function graphrag._forget_unplaced(bigint[]) is 'Deletes those of the chunks that stand in no version of a document, with what they say.';

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

create function graphrag._predicates_changed()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The graph is a function of the evidence and of the vocabulary: when the vocabulary changes, every assertion is read
-- again by its stated predicate, and each space in which that matters gets a revision. All spaces are touched: a writer
-- at REPEATABLE READ that began before, and would go on by the old vocabulary, meets that and is refused.
declare
    _space integer;
begin
    perform pg_advisory_xact_lock(graphrag._vocabulary_lock());
    update realm as r set vocabulary = r.vocabulary + 1;
    for _space in select s.id from space as s order by s.id loop
        update space as s set operation = s.operation where s.id = _space;
        perform graphrag._derive_if_changed(_space, 'predicates', true);
    end loop;
end
$function$;
comment on function graphrag._predicates_changed() is 'Brings the graph in line with a changed vocabulary.';

create function graphrag._vocabulary_lock()
    returns bigint
    language sql stable parallel safe
as $function$
-- Shared by those who write documents, exclusive to those who change the vocabulary, until their transactions end: so
-- that no document is read by one vocabulary and stored beside facts that were read by another.
    select hashtextextended('graphrag.vocabulary.' || current_schema, 0)
$function$;
comment on function graphrag._vocabulary_lock() is 'Key of the advisory lock on the current realm''s vocabulary.';

create function graphrag._reread(space integer, revision bigint, chunks bigint[] default null)
    returns bigint[]
    language plpgsql volatile parallel unsafe
as $function$
-- Reads the stated predicates of live chunks by the present vocabulary; NULL chunks: all of the space. Where that is
-- another reading, a successor has it. Returns the successors. It is called for a document too: the vocabulary may have
-- changed while a model was thinking, or since its text was last live.
declare
    _chunks bigint[];
    _assertions bigint[];
    _renewed bigint[];
    _predicates text[];
    _swapped boolean[];
    _successors bigint[];
    _places jsonb;
begin
    if not exists (
        select from chunk as c, realm as r where c.id = any (chunks) and c.vocabulary <> r.vocabulary
    ) and chunks is not null then
        return '{}';
    end if;
    with stated as materialized (
        select a.id, a.chunk, a.stated_predicate, a.predicate, a.is_swapped, a.object is not null as is_edge
        from unnest(
            case
                when chunks is null then array(select distinct e.chunk from assertion as e where e.space = $1)
                else chunks
            end
        ) as c (id)
        join assertion as a on a.chunk = c.id
        where graphrag._is_live(c.id)
    )
    select array_agg(s.chunk), array_agg(s.id), array_agg(r.predicate), array_agg(r.swapped and s.is_edge)
    into _chunks, _assertions, _predicates, _swapped
    from graphrag._resolve_predicates(array(select distinct s.stated_predicate from stated as s)) as r
    join stated as s on s.stated_predicate = r.stated
    where (s.is_edge or not r.swapped)
        and (s.predicate, s.is_swapped) is distinct from (r.predicate, r.swapped and s.is_edge);
    if _chunks is null then
        return '{}';
    end if;
    _chunks := array(select distinct c from unnest(_chunks) as c);
    _successors := graphrag._make_successors(_chunks);
    _places := graphrag._clear_places(revision, _chunks);
    perform graphrag._hand_on_evidence(_chunks, _successors, assertions => _assertions);
    _renewed := array(select nextval('assertion_id_seq') from unnest(_assertions));
    insert into assertion
    overriding system value
    select n.*
    from unnest(_assertions, _renewed, _predicates, _swapped) as r (id, renewed, predicate, swapped)
    join assertion as a on a.id = r.id
    join unnest(_chunks, _successors) as s (chunk, successor) on s.chunk = a.chunk
    cross join lateral jsonb_populate_record(a, jsonb_build_object(
        'id', r.renewed,
        'chunk', s.successor,
        'predicate', r.predicate,
        'is_swapped', r.swapped,
        'subject', case when r.swapped <> a.is_swapped then a.object else a.subject end,
        'object', case when r.swapped <> a.is_swapped then a.subject else a.object end
    )) as n;
    perform graphrag._renew_verdicts(_assertions, _renewed);
    perform graphrag._take_places(revision, _places, _chunks, _successors);
    return _successors;
end
$function$;
comment on function graphrag._reread(integer, bigint, bigint[]) is 'Brings the assertions of live chunks in line with the present vocabulary; returns the chunks that now say otherwise.';

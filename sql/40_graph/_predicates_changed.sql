create function graphrag._predicates_changed()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The graph is a function of the evidence and of the vocabulary: when the vocabulary changes, every assertion is read
-- again by its stated predicate, and each space in which that matters gets a revision.
declare
    _space integer;
begin
    perform pg_advisory_xact_lock(graphrag._vocabulary_lock());
    update realm as r set vocabulary = r.vocabulary + 1;
    for _space in select s.id from space as s order by s.id loop
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

create function graphrag._resolve_new_assertions(plan graphrag._document_plan)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The vocabulary may have changed since the document was prepared, which can take as long as a model thinks.
begin
    if plan.vocabulary is distinct from (select r.vocabulary from realm as r) then
        perform graphrag._resolve_assertions(plan.space);
    end if;
end
$function$;
comment on function graphrag._resolve_new_assertions(graphrag._document_plan) is 'Reads the predicates of a document again if the vocabulary changed while it was prepared.';

create function graphrag._resolve_assertions(space integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    update assertion as a
    set predicate = r.predicate,
        is_swapped = r.swapped and a.object is not null,
        subject = case when a.object is not null and r.swapped <> a.is_swapped then a.object else a.subject end,
        object = case when a.object is not null and r.swapped <> a.is_swapped then a.subject else a.object end
    from graphrag._resolve_predicates(
        array(select distinct s.stated_predicate from assertion as s where s.space = $1)
    ) as r
    where a.space = $1
        and r.stated = a.stated_predicate
        and (a.object is not null or not r.swapped)
        and (a.predicate, a.is_swapped) is distinct from (r.predicate, r.swapped and a.object is not null);
end
$function$;
comment on function graphrag._resolve_assertions(integer) is 'Reads the stated predicates of a space against the present vocabulary.';

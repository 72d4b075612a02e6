create function graphrag._order_kinds(space integer)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- A lookup a kind in the index that has this very expression.
begin
    return array(
        select k.kind
        from unnest('{ordinal, published_at, indexing}'::text[]) as k (kind)
        where exists (
            select
            from document_version as v
            where v.space = $1
                and v.died is null
                and case
                    when v.ordinal is not null then 'ordinal'
                    when v.published_at is not null then 'published_at'
                    else 'indexing'
                end = k.kind
        )
    );
end
$function$;
comment on function graphrag._order_kinds(integer) is 'By what the documents of a space are ordered: ordinal, published_at, first indexing.';

create function graphrag._order_kind(plan graphrag._document_plan)
    returns text
    language sql immutable parallel safe
as $function$
    select case
        when plan.ordinal is not null then 'ordinal'
        when plan.published_at is not null then 'published_at'
        else 'indexing'
    end
$function$;
comment on function graphrag._order_kind(graphrag._document_plan) is 'By what a document is ordered among the others.';

create function graphrag._warn_of_mixed_order(space integer, before text[], added text[])
    returns void
    language plpgsql stable parallel unsafe
as $function$
-- Only when a kind joins others; a space that stays mixed does not complain again with each document.
declare
    _kinds text[];
begin
    if added <@ before then
        return;
    end if;
    _kinds := graphrag._order_kinds(space);
    if cardinality(_kinds) > 1 and not _kinds <@ before then
        raise warning 'space "%" mixes documents ordered by %',
            (select s.name from space as s where s.id = $1), array_to_string(_kinds, ', ')
            using detail = case
                    when 'ordinal' = any (_kinds) then
                        'An ordinal is compared with the seconds of a date as a number, so what is newer is chance.'
                    else
                        'A document without published_at counts as of the time when it was first indexed.'
                end,
                hint = 'Give every document of a space an ordinal, or every one published_at.';
    end if;
end
$function$;
comment on function graphrag._warn_of_mixed_order(integer, text[], text[]) is 'Warns if the documents of a space have come to be ordered by more than one kind of number.';

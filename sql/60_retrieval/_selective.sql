create function graphrag._few(kind text)
    returns integer
    language plpgsql stable parallel safe
as $function$
-- How many texts are few: to compare so many with the question one by one costs less than to have an index of all the
-- realm's bring them in order and throw the others away. A thousand in any case, a tenth of the texts up to 3,000, and
-- a hundredth of them beyond.
begin
    return (
        select greatest(1000, least(3000, sum(s.texts) / 10), sum(s.texts) / 100)
        from term_total as s
        where s.kind = $1 and s.died is null
    );
end
$function$;
comment on function graphrag._few(text) is 'Up to how many texts of a kind are compared one by one.';

create function graphrag._selected(kind text, filter graphrag._filter)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The texts that a selective filter leaves, a superset of what the read may see; NULL if they are not few.
declare
    _few integer := graphrag._few(kind);
    _is_past boolean := 9223372036854775806 > any (filter.revisions);
    _texts double precision := (
        select sum(s.texts) from term_total as s where s.space = any (filter.spaces) and s.kind = $1 and s.died is null
    );
    _found bigint[];
begin
    if _texts <= _few / 2 then
        -- With those that are in the space no longer; statistics may be a little old.
        _found := array(
            select t.id from content as t where t.space = any (filter.spaces) and t.kind = $1 limit 2 * _few + 1
        );
        return case when cardinality(_found) <= 2 * _few then _found end;
    elsif _is_past then
        return null;
    elsif kind = 'chunk' and filter.metadata_filter is not null then
        _found := array(
            select k.content
            from document_version as v
            join document_chunk as k on k.version = v.id
            where v.metadata @> filter.metadata_filter and v.died is null
            limit _few + 1
        );
    elsif kind = 'relation' and filter.relation_types is not null then
        _found := array(
            select v.content
            from relation_version as v
            where v.predicate = any (filter.relation_types) and v.died is null
            limit _few + 1
        );
    elsif kind = 'entity' and filter.entity_types is not null then
        _found := array(
            select v.content
            from entity_version as v
            where v.types && filter.entity_types and v.died is null
            limit _few + 1
        );
    end if;
    return case when cardinality(_found) <= _few then _found end;
end
$function$;
comment on function graphrag._selected(text, graphrag._filter) is 'The texts that a selective filter leaves, to be compared one by one; NULL if the vector index is quicker.';

create function graphrag.gate_predicate(predicate text, realm text default null)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm, must_exist => realm is not null);
    return graphrag._predicate_reason(predicate);
end
$function$;
comment on function graphrag.gate_predicate(text, text) is 'Why a text is no predicate (malformed, over_long, vague_predicate); null if it is one.';

create function graphrag._predicate_reason(predicate text)
    returns text
    language plpgsql stable parallel safe
as $function$
declare
    _predicate text := graphrag._normalize_predicate(predicate);
begin
    return case
        when _predicate is null or _predicate !~ '[^0-9_]' or not graphrag._has_letter(_predicate) then 'malformed'
        when length(_predicate) > 100 then 'over_long'
        when graphrag._gate_words(array[_predicate]) ? ('vague_predicate ' || _predicate) then 'vague_predicate'
    end;
end
$function$;
comment on function graphrag._predicate_reason(text) is 'What the predicate gate says, in the current realm.';

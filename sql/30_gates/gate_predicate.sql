create function graphrag.gate_predicate(predicate text)
    returns text
    language plpgsql stable parallel safe
as $function$
declare
    _predicate text := graphrag._normalize_predicate(predicate);
begin
    return case
        when _predicate is null or _predicate !~ '[^0-9_]' then 'malformed'
        when length(_predicate) > 100 then 'over_long'
        when graphrag._gate_words(array[_predicate]) ? ('vague_predicate ' || _predicate) then 'vague_predicate'
    end;
end
$function$;
comment on function graphrag.gate_predicate(text) is 'Why a text is no predicate (malformed, over_long, vague_predicate); null if it is one.';

create function graphrag._normalize_predicate(predicate text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- Lower case; blanks, hyphens, stops, slashes and camelCase become underscores; other symbols go, letters and marks of
-- every script stay. Auxiliaries at the beginning go while more than two characters are left: is_located_in gives
-- located_in, but is_a stays. Normalising twice changes nothing.
declare
    _predicate text := predicate;
begin
    if _predicate ~ '[a-z0-9][A-Z]' then
        _predicate := regexp_replace(_predicate, '([a-z0-9])(?=[A-Z])', '\1_', 'g');
        _predicate := regexp_replace(_predicate, '([A-Z])(?=[A-Z][a-z])', '\1_', 'g');
    end if;
    if octet_length(_predicate) > length(_predicate) then
        _predicate := graphrag._lower(normalize(_predicate, nfkc));
        _predicate := regexp_replace(
            _predicate,
            '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2010-\u2027\u2030-\u205e\u20a0-\u20cf'
                '\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u3030\ue000-\uf8ff\ufe10-\ufe6f\U0001f000-\U0001faff]+',
            '_',
            'g'
        );
        _predicate := regexp_replace(
            _predicate, '[\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufe00-\ufe0f\ufeff]+', '', 'g'
        );
    else
        _predicate := lower(_predicate collate "C");
    end if;
    if _predicate ~ '[^a-z0-9_\u0080-\U0010ffff]|__|^_|_$' then
        _predicate := translate(_predicate, '`''"$;!?()[]{}<>*#@%^&=+\~', '');
        _predicate := btrim(regexp_replace(_predicate, '[^a-z0-9\u0080-\U0010ffff]+', '_', 'g'), '_');
    end if;
    return regexp_replace(
        _predicate, '^(?:(?:is|was|are|were|be|been|being|am|has|have|had|having|did|does|do)_)+(?=...)', ''
    );
end
$function$;
comment on function graphrag._normalize_predicate(text) is 'A predicate as it is stored: lower case, words joined by underscores, no auxiliary in front.';

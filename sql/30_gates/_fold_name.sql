create function graphrag._fold_name(name text)
    returns text
    language plpgsql immutable strict parallel safe cost 20
as $function$
-- What two spellings of one name have in common. In order:
--   case, diacritics (Latin, Greek and Cyrillic marks, ø ł đ ı æ œ ß; Arabic and Hebrew points; letters of other
--   scripts keep their vowel signs), compatibility forms, zero-width and control characters, ™ ® ℠: gone;
--   apostrophes of any kind: dropped (O'Neil = O’Neil = ONeil);
--   a full stop that ends a word of letters: dropped (Inc. = Inc); initials written with stops are run together
--   (J. R. R. = J.R.R. = JRR), all other punctuation stays (C, C++, C#, .NET, 3.1.2 are five names);
--   blanks, hyphens, dashes and underscores: dropped (data hub = data-hub = DataHub), but one stays, as a blank,
--   between two digits (3 1 is not 31) and beside a word of one letter (Ann E Smith is not Anne Smith);
--   a hyphen at the very end stays (BBB- is not BBB).
-- Never '' for a name with a letter or a digit.
declare
    _folded text := name;
    _kept text;
begin
    if octet_length(_folded) > length(_folded) then
        _folded := regexp_replace(graphrag._fold_letters(_folded), '[‐‑‒–—―⁃−⸺⸻‿⁀・·]', ' ', 'g');
    else
        _folded := lower(_folded collate "C");
    end if;
    _folded := translate(_folded, E'\t\n\x0b\f\r_-''`\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x1b\x1f\x7f', '       ');
    if position('.' in _folded) > 0 then
        _folded := regexp_replace(_folded, '(?<![a-z0-9])([a-z])\. ?(?=[a-z]\.)', '\1', 'g');
        _folded := regexp_replace(_folded, '(?<=[^ 0-9[:punct:]])\.(?= |$)', '', 'g');
    end if;
    _folded := btrim(_folded);
    if position(' ' in _folded) > 0 then
        -- \x1f marks the separators that stay
        _folded := regexp_replace(
            _folded,
            '(?<=[0-9]) +(?=[0-9])|(?<=(?:^|[^a-z0-9])[a-z]) +(?=[a-z])|(?<=[a-z]) +(?=[a-z](?:[^a-z0-9]|$))',
            E'\x1f',
            'g'
        );
        _folded := translate(_folded, E'\x1f ', ' ');
    end if;
    _kept := case when name like '%_-' and _folded <> '' then _folded || '-' else _folded end;
    return coalesce(nullif(_kept, ''), lower(btrim(name) collate "C"));
end
$function$;
comment on function graphrag._fold_name(text) is 'The form in which spellings of one name are equal: case, diacritics, apostrophes, hyphens and blanks folded.';

create function graphrag._name_key(name text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- An elided article becomes a word of its own: l'auteur gives l' auteur.
declare
    _key text := btrim(name);
    _elision integer;
begin
    if octet_length(_key) > length(_key) then
        _key := translate(normalize(_key, nfkc), '’٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '''01234567890123456789');
        _key := graphrag._lower(_key);
    else
        _key := lower(_key collate "C");
    end if;
    _elision := position('''' in _key);
    if _elision between 2 and 6 and substr(_key, _elision + 1, 1) not in (' ', '') then
        _key := left(_key, _elision) || ' ' || substr(_key, _elision + 1);
    end if;
    return _key;
end
$function$;
comment on function graphrag._name_key(text) is 'A name as gate words are written: lower case, one form of apostrophe and of digits.';

create function graphrag._has_letter(key text)
    returns boolean
    language sql immutable parallel safe
as $function$
-- Or a digit, or an emoji, which are names; dashes, arrows, marks on nothing and what nobody sees are none. Of what
-- Unicode counts as letters, two Hangul fillers and the kashida are not to be seen.
    select case
        when octet_length(key) = length(key) then key ~ '[[:alnum:]]'
        else key collate "und-x-icu" ~ '(?![\u115f\u1160\u0640])[[:alnum:]\u2600-\u26ff\U0001f000-\U0001faff]'
    end
$function$;
comment on function graphrag._has_letter(text) is 'Whether a name or predicate, normalised, has a letter, digit or emoji.';

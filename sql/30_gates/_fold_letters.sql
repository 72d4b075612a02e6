create function graphrag._fold_letters(letters text)
    returns text
    language sql immutable strict parallel safe
as $function$
-- NFKD, so that marks stand alone; only those of U+0300–036F and the Arabic and Hebrew points go, so that Hangul, kana
-- and Indic vowel signs survive the way back to NFKC. Upper case first: ß and final sigma have no other way to fold.
-- Regular expressions and replace(), because translate() compares every character with every other.
    select normalize(
        replace(replace(replace(replace(replace(replace(replace(replace(replace(
            lower(upper(
                regexp_replace(
                    normalize(
                        regexp_replace(regexp_replace(letters, '[’‘‛ʼʻʾʿ＇´׳ʹꞌ]', '''', 'g'), '[™®℠]', '', 'g'),
                        nfkd
                    ),
                    '[\u0300-\u036f\u064b-\u0652\u0670\u0640\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7'
                        '\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff'
                        '\ufe00-\ufe0f\x80-\x9f]+',
                    '',
                    'g'
                ) collate "und-x-icu"
            ) collate "und-x-icu"),
            'ς', 'σ'), 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ı', 'i'), 'æ', 'ae'), 'œ', 'oe'), 'ð', 'd'), 'þ', 'th'),
        nfkc
    )
$function$;
comment on function graphrag._fold_letters(text) is 'Case, diacritics, compatibility forms and apostrophes of a text folded; zero-width characters gone.';

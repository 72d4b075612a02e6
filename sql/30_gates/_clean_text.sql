create function graphrag._clean_text(content text)
    returns text
    language sql immutable strict parallel safe
as $function$
-- A text as it is stored. Zero-width joiners stay: emoji, Persian and Indic scripts need them.
    select regexp_replace(
        regexp_replace(content, '\r\n?|\u0085', E'\n', 'g'),
        '[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]+',
        '',
        'g'
    )
$function$;
comment on function graphrag._clean_text(text) is 'A text with LF line ends, without byte order mark, control characters and zero-width spaces; joiners survive.';

create function graphrag._clean_text(content text)
    returns text
    language sql immutable strict parallel safe
as $function$
-- A text as it is stored. Zero-width joiners stay: emoji, Persian and Indic scripts need them.
    select translate(
        regexp_replace(ltrim(content, E'\ufeff'), E'\r\n?', E'\n', 'g'),
        E'\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e'
            '\x1f\x7f\u0080\u0081\u0082\u0083\u0084\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f\u0090'
            '\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f\u200b\u2060'
            '\ufeff',
        ''
    )
$function$;
comment on function graphrag._clean_text(text) is 'A text with LF line ends, without byte order mark, control characters and zero-width spaces; joiners survive.';

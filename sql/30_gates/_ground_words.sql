create function graphrag._ground_words(content text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- Every run of blanks and punctuation is one blank, so that ' ada lovelace ' is found as whole words; + and # are part
-- of words (C++). An apostrophe separates: Scrooge's holds scrooge.
begin
    return ' ' || btrim(regexp_replace(
        case
            when octet_length(content) > length(content) then graphrag._fold_letters(content)
            else lower(content collate "C")
        end,
        '[\x01-\x22\x24-\x2a\x2c-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\u00a0-\u00bf\u2010-\u205e\u3000-\u3004\u3008-\u301f\u30fb'
            '\u060c\u061b\u061f\u06d4\u0964]+',
        ' ',
        'g'
    )) || ' ';
end
$function$;
comment on function graphrag._ground_words(text) is 'A text as folded words between blanks, to look for names in.';

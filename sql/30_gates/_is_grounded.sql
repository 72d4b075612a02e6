create function graphrag._is_grounded(name text, ground text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- ground: graphrag._ground_words() of the text. Whole words; the blanks inside may be missing on either side (DataHub,
-- data hub) and a plural or genitive s may follow. In scripts that join words, anywhere: CJK, Thai; Hangul takes
-- particles, Arabic and Hebrew prefixes and suffixes.
declare
    _words text := graphrag._ground_words(name);
    _letters text := replace(_words, ' ', '');
begin
    if _letters = '' then
        return false;
    elsif position(_words in ground) > 0 then
        return true;
    elsif octet_length(_letters) > length(_letters)
        and _letters ~ (
            '[\u0590-\u074f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3'
            '\U00020000-\U0003ffff]'
        )
    then
        return position(_letters in replace(ground, ' ', '')) > 0;
    elsif length(_letters) > 100 or position(left(_letters, 1) in ground) = 0 then
        return false;
    end if;
    -- A blank may follow each letter; in brackets, every sign is itself.
    return ground ~ format(
        ' %s(?:e?s)? ', (
            select string_agg(format('[%s]', case when l in ('^', '\', ']', '[') then '\' || l else l end), ' ?')
            from regexp_split_to_table(_letters, '') as l
        )
    );
end
$function$;
comment on function graphrag._is_grounded(text, text) is 'Whether a name occurs in a text that graphrag._ground_words() prepared.';

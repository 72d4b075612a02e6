create function graphrag._is_grounded(name text, ground text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- ground: graphrag._ground_words() of the text. Whole words; the blanks inside may be missing on either side (DataHub,
-- data hub) and a plural or genitive s may stand on either side alone. The text may have initials where the name has
-- none (Ann Gray, Ann B. Gray). The name may have what a model adds: an article in front, an abbreviation in
-- parentheses that the text has or that is made of its initials. In scripts that join words, anywhere: CJK, Thai;
-- Hangul takes particles, Arabic and Hebrew prefixes and suffixes.
declare
    _words text := graphrag._ground_words(name);
    _letters text := replace(_words, ' ', '');
    _part text[];
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
    elsif length(_letters) > 100 then
        return false;
    elsif name like '%_(%)' then
        _part := regexp_match(name, '^(.*\S)\s*\(([^()]+)\)$');
        return coalesce(
            graphrag._is_grounded(_part[1], ground)
            and (graphrag._is_grounded(_part[2], ground) or graphrag._is_acronym(_part[2], _part[1])),
            false
        );
    end if;
    _words := regexp_replace(
        _words,
        '^ (?:the|an?|der|die|das|den|dem|des|ein|eine[nmrs]?|l|la|le|les|une?|el|los|las|il|lo|gli|os?|uma?|de|het|een) '
            '(?=.{4})',
        ' '
    );
    -- A pattern is dear to make: not where the letters, or the words one by one, are not there at all.
    return (
            position(rtrim(replace(_words, ' ', ''), 's') in replace(ground, ' ', '')) > 0
            or (
                select count(*) > 1 and bool_and(position(' ' || rtrim(w.word, 's') in ground) > 0)
                from string_to_table(btrim(_words), ' ') as w (word)
            )
        )
        and ground ~ graphrag._ground_pattern(btrim(_words));
end
$function$;
comment on function graphrag._is_grounded(text, text) is 'Whether a name occurs in a text that graphrag._ground_words() prepared.';

create function graphrag._ground_pattern(words text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- A blank may follow each letter, initials each word. In brackets, every sign is itself.
begin
    return (
        select format(
            ' %s(?:e?s)? ',
            string_agg(
                case
                    when l.letter = ' ' then '(?:[a-z] ){0,2}'
                    when l.letter = 's' and l.no = length(words) and words ~ '.{3}[^s]s$' then '(?:e?s)?'
                    else format(
                        '[%s] ?', case when l.letter in ('^', '\', ']', '[') then '\' || l.letter else l.letter end
                    )
                end,
                ''
                order by l.no
            )
        )
        from regexp_split_to_table(words, '') with ordinality as l (letter, no)
    );
end
$function$;
comment on function graphrag._ground_pattern(text) is 'A regular expression for the ways in which a text that graphrag._ground_words() prepared may write a name.';

create function graphrag._is_acronym(short text, long text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- IRS of the Internal Revenue Service, DoE of the Department of Energy: the first letters, those of small words or not.
begin
    return (
        select upper(short collate "und-x-icu") in (
            upper(regexp_replace(n.name, '(\w)\w*[^\w]*', '\1', 'g') collate "und-x-icu"),
            regexp_replace(regexp_replace(n.name, '\m[[:lower:]]\w*', '', 'g'), '(\w)\w*[^\w]*|\W+', '\1', 'g')
        )
        from (select regexp_replace(long, '^(the|an?) ', '', 'i')) as n (name)
    );
end
$function$;
comment on function graphrag._is_acronym(text, text) is 'Whether a short name is made of the first letters of a long one.';

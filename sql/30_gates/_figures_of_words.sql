create function graphrag._figures_of_words(value text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- A quantity that begins with a number in words, with the number in figures: fifteen percent, over ten employees, two
-- hundred million dollars, a dozen, half a million. Its last scale word stays one. Null if it does not begin so.
declare
    _part text[] := regexp_match(
        value,
        '^((?:over|more than|at least|less than|under|up to|below|above|fewer than|at most|approximately|about|around'
            '|roughly|nearly|almost|circa) )?(half (?=a ))?(.+)$'
    );
    _words text[] := string_to_array(
        regexp_replace(_part[3], '^an? (?=(dozen|hundred|thousand|(m|b|tr)illion)\M)', 'one '), ' '
    );
    _number numeric;
    _n integer;
    _rest text;
begin
    if _part[3] ~ '^(a half|(one|two|a)[ -]thirds?|one[ -]half)( of |$)' then
        _number := case when _part[3] ~ 'half' then 0.5 when _part[3] like 'two%' then 0.6667 else 0.3333 end;
        return concat(_part[1], _number, ' ' || substring(_part[3] from ' of (?:the )?(.+)$'));
    end if;
    select max(i.n)
    into _n
    from generate_series(1, least(cardinality(_words), 10)) as i (n)
    where graphrag._number_in_words(array_to_string(_words[:i.n], ' ')) is not null;
    if _n is null then
        return null;
    end if;
    _number := graphrag._number_in_words(array_to_string(_words[:_n], ' '));
    if _words[_n + 1] = 'dozen' then
        _number := 12 * _number;
        _n := _n + 1;
    elsif _n > 1 and _words[_n] = any ('{thousand,million,billion,trillion}') then
        _n := _n - 1;
        _number := graphrag._number_in_words(array_to_string(_words[:_n], ' '));
    end if;
    _rest := array_to_string(_words[_n + 1:], ' ');
    -- Two of the founders, one another.
    if _rest ~ '^(of|or|and|in|at|to|the|more|other|another|by|for|from|with|on|after|before)\M' then
        return null;
    end if;
    return concat(_part[1], case when _part[2] is not null then _number / 2 else _number end, ' ' || nullif(_rest, ''));
end
$function$;
comment on function graphrag._figures_of_words(text) is 'A quantity in words with its number in figures; null if it begins with no number.';

create function graphrag._figures_of_fractions(value text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- 1/2 mile, 2 1/2 cups, 3½ as 0.5 mile, 2.5 cups, 3.5. Only common fractions: 9/11 and 24/7 are names, 1/2/2020 a date.
declare
    _value text := value;
    _part text[];
begin
    if octet_length(_value) > length(_value) and _value ~ '[¼-¾⅐-⅞]' then
        _value := replace(btrim(normalize(regexp_replace(_value, ' ?([¼-¾⅐-⅞])', ' \1'), nfkc)), '⁄', '/');
    end if;
    _part := regexp_match(
        _value,
        '^(?:(\d{1,6}) )?([1-9]\d?)/(2|3|4|5|6|7|8|9|10|12|16|20|32|64|100|1000)(?: (?:of (?:the )?)?(\D+))?$'
    );
    if _part is null or _part[2]::integer >= _part[3]::integer then
        return _value;
    end if;
    return concat_ws(
        ' ',
        trim_scale(round(coalesce(_part[1]::numeric, 0) + _part[2]::numeric / _part[3]::numeric, 4)),
        _part[4]
    );
end
$function$;
comment on function graphrag._figures_of_fractions(text) is 'A value that begins with a common fraction, with that as a decimal number.';

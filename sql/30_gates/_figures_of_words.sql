create function graphrag._begins_with_number(value text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- Most objects do not, and need no closer look.
declare
    _first text := split_part(split_part(value, ' ', 1), '-', 1);
begin
    return _first = any (
            '{a,an,half,zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,'
            'sixteen,seventeen,eighteen,nineteen,twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety,hundred,thousand,'
            'million,billion,trillion}'
        )
        or graphrag._qualifier(value) <> ''
        or graphrag._cardinal(_first) is not null;
end
$function$;
comment on function graphrag._begins_with_number(text) is 'Whether the first word of a text is a number, or may stand before one.';

create function graphrag._qualifier(value text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- With the blank after it; '' if there is none.
declare
    _words text[] := (string_to_array(value, ' '))[:3];
    _qualifier text;
begin
    for _n in 1 .. cardinality(_words) loop
        _qualifier := array_to_string(_words[:_n], ' ');
        if graphrag._is_bound(_qualifier) is not null then
            return _qualifier || ' ';
        end if;
    end loop;
    return '';
end
$function$;
comment on function graphrag._qualifier(text) is 'The words before a quantity that make it a bound or an estimate.';

create function graphrag._is_bound(words text)
    returns boolean
    language sql immutable strict parallel safe
as $function$
    select (
        '{"over": true, "more than": true, "at least": true, "less than": true, "under": true, "up to": true,
          "below": true, "above": true, "fewer than": true, "at most": true, "approximately": false, "approx.": false,
          "about": false, "around": false, "roughly": false, "nearly": false, "almost": false, "circa": false,
          "ca.": false, "c.": false,
          "über": true, "mehr als": true, "mindestens": true, "weniger als": true, "höchstens": true, "bis zu": true,
          "rund": false, "etwa": false, "ungefähr": false, "fast": false, "knapp": false,
          "plus de": true, "moins de": true, "au moins": true, "au plus": true, "jusqu''à": true, "environ": false,
          "près de": false, "à peu près": false, "presque": false,
          "más de": true, "menos de": true, "al menos": true, "hasta": true, "aproximadamente": false, "unos": false,
          "unas": false, "cerca de": false, "casi": false,
          "oltre": true, "più di": true, "meno di": true, "almeno": true, "fino a": true, "quasi": false}'::jsonb
        ->> words
    )::boolean
$function$;
comment on function graphrag._is_bound(text) is 'Whether words before a quantity make it a bound (true) or an estimate (false); null if neither.';

create function graphrag._figures_of_words(value text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- A quantity that begins with a number in words, with the number in figures: fifteen percent, over ten employees, two
-- hundred million dollars, a dozen, half a million. Its last scale word stays one. Null if it does not begin so.
declare
    _qualifier text := graphrag._qualifier(value);
    _text text := substr(value, length(_qualifier) + 1);
    _is_half boolean := _text like 'half a %';
    _first text;
    _second text;
    _word text;
    _prefix text := '';
    _digits text;
    _rest text;
    _number numeric;
begin
    if _is_half then
        _text := substr(_text, length('half ') + 1);
    end if;
    _first := split_part(_text, ' ', 1);
    _second := split_part(_text, ' ', 2);
    if _first in ('one-half', 'one-third', 'two-thirds') then
        _second := split_part(_first, '-', 2);
        _first := split_part(_first, '-', 1);
    end if;
    if _first in ('a', 'one', 'two') and _second in ('half', 'third', 'thirds') then
        _number := case when _second = 'half' then 0.5 when _first = 'two' then 0.6667 else 0.3333 end;
        _rest := substr(_text, length(_first) + length(_second) + 3);
        -- A third party is no third.
        return case
            when split_part(_rest, ' ', 1) in ('', 'of')
                then rtrim(_qualifier || _number || ' ' || regexp_replace(_rest, '^of (the )?', ''))
        end;
    elsif _first in ('a', 'an') then
        if _second not in ('dozen', 'hundred', 'thousand', 'million', 'billion', 'trillion') then
            return null;
        end if;
        _text := 'one' || substr(_text, length(_first) + 1);
    end if;
    for _i in 1..10 loop
        _word := split_part(_text, ' ', _i);
        exit when _word = '';
        _prefix := ltrim(_prefix || ' ' || _word);
        if graphrag._number_in_words(_prefix) is not null then
            _digits := _prefix;
        elsif _word not in ('and', 'y', 'et') then
            exit;
        end if;
    end loop;
    _rest := substr(_text, length(_digits) + 2);
    -- Two of the founders, one another.
    if _digits is null
        or split_part(_rest, ' ', 1) in (
            'of', 'or', 'and', 'in', 'at', 'to', 'the', 'more', 'other', 'another', 'by', 'for', 'from', 'with', 'on',
            'after', 'before', 'von', 'der', 'die', 'das', 'des', 'oder', 'und', 'im', 'am', 'zu', 'mehr', 'de', 'du',
            'ou', 'et', 'à', 'o', 'y', 'en', 'que', 'qui', 'di', 'e', 'del', 'dei', 'delle', 'che'
        )
        -- They mean other things in English, unless a measure follows.
        or (
            _digits in ('once', 'due', 'elf', 'seize', 'sept', 'cent', 'cento')
            and not graphrag._is_measure(_rest)
        ) then
        return null;
    end if;
    _number := graphrag._number_in_words(_digits);
    _word := split_part(_digits, ' ', -1);
    if split_part(_rest, ' ', 1) = 'dozen' then
        _number := 12 * _number;
        _rest := substr(_rest, length('dozen ') + 1);
    elsif _digits <> _word and _word in ('thousand', 'million', 'billion', 'trillion') then
        _number := graphrag._number_in_words(left(_digits, -length(_word) - 1));
        _rest := _word || ' ' || _rest;
    end if;
    return rtrim(_qualifier || case when _is_half then _number / 2 else _number end || ' ' || _rest);
end
$function$;
comment on function graphrag._figures_of_words(text) is 'A quantity in words with its number in figures; null if it begins with no number.';

create function graphrag._is_measure(rest text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
begin
    return graphrag._scale(rest, true) <> 1
        or graphrag._currency(rest) is not null
        or graphrag._is_percent(rest)
        or graphrag._unit_code(rest) is not null;
end
$function$;
comment on function graphrag._is_measure(text) is 'Whether what follows a number is a scale, a currency, a percentage or a known unit.';

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
    if position('/' in _value) = 0 then
        return _value;
    end if;
    _part := regexp_match(
        _value,
        '^(?:([0-9]{1,6}) )?([1-9][0-9]?)/(2|3|4|5|6|7|8|9|10|12|16|20|32|64|100|1000)(?: (?:of (?:the )?)?([^0-9]+))?$'
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

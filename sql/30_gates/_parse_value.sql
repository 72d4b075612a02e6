create function graphrag._parse_value(value text)
    returns graphrag.parsed_value
    language plpgsql immutable parallel safe cost 50
as $function$
-- An e-mail address, URL or other identifier; a boolean; a period (four digits are a year); a number in figures or
-- words, alone or with a currency, a scale word, % or a unit in lower case; a range or a compound of such. A name is
-- none of these, even if it begins with a number (50 Cent, 3.1.2, 3M).
declare
    _value text := btrim(value);
    _lower text;
    _result graphrag.parsed_value;
begin
    if _value is null or length(_value) not between 1 and 500 then
        return _result;
    end if;
    if octet_length(_value) > length(_value) then
        _value := translate(_value, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789');
    end if;
    _lower := graphrag._lower(_value);
    if position('://' in _lower) > 0 or left(_lower, 4) = 'www.' then
        _result.kind := case when _lower ~ '^([a-z][a-z0-9+.-]*://|www\.)\S+$' then 'url' end;
    elsif position('@' in _lower) > 0 then
        _result.kind := case when _lower ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$' then 'identifier' end;
    elsif _lower in ('true', 'false', 'yes', 'no') then
        _result.kind := 'boolean';
    elsif _value !~ '[0-9¼-¾⅐-⅞]' then
        -- A capital makes it a name.
        if left(_value, 1) = left(_lower, 1) and graphrag._begins_with_number(_value) then
            _result := graphrag._parse_quantity(graphrag._figures_of_words(_value));
        end if;
    elsif graphrag._is_identifier(_lower) then
        _result.kind := 'identifier';
    elsif length(_value) <> 2 or _value !~ '^[0-9][A-Z]$' then
        _result := graphrag._parse_literal(_value);
    end if;
    return _result;
end
$function$;
comment on function graphrag._parse_value(text) is 'The kind, number and unit of a literal value; all null if the text is no literal.';

create function graphrag._parse_literal(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- A figure or period, of what is known to be a value or looks like one: 3M, which may be a name, is 3 million here.
declare
    _value text := graphrag._figures_of_fractions(btrim(value));
    _result graphrag.parsed_value;
begin
    if translate(_value, '0123456789', '') = _value
        or length(_value) > 500
        or position('://' in _value) > 0
        or position('@' in _value) > 0
        or graphrag._is_identifier(graphrag._lower(_value)) then
        return graphrag._parse_value(_value);
    end if;
    _result := graphrag._parse_quantity(_value);
    -- 1990 and 1990s are read as periods first; 8213 is a number.
    if (
            _result.kind is null
            or (length(_value) between 4 and 5 and coalesce(_result.unit, 's') = 's' and _value < '22')
        )
        and graphrag.parse_period(_value) is not null then
        return row('date', case when length(_value) = 4 then _result.number end, null, null)::graphrag.parsed_value;
    elsif _result.kind is null and length(_value) <= 60 and _value ~ '[0-9].*[^0-9.,].*[0-9]' then
        _result := graphrag._parse_compound_value(_value);
    end if;
    return _result;
end
$function$;
comment on function graphrag._parse_literal(text) is 'The kind, number and unit of what is known to be a value; all null if it has none.';

create function graphrag._parse_compound_value(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- Several figures are one value: a quantity said twice (76 °F (24 °C)), of which the first counts; parts of one
-- quantity (5 feet 10 inches); a range or a score, whose number is left null.
declare
    _nothing graphrag.parsed_value;
    _part text[] := regexp_match(value, '^(.+) \((.+)\)$');
    _result graphrag.parsed_value;
begin
    if _part is not null then
        _result := graphrag._parse_quantity(_part[1]);
        return case when (graphrag._parse_quantity(_part[2])).kind is not null then _result else _nothing end;
    end if;
    _result := graphrag._parse_parts(value);
    return case when _result.kind is not null then _result else graphrag._parse_range(value) end;
end
$function$;
comment on function graphrag._parse_compound_value(text) is 'The kind of a literal that is made of several figures, with the number of a quantity said twice.';

create function graphrag._parse_parts(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- In the smallest unit said, in which it is exact: 5 feet 10 inches are 70 inches, and so is 5'10".
declare
    _units constant jsonb := '{"foot": ["length", 12], "feet": ["length", 12], "ft": ["length", 12],
        "inch": ["length", 1], "inches": ["length", 1], "in": ["length", 1], "stone": ["mass", 224],
        "st": ["mass", 224],
        "pound": ["mass", 16], "pounds": ["mass", 16], "lb": ["mass", 16], "lbs": ["mass", 16], "ounce": ["mass", 1],
        "ounces": ["mass", 1], "oz": ["mass", 1], "week": ["time", 604800], "weeks": ["time", 604800],
        "day": ["time", 86400], "days": ["time", 86400], "hour": ["time", 3600], "hours": ["time", 3600],
        "hr": ["time", 3600], "hrs": ["time", 3600], "h": ["time", 3600], "minute": ["time", 60],
        "minutes": ["time", 60], "min": ["time", 60], "mins": ["time", 60], "m": ["time", 60], "second": ["time", 1],
        "seconds": ["time", 1], "sec": ["time", 1], "s": ["time", 1], "year": ["age", 12], "years": ["age", 12],
        "yr": ["age", 12], "yrs": ["age", 12], "month": ["age", 1], "months": ["age", 1]}';
    _value text := regexp_replace(value, '^([0-9]+) ?[''’′] ?([0-9]+)(?:["”″]|[''’]{2})$', '\1 feet \2 inches');
    _nothing graphrag.parsed_value;
    _result graphrag.parsed_value;
begin
    if _value !~ '^([0-9]+(\.[0-9]+)? ?[a-z]+,?( and)? ?){2,4}$' then
        return _nothing;
    end if;
    select 'quantity', trim_scale(sum(p.number * p.size) / min(p.size)), (array_agg(p.name order by p.no desc))[1]
    into _result.kind, _result.number, _result.unit
    from (
        select
            m.no,
            m.part[1]::numeric as number,
            m.part[2] as name,
            _units -> m.part[2] ->> 0 as measure,
            (_units -> m.part[2] ->> 1)::numeric as size,
            lag((_units -> m.part[2] ->> 1)::numeric) over (order by m.no) as size_before
        from regexp_matches(_value, '([0-9]+(?:\.[0-9]+)?) ?([a-z]+),?(?: and)?', 'g') with ordinality as m (part, no)
    ) as p
    having count(distinct p.measure) = 1 and count(p.measure) = count(*)
        and bool_and(p.size < p.size_before or p.size_before is null);
    return _result;
end
$function$;
comment on function graphrag._parse_parts(text) is 'A quantity that is said in several units of one measure, in the last of them; all null if it is none.';

create function graphrag._parse_range(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- 1,000 to 5,000; $1.2 billion to $1.4 billion; 1815 and 1821; 5 – 14 April 2018; 116 – 36; 10-12 %. Figures on either
-- side of a bare hyphen are more often a name (24-7, 867-5309) unless they rise.
declare
    _nothing graphrag.parsed_value;
    _first graphrag.parsed_value;
    _second graphrag.parsed_value;
    _part text[] := regexp_match(
        regexp_replace(value, '^(between|from) ', ''),
        '^((?:[^0-9]{1,4})?[0-9][^-–—]*?)(?: (?:to|and|or|through|bis|und|à|et|y|e|tot|en|--?|[–—]) | ?(?:--|[–—]) ?'
            '|(?<=[.,][0-9]+)-)([^0-9]{0,4}[0-9].*)$'
    );
begin
    if _part is null then
        _part := regexp_match(value, '^([^0-9]?[1-9][0-9]{0,3})-([^0-9]?[1-9][0-9]{0,3}(?:[^0-9].*)?)$');
        if _part is null
            or substring(_part[1] from '[0-9]+')::integer >= substring(_part[2] from '[0-9]+')::integer
            or value ~ '^[0-9]{3}-[0-9]{4}$' then
            return _nothing;
        end if;
    end if;
    _first := graphrag._parse_value(regexp_replace(_part[1], '(?<=[0-9])s$', ''));
    _second := graphrag._parse_value(_part[2]);
    return row(
        case
            when _second.kind = 'date' or (_first.kind = 'date' and _part[2] ~ '^[0-9][0-9]$') then 'date'
            when _first.kind in ('number', 'date') then case
                when _second.kind in ('number', 'quantity', 'money', 'percent') then _second.kind
            end
            when _first.kind in ('quantity', 'money', 'percent')
                and (
                    _second.kind = 'number'
                    or (_second.kind = _first.kind and _second.unit is not distinct from _first.unit)
                )
                then _first.kind
        end,
        null,
        coalesce(_second.unit, _first.unit),
        null
    )::graphrag.parsed_value;
end
$function$;
comment on function graphrag._parse_range(text) is 'The kind and unit of a range of figures; all null if the text is none.';

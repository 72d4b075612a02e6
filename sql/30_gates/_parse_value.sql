create function graphrag._parse_value(value text)
    returns graphrag.parsed_value
    language plpgsql immutable parallel safe cost 50
as $function$
-- An e-mail address, URL or UUID; a boolean; a period (four digits are a year); a number, alone or with a currency, a
-- scale word, % or a unit in lower case. A name is none of these, even if it begins with a number (50 Cent, 3.1.2,
-- CVE-2024-12345).
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
    _lower := lower(_value);
    if position('://' in _lower) > 0 or left(_lower, 4) = 'www.' then
        _result.kind := case when _lower ~ '^([a-z][a-z0-9+.-]*://|www\.)\S+$' then 'url' end;
    elsif position('@' in _lower) > 0 then
        _result.kind := case when _lower ~ '^[^\s@]+@[^\s@]+\.[^\s@]+$' then 'identifier' end;
    elsif _lower in ('true', 'false', 'yes', 'no') then
        _result.kind := 'boolean';
    elsif _value !~ '\d' then
        -- A capital makes it a name.
        _result.number := case when left(_value, 1) = left(_lower, 1) then graphrag._number_in_words(_value) end;
        _result.kind := case when _result.number is not null then 'number' end;
    elsif length(_lower) = 36 and _lower ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
        _result.kind := 'identifier';
    else
        _result := graphrag._parse_quantity(_value);
        -- 1990 and 1990s are read as periods first; 8213 is a number.
        if (
                _result.kind is null
                or (length(_value) between 4 and 5 and coalesce(_result.unit, 's') = 's' and _value < '22')
            )
            and graphrag.parse_period(_value) is not null then
            _result := row('date', case when length(_value) = 4 then _result.number end, null);
        elsif _result.kind is null and left(_value, 1) between '0' and '9' and _value ~ '\d.*[ –—-].*\d' then
            _result := graphrag._parse_compound_value(_value);
        end if;
    end if;
    return _result;
end
$function$;
comment on function graphrag._parse_value(text) is 'The kind, number and unit of a literal value; all null if the text is no literal.';

create function graphrag._parse_compound_value(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- A quantity said twice (76 °F (24 °C)), of which the first counts; a range or a score (1,000 to
-- 5,000; 1815 and 1821; 5 – 14 April 2018; 116 – 36), whose number is left null. Figures on either side of a bare
-- hyphen are more often a name (24-7).
declare
    _nothing graphrag.parsed_value;
    _first graphrag.parsed_value;
    _second graphrag.parsed_value;
    _part text[];
begin
    if length(value) > 60 then
        return _nothing;
    end if;
    _part := regexp_match(value, '^(.+) \((.+)\)$');
    if _part is not null then
        _first := graphrag._parse_quantity(_part[1]);
        return case when (graphrag._parse_quantity(_part[2])).kind is not null then _first else _nothing end;
    end if;
    _part := regexp_match(
        value,
        '^(\d[\d.,]*)s?(?: (?:to|and|or|through|bis|und|à|et|y|e|tot|en|--?|[–—]) | ?(?:--|[–—]) ?|(?<=[.,]\d+)-)'
            '(\d.*)$'
    );
    if _part is null then
        return _nothing;
    end if;
    _first := graphrag._parse_value(_part[1]);
    _second := graphrag._parse_value(_part[2]);
    return row(
        case
            when _second.kind = 'date' or (_first.kind = 'date' and _part[2] ~ '^\d\d$') then 'date'
            when _first.kind in ('number', 'date') and _second.kind in ('number', 'quantity', 'money', 'percent')
                then _second.kind
        end,
        null,
        _second.unit
    )::graphrag.parsed_value;
end
$function$;
comment on function graphrag._parse_compound_value(text) is 'The kind of a literal that is made of several figures, with the number of a quantity said twice.';

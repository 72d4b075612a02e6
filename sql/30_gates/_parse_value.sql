create function graphrag._parse_value(value text)
    returns graphrag.parsed_value
    language plpgsql immutable parallel safe cost 50
as $function$
-- An e-mail address, URL or UUID; a boolean; a year or other period; a number, alone or with a currency, a scale word, %
-- or a unit in lower case. A name is none of these, even if it begins with a number (50 Cent, 3.1.2, CVE-2024-12345).
declare
    _value text := btrim(value);
    _lower text := lower(_value);
    _result graphrag.parsed_value;
begin
    if _value is null or length(_value) not between 1 and 500 then
        return _result;
    end if;
    if _lower ~ '^([a-z][a-z0-9+.-]*://|www\.)\S+$' then
        _result.kind := 'url';
    elsif _lower ~ '^([^\s@]+@[^\s@]+\.[^\s@]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$' then
        _result.kind := 'identifier';
    elsif _lower in ('true', 'false', 'yes', 'no') then
        _result.kind := 'boolean';
    elsif _value !~ '\d' then
        _result.number := graphrag._number_in_words(_value);
        _result.kind := case when _result.number is not null then 'number' end;
    elsif _value ~ '^\d{1,3}$' or graphrag.parse_period(_value) is null then
        _result := graphrag._parse_quantity(_value);
    else
        _result.kind := 'date';
        _result.number := case when _value ~ '^\d{4}$' then _value::numeric end;
    end if;
    return _result;
end
$function$;
comment on function graphrag._parse_value(text) is 'The kind, number and unit of a literal value; all null if the text is no literal.';

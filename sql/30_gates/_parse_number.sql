create function graphrag._parse_number(digits text)
    returns numeric
    language plpgsql immutable strict parallel safe
as $function$
-- digits has a digit at each end, between them only digits, blanks, stops, commas and apostrophes. Groups of three by
-- comma, blank or apostrophe, Indian groups, groups by stops if there are two or a decimal comma follows; a comma is
-- decimal only where it cannot group (3,5 but not 3,500). Null for all else, such as 3.1.2.
declare
    _digits text := translate(digits, '’  ', '''  ');
begin
    if translate(_digits, ', ''', '') = _digits and _digits not like '%.%.%' then
        return _digits::numeric;
    end if;
    return case
        when _digits ~ '^[0-9]{1,3}(,[0-9]{2,3})*,[0-9]{3}(\.[0-9]+)?$'
            or _digits ~ '^[0-9]{1,3}([ ''][0-9]{3})+(\.[0-9]+)?$'
            then translate(_digits, ', ''', '')
        when _digits ~ '^[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$' or _digits ~ '^[0-9]{1,3}(\.[0-9]{3}){2,}$'
            or _digits ~ '^[0-9]{1,3}( [0-9]{3})*,([0-9]{1,2}|[0-9]{4,})$'
            then translate(_digits, ',. ', '.')
    end::numeric;
end
$function$;
comment on function graphrag._parse_number(text) is 'A number as it is written, without sign and unit; null if it is not one.';

create function graphrag._claim(
    valid_from text,
    valid_to text,
    fiscal_year_start integer default 1,
    out claim tstzrange,
    out problem text
)
    language plpgsql immutable parallel safe
as $function$
-- From the beginning of the first bound to the end of the second: `2005` as an upper bound ends with 2005. A bound that
-- is not understood is left open and reported; of an inverted interval nothing is left. Null: no period was stated.
declare
    _open constant text[] collate "C" := '{"null",none,n/a,na,nil,unknown,undefined,unspecified,present,ongoing,'
        'current,currently,now,today,-,?}';
    _from text collate "C" := nullif(lower(btrim(valid_from, E' \t\r\n') collate "C"), '');
    _to text collate "C" := nullif(lower(btrim(valid_to, E' \t\r\n') collate "C"), '');
    _lower timestamptz;
    _upper timestamptz;
begin
    if _from = any (_open) then
        _from := null;
    end if;
    if _to = any (_open) then
        _to := null;
    end if;
    if _from is null and _to is null then
        return;
    end if;
    _lower := lower(graphrag.parse_period(_from, fiscal_year_start));
    _upper := upper(graphrag.parse_period(_to, fiscal_year_start));
    if _lower >= _upper then
        problem := 'inverted_period';
        return;
    end if;
    if (_lower is null and _from is not null) or (_upper is null and _to is not null) then
        problem := 'unparseable_period';
    end if;
    if _lower is not null or _upper is not null then
        claim := tstzrange(_lower, _upper);
    end if;
end
$function$;
comment on function graphrag._claim(text, text, integer) is 'The period between two stated bounds, and what is wrong with them: unparseable_period or inverted_period.';

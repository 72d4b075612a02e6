create function graphrag._value_key(value text, parsed graphrag.parsed_value default null)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- What spellings of one value share: its number and unit ($5 million, 5 million dollars, $5.0 million), its period if
-- it is a date (2020-03-12, 12 March 2020), what it identifies, else its words, folded. A figure whose zeros may mean
-- something (007, version 3.10) is its words; a date of the fiscal year too, since that depends on a setting; a URL is
-- exactly itself.
declare
    _parsed graphrag.parsed_value := case when parsed is null then graphrag._parse_literal(value) else parsed end;
    _period tstzrange;
    _key text;
begin
    if value is null then
        return null;
    elsif _parsed.kind = 'boolean' then
        _key := 'b:' || (graphrag._lower(btrim(value)) in ('true', 'yes'));
    elsif _parsed.kind = 'url' then
        _key := 't:' || btrim(value);
    elsif _parsed.kind = 'identifier' then
        _key := 'i:' || case
            when value ~* '^isbn|^[+(]?[0-9][-0-9() ]+x?$'
                then regexp_replace(
                    regexp_replace(graphrag._lower(value), '^isbn(-1[03])?', ''), '[^0-9x]', '', 'g'
                )
            else regexp_replace(graphrag._lower(btrim(value)), '^(issn|doi|orcid|arxiv|pmid)[: ]+', '')
        end;
    elsif _parsed.kind = 'date' and value !~* '\mf(y|q|iscal)' then
        _period := graphrag.parse_period(value);
        _key := case
            -- A year may be a figure that was written without a comma.
            when lower(_period) >= '1000-01-01 UTC'
                and lower(_period) at time zone 'UTC' = date_trunc('year', lower(_period) at time zone 'UTC')
                and upper(_period) at time zone 'UTC' = lower(_period) at time zone 'UTC' + '1 year'::interval
                then 'n:' || extract(year from lower(_period) at time zone 'UTC')
            when _period is not null then 'd:' || graphrag._period_key(_period)
        end;
    elsif _parsed.kind <> 'date' and _parsed.number is not null
        and not (
            _parsed.unit is null
            and _parsed.scale is null
            and btrim(value) ~ '^[-+]?(0[0-9].*|[0-9]+\.[0-9]*[1-9]0+)$'
        ) then
        _key := concat_ws(' ', 'n:' || trim_scale(_parsed.number), graphrag._unit_key(_parsed.unit));
    end if;
    _key := coalesce(_key, 't:' || graphrag._fold_name(value));
    -- It stands in an index.
    return case when octet_length(_key) <= 500 then _key else 'h:' || md5(_key) end;
end
$function$;
comment on function graphrag._value_key(text, graphrag.parsed_value) is 'What all spellings of one value share: its number and unit where it is one, else its words.';

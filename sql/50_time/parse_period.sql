create function graphrag.parse_period(stated text, fiscal_year_start integer default 1)
    returns tstzrange
    language plpgsql immutable strict parallel safe cost 50
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- A period as a half-open range in UTC, as wide as it was stated: 2021, 44 BCE, AD 79, 2021-03, March 2021,
-- 2021-03-04, 4 March 2021, March 4, 2021, 04.03.2021, 25/12/2020, Q3 2021, H1 2020, FY2018, 1990s, 19th century, ISO
-- instants with or without an offset (without: UTC), months in eight languages, 2021年3月4日, 2021년 3월 4일.
-- Null for what is no date (2023-02-30, month 13), what has no one meaning (03/04/2020, a year of two digits without
-- an era, FY18) and what is not exact (c. 1200, mid-2021, later).
-- A fiscal year is named after the year in which it ends: with 10, FY2018 begins on 1 October 2017.
declare
    -- Not by the collation of a database or a column: a capital Ä has to be known, and other digits are no numbers.
    _stated text collate "C" := lower(btrim(stated, E' \t\r\n') collate "C");
    _part text[];
begin
    if fiscal_year_start not between 1 and 12 then
        raise exception 'a fiscal year cannot begin in month %', fiscal_year_start
            using errcode = 'GR009',
                detail = 'fiscal_year_start is a month.',
                hint = 'Give a number from 1 to 12.';
    end if;
    if octet_length(_stated) > length(_stated) then
        _stated := graphrag._period_digits(_stated);
    end if;
    if _stated !~ '\d' or length(_stated) > 60 then
        return null;
    end if;
    if _stated ~ '^\d{4}(-\d\d){0,2}$' then
        _part := string_to_array(_stated, '-');
        return graphrag._period_of(_part[1]::integer, _part[2]::integer, _part[3]::integer);
    end if;
    if translate(_stated, '0123456789-/.:, +tzugmc', '') <> '' then
        return graphrag._period_in_words(_stated, fiscal_year_start);
    end if;
    _part := regexp_match(
        graphrag._period_year_first(_stated),
        '^(\d{4})(?:([-/])(\d{1,2})(?:\2(\d{1,2})(?:[t ]+(\d\d):(\d\d)(?::(\d\d)([.,]\d{1,6})?\d*)?'
            '(?: ?(?:z|utc|gmt)| ?([-+])(\d\d)(?::?(\d\d))?)?)?)?)?$'
    );
    if _part is null then
        return case when _stated !~ '^\d{1,2}[-./]' then graphrag._period_in_words(_stated, fiscal_year_start) end;
    end if;
    if _part[5] is null then
        return graphrag._period_of(_part[1]::integer, _part[3]::integer, _part[4]::integer);
    end if;
    return graphrag._period_of_instant(_part);
end
$function$;
comment on function graphrag.parse_period(text, integer) is 'A stated period as a half-open range in UTC, as wide as stated; null if it is not one.';

create function graphrag._period_year_first(stated text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- 4.3.2021 and 04-03-2021 begin with the day; with slashes that is only clear if one number can be no month, or both
-- are one. 2021.03.04 begins with the year, as in Korea and Hungary. Null where it is not clear.
declare
    _part text[] := regexp_match(stated, '^(?:(\d{1,2})([-./]) ?)?(\d{1,2})([-./]) ?(\d{4})((?:[t ].*)?)$');
    _first integer := _part[1]::integer;
    _second integer := _part[3]::integer;
begin
    return case
        when _part is null then regexp_replace(stated, '^(\d{4})\. ?(\d{1,2})\. ?(\d{1,2})\.?$', '\1-\2-\3')
        when _first is null then case when _part[4] <> '.' then format('%s-%s', _part[5], _second) end
        when _part[2] <> _part[4] then null
        when _second > 12 and _part[2] <> '.' then format('%s-%s-%s%s', _part[5], _first, _second, _part[6])
        when _part[2] <> '/' or _first > 12 or _first = _second
            then format('%s-%s-%s%s', _part[5], _second, _first, _part[6])
    end;
end
$function$;
comment on function graphrag._period_year_first(text) is 'A date in digits that ends with its year, turned round; other texts as they are; null if its order is not clear.';

create function graphrag._period_of_instant(part text[])
    returns tstzrange
    language plpgsql immutable strict parallel safe
as $function$
-- part: 1 year, 3 month, 4 day, 5 hour, 6 minute, 7 second, 8 fraction, 9 sign, 10 and 11 hours and minutes east of
-- UTC. The range is as wide as the last digit that was given.
begin
    return (
        select tstzrange(i.start, i.start + i.width)
        from (
            select
                lower(graphrag._period_of(part[1]::integer, part[3]::integer, part[4]::integer))
                    + make_interval(hours => part[5]::integer, mins => part[6]::integer)
                    + coalesce(part[7] || translate(coalesce(part[8], ''), ',', '.'), '0')::numeric
                        * interval '1 second'
                    - coalesce(part[9] || '1', '1')::integer
                        * make_interval(
                            hours => coalesce(part[10], '0')::integer, mins => coalesce(part[11], '0')::integer
                        ),
                case
                    when part[7] is null then interval '1 minute'
                    else power(10::numeric, 1 - coalesce(length(part[8]), 1)) * interval '1 second'
                end
        ) as i (start, width)
        where i.start is not null
            and part[5]::integer < 24
            and part[6]::integer < 60
            and coalesce(part[7]::integer < 60, true)
            and coalesce(part[10]::integer <= 14 and coalesce(part[11]::integer, 0) < 60, true)
    );
end
$function$;
comment on function graphrag._period_of_instant(text[]) is 'The range of a stated instant, from the parts of its ISO form.';

create function graphrag._period_digits(stated text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
declare
    _ascii text collate "C" := regexp_replace(
        translate(
            graphrag._lower(normalize(stated, nfkc)),
            '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹‐‑‒–—−،’年년月월日일号號',
            '01234567890123456789------,''YYMMDDDD'
        ),
        '^(公元前|西元前|紀元前|기원전) ?(\d{1,4})Y$',
        '\2 bce'
    );
begin
    if _ascii ~ '^\d{3,4}Y( ?\d{1,2}M( ?\d{1,2}D)?)?$' then
        _ascii := rtrim(translate(_ascii, 'YMD ', '--'), '-');
    end if;
    return _ascii;
end
$function$;
comment on function graphrag._period_digits(text) is 'A date that is not ASCII with the digits and separators of one that is.';

create function graphrag._period_in_words(stated text, fiscal_year_start integer)
    returns tstzrange
    language plpgsql immutable strict parallel safe
as $function$
-- The words are reduced to their kinds, one letter each, and to their numbers: `4th of March 2021` to omn and {4, 3,
-- 2021}.
declare
    _word text;
    _token text;
    _kinds text := '';
    _n integer[] := '{}';
    _marked text;
    _shape text;
    _at integer;
    _year integer;
    _month integer := 1;
    _part text[] := regexp_match(stated, '^(\d{1,4})-(\d\d)(?:-(\d\d))? bce?$');
begin
    if _part is not null then
        return graphrag._period_of(-_part[1]::integer, _part[2]::integer, _part[3]::integer);
    end if;
    foreach _word in array string_to_array(translate(graphrag._period_eras(stated), ',-', '  '), ' ') loop
        _token := case when _word = '' then 'x' else graphrag._period_token(_word) end;
        if _token = '?' or length(_kinds) > 6 then
            return null;
        elsif _token <> 'x' then
            _kinds := _kinds || left(_token, 1);
            if length(_token) > 1 then
                _n := _n || substr(_token, 2)::integer;
            end if;
        end if;
    end loop;
    -- A hyphen at either end is a sign or an open interval, not a separator.
    if left(stated, 1) = '-' or right(stated, 1) = '-'
        or length(translate(_kinds, 'mnoqhdCQHfF', '')) > 1 or length(translate(_kinds, 'mnoqhdCQHea', '')) > 1 then
        return null;
    end if;
    -- Y: a number beside an era, which can only be the year.
    _marked := replace(replace(_kinds, 'oQ', 'q'), 'oH', 'h');
    _marked := regexp_replace(_marked, '(d|oC)[ea]|[ea](d|oC)', '\1\2');
    _marked := translate(regexp_replace(_marked, 'n[ea]|[ea]n', 'Y'), 'Ff', 'n');
    _shape := translate(_marked, 'Y', 'n');
    _at := case
        when _shape in ('n', 'd', 'oC', 'nm', 'nq', 'nh') or _marked = 'Ymn' or (_marked = 'nmn' and _n[1] > 31) then 1
        when _shape in ('mn', 'qn', 'hn') then 2
        when _shape in ('nmn', 'omn', 'mnn', 'mon') then 3
    end;
    if _at is null or position('Y' in _marked) not in (0, _at) then
        return null;
    end if;
    _year := case when _shape = 'oC' then 100 * _n[1] - 99 else _n[_at] end;
    if _year < 100 and translate(_kinds, 'eaC', '') = _kinds then
        return null;
    end if;
    -- The first year of a decade or a century before Christ is the one with the highest number.
    if _kinds like '%e%' then
        _year := -_year - case _shape when 'd' then 9 when 'oC' then 99 else 0 end;
    end if;
    if lower(_kinds) like '%f%' and fiscal_year_start > 1 then
        _year := _year - 1;
        _month := fiscal_year_start;
    end if;
    return case
        when _shape = 'n' then graphrag._period_of(_year, _month, null, '1 year')
        when _shape in ('qn', 'nq', 'hn', 'nh')
            then graphrag._period_of_part(
                _year, _month, _n[case when _shape like 'n%' then 2 else 1 end], _shape like '%q%'
            )
        when lower(_kinds) like '%f%' then null
        when _shape = 'd' then case when _n[1] % 100 <> 0 then graphrag._period_of(_year, 1, null, '10 years') end
        when _shape = 'oC' and _n[1] > 0 then graphrag._period_of(_year, 1, null, '100 years')
        when _shape = 'mn' then graphrag._period_of(_year, _n[1])
        when _shape = 'nm' then graphrag._period_of(_year, _n[2])
        when _shape in ('mnn', 'mon') then graphrag._period_of(_year, _n[1], _n[2])
        when _shape = 'nmn' and _at = 1 then graphrag._period_of(_year, _n[2], _n[3])
        when _shape in ('nmn', 'omn') then graphrag._period_of(_year, _n[2], _n[1])
    end;
end
$function$;
comment on function graphrag._period_in_words(text, integer) is 'The range of a period that is stated with words: a month, quarter, half, fiscal year, decade, century or era.';

create function graphrag._period_eras(stated text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- B.C., BCE, v. Chr., av. J.-C., a.C. as bce; A.D., n. Chr. as ce; the stops after numbers and short months go; 2021q3,
-- 44bc and ad79 are two words.
declare
    _stated text := stated;
begin
    if position('.' in _stated) > 0 or position('chr' in _stated) > 0 then
        _stated := regexp_replace(
            _stated, '\m(b\.? ?c\.?( ?e\.?)?|v\.? ?chr\.?|av\.? ?j\.?-? ?c\.?|a\. ?c\.?)$', 'bce'
        );
        _stated := regexp_replace(_stated, '\m(a\. ?d\.|c\. ?e\.|n\.? ?chr\.?|ap\.? ?j\.?-? ?c\.?)', 'ce');
        _stated := regexp_replace(_stated, '\.(?=[ ,]|$)', '', 'g');
    end if;
    if length(_stated) = 6 and substr(_stated, 5, 1) in ('q', 'h') then
        _stated := left(_stated, 4) || ' ' || right(_stated, 2);
    elsif _stated ~ '^\d{1,4}(bce?|ce|ad)$' or _stated ~ '^(ce|ad)\d{1,4}$' then
        _stated := regexp_replace(_stated, '(\d)(?=[a-z])|([a-z])(?=\d)', '\1\2 ');
    end if;
    return _stated;
end
$function$;
comment on function graphrag._period_eras(text) is 'A date in words with its era as one word and without abbreviation points.';

create function graphrag._period_of_part(years integer, months integer, part integer, is_quarter boolean)
    returns tstzrange
    language plpgsql immutable strict parallel safe
as $function$
-- Null for a third half. Month 13 of a fiscal year that began in month 10 is month 1 of the next year.
begin
    return (
        select graphrag._period_of(
            years + (months - 1 + (part - 1) * length) / 12,
            (months - 1 + (part - 1) * length) % 12 + 1,
            null,
            make_interval(months => length)
        )
        from (select case when is_quarter then 3 else 6 end) as l (length)
        where part between 1 and 12 / length
    );
end
$function$;
comment on function graphrag._period_of_part(integer, integer, integer, boolean) is 'The range of a quarter or half of the year that begins in a month.';

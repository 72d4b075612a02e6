create function graphrag._as_of(as_of text, fiscal_year_start integer default 1)
    returns tstzrange
    language plpgsql immutable parallel safe
as $function$
declare
    _period tstzrange := graphrag.parse_period(as_of, coalesce(fiscal_year_start, 1));
begin
    if as_of is not null and _period is null then
        raise exception 'as_of is not a period: "%"', as_of
            using errcode = 'GR008',
                detail = 'It is no date of the calendar, has two meanings, or is a range or a word such as today.',
                hint = 'Write a year, month, day, quarter or instant: 2021, 2021-03, 2021-03-04, Q3 2021, 44 BCE,'
                    ' 2021-03-04T10:00:00+02:00. For today: current_date::text.';
    end if;
    return _period;
end
$function$;
comment on function graphrag._as_of(text, integer) is 'The range an as_of argument means; raises GR008 if it means none, null in, null out.';

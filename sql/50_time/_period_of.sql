create function graphrag._period_of(
    years integer,
    months integer default null,
    days integer default null,
    span interval default null
)
    returns tstzrange
    language plpgsql immutable parallel safe
as $function$
-- A negative year is BCE: -44 is 44 BCE, and there is no year 0. Null where the calendar has no such day.
declare
    _start timestamp;
begin
    if years = 0 or years not between -4712 and 9999 or months not between 1 and 12 or days < 1 then
        return null;
    end if;
    _start := make_timestamp(years, coalesce(months, 1), 1, 0, 0, 0);
    if days is not null then
        if _start + make_interval(days => days) > _start + interval '1 month' then
            return null;
        end if;
        _start := _start + make_interval(days => days - 1);
    end if;
    return tstzrange(
        _start at time zone 'UTC',
        (_start + coalesce(
            span,
            case
                when days is not null then interval '1 day'
                when months is not null then interval '1 month'
                else interval '1 year'
            end
        )) at time zone 'UTC'
    );
end
$function$;
comment on function graphrag._period_of(integer, integer, integer, interval) is 'The half-open range in UTC of a year, a month or a day, or of a span that begins there; null if it does not exist.';

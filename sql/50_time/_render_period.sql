create function graphrag._render_period(period tstzmultirange)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
begin
    if isempty(period) then
        return 'never';
    elsif period = '{(,)}' then
        return null;
    elsif period = range_merge(period)::tstzmultirange then
        return graphrag._render_interval(range_merge(period));
    end if;
    return (
        select string_agg(graphrag._render_interval(i), '; ' order by i)
        from unnest(period) as i
    );
end
$function$;
comment on function graphrag._render_period(tstzmultirange) is 'A period for people: 2010 to 2012; since 2020-05. Null if it is always, never if it is empty.';

create function graphrag._render_interval(period tstzrange)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- Bounds are shown as wide as their place in the calendar allows, the upper one as the last unit inside; an instant
-- that is no day's beginning is shown as it is.
declare
    _start timestamp := lower(period) at time zone 'UTC';
    _end timestamp := upper(period) at time zone 'UTC';
    _from text := graphrag._period_grain(_start);
    _to text := graphrag._period_grain(_end);
    _last timestamp := _end - case _to
        when 'year' then interval '1 year'
        when 'month' then interval '1 month'
        when 'day' then interval '1 day'
        else interval '0'
    end;
begin
    if _end is null then
        return 'since ' || graphrag._render_bound(_start, _from);
    end if;
    if _start is null then
        return 'until ' || graphrag._render_bound(_last, _to);
    end if;
    if _start = _last then
        return graphrag._render_bound(_start, _to);
    elsif _from = 'month' and _end = _start + interval '1 month' then
        return graphrag._render_bound(_start, 'month');
    elsif _from <> 'instant' and _end = _start + interval '1 day' then
        return graphrag._render_bound(_start, 'day');
    elsif _end - _start <= interval '1 minute' then
        return graphrag._render_bound(_start, 'instant');
    end if;
    if _from in ('year', 'month') and _end = _start + interval '3 months'
        and extract(month from _start)::integer % 3 = 1 then
        return format('Q%s %s', extract(quarter from _start), graphrag._render_bound(_start, 'year'));
    end if;
    -- The two bounds of one year need the finer of their grains: 2020-01 to 2020-05.
    if extract(year from _start) = extract(year from _last) then
        _from := case
            when 'instant' in (_from, _to) then 'instant'
            when 'day' in (_from, _to) then 'day'
            else 'month'
        end;
        if _from <> _to and _to <> 'instant' and _from <> 'instant' then
            _last := case _from when 'day' then _end - interval '1 day' else _end - interval '1 month' end;
            _to := _from;
        end if;
    end if;
    return graphrag._render_bound(_start, _from) || ' to ' || graphrag._render_bound(_last, _to);
end
$function$;
comment on function graphrag._render_interval(tstzrange) is 'One interval for people, bounded on at least one side.';

create function graphrag._period_grain(bound timestamp)
    returns text
    language sql immutable strict parallel safe
as $function$
    select case
        when bound = date_trunc('year', bound) then 'year'
        when bound = date_trunc('month', bound) then 'month'
        when bound = date_trunc('day', bound) then 'day'
        else 'instant'
    end
$function$;
comment on function graphrag._period_grain(timestamp) is 'The widest calendar unit that begins at a bound: year, month, day or instant.';

create function graphrag._render_bound(bound timestamp, grain text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- Built from its fields, because to_char() and casts to text follow settings of the session.
declare
    _year integer := extract(year from bound);
    _text text := case when _year < 0 then -_year else _year end::text;
begin
    if _year between 1 and 999 and grain <> 'year' then
        _text := lpad(_text, 4, '0');
    end if;
    if grain <> 'year' then
        _text := _text || '-' || lpad(extract(month from bound)::text, 2, '0');
    end if;
    if grain in ('day', 'instant') then
        _text := _text || '-' || lpad(extract(day from bound)::text, 2, '0');
    end if;
    if grain = 'instant' then
        _text := format(
            '%s %s:%s%s UTC',
            _text,
            lpad(extract(hour from bound)::text, 2, '0'),
            lpad(extract(minute from bound)::text, 2, '0'),
            case
                when extract(second from bound) <> 0
                    then ':' || regexp_replace(lpad(extract(second from bound)::text, 9, '0'), '\.?0+$', '')
            end
        );
    end if;
    return _text || case
        when _year < 0 then ' BCE'
        when _year between 1 and 99 and grain = 'year' then ' CE'
        else ''
    end;
end
$function$;
comment on function graphrag._render_bound(timestamp, text) is 'A bound of a period as text, as wide as its grain.';

create function graphrag.draw_timeline(
    entity text,
    width integer default 60,
    realm text default null,
    space text default null,
    as_believed_at text default null
)
    returns setof text
    language plpgsql volatile parallel unsafe rows 20
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set timezone = 'UTC'
as $function$
-- A line a fact: what, a bar over the time axis, when, and how it stands. The axis reaches a little beyond the bounds
-- that are known; < and > say that a bar goes on.
declare
    _lines jsonb;
    _from timestamptz;
    _to timestamptz;
    _step interval;
    _room integer;
begin
    if width is null or width not between 10 and 500 then
        raise exception 'width % is out of range', coalesce(width::text, 'NULL')
            using errcode = 'GR009', detail = 'A drawing has 10 to 500 columns.', hint = 'The default is 60.';
    end if;
    select
        coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'what', concat_ws(' ', t.subject, case when t.negated then 'NOT' end, t.predicate, t.object),
                    'effective', t.effective,
                    'when', coalesce(t.period, 'always'),
                    'status', t.status
                )
                order by t.no
            ),
            '[]'
        ),
        max(length(concat_ws(' ', t.subject, case when t.negated then 'NOT' end, t.predicate, t.object)))
    into _lines, _room
    from graphrag.timeline(entity, realm, space, as_believed_at) with ordinality as t (
        subject, predicate, object, negated, valid_from, valid_to, period, effective, status, superseded_by, weight,
        documents, no
    );
    select min(b.at), max(b.at)
    into _from, _to
    from jsonb_array_elements(_lines) as l (line)
    cross join unnest((l.line ->> 'effective')::tstzmultirange) as r (period)
    cross join unnest(array[lower(r.period), upper(r.period)]) as b (at)
    where b.at is not null;
    _step := greatest(_to - _from, interval '1 day') / (width - 6);
    _from := _from - 3 * _step;
    return next rpad('', _room) || '  ' || graphrag._axis(_from, _step, width);
    return query
    select format(
        '%s  %s  %s, %s',
        rpad(l.line ->> 'what', _room),
        graphrag._bar((l.line ->> 'effective')::tstzmultirange, _from, _step, width),
        l.line ->> 'when',
        l.line ->> 'status'
    )
    from jsonb_array_elements(_lines) with ordinality as l (line, no)
    order by l.no;
end
$function$;
comment on function graphrag.draw_timeline(text, integer, text, text, text) is 'The timeline of an entity as a drawing: a line a fact, a bar over the time in which it holds.';

create function graphrag._bar(effective tstzmultirange, start timestamptz, step interval, width integer)
    returns text
    language sql stable parallel safe
as $function$
-- Without an axis, because nothing has a bound, a bar is all or nothing.
    select string_agg(
        case
            when not case
                when start is null then not isempty(effective)
                else effective && tstzrange(start + (c.no - 1) * step, start + c.no * step)
            end then ' '
            when c.no = 1 and lower_inf(effective) then '<'
            when c.no = width and upper_inf(effective) then '>'
            else '='
        end,
        ''
        order by c.no
    )
    from generate_series(1, width) as c (no)
$function$;
comment on function graphrag._bar(tstzmultirange, timestamptz, interval, integer) is 'A period as a bar over a time axis.';

create function graphrag._axis(start timestamptz, step interval, width integer)
    returns text
    language sql stable parallel safe
as $function$
-- The days of the first and the last bound stand where these are.
    select case
        when start is null then rpad('', width)
        else rpad('   |' || graphrag._axis_day(start + 3 * step), width - 14)
            || case
                when (width - 6) * step > interval '1 day'
                    then lpad(graphrag._axis_day(start + (width - 3) * step) || '|  ', 14)
                else rpad('', 14)
            end
    end
$function$;
comment on function graphrag._axis(timestamptz, interval, integer) is 'The first and the last date of a time axis.';

create function graphrag._axis_day(at timestamptz)
    returns text
    language sql stable parallel safe
as $function$
    select graphrag._render_bound(date_trunc('day', at at time zone 'UTC' + interval '12 hours'), 'day')
$function$;
comment on function graphrag._axis_day(timestamptz) is 'The day nearest to an instant.';

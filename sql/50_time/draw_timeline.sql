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
        max(graphrag._columns(concat_ws(' ', t.subject, case when t.negated then 'NOT' end, t.predicate, t.object)))
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
    return next rpad('', _room) || '  ' || graphrag._axis(_from, _step, width);
    return query
    select format(
        '%s  %s  %s, %s',
        (l.line ->> 'what') || repeat(' ', _room - graphrag._columns(l.line ->> 'what')),
        graphrag._bar((l.line ->> 'effective')::tstzmultirange, _from, _step, width),
        l.line ->> 'when',
        l.line ->> 'status'
    )
    from jsonb_array_elements(_lines) with ordinality as l (line, no)
    order by l.no;
end
$function$;
comment on function graphrag.draw_timeline(text, integer, text, text, text) is 'The timeline of an entity as a drawing: a line a fact, a bar over the time in which it holds.';

create function graphrag._bar(effective tstzmultirange, first_bound timestamptz, step interval, width integer)
    returns text
    language sql stable parallel safe
as $function$
-- Without an axis, because nothing has a bound, a bar is all or nothing. The first bound stands after three columns:
-- what is three columns before it may be before all calendars. A bound that falls between two columns, but for the
-- rounding of a step, does not reach into the other one; and what is shorter than a column has one.
    with span (first_column, last_column) as (
        select b.first_column, greatest(b.first_column, b.last_column)
        from unnest(effective) as r (period)
        cross join lateral (
            select
                coalesce(floor(extract(epoch from lower(r.period) - $2) / w.width + 0.000001) + 3, 0) + 1,
                coalesce(ceil(extract(epoch from upper(r.period) - $2) / w.width - 0.000001) + 3, $4)
            from (select extract(epoch from step)) as w (width)
        ) as b (first_column, last_column)
    )
    select string_agg(
        case
            when not exists (select from span as s where c.no between s.first_column and s.last_column) then ' '
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

create function graphrag._axis(first_bound timestamptz, step interval, width integer)
    returns text
    language plpgsql stable parallel safe
as $function$
-- The days of the first and the last bound stand where these are; on a narrow drawing, as many of them as there is room
-- for.
declare
    _first text := '   |' || graphrag._axis_day(first_bound);
    _last text := graphrag._axis_day(first_bound + (width - 6) * step) || '|  ';
begin
    if first_bound is null or (width - 6) * step <= interval '1 day' then
        _last := '';
    elsif length(_first) + length(_last) >= width then
        _last := '|  ';
    end if;
    if length(_first) + length(_last) > width then
        _first := '   |';
    end if;
    return rpad(coalesce(_first, ''), width - length(_last)) || _last;
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

create function graphrag._columns(shown text)
    returns integer
    language sql immutable strict parallel safe
as $function$
-- Of a terminal: Chinese, Japanese, Korean and emoji take two, marks on other letters none.
    select length(regexp_replace(
        shown,
        '[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670'
            '\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0902\u093a\u093c\u0941-\u0948\u094d\u0e31'
            '\u0e34-\u0e3a\u0e47-\u0e4e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f'
            '\ufeff]',
        '',
        'g'
    )) + length(regexp_replace(
        shown,
        '[^\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60'
            '\uffe0-\uffe6\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001faff\U00020000-\U0003fffd]',
        '',
        'g'
    ))
$function$;
comment on function graphrag._columns(text) is 'How many columns a text takes in a terminal.';

create function graphrag._filter_of(
    space text,
    as_of text,
    as_believed_at text,
    include_superseded boolean,
    relation_types text[],
    entity_types text[],
    metadata_filter jsonb,
    min_confidence double precision
)
    returns graphrag._filter
    language plpgsql stable parallel safe
as $function$
declare
    _filter graphrag._filter;
    _unknown text[];            -- predicates that the vocabulary does not have
begin
    perform graphrag._check_filter(relation_types, entity_types, metadata_filter, min_confidence);
    _filter.spaces := graphrag._spaces_for_read(space);
    _filter.revisions := graphrag._revisions_at(_filter.spaces, as_believed_at);
    _filter.as_of := graphrag._as_of(as_of, (graphrag._setting('fiscal_year_start') #>> '{}')::integer);
    _filter.include_superseded := coalesce(include_superseded, false);
    if relation_types is not null then
        select
            array_agg(r.predicate order by r.predicate),
            array_agg(r.stated order by r.stated) filter (where not r.declared)
        into _filter.relation_types, _unknown
        from graphrag._resolve_predicates(relation_types) as r;
    end if;
    _filter.entity_types := entity_types;
    _filter.metadata_filter := metadata_filter;
    _filter.min_confidence := min_confidence;
    perform graphrag._tell_unknown(_unknown, _filter);
    return _filter;
end
$function$;
comment on function graphrag._filter_of(text, text, text, boolean, text[], text[], jsonb, double precision) is 'The filter that a reader''s arguments describe.';

create function graphrag._revisions_at(spaces integer[], as_believed_at text)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The present is the last revision that can ever be, so that nothing depends on the counter. A past is a watermark (a
-- number for one space, {"space": number} for several) or an instant: the last revision stamped by then.
declare
    _watermarks jsonb;
    _instant timestamptz;
    _revisions bigint[];
begin
    if as_believed_at is null then
        return array_fill(9223372036854775806, array[cardinality(spaces)]);
    end if;
    _watermarks := graphrag._watermarks(spaces, as_believed_at);
    if _watermarks is null then
        _instant := graphrag._instant(as_believed_at);
    end if;
    _revisions := array(
        select case
            when _instant is null then coalesce((_watermarks ->> s.name)::bigint, 0)
            else coalesce((select max(r.n) from revision as r where r.space = s.id and r.at < _instant), 0)
        end
        from unnest(spaces) with ordinality as i (id, no)
        join space as s on s.id = i.id
        order by i.no
    );
    perform graphrag._check_horizon(spaces, _revisions, as_believed_at);
    return _revisions;
end
$function$;
comment on function graphrag._revisions_at(integer[], text) is 'For each space the revision that a read as believed then is about.';

create function graphrag._watermarks(spaces integer[], as_believed_at text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
declare
    _watermarks jsonb;
begin
    if graphrag._is_position(as_believed_at) then
        _watermarks := (
            select coalesce(jsonb_object_agg(s.name, p.revision), '{}')
            from graphrag._places(as_believed_at, spaces, cardinality(spaces) > 1) as p
            join space as s on s.id = p.space
        );
    elsif as_believed_at ~ '^[0-9]+$' then
        if cardinality(spaces) = 1 and length(as_believed_at) <= 18 then
            _watermarks := (
                select jsonb_build_object(s.name, as_believed_at::bigint) from space as s where s.id = spaces[1]
            );
        end if;
    elsif as_believed_at ~ '^\s*[{]' then
        begin
            _watermarks := as_believed_at::jsonb;
        exception
            when invalid_text_representation then
                null;
        end;
    else
        return null;
    end if;
    -- Only what has been reached can be read again: the future would not stay as it is.
    if not exists (
        select
        from jsonb_each(_watermarks) as w
        left join space as s on s.name = w.key and s.id = any (spaces)
        where s.id is null or w.value::text !~ '^[0-9]{1,18}$' or w.value::text::bigint > s.revision
    ) and _watermarks is not null then
        return _watermarks;
    end if;
    raise exception 'there is no watermark "%"', as_believed_at
        using errcode = 'GR013',
            detail = 'A watermark is what watermark() gives, a revision number of one space, or {"space": number, …}.',
            hint = concat_ws(
                ' ',
                (select format('The newest of space "%s" is %s.', s.name, s.revision) from space as s
                    where s.id = spaces[1] and cardinality(spaces) = 1),
                'Give an instant such as 2024-05-01T12:00Z to ask for what was believed then.'
            );
end
$function$;
comment on function graphrag._watermarks(integer[], text) is 'A watermark as {"space": revision}; NULL if the text is an instant, GR013 if it is neither.';

create function graphrag._instant(as_believed_at text)
    returns timestamptz
    language plpgsql stable parallel safe
as $function$
declare
    _period tstzrange := graphrag.parse_period(as_believed_at);
begin
    if _period is null then
        raise exception '"%" is neither a watermark nor an instant', as_believed_at
            using errcode = 'GR013',
                detail = 'It was not understood as a number, nor as a date or an instant.',
                hint = 'Give a revision number, or an instant such as 2024-05-01T12:00Z.';
    end if;
    return upper(_period);
end
$function$;
comment on function graphrag._instant(text) is 'The end of the day, second or other precision that a text states; raises GR013 if it states none.';

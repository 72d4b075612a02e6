create function graphrag._check_range(
    argument text,
    value double precision,
    low double precision,
    high double precision default 'Infinity'
)
    returns void
    language plpgsql immutable parallel safe
as $function$
-- NULL passes: it is the default.
begin
    if value not between low and high then
        raise exception '% % is out of range', argument, value
            using errcode = 'GR009',
                detail = format(
                    case when high < 'Infinity' then '%s is %s to %s.' else '%s is at least %s.' end,
                    argument, low, high
                ),
                hint = 'Leave it out, or give NULL, for the default.';
    end if;
end
$function$;
comment on function graphrag._check_range(text, double precision, double precision, double precision) is 'Raises GR009 for a number that a read''s argument cannot be.';

create function graphrag._check_filter(
    relation_types text[],
    entity_types text[],
    metadata_filter jsonb,
    min_confidence double precision
)
    returns void
    language plpgsql immutable parallel safe
as $function$
-- Nothing would be found by such a filter, and nothing would say why.
begin
    perform graphrag._check_range('min_confidence', min_confidence, 0, 1);
    perform graphrag._check_names('relation_types', relation_types);
    perform graphrag._check_names('entity_types', entity_types);
    if jsonb_typeof(metadata_filter) <> 'object' then
        raise exception 'metadata_filter % is not an object', left(metadata_filter::text, 100)
            using errcode = 'GR009',
                detail = 'A document''s metadata is an object, which contains nothing but objects.',
                hint = 'Give what the metadata must contain, such as {"team": "a"}.';
    end if;
end
$function$;
comment on function graphrag._check_filter(text[], text[], jsonb, double precision) is 'Raises GR009 for a filter that nothing could pass.';

create function graphrag._check_names(argument text, names text[])
    returns void
    language plpgsql immutable parallel safe
as $function$
begin
    if names is null then
        return;
    elsif names = '{}' then
        raise exception '% is an empty list', argument
            using errcode = 'GR009',
                detail = 'Nothing is one of none, so nothing would be found.',
                hint = 'Leave the argument out, or give NULL, to take all.';
    end if;
    if exists (select from unnest(names) as n (name) where coalesce(n.name, '') !~ '\S') then
        raise exception '% % has an empty name', argument, names
            using errcode = 'GR009',
                detail = 'Nothing has NULL or blanks for a name.',
                hint = 'Leave the argument out, or give NULL, to take all.';
    end if;
end
$function$;
comment on function graphrag._check_names(text, text[]) is 'Raises GR009 for a list of names that is empty, or in which one is NULL or blank.';

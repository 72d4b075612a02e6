create function graphrag._doctor_order(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
declare
    _mixed text;
begin
    if realm is null or not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    _mixed := (
        select string_agg(format('"%s" (%s)', s.name, array_to_string(k.kinds, ', ')), '; ' order by s.name)
        from space as s
        cross join lateral (select graphrag._order_kinds(s.id) as kinds) as k
        where cardinality(k.kinds) > 1
    );
    return graphrag._finding(
        'document order',
        case when _mixed is null then 'ok' else 'warning' end,
        coalesce(
            'Spaces that mix kinds of document order: ' || _mixed || '.', 'Each space orders its documents by one kind.'
        ),
        case when _mixed is not null
            then 'Index the documents of a space again with an ordinal each, or with published_at each.' end
    );
end
$function$;
comment on function graphrag._doctor_order(text) is 'Findings about spaces whose documents are ordered by more than one kind of number.';

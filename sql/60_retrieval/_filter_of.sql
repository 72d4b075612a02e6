create function graphrag._filter_of(
    space text,
    as_of text,
    as_believed_at text,
    include_superseded boolean,
    relation_types text[],
    entity_types text[],
    metadata_filter jsonb,
    min_confidence real
)
    returns graphrag._filter
    language plpgsql stable parallel safe
as $function$
declare
    _filter graphrag._filter;
begin
    _filter.spaces := graphrag._spaces_for_read(space);
    _filter.revisions := graphrag._revisions_at(_filter.spaces, as_believed_at);
    _filter.as_of := graphrag._as_of(as_of, (graphrag._setting('fiscal_year_start') #>> '{}')::integer);
    _filter.include_superseded := coalesce(include_superseded, false);
    _filter.relation_types := case
        when relation_types is not null
            then array(select r.predicate from graphrag._resolve_predicates(relation_types) as r)
    end;
    _filter.entity_types := entity_types;
    _filter.metadata_filter := metadata_filter;
    _filter.min_confidence := min_confidence;
    return _filter;
end
$function$;
comment on function graphrag._filter_of(text, text, text, boolean, text[], text[], jsonb, real) is 'The filter that a reader''s arguments describe.';

create function graphrag._revisions_at(spaces integer[], as_believed_at text)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The present is the last revision that can ever be, so that nothing depends on the counter. A past is a watermark (one
-- number, or {"space": number} for several spaces) or an instant: the last revision stamped by then.
declare
    _instant timestamptz;
begin
    if as_believed_at is null then
        return array_fill(9223372036854775806, array[cardinality(spaces)]);
    end if;
    if as_believed_at ~ '^\d{1,18}$' and cardinality(spaces) = 1 then
        return array[as_believed_at::bigint];
    end if;
    if as_believed_at ~ '^\s*\{' then
        return array(
            select coalesce((as_believed_at::jsonb ->> s.name)::bigint, 0)
            from unnest(spaces) with ordinality as i (id, no)
            join space as s on s.id = i.id
            order by i.no
        );
    end if;
    _instant := upper(graphrag._as_of(as_believed_at));
    return array(
        select coalesce((select max(r.n) from revision as r where r.space = i.id and r.at < _instant), 0)
        from unnest(spaces) with ordinality as i (id, no)
        order by i.no
    );
end
$function$;
comment on function graphrag._revisions_at(integer[], text) is 'For each space the revision that a read as believed then is about.';

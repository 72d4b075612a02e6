create function graphrag._explorer_page()
    returns text
    language sql immutable parallel safe
as $function$
    select $page$
{{file:../../explorer/page.html}}
$page$
$function$;
comment on function graphrag._explorer_page() is 'The page of export(''html''), with a place for the graph. It carries D3 and its licences with it.';

create function graphrag._explorer(export graphrag._export)
    returns text
    language plpgsql stable parallel safe
as $function$
-- The graph stands in the page as JSON in which no character can end the element, or a line of a script.
declare
    _entities text;
    _facts text;
begin
    select string_agg((to_jsonb(e) - '{no, kind}'::text[])::text, ',' order by e.no)
    into _entities
    from graphrag._exported_entities(export) as e
    where e.kind = 'entity';
    select string_agg(
        (
            jsonb_build_object(
                'source', r.source,
                'target', r.target,
                'value', case when r.target like 'v%' then r.object end,
                'predicate', r.predicate,
                'negated', r.negated,
                'status', r.status,
                'spans', graphrag._spans(r.effective),
                'period', r.period,
                'superseded_by', r.superseded_by,
                'weight', r.weight,
                'confidence', r.confidence,
                'documents', coalesce(r.documents, '{}'),
                'document', case
                    when r.document = any (r.documents) then r.document
                    else graphrag._document_key(r.document, r.document_source)
                end,
                'document_source', r.document_source,
                'published', to_char(r.published_at at time zone 'UTC', 'FMYYYY-MM-DD'),
                'evidence', left(r.evidence, 500)
            )
        )::text,
        ','
        order by length(r.id), r.id
    )
    into _facts
    from graphrag._exported_relations(export) as r;
    return replace(
        ltrim(graphrag._explorer_page(), E'\n'),
        '@GRAPH@',
        graphrag._script_text(format(
            '{"notes": %s, "spaces": %s, "entities": [%s], "facts": [%s]}',
            graphrag._export_notes(export), cardinality((export.filter).spaces), _entities, _facts
        ))
    );
end
$function$;
comment on function graphrag._explorer(graphrag._export) is 'An export as a page that explores it.';

create function graphrag._spans(period tstzmultirange)
    returns jsonb
    language sql immutable strict parallel safe
as $function$
    select coalesce(
        jsonb_agg(
            jsonb_build_array(extract(epoch from lower(i.span)), extract(epoch from upper(i.span))) order by i.span
        ),
        '[]'
    )
    from unnest(period) as i (span)
$function$;
comment on function graphrag._spans(tstzmultirange) is 'A period as [[from, to], …] in seconds, null being open.';

create function graphrag._script_text(written text)
    returns text
    language sql immutable strict parallel safe
as $function$
    select replace(
        replace(
            replace(replace(replace(written, '<', '\u003c'), '>', '\u003e'), '&', '\u0026'),
            U&'\2028', '\u2028'
        ),
        U&'\2029', '\u2029'
    )
$function$;
comment on function graphrag._script_text(text) is 'JSON that can stand in an element of a page.';

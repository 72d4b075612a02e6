create function graphrag.enqueue(
    content text,
    document text default null,
    source text default null,
    metadata jsonb default '{}',
    published_at timestamptz default null,
    ordinal numeric default null,
    extraction jsonb default null,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _job bigint;
    _is_empty boolean := coalesce(graphrag._clean_text(content), '') !~ '\S';
begin
    perform graphrag._enter_or_create(realm);
    perform graphrag._check_document(document, source, metadata, published_at, ordinal);
    insert into job (
        space, operation, source, document, content, metadata, published_at, ordinal, extraction, status, reason,
        ended_at
    )
    values (
        graphrag._check_space_name(space),
        'index',
        source,
        document,
        case when not _is_empty then content end,
        metadata,
        published_at,
        ordinal,
        extraction,
        case when _is_empty then 'skipped' else 'pending' end,
        case when _is_empty then 'the document is empty' end,
        case when _is_empty then clock_timestamp() end
    )
    returning id into _job;
    return _job;
end
$function$;
comment on function graphrag.enqueue(text, text, text, jsonb, timestamptz, numeric, jsonb, text, text) is 'Queues a document for graphrag.work(), with the arguments of index(), and returns the job''s number. An empty one is noted as skipped.';

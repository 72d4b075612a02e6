create function graphrag.export_relations(
    entity text default null,
    max_hops integer default 1,
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default false,
    relation_types text[] default null,
    entity_types text[] default null,
    min_confidence double precision default null,
    max_entities bigint default null,
    include_values boolean default true,
    spreadsheet_safe boolean default true,
    space text default null,
    realm text default null
)
    returns table (
        id text,
        source text,
        target text,
        subject text,
        predicate text,
        object text,
        negated boolean,
        status text,
        valid_from timestamptz,
        valid_to timestamptz,
        period text,
        superseded_by text,
        weight integer,
        confidence real,
        documents text,
        evidence text,
        space_name text
    )
    language plpgsql volatile parallel unsafe rows 1000
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set jit = off
as $function$
-- The edges of the pair that COPY writes as CSV.
declare
    _export graphrag._export;
begin
    perform graphrag._enter(realm);
    _export := graphrag._export_of(
        graphrag._filter_of(
            $12, as_of, as_believed_at, include_superseded, relation_types, entity_types, null, min_confidence
        ),
        entity, max_hops, max_entities, include_values, null
    );
    perform graphrag._tell_what_is_left_out(_export);
    return query
    select
        r.id,
        r.source,
        r.target,
        graphrag._spreadsheet_text(r.subject, spreadsheet_safe),
        graphrag._spreadsheet_text(r.predicate, spreadsheet_safe),
        graphrag._spreadsheet_text(r.object, spreadsheet_safe),
        r.negated,
        r.status,
        r.valid_from,
        r.valid_to,
        graphrag._spreadsheet_text(r.period, spreadsheet_safe),
        graphrag._spreadsheet_text(r.superseded_by, spreadsheet_safe),
        r.weight,
        r.confidence,
        graphrag._spreadsheet_text(array_to_string(r.documents, '; '), spreadsheet_safe),
        graphrag._spreadsheet_text(r.evidence, spreadsheet_safe),
        graphrag._spreadsheet_text(r.space, spreadsheet_safe)
    from graphrag._exported_relations(_export) as r;
    perform graphrag._check_still_whole(_export.filter);
end
$function$;
comment on function graphrag.export_relations(text, integer, text, text, boolean, text[], text[], double precision, bigint, boolean, boolean, text, text) is 'The relations of a graph as rows for a CSV file, source and target being ids of export_entities().';

create function graphrag.export_entities(
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
        label text,
        kind text,
        types text,
        aliases text,
        description text,
        facts bigint,
        space_name text
    )
    language plpgsql volatile parallel unsafe rows 1000
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set jit = off
as $function$
-- The vertices of the pair that COPY writes as CSV.
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
        e.id,
        graphrag._spreadsheet_text(e.name, spreadsheet_safe),
        e.kind,
        graphrag._spreadsheet_text(array_to_string(e.types, '; '), spreadsheet_safe),
        graphrag._spreadsheet_text(array_to_string(e.aliases, '; '), spreadsheet_safe),
        graphrag._spreadsheet_text(e.description, spreadsheet_safe),
        e.facts,
        graphrag._spreadsheet_text(e.space, spreadsheet_safe)
    from graphrag._exported_entities(_export) as e;
    perform graphrag._check_still_whole(_export.filter);
end
$function$;
comment on function graphrag.export_entities(text, integer, text, text, boolean, text[], text[], double precision, bigint, boolean, boolean, text, text) is 'The entities of a graph, and its values, as rows for a CSV file; export_relations() has what is between them.';

create function graphrag._spreadsheet_text(text text, is_wanted boolean)
    returns text
    language sql immutable parallel safe
as $function$
-- A spreadsheet runs what begins like a formula. An apostrophe in front makes it text; a mere number is left alone.
    select case
        when is_wanted and text ~ '^\s*[=+\-@＝＋－＠\t\r]' and text !~ '^[+-]?[0-9][0-9.,  ]*%?$' then '''' || text
        else text
    end
$function$;
comment on function graphrag._spreadsheet_text(text, boolean) is 'A text as a cell that no spreadsheet takes for a formula.';

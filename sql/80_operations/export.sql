create function graphrag.export(
    format text,
    entity text default null,
    max_hops integer default 1,
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default null,
    relation_types text[] default null,
    entity_types text[] default null,
    min_confidence double precision default null,
    max_entities bigint default null,
    include_values boolean default true,
    space text default null,
    realm text default null
)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set jit = off
    set timezone = 'UTC'
    set datestyle = 'ISO'
    set extra_float_digits = 1
as $function$
-- A page lives by what was superseded, and neither a page nor a drawing is of use to anybody beyond some size.
declare
    _export graphrag._export;
    _realm text;
    _text text;
begin
    _realm := graphrag._enter(realm);
    perform graphrag._check_format(format);
    _export := graphrag._export_of(
        graphrag._filter_of(
            space,
            as_of,
            as_believed_at,
            coalesce(include_superseded, format = 'html'),
            relation_types,
            entity_types,
            null,
            min_confidence
        ),
        entity,
        max_hops,
        coalesce(max_entities, case format when 'html' then 2000 when 'mermaid' then 50 end),
        include_values,
        graphrag._export_request(
            _realm, space, entity, max_hops, as_of, as_believed_at, relation_types, entity_types, min_confidence
        )
    );
    perform graphrag._tell_what_is_left_out(_export);
    _text := case format
        when 'graphml' then graphrag._graphml(_export)
        when 'json' then graphrag._node_link(_export)
        when 'mermaid' then graphrag._mermaid(_export)
        when 'html' then graphrag._explorer(_export)
    end;
    perform graphrag._check_still_whole(_export.filter);
    return _text;
end
$function$;
comment on function graphrag.export(text, text, integer, text, text, boolean, text[], text[], double precision, bigint, boolean, text, text) is 'A graph as one text: graphml, json (node-link), mermaid, or html, a page that explores it without a network.';

create function graphrag._check_format(format text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _formats constant text[] := '{graphml, json, mermaid, html}';
begin
    if format is null or format <> all (_formats) then
        raise exception 'there is no export format "%"', format
            using errcode = 'GR009',
                detail = format('The formats are %s.', array_to_string(_formats, ', ')),
                hint = case
                    when format ~* 'csv|tsv|xls'
                        then 'COPY (SELECT * FROM graphrag.export_entities()) TO STDOUT WITH (FORMAT csv, HEADER);'
                            ' and the same of graphrag.export_relations().'
                    else graphrag._near(format, _formats)
                end;
    end if;
end
$function$;
comment on function graphrag._check_format(text) is 'Raises GR009 for an unknown export format.';

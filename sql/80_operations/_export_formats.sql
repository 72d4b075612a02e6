create function graphrag._graphml(export graphrag._export)
    returns text
    language plpgsql stable parallel safe
as $function$
-- Lists are one text each: GraphML has none. What is not known has no element.
declare
    _vertices text;
    _edges text;
begin
    select string_agg(
        format(
            E'    <node id="%s">\n%s    </node>\n',
            e.id,
            graphrag._graphml_data('n', jsonb_build_object(
                'name', e.name, 'kind', e.kind, 'types', array_to_string(e.types, '; '),
                'aliases', array_to_string(e.aliases, '; '), 'description', e.description, 'facts', e.facts,
                'space', e.space
            ))
        ),
        ''
        order by e.no
    )
    into _vertices
    from graphrag._exported_entities(export) as e;
    select string_agg(
        format(
            E'    <edge id="%s" source="%s" target="%s">\n%s    </edge>\n',
            r.id,
            r.source,
            r.target,
            graphrag._graphml_data('e', jsonb_build_object(
                'predicate', r.predicate, 'negated', r.negated, 'status', r.status, 'valid_from', r.valid_from,
                'valid_to', r.valid_to, 'period', r.period, 'superseded_by', r.superseded_by, 'weight', r.weight,
                'confidence', r.confidence, 'documents', array_to_string(r.documents, '; '), 'evidence', r.evidence
            ))
        ),
        ''
        order by length(r.id), r.id
    )
    into _edges
    from graphrag._exported_relations(export) as r;
    return concat(
        E'<?xml version="1.0" encoding="UTF-8"?>\n',
        E'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"',
        E' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
        E' xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns',
        E' http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n',
        graphrag._graphml_keys(),
        E'  <graph id="graph" edgedefault="directed">\n',
        graphrag._graphml_data('g', graphrag._export_notes(export)),
        _vertices,
        _edges,
        E'  </graph>\n</graphml>'
    );
end
$function$;
comment on function graphrag._graphml(graphrag._export) is 'An export as GraphML.';

create function graphrag._graphml_keys()
    returns text
    language sql immutable parallel safe
as $function$
    select string_agg(
        format(
            E'  <key id="%s_%s" for="%s" attr.name="%s" attr.type="%s"/>\n',
            left(replace(k.of, 'edge', 'e'), 1), k.name, k.of, k.name, k.type
        ),
        ''
        order by k.no
    )
    from (
        values
            (1, 'graph', 'realm', 'string'), (2, 'graph', 'request', 'string'),
            (3, 'graph', 'entities_left_out', 'long'), (4, 'graph', 'relations_left_out', 'long'),
            (5, 'node', 'name', 'string'), (6, 'node', 'kind', 'string'), (7, 'node', 'types', 'string'),
            (8, 'node', 'aliases', 'string'), (9, 'node', 'description', 'string'), (10, 'node', 'facts', 'long'),
            (11, 'node', 'space', 'string'),
            (12, 'edge', 'predicate', 'string'), (13, 'edge', 'negated', 'boolean'), (14, 'edge', 'status', 'string'),
            (15, 'edge', 'valid_from', 'string'), (16, 'edge', 'valid_to', 'string'), (17, 'edge', 'period', 'string'),
            (18, 'edge', 'superseded_by', 'string'), (19, 'edge', 'weight', 'int'),
            (20, 'edge', 'confidence', 'double'), (21, 'edge', 'documents', 'string'),
            (22, 'edge', 'evidence', 'string')
    ) as k (no, of, name, type)
$function$;
comment on function graphrag._graphml_keys() is 'The attributes that vertices and edges have in GraphML.';

create function graphrag._graphml_data(prefix text, attributes jsonb)
    returns text
    language sql immutable parallel safe
as $function$
    select coalesce(
        string_agg(
            format(E'      <data key="%s_%s">%s</data>\n', prefix, a.key, graphrag._xml_text(a.value)), ''
            order by a.key
        ),
        ''
    )
    from jsonb_each_text(attributes) as a
    where a.value <> ''
$function$;
comment on function graphrag._graphml_data(text, jsonb) is 'Attributes as GraphML.';

create function graphrag._xml_text(text text)
    returns text
    language sql immutable strict parallel safe
as $function$
-- XML 1.0 has no way to write most control characters. Line ends are written as numbers, or a parser would change them.
    select replace(
        replace(
            replace(
                replace(
                    replace(
                        regexp_replace(text, '[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]', U&'\FFFD', 'g'),
                        '&', '&amp;'
                    ),
                    '<', '&lt;'
                ),
                '>', '&gt;'
            ),
            '"', '&quot;'
        ),
        E'\r', '&#13;'
    )
$function$;
comment on function graphrag._xml_text(text) is 'A text as XML, in an element or an attribute.';

create function graphrag._export_notes(export graphrag._export)
    returns jsonb
    language sql stable parallel safe
as $function$
    select jsonb_strip_nulls(jsonb_build_object(
        'realm', export.described ->> 'realm',
        'request', nullif(export.described - 'realm', '{}'),
        'entities_left_out', export.entities_left_out,
        'relations_left_out', export.relations_left_out
    ))
$function$;
comment on function graphrag._export_notes(graphrag._export) is 'What an export says about itself.';

create function graphrag._node_link(export graphrag._export)
    returns text
    language plpgsql stable parallel safe
as $function$
-- As NetworkX writes and reads it. Aggregated as text, because jsonb ends at 256 MB.
declare
    _vertices text;
    _edges text;
begin
    select string_agg((to_jsonb(e) - 'no')::text, E',\n' order by e.no)
    into _vertices
    from graphrag._exported_entities(export) as e;
    select string_agg(
        (
            to_jsonb(r) - '{id, subject, object, effective, document, document_source, published_at, space}'::text[]
                || jsonb_build_object('key', r.id)
        )::text,
        E',\n'
        order by length(r.id), r.id
    )
    into _edges
    from graphrag._exported_relations(export) as r;
    return format(
        E'{"directed": true, "multigraph": true, "graph": %s,\n"nodes": [\n%s\n],\n"edges": [\n%s\n]}',
        graphrag._export_notes(export), _vertices, _edges
    );
end
$function$;
comment on function graphrag._node_link(graphrag._export) is 'An export as node-link JSON.';

create function graphrag._mermaid(export graphrag._export)
    returns text
    language plpgsql stable parallel safe
as $function$
-- Dotted: superseded. Rounded: a value.
declare
    _vertices text;
    _edges text;
begin
    select string_agg(
        format(
            case e.kind when 'value' then E'    %s(["%s"])\n' else E'    %s["%s"]\n' end,
            e.id,
            graphrag._mermaid_text(e.name, 60)
        ),
        ''
        order by e.no
    )
    into _vertices
    from graphrag._exported_entities(export) as e;
    select string_agg(
        format(
            E'    %s %s|"%s"| %s\n',
            r.source,
            case r.status when 'superseded' then '-.->' else '-->' end,
            graphrag._mermaid_text(
                concat(case when r.negated then 'NOT ' end, r.predicate, ' (' || r.period || ')'), 80
            ),
            r.target
        ),
        ''
        order by length(r.id), r.id
    )
    into _edges
    from graphrag._exported_relations(export) as r;
    return rtrim(
        concat(
            E'flowchart LR\n',
            case when export.entities_left_out > 0 then format(
                E'    %%%% left out: %s entities with the fewest facts, and %s facts\n',
                export.entities_left_out, export.relations_left_out
            ) end,
            _vertices,
            _edges
        ),
        E'\n'
    );
end
$function$;
comment on function graphrag._mermaid(graphrag._export) is 'An export as a Mermaid flowchart.';

create function graphrag._mermaid_text(text text, length integer)
    returns text
    language sql immutable strict parallel safe
as $function$
-- Letters, digits and harmless marks as they are, all else by its number; what steers writing or lines is dropped.
    select coalesce(
        string_agg(
            case
                when c.character ~ '[[:alnum:] .,_''/:+=?!-]' or ascii(c.character) > 127 then c.character
                else format('#%s;', ascii(c.character))
            end,
            ''
            order by c.no
        ),
        ''
    )
    from regexp_split_to_table(
        regexp_replace(
            case when char_length(text) > length then left(text, length - 1) || '…' else text end,
            '[\x01-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+', ' ', 'g'
        ),
        ''
    ) with ordinality as c (character, no)
$function$;
comment on function graphrag._mermaid_text(text, integer) is 'A text as a Mermaid label.';

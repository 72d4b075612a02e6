create function graphrag.document_graph(
    document text,
    source text default null,
    max_entities integer default 500,
    max_relations integer default 1000,
    space text default null,
    realm text default null
)
    returns jsonb
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
declare
    _space integer;
    _version bigint;
    _entities jsonb;
    _relations jsonb;
begin
    perform graphrag._enter(realm);
    if least(max_entities, max_relations) < 0 or max_entities is null or max_relations is null then
        raise exception 'document_graph cannot show % entities and % relations', max_entities, max_relations
            using errcode = 'GR009',
                detail = 'Both limits are numbers from 0.',
                hint = 'Leave them out for the first 500 entities and 1,000 relations.';
    end if;
    _space := graphrag._space_to_change(space);
    _version := graphrag._live_version(_space, document, source);
    _entities := graphrag._document_entities(_space, _version);
    _relations := graphrag._document_relations(_space, _version);
    return jsonb_build_object(
        'entities', jsonb_path_query_array(_entities, '$[0 to $last]', jsonb_build_object('last', max_entities - 1)),
        'relations', jsonb_path_query_array(_relations, '$[0 to $last]', jsonb_build_object('last', max_relations - 1)),
        'entities_total', jsonb_array_length(_entities),
        'relations_total', jsonb_array_length(_relations),
        'is_truncated', jsonb_array_length(_entities) > max_entities or jsonb_array_length(_relations) > max_relations
    );
end
$function$;
comment on function graphrag.document_graph(text, text, integer, integer, text, text) is 'The entities and facts that a document mentions and states, as they stand now.';

create function graphrag._document_entities(space integer, version bigint)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(
            jsonb_agg(
                jsonb_build_object('name', v.name, 'types', v.types, 'mentions', d.mentions)
                order by d.mentions desc, v.name collate "C"
            ),
            '[]'
        )
        from (
            select n.entity, count(distinct m.chunk) as mentions
            from document_chunk as c
            join mention as m on m.chunk = c.chunk
            join document_version as v on v.id = c.version
            cross join lateral (select graphrag._entity_meant($1, m.folded, v.document) as entity) as n
            where c.version = $2 and c.died is null
            group by n.entity
        ) as d
        join entity_version as v on v.entity = d.entity and v.died is null
    );
end
$function$;
comment on function graphrag._document_entities(integer, bigint) is 'The entities that a document version mentions, most mentioned first.';

create function graphrag._document_relations(space integer, version bigint)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'subject', s.name,
                    'predicate', r.predicate,
                    'object', coalesce(o.name, r.value),
                    'negated', r.negated,
                    'period', graphrag._render_period(r.effective),
                    'status', r.status,
                    'weight', r.weight
                )
                order by
                    s.name collate "C", r.predicate collate "C", coalesce(o.name, r.value) collate "C",
                    r.negated, r.effective
            ),
            '[]'
        )
        from (
            select distinct v.subject, v.predicate, v.object, v.value, v.negated, v.status, v.weight, v.effective
            from document_chunk as c
            join assertion as a on a.chunk = c.chunk
            join document_version as dv on dv.id = c.version
            cross join lateral (
                select
                    graphrag._entity_meant($1, a.subject, dv.document) as entity,
                    graphrag._entity_meant($1, a.object, dv.document) as other
            ) as m
            join relation_version as v on v.died is null
                and v.predicate = a.predicate
                and v.negated = a.negated
                and (
                    (v.subject = m.entity and v.object is not distinct from m.other)
                    or (
                        v.subject = m.other
                        and v.object = m.entity
                        and exists (select from predicate as p where p.name = v.predicate and p.is_symmetric)
                    )
                )
            join relation as i on i.id = v.relation and i.value_key is not distinct from a.value_key
                and (i.value_key is null or i.period = graphrag._period_key(a.claim))
            where c.version = $2 and c.died is null and v.status <> 'archived'
        ) as r
        join entity_version as s on s.entity = r.subject and s.died is null
        left join entity_version as o on o.entity = r.object and o.died is null
    );
end
$function$;
comment on function graphrag._document_relations(integer, bigint) is 'The facts that a document version states, as they stand now.';

create function graphrag._entity_meant(space integer, folded text, document bigint)
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce(
        (
            select n.entity
            from entity_name as n
            where n.space = $1 and n.folded = $2 and n.document = $3 and n.died is null
        ),
        (
            select n.entity
            from entity_name as n
            where n.space = $1 and n.folded = $2 and n.died is null and n.role <> 'claimed' and n.document is null
        )
    );
end
$function$;
comment on function graphrag._entity_meant(integer, text, bigint) is 'The entity that a name means in a document.';

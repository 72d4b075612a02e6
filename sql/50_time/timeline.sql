create function graphrag.timeline(
    entity text,
    realm text default null,
    space text default null,
    as_believed_at text default null
)
    returns table (
        subject text,
        predicate text,
        object text,
        negated boolean,
        valid_from text,
        valid_to text,
        period text,
        effective tstzmultirange,
        status text,
        superseded_by text,
        weight integer,
        documents text[]
    )
    language plpgsql volatile parallel unsafe rows 20
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
#variable_conflict use_column
declare
    _filter graphrag._filter;
    _entities bigint[];
begin
    perform graphrag._enter(realm);
    _filter := graphrag._filter_of($3, null, $4, true, null, null, null, null);
    _entities := graphrag._entities_called($1, _filter);
    return query
    select
        e.subject, e.predicate, e.object, e.negated, s.stated_from, s.stated_to, e.period, v.effective, e.status,
        e.superseded_by, e.weight, s.documents
    from graphrag._relation_rows(
        array(
            select r.id
            from relation_version as r
            join relation as i on i.id = r.relation
            where (r.subject = any (_entities) or r.object = any (_entities))
                and graphrag._believed(r.born, r.died, i.space, _filter)
        ),
        _filter
    ) as e
    join relation_version as v on v.id = e.id
    cross join lateral graphrag._support(v.relation, _filter) as s
    order by lower(v.effective) nulls first, v.ord, e.subject, e.predicate, e.object;
end
$function$;
comment on function graphrag.timeline(text, text, text, text) is 'Every fact of an entity in the order of time, superseded ones included.';

create function graphrag._entities_called(name text, filter graphrag._filter)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
declare
    _entities bigint[];
begin
    _entities := array(
        select distinct n.entity
        from entity_name as n
        where n.space = any (filter.spaces)
            and n.folded = graphrag._fold_name($1)
            and graphrag._believed(n.born, n.died, n.space, filter)
    );
    if _entities = '{}' then
        raise exception 'there is no entity "%"', name
            using errcode = 'GR015',
                detail = 'No entity of the space has this name or alias.',
                hint = graphrag._near(
                    name,
                    array(
                        select v.name
                        from entity_version as v
                        join entity as e on e.id = v.entity
                        where e.space = any (filter.spaces) and graphrag._believed(v.born, v.died, e.space, filter)
                        order by graphrag._similarity(v.name, $1) desc, v.name
                        limit 10
                    )
                );
    end if;
    return _entities;
end
$function$;
comment on function graphrag._entities_called(text, graphrag._filter) is 'The entities that a name or alias means; raises GR015 if there is none.';

create function graphrag._support(relation bigint, filter graphrag._filter)
    returns table (stated_from text, stated_to text, documents text[])
    language plpgsql stable parallel safe rows 1
as $function$
-- What the assertions behind a relation state, newest first: they are found by the names that its entities have.
begin
    return query
    select
        (array_agg(a.stated_from order by v.ord desc, d.key desc) filter (where a.stated_from is not null))[1],
        (array_agg(a.stated_to order by v.ord desc, d.key desc) filter (where a.stated_to is not null))[1],
        array_agg(distinct coalesce(d.name, d.key))
    from relation as r
    left join predicate as p on p.name = r.predicate
    join entity_name as s on s.entity = r.subject or (p.is_symmetric and s.entity = r.object)
    join assertion as a on a.space = r.space and a.subject = s.folded and a.predicate = r.predicate
        and a.negated = r.negated and a.value is not distinct from r.value
    join document_chunk as k on k.chunk = a.chunk
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    left join entity_name as o on o.space = r.space and o.folded = a.object and o.role <> 'claimed'
        and graphrag._believed(o.born, o.died, r.space, filter)
        and (
            o.document = d.id
            or (o.document is null and not graphrag._means_another(r.space, o.folded, d.id, filter))
        )
    where r.id = $1
        and s.role <> 'claimed'
        and graphrag._believed(s.born, s.died, r.space, filter)
        and (
            s.document = d.id
            or (s.document is null and not graphrag._means_another(r.space, s.folded, d.id, filter))
        )
        and graphrag._believed(k.born, k.died, r.space, filter)
        and (
            r.object is null
            or (s.entity = r.subject and o.entity = r.object)
            or (p.is_symmetric and s.entity = r.object and o.entity = r.subject)
        );
end
$function$;
comment on function graphrag._support(bigint, graphrag._filter) is 'Stated period and documents of the assertions behind a relation.';

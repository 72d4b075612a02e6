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
    _believed bigint[];
    _withdrawn bigint[];
begin
    perform graphrag._enter(realm);
    _filter := graphrag._filter_of($3, null, $4, true, null, null, null, null);
    select array_agg(k.id) filter (where not k.is_withdrawn), array_agg(k.id) filter (where k.is_withdrawn)
    into _believed, _withdrawn
    from graphrag._relations_ever_of(graphrag._entities_ever_called($1, _filter), _filter) as k;
    return query
    select
        t.subject, t.predicate, t.object, t.negated, s.stated_from, s.stated_to, t.period, v.effective,
        case when t.then is null then t.status else 'withdrawn' end, t.superseded_by, t.weight, s.documents
    from (
        select null::graphrag._filter as then, e.* from graphrag._relation_rows(_believed, _filter) as e
        union all
        -- What was withdrawn is told as it was when it was last believed.
        select f.then, e.*
        from unnest(_withdrawn) as w (id)
        join relation_version as x on x.id = w.id
        cross join lateral (select graphrag._filter_at(x.space, x.died - 1) as then) as f
        cross join lateral graphrag._relation_rows(array[x.id], f.then) as e
    ) as t
    join relation_version as v on v.id = t.id
    cross join lateral graphrag._support(v.relation, coalesce(t.then, _filter)) as s
    order by
        lower(v.effective) nulls first, v.ord, t.subject collate "C", t.predicate collate "C", t.object collate "C",
        t.negated, s.stated_from, s.stated_to, s.documents, v.id;
    perform graphrag._check_still_whole(_filter);
end
$function$;
comment on function graphrag.timeline(text, text, text, text) is 'Every fact of an entity in the order of time, with those that were superseded or withdrawn.';

create function graphrag._filter_at(space integer, revision bigint)
    returns graphrag._filter
    language sql immutable parallel safe
as $function$
    select row(array[space], array[revision], null, true, null, null, null, null)::graphrag._filter
$function$;
comment on function graphrag._filter_at(integer, bigint) is 'The filter of a read of one space as believed at a revision.';

create function graphrag._relations_ever_of(entities bigint[], filter graphrag._filter)
    returns table (id bigint, is_withdrawn boolean)
    language plpgsql stable parallel safe rows 20
as $function$
-- Of each relation that was ever believed of the entities, the version that is, else the last one. Live and closed
-- versions have indexes of their own.
begin
    return query
    select distinct on (v.relation) v.id, v.died <= n.revision and v.died is not null
    from (
        select s.* from relation_version as s where s.subject = any (entities) and s.died is null
        union
        select s.* from relation_version as s where s.subject = any (entities) and s.died is not null
        union
        select o.* from relation_version as o where o.object = any (entities) and o.died is null
        union
        select o.* from relation_version as o where o.object = any (entities) and o.died is not null
    ) as v
    join unnest(filter.spaces, filter.revisions) as n (space, revision) on n.space = v.space
    where v.born <= n.revision
    order by v.relation, v.born desc;
end
$function$;
comment on function graphrag._relations_ever_of(bigint[], graphrag._filter) is 'The relations that entities have or had, and whether they were withdrawn.';

create function graphrag._entities_ever_called(name text, filter graphrag._filter)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- Who is called so; if nobody is, who last was: nobody knows an entity by name any more whose documents are gone.
declare
    _entities bigint[] := array(
        select distinct n.entity
        from entity_name as n
        where n.space = any (filter.spaces)
            and n.folded = graphrag._fold_name($1)
            and graphrag._believed(n.born, n.died, n.space, filter)
    );
begin
    if _entities = '{}' then
        _entities := array(
            select distinct on (n.space) n.entity
            from entity_name as n
            where n.space = any (filter.spaces)
                and n.folded = graphrag._fold_name($1)
                and n.born <= filter.revisions[array_position(filter.spaces, n.space)]
            order by n.space, n.died desc, n.role = 'canonical' desc, n.entity
        );
    end if;
    return case when _entities = '{}' then graphrag._entities_called(name, filter) else _entities end;
end
$function$;
comment on function graphrag._entities_ever_called(text, graphrag._filter) is 'The entities that a name or alias means, else last meant; raises GR015 if there was never one.';

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
-- The assertions behind a relation, found by the names that its entities have. Of the periods that they state it is the
-- newest that is told, both of its bounds.
declare
    _is_turnable boolean := graphrag._is_turnable(relation, filter);
begin
    return query
    select
        (array_agg(a.stated_from order by v.ord desc, d.key collate "C" desc, k.no desc, a.no desc)
            filter (where num_nonnulls(a.stated_from, a.stated_to) > 0))[1],
        (array_agg(a.stated_to order by v.ord desc, d.key collate "C" desc, k.no desc, a.no desc)
            filter (where num_nonnulls(a.stated_from, a.stated_to) > 0))[1],
        array_agg(distinct d.key)
    from relation as r
    join entity_name as s on s.entity = r.subject or (_is_turnable and s.entity = r.object)
    join assertion as a on a.space = r.space and a.subject = s.folded and a.predicate = r.predicate
        and a.negated = r.negated and a.value_key is not distinct from r.value_key
        and (r.value_key is null or graphrag._period_key(a.claim) = r.period)
    join document_chunk as k on k.chunk = a.chunk
    join document_version as v on v.id = k.version
    join document as d on d.id = v.document
    left join entity_name as o on o.space = r.space and o.folded = a.object and o.role <> 'claimed'
        and graphrag._believed(o.born, o.died, r.space, filter)
        and (
            o.document = d.id
            or (o.document is null and not exists (select from graphrag._own_meanings(r.space, o.folded, d.id, filter)))
        )
    where r.id = $1
        and s.role <> 'claimed'
        and graphrag._believed(s.born, s.died, r.space, filter)
        and (
            s.document = d.id
            or (s.document is null and not exists (select from graphrag._own_meanings(r.space, s.folded, d.id, filter)))
        )
        and graphrag._believed(k.born, k.died, r.space, filter)
        and (
            r.object is null
            or (s.entity = r.subject and o.entity = r.object)
            or (_is_turnable and s.entity = r.object and o.entity = r.subject)
        );
end
$function$;
comment on function graphrag._support(bigint, graphrag._filter) is 'Stated period and documents of the assertions behind a relation.';

create function graphrag._is_turnable(relation bigint, filter graphrag._filter)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- Whether both orientations of its triple supported a relation. How its predicate was declared at a revision is kept
-- nowhere, but had it not been symmetric, the other orientation would have been a fact of its own, or a retracted one.
begin
    return not exists (
        select
        from relation as r
        join relation as t on t.subject = r.object and t.object = r.subject and t.predicate = r.predicate
            and t.negated = r.negated
        where r.id = $1
            and (
                exists (
                    select
                    from relation_version as v
                    where v.relation = t.id and graphrag._believed(v.born, v.died, t.space, filter)
                )
                or exists (
                    select
                    from decision as d
                    join entity_name as s on s.space = t.space and s.folded = d.payload ->> 'subject'
                        and s.entity = t.subject and graphrag._believed(s.born, s.died, t.space, filter)
                    join entity_name as o on o.space = t.space and o.folded = d.payload ->> 'object'
                        and o.entity = t.object and graphrag._believed(o.born, o.died, t.space, filter)
                    where d.space = t.space
                        and d.kind = 'retract'
                        and d.payload ->> 'predicate' = t.predicate
                        and (d.payload ->> 'negated')::boolean = t.negated
                        and graphrag._believed(d.born, d.died, t.space, filter)
                )
            )
    );
end
$function$;
comment on function graphrag._is_turnable(bigint, graphrag._filter) is 'Whether the predicate of a relation was taken as symmetric at the revision a read is about.';

create function graphrag._touched_triples(
    space integer,
    chunks bigint[],
    moved text[],
    old_names text[],
    old_entities bigint[]
)
    returns table (subject bigint, predicate text, object bigint)
    language plpgsql stable parallel safe rows 100
    set plan_cache_mode = force_generic_plan
as $function$
-- The triples whose relations a change can move, under the names' entities before and after it: those the chunks state
-- and those that use a name which moved to another entity. NULL chunks: every triple.
begin
    return query
    with stated as (
        select a.subject, a.predicate, a.object
        from unnest(chunks) as c (id)
        join assertion as a on a.chunk = c.id
        union
        select a.subject, a.predicate, a.object
        from assertion as a
        where a.space = $1 and chunks is null
        union
        select a.subject, a.predicate, a.object
        from assertion as a
        where a.space = $1 and a.subject = any (moved)
        union
        select a.subject, a.predicate, a.object
        from assertion as a
        where a.space = $1 and a.object = any (moved)
    ),
    resolution (folded, entity) as (
        select e.folded, e.entity
        from entity_name as e
        where e.space = $1
            and e.died is null
            and e.role <> 'claimed'
            and e.folded in (select s.subject from stated as s union all select s.object from stated as s)
        union
        select o.folded, o.entity
        from unnest(old_names, old_entities) as o (folded, entity)
    )
    select s.entity, t.predicate, o.entity
    from stated as t
    join resolution as s on s.folded = t.subject
    left join resolution as o on o.folded = t.object
    where t.object is null or o.entity is not null
    union
    -- Present relations too, where everything is touched: no assertion may state them any more under their predicate.
    select v.subject, v.predicate, v.object
    from relation_version as v
    join relation as r on r.id = v.relation
    where r.space = $1 and v.died is null and chunks is null;
end
$function$;
comment on function graphrag._touched_triples(integer, bigint[], text[], text[], bigint[]) is 'Subject, predicate and object of the relations that a change can move.';

create function graphrag._kept_groups(space integer, names text[], labels text[])
    returns table (entity bigint, label text)
    language plpgsql stable parallel safe rows 100
as $function$
-- Which group of names goes on as which present entity: one to one, by most names in common.
begin
    return query
    with shared as (
        select e.entity, n.label, count(*) as names, bool_or(e.role = 'canonical') as has_canonical
        from unnest(names, labels) as n (folded, label)
        join entity_name as e on e.space = $1 and e.folded = n.folded and e.died is null and e.role <> 'claimed'
            and e.document is null
        group by e.entity, n.label
    ),
    preferred as (
        select distinct on (s.entity) s.*
        from shared as s
        order by s.entity, s.names desc, s.has_canonical desc, s.label collate "C"
    )
    select distinct on (p.label) p.entity, p.label
    from preferred as p
    order by p.label, p.names desc, p.has_canonical desc, p.entity;
end
$function$;
comment on function graphrag._kept_groups(integer, text[], text[]) is 'The groups of names that go on as present entities.';

create function graphrag._shifted_names(space integer, names text[], labels text[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- The names whose company changed, and those that others claim than before: the documents that use them may mean
-- something else by a name. All others mean the group that goes on as their entity.
begin
    return array(
        with name (folded, label) as (
            select * from unnest(names, labels)
        ),
        kept as materialized (
            select * from graphrag._kept_groups($1, names, labels)
        ),
        old_claim as (
            select e.folded, coalesce(k.label, e.entity::text) as label
            from name as n
            join entity_name as e on e.space = $1 and e.folded = n.folded and e.died is null and e.role = 'claimed'
            left join kept as k on k.entity = e.entity
        ),
        new_claim as (
            select a.folded, o.label
            from name as o
            join mention as m on m.space = $1 and m.folded = o.folded and m.folded_aliases <> '{}'
            cross join unnest(m.folded_aliases) as a (folded)
            join name as n on n.folded = a.folded
            where n.label <> o.label and graphrag._is_live(m.chunk)
        )
        select n.folded
        from name as n
        left join entity_name as e on e.space = $1 and e.folded = n.folded and e.died is null and e.role <> 'claimed'
            and e.document is null
        left join kept as o on o.entity = e.entity
        left join kept as k on k.label = n.label
        where case
            when e.entity is null then k.label is not null or n.folded <> n.label
            else o.label is distinct from n.label
        end
        union
        select coalesce(c.folded, o.folded)
        from (select distinct w.folded, w.label from new_claim as w) as c
        full join old_claim as o on o.folded = c.folded and o.label = c.label
        where c.folded is null or o.folded is null
    );
end
$function$;
comment on function graphrag._shifted_names(integer, text[], text[]) is 'The names whose group or claimants changed.';

create function graphrag._touched_documents(
    space integer,
    chunks bigint[],
    decided text[],
    names text[],
    labels text[]
)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
-- The documents in which a name may mean something else than it did: those of the chunks, and those that use a name
-- that shifted or was decided about. NULL chunks: every document.
declare
    _shifted text[];
begin
    if chunks is null then
        return array(
            select d.id
            from document as d
            join document_version as v on v.document = d.id and v.died is null
            where d.space = $1
            union
            select e.document
            from entity_name as e
            where e.space = $1 and e.died is null and e.document is not null
        );
    end if;
    _shifted := graphrag._shifted_names(space, names, labels) || decided;
    return array(
        select k.document from chunk as k where k.id = any (chunks)
        union
        select k.document
        from mention as m
        join document_chunk as c on c.chunk = m.chunk and c.died is null
        join chunk as k on k.id = m.chunk
        where m.space = $1 and m.folded = any (_shifted)
    );
end
$function$;
comment on function graphrag._touched_documents(integer, bigint[], text[], text[], text[]) is 'The documents in which a change can move what names mean.';

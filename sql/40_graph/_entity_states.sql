create function graphrag._live_mentions(space integer, names text[], labels text[])
    returns table (
        label text,
        folded text,
        surface text,
        type text,
        description text,
        aliases text[],
        folded_aliases text[],
        content bigint,
        ord numeric,
        key text,
        no integer
    )
    language plpgsql stable parallel safe rows 100
as $function$
begin
    return query
    select
        n.label, m.folded, m.surface, m.type, m.description, m.aliases, m.folded_aliases, m.content, v.ord, d.key, c.no
    from unnest(names, labels) as n (folded, label)
    join mention as m on m.space = $1 and m.folded = n.folded
    join document_chunk as c on c.chunk = m.chunk and c.died is null
    join document_version as v on v.id = c.version
    join document as d on d.id = v.document;
end
$function$;
comment on function graphrag._live_mentions(integer, text[], text[]) is 'The live mentions of names with their place in document order.';

create function graphrag._meant_mentions(space integer, names text[], labels text[], meanings graphrag._meaning[])
    returns table (
        label text,
        is_own boolean,
        folded text,
        surface text,
        form text,
        core text,
        type text,
        description text,
        content bigint,
        ord numeric,
        key text,
        no integer
    )
    language plpgsql stable parallel safe rows 100
as $function$
-- The live mentions of each group: of its own names, but where a document means another by them, and of other names
-- where a document means the group.
begin
    return query
    select
        n.label, true, m.folded, m.surface, m.form, m.core, m.type, m.description, m.content, v.ord, d.key, c.no
    from unnest(names, labels) as n (folded, label)
    join mention as m on m.space = $1 and m.folded = n.folded
    join document_chunk as c on c.chunk = m.chunk and c.died is null
    join document_version as v on v.id = c.version
    join document as d on d.id = v.document
    where meanings = '{}'
        or not exists (
            select from unnest(meanings) as o where o.document = d.id and o.folded = m.folded
        )
    union all
    select o.label, false, m.folded, m.surface, m.form, m.core, m.type, m.description, m.content, v.ord, d.key, c.no
    from unnest(meanings) as o
    join document as d on d.id = o.document
    join document_version as v on v.document = d.id and v.died is null
    join document_chunk as c on c.version = v.id
    join mention as m on m.chunk = c.chunk and m.folded = o.folded
    where o.label is not null;
end
$function$;
comment on function graphrag._meant_mentions(integer, text[], text[], graphrag._meaning[]) is 'The live mentions of each group of names, with their place in document order.';

create function graphrag._entity_groups(space integer, names text[], labels text[], meanings graphrag._meaning[])
    returns table (label text, canonical text, name text, types text[], content bigint)
    language plpgsql stable parallel safe rows 100
as $function$
-- What each group of names looks like. The longest surface form of its own names it, where a title adds nothing and
-- never outweighs a full name; the newest described mention describes it, so that a stub never overwrites a richer
-- record.
begin
    return query
    with live as materialized (
        select
            m.*,
            m.form in ('title', 'given title', 'rank') is true as has_title,
            bool_or(m.is_own and m.form is null and m.surface ~ ' ') over (partition by m.label) as has_full
        from graphrag._meant_mentions($1, names, labels, meanings) as m
    ),
    named as (
        select distinct on (l.label) l.label, l.folded, l.surface
        from live as l
        where l.is_own
        order by
            l.label,
            l.has_title and l.has_full,
            length(case when l.has_title then l.core else l.folded end) desc,
            l.has_title,
            l.folded collate "C",
            l.ord desc,
            l.key collate "C" desc,
            l.no desc
    ),
    described as (
        select distinct on (l.label) l.label, l.content
        from live as l
        join named as n on n.label = l.label
        order by
            l.label,
            l.description is null,
            -- Where nobody describes it, a typed mention, and of those one by the entity's own name.
            l.description is null and l.type is null,
            l.description is null and l.folded <> n.folded,
            l.ord desc,
            l.key collate "C" desc,
            l.no desc,
            l.folded collate "C"
    ),
    typed as (
        select
            l.label,
            array_agg(distinct l.type collate "C" order by l.type collate "C")
                filter (where l.type is not null) as types
        from live as l
        group by l.label
    )
    select n.label, n.folded, n.surface, coalesce(t.types, '{}'), d.content
    from named as n
    join described as d on d.label = n.label
    join typed as t on t.label = n.label;
end
$function$;
comment on function graphrag._entity_groups(integer, text[], text[], graphrag._meaning[]) is 'Canonical name, types and describing text of each group of names that a live chunk mentions.';

create function graphrag._match_entities(space integer, names text[], labels text[], groups text[], canonicals text[])
    returns bigint[]
    language plpgsql volatile parallel unsafe
as $function$
-- Which entity each group is, in the order of groups: the present entity that has its canonical name, or whose
-- canonical name it has, or that shares most names with it, else the dormant one that last had its canonical name, else
-- a new one. So of two that are merged the one goes on whose name does, and when they part again each is who it was.
declare
    _entities bigint[];
begin
    with name (folded, label) as (
        select * from unnest(names, labels)
    ),
    grouped (label, canonical, no) as (
        select * from unnest(groups, canonicals) with ordinality
    ),
    shared as (
        select
            g.no,
            e.entity,
            count(*) as names,
            max(case when e.role <> 'canonical' then 0 when e.folded <> g.canonical then 1 else 2 end) as canonical
        from grouped as g
        join name as n on n.label = g.label
        join entity_name as e on e.space = $1 and e.folded = n.folded and e.died is null and e.role <> 'claimed'
            and e.document is null
        group by g.no, e.entity
    ),
    preferred as (
        select distinct on (s.no) s.no, s.entity, s.canonical, s.names
        from shared as s
        order by s.no, s.canonical desc, s.names desc, s.entity
    ),
    present as (
        select distinct on (p.entity) p.no, p.entity
        from preferred as p
        order by p.entity, p.canonical desc, p.names desc, p.no
    ),
    dormant as (
        select distinct on (e.entity) g.no, e.entity, e.died
        from grouped as g
        join entity_name as e on e.space = $1 and e.folded = g.canonical and e.role = 'canonical' and e.died is not null
        where g.no not in (select p.no from present as p)
            and e.entity not in (select p.entity from present as p)
            and not exists (select from entity_version as v where v.entity = e.entity and v.died is null)
        order by e.entity, e.died desc, g.no
    ),
    revived as (
        select distinct on (d.no) d.no, d.entity
        from dormant as d
        order by d.no, d.died desc, d.entity desc
    ),
    chosen as (
        select g.no, coalesce(p.entity, r.entity, nextval('entity_id_seq')) as entity
        from grouped as g
        left join present as p on p.no = g.no
        left join revived as r on r.no = g.no
    ),
    made as (
        insert into entity (id, space)
        overriding system value
        select c.entity, $1
        from chosen as c
        where not exists (select from entity as e where e.id = c.entity)
    )
    select array_agg(c.entity order by c.no) into _entities from chosen as c;
    return coalesce(_entities, '{}');
end
$function$;
comment on function graphrag._match_entities(integer, text[], text[], text[], text[]) is 'The entity each group of names is: present, revived or new.';

create function graphrag._name_states(
    space integer,
    names text[],
    labels text[],
    groups text[],
    canonicals text[],
    entities bigint[],
    meanings graphrag._meaning[]
)
    returns graphrag._name_state[]
    language plpgsql stable parallel safe
as $function$
-- Names of the groups, and beside them the claims of aliases that several entities make: those resolve nothing, but a
-- question that uses one finds every claimant. And what documents mean by a name.
begin
    return array(
        with grouped (label, canonical, entity) as (
            select * from unnest(groups, canonicals, entities)
        ),
        owned as (
            select g.entity, n.folded, case when n.folded = g.canonical then 'canonical' else 'alias' end as role
            from unnest(names, labels) as n (folded, label)
            join grouped as g on g.label = n.label
        ),
        live as materialized (
            select * from graphrag._live_mentions($1, names, labels)
        ),
        claim as (
            select g.entity, a.folded, a.name, l.ord, l.key, l.no
            from live as l
            join grouped as g on g.label = l.label
            cross join unnest(l.folded_aliases, l.aliases) as a (folded, name)
        ),
        claimed as (
            select distinct c.entity, c.folded, 'claimed' as role
            from claim as c
            where not exists (select from owned as o where o.entity = c.entity and o.folded = c.folded)
        ),
        -- As the newest mention of the name writes it; a name that was only claimed, as the newest claim does.
        written as (
            select distinct on (w.folded) w.folded, w.name
            from (
                select l.folded, l.surface as name, true as is_mention, l.ord, l.key, l.no from live as l
                union all
                select c.folded, c.name, false, c.ord, c.key, c.no from claim as c
            ) as w
            order by w.folded, w.is_mention desc, w.ord desc, w.key collate "C" desc, w.no desc, w.name collate "C"
        )
        select row(s.entity, s.folded, w.name, s.role, null)::graphrag._name_state
        from (select * from owned union all select * from claimed) as s
        join written as w on w.folded = s.folded
        union all
        select row(g.entity, m.folded, m.name, 'context', m.document)::graphrag._name_state
        from unnest(meanings) as m
        join grouped as g on g.label = m.label
    );
end
$function$;
comment on function graphrag._name_states(integer, text[], text[], text[], text[], bigint[], graphrag._meaning[]) is 'The names that the entities should have now.';

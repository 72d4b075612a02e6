-- Resolution by context: what a name means in one document, where that is not what it means elsewhere. A name that is
-- short for one fuller name of its document, or that several entities claim and only one of them is named there, means
-- that entity in that document. If two fit, or none, it means what it means everywhere: a false merge is worse than a
-- duplicate. A function of the live mentions, claims and decisions, like all resolution.

create function graphrag._meanings(
    space integer,
    documents bigint[],
    names text[],
    labels text[],
    pairs graphrag._name_pair[]
)
    returns graphrag._meaning[]
    language plpgsql stable parallel safe
as $function$
declare
    _documents bigint[];
    _folded text[];
    _own text[];
    _meant text[];
    _next text[];
    _claims graphrag._meaning[] := graphrag._claimed_meanings(space, documents, names, labels, pairs);
begin
    if pairs = '{}' and _claims = '{}' then
        return '{}';
    end if;
    select array_agg(n.document), array_agg(n.folded), array_agg(n.label)
    into _documents, _folded, _own
    from (
        select u.document, u.folded, l.label
        from (
            select p.document, p.folded from unnest(pairs) as p
            union
            select p.document, p.other from unnest(pairs) as p
            union
            select c.document, c.folded from unnest(_claims) as c
        ) as u
        join unnest(names, labels) as l (folded, label) on l.folded = u.folded
    ) as n;
    -- A fuller name may be short for a still fuller one: from the fullest down, until nothing changes.
    _meant := _own;
    loop
        _next := graphrag._follow_meanings(_documents, _folded, _own, _meant, pairs, _claims);
        exit when _next = _meant;
        _meant := _next;
    end loop;
    return array(
        select row(n.document, n.folded, w.surface, n.meant)::graphrag._meaning
        from unnest(_documents, _folded, _own, _meant) as n (document, folded, own, meant)
        cross join lateral (
            select m.surface
            from document_version as v
            join document_chunk as c on c.version = v.id
            join mention as m on m.chunk = c.chunk and m.folded = n.folded
            where v.document = n.document and v.died is null
            order by c.no desc
            limit 1
        ) as w
        where n.own <> n.meant
    );
end
$function$;
comment on function graphrag._meanings(integer, bigint[], text[], text[], graphrag._name_pair[]) is 'The names that mean something else in these documents than elsewhere.';

create function graphrag._claimed_meanings(
    space integer,
    documents bigint[],
    names text[],
    labels text[],
    pairs graphrag._name_pair[]
)
    returns graphrag._meaning[]
    language plpgsql stable parallel safe
as $function$
-- For each name that several entities claim, those of them that a document names otherwise, by a name that is neither
-- claimed by several nor short for another.
declare
    _owners text[];
    _aliases text[];
begin
    select array_agg(c.owner), array_agg(c.alias)
    into _owners, _aliases
    from graphrag._alias_claims(space, names) as c;
    if _owners is null then
        return '{}';
    end if;
    return array(
        with name (folded, label) as (
            select * from unnest(names, labels)
        ),
        claim as (
            select distinct a.folded, o.label as claimant, a.label as own
            from unnest(_owners, _aliases) as c (owner, alias)
            join name as o on o.folded = c.owner
            join name as a on a.folded = c.alias
        ),
        -- with those that have it as a name of theirs
        contested as materialized (
            select c.folded, c.claimant
            from claim as c
            where exists (select from claim as o where o.folded = c.folded and o.claimant <> o.own)
            union
            select c.folded, c.own
            from claim as c
            where c.claimant <> c.own
        ),
        used as materialized (
            select
                v.document,
                n.folded,
                n.label,
                bool_and(m.is_person) as is_person,
                bool_or(m.identifiers <> '{}') as is_identified,
                n.folded in (select c.folded from contested as c) as is_contested
            from unnest(documents) as d (id)
            join document_version as v on v.document = d.id and v.died is null
            join document_chunk as c on c.version = v.id
            join mention as m on m.chunk = c.chunk
            join name as n on n.folded = m.folded
            where exists (select from contested as s)
            group by v.document, n.folded, n.label
        )
        select row(u.document, u.folded, null, o.label)::graphrag._meaning
        from used as u
        join contested as c on c.folded = u.folded
        join used as o on o.document = u.document and o.label = c.claimant
        where u.is_contested
            and not u.is_identified
            and not o.is_contested
            and coalesce(u.is_person = o.is_person, true)
            and not exists (select from unnest(pairs) as p where p.document = o.document and p.folded = o.folded)
            and graphrag._may_mean($1, u.folded, o.folded)
        group by u.document, u.folded, o.label
    );
end
$function$;
comment on function graphrag._claimed_meanings(integer, bigint[], text[], text[], graphrag._name_pair[]) is 'Which of its claimants a document names beside a contested name.';

create function graphrag._follow_meanings(
    documents bigint[],
    folded text[],
    own text[],
    meant text[],
    pairs graphrag._name_pair[],
    claims graphrag._meaning[]
)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
-- One round: each name means what the names mean that it may be short for, if that is one.
begin
    return (
        with node as materialized (
            select n.no, n.document, n.folded, n.own, n.meant
            from unnest(documents, folded, own, meant) with ordinality as n (document, folded, own, meant, no)
        ),
        candidate as (
            select p.document, p.folded, o.meant as label
            from unnest(pairs) as p
            join node as o on o.document = p.document and o.folded = p.other
            union all
            select c.document, c.folded, c.label
            from unnest(claims) as c
        ),
        chosen as (
            select c.document, c.folded, min(c.label collate "C") as label
            from candidate as c
            group by c.document, c.folded
            having count(distinct c.label) = 1
        )
        select array_agg(coalesce(c.label, n.own) order by n.no)
        from node as n
        left join chosen as c on c.document = n.document and c.folded = n.folded
    );
end
$function$;
comment on function graphrag._follow_meanings(bigint[], text[], text[], text[], graphrag._name_pair[], graphrag._meaning[]) is 'One round of following short names to what they are short for.';

create function graphrag._meaning_names(space integer, documents bigint[], pairs graphrag._name_pair[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- The names whose entities the meanings of names in these documents can move: the pairs, what several entities claim,
-- and the names of what was meant until now.
begin
    return array(
        select p.folded from unnest(pairs) as p
        union
        select p.other from unnest(pairs) as p
        union
        select e.folded
        from unnest(documents) as d (id)
        join document_version as v on v.document = d.id and v.died is null
        join document_chunk as c on c.version = v.id
        -- One after the other (offset 0), not as joins with whole tables.
        cross join lateral (
            select m.folded from mention as m where m.chunk = c.chunk offset 0
        ) as m
        cross join lateral (
            select e.folded
            from entity_name as e
            where e.space = $1 and e.folded = m.folded and e.died is null and e.role = 'claimed'
            offset 0
        ) as e
        union
        select n.folded
        from unnest(documents) as d (id)
        join entity_name as e on e.document = d.id and e.died is null
        cross join lateral (
            select e.folded
            union all
            select o.folded
            from entity_name as o
            where o.entity = e.entity and o.died is null and o.document is null
        ) as n
    );
end
$function$;
comment on function graphrag._meaning_names(integer, bigint[], graphrag._name_pair[]) is 'Names that the meanings in some documents can move.';

create function graphrag._standing_meanings(
    space integer,
    documents bigint[],
    names text[],
    labels text[],
    entities bigint[]
)
    returns graphrag._meaning[]
    language plpgsql stable parallel safe
as $function$
-- What stands in the documents that nothing touched: of these names, whatever they mean there, and whatever means these
-- entities there.
begin
    return array(
        with kept as materialized (
            select * from graphrag._kept_groups($1, names, labels)
        ),
        standing as (
            select e.*
            from unnest(names) as n (folded)
            join entity_name as e on e.space = $1 and e.folded = n.folded and e.died is null and e.document is not null
            union
            select e.*
            from unnest(entities) as n (id)
            join entity_name as e on e.entity = n.id and e.died is null and e.document is not null
        )
        select row(s.document, s.folded, s.name, k.label)::graphrag._meaning
        from standing as s
        left join kept as k on k.entity = s.entity
        where not s.document = any (documents)
    );
end
$function$;
comment on function graphrag._standing_meanings(integer, bigint[], text[], text[], bigint[]) is 'The meanings of names in untouched documents.';

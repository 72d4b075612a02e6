create function graphrag._resolve_names(space integer, names text[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- Entity resolution: which of these names are one. Returns for each name the label of its group, in the same order.
-- A live claim "owner is also called alias" unites the two if everyone who claims that alias is one entity already;
-- carried to the fixpoint, so that the order of arrival cannot matter. An alias that two entities claim unites nothing:
-- a false merge is worse than a duplicate. Decisions to merge or to split and external identifiers come before claims.
declare
    _labels text[] := names;
    _owners text[];
    _aliases text[];
    _merged text[];
    _with text[];
    _next text[];
begin
    select array_agg(c.owner), array_agg(c.alias)
    into _owners, _aliases
    from graphrag._alias_claims(space, names) as c;
    select array_agg(m.name), array_agg(m.other)
    into _merged, _with
    from graphrag._merged_names(space, names) as m;
    if _owners is null and _merged is null then
        return _labels;
    end if;
    loop
        _next := graphrag._unite_names(names, _labels, _owners, _aliases, _merged, _with);
        exit when _next = _labels;
        _labels := _next;
    end loop;
    return _labels;
end
$function$;
comment on function graphrag._resolve_names(integer, text[]) is 'For each folded name the label of the entity it belongs to, by decisions and live alias claims.';

create function graphrag._alias_claims(space integer, names text[])
    returns table (owner text, alias text)
    language plpgsql stable parallel safe rows 10
as $function$
-- A split keeps its names apart from all others, so claims that cross it do not count. A name after the other (offset
-- 0), not a join with all claims of the space.
begin
    return query
    select distinct m.folded, a.folded
    from unnest(names) as n (folded)
    cross join lateral (
        select m.folded, m.folded_aliases, m.chunk
        from mention as m
        where m.space = $1 and m.folded = n.folded and m.folded_aliases <> '{}'
        offset 0
    ) as m
    cross join unnest(m.folded_aliases) as a (folded)
    where a.folded <> m.folded
        and graphrag._is_live(m.chunk)
        and not exists (
            select
            from decision as d
            where d.space = $1
                and d.kind = 'split'
                and d.died is null
                and (d.payload -> 'apart' ? m.folded) <> (d.payload -> 'apart' ? a.folded)
        );
end
$function$;
comment on function graphrag._alias_claims(integer, text[]) is 'Who claims which alias, in live chunks and across no split.';

create function graphrag._merged_names(space integer, names text[])
    returns table (name text, other text)
    language plpgsql stable parallel safe rows 10
as $function$
-- By a decision, or because live mentions give them one external identifier. A merge that was decided holds against the
-- splits decided before it; an identifier against none.
begin
    return query
    select p.name, p.other
    from (
        select n.name, m.payload -> 'names' ->> 0 as other, m.id as decision
        from decision as m
        cross join jsonb_array_elements_text(m.payload -> 'names') as n (name)
        where m.space = $1 and m.kind = 'merge' and m.died is null and n.name = any (names)
        union all
        select distinct m.folded, min(m.folded collate "C") over (partition by i.identifier), 0
        from unnest(names) as n (folded)
        join mention as m on m.space = $1 and m.folded = n.folded
        cross join unnest(m.identifiers) as i (identifier)
        where m.identifiers <> '{}' and graphrag._is_live(m.chunk)
    ) as p
    where not exists (
        select
        from decision as d
        where d.space = $1
            and d.kind = 'split'
            and d.died is null
            and d.id > p.decision
            and (d.payload -> 'apart' ? p.name) <> (d.payload -> 'apart' ? p.other)
    );
end
$function$;
comment on function graphrag._merged_names(integer, text[]) is 'Pairs of names that a decision or an external identifier makes one.';

create function graphrag._unite_names(
    names text[],
    labels text[],
    owners text[],
    aliases text[],
    merged text[],
    others text[]
)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
-- One round of hooking: each group takes the least label among the groups that a merge or an unambiguous alias joins it
-- with.
begin
    return (
        with name (no, folded, label) as (
            select n.no, n.folded, n.label
            from unnest(names, labels) with ordinality as n (folded, label, no)
        ),
        holder as (
            select c.alias, min(n.label collate "C") as label
            from unnest(owners, aliases) as c (owner, alias)
            join name as n on n.folded = c.owner
            group by c.alias
            having count(distinct n.label) = 1
        ),
        edge (label, other) as (
            select h.label, n.label
            from holder as h
            join name as n on n.folded = h.alias
            union
            select a.label, b.label
            from unnest(merged, others) as m (name, other)
            join name as a on a.folded = m.name
            join name as b on b.folded = m.other
        ),
        hooked as (
            select j.label, least(j.label collate "C", min(j.other collate "C")) as least
            from (
                select e.label, e.other from edge as e
                union
                select e.other, e.label from edge as e
            ) as j
            where j.label <> j.other
            group by j.label
        )
        select array_agg(coalesce(h.least, n.label) order by n.no)
        from name as n
        left join hooked as h on h.label = n.label
    );
end
$function$;
comment on function graphrag._unite_names(text[], text[], text[], text[], text[], text[]) is 'One round of label propagation over merges and unambiguous alias claims.';

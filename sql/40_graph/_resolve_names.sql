create function graphrag._resolve_names(space integer, names text[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- Entity resolution: which of these names are one. Returns for each name the label of its group, in the same order.
-- A live claim "owner is also called alias" unites the two if everyone who claims that alias is one entity already;
-- carried to the fixpoint, so that the order of arrival cannot matter. An alias that two entities claim unites nothing:
-- a false merge is worse than a duplicate.
declare
    _labels text[] := names;
    _owners text[];
    _aliases text[];
    _next text[];
begin
    select array_agg(c.owner), array_agg(c.alias)
    into _owners, _aliases
    from (
        select distinct m.folded as owner, a.folded as alias
        from mention as m
        cross join unnest(m.folded_aliases) as a (folded)
        where m.space = $1
            and m.folded = any (names)
            and m.folded_aliases <> '{}'
            and a.folded <> m.folded
            and graphrag._is_live(m.chunk)
    ) as c;
    if _owners is null then
        return _labels;
    end if;
    loop
        _next := graphrag._unite_names(names, _labels, _owners, _aliases);
        exit when _next = _labels;
        _labels := _next;
    end loop;
    return _labels;
end
$function$;
comment on function graphrag._resolve_names(integer, text[]) is 'For each folded name the label of the entity it belongs to, by the live alias claims.';

create function graphrag._unite_names(names text[], labels text[], owners text[], aliases text[])
    returns text[]
    language sql immutable parallel safe
as $function$
-- One round of hooking: each group takes the least label among the groups an unambiguous alias joins it with.
    with name (no, folded, label) as (
        select n.no, n.folded, n.label
        from unnest(names, labels) with ordinality as n (folded, label, no)
    ),
    holder as (
        select c.alias, min(n.label) as label
        from unnest(owners, aliases) as c (owner, alias)
        join name as n on n.folded = c.owner
        group by c.alias
        having count(distinct n.label) = 1
    ),
    joined (label, other) as (
        select h.label, n.label from holder as h join name as n on n.folded = h.alias where n.label <> h.label
        union
        select n.label, h.label from holder as h join name as n on n.folded = h.alias where n.label <> h.label
    ),
    hooked as (
        select j.label, least(j.label, min(j.other)) as least
        from joined as j
        group by j.label
    )
    select array_agg(coalesce(h.least, n.label) order by n.no)
    from name as n
    left join hooked as h on h.label = n.label
$function$;
comment on function graphrag._unite_names(text[], text[], text[], text[]) is 'One round of label propagation over the unambiguous alias claims.';

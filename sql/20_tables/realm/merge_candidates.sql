-- Pairs of entities that may be one, for a person to decide: who claim one alias, whose names are alike, and whose
-- descriptions are. Look at one entity or space at a time: the neighbours of each are searched. Which of two comes
-- first is a matter of their names: ids tell only which arrived first. In a file by itself, because it is the only view
-- that is bound to the type of the vectors: reembed() makes it again.
create or replace view merge_candidates with (security_invoker = true) as
select sp.name as space, a.name as entity, b.name as other, c.reason, c.alike
from entity_version as a
join entity as e on e.id = a.entity
join space as sp on sp.id = e.space
cross join lateral (
    select y.entity as other, 'alias "' || x.name || '"' as reason, 1.0::real as alike, y.role = 'claimed' as is_mutual
    from entity_name as x
    join entity_name as y on y.space = x.space and y.folded = x.folded and y.died is null and y.entity <> x.entity
        and y.document is null
    where x.entity = a.entity
        and x.died is null
        and x.role = 'claimed'
    union all
    (
        -- As folded and as written: beginnings of words count (Jon Smith, John Smith).
        select y.entity, 'names', greatest(
            similarity(x.folded, y.folded), similarity(x.name, y.name),
            case when position(x.folded in y.folded) > 0 then 0.7 end
        ), false
        from entity_name as x
        join entity_name as y on y.space = x.space and (y.folded || '') % x.folded and y.died is null
            and y.role = 'canonical'
        where x.entity = a.entity
            and x.died is null
            and x.role = 'canonical'
            and x.entity <> y.entity
            and case
                when greatest(similarity(x.folded, y.folded), similarity(x.name, y.name)) > 0.6
                    then x.folded < y.folded and greatest(length(x.folded), length(y.folded)) >= 4
                else length(x.folded) >= 4 and position(x.folded in y.folded) > 0
            end
        order by 3 desc, y.folded
        limit 20
    )
    union all
    select y.entity, 'descriptions', y.alike::real, true
    from content as t
    cross join lateral (
        select v.entity, v.name, 1 - (n.vec <=> t.vec) as alike
        from content as n
        join entity_version as v on v.content = n.id and v.died is null
        where n.kind = 'entity' and n.space = t.space and v.entity <> a.entity
        order by n.vec <=> t.vec
        limit 3
    ) as y
    where t.id = a.content and y.alike > 0.9 and similarity(a.name, y.name) > 0.3
) as c
join entity_version as b on b.entity = c.other and b.died is null
where a.died is null and (not c.is_mutual or (a.name, a.entity) < (b.name, b.entity));

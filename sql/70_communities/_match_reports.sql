create function graphrag._match_reports(
    space integer,
    plans graphrag._community_plan[],
    taken text[]
)
    returns graphrag._community_plan[]
    language plpgsql stable parallel safe
as $function$
-- What is rendered as before keeps its report, also one that was replaced in between, unless another has its title now;
-- and what keeps most of its members keeps its identity.
begin
    return array(
        with plan as (
            select p.* from unnest(plans) as p
        ),
        same as (
            select distinct on (p.no) p.no, r.id, r.title, r.summary, r.rating, v.community, v.died is null as is_live
            from plan as p
            join report as r on r.hash = p.hash and r.level = p.level
            join community_version as v on v.report = r.id
            order by p.no, v.died is null desc, v.born desc, v.id desc
        ),
        kept as (
            select distinct on (graphrag._lower(s.title)) s.*
            from same as s
            where s.is_live or graphrag._lower(s.title) <> all (
                array(
                    select graphrag._lower(r.title)
                    from community as c
                    join community_version as v on v.community = c.id and v.died is null
                    join report as r on r.id = v.report
                    where c.space = $1
                ) || array(select graphrag._lower(t.title) from unnest(taken) as t (title))
            )
            order by graphrag._lower(s.title), s.is_live desc, s.no
        ),
        shared as (  -- grouped without the arrays, of which each member would have a copy
            select e.no, v.community, v.level, r.size, count(*) as members
            from (select p.no, unnest(p.members) as entity from plan as p) as e
            join member as o on o.entity = e.entity
            join report as r on r.id = o.report
            join community_version as v on v.report = r.id and v.died is null
            group by e.no, v.community, v.level, r.size
        ),
        claim as (
            select k.no, k.community, case when k.is_live then 3 else 1 end as strength
            from kept as k
            union all
            select p.no, s.community, 2
            from plan as p
            join shared as s on s.no = p.no and s.level = p.level
            where 2 * s.members > greatest(cardinality(p.members), s.size)
        ),
        identity as (
            select distinct on (b.community) b.no, b.community
            from (
                select distinct on (c.no) c.* from claim as c order by c.no, c.strength desc, c.community
            ) as b
            order by b.community, b.strength desc, b.no
        )
        select jsonb_populate_record(
            p,
            jsonb_strip_nulls(jsonb_build_object(
                'report', k.id,
                'title', k.title,
                'summary', k.summary,
                'rating', k.rating,
                'community', i.community
            ))
        )
        from plan as p
        left join kept as k on k.no = p.no
        left join identity as i on i.no = p.no
        order by p.no
    );
end
$function$;
comment on function graphrag._match_reports(integer, graphrag._community_plan[], text[]) is 'Communities with the reports and the identities that they keep.';

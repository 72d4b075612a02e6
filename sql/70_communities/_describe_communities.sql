create function graphrag._community_parts(plans graphrag._community_plan[], below graphrag._community_plan[])
    returns table (no integer, part bigint, entity bigint, is_part boolean)
    language plpgsql immutable parallel safe rows 10000
as $function$
-- A function for what it says of its rows: of arrays in arrays twenty would be expected, and each be compared with all.
begin
    return query
    select p.no, m.entity, m.entity, true
    from unnest(plans) as p
    cross join unnest(p.members) as m (entity)
    where p.level = 0
    union all
    select p.no, b.no::bigint, m.entity, false
    from unnest(plans) as p
    join unnest(below) as b on b.no = any (p.children)
    cross join unnest(b.members) as m (entity)
    where p.level > 0;
end
$function$;
comment on function graphrag._community_parts(graphrag._community_plan[], graphrag._community_plan[]) is 'The entities of communities, each with the part of its community that it is in: itself, or a community below.';

create function graphrag._describe_communities(
    revision bigint,
    plans graphrag._community_plan[],
    below graphrag._community_plan[],
    budget integer
)
    returns graphrag._community_plan[]
    language plpgsql stable parallel safe
as $function$
-- Each community as a model is shown it, at most about budget characters, the weightiest first: its parts, which are
-- entities or the communities below it, and the relations between different parts. The hash is of all of them, shown or
-- not, and of their ids, a community's being its own hash. A community's number is no entity's id, though it may be
-- the same number.
begin
    return array(
        with plan as materialized (
            select p.* from unnest(plans) as p
        ),
        member as materialized (
            select m.* from graphrag._community_parts(plans, below) as m
        ),
        fact as materialized (
            select
                s.no,
                v.relation,
                s.part,
                o.part as other,
                v.weight,
                format(
                    '- (%s) --[%s%s]--> (%s)',
                    sv.name,
                    case when v.negated then 'NOT ' else '' end,
                    v.predicate,
                    coalesce(ov.name, v.value)
                ) || coalesce(' [valid ' || graphrag._render_period(v.effective) || ']', '') as statement,
                coalesce(
                    ': ' || graphrag._one_line(
                        (select min(a.description collate "C") from assertion as a where a.content = v.content)
                    ),
                    ''
                ) as description
            from member as s
            join relation_version as v on v.subject = s.entity
            join entity_version as sv on sv.entity = s.entity and sv.born <= $1 and (sv.died is null or sv.died > $1)
            left join member as o on o.entity = v.object
            left join entity_version as ov on ov.entity = v.object
                and ov.born <= $1
                and (ov.died is null or ov.died > $1)
            where v.status = 'current'
                and v.born <= $1
                and (v.died is null or v.died > $1)
                and (
                    (o.no = s.no and o.part <> s.part)
                    or (v.object is null and s.is_part)
                )
        ),
        degree as materialized (
            select d.no, d.part, count(*) - 1 as facts
            from (
                select m.no, m.part from member as m where m.is_part
                union all
                select f.no, f.part from fact as f
                union all
                select f.no, f.other from fact as f where f.other is not null
            ) as d
            group by d.no, d.part
        ),
        part as materialized (
            select d.no, v.name, '- ' || graphrag._one_line(c.body) as line, v.entity::text as id, d.facts as weight
            from plan as p
            join degree as d on d.no = p.no
            join entity_version as v on v.entity = d.part and v.born <= $1 and (v.died is null or v.died > $1)
            join content as c on c.id = v.content
            where p.level = 0
            union all
            select p.no, b.names[1], format('- %s: %s', b.title, b.summary), encode(b.hash, 'hex'),
                cardinality(b.members)
            from plan as p
            join unnest(below) as b on b.no = any (p.children)
            where p.level > 0
        ),
        shown_part as (
            select x.no, x.line, x.name, x.place
            from (
                select
                    p.no,
                    p.name,
                    left(p.line, 500) as line,
                    row_number() over w as place,
                    sum(least(length(p.line), 500) + 1) over w as reached
                from part as p
                window w as (partition by p.no order by p.weight desc, p.name collate "C", p.id)
            ) as x
            where x.place = 1 or x.reached <= budget / 3
        ),
        shown_fact as (
            select x.no, x.line, x.relation, x.place
            from (
                select
                    f.no,
                    f.relation,
                    left(format('%s [%s]%s', f.statement, row_number() over w, f.description), 500) as line,
                    row_number() over w as place,
                    sum(least(length(f.statement) + length(f.description) + 8, 500)) over w as reached
                from fact as f
                window w as (
                    partition by f.no order by f.weight desc, f.statement collate "C", f.relation
                )
            ) as x
            where x.place = 1 or x.reached <= budget - budget / 3
        )
        select jsonb_populate_record(
            p,
            jsonb_build_object(
                'names', (
                    select jsonb_agg(s.name order by s.place) from shown_part as s where s.no = p.no and s.place <= 3
                ),
                'relations', (
                    select coalesce(jsonb_agg(s.relation order by s.place), '[]') from shown_fact as s where s.no = p.no
                ),
                'text', (
                    select concat(
                        case when p.level = 0 then E'# Entities\n' else E'# Reports\n' end,
                        string_agg(s.line, E'\n' order by s.place)
                    )
                    from shown_part as s
                    where s.no = p.no
                ) || coalesce(
                    (
                        select E'\n\n# Relations\n' || string_agg(s.line, E'\n' order by s.place)
                        from shown_fact as s
                        where s.no = p.no
                    ),
                    ''
                ),
                'hash', (
                    select sha256(convert_to(
                        concat(
                            p.level, E'\n', string_agg(format('%s %s', x.id, x.line), E'\n' order by x.id),
                            E'\n', (
                                select string_agg(
                                    format('%s %s%s', f.relation, f.statement, f.description), E'\n' order by f.relation
                                )
                                from fact as f
                                where f.no = p.no
                            )
                        ),
                        'UTF8'
                    ))
                    from part as x
                    where x.no = p.no
                )
            )
        )
        from plan as p
        order by p.no
    );
end
$function$;
comment on function graphrag._describe_communities(bigint, graphrag._community_plan[], graphrag._community_plan[], integer) is 'Communities with the text that a report is asked on, and its hash.';

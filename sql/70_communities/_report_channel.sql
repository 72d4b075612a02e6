create function graphrag._communities_at(filter graphrag._filter)
    returns table (community bigint, report bigint, parent bigint, level integer)
    language sql stable parallel safe rows 64
as $function$
-- One look-up each, however many reports a community has had: the newest version that had begun tells.
    select c.id, v.report, v.parent, v.level
    from unnest(filter.spaces, filter.revisions) as n (space, revision)
    join community as c on c.space = n.space
    cross join lateral (
        select b.report, b.parent, b.level, b.died
        from community_version as b
        where b.community = c.id and b.born <= n.revision
        order by b.born desc
        limit 1
    ) as v
    where v.died is null or v.died > n.revision
$function$;
comment on function graphrag._communities_at(graphrag._filter) is 'The communities that a read may see, with their reports.';

create function graphrag._report_channel(
    question vector,
    filter graphrag._filter,
    level integer,
    depth integer
)
    returns table (community bigint, rank bigint, score double precision)
    language plpgsql stable parallel safe rows 10
as $function$
-- Similarity, rating and size on absolute scales. The level is looked at before anything is cut off: NULL means all
-- levels, else the tree cut there, which is the communities of that level and those below it that have no parent. A
-- space shows some dozens of reports, and has had many more: they are compared one by one.
begin
    return query
    select b.community, row_number() over (order by b.score desc, b.community), b.score
    from (
        select
            f.community,
            1 - f.distance + f.rating / 10.0 * 0.25 + ln(1 + f.size) / ln(1 + f.largest) * 0.15 as score
        from (
            select n.community, n.rating, n.size, n.largest, graphrag._distance(t.vec, question) as distance
            from (
                select v.*, r.rating, r.size, r.content, max(r.size) over () as largest
                from graphrag._communities_at(filter) as v
                join report as r on r.id = v.report
            ) as n
            join content as t on t.id = n.content
            where _report_channel.level is null
                or n.level = _report_channel.level
                or (n.level < _report_channel.level and n.parent is null)
            order by 5, 1
            limit 3 * depth
        ) as f
        order by 2 desc, 1
        limit depth
    ) as b;
end
$function$;
comment on function graphrag._report_channel(vector, graphrag._filter, integer, integer) is 'Communities whose report is near the question, well rated and large.';

create function graphrag._report_evidence(
    question vector,
    filter graphrag._filter,
    level integer,
    depth integer
)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 10
as $function$
begin
    return query
    select e.*
    from graphrag._report_channel(question, filter, level, depth) as c
    join graphrag._communities_at(filter) as v on v.community = c.community
    join report as r on r.id = v.report
    join content as t on t.id = r.content
    cross join lateral jsonb_populate_record(
        null::graphrag.evidence,
        jsonb_build_object(
            'kind', 'report',
            'rank', c.rank,
            'id', c.community,
            'text', t.body,
            'score', c.score,
            'ranks', jsonb_build_object('report', c.rank),
            'subject', r.title,
            'metadata', jsonb_build_object(
                'level', v.level,
                'parent', v.parent,
                'rating', r.rating,
                'size', r.size,
                'relations', (
                    select coalesce(jsonb_agg(distinct o.relation), '[]')
                    from finding as f
                    cross join unnest(f.relations) as o (relation)
                    where f.report = r.id
                )
            )
        )
    ) as e
    order by c.rank;
end
$function$;
comment on function graphrag._report_evidence(vector, graphrag._filter, integer, integer) is 'Community reports as evidence.';

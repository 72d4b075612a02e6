create function graphrag._report_channel(
    question vector,
    filter graphrag._filter,
    level integer,
    depth integer
)
    returns table (community bigint, rank bigint, score double precision)
    language plpgsql stable parallel safe rows 10
as $function$
-- Similarity, rating and size on absolute scales. The level is looked at inside the vector scan: NULL means all levels,
-- else the tree cut there, which is the communities of that level and those below it that have no parent.
declare
    _largest integer;
begin
    select max(r.size)
    into _largest
    from community as c
    join community_version as v on v.community = c.id
    join report as r on r.id = v.report
    where c.space = any (filter.spaces) and graphrag._believed(v.born, v.died, c.space, filter);
    return query
    select b.community, row_number() over (order by b.score desc, b.community), b.score
    from (
        select
            f.community,
            1 - f.distance + f.rating / 10.0 * 0.25 + ln(1 + f.size) / ln(1 + _largest) * 0.15 as score
        from (
            select n.community, n.rating, n.size, graphrag._distance(t.vec, question) as distance
            from content as t
            cross join lateral (
                -- offset 0: the texts come in the order of their index, and each is looked up here.
                select v.community, r.rating, r.size
                from report as r
                join community_version as v on v.report = r.id
                where r.content = t.id
                    and graphrag._believed(v.born, v.died, t.space, filter)
                    and (
                        _report_channel.level is null
                        or v.level = _report_channel.level
                        or (v.level < _report_channel.level and v.parent is null)
                    )
                offset 0
            ) as n
            where t.kind = 'report' and t.space = any (filter.spaces)
            order by graphrag._distance(t.vec, question), n.community
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
    select (jsonb_populate_record(
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
    )).*
    from graphrag._report_channel(question, filter, level, depth) as c
    join community as i on i.id = c.community
    join community_version as v on v.community = c.community and graphrag._believed(v.born, v.died, i.space, filter)
    join report as r on r.id = v.report
    join content as t on t.id = r.content
    order by c.rank;
end
$function$;
comment on function graphrag._report_evidence(vector, graphrag._filter, integer, integer) is 'Community reports as evidence.';

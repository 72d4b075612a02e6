create function graphrag._warn_of_reports(filter graphrag._filter, reports integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Reports are as old as their build: whoever reads them after the graph has changed is told.
declare
    _stale text;
begin
    if reports = 0 then
        raise notice 'there are no community reports'
            using detail = 'What is read are relations, and in mode hybrid passages.',
                hint = 'SELECT * FROM graphrag.build_communities();';
        return;
    end if;
    select string_agg(
        format(
            'of space "%s" are %s old and %s behind',
            s.name,
            graphrag._render_age(clock_timestamp() - o.at),
            case n.revisions when 1 then '1 revision' else n.revisions || ' revisions' end
        ),
        ', ' order by s.name
    )
    into _stale
    from unnest(filter.spaces, filter.revisions) as i (id, revision)
    join space as s on s.id = i.id
    join community_build as b on b.space = s.id and b.born <= i.revision and (b.died is null or b.died > i.revision)
    join revision as o on o.space = s.id and o.n = b.born
    cross join lateral (
        select count(*) as revisions
        from revision as r
        where r.space = s.id
            and r.n > b.graph_revision
            and r.n <= i.revision
            and (r.operation <> 'build_communities' or graphrag._moved_graph(r.space, r.n))
    ) as n
    where n.revisions > 0;
    if _stale is not null then
        raise warning 'the community reports % the graph', _stale
            using detail = 'They do not say what has been learned since.',
                hint = 'SELECT * FROM graphrag.build_communities(); only what has changed is paid for.';
    end if;
end
$function$;
comment on function graphrag._warn_of_reports(graphrag._filter, integer) is 'Says that there are no reports, or that they are stale, and how old.';

create function graphrag._render_age(age interval)
    returns text
    language sql immutable strict parallel safe
as $function$
    select case
        when age >= interval '2 days' then format('%s days', trunc(extract(epoch from age) / 86400))
        when age >= interval '2 hours' then format('%s hours', trunc(extract(epoch from age) / 3600))
        when age >= interval '2 minutes' then format('%s minutes', trunc(extract(epoch from age) / 60))
        else format('%s seconds', greatest(trunc(extract(epoch from age)), 1))
    end
$function$;
comment on function graphrag._render_age(interval) is 'An age in its largest unit.';

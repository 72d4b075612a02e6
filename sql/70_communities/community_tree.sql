create function graphrag.community_tree(
    space text default null,
    realm text default null,
    as_believed_at text default null
)
    returns table (
        community bigint,
        parent bigint,
        level integer,
        depth integer,
        title text,
        summary text,
        rating real,
        size integer,
        built_at timestamptz
    )
    language plpgsql volatile parallel unsafe rows 64
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
#variable_conflict use_column
declare
    _filter graphrag._filter;
begin
    perform graphrag._enter(realm);
    _filter := graphrag._filter_of($1, null, $3, false, null, null, null, null);
    return query
    with recursive placed as materialized (
        select
            v.community, v.parent, v.level, r.title, r.summary, r.rating, r.size, s.at,
            row_number() over (
                partition by c.space, v.parent order by r.size desc, r.title collate "C", v.community
            ) as place,
            c.space
        from community as c
        join community_version as v on v.community = c.id
        join report as r on r.id = v.report
        join revision as s on s.space = c.space and s.n = v.born
        where c.space = any (_filter.spaces) and graphrag._believed(v.born, v.died, c.space, _filter)
    ),
    tree as (
        select p.*, array[p.space, p.place] as path from placed as p where p.parent is null
        union all
        select p.*, t.path || p.place from tree as t join placed as p on p.parent = t.community
    )
    select
        t.community, t.parent, t.level, cardinality(t.path) - 2, t.title, t.summary, t.rating, t.size, t.at
    from tree as t
    order by t.path;
    perform graphrag._check_still_whole(_filter);
end
$function$;
comment on function graphrag.community_tree(text, text, text) is 'Every community with its report, parents before their children, the largest first.';

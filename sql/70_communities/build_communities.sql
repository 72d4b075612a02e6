create function graphrag.build_communities(
    levels integer default 1,
    resolution double precision default null,
    algorithm text default 'leiden',
    space text default null,
    realm text default null
)
    returns graphrag.community_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set jit = off
    set graphrag.call = ''
    set graphrag.tally = ''
as $function$
-- Everything is read as of one revision, so that no lock is needed while models are asked; then the new set replaces
-- the old one under the space's lock. What fails before that leaves the old one.
declare
    _start timestamptz := clock_timestamp();
    _space integer;
    _revision bigint;
    _resolution double precision;
    _found record;
    _plans graphrag._community_plan[];
    _level record;
    _result graphrag.community_result;
begin
    perform graphrag._enter(realm);
    perform set_config('graphrag.call', gen_random_uuid()::text, true);
    _resolution := coalesce(resolution, (graphrag._setting('community_resolution') #>> '{}')::double precision);
    perform graphrag._check_build(levels, _resolution);
    perform graphrag._refuse_read_only('no communities can be built');
    _space := graphrag._space_to_cluster(space);
    _revision := coalesce((select s.revision from space as s where s.id = _space), 0);
    _found := graphrag._find_clusters(_space, _revision, algorithm, _resolution);
    _level := graphrag._report_level(_space, _revision, _found.plans, '{}');
    _plans := _level.plans;
    _result.unknown_relations := _level.unknown;
    for _n in 1 .. levels - 1 loop
        _level := graphrag._report_level(
            _space, _revision, graphrag._find_parents(_revision, _plans, _n, algorithm, _resolution), _plans
        );
        exit when _level.plans = '{}';
        _plans := _plans || _level.plans;
        _result.unknown_relations := _result.unknown_relations + _level.unknown;
    end loop;
    _result.revision := graphrag._replace_communities(
        _space, _revision, _plans, _found.used, _resolution, levels
    );
    _result.algorithm := _found.used;
    _result.entities := _found.entities;
    _result.relations := _found.relations;
    _result := graphrag._count_communities(_result, _plans);
    _result.elapsed := clock_timestamp() - _start;
    return _result;
end
$function$;
comment on function graphrag.build_communities(integer, double precision, text, text, text) is 'Clusters the current graph of a space and has a report written on each cluster that has none yet; the new set replaces the old one at once.';

create function graphrag._check_build(levels integer, resolution double precision)
    returns void
    language plpgsql immutable parallel safe
as $function$
begin
    if levels is null or levels not between 1 and 10 then
        raise exception 'levels is %', levels
            using errcode = 'GR009',
                detail = 'Communities have 1 to 10 levels; each joins those of the level below.',
                hint = 'Leave levels out for one level.';
    end if;
    if resolution not between 0.0001 and 1000 then
        raise exception 'resolution % is out of range', resolution
            using errcode = 'GR009',
                detail = 'It is 0.0001 to 1000.',
                hint = '1 is modularity as it is defined; 2 finds more and smaller communities, 0.5 fewer and larger ones.';
    end if;
end
$function$;
comment on function graphrag._check_build(integer, double precision) is 'Raises GR009 for arguments that no communities can be built with.';

create function graphrag._space_to_cluster(space text)
    returns integer
    language plpgsql stable parallel safe
as $function$
begin
    return (graphrag._spaces_for_read(graphrag._refuse_all_spaces(space)))[1];
end
$function$;
comment on function graphrag._space_to_cluster(text) is 'The id of one space; NULL for the default space of a realm in which nothing has been indexed.';

create function graphrag._report_level(
    space integer,
    revision bigint,
    inout plans graphrag._community_plan[],
    below graphrag._community_plan[],
    out unknown integer
)
    returns record
    language plpgsql volatile parallel unsafe
as $function$
-- One level with its reports. A parent is rated as its best child.
declare
    _titles text[] := array(select b.title from unnest(below) as b where b.title is not null);
    _asked record;
begin
    unknown := 0;
    if plans = '{}' then
        return;
    end if;
    plans := graphrag._describe_communities(
        revision, plans, below, (graphrag._setting('report_budget') #>> '{}')::integer
    );
    plans := graphrag._match_reports(space, plans, _titles);
    _asked := graphrag._ask_reports(
        space, plans, _titles || array(select p.title from unnest(plans) as p where p.report is not null)
    );
    unknown := _asked.unknown;
    plans := array(
        select jsonb_populate_record(
            p,
            case
                when p.level > 0 and p.report is null then jsonb_build_object(
                    'rating', (select max(b.rating) from unnest(below) as b where b.no = any (p.children))
                )
                else '{}'
            end
        )
        from unnest(_asked.plans) as p
        order by p.no
    );
end
$function$;
comment on function graphrag._report_level(integer, bigint, graphrag._community_plan[], graphrag._community_plan[]) is 'The communities of one level with their reports, kept or asked for.';

create function graphrag._count_communities(
    result graphrag.community_result,
    plans graphrag._community_plan[]
)
    returns graphrag.community_result
    language plpgsql volatile parallel unsafe
as $function$
declare
    _tally jsonb := graphrag._tally();
    _ratings real[] := array(select p.rating from unnest(plans) as p where p.error is null and p.level = 0);
begin
    select
        count(*) filter (where p.error is null),
        coalesce(max(p.level) filter (where p.error is null) + 1, 0),
        count(*) filter (where p.error is null and p.findings is null),
        count(*) filter (where p.error is not null),
        coalesce(
            jsonb_agg(
                jsonb_build_object(
                    'level', p.level, 'names', p.names, 'size', cardinality(p.members), 'reason', p.error
                )
                order by p.no
            ) filter (where p.error is not null),
            '[]'
        )
    into result.communities, result.levels, result.reused, result.failed, result.failures
    from unnest(plans) as p;
    result.llm_calls := (_tally ->> 'chats')::integer;
    result.input_tokens := (_tally ->> 'input_tokens')::bigint;
    result.output_tokens := (_tally ->> 'output_tokens')::bigint;
    if cardinality(_ratings) > 1 and _ratings[1] = all (_ratings) then
        raise warning 'all % communities are rated %', cardinality(_ratings), _ratings[1]
            using detail = 'Ratings that are all the same say nothing, and cannot help to rank.',
                hint = 'A stronger model for the role community uses the whole scale.';
    end if;
    return result;
end
$function$;
comment on function graphrag._count_communities(graphrag.community_result, graphrag._community_plan[]) is 'Counts of a build and what it cost; warns of flat ratings.';

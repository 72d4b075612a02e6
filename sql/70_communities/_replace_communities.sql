create function graphrag._report_text(title text, summary text, findings jsonb)
    returns text
    language sql immutable parallel safe
as $function$
    select concat_ws(
        E'\n',
        title,
        summary,
        (
            select string_agg(
                concat_ws(' ', '- ' || (f.finding ->> 'summary'), f.finding ->> 'explanation'), E'\n' order by f.no
            )
            from jsonb_array_elements(findings) with ordinality as f (finding, no)
        )
    )
$function$;
comment on function graphrag._report_text(text, text, jsonb) is 'A report as it is embedded and shown.';

create function graphrag._replace_communities(
    space integer,
    graph_revision bigint,
    plans graphrag._community_plan[],
    algorithm text,
    resolution double precision,
    levels integer
)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
-- The network first, then the lock. Returns the revision that the communities are of: where nothing differs from the
-- live ones, nothing is written and no revision taken.
declare
    _vectors bigint := (select r.vectors from realm as r);
    _texts jsonb := graphrag._embed_reports(space, plans);
    _failures jsonb := (
        select coalesce(jsonb_agg(jsonb_build_object('names', p.names, 'reason', p.error) order by p.no), '[]')
        from unnest(plans) as p
        where p.error is not null
    );
    _standing graphrag._community_plan[] := array(
        select p from unnest(plans) as p where p.error is null order by p.no
    );
    _revision bigint;
begin
    if space is null then
        return 0;
    end if;
    if _standing = '{}' and plans <> '{}' then
        raise exception 'no community of the space could be reported on'
            using errcode = 'GR108',
                detail = plans[1].error,
                hint = 'The communities of before stand. SELECT * FROM graphrag.doctor() checks the endpoints.';
    end if;
    perform graphrag._lock_spaces(array[space]);
    perform graphrag._check_vectors(_vectors);
    perform graphrag._check_not_purged(space, graph_revision, _standing);
    _standing := graphrag._identify_communities(_standing);
    if graphrag._is_built(space, graph_revision, _standing, algorithm, resolution, levels, _failures) then
        return (select b.born from community_build as b where b.space = $1 and b.died is null);
    end if;
    _revision := graphrag._next_revision(space, 'build_communities');
    perform graphrag._store_contents(space, _texts);
    perform graphrag._store_reports(space, _standing);
    perform graphrag._replace_versions(space, _revision, _standing);
    delete from community_build as b where b.space = $1 and b.died is null and b.born = _revision;
    update community_build as b set died = _revision where b.space = $1 and b.died is null;
    insert into community_build (space, born, graph_revision, algorithm, resolution, levels, failures)
    values ($1, _revision, $2, $4, $5, $6, _failures);
    return _revision;
end
$function$;
comment on function graphrag._replace_communities(integer, bigint, graphrag._community_plan[], text, double precision, integer) is 'Replaces the communities of a space and returns the revision that did.';

create function graphrag._check_not_purged(
    space integer,
    graph_revision bigint,
    plans graphrag._community_plan[]
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- purge() does not wait for models: under the lock it is seen whether it took what the graph had, which new reports may
-- tell of, or old reports that were to be kept.
begin
    if exists (select from space as s where s.id = $1 and s.purged > graph_revision)
        or exists (
            select
            from unnest(plans) as p
            where p.report is not null and not exists (select from report as r where r.id = p.report)
        )
    then
        raise exception 'space "%" has been purged meanwhile', (select s.name from space as s where s.id = $1)
            using errcode = 'serialization_failure',
                detail = 'The reports may tell of what has been erased.',
                hint = 'Repeat the statement.';
    end if;
end
$function$;
comment on function graphrag._check_not_purged(integer, bigint, graphrag._community_plan[]) is 'Raises 40001 if what communities were built from has been purged since.';

create function graphrag._embed_reports(space integer, plans graphrag._community_plan[])
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _bodies text[] := array(
        select distinct t.body
        from unnest(plans) as p
        cross join lateral (select graphrag._report_text(p.title, p.summary, p.findings) as body) as t
        where p.report is null
            and p.error is null
            and not exists (
                select
                from content as c
                where c.space = $1 and c.kind = 'report' and c.hash = sha256(convert_to(t.body, 'UTF8'))
            )
    );
begin
    if _bodies = '{}' then
        return '[]';
    end if;
    return (
        select jsonb_agg(jsonb_build_object('kind', 'report', 'body', t.body, 'vec', t.vec))
        from unnest(_bodies, graphrag._embed(_bodies)) as t (body, vec)
    );
end
$function$;
comment on function graphrag._embed_reports(integer, graphrag._community_plan[]) is 'Vectors of the reports that have none yet.';

create function graphrag._identify_communities(plans graphrag._community_plan[])
    returns graphrag._community_plan[]
    language plpgsql volatile parallel unsafe
as $function$
-- Ids for what is new. Those of reports are recognised by having no row yet.
begin
    return array(
        select jsonb_populate_record(
            p,
            jsonb_build_object(
                'community', coalesce(p.community, nextval('community_id_seq')),
                'report', coalesce(p.report, nextval('report_id_seq'))
            )
        )
        from unnest(plans) as p
        order by p.no
    );
end
$function$;
comment on function graphrag._identify_communities(graphrag._community_plan[]) is 'Communities with an id each.';

create function graphrag._wanted_versions(plans graphrag._community_plan[])
    returns table (community bigint, report bigint, parent bigint, level integer)
    language sql immutable parallel safe rows 100
as $function$
    select p.community, p.report, o.community, p.level
    from unnest(plans) as p
    left join unnest(plans) as o on p.no = any (o.children)
$function$;
comment on function graphrag._wanted_versions(graphrag._community_plan[]) is 'What the live versions of communities should say.';

create function graphrag._is_built(
    space integer,
    graph_revision bigint,
    plans graphrag._community_plan[],
    algorithm text,
    resolution double precision,
    levels integer,
    failures jsonb
)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- Whether the live build says the same of the same graph: only builds have come after the revision that it read.
begin
    return exists (
        select
        from community_build as b
        where b.space = $1
            and b.died is null
            and row(b.algorithm, b.resolution, b.levels, b.failures) = row($4, $5, $6, $7)
            and not exists (
                select
                from revision as r
                where r.space = $1
                    and r.n > b.graph_revision
                    and r.n <= $2
                    and (r.operation <> 'build_communities' or graphrag._moved_graph(r.space, r.n))
            )
    )
    and not exists (
        (
            select w.community, w.report, w.parent, w.level
            from graphrag._wanted_versions(plans) as w
            except
            select v.community, v.report, v.parent, v.level
            from community as c
            join community_version as v on v.community = c.id and v.died is null
            where c.space = $1
        )
        union all
        (
            select v.community, v.report, v.parent, v.level
            from community as c
            join community_version as v on v.community = c.id and v.died is null
            where c.space = $1
            except
            select w.community, w.report, w.parent, w.level
            from graphrag._wanted_versions(plans) as w
        )
    );
end
$function$;
comment on function graphrag._is_built(integer, bigint, graphrag._community_plan[], text, double precision, integer, jsonb) is 'Whether a build would change nothing.';

create function graphrag._store_reports(space integer, plans graphrag._community_plan[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into community (id, space)
    overriding system value
    select p.community, $1
    from unnest(plans) as p
    where not exists (select from community as c where c.id = p.community);

    with fresh as materialized (
        select p.*
        from unnest(plans) as p
        where p.findings is not null
    ),
    reported as (
        insert into report (id, level, hash, title, summary, rating, size, content, model)
        overriding system value
        select
            f.report, f.level, f.hash, f.title, f.summary, f.rating, cardinality(f.members), c.id, f.model
        from fresh as f
        join content as c on c.space = $1 and c.kind = 'report'
            and c.hash = sha256(convert_to(graphrag._report_text(f.title, f.summary, f.findings), 'UTF8'))
    ),
    joined as (
        insert into member (report, entity)
        select f.report, m.entity
        from fresh as f
        cross join unnest(f.members) as m (entity)
    )
    insert into finding (report, no, summary, explanation, relations)
    select
        f.report,
        n.no,
        n.finding ->> 'summary',
        n.finding ->> 'explanation',
        array(select jsonb_array_elements_text(n.finding -> 'relations')::bigint)
    from fresh as f
    cross join jsonb_array_elements(f.findings) with ordinality as n (finding, no);
end
$function$;
comment on function graphrag._store_reports(integer, graphrag._community_plan[]) is 'Stores new communities and new reports with members and findings.';

create function graphrag._replace_versions(space integer, revision bigint, plans graphrag._community_plan[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- See _apply_entities(): a version born in this very revision was never believed by anyone.
begin
    with gone as (
        select v.id
        from community as c
        join community_version as v on v.community = c.id and v.died is null
        where c.space = $1
            and not exists (
                select
                from graphrag._wanted_versions(plans) as w
                where w.community = v.community
                    and w.report = v.report
                    and w.parent is not distinct from v.parent
                    and w.level = v.level
            )
    ),
    unsaid as (
        delete from community_version as v using gone as g where v.id = g.id and v.born = revision
    )
    update community_version as v set died = revision from gone as g where v.id = g.id and v.born < revision;

    insert into community_version (community, report, parent, level, born)
    select w.community, w.report, w.parent, w.level, revision
    from graphrag._wanted_versions(plans) as w
    where not exists (select from community_version as v where v.community = w.community and v.died is null);
end
$function$;
comment on function graphrag._replace_versions(integer, bigint, graphrag._community_plan[]) is 'Makes the live versions of communities equal to the wanted ones.';

create function graphrag._cluster_graph(
    space integer,
    revision bigint,
    out entities bigint[],
    out ends bytea,
    out weights bytea,
    out relations bigint
)
    returns record
    language plpgsql stable parallel safe
as $function$
-- The current relations between entities at a revision, as an undirected graph: entities in the order of their names,
-- so that neither ids nor the order of arrival decide what is clustered. Relations of the same two are summed up by
-- who clusters them, in a fifth of the time that a query takes; as tenths, which is exact.
-- An entity without relations is in the list too; graphrag._cluster() gives it no cluster.
begin
    entities := array(
        select n.entity
        from entity_name as n
        where n.space = $1
            and n.role = 'canonical'
            and n.born <= $2
            and (n.died is null or n.died > $2)
        order by n.folded collate "C"
    );
    select
        string_agg(int8send(v.subject) || int8send(v.object), ''),
        string_agg(int8send(v.weight * case when v.negated then 3 else 10 end), ''),
        count(*)
    into ends, weights, relations
    from relation_version as v
    where v.space = $1
        and v.status = 'current'
        and v.object <> v.subject
        and v.born <= $2
        and (v.died is null or v.died > $2);
end
$function$;
comment on function graphrag._cluster_graph(integer, bigint) is 'The graph that communities are found in, as graphrag._cluster() takes it.';

create function graphrag._find_clusters(
    space integer,
    revision bigint,
    algorithm text,
    resolution double precision,
    out plans graphrag._community_plan[],
    out used text,
    out entities integer,
    out relations bigint
)
    returns record
    language plpgsql volatile parallel unsafe
as $function$
-- The largest clusters, the largest first; of equal size, by the first of its names.
declare
    _found record := graphrag._cluster_space(space, revision, algorithm, resolution);
begin
    perform graphrag._warn_of_algorithm(_found.used, _found.note);
    used := _found.used;
    entities := (select count(*) from unnest(_found.membership) as m (cluster) where m.cluster >= 0);
    relations := _found.relations;
    plans := array(
        select jsonb_populate_record(
            null::graphrag._community_plan,
            jsonb_build_object(
                'no', row_number() over (order by count(*) desc, min(m.no)),
                'level', 0,
                'children', '[]'::jsonb,
                'members', jsonb_agg(m.entity order by m.no)
            )
        )
        from unnest(_found.entities, _found.membership) with ordinality as m (entity, cluster, no)
        where m.cluster >= 0
        group by m.cluster
        having count(*) >= (graphrag._setting('community_min_size') #>> '{}')::integer
        order by count(*) desc, min(m.no)
        limit (graphrag._setting('max_communities') #>> '{}')::integer
    );
end
$function$;
comment on function graphrag._find_clusters(integer, bigint, text, double precision) is 'The clusters of a space that are worth a report.';

create function graphrag._warn_of_algorithm(used text, note text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    if note is not null then
        raise warning 'communities are found by %: the native libraries cannot be used', replace(used, '_', ' ')
            using detail = note,
                hint = 'Run make install in the extension''s source directory: it installs igraph and leidenalg beside it.';
    end if;
end
$function$;
comment on function graphrag._warn_of_algorithm(text, text) is 'Says so if another algorithm than the wanted one was used, and why.';

create function graphrag._find_parents(
    revision bigint,
    plans graphrag._community_plan[],
    level integer,
    algorithm text,
    resolution double precision
)
    returns graphrag._community_plan[]
    language plpgsql volatile parallel unsafe
as $function$
-- Clusters of the clusters that have no parent yet, joined by the relations between their members: so levels are nested
-- by construction. What stays alone gets no parent.
declare
    _roots integer[] := array(
        select p.no
        from unnest(plans) as p
        where p.error is null and not exists (select from unnest(plans) as o where p.no = any (o.children))
        order by p.no
    );
    _ends bytea;
    _weights bytea;
    _found record;
begin
    with member as materialized (
        select r.plan, m.entity
        from unnest(_roots) as r (plan)
        join unnest(plans) as p on p.no = r.plan
        cross join unnest(p.members) as m (entity)
    ),
    edge as (
        select
            least(a.plan, b.plan)::bigint as a,
            greatest(a.plan, b.plan)::bigint as b,
            sum(v.weight * case when v.negated then 3 else 10 end) as weight
        from member as a
        join relation_version as v on v.subject = a.entity
        join member as b on b.entity = v.object
        where a.plan <> b.plan
            and v.status = 'current'
            and v.born <= $1
            and (v.died is null or v.died > $1)
        group by 1, 2
    )
    select
        string_agg(int8send(e.a) || int8send(e.b), ''),
        string_agg(int8send(e.weight), '')
    into _ends, _weights
    from edge as e;
    if _ends is null then
        return '{}';
    end if;
    _found := graphrag._cluster(_roots, _ends, _weights, algorithm, resolution);
    return array(
        select jsonb_populate_record(
            null::graphrag._community_plan,
            jsonb_build_object(
                'no', cardinality(plans) + row_number() over (order by sum(cardinality(p.members)) desc, min(p.no)),
                'level', $3,
                'children', jsonb_agg(p.no order by p.no),
                'members', (
                    select jsonb_agg(m.entity order by c.no, m.no)
                    from unnest(plans) as c
                    cross join unnest(c.members) with ordinality as m (entity, no)
                    where c.no = any (array_agg(p.no))
                )
            )
        )
        from unnest(_roots, _found.membership) as r (plan, cluster)
        join unnest(plans) as p on p.no = r.plan
        group by r.cluster
        having count(*) > 1
        order by sum(cardinality(p.members)) desc, min(p.no)
    );
end
$function$;
comment on function graphrag._find_parents(bigint, graphrag._community_plan[], integer, text, double precision) is 'The clusters of one more level.';

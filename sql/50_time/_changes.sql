-- What changed after a place in a space, up to a revision: the rows born or died since, one change a thing and
-- revision. Each function reads its tables in the order of the changes, so that a page costs its rows and not the
-- history: a version that ended because another began in the same revision is no change of its own, and there are no
-- more of those than of beginnings; so ends are looked at only as far as the beginnings of a page go.

create function graphrag._change_kinds()
    returns text[]
    language sql immutable parallel safe
as $function$
    select '{
        document_added, document_changed, document_deleted,
        entity_new, entity_dormant, entity_revived, entity_archived, entity_merged, entity_changed, description_changed,
        relation_added, relation_superseded, relation_reopened, relation_withdrawn, relation_archived, relation_changed,
        communities_built, communities_stale
    }'::text[]
$function$;
comment on function graphrag._change_kinds() is 'The kinds of changes, in the order in which a revision tells them.';

create function graphrag._document_changes(
    space integer,
    after bigint,
    after_id bigint,
    until bigint,
    kinds text[],
    max_rows bigint
)
    returns table (revision bigint, id bigint, kind text)
    language plpgsql stable parallel safe rows 100
as $function$
declare
    _last_id constant bigint := 9223372036854775807;
    _last constant bigint := coalesce(max_rows, _last_id) - 1;
begin
    return query
    with begun (revision, id, kind) as materialized (
        select v.born, v.document, k.kind
        from document_version as v
        cross join lateral (
            select case
                when exists (select from document_version as b where b.document = v.document and b.died = v.born)
                    then 'document_changed'
                else 'document_added'
            end as kind
        ) as k
        where v.space = $1
            and (v.born, v.document) > (after, after_id)
            and v.born <= until
            and (kinds is null or k.kind = any (kinds))
        order by v.born, v.document
        limit max_rows
    )
    select c.*
    from (
        select b.* from begun as b
        union all
        (
            select v.died, v.document, 'document_deleted'
            from document_version as v
            where v.space = $1
                and (v.died, v.document) > (after, after_id)
                and v.died <= until
                and (v.died, v.document) <= (
                    coalesce((select b.revision from begun as b order by 1, b.id offset _last limit 1), until),
                    coalesce((select b.id from begun as b order by b.revision, 1 offset _last limit 1), _last_id)
                )
                and (kinds is null or 'document_deleted' = any (kinds))
                and not exists (select from document_version as b where b.document = v.document and b.born = v.died)
            order by v.died, v.document
            limit max_rows
        )
    ) as c
    order by 1, 2
    limit max_rows;
end
$function$;
comment on function graphrag._document_changes(integer, bigint, bigint, bigint, text[], bigint) is 'Documents that were added, changed or deleted, in order.';

create function graphrag._entity_changes(
    space integer,
    after bigint,
    after_id bigint,
    until bigint,
    kinds text[],
    max_rows bigint
)
    returns table (revision bigint, id bigint, kind text)
    language plpgsql stable parallel safe rows 100
as $function$
declare
    _last_id constant bigint := 9223372036854775807;
    _last constant bigint := coalesce(max_rows, _last_id) - 1;
begin
    return query
    with begun (revision, id, kind) as materialized (
        select v.born, v.entity, k.kind
        from entity_version as v
        left join lateral (
            select b.died, b.content
            from entity_version as b
            where b.entity = v.entity and b.born < v.born
            order by b.born desc
            limit 1
        ) as b on true
        cross join lateral (
            select case
                when b.died is null then 'entity_new'
                when b.died < v.born then 'entity_revived'
                when b.content <> v.content then 'description_changed'
                else 'entity_changed'
            end as kind
        ) as k
        where v.space = $1
            and (v.born, v.entity) > (after, after_id)
            and v.born <= until
            and (kinds is null or k.kind = any (kinds))
        order by v.born, v.entity
        limit max_rows
    ),
    events (revision, id, kind) as materialized (
        select b.* from begun as b
        union all
        (
            select v.died, v.entity, k.kind
            from entity_version as v
            cross join lateral (
                select case
                    when graphrag._merged_into(v.entity, v.died) is not null then 'entity_merged'
                    -- What is archived keeps its names.
                    when exists (
                        select
                        from entity_name as n
                        where n.entity = v.entity
                            and n.role = 'canonical'
                            and n.born <= v.died
                            and (n.died is null or n.died > v.died)
                    ) then 'entity_archived'
                    else 'entity_dormant'
                end as kind
            ) as k
            where v.space = $1
                and (v.died, v.entity) > (after, after_id)
                and v.died <= until
                and (v.died, v.entity) <= (
                    coalesce((select b.revision from begun as b order by 1, b.id offset _last limit 1), until),
                    coalesce((select b.id from begun as b order by b.revision, 1 offset _last limit 1), _last_id)
                )
                and (kinds is null or k.kind = any (kinds))
                and not exists (select from entity_version as b where b.entity = v.entity and b.born = v.died)
            order by v.died, v.entity
            limit max_rows
        )
        order by 1, 2
        limit max_rows
    )
    select c.*
    from (
        select b.* from events as b
        union all
        -- Names came or went, and nothing else about an entity that is believed changed.
        (
            select distinct n.revision, n.entity, 'entity_changed'
            from (
                (
                    select distinct n.born as revision, n.entity
                    from entity_name as n
                    where n.space = $1
                        and (n.born, n.entity) > (after, after_id)
                        and n.born <= until
                        and (n.born, n.entity) <= (
                            coalesce(
                                (select b.revision from events as b order by 1, b.id offset _last limit 1), until
                            ),
                            coalesce(
                                (select b.id from events as b order by b.revision, 1 offset _last limit 1), _last_id
                            )
                        )
                        and graphrag._keeps_version(n.entity, n.born)
                        and (kinds is null or 'entity_changed' = any (kinds))
                    order by n.born, n.entity
                    limit max_rows
                )
                union all
                (
                    select distinct n.died, n.entity
                    from entity_name as n
                    where n.space = $1
                        and (n.died, n.entity) > (after, after_id)
                        and n.died <= until
                        and (n.died, n.entity) <= (
                            coalesce(
                                (select b.revision from events as b order by 1, b.id offset _last limit 1), until
                            ),
                            coalesce(
                                (select b.id from events as b order by b.revision, 1 offset _last limit 1), _last_id
                            )
                        )
                        and graphrag._keeps_version(n.entity, n.died)
                        and (kinds is null or 'entity_changed' = any (kinds))
                    order by n.died, n.entity
                    limit max_rows
                )
            ) as n
        )
    ) as c
    order by 1, 2
    limit max_rows;
end
$function$;
comment on function graphrag._entity_changes(integer, bigint, bigint, bigint, text[], bigint) is 'Entities that came, went, were merged or changed, in order.';

create function graphrag._keeps_version(entity bigint, revision bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- The version before was born earlier, so that the index on births finds it. Names of what is archived come and go
-- unseen: it has no version.
begin
    return coalesce(
        (
            select v.born < $2 and (v.died is null or v.died > $2)
            from entity_version as v
            where v.entity = $1 and v.born <= $2
            order by v.born desc
            limit 1
        ),
        false
    );
end
$function$;
comment on function graphrag._keeps_version(bigint, bigint) is 'Whether an entity went through a revision with one version.';

create function graphrag._merged_into(entity bigint, revision bigint)
    returns bigint
    language plpgsql stable parallel safe
as $function$
-- The entity that has taken the canonical name which another had when it ended.
begin
    return (
        select t.entity
        from entity_name as n
        join entity_name as t on t.space = n.space and t.folded = n.folded and t.role <> 'claimed'
        where n.entity = $1
            and n.role = 'canonical'
            and n.died = $2
            and t.entity <> $1
            and t.born <= $2
            and (t.died is null or t.died > $2)
        limit 1
    );
end
$function$;
comment on function graphrag._merged_into(bigint, bigint) is 'Which entity goes on under the name of one that ended in a revision; NULL if none does.';

create function graphrag._relation_changes(
    space integer,
    after bigint,
    after_id bigint,
    until bigint,
    kinds text[],
    max_rows bigint
)
    returns table (revision bigint, id bigint, kind text)
    language plpgsql stable parallel safe rows 100
as $function$
declare
    _last_id constant bigint := 9223372036854775807;
    _last constant bigint := coalesce(max_rows, _last_id) - 1;
begin
    return query
    with begun (revision, id, kind) as materialized (
        select v.born, v.relation, k.kind
        from relation_version as v
        left join lateral (
            select b.died, case when b.died = v.born then b.status end as status
            from relation_version as b
            where b.relation = v.relation and b.born < v.born
            order by b.born desc
            limit 1
        ) as b on true
        cross join lateral (
            select case
                when b.died is null then 'relation_added'
                when b.status = v.status then 'relation_changed'
                when v.status = 'superseded' then 'relation_superseded'
                when v.status = 'archived' then 'relation_archived'
                else 'relation_reopened'
            end as kind
        ) as k
        where v.space = $1
            and (v.born, v.relation) > (after, after_id)
            and v.born <= until
            and (kinds is null or k.kind = any (kinds))
        order by v.born, v.relation
        limit max_rows
    )
    select c.*
    from (
        select b.* from begun as b
        union all
        (
            select v.died, v.relation, 'relation_withdrawn'
            from relation_version as v
            where v.space = $1
                and (v.died, v.relation) > (after, after_id)
                and v.died <= until
                and (v.died, v.relation) <= (
                    coalesce((select b.revision from begun as b order by 1, b.id offset _last limit 1), until),
                    coalesce((select b.id from begun as b order by b.revision, 1 offset _last limit 1), _last_id)
                )
                and (kinds is null or 'relation_withdrawn' = any (kinds))
                and not exists (select from relation_version as b where b.relation = v.relation and b.born = v.died)
            order by v.died, v.relation
            limit max_rows
        )
    ) as c
    order by 1, 2
    limit max_rows;
end
$function$;
comment on function graphrag._relation_changes(integer, bigint, bigint, bigint, text[], bigint) is 'Relations that were added, superseded, reopened, withdrawn or changed, in order.';

create function graphrag._community_changes(
    space integer,
    after bigint,
    after_id bigint,
    until bigint,
    kinds text[],
    max_rows bigint
)
    returns table (revision bigint, id bigint, kind text)
    language plpgsql stable parallel safe rows 10
as $function$
-- A build is told when it is there, and once more when the graph first moves away from it; of one that was overtaken
-- while its reports were written, only that it is stale.
begin
    return query
    select c.*
    from (
        select b.born, b.id, case when t.n <= b.born then 'communities_stale' else 'communities_built' end as kind
        from community_build as b
        cross join lateral (select graphrag._overtaken($1, b.graph_revision, b.died) as n) as t
        where b.space = $1 and b.born >= after
        union all
        select t.n, b.id, 'communities_stale'
        from community_build as b
        cross join lateral (select graphrag._overtaken($1, b.graph_revision, b.died) as n) as t
        where b.space = $1 and t.n > b.born
    ) as c
    where (c.born, c.id) > (after, after_id) and c.born <= until and (kinds is null or c.kind = any (kinds))
    order by 1, 2
    limit max_rows;
end
$function$;
comment on function graphrag._community_changes(integer, bigint, bigint, bigint, text[], bigint) is 'Communities that were built, and when they were no longer those of the graph, in order.';

create function graphrag._moved_graph(space integer, revision bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- Of a revision that was taken to build communities: a transaction has one, named after the first thing that it did.
begin
    return exists (select from document_version as v where v.space = $1 and v.born = $2)
        or exists (select from document_version as v where v.space = $1 and v.died = $2)
        or exists (select from entity_version as v where v.space = $1 and v.born = $2)
        or exists (select from entity_version as v where v.space = $1 and v.died = $2)
        or exists (select from relation_version as v where v.space = $1 and v.born = $2)
        or exists (select from relation_version as v where v.space = $1 and v.died = $2);
end
$function$;
comment on function graphrag._moved_graph(integer, bigint) is 'Whether documents, entities or relations came or went in a revision.';

create function graphrag._overtaken(space integer, graph_revision bigint, died bigint)
    returns bigint
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select min(r.n)
        from revision as r
        where r.space = $1
            and r.n > graph_revision
            and (died is null or r.n < died)
            and (r.operation <> 'build_communities' or graphrag._moved_graph(r.space, r.n))
    );
end
$function$;
comment on function graphrag._overtaken(integer, bigint, bigint) is 'The first revision of a space after the graph that communities were built from, while those stood.';

create function graphrag._changes(
    space integer,
    after bigint,
    after_class integer,
    after_id bigint,
    until bigint,
    kinds text[],
    max_rows bigint
)
    returns table (revision bigint, class integer, id bigint, kind text)
    language plpgsql stable parallel safe rows 100
as $function$
-- In the order of revisions, inside one of classes (1 documents, 2 entities, 3 relations, 4 communities), inside a
-- class of ids. A place without a class is the end of its revision.
declare
    _all constant bigint := 9223372036854775807;
    _class integer := coalesce(after_class, 9);
    _after bigint[] := array(
        select case when k.class < _class then _all when k.class = _class then after_id else 0 end
        from generate_series(1, 4) as k (class)
        order by k.class
    );
begin
    return query
    select c.*
    from (
        select d.revision, 1, d.id, d.kind
        from graphrag._document_changes(space, after, _after[1], until, kinds, max_rows) as d
        union all
        select e.revision, 2, e.id, e.kind
        from graphrag._entity_changes(space, after, _after[2], until, kinds, max_rows) as e
        union all
        select r.revision, 3, r.id, r.kind
        from graphrag._relation_changes(space, after, _after[3], until, kinds, max_rows) as r
        union all
        select b.revision, 4, b.id, b.kind
        from graphrag._community_changes(space, after, _after[4], until, kinds, max_rows) as b
    ) as c
    order by 1, 2, 3
    limit max_rows;
end
$function$;
comment on function graphrag._changes(integer, bigint, integer, bigint, bigint, text[], bigint) is 'The changes of a space after a place, up to a revision, in order.';

create function graphrag._check_kinds(kinds text[])
    returns void
    language plpgsql immutable parallel safe
as $function$
declare
    _unknown text := (
        select coalesce(k.kind, 'NULL')
        from unnest(kinds) as k (kind)
        where (k.kind = any (graphrag._change_kinds())) is not true
        limit 1
    );
begin
    if _unknown is not null then
        raise exception 'there is no kind of change "%"', _unknown
            using errcode = 'GR009',
                detail = 'kinds lists the kinds of changes to tell; NULL tells all.',
                hint = graphrag._near(_unknown, graphrag._change_kinds());
    end if;
end
$function$;
comment on function graphrag._check_kinds(text[]) is 'Raises GR009 for an unknown kind of change.';

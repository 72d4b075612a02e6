create function graphrag._evidence(
    question text,
    vec vector,
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer
)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 40
as $function$
-- From the question's vector to ordered evidence in one statement: seeds, channels, fusion, then the rows themselves.
declare
    _k double precision := (graphrag._setting('rrf_k') #>> '{}')::double precision;
    _depth integer := greatest((graphrag._setting('channel_depth') #>> '{}')::integer, top_k);
    _has_graph boolean := mode <> 'naive';
    _today timestamptz := graphrag._today(filter);
    _is_local boolean := mode not in ('naive', 'global');
begin
    return query
    with seeds (entities) as materialized (
        select array(
            select s.entity from graphrag._seeds(question, vec, filter, top_k) as s where _has_graph order by s.rank
        )
    ),
    chunk_channel as (
        select 'vector' as channel, v.chunk, v.rank
        from graphrag._chunks_by_vector(vec, filter, _depth) as v
        where mode <> 'global'
        union all
        select 'text', t.chunk, t.rank from graphrag._chunks_by_text(question, filter, _depth) as t where _is_local
        union all
        select 'mention', m.chunk, m.rank
        from seeds as s
        cross join graphrag._chunks_by_mention(s.entities, filter, _depth) as m
        where _is_local
    ),
    chunks as (
        select c.chunk, sum(1 / (_k + c.rank)) as score, jsonb_object_agg(c.channel, c.rank) as ranks
        from chunk_channel as c
        group by c.chunk
        having mode not in ('local', 'hybrid') or bool_or(c.channel = 'mention')
        order by 2 desc, c.chunk
        limit top_k
    ),
    relation_channel as (
        select 'walk' as channel, w.version, w.rank, w.hop
        from seeds as s
        cross join graphrag._walk(s.entities, filter, max_hops) as w
        where _is_local
        union all
        select 'vector', v.version, v.rank, null
        from graphrag._relations_by_vector(vec, filter, _depth) as v
        where _has_graph
        union all
        select 'text', t.version, t.rank, null
        from graphrag._relations_by_text(question, filter, _depth) as t
        where _has_graph
    ),
    relations as (
        select
            r.version,
            sum(1 / (_k + r.rank)) as score,
            jsonb_object_agg(r.channel, r.rank) as ranks,
            min(r.hop) as hop,
            graphrag._has_ended(v.effective, _today) as has_ended
        from relation_channel as r
        join relation_version as v on v.id = r.version
        group by r.version, v.effective
        order by has_ended, 2 desc, r.version
        limit 3 * top_k
    ),
    -- Entities worth describing: seeds, and those that the relations found are about.
    entity_channel as (
        select 'seed' as channel, e.entity, e.rank
        from seeds as s
        cross join unnest(s.entities) with ordinality as e (entity, rank)
        union all
        select 'relation', n.entity, min(r.rank)
        from (
            select x.version, row_number() over (order by x.has_ended, x.score desc, x.version) as rank
            from relations as x
        ) as r
        join relation_version as v on v.id = r.version
        cross join unnest(array[v.subject, v.object]) as n (entity)
        where n.entity is not null
        group by n.entity
    ),
    entities as (
        select e.entity, sum(1 / (_k + e.rank)) as score, jsonb_object_agg(e.channel, e.rank) as ranks
        from entity_channel as e
        group by e.entity
        order by 2 desc, e.entity
        limit top_k
    ),
    pieces as (
        select c.* from graphrag._chunk_rows(
            array(select x.chunk from chunks as x order by x.score desc, x.chunk), filter
        ) as c
        union all
        select r.* from graphrag._relation_rows(
            array(select x.version from relations as x order by x.has_ended, x.score desc, x.version), filter
        ) as r
        union all
        select e.* from graphrag._entity_rows(
            array(select x.entity from entities as x order by x.score desc, x.entity), filter
        ) as e
    ),
    cited as (
        -- One number a document, in the order in which the evidence first uses it.
        select p.document, p.source, row_number() over (order by min(p.kind), min(p.rank)) as reference
        from pieces as p
        where p.document is not null
        group by p.document, p.source
    )
    select
        p.kind, p.rank, p.id, p.text, coalesce(c.score, r.score, e.score), coalesce(c.ranks, r.ranks, e.ranks), r.hop,
        d.reference::integer, p.document, p.source, p.published_at, p.metadata, p.subject, p.predicate, p.object,
        p.negated, p.status, p.period, p.superseded_by, p.weight, p.confidence
    from pieces as p
    left join chunks as c on p.kind = 'chunk' and c.chunk = p.id
    left join relations as r on p.kind = 'relation' and r.version = p.id
    left join entities as e on p.kind = 'entity' and e.entity = p.id
    left join cited as d on d.document = p.document and d.source is not distinct from p.source
    order by p.kind, p.rank;
end
$function$;
comment on function graphrag._evidence(text, vector, text, graphrag._filter, integer, integer) is 'Evidence for a question, by kind and rank.';

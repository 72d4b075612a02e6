create function graphrag._evidence(
    question text,
    vec vector,
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways
)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 40
as $function$
-- From the question's vector to ordered evidence: channels, walk, fusion, then the rows themselves. Each step is one
-- statement over arrays of what the step before found.
declare
    _depth integer := greatest((graphrag._setting('channel_depth') #>> '{}')::integer, top_k);
    _has_graph boolean := mode <> 'naive';
    _seeds graphrag._hit[] := '{}';
    _best bigint[] := '{}';
    _relations graphrag._hit[] := '{}';
    _passages graphrag._hit[];
    _found graphrag._found[] := '{}';
begin
    _passages := array(select v from graphrag._chunks_by_vector(vec, filter, _depth) as v);
    if _has_graph then
        _passages := _passages || array(select t from graphrag._chunks_by_text(question, filter, _depth) as t);
        _relations := array(
            select v from graphrag._relations_by_vector(vec, filter, _depth) as v
            union all
            select t from graphrag._relations_by_text(question, filter, _depth) as t
        );
    end if;
    if mode in ('global', 'hybrid') then
        _passages := case when mode = 'global' then '{}' else _passages end
            || array(select s from graphrag._chunks_by_statement(_relations, filter, _depth) as s);
    end if;
    if mode in ('mix', 'local', 'hybrid') then
        _seeds := array(select s from graphrag._seeds(question, vec, filter, top_k) as s);
        _best := array(select f.id from graphrag._fuse(_seeds, top_k) as f order by f.score desc, f.id);
        if ways.walk = 'hops' or mode = 'local' then
            _passages := _passages || array(select m from graphrag._chunks_by_mention(_best, filter, _depth) as m);
        end if;
        if max_hops > 0 and ways.walk = 'hops' then
            _found := array(
                select w from graphrag._walk(_best, filter, max_hops) as w order by w.score desc limit 4 * _depth
            );
        elsif max_hops > 0 then
            _found := array(select s from graphrag._spread(
                graphrag._start(_seeds, _relations, _passages, filter), filter, 4 * _depth
            ) as s);
        end if;
    end if;
    if mode = 'local' then
        _found := array(
            select f
            from unnest(_found) as f
            where f.chunk is null
                or f.chunk in (select h.id from unnest(_passages) as h where h.channel = 'mention')
        );
        _passages := array(
            select h
            from unnest(_passages) as h
            where h.id in (select n.id from unnest(_passages) as n where n.channel = 'mention')
        );
    end if;
    return query
    select e.*
    from graphrag._evidence_rows(
        array(select p from graphrag._rank_passages(_passages, _found, vec, ways, top_k) as p),
        array(select r from graphrag._rank_relations(
            _relations, _found, ways, 3 * top_k, graphrag._today(filter)
        ) as r),
        _seeds,
        top_k,
        filter
    ) as e;
end
$function$;
comment on function graphrag._evidence(text, vector, text, graphrag._filter, integer, integer, graphrag._ways) is 'Evidence for a question, by kind and rank.';

create function graphrag._start(
    seeds graphrag._hit[],
    relations graphrag._hit[],
    passages graphrag._hit[],
    filter graphrag._filter
)
    returns graphrag._mass[]
    language plpgsql stable parallel safe
as $function$
-- Where personalised PageRank starts: at the entities of the nearest relations and of the names in the question, each
-- the less the more passages name it, and a little at the passages that the channels found.
declare
    _facts integer := (graphrag._setting('ppr_facts') #>> '{}')::integer;
begin
    return array(
        select row(n.node, sum(n.mass order by n.mass))::graphrag._mass
        from (
            select e.entity as node, e.mass / greatest(p.number, 1) as mass
            from (
                select s.id as entity, 0.25 as mass from unnest(seeds) as s where s.channel = 'name'
                union all
                select n.entity, f.score
                from (
                    select h.id, h.score
                    from unnest(relations) as h
                    where h.channel = 'vector'
                    order by h.rank, h.id
                    limit _facts
                ) as f
                join relation_version as v on v.id = f.id
                cross join unnest(array[v.subject, v.object]) as n (entity)
                where n.entity is not null
            ) as e
            cross join lateral graphrag._passages_naming(e.entity, filter) as p
            union all
            -- From the least to the most that the channel measured; the least stays in sight.
            select -h.id, case when h.channel = 'vector' then 0.05 else 0.025 end * greatest(
                coalesce((h.score - min(h.score) over c) / nullif(max(h.score) over c - min(h.score) over c, 0), 1),
                0.01
            )
            from unnest(passages) as h
            where h.channel in ('vector', 'text', 'statement')
            window c as (partition by h.channel)
            union all
            select -h.id, 0.5 from unnest(passages) as h where h.channel = 'identifier'
        ) as n
        where n.mass > 0
        group by n.node
        order by n.node
    );
end
$function$;
comment on function graphrag._start(graphrag._hit[], graphrag._hit[], graphrag._hit[], graphrag._filter) is 'The nodes that personalised PageRank starts from, with their mass.';

create function graphrag._passages_naming(entity bigint, filter graphrag._filter)
    returns table (number bigint)
    language sql stable parallel safe rows 1
as $function$
    select count(*)
    from (
        select
        from entity_name as n
        join mention as m on m.space = n.space and m.folded = n.folded
        join document_chunk as d on d.chunk = m.chunk
        where n.entity = $1
            and n.role <> 'claimed'
            and graphrag._believed(n.born, n.died, n.space, $2)
            and graphrag._believed(d.born, d.died, n.space, $2)
        limit 100
    ) as p
$function$;
comment on function graphrag._passages_naming(bigint, graphrag._filter) is 'How many passages name an entity, as far as a hundred; inlined.';

create function graphrag._evidence(
    searches graphrag._search[],
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways,
    passages integer
)
    returns setof graphrag.evidence
    language plpgsql stable parallel safe rows 40
as $function$
-- From a question's vector to ordered evidence: channels, walk, fusion, then the rows themselves. Each step is one
-- statement over arrays of what the step before found. Smaller questions of a question are searched for one by one.
declare
    _is_diverse boolean := 'mmr' = any (ways.rerank);
    _places integer := case when _is_diverse then 3 * passages else passages end;
    _found graphrag._finding;
    _findings graphrag._finding[] := '{}';
begin
    for _no in 1 .. cardinality(searches) loop
        _findings := _findings || graphrag._find(searches[_no], mode, filter, top_k, max_hops, ways, _places);
    end loop;
    _found := case
        when cardinality(_findings) = 1 then _findings[1]
        else graphrag._fuse_findings(_findings, filter, top_k, ways, _places)
    end;
    if _is_diverse then
        _found.passages := array(select d from graphrag._diverse(_found.passages, passages) as d);
    end if;
    return query
    select e.* from graphrag._evidence_rows(_found.passages, _found.relations, _found.seeds, top_k, filter) as e;
end
$function$;
comment on function graphrag._evidence(graphrag._search[], text, graphrag._filter, integer, integer, graphrag._ways, integer) is 'Evidence for a question, by kind and rank.';

create function graphrag._find(
    search graphrag._search,
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways,
    places integer
)
    returns graphrag._finding
    language plpgsql stable parallel safe
as $function$
-- Without a graph there is nothing but passages, for every mode: those near the vector, and those sharing words.
declare
    _depth integer := greatest((graphrag._setting('channel_depth') #>> '{}')::integer, top_k);
    _deep integer := case when mode = 'naive' then places else greatest(_depth, places) end; -- nothing to fuse
    _mode text := case when graphrag._has_graph(filter) then mode when mode = 'naive' then mode else 'passages' end;
    _reads_reports boolean := _mode in ('global', 'hybrid');
    _named text := concat_ws(E'\n', search.low, search.question);
    _themes text := concat_ws(E'\n', search.question, case when _reads_reports then search.high end);
    _seeds graphrag._hit[] := '{}';
    _best bigint[] := '{}';
    _relations graphrag._hit[] := '{}';
    _passages graphrag._hit[];
    _found graphrag._found[] := '{}';
begin
    _passages := array(select v from graphrag._chunks_by_vector(search.vec, filter, _deep) as v);
    if _mode <> 'naive' then
        _passages := _passages || array(select t from graphrag._chunks_by_text(search.question, filter, _deep) as t);
    end if;
    if _mode not in ('naive', 'passages') then
        _relations := array(
            select v from graphrag._relations_by_vector(search.vec, filter, _depth) as v
            union all
            select t from graphrag._relations_by_text(_themes, filter, _depth) as t
        );
    end if;
    if _reads_reports and search.high_vec is not null then
        _relations := _relations || array(
            select row('theme', v.id, v.rank, v.score)::graphrag._hit
            from graphrag._relations_by_vector(search.high_vec, filter, _depth) as v
        );
    end if;
    if _reads_reports then
        _passages := case when _mode = 'global' then '{}' else _passages end
            || array(select s from graphrag._chunks_by_statement(_relations, filter, _deep) as s);
    end if;
    if _mode in ('mix', 'local', 'hybrid') then
        _seeds := array(select s from graphrag._seeds(_named, search.vec, filter, top_k) as s);
        if search.low_vec is not null then
            _seeds := _seeds || array(
                select row('keyword', v.id, v.rank, v.score)::graphrag._hit
                from graphrag._entities_by_vector(search.low_vec, filter, top_k) as v
            );
        end if;
        _best := array(select f.id from graphrag._fuse(_seeds, top_k) as f order by f.score desc, f.id);
        if ways.walk = 'hops' or _mode = 'local' then
            _passages := _passages || array(select m from graphrag._chunks_by_mention(_best, filter, _deep) as m);
        end if;
        if max_hops > 0 and ways.walk = 'hops' then
            _found := array(
                select w from graphrag._walk(_best, filter, max_hops) as w order by w.score desc limit 4 * _depth
            );
        elsif max_hops > 0 then
            _found := array(select s from graphrag._spread(
                graphrag._start(_seeds, _relations, _passages, filter),
                array(select s.id from unnest(_seeds) as s where s.channel = 'name'),
                graphrag._entities_near(_seeds, _relations), filter, 4 * _depth
            ) as s);
        end if;
    end if;
    if _mode = 'local' then
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
    return row(
        array(select p from graphrag._rank_passages(_passages, _found, search.vec, places) as p),
        array(select r from graphrag._rank_relations(
            _relations, _found, ways, 3 * top_k, graphrag._today(filter)
        ) as r),
        _seeds
    )::graphrag._finding;
end
$function$;
comment on function graphrag._find(graphrag._search, text, graphrag._filter, integer, integer, graphrag._ways, integer) is 'What one search finds: ranked passages and relations, and the seeds.';

create function graphrag._has_graph(filter graphrag._filter)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from unnest(filter.spaces, filter.revisions) as s (id, revision)
        cross join lateral (
            select v.entity
            from entity_version as v
            where v.space = s.id and v.born <= s.revision and (v.died is null or v.died > s.revision)
            order by v.born
            limit 1
        ) as e
    );
end
$function$;
comment on function graphrag._has_graph(graphrag._filter) is 'Whether anything has been extracted from what a read may see.';

create function graphrag._fuse_findings(
    findings graphrag._finding[],
    filter graphrag._filter,
    top_k integer,
    ways graphrag._ways,
    places integer
)
    returns graphrag._finding
    language plpgsql stable parallel safe
as $function$
-- By the ranks that each search gave: of the question, and of the parts of it. The first passage of each comes before
-- any second one, so that no part is outvoted by the others. A relation keeps its shortest path.
declare
    _passages graphrag._hit[];
    _relations graphrag._hit[];
    _seeds graphrag._hit[];
begin
    with searched as (
        select
            f.passages, f.relations, f.seeds,
            case when f.no = 1 then 'question' else 'part ' || f.no - 1 end as channel
        from unnest(findings) with ordinality as f (passages, relations, seeds, no)
    )
    select
        array(
            select row(s.channel, r.id, r.no, null)::graphrag._hit
            from searched as s
            cross join unnest(s.passages) with ordinality as r (id, score, ranks, hop, via, is_cut, no)
        ),
        array(
            select row(s.channel, r.id, r.no, null)::graphrag._hit
            from searched as s
            cross join unnest(s.relations) with ordinality as r (id, score, ranks, hop, via, is_cut, no)
        ),
        array(
            select row(
                s.channel, r.id, row_number() over (partition by s.channel order by r.score desc, r.id), null
            )::graphrag._hit
            from searched as s
            cross join graphrag._fuse(s.seeds, top_k) as r
        )
    into _passages, _relations, _seeds;
    return row(
        array(select f from graphrag._fuse(_passages, places, by_best => true) as f),
        array(
            select row(r.id, r.score, r.ranks, w.hop, w.via, w.is_cut)::graphrag._ranked
            from graphrag._rank_relations(_relations, '{}', ways, 3 * top_k, graphrag._today(filter))
                with ordinality as r (id, score, ranks, hop, via, is_cut, no)
            left join lateral (
                select o.hop, o.via, o.is_cut
                from unnest(findings) as f
                cross join unnest(f.relations) as o
                where o.id = r.id
                order by o.hop, o.via collate "C"
                limit 1
            ) as w on true
            order by r.no
        ),
        _seeds
    )::graphrag._finding;
end
$function$;
comment on function graphrag._fuse_findings(graphrag._finding[], graphrag._filter, integer, graphrag._ways, integer) is 'What the searches for a question and its parts found, put together by rank.';

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
-- the less the more passages name it, and a little at the passages that the channels found. A relation counts in full
-- if it is as near as the nearest passage, and hardly from a cosine of a quarter less on: a graph that holds little of
-- what is asked leads nowhere. docs/performance.md says how much these numbers matter.
declare
    _named constant double precision := 0.25;       -- mass of a name in the question
    _alike constant double precision := 0.05;       -- of the passage that is nearest to it
    _worded constant double precision := 0.025;     -- of the passage that shares its words best
    _identified constant double precision := 0.5;   -- of a passage with an identifier of the question
    _farther constant double precision := 0.25;     -- cosine by which a relation may be farther than that passage,
    _least constant double precision := 0.05;       -- and what share of its mass it keeps if it is as far or farther
    _sight constant double precision := 0.01;       -- share of its mass that the last of the passages found keeps
    _facts integer := (graphrag._setting('ppr_facts') #>> '{}')::integer;
    _nearest double precision := (select max(h.score) from unnest(passages) as h where h.channel = 'vector');
begin
    return array(
        select row(n.node, sum(n.mass order by n.mass))::graphrag._mass
        from (
            select e.entity as node, e.mass / greatest(p.number, 1) as mass
            from (
                select s.id as entity, _named as mass from unnest(seeds) as s where s.channel = 'name'
                union all
                select
                    n.entity,
                    f.score * least(greatest(1 - (coalesce(_nearest, f.score) - f.score) / _farther, _least), 1)
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
            select -h.id, case when h.channel = 'vector' then _alike else _worded end * greatest(
                coalesce((h.score - min(h.score) over c) / nullif(max(h.score) over c - min(h.score) over c, 0), 1),
                _sight
            )
            from unnest(passages) as h
            where h.channel in ('vector', 'text', 'statement')
            window c as (partition by h.channel)
            union all
            select -h.id, _identified from unnest(passages) as h where h.channel = 'identifier'
        ) as n
        where n.mass > 0
        group by n.node
        order by n.node
    );
end
$function$;
comment on function graphrag._start(graphrag._hit[], graphrag._hit[], graphrag._hit[], graphrag._filter) is 'The nodes that personalised PageRank starts from, with their mass.';

create function graphrag._entities_near(seeds graphrag._hit[], relations graphrag._hit[])
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select s.id from unnest(seeds) as s
        union
        select n.entity
        from unnest(relations) as h
        join relation_version as v on v.id = h.id
        cross join unnest(array[v.subject, v.object]) as n (entity)
        where h.channel = 'vector' and n.entity is not null
    );
end
$function$;
comment on function graphrag._entities_near(graphrag._hit[], graphrag._hit[]) is 'The entities that the channels found, and those that the relations nearest to the question are about.';

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

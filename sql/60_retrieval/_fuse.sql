create function graphrag._fuse(hits graphrag._hit[], places integer, by_best boolean default false)
    returns setof graphrag._ranked
    language plpgsql stable parallel safe rows 50
as $function$
-- Reciprocal rank fusion; by_best, what some channel has at a better place comes first, whatever the others say.
declare
    _k double precision := (graphrag._setting('rrf_k') #>> '{}')::double precision;
begin
    if hits = '{}' then
        return;
    end if;
    return query
    select x.id, x.score, r.ranks, null::integer, null::text, null::boolean
    from (
        select
            h.id, sum(1 / (_k + h.rank) order by h.rank) as score, case when by_best then min(h.rank) end as best
        from unnest(hits) as h
        group by h.id
        order by 3, 2 desc, h.id
        limit places
    ) as x
    cross join lateral graphrag._ranks_of(x.id, hits) as r
    order by x.best, x.score desc, x.id;
end
$function$;
comment on function graphrag._fuse(graphrag._hit[], integer, boolean) is 'The best of what several channels found, by their ranks.';

create function graphrag._ranks_of(id bigint, hits graphrag._hit[])
    returns table (ranks jsonb)
    language sql immutable parallel safe rows 1
as $function$
    select coalesce(jsonb_object_agg(h.channel, h.rank), '{}') from unnest($2) as h where h.id = $1
$function$;
comment on function graphrag._ranks_of(bigint, graphrag._hit[]) is 'The rank that each channel gave to one of what they found; inlined.';

create function graphrag._rank_relations(
    hits graphrag._hit[],
    walked graphrag._found[],
    ways graphrag._ways,
    places integer,
    today timestamptz
)
    returns setof graphrag._ranked
    language plpgsql stable parallel safe rows 30
as $function$
-- Of what is found, what has ended by today comes after what is in force; it is not cut for that. Ties: weight, then
-- the triple's names. A quota gives the walk its share first, in its order. What only the walk found, thousands, is not
-- looked at behind as many as there are places.
declare
    _k double precision := (graphrag._setting('rrf_k') #>> '{}')::double precision;
    _share integer := case
        when ways.fusion = 'quota'
            then ceil(places * (graphrag._setting('quota_share') #>> '{}')::double precision)
        else 0
    end;
begin
    if hits = '{}' and walked = '{}' then
        return;
    end if;
    return query
    with step as (
        select f.version, rank() over (order by f.score desc) as rank, f.hop, f.via, f.is_cut
        from unnest(walked) as f
        where f.version is not null
    ),
    hit as (
        select h.channel, h.id, h.rank, null::integer as hop, null::text as via, null::boolean as is_cut
        from unnest(hits) as h
        union all
        select 'walk', s.version, s.rank, s.hop, s.via, s.is_cut
        from step as s
        where s.rank <= places or s.version in (select h.id from unnest(hits) as h)
    ),
    fused as (
        select
            h.id,
            sum(1 / (_k + h.rank) order by h.rank) as score,
            min(h.rank) filter (where h.channel = 'walk') as walked,
            min(h.rank) filter (where h.channel = 'walk' and h.rank <= _share) as quota,
            min(h.hop) as hop,
            min(h.via) as via,
            bool_or(h.is_cut) as is_cut
        from hit as h
        group by h.id
        order by quota, score desc
        fetch first (places) rows with ties
    )
    select
        x.id, x.score, r.ranks || case when x.walked is null then '{}' else jsonb_build_object('walk', x.walked) end,
        x.hop, x.via, x.is_cut
    from fused as x
    join relation_version as v on v.id = x.id
    join content as t on t.id = v.content
    cross join lateral graphrag._ranks_of(x.id, hits) as r
    order by
        graphrag._has_ended(v.effective, today),
        case when 'node_distance' = any (ways.rerank) then coalesce(x.hop, 1000) end,
        x.quota, x.score desc, v.weight desc, t.body collate "C", x.id
    limit places;
end
$function$;
comment on function graphrag._rank_relations(graphrag._hit[], graphrag._found[], graphrag._ways, integer, timestamptz) is 'The relations of a read from its channels and its walk.';

create function graphrag._passages_by_mass(
    hits graphrag._hit[],
    walked graphrag._found[],
    question vector,
    places integer
)
    returns setof graphrag._ranked
    language plpgsql stable parallel safe rows 10
as $function$
-- By the logarithm of the mass, to which likeness to the question adds, and the place among those that share words:
-- docs/performance.md says how much these weights matter.
declare
    _likeness constant double precision := 6;   -- of a cosine of 1
    _words constant double precision := 2;      -- of the first place; of the second half as much, and so on
    _least constant double precision := 0.0001; -- of the most mass: below it, differences do not count
begin
    return query
    with reached as (
        select f.chunk, f.score, rank() over (order by f.score desc) as rank, max(f.score) over () as most
        from unnest(walked) as f
        where f.chunk is not null
        order by f.score desc, f.chunk
        limit 5 * places
    )
    select
        r.chunk,
        r.score,
        o.ranks || jsonb_build_object('walk', r.rank),
        null::integer, null::text, null::boolean
    from (
        select
            f.chunk, f.rank,
            ln(f.score / f.most + _least) + _likeness * (1 - graphrag._distance(t.vec, question))
            + coalesce(_words / w.rank, 0) as score
        from reached as f
        join chunk as k on k.id = f.chunk
        join content as t on t.id = k.content
        left join unnest(hits) as w on w.id = f.chunk and w.channel = 'text'
        order by 3 desc, f.chunk
        limit places
    ) as r
    cross join lateral graphrag._ranks_of(r.chunk, hits) as o
    order by r.score desc, r.chunk;
end
$function$;
comment on function graphrag._passages_by_mass(graphrag._hit[], graphrag._found[], vector, integer) is 'Passages by the mass that reached them.';

create function graphrag._rank_passages(
    hits graphrag._hit[],
    walked graphrag._found[],
    question vector,
    places integer
)
    returns setof graphrag._ranked
    language plpgsql stable parallel safe rows 10
as $function$
-- By mass if the walk was one that spreads it over passages, else by the ranks of the channels.
begin
    if exists (select from unnest(walked) as f where f.chunk is not null) then
        return query select p.* from graphrag._passages_by_mass(hits, walked, question, places) as p;
    else
        return query select f.* from graphrag._fuse(hits, places) as f;
    end if;
end
$function$;
comment on function graphrag._rank_passages(graphrag._hit[], graphrag._found[], vector, integer) is 'The passages of a read from its channels and its walk.';

create function graphrag._diverse(passages graphrag._ranked[], places integer)
    returns setof graphrag._ranked
    language plpgsql stable parallel safe rows 10
as $function$
-- Maximal marginal relevance: each next passage is the best by its place, less its likeness to those already taken.
declare
    _lambda double precision := (graphrag._setting('mmr_lambda') #>> '{}')::double precision;
    _taken bigint[] := '{}';
begin
    for _no in 1 .. least(places, cardinality(passages)) loop
        _taken := _taken || (
            select p.id
            from unnest(passages) with ordinality as p (id, score, ranks, hop, via, is_cut, no)
            join chunk as k on k.id = p.id
            join content as t on t.id = k.content
            left join lateral (
                select max(1 - graphrag._distance(t.vec, o.vec)) as alike
                from unnest(_taken) as x (id)
                join chunk as c on c.id = x.id
                join content as o on o.id = c.content
            ) as n on true
            where not exists (select from unnest(_taken) as x (id) where x.id = p.id)
            order by
                _lambda * (1 - (p.no - 1.0) / cardinality(passages)) - (1 - _lambda) * coalesce(n.alike, 0) desc,
                p.no
            limit 1
        );
    end loop;
    return query
    select p.*
    from unnest(_taken) with ordinality as x (id, no)
    join unnest(passages) as p on p.id = x.id
    order by x.no;
end
$function$;
comment on function graphrag._diverse(graphrag._ranked[], integer) is 'Passages that are both relevant and unlike each other.';

create function graphrag.apply_retention(
    dry_run boolean default true,
    space text default null,
    realm text default null
)
    returns table (
        entity text,
        score double precision,
        recency double precision,
        frequency double precision,
        degree double precision,
        age double precision,
        is_archived boolean,
        entity_id bigint
    )
    language plpgsql volatile parallel unsafe rows 100
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set jit = off
as $function$
#variable_conflict use_column
declare
    _space integer;
    _threshold double precision;
    _below jsonb;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_telemetry('retention');
    _space := graphrag._space_to_change($2);
    if not dry_run then
        perform graphrag._lock_spaces(array[_space]);
    end if;
    _threshold := (graphrag._setting('retention_threshold') #>> '{}')::double precision;
    _below := (
        select coalesce(jsonb_agg(to_jsonb(r)), '[]')
        from graphrag._retention_scores(_space) as r
        where r.score < _threshold
    );
    if not dry_run and _below <> '[]' then
        perform graphrag._archive(
            _space, array(select (b.entity ->> 'entity')::bigint from jsonb_array_elements(_below) as b (entity))
        );
    end if;
    return query
    select b.name, b.score, b.recency, b.frequency, b.degree, b.age, not dry_run, b.entity
    from jsonb_to_recordset(_below) as b (
        entity bigint,
        name text,
        score double precision,
        recency double precision,
        frequency double precision,
        degree double precision,
        age double precision
    )
    order by b.score, b.name collate "C", b.entity;
end
$function$;
comment on function graphrag.apply_retention(boolean, text, text) is 'The entities whose retention score is below the threshold; unless it is a dry run, archives them.';

create function graphrag._retention_scores(space integer)
    returns table (
        entity bigint,
        name text,
        score double precision,
        recency double precision,
        frequency double precision,
        degree double precision,
        age double precision
    )
    language plpgsql stable parallel safe rows 1000
as $function$
-- Four parts from 0 to 1: how lately it was asked about or read, how often it was asked about, how well connected it
-- is, and how young; the last and the first halve with time.
declare
    _setting double precision[] := array(
        select (graphrag._setting('retention_' || n.name) #>> '{}')::double precision
        from unnest(array['recency', 'frequency', 'degree', 'age', 'recency_days', 'age_days'])
            with ordinality as n (name, no)
        order by n.no
    );
begin
    return query
    with live as materialized (
        select v.entity, v.name
        from entity as e
        join entity_version as v on v.entity = e.id and v.died is null
        where e.space = $1
    ),
    touched as materialized (
        select u.entity, count(*) as touches, max(t.at) as at
        from telemetry as t
        cross join unnest(t.entities) as u (entity)
        where $1 = any (t.spaces)
        group by u.entity
    ),
    read as materialized (
        select n.entity, max(r.at) as at
        from entity_name as n
        join mention as m on m.space = n.space and m.folded = n.folded
        join document_chunk as c on c.chunk = m.chunk and c.died is null
        join document_version as v on v.id = c.version and (n.document is null or n.document = v.document)
        join revision as r on r.space = n.space and r.n = c.born
        where n.space = $1 and n.died is null and n.role <> 'claimed'
        group by n.entity
    ),
    born as materialized (
        select l.entity, min(r.at) as at
        from live as l
        join entity_version as v on v.entity = l.entity
        join revision as r on r.space = $1 and r.n = v.born
        group by l.entity
    ),
    connected as materialized (
        select x.entity, count(*) as relations
        from live as l
        cross join lateral (
            select v.subject as entity from relation_version as v
            where v.subject = l.entity and v.died is null and v.status = 'current'
            union all
            select v.object from relation_version as v
            where v.object = l.entity and v.died is null and v.status = 'current'
        ) as x
        group by x.entity
    ),
    part as (
        select
            l.entity,
            l.name,
            power(
                0.5::double precision,
                extract(epoch from statement_timestamp() - greatest(t.at, d.at, b.at)) / 86400 / _setting[5]
            ) as recency,
            coalesce(
                ln(1 + t.touches) / nullif(ln(1 + max(t.touches) over ()), 0), 0
            )::double precision as frequency,
            coalesce(
                ln(1 + c.relations) / nullif(ln(1 + max(c.relations) over ()), 0), 0
            )::double precision as degree,
            power(
                0.5::double precision, extract(epoch from statement_timestamp() - b.at) / 86400 / _setting[6]
            ) as age
        from live as l
        join born as b on b.entity = l.entity
        left join touched as t on t.entity = l.entity
        left join read as d on d.entity = l.entity
        left join connected as c on c.entity = l.entity
    )
    select
        p.entity,
        p.name,
        _setting[1] * p.recency + _setting[2] * p.frequency + _setting[3] * p.degree + _setting[4] * p.age,
        p.recency,
        p.frequency,
        p.degree,
        p.age
    from part as p;
end
$function$;
comment on function graphrag._retention_scores(integer) is 'How much each live entity of a space is worth keeping in sight.';

create function graphrag._archive(space integer, entities bigint[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- A decision an entity, so that each can be taken back alone; derived together.
declare
    _revision bigint := graphrag._next_revision(space, 'archive');
    _last bigint := (select max(m.id) from mention as m where m.space = $1);
begin
    insert into decision (space, kind, payload, born)
    select
        $1,
        'archive',
        jsonb_build_object(
            'names', jsonb_agg(n.folded order by n.role = 'canonical' desc, n.folded collate "C")
                filter (where n.role <> 'context'),
            'contexts', coalesce(
                jsonb_agg(
                    jsonb_build_object('name', n.folded, 'document', n.document) order by n.document, n.folded
                ) filter (where n.role = 'context'),
                '[]'
            ),
            'last_mention', _last
        ),
        _revision
    from entity_name as n
    where n.entity = any (entities) and n.died is null and n.role <> 'claimed'
    group by n.entity;
    perform graphrag._derive(
        space,
        _revision,
        '{}',
        array(
            select n.folded
            from entity_name as n
            where n.entity = any (entities) and n.died is null and n.role <> 'claimed'
        )
    );
end
$function$;
comment on function graphrag._archive(integer, bigint[]) is 'Archives entities: they and their relations are withheld from reads.';

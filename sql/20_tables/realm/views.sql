-- What the database believes now, as plain relations to join with. They use nothing of this extension's (one uses
-- pgvector and pg_trgm), so that they outlive it, and run with the reader's own rights.

create or replace view facts with (security_invoker = true) as
select
    sp.name as space,
    s.name as subject,
    v.predicate,
    coalesce(o.name, v.value) as object,
    v.value,
    (
        select a.value_number from assertion as a where v.value is not null and a.content = v.content limit 1
    ) as value_number,
    (
        select a.value_unit from assertion as a where v.value is not null and a.content = v.content limit 1
    ) as value_unit,
    (
        select a.value_scale from assertion as a where v.value is not null and a.content = v.content limit 1
    ) as value_scale,
    v.negated,
    v.status,
    (
        select concat_ws(' ', ns.name, case when nv.negated then 'NOT' end, nv.predicate, coalesce(no.name, nv.value))
        from relation_version as nv
        join entity_version as ns on ns.entity = nv.subject and ns.died is null
        left join entity_version as no on no.entity = nv.object and no.died is null
        where nv.relation = v.superseded_by and nv.died is null
    ) as superseded_by,
    case when not lower_inf(v.effective) then lower(v.effective) end as valid_from,
    case when not upper_inf(v.effective) then upper(v.effective) end as valid_to,
    v.effective,
    v.weight,
    v.confidence,
    (
        select array_agg(distinct d.key)
        from entity_name as sn
        join assertion as a on a.space = r.space and a.subject = sn.folded and a.predicate = v.predicate
            and a.negated = v.negated
        join document_chunk as c on c.chunk = a.chunk and c.died is null
        join document_version as dv on dv.id = c.version
        join document as d on d.id = dv.document
        left join entity_name as obn on obn.space = r.space and obn.folded = a.object and obn.died is null
            and obn.role <> 'claimed'
            and case
                when obn.document is null then not exists (
                    select
                    from entity_name as x
                    where x.space = r.space and x.folded = a.object and x.document = d.id and x.died is null
                )
                else obn.document = d.id
            end
        where sn.died is null
            and sn.role <> 'claimed'
            and case
                when sn.document is null then not exists (
                    select
                    from entity_name as x
                    where x.space = r.space and x.folded = a.subject and x.document = d.id and x.died is null
                )
                else sn.document = d.id
            end
            and a.value_key is not distinct from r.value_key
            and case
                when r.value_key is null then true
                when a.claim is null then r.period = ''
                else r.period = concat(extract(epoch from lower(a.claim)), '/', extract(epoch from upper(a.claim)))
            end
            and (
                (sn.entity = v.subject and obn.entity is not distinct from v.object)
                or (
                    sn.entity = v.object
                    and obn.entity = v.subject
                    and exists (select from predicate as p where p.name = v.predicate and p.is_symmetric)
                )
            )
    ) as documents,
    c.body as statement,
    (select rv.at from revision as rv where rv.space = r.space and rv.n = v.born) as believed_since,
    v.relation,
    v.subject as subject_id,
    v.object as object_id
from relation_version as v
join relation as r on r.id = v.relation
join space as sp on sp.id = r.space
join entity_version as s on s.entity = v.subject and s.died is null
left join entity_version as o on o.entity = v.object and o.died is null
join content as c on c.id = v.content
where v.died is null and v.status <> 'archived';

create or replace view entities with (security_invoker = true) as
select
    sp.name as space,
    v.name,
    array(
        select (array_agg(n.name order by n.document is not null, n.name collate "C"))[1] as name
        from entity_name as n
        where n.entity = v.entity and n.died is null and n.role <> 'canonical'
        group by n.folded
        order by name
    ) as aliases,
    v.types,
    c.body as description,
    (
        select count(*)
        from relation_version as r
        where r.died is null and r.status = 'current' and (r.subject = v.entity or r.object = v.entity)
    ) as degree,
    v.entity
from entity_version as v
join entity as e on e.id = v.entity
join space as sp on sp.id = e.space
join content as c on c.id = v.content
where v.died is null;

create or replace view documents with (security_invoker = true) as
select
    sp.name as space,
    d.source,
    d.name as document,
    d.key,
    v.published_at,
    v.ordinal,
    v.metadata,
    count(*)::integer as chunks,
    (count(*) filter (where k.failure is not null))::integer as failed,
    (
        select count(*)
        from document_chunk as dc
        join mention as m on m.chunk = dc.chunk
        where dc.version = v.id and dc.died is null
    ) as mentions,
    (
        select count(*)
        from document_chunk as dc
        join assertion as a on a.chunk = dc.chunk
        where dc.version = v.id and dc.died is null
    ) as assertions,
    d.first_indexed_at,
    (select r.at from revision as r where r.space = d.space and r.n = v.born) as indexed_at,
    (
        count(*) filter (
            where k.failure is null
                and k.extractor is not null
                and not exists (select from mention as m where m.chunk = k.id)
        )
    )::integer as empty
from document as d
join space as sp on sp.id = d.space
join document_version as v on v.document = d.id and v.died is null
join document_chunk as c on c.version = v.id and c.died is null
join chunk as k on k.id = c.chunk
group by sp.name, d.id, v.id;

-- Of few enough tables that the planner looks at all their orders, wherever a reader enters.
create or replace view assertions with (security_invoker = true) as
select
    (select sp.name from space as sp where sp.id = a.space) as space,
    s.surface as subject,
    a.predicate,
    o.surface as object,
    a.value,
    a.value_number,
    a.value_unit,
    a.value_scale,
    a.negated,
    a.confidence,
    a.stated_predicate,
    a.stated_from,
    a.stated_to,
    d.key as document,
    c.no as chunk,
    c.start_at + a.start_at as start_at,
    c.start_at + a.end_at as end_at,
    (
        select substr(t.body, a.start_at + 1, a.end_at - a.start_at) from content as t where t.id = k.content
    ) as evidence,
    k.extractor,
    a.id as assertion,
    k.prompt,
    a.description,
    d.source,
    case
        when a.object is null then (
            select r.id
            from entity_name as n
            join relation as r on r.subject = n.entity and r.object is null
            where n.space = a.space
                and n.folded = a.subject
                and n.died is null
                and n.role <> 'claimed'
                and case
                    when n.document is null then not exists (
                        select
                        from entity_name as z
                        where z.space = a.space and z.folded = a.subject and z.document = v.document and z.died is null
                    )
                    else n.document = v.document
                end
                and r.predicate = a.predicate
                and r.value_key = a.value_key
                and r.period = case
                    when a.claim is null then ''
                    else concat(extract(epoch from lower(a.claim)), '/', extract(epoch from upper(a.claim)))
                end
                and r.negated = a.negated
        )
        else (
            select r.id
            from entity_name as n
            join entity_name as m on m.space = n.space and m.folded = a.object and m.died is null
                and m.role <> 'claimed'
                and case
                    when m.document is null then not exists (
                        select
                        from entity_name as z
                        where z.space = a.space and z.folded = a.object and z.document = v.document and z.died is null
                    )
                    else m.document = v.document
                end
            cross join lateral (
                select exists (select from predicate as p where p.name = a.predicate and p.is_symmetric)
                    and m.entity < n.entity
            ) as x (is_turned)
            join relation as r on r.subject = case when x.is_turned then m.entity else n.entity end
                and r.predicate = a.predicate
                and r.object = case when x.is_turned then n.entity else m.entity end
                and r.negated = a.negated
            where n.space = a.space and n.folded = a.subject and n.died is null and n.role <> 'claimed'
                and case
                    when n.document is null then not exists (
                        select
                        from entity_name as z
                        where z.space = a.space and z.folded = a.subject and z.document = v.document and z.died is null
                    )
                    else n.document = v.document
                end
        )
    end as relation
from assertion as a
join mention as s on s.chunk = a.chunk and s.folded = a.subject
left join mention as o on o.chunk = a.chunk and o.folded = a.object
join chunk as k on k.id = a.chunk
join document_chunk as c on c.chunk = a.chunk and c.died is null
join document_version as v on v.id = c.version
join document as d on d.id = v.document;

create or replace view decisions with (security_invoker = true) as
select
    d.id as decision,
    sp.name as space,
    d.kind,
    d.payload,
    r.at as decided_at,
    r.role
from decision as d
join space as sp on sp.id = d.space
join revision as r on r.space = d.space and r.n = d.born
where d.died is null;

-- Every version that entities, their names, relations and documents ever had, beside the one that took its place. The
-- revisions that a row was born and died in say who did it, when, and by what. Look at one id at a time.
create or replace view history with (security_invoker = true) as
select
    h.kind,
    sp.name as space,
    h.id,
    h.what,
    h.born,
    b.at as believed_from,
    b.role as believed_by,
    b.operation as believed_through,
    h.died,
    d.at as believed_until,
    d.role as ended_by,
    d.operation as ended_through,
    h.version,
    h.next_version
from (
    select
        'entity' as kind, e.space, v.entity as id, v.name as what, v.born, v.died,
        jsonb_build_object('name', v.name, 'types', v.types, 'description', c.body) as version,
        (
            select jsonb_build_object('name', n.name, 'types', n.types, 'description', nc.body)
            from entity_version as n
            join content as nc on nc.id = n.content
            where n.entity = v.entity and n.born = v.died
        ) as next_version
    from entity_version as v
    join entity as e on e.id = v.entity
    join content as c on c.id = v.content
    union all
    select
        'name', v.space, v.entity, v.folded, v.born, v.died,
        jsonb_build_object('name', v.name, 'role', v.role),
        (
            select jsonb_build_object('name', n.name, 'role', n.role)
            from entity_name as n
            where n.entity = v.entity and n.folded = v.folded and n.born = v.died
        )
    from entity_name as v
    union all
    select
        'relation', r.space, v.relation, c.body, v.born, v.died,
        to_jsonb(v) - '{id,relation,born,died,content}'::text[] || jsonb_build_object('statement', c.body),
        (
            select to_jsonb(n) - '{id,relation,born,died,content}'::text[] || jsonb_build_object('statement', nc.body)
            from relation_version as n
            join content as nc on nc.id = n.content
            where n.relation = v.relation and n.born = v.died
        )
    from relation_version as v
    join relation as r on r.id = v.relation
    join content as c on c.id = v.content
    union all
    select
        'document', o.space, v.document, o.key, v.born, v.died,
        to_jsonb(v) - '{id,document,born,died,hash}'::text[],
        (
            select to_jsonb(n) - '{id,document,born,died,hash}'::text[]
            from document_version as n
            where n.document = v.document and n.born = v.died
        )
    from document_version as v
    join document as o on o.id = v.document
) as h
join space as sp on sp.id = h.space
join revision as b on b.space = h.space and b.n = h.born
left join revision as d on d.space = h.space and d.n = h.died;

create or replace view off_vocabulary with (security_invoker = true) as
select
    sp.name as space,
    a.predicate,
    count(*) as assertions,
    count(distinct a.chunk) as chunks,
    (array_agg(distinct a.stated_predicate collate "C" order by a.stated_predicate collate "C"))[1 : 5]
        collate "default" as stated
from assertion as a
join space as sp on sp.id = a.space
where exists (select from document_chunk as c where c.chunk = a.chunk and c.died is null)
    and not exists (select from predicate as p where p.name = a.predicate)
group by sp.name, a.predicate;

create or replace view usage_totals with (security_invoker = true) as
select
    u.role,
    u.model,
    count(*) as calls,
    count(*) filter (where u.failure is not null) as failed,
    sum(u.attempts) as attempts,
    sum(u.input_tokens) as input_tokens,
    sum(u.output_tokens) as output_tokens,
    count(*) filter (
        where u.failure is null and (u.input_tokens is null or u.output_tokens is null)
    ) as calls_of_unknown_cost,
    round(avg(u.latency_ms) filter (where u.failure is null)) as mean_latency_ms,
    max(u.latency_ms) filter (where u.failure is null) as max_latency_ms,
    min(u.at) as first_at,
    max(u.at) as last_at
from usage as u
group by u.role, u.model;

-- The list is the extension's. A function is bound to it when called, and not before: the view can be restored first.
create or replace function _setting_defaults()
    returns table (name text, value jsonb, description text)
    language plpgsql stable parallel safe rows 60
as $defaults$
begin
    return query select d.name, d.value, d.description from graphrag.setting_default as d;
end
$defaults$;
revoke all on function _setting_defaults() from public;

create or replace view settings with (security_invoker = true) as
select
    d.name,
    coalesce(s.value, d.value) as value,
    d.value as default_value,
    s.name is null as is_default,
    d.description
from _setting_defaults() as d
left join setting as s on s.name = d.name;

-- ---------------------------------------------------------------- what has been asked about
-- An empty answer would look like knowledge. A function of the realm, not of the extension, so that the views outlive
-- it.
create or replace function _telemetry_is_on(setting jsonb)
    returns boolean
    language plpgsql stable parallel safe
as $telemetry$
begin
    if setting is distinct from 'true' then
        raise exception 'this view needs telemetry, which is off'
            using errcode = 'GR030',
                detail = 'Without it nobody knows what has been asked about.',
                hint = 'SELECT graphrag.configure(''telemetry'', ''true''); it notes a hash of each question and what it touched.';
    end if;
    return true;
end
$telemetry$;
revoke all on function _telemetry_is_on(jsonb) from public;

create or replace view coverage with (security_invoker = true) as
select
    sp.name as space,
    e.entities,
    e.touched as entities_touched,
    c.communities,
    c.touched as communities_touched,
    t.asked,
    t.questions,
    t.first_at,
    t.last_at
from space as sp
cross join lateral (
    select
        count(*) as entities,
        count(*) filter (where v.entity in (select unnest(t.entities) from telemetry as t)) as touched
    from entity as i
    join entity_version as v on v.entity = i.id and v.died is null
    where i.space = sp.id
) as e
cross join lateral (
    select
        count(*) as communities,
        count(*) filter (where v.community in (select unnest(t.communities) from telemetry as t)) as touched
    from community as i
    join community_version as v on v.community = i.id and v.died is null
    where i.space = sp.id
) as c
cross join lateral (
    select
        count(*) as asked, count(distinct t.question) as questions, min(t.at) as first_at, max(t.at) as last_at
    from telemetry as t
    where sp.id = any (t.spaces)
) as t
where _telemetry_is_on((select s.value from setting as s where s.name = 'telemetry'));

create or replace view least_explored_communities with (security_invoker = true) as
select
    sp.name as space,
    r.title,
    v.level,
    r.size,
    r.rating,
    m.touched as entities_touched,
    coalesce(t.touches, 0) as touches,
    t.last_at,
    v.community
from community_version as v
join community as i on i.id = v.community
join space as sp on sp.id = i.space
join report as r on r.id = v.report
cross join lateral (
    select count(*) as touched
    from member as m
    where m.report = r.id and m.entity in (select unnest(t.entities) from telemetry as t)
) as m
left join (
    select u.community, count(*) as touches, max(t.at) as last_at
    from telemetry as t
    cross join unnest(t.communities) as u (community)
    group by u.community
) as t on t.community = v.community
where v.died is null and _telemetry_is_on((select s.value from setting as s where s.name = 'telemetry'))
order by m.touched::double precision / r.size, coalesce(t.touches, 0), r.size desc, v.community;

create or replace view dark_entities with (security_invoker = true) as
select
    sp.name as space,
    v.name,
    v.types,
    (
        select count(*)
        from relation_version as r
        where r.died is null and r.status = 'current' and (r.subject = v.entity or r.object = v.entity)
    ) as degree,
    v.entity
from entity_version as v
join entity as i on i.id = v.entity
join space as sp on sp.id = i.space
where v.died is null
    and v.entity not in (select unnest(t.entities) from telemetry as t)
    and _telemetry_is_on((select s.value from setting as s where s.name = 'telemetry'));

create or replace view jobs with (security_invoker = true) as
select
    j.id as job,
    j.space,
    j.operation,
    j.source,
    j.document,
    case when j.status = 'running' and j.ready_at < clock_timestamp() then 'stale' else j.status end as status,
    j.attempts,
    j.chunks,
    j.chunks_done,
    j.reason,
    j.enqueued_at,
    j.started_at,
    j.ended_at,
    case when j.status = 'pending' then j.ready_at end as ready_at,
    case when j.status = 'running' then j.ready_at end as lease_until,
    j.worker,
    j.result
from job as j;

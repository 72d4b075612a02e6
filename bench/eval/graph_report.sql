-- What a realm's graph is like, in plain SQL: one row a figure. It reads the realm's tables and needs nothing else.
--
--     psql -v realm=kb -f bench/eval/graph_report.sql DATABASE
--
-- Every figure is of the present: what is live and believed now. `details` carries lists.
set search_path to :"realm", public;

with fact as (
    select
        v.*,
        r.value_key,
        r.period
    from relation_version as v
    join relation as r on r.id = v.relation
    where v.died is null and v.status <> 'archived'
),
passage as (
    select
        c.chunk,
        v.document,
        length(t.body) as characters
    from document_chunk as c
    join document_version as v on v.id = c.version
    join content as t on t.id = c.content
    where c.died is null
),
evidence as (
    select
        a.*,
        p.document
    from assertion as a
    join passage as p on p.chunk = a.chunk
),
-- Documents that speak of an entity, by what the name means there.
presence as (
    select distinct
        n.entity,
        p.document
    from passage as p
    join mention as m on m.chunk = p.chunk
    join entity_name as n on n.space = m.space and n.folded = m.folded and n.died is null and n.role <> 'claimed'
    where case
            when n.document is not null then n.document = p.document
            else not exists (
                select
                from entity_name as x
                where x.space = m.space and x.folded = m.folded and x.document = p.document and x.died is null
            )
        end
),
entity_now as (
    select
        v.entity,
        v.name,
        exists (select from fact as f where v.entity in (f.subject, f.object)) as is_linked,
        (select count(*) from presence as p where p.entity = v.entity) as documents
    from entity_version as v
    where v.died is null
),
head as (
    select
        f.predicate,
        count(*) as facts,
        row_number() over (order by count(*) desc, f.predicate) as place
    from fact as f
    group by f.predicate
),
refused as (
    select
        r.reject ->> 'reason' as reason,
        count(*) as records
    from chunk as k
    cross join lateral jsonb_array_elements(
        case jsonb_typeof(k.details -> 'refused') when 'array' then k.details -> 'refused' else '[]' end
    ) as r (reject)
    where k.id in (select p.chunk from passage as p)
    group by r.reject ->> 'reason'
),
total as (
    select
        (select count(*) from passage) as chunks,
        (select count(distinct p.document) from passage as p) as documents,
        (select sum(p.characters) from passage as p) as characters,
        (select count(*) from entity_now) as entities,
        (select count(*) from fact) as facts
)
select
    figure.no,
    figure.name,
    figure.value,
    figure.details
from total as t
cross join lateral (
    values
        (1, 'documents', t.documents::numeric, null::jsonb),
        (2, 'chunks', t.chunks, null),
        (3, 'characters', t.characters, null),
        (4, 'entities', t.entities, null),
        (5, 'facts', t.facts, null),
        (6, 'entities per 10,000 characters', round(t.entities * 10000.0 / nullif(t.characters, 0), 2), null),
        (7, 'facts per 10,000 characters', round(t.facts * 10000.0 / nullif(t.characters, 0), 2), null),
        (8, 'facts per entity', round(t.facts / nullif(t.entities, 0)::numeric, 2), null),
        (9, 'distinct predicates', (select count(*) from head as h), null),
        (
            10,
            'distinct predicates per fact',
            round((select count(*) from head as h) / nullif(t.facts, 0)::numeric, 4),
            null
        ),
        (
            11,
            'share of facts by a declared predicate',
            round(
                (select count(*) from fact as f where f.predicate in (select p.name from predicate as p))
                / nullif(t.facts, 0)::numeric,
                4
            ),
            null
        ),
        (
            12,
            'share of facts by the ten commonest predicates',
            round((select sum(h.facts) from head as h where h.place <= 10) / nullif(t.facts, 0)::numeric, 4),
            (
                select jsonb_agg(jsonb_build_array(h.predicate, h.facts) order by h.place)
                from head as h
                where h.place <= 10
            )
        ),
        (13, 'predicates of one fact', (select count(*) from head as h where h.facts = 1), null),
        (14, 'entities without a fact', (select count(*) from entity_now as e where not e.is_linked), null),
        (
            15,
            'aliases',
            (select count(*) from entity_name as n where n.died is null and n.role in ('alias', 'context')),
            null
        ),
        (
            16,
            'aliases claimed by two entities',
            (select count(*) from entity_name as n where n.died is null and n.role = 'claimed'),
            null
        ),
        (17, 'negated facts', (select count(*) from fact as f where f.negated), null),
        (18, 'facts with a value', (select count(*) from fact as f where f.object is null), null),
        (19, 'facts with a stated period', (
            select count(distinct (a.space, a.subject, a.predicate, a.object, a.value_key, a.negated))
            from evidence as a
            where a.claim is not null
        ), null),
        (20, 'superseded facts', (select count(*) from fact as f where f.status = 'superseded'), null),
        (21, 'facts of two chunks or more', (select count(*) from fact as f where f.weight > 1), null),
        (
            22,
            'duplicate facts',
            t.facts - (
                select count(distinct (f.subject, f.predicate, f.object, f.value_key, f.period, f.negated)) from fact as f
            ),
            null
        ),
        (
            23,
            'entities of the same name',
            t.entities - (select count(distinct (e.space, lower(v.name)))
                from entity_version as v
                join entity as e on e.id = v.entity
                where v.died is null),
            null
        ),
        (24, 'entities in two documents or more', (select count(*) from entity_now as e where e.documents > 1), null),
        (
            25,
            'facts between entities of different documents',
            (
                select count(*)
                from fact as f
                where exists (
                    select
                    from presence as a
                    join presence as b on b.entity = f.object and b.document <> a.document
                    where a.entity = f.subject
                )
            ),
            null
        ),
        (
            26,
            'records that gates refused',
            (select coalesce(sum(r.records), 0) from refused as r),
            (select jsonb_object_agg(r.reason, r.records) from refused as r)
        )
) as figure (no, name, value, details)
order by figure.no;

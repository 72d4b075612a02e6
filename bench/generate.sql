-- A graph of any size, written straight into the tables of a realm: what indexing the documents one by one would have
-- left there, evidence and derived rows with their history, so that graphrag.derive() finds nothing to change.
-- bench/generate.py runs it with search_path on a new realm; its temporary table p has the sizes, pg_temp.u(n, salt) is
-- a number in [0, 1) that depends on nothing else, and pg_temp.hub(u, n) an index below n whose frequency falls as a
-- power of it.

-- ---------------------------------------------------------------- vectors: a few directions, and noise
create temp table noise as
select i, l2_normalize(array_agg(pg_temp.u(i, 100 + d) + pg_temp.u(i, 5100 + d) - 1 order by d)::vector) as vec
from generate_series(0, 4999) as i, p, generate_series(1, p.width) as d
group by i;
create unique index on noise (i);

create function pg_temp.blur(n bigint, salt integer) returns vector language sql stable as $$
    -- Two of the 5,000 together: 12 million different directions.
    select a.vec + b.vec
    from noise as a, noise as b
    where a.i = floor(pg_temp.u(n, salt) * 5000)::integer and b.i = floor(pg_temp.u(n, salt + 1) * 5000)::integer
$$;

-- ---------------------------------------------------------------- who and what
create temp table word as
select i, initcap(
    (array['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu'])[i / 1000 % 10 + 1]
    || (array['bren', 'dal', 'fin', 'gor', 'hul', 'jan', 'ker', 'lom', 'mun', 'pas'])[i / 100 % 10 + 1]
    || (array['a', 'e', 'i', 'o', 'u', 'ia', 'eo', 'au', 'oi', 'ei'])[i / 10 % 10 + 1]
    || (array['b', 'dt', 'ck', 'l', 'mm', 'n', 'rk', 's', 'th', 'x'])[i % 10 + 1]
) as word
from generate_series(0, 9999) as i;
create unique index on word (i);

create temp table ent as
select
    e.i + 1 as id,
    e.i % p.clusters as cluster,
    e.i % p.spaces + 1 as space,
    a.word || ' ' || b.word as name,
    (array['Person', 'Organization', 'Location', 'Product'])[e.i / p.clusters % 4 + 1] as type
from p, generate_series(0, p.entities - 1) as e (i), word as a, word as b
where a.i = (e.i * 7919) % 10000 and b.i = ((e.i / 10000) * 2713 + e.i * 31) % 10000;
alter table ent add folded text, add body text, add vec vector;
update ent as e
set folded = graphrag._fold_name(e.name),
    body = format('%s (%s): %s of circle %s.', e.name, e.type, lower(e.type), e.cluster),
    vec = l2_normalize(c.vec + pg_temp.blur(e.id, 1) * s.vec)
from p, noise as c, (select array_fill(0.5, array[p.width])::vector as vec from p) as s
where c.i = e.cluster % 5000;
create unique index on ent (id);
analyze ent;

-- Of all relations, the first 2 * superseded are pairs that compete for one slot: a subject and a predicate that has
-- one object at a time. Hubs are the low indexes; most objects are of the subject's own cluster.
create temp table rel as
with drawn as (
    select
        r.i,
        r.i < 2 * p.superseded as is_slot,
        case
            when r.i < 2 * p.superseded then (r.i / 2) % p.entities
            else pg_temp.hub(pg_temp.u(r.i, 3), p.entities)
        end as s,
        case
            when r.i < 2 * p.superseded then 'sole_' || (r.i / 2) / p.entities
            else 'did_' || pg_temp.hub(pg_temp.u(r.i, 4), 40)
        end as predicate
    from p, generate_series(0, (p.relations * 1.15)::bigint) as r (i)
),
ended as (
    select
        d.*,
        case
            when pg_temp.u(d.i, 5) < 0.7
                then d.s % p.clusters + p.clusters * pg_temp.hub(pg_temp.u(d.i, 6), p.entities / p.clusters)
            else (pg_temp.hub(pg_temp.u(d.i, 7), p.entities / p.spaces)) * p.spaces + d.s % p.spaces
        end as o
    from drawn as d, p
),
distinct_ones as (
    select distinct on (e.s, e.predicate, e.o) e.*
    from ended as e, p
    where e.s <> e.o and e.o < p.entities
    order by e.s, e.predicate, e.o, e.i
),
whole as (
    select d.*, count(*) filter (where d.is_slot) over (partition by d.is_slot, d.i / 2) as pair
    from distinct_ones as d
),
numbered as (
    select w.*, row_number() over (order by w.i) as no
    from whole as w
    where not w.is_slot or w.pair = 2
)
select
    n.no as id,
    e.space,
    e.cluster,
    n.is_slot,
    n.s + 1 as subject,
    n.predicate,
    n.o + 1 as object,
    (0.6 + 0.4 * pg_temp.u(n.i, 8))::real as confidence,
    -- Only what stands in no slot is dated, so that effective periods stay plain.
    case when not n.is_slot and pg_temp.u(n.i, 9) < p.dated then 1990 + floor(30 * pg_temp.u(n.i, 10))::integer
    end as year_from,
    floor(6 * pg_temp.u(n.i, 11))::integer as years,
    n.i
from numbered as n
join ent as e on e.id = n.s + 1
cross join p
where n.no <= p.relations;
alter table rel add body text, add content bigint;
update rel as r
set body = graphrag._render_assertion(
    s.name, r.predicate, o.name, false, 'so the record of circle ' || r.cluster, r.year_from::text, (r.year_from + r.years)::text
)
from ent as s, ent as o
where s.id = r.subject and o.id = r.object;
create unique index on rel (id);
analyze rel;

-- ---------------------------------------------------------------- where it is said
-- Each relation once, a tenth of those outside slots again later; four statements a chunk, two chunks a document. What
-- one cluster is about comes in eight episodes, so that a passage is about something.
create temp table said as
with statement as (
    select r.id as relation, r.space, r.cluster, r.i, 1 as time from rel as r
    union all
    select r.id, r.space, r.cluster, r.i, 2 from rel as r, p where not r.is_slot and pg_temp.u(r.i, 12) < p.restated
),
placed as (
    select
        s.relation,
        s.space,
        row_number() over (
            partition by s.space
            order by
                pg_temp.u(s.cluster * 64 + floor(8 * pg_temp.u(s.i, 12 + s.time))::bigint, 15),
                pg_temp.u(s.i, 18),
                s.i,
                s.time
        ) - 1 as place
    from statement as s
)
select distinct on (a.space, a.place / 4, a.relation)
    a.relation,
    a.space,
    a.place / 4 as chunk_no,                -- in the space
    a.place / 8 as document_no,
    a.place % 4 as no
from placed as a
order by a.space, a.place / 4, a.relation, a.place;
create index on said (space, chunk_no);
create index on said (relation);
analyze said;

create temp table doc as
select
    row_number() over (order by s.space, s.document_no) as id,
    s.space,
    s.document_no,
    s.document_no + 1 as revision,
    timestamptz '2000-01-01 00:00Z' + make_interval(secs => floor(
        8e8 * s.document_no / max(s.document_no + 1) over (partition by s.space)
    )) as published_at
from (select distinct space, document_no from said) as s;
create unique index on doc (space, document_no);

create temp table passage as
select row_number() over (order by c.space, c.chunk_no) as id, c.*, d.id as document, d.revision
from (select distinct space, chunk_no, document_no from said) as c
join doc as d on d.space = c.space and d.document_no = c.document_no;
create unique index on passage (space, chunk_no);
create unique index on passage (id);

create temp table named as
select distinct c.id as chunk, e.entity
from said as s
join passage as c on c.space = s.space and c.chunk_no = s.chunk_no
join rel as r on r.id = s.relation
cross join unnest(array[r.subject, r.object]) as e (entity);
-- Who takes part in nothing is at least mentioned.
insert into named
select c.id, e.id
from ent as e
join lateral (select max(chunk_no) + 1 as chunks from passage as c where c.space = e.space) as n on true
join passage as c on c.space = e.space and c.chunk_no = (e.id * 37) % n.chunks
where not exists (select from named as m where m.entity = e.id);
create index on named (chunk);
create index on named (entity);
analyze passage;
analyze named;

alter table passage add body text, add vec vector;
update passage as c
set body = t.body, vec = t.vec
from (
    select
        c.id,
        concat_ws(
            ' ',
            format('Report REF-%s.', lpad(c.id::text, 7, '0')),
            string_agg(r.body || '.', ' ' order by s.no),
            'Also present:',
            (
                select string_agg(e.name, ', ' order by e.id)
                from named as m
                join ent as e on e.id = m.entity
                where m.chunk = c.id
            ) || '.',
            (
                select string_agg(lower(w.word), ' ' order by k)
                from generate_series(1, 30) as k
                join word as w on w.i = pg_temp.hub(pg_temp.u(c.id * 64 + k, 16), 4000)
            ) || '.'
        ) as body,
        l2_normalize(sum(e.vec) + pg_temp.blur(c.id, 17)) as vec
    from passage as c
    join said as s on s.space = c.space and s.chunk_no = c.chunk_no
    join rel as r on r.id = s.relation
    join ent as e on e.id = r.subject
    group by c.id
) as t
where t.id = c.id;

-- ---------------------------------------------------------------- into the realm
insert into space (id, name, revision)
overriding system value
select d.space, case when d.space = 1 then 'default' else 'space ' || d.space end, max(d.revision)
from doc as d
group by d.space;

insert into revision (space, n, at, transaction, role, operation)
select
    d.space,
    d.revision,
    date_trunc('second', now()) - make_interval(secs => max(d.revision) over (partition by d.space) - d.revision + 1),
    format('generated %s', d.revision),
    current_user,
    'index'
from doc as d;

insert into document (id, space, source, name, key, first_indexed_at)
overriding system value
select d.id, d.space, null, t.key, t.key, d.published_at
from doc as d
cross join lateral (select format('report %s', lpad(d.document_no::text, 7, '0')) as key) as t;

insert into document_version (id, document, space, born, ord, published_at, ordinal, metadata, hash)
overriding system value
select
    d.id,
    d.id,
    d.space,
    d.revision,
    extract(epoch from d.published_at),
    d.published_at,
    null,
    jsonb_build_object('topic', 't' || d.id % 10, 'shelf', d.id % 1000, 'desk', case when d.id % 2 = 0 then 'A' else 'B' end),
    sha256(d.id::text::bytea)
from doc as d;

insert into content (id, space, kind, hash, body, tsv, vec)
overriding system value
select c.id, c.space, 'chunk', sha256(convert_to(c.body, 'UTF8')), c.body, to_tsvector('english', c.body), c.vec
from passage as c;

insert into content (id, space, kind, hash, body, tsv, vec)
overriding system value
select
    n.first + e.id, e.space, 'entity', sha256(convert_to(e.body, 'UTF8')), e.body, to_tsvector('english', e.body), e.vec
from ent as e
cross join (select max(c.id) as first from passage as c) as n;

insert into content (id, space, kind, hash, body, tsv, vec)
overriding system value
select
    n.first + r.id,
    r.space,
    'relation',
    sha256(convert_to(r.body, 'UTF8')),
    r.body,
    to_tsvector('english', r.body),
    l2_normalize(s.vec + o.vec + pg_temp.blur(r.id, 19) * f.vec)
from rel as r
join ent as s on s.id = r.subject
join ent as o on o.id = r.object
cross join (select max(c.id) + (select max(e.id) from ent as e) as first from passage as c) as n
cross join (select array_fill(0.5, array[p.width])::vector as vec from p) as f;
update rel as r
set content = (select max(c.id) from passage as c) + (select max(e.id) from ent as e) + r.id;

insert into chunk (id, document, hash, content, identifiers, extractor)
overriding system value
select c.id, c.document, sha256(convert_to(c.body, 'UTF8')), c.id, graphrag._identifiers(c.body), 'supplied'
from passage as c;

insert into document_chunk (version, no, chunk, content, start_at, end_at, born)
select
    c.document,
    row_number() over (partition by c.document order by c.id),
    c.id,
    c.id,
    0,
    length(c.body),
    c.revision
from passage as c;

insert into mention (chunk, space, folded, surface, type, description, content)
select
    m.chunk,
    e.space,
    e.folded,
    e.name,
    e.type,
    substr(e.body, length(format('%s (%s): ', e.name, e.type)) + 1),
    n.first + e.id
from named as m
join ent as e on e.id = m.entity
cross join (select max(c.id) as first from passage as c) as n;

insert into assertion (
    chunk, space, no, subject, predicate, object, confidence, stated_predicate, stated_from, stated_to, claim,
    description, start_at, end_at, content
)
select
    c.id,
    r.space,
    row_number() over (partition by c.id order by s.no),
    a.folded,
    r.predicate,
    b.folded,
    r.confidence,
    r.predicate,
    r.year_from::text,
    (r.year_from + r.years)::text,
    case when r.year_from is not null then (graphrag._claim(r.year_from::text, (r.year_from + r.years)::text)).claim end,
    'so the record of circle ' || r.cluster,
    0,
    20,
    r.content
from said as s
join passage as c on c.space = s.space and c.chunk_no = s.chunk_no
join rel as r on r.id = s.relation
join ent as a on a.id = r.subject
join ent as b on b.id = r.object;

-- ---------------------------------------------------------------- and what is derived from it
insert into entity (id, space)
overriding system value
select e.id, e.space
from ent as e;

create temp table first_named as
select m.entity, min(c.revision) as born
from named as m
join passage as c on c.id = m.chunk
group by m.entity;

insert into entity_name (space, folded, name, entity, role, born)
select e.space, e.folded, e.name, e.id, 'canonical', f.born
from ent as e
join first_named as f on f.entity = e.id;

insert into entity_version (entity, space, born, name, types, content)
select e.id, e.space, f.born, e.name, array[e.type], n.first + e.id
from ent as e
join first_named as f on f.entity = e.id
cross join (select max(c.id) as first from passage as c) as n;

insert into relation (id, space, subject, predicate, object, negated)
overriding system value
select r.id, r.space, r.subject, r.predicate, r.object, false
from rel as r;

create temp table told as
select
    r.id as relation,
    c.revision,
    count(*) as chunks,
    max(extract(epoch from d.published_at)) as ord,
    min(d.published_at) as published_at,
    min(c.id * 4 + s.no) as place
from said as s
join passage as c on c.space = s.space and c.chunk_no = s.chunk_no
join doc as d on d.id = c.document
join rel as r on r.id = s.relation
group by r.id, c.revision;

-- Outside slots: a version a document that states it.
insert into relation_version (
    relation, space, born, died, subject, predicate, object, negated, status, effective, ord, weight, confidence, content
)
select
    r.id,
    r.space,
    t.revision,
    lead(t.revision) over told,
    r.subject,
    r.predicate,
    r.object,
    false,
    'current',
    case
        when r.year_from is null then '{(,)}'
        else tstzmultirange((graphrag._claim(r.year_from::text, (r.year_from + r.years)::text)).claim)
    end,
    t.ord,
    sum(t.chunks) over told,
    r.confidence,
    r.content
from told as t
join rel as r on r.id = t.relation
where not r.is_slot
window told as (partition by r.id order by t.revision);

-- In a slot of two, the later statement takes over when its document was published.
insert into relation_version (
    relation, space, born, died, subject, predicate, object, negated, status, effective, superseded_by, ord, weight,
    confidence, content
)
with pair as (
    select
        r.*,
        t.ord,
        t.revision,
        row_number() over slot as position,
        lead(r.id) over slot as successor,
        lead(t.revision) over slot as taken_at,
        lead(t.published_at) over slot as taken_from,
        t.published_at
    from rel as r
    join told as t on t.relation = r.id
    where r.is_slot
    window slot as (partition by r.subject, r.predicate order by t.place)
)
select
    b.id, b.space, v.born, v.died, b.subject, b.predicate, b.object, false, v.status, v.effective, v.superseded_by,
    b.ord, 1, b.confidence, b.content
from pair as b
cross join lateral (
    -- The first of a slot is open to the past; the last holds on.
    select
        b.revision as born,
        b.taken_at as died,
        'current' as status,
        case when b.position = 1 then '{(,)}' else tstzmultirange(tstzrange(b.published_at, null)) end as effective,
        null::bigint as superseded_by
    where b.revision is distinct from b.taken_at
    union all
    select
        b.taken_at,
        null,
        'superseded',
        tstzmultirange(tstzrange(case when b.position > 1 then b.published_at end, b.taken_from)),
        b.successor
    where b.successor is not null
) as v;

select setval(pg_get_serial_sequence(format('%I.%I', current_schema, t.name), 'id'), (
    xpath('/row/n/text()', query_to_xml(format('select greatest(max(id), 1) as n from %I', t.name), true, true, ''))
)[1]::text::bigint)
from unnest(array['space', 'document', 'document_version', 'content', 'chunk', 'entity', 'relation']) as t (name);

drop table noise, word, ent, rel, said, doc, passage, named, first_named, told;

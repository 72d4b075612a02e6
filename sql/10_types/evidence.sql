create type graphrag._filter as (
    spaces integer[],
    revisions bigint[],         -- per space: read what was believed at this revision
    as_of tstzrange,
    include_superseded boolean,
    relation_types text[],
    entity_types text[],
    metadata_filter jsonb,
    min_confidence real
);
comment on type graphrag._filter is 'What a read may see; every index scan and every step of a walk applies it.';

create type graphrag.evidence as (
    kind text,                  -- chunk, relation, entity or report
    rank integer,               -- inside its kind, from 1
    id bigint,                  -- reports: of the community
    text text,
    score double precision,
    ranks jsonb,                -- the rank each channel gave it
    hop integer,                -- relations: steps from a seed
    reference integer,          -- number of its document in citations
    document text,
    source text,
    published_at timestamptz,
    metadata jsonb,
    subject text,               -- entities: the name; reports: the title
    predicate text,
    object text,
    negated boolean,
    status text,
    period text,
    superseded_by text,
    weight integer,
    confidence real
);
comment on type graphrag.evidence is 'One piece of evidence: a passage, a relation, an entity or a community report.';

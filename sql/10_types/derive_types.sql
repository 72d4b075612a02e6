-- Working rows of graphrag._derive(): what it wants the derived tables to say. Never a column of a realm's table.
create type graphrag._entity_state as (
    entity bigint,
    name text,
    types text[],
    content bigint
);
comment on type graphrag._entity_state is 'The version an entity should have now.';

create type graphrag._name_state as (
    entity bigint,
    folded text,
    name text,                  -- as last written
    role text,
    document bigint             -- where alone it is one; null: everywhere
);
comment on type graphrag._name_state is 'A name an entity should have now.';

create type graphrag._meaning as (
    document bigint,
    folded text,
    name text,                  -- as the document writes it
    label text                  -- the group that the name means in the document; null: one that nothing touched
);
comment on type graphrag._meaning is 'A name that means something else in a document than elsewhere.';

create type graphrag._claim as (
    pos integer,                -- document order among the claims loaded together
    assertion bigint,
    subject bigint,
    predicate text,
    object bigint,
    value text,
    period text,
    negated boolean,
    relation_subject bigint,    -- identity of the relation: a symmetric one keeps its lower entity id first
    relation_object bigint,
    relation bigint,            -- null until graphrag._identify_relations()
    claim tstzrange,
    published_at timestamptz,
    qualifies boolean,          -- may take a slot from an earlier claim
    is_symmetric boolean,
    is_functional boolean,
    is_value boolean,
    exclusive_groups text[],
    chunk bigint,
    ord numeric,
    confidence real,
    content bigint,
    document text,              -- key of the document that states it
    corrects text[]             -- keys of the documents that this one corrects
);
comment on type graphrag._claim is 'One live assertion, resolved to entities and placed in document order.';

create type graphrag._relation_pair as (
    a bigint,
    b bigint
);
comment on type graphrag._relation_pair is 'Two relations that contradict each other by a model''s judgement, the lower id first.';

create type graphrag._relation_state as (
    relation bigint,
    subject bigint,
    predicate text,
    object bigint,
    negated boolean,
    status text,
    effective tstzmultirange,
    superseded_by bigint,
    ord numeric,
    weight integer,
    confidence real,
    content bigint
);
comment on type graphrag._relation_state is 'The version a relation should have now.';

create type graphrag._derived as (
    entities_added integer,
    relations_added integer,
    superseded integer,
    changes integer
);
comment on type graphrag._derived is 'What one derivation changed; changes counts every row version born or died.';

create type graphrag._name_pair as (
    document bigint,
    folded text,
    other text                  -- a fuller name in the document that the name may be short for
);
comment on type graphrag._name_pair is 'A name and a fuller one of the same document.';

create type graphrag._resolution as (
    folded text,
    document bigint,            -- null: everywhere that has no meaning of its own for the name
    entity bigint
);
comment on type graphrag._resolution is 'The entity that a name means.';

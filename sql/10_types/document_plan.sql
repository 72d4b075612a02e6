create type graphrag._document_plan as (
    space integer,              -- null: not made yet
    space_name text,
    document bigint,            -- null: never indexed before
    source text,
    name text,
    key text,
    metadata jsonb,
    published_at timestamptz,
    ordinal numeric,
    hash bytea,
    bodies text[],              -- of the chunks, in order
    starts integer[],
    ends integer[],
    hashes bytea[],
    extractions jsonb[],        -- supplied by the caller, one a chunk; null: ask the endpoint
    missing integer[],          -- positions of the chunks whose evidence is not there yet
    is_same boolean,            -- text, order and metadata are those of the live version
    is_unchanged boolean,       -- and no chunk is missing
    vocabulary bigint,          -- the state of the predicates by which it is prepared
    vectors bigint,             -- which of the realm's embeddings, counted, its vectors are of
    revision bigint             -- of the space that it was compared with
);
comment on type graphrag._document_plan is 'A document cut into chunks and compared with its live version.';

create type graphrag._batch_job as (
    id bigint,
    attempt integer,
    plan graphrag._document_plan,
    prepared jsonb,             -- what graphrag._write_document() takes
    tally text                  -- what its calls cost
);
comment on type graphrag._batch_job is 'A job that is done together with others.';

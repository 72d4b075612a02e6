create type graphrag.query_result as (
    answer text,
    citations jsonb,
    mode text,
    keywords jsonb,
    relations jsonb,
    chunks jsonb,
    entities jsonb,
    communities jsonb,
    usage jsonb,
    route jsonb
);
comment on type graphrag.query_result is 'An answer with the evidence it was given and what it cost.';

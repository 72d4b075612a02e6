create type graphrag.index_result as (
    document text,
    chunks integer,
    unchanged integer,
    failed integer,
    failures jsonb,
    entities_added integer,
    relations_added integer,
    superseded integer,
    rejected jsonb,
    llm_calls integer,
    cached integer,
    input_tokens bigint,
    output_tokens bigint,
    elapsed interval,
    revision bigint
);
comment on type graphrag.index_result is 'What one call of graphrag.index() did.';

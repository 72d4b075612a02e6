-- Working rows of graphrag.build_communities(). Never a column of a realm's table.
create type graphrag._community_plan as (
    no integer,                 -- inside the build
    level integer,
    children integer[],         -- their numbers; empty at level 0
    members bigint[],           -- entities
    names text[],               -- names of the best connected ones
    relations bigint[],         -- shown to the model, in the order of their numbers
    text text,                  -- the community as the model is shown it
    hash bytea,                 -- of all its members and relations
    report bigint,              -- one that says this already; null: to be asked for
    community bigint,           -- whose identity it goes on with; null: a new one
    title text,
    summary text,
    rating real,
    findings jsonb,             -- of a new report
    model text,
    error text                  -- why there is no report
);
comment on type graphrag._community_plan is 'A cluster on its way to a community with a report.';

create type graphrag.community_result as (
    communities integer,
    levels integer,
    reused integer,
    failed integer,
    failures jsonb,
    unknown_relations integer,
    algorithm text,
    entities integer,
    relations bigint,
    llm_calls integer,
    input_tokens bigint,
    output_tokens bigint,
    elapsed interval,
    revision bigint
);
comment on type graphrag.community_result is 'What one call of graphrag.build_communities() did.';

create type graphrag.change as (
    position text,              -- of changes_since() to go on from, after this change
    space text,
    revision bigint,
    at timestamptz,
    kind text,
    id bigint,                  -- of the document, entity or relation
    name text,
    details jsonb
);
comment on type graphrag.change is 'One change of the feed.';

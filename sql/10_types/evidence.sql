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
    path text,                  -- relations: the names from the seed to the relation
    reference integer,          -- number of its document, or of the report, in citations
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

create type graphrag._lexical_plan as (
    drivers tsquery,            -- finds the texts that are ranked
    terms tsquery[],            -- the question's, rarest first
    weights double precision[],
    words double precision,     -- mean length of a text
    is_small boolean            -- so few texts that the index is not needed
);
comment on type graphrag._lexical_plan is 'How texts are ranked by the words of a question.';

create type graphrag._found as (
    version bigint,             -- of a relation, or
    chunk bigint,
    node bigint,                -- the end it was found from
    other bigint,               -- the end it leads to
    hop integer,
    score double precision,
    via text,                   -- ids from the seed to node; a passage has a negative one
    is_cut boolean              -- node has more edges than were followed
);
comment on type graphrag._found is 'What a walk found.';

create type graphrag._hit as (
    channel text,
    id bigint,
    rank bigint,
    score double precision      -- as the channel measures it
);
comment on type graphrag._hit is 'What one channel found.';

create type graphrag._ranked as (
    id bigint,
    score double precision,
    ranks jsonb,                -- the rank each channel gave it
    hop integer,
    via text,
    is_cut boolean
);
comment on type graphrag._ranked is 'What the channels found, fused.';

create type graphrag._ways as (
    walk text,                  -- ppr or hops
    fusion text,                -- rrf or quota
    rerank text[]               -- mmr, node_distance, endpoint, llm
);
comment on type graphrag._ways is 'How a read walks, fuses and orders what it finds.';

create type graphrag._keywords as (
    low text[],                 -- names and things: they sharpen the search for entities
    high text[],                -- themes: they steer the ranking of modes that read reports
    questions text[],           -- sub-questions, each searched for by itself
    source text,                -- llm, lexical or caller
    failures integer            -- model answers that were asked for and did not come
);
comment on type graphrag._keywords is 'What a question is searched for by, beside its own words.';

create type graphrag._search as (
    question text,
    vec vector,
    low text,                   -- NULL: no keywords
    low_vec vector,             -- NULL: keywords are looked for as names and words only
    high text,
    high_vec vector
);
comment on type graphrag._search is 'A question, or a part of one, with its keywords and vectors.';

create type graphrag._finding as (
    passages graphrag._ranked[],
    relations graphrag._ranked[],
    seeds graphrag._hit[]
);
comment on type graphrag._finding is 'What one search found.';

create type graphrag._route as (
    mode text,                  -- the mode to take, or the one to compare with naive
    is_sure boolean,
    decomposes boolean,
    why text,
    features jsonb
);
comment on type graphrag._route is 'Where mode auto sends a question, and why.';

create type graphrag._gathered as (
    evidence graphrag.evidence[],
    mode text,                  -- that was used
    keywords jsonb,
    route jsonb,                -- of mode auto
    fallbacks integer           -- steps whose model failed, and that were done without
);
comment on type graphrag._gathered is 'The evidence for a question, and how it was found.';

create type graphrag._mass as (
    node bigint,                -- an entity, or the negative number of a passage
    mass double precision
);
comment on type graphrag._mass is 'Mass at a node of the graph.';

-- Lists, not arrays of rows: quicker to keep, to add to and to join.
create type graphrag._edge_lists as (
    node bigint[],              -- those whose edges were read
    degree double precision[],  -- the weights among which a node's mass is divided; NULL: it has no edges
    last integer[],             -- place of its last edge; its first one comes after the last of the node before it
    cut bigint[],               -- nodes that may have more edges than were read
    left_out integer,           -- nodes that were reached and not read, for the walk's budget
    other bigint[],             -- one an edge, node by node: the node it leads to; 0: a value,
    version bigint[],           -- the relation version; 0: a mention, or a near-duplicate,
    weight double precision[]
);
comment on type graphrag._edge_lists is 'Edges that personalised PageRank has read, by node.';

create type graphrag._visit_lists as (
    node bigint[],
    mass double precision[],
    path text[],                -- ids from the seed to it
    hop integer[]
);
comment on type graphrag._visit_lists is 'Nodes that personalised PageRank went on from, step by step, the heaviest of a step first.';

create type graphrag._item as (
    section integer,            -- its kind, in the order of the prompt
    heading text,               -- of the section
    no integer,
    line text                   -- NULL: the budget has no room for it
);
comment on type graphrag._item is 'A piece of evidence as a prompt shows it.';

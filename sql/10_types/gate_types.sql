-- Working rows of graphrag._gate(). Never a column of a realm's table.
create type graphrag._gated_entity as (
    no integer,
    name text,
    folded text,
    type text,
    description text,
    aliases text[],             -- that are names
    folded_aliases text[],
    rejected_aliases integer,
    identifiers text[],
    over_long integer,          -- parts left out for their length, or because there are too many
    reason text,                -- why it is refused; null: it is kept
    record jsonb                -- as stated
);
comment on type graphrag._gated_entity is 'An entity of an extraction and what the gates say of it.';

create type graphrag._gated_triple as (
    no integer,
    subject text,               -- folded, an alias of an entity in the chunk replaced by its name
    predicate text,
    object text,
    value text,
    number numeric,
    unit text,
    scale numeric,
    value_key text,
    subject_name text,          -- as stated, ends swapped if the predicate was an inverse
    object_name text,
    is_swapped boolean,
    negated boolean,
    confidence real,
    stated_predicate text,
    stated_from text,
    stated_to text,
    claim tstzrange,
    period_problem text,
    description text,
    evidence text,
    reason text,
    record jsonb
);
comment on type graphrag._gated_triple is 'A triple of an extraction, resolved inside its chunk, and what the gates say of it.';

create type graphrag._name_shape as (
    is_person boolean,          -- by its type; null: not told, or no more than a role
    form text,                  -- title, given title, rank, or article: what stands before the core
    gender text,                -- m or f, by title or given name
    core text,                  -- folded without title and article; null where there is none
    given text[],               -- folded shorter forms of a person's name: from its first word on
    family text[]               -- and up to its last
);
comment on type graphrag._name_shape is 'What the words of a name say of whom it can mean.';

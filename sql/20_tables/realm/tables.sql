-- The tables of one realm. Run once by create_realm() with search_path set to the realm's new schema.
-- Evidence (what chunks say) is primary; everything under "derived" is a function of the live evidence, the decisions
-- and the predicates, maintained by graphrag._derive(). `born` and `died` are revision numbers of the row's space:
-- the half-open interval in which the database believed the row; died is null while it is believed.
-- Columns have core or pgvector types only, so that DROP EXTENSION graphrag can never take data with it.

-- ---------------------------------------------------------------- the realm itself
create table realm (
    singleton boolean primary key default true check (singleton),
    uid uuid not null default gen_random_uuid(),  -- stays the same in a restored dump: positions of the feed name it
    version text not null,              -- of the extension that made or last migrated these tables
    model text not null,                -- the one embedding model whose vectors stand in content.vec
    width integer not null,
    vocabulary bigint not null default 0,        -- counts the changes of the predicates
    jobs_paused_at timestamptz,         -- null: workers take jobs
    created_at timestamptz not null default clock_timestamp(),
    vectors bigint not null default 0            -- counts the re-embeddings
);

create table setting (
    name text primary key,
    value jsonb not null
);

create table endpoint (
    role text primary key check (
        role in ('embedding', 'extraction', 'synthesis', 'community', 'auxiliary', 'rerank')
    ),
    base_url text not null,
    model text not null,
    fallback_models text[] not null default '{}',
    options jsonb not null default '{}'
);

create table predicate (
    name text primary key,
    aliases text[] not null default '{}',
    inverse_of text,
    is_symmetric boolean not null default false,
    is_functional boolean not null default false,
    is_value boolean not null default false,
    exclusive_groups text[] not null default '{}',
    subject_types text[] not null default '{}',
    object_types text[] not null default '{}'
);

create table gate_word (
    kind text not null,
    word text not null,
    primary key (kind, word)
);

-- ---------------------------------------------------------------- spaces and their revisions
create table space (
    id integer generated always as identity primary key,
    name text not null unique,
    revision bigint not null default 0,  -- updating this row is the lock that serialises writers of the space
    operation text,                      -- what its last revision was taken for; a trigger makes the row of `revision`
    purged bigint not null default 0     -- what was believed before this revision may have been erased since
);

create table revision (
    space integer not null references space,
    n bigint not null check (n > 0),
    at timestamptz not null,             -- monotone inside a space
    transaction text not null,           -- a transaction takes one revision a space, however much it writes
    role name not null,
    operation text not null,
    primary key (space, n)
);
create unique index revision_transaction on revision (space, transaction);

-- ---------------------------------------------------------------- documents
create table document (
    id bigint generated always as identity primary key,
    space integer not null references space,
    source text,
    name text,
    key text not null,                   -- one text for (source, name), or the content's hash: the order of last resort
    first_indexed_at timestamptz not null default clock_timestamp(),
    unique (space, key)
);

create table document_version (
    id bigint generated always as identity primary key,
    document bigint not null references document,
    space integer not null references space,
    born bigint not null,
    died bigint,
    ord numeric not null,                -- document order: ordinal, else epoch of published_at, else of first indexing
    published_at timestamptz,
    ordinal numeric,
    metadata jsonb not null default '{}',
    hash bytea not null                  -- of the ordered chunk hashes and the supplied extraction
);
create unique index document_version_live on document_version (document) where died is null;
create index document_version_metadata on document_version using gin (metadata jsonb_path_ops) where died is null;
create index document_version_document on document_version (document, born);
create index document_version_born on document_version (space, born, document);
create index document_version_died on document_version (space, died, document) where died is not null;
create index document_version_order on document_version (
    space,
    (case when ordinal is not null then 'ordinal' when published_at is not null then 'published_at' else 'indexing' end)
) where died is null;

-- ---------------------------------------------------------------- immutable texts and their vectors
create table content (
    id bigint generated always as identity primary key,
    space integer not null references space,
    kind text not null check (kind in ('chunk', 'entity', 'relation', 'report')),
    hash bytea not null,
    body text not null,
    tsv tsvector not null,
    vec vector not null,                 -- width and, above 2,000 dimensions, halfvec are set by graphrag._set_width()
    unique (space, kind, hash)
);
alter table content alter column tsv set storage external;   -- read whole by every ranking: not compressed
create index content_tsv_chunk on content using gin (tsv) where kind = 'chunk';
create index content_tsv_entity on content using gin (tsv) where kind = 'entity';
create index content_tsv_relation on content using gin (tsv) where kind = 'relation';

-- ---------------------------------------------------------------- evidence
-- Columns of mention and assertion without NOT NULL need not be given by who inserts a row by hand into a chunk that is
-- live: triggers (triggers.sql) pass the row through the gates and fill them. No row is left in which they are null.
create table chunk (
    id bigint generated always as identity primary key,
    document bigint not null references document,
    hash bytea not null,                 -- of the text and, where the caller supplied it, the extraction
    attempt integer not null default 1,  -- evidence never changes: what is read otherwise later gets another row
    content bigint not null references content,
    identifiers text[] not null default '{}',
    extractor text,                      -- model that answered, 'supplied', 'by hand', or null: not extracted
    prompt text,                         -- version of the prompt it answered
    vocabulary bigint not null default 0,        -- realm.vocabulary by which its predicates were read
    is_partial boolean not null default false,
    failure text,                        -- why its extraction failed: the passage is stored all the same
    details jsonb not null default '{}', -- notes on the answer, the records that gates refused, attributes not used
    unique (document, hash, attempt)
);
create index chunk_content on chunk (content);
create index chunk_identifiers on chunk using gin (identifiers);

-- Where a chunk stands in a version of its document, with that version's belief interval.
create table document_chunk (
    version bigint not null references document_version,
    no integer not null,
    chunk bigint not null references chunk,
    content bigint not null references content,
    start_at integer not null,           -- character offsets in the cleaned document, half-open, from 0
    end_at integer not null,
    born bigint not null,
    died bigint,
    primary key (version, no, born)
);
create unique index document_chunk_place on document_chunk (version, no) where died is null;
create index document_chunk_chunk on document_chunk (chunk, born);
create index document_chunk_live on document_chunk (chunk) where died is null;
create index document_chunk_content on document_chunk (content) include (born, died);

create table mention (
    id bigint generated always as identity primary key,
    chunk bigint not null references chunk,
    space integer references space,
    folded text,                         -- graphrag._fold_name(surface)
    surface text not null,
    type text,
    description text,                    -- null: a stub that only named the entity
    aliases text[] not null default '{}',        -- as stated
    folded_aliases text[] not null default '{}',
    identifiers text[] not null default '{}',    -- external ones: those who share one are one
    -- What its words say of whom the name can mean (graphrag._name_shape), for a short form's meaning in its document
    is_person boolean,
    form text check (form in ('title', 'given title', 'rank', 'article')),
    gender text check (gender in ('m', 'f')),
    core text,
    given text[] not null default '{}',
    family text[] not null default '{}',
    content bigint references content,
    first_reading bigint,                -- id of the mention that first read the name in this text; null: this one
    unique (chunk, folded)
);
create index mention_folded on mention (space, folded, chunk);
create index mention_content on mention (content);
create index mention_claims on mention (space, folded) where folded_aliases <> '{}';
create index mention_alias on mention using gin (folded_aliases) with (fastupdate = off) where folded_aliases <> '{}';

create index mention_identifiers on mention using gin (identifiers) with (fastupdate = off) where identifiers <> '{}';

create table assertion (
    id bigint generated always as identity primary key,
    chunk bigint not null references chunk,
    space integer references space,
    no integer,                          -- position in the chunk's extraction: orders claims inside a chunk
    subject text not null,               -- folded; its mention stands in the same chunk
    predicate text not null,             -- normalised, snapped, inverse already swapped
    object text,                         -- folded; null for a value
    value text,                          -- as stated
    value_number numeric,                -- with its scale applied
    value_unit text,
    value_scale numeric,                 -- the factor of a scale word, such as 1000000; null: none stated
    value_key text,                      -- what spellings of one value share (graphrag._value_key)
    negated boolean not null default false,
    confidence real not null default 1,
    stated_predicate text,
    is_swapped boolean not null default false,   -- stated as the declared inverse, so subject and object changed places
    stated_from text,
    stated_to text,
    claim tstzrange,                     -- the stated period; null: none stated
    takes_slot boolean not null default true,    -- false: its stated interval was inverted
    description text,
    start_at integer,                    -- evidence span: character offsets in the chunk
    end_at integer,
    content bigint references content,
    check ((object is null) <> (value is null)),
    unique (chunk, no)
);
create index assertion_subject on assertion (space, subject, object);
create index assertion_predicate on assertion (space, subject, predicate);
create index assertion_content on assertion (content);
create index assertion_object on assertion (space, object, subject) where object is not null;

-- What a model answered when it was asked, with the chunk, whether a statement contradicts one that was there before.
create table contradiction (
    assertion bigint not null references assertion,     -- counts while this one is live
    other bigint not null references assertion,         -- stands for the fact that it states, live or not
    model text not null,
    prompt text not null,                -- version of the prompt it answered
    primary key (assertion, other)
);
create index contradiction_other on contradiction (other);

create table decision (
    id bigint generated always as identity primary key,
    space integer not null references space,
    kind text not null check (kind in ('merge', 'split', 'assert', 'retract', 'archive')),
    payload jsonb not null,              -- names: folded, all that the decision is about
    born bigint not null,
    died bigint
);
create index decision_names on decision using gin ((payload -> 'names'));

-- ---------------------------------------------------------------- derived
create table entity (
    id bigint generated always as identity primary key,
    space integer not null references space
);

create table entity_name (
    id bigint generated always as identity primary key,
    space integer not null references space,
    folded text not null,
    name text not null,                  -- as last written
    entity bigint not null references entity,
    role text not null check (role in ('canonical', 'alias', 'claimed', 'context')),
    document bigint references document, -- of role context: where alone the name means this entity, whatever elsewhere
    check ((role = 'context') = (document is not null)),
    born bigint not null,
    died bigint
);
create unique index entity_name_live on entity_name (space, folded, entity) where died is null and document is null;
-- A name means one entity, and in a document with a meaning of its own for it, that one.
create unique index entity_name_resolution on entity_name (space, folded)
    where died is null and role <> 'claimed' and document is null;
create unique index entity_name_context on entity_name (space, folded, document)
    where died is null and document is not null;
create index entity_name_document on entity_name (document, born) where document is not null;
create index entity_name_entity on entity_name (entity, born);
create index entity_name_folded on entity_name (space, folded, born);
create index entity_name_born on entity_name (space, born, entity);
create index entity_name_died on entity_name (space, died, entity) where died is not null;

-- An expression, because such an index on the column itself would be taken for lookups of whole names too.
create index entity_name_trigram on entity_name using gin ((folded || '') gin_trgm_ops) where died is null;

create table entity_version (
    id bigint generated always as identity primary key,
    entity bigint not null references entity,
    space integer not null references space,
    born bigint not null,
    died bigint,
    name text not null,
    types text[] not null default '{}',
    content bigint not null references content
);
create unique index entity_version_live on entity_version (entity) where died is null;
create index entity_version_entity on entity_version (entity, born);
create index entity_version_types on entity_version using gin (types) where died is null;
create index entity_version_name on entity_version (name) where died is null;
create index entity_version_born on entity_version (space, born, entity);
create index entity_version_died on entity_version (space, died, entity) where died is not null;
create index entity_version_content on entity_version (content) include (born, died);

create table relation (
    id bigint generated always as identity primary key,
    space integer not null references space,
    subject bigint not null references entity,
    predicate text not null,
    object bigint references entity,
    value_key text,                      -- of a value: the same in all its spellings
    period text not null default '',     -- part of a value's identity: a figure of another period is another fact
    negated boolean not null,
    check ((object is null) <> (value_key is null))
);
create unique index relation_triple on relation (subject, predicate, object, negated) where object is not null;
create unique index relation_value on relation (subject, predicate, value_key, period, negated) where object is null;

create table relation_version (
    id bigint generated always as identity primary key,
    relation bigint not null references relation,
    space integer not null references space,
    born bigint not null,
    died bigint,
    subject bigint not null references entity,
    predicate text not null,
    object bigint references entity,     -- null: a value, where a walk ends
    value text,                          -- as its newest assertion states it
    negated boolean not null,
    status text not null check (status in ('current', 'superseded', 'archived')),
    effective tstzmultirange not null,
    superseded_by bigint references relation,
    ord numeric not null,                -- document order of its newest assertion
    weight integer not null,             -- distinct live chunks
    confidence real not null,
    content bigint not null references content   -- the newest assertion's text
);
create unique index relation_version_live on relation_version (relation) where died is null;
create index relation_version_relation on relation_version (relation, born);
create index relation_version_born on relation_version (space, born, relation);
create index relation_version_died on relation_version (space, died, relation) where died is not null;
create index relation_version_subject on relation_version (subject, ord desc) where died is null;
create index relation_version_object on relation_version (object, ord desc) where died is null;
create index relation_version_subject_closed on relation_version (subject, born) where died is not null;
create index relation_version_object_closed on relation_version (object, born) where died is not null;
create index relation_version_taken on relation_version (superseded_by) where superseded_by is not null;
create index relation_version_content on relation_version (content) include (born, died);
create index relation_version_predicate on relation_version (predicate) where died is null;

-- ---------------------------------------------------------------- what BM25 knows of the texts
create table term_total (
    id bigint generated always as identity primary key,
    space integer not null references space,
    kind text not null,                  -- of content
    texts integer not null,              -- live ones, when they were counted
    words double precision not null,     -- their mean number of distinct terms
    born bigint not null,
    died bigint
);
create unique index term_total_live on term_total (space, kind) where died is null;
create index term_total_space on term_total (space, kind, born);

create table term_stat (
    id bigint generated always as identity primary key,
    space integer not null references space,
    kind text not null,
    term text not null,
    texts integer not null,              -- that have the term; a term that only one has is not here
    born bigint not null,
    died bigint
);
create unique index term_stat_live on term_stat (space, kind, term) where died is null;
create index term_stat_term on term_stat (space, kind, term, born);

create table term_watch (
    space integer primary key references space,
    documents bigint not null,           -- when they were counted
    counted_to bigint not null,          -- the last document_version looked at since
    changed bigint not null              -- documents written or withdrawn since
);

-- ---------------------------------------------------------------- communities
-- A report never changes, and its members and findings are part of it. Which community it describes, and under which
-- parent, is a narrow version with a belief interval.
create table community_build (
    id bigint generated always as identity primary key,
    space integer not null references space,
    born bigint not null,
    died bigint,
    graph_revision bigint not null,      -- of the graph that was clustered
    algorithm text not null,
    resolution double precision not null,
    levels integer not null,
    failures jsonb not null default '[]' -- clusters without a report, and why
);
create unique index community_build_live on community_build (space) where died is null;
create index community_build_space on community_build (space, born);

create table community (
    id bigint generated always as identity primary key,
    space integer not null references space
);
create index community_space on community (space);

create table report (
    id bigint generated always as identity primary key,
    level integer not null,
    hash bytea not null,                 -- of the members and relations that it is about
    title text not null,
    summary text not null,
    rating real not null,
    size integer not null,               -- entities
    content bigint not null references content,
    model text                           -- that wrote it
);
create index report_hash on report (hash);
create index report_content on report (content);

create table member (
    report bigint not null references report,
    entity bigint not null references entity,
    primary key (report, entity)
);
create index member_entity on member (entity);

create table finding (
    report bigint not null references report,
    no integer not null,
    summary text not null,
    explanation text not null,
    relations bigint[] not null,         -- that it rests on
    primary key (report, no)
);

create table community_version (
    id bigint generated always as identity primary key,
    community bigint not null references community,
    born bigint not null,
    died bigint,
    report bigint not null references report,
    parent bigint references community,
    level integer not null
);
create unique index community_version_live on community_version (community) where died is null;
create index community_version_community on community_version (community, born);
create index community_version_report on community_version (report) include (born, died);

-- ---------------------------------------------------------------- operations
create table usage (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    call text default nullif(current_setting('graphrag.call', true), ''), -- one index() or query()
    role text not null,                  -- endpoint role
    model text,                          -- that actually served
    document text,                       -- that it was for, or
    question text,
    input_tokens bigint,                 -- null: the endpoint did not say
    output_tokens bigint,
    latency_ms integer,
    attempts integer not null default 1,
    failure text
);
create index usage_call on usage (call);

-- The vectors that are being made beside those in use, in the column content.vec_next; no row: none are.
create table reembedding (
    singleton boolean primary key default true check (singleton),
    base_url text not null,
    model text not null,
    options jsonb not null,
    width integer not null,
    texts bigint not null,               -- when it began, and those written since as far as they are done
    texts_done bigint not null default 0,
    begun_at timestamptz not null default clock_timestamp(),
    last_batch_at timestamptz
);

-- What questions touched, if the setting telemetry is on; a question itself is never stored.
create table telemetry (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    spaces integer[] not null,           -- that were read
    mode text not null,
    question bytea not null,             -- SHA-256
    entities bigint[] not null,
    communities bigint[] not null
);
create index telemetry_at on telemetry (at);

-- What models answered about chunks, as read and before the gates, so that nothing is paid for twice. Nothing in it is
-- unique: two sessions that ask the same at one time must not wait for each other. The space may not be made yet.
create table cached_answer (
    id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    space text not null,
    question bytea not null,             -- hash of the model and all that the prompt says but names from other chunks
    body bytea not null,                 -- hash of the chunk's text, as in content.hash
    asked jsonb,                         -- if the answer was cut off: model and options that cut it off
    answer jsonb not null
);
create index cached_answer_question on cached_answer (space, question);
create index cached_answer_at on cached_answer (at);

-- The queue of documents. Jobs of one target (a document, or all of a source) count by place: the last wins. Who only
-- enqueues needs INSERT here and nothing else of the realm, so a row comes as it is said, and the worker looks into it.
create table job (
    id bigint generated always as identity primary key,
    place bigint,                        -- null: its id; jobs that a job was taken apart into stand where that stood
    enqueued_at timestamptz not null default clock_timestamp(),
    space text not null,
    operation text not null check (operation in ('index', 'delete', 'clear')),   -- clear: all documents of the source
    source text,
    document text,
    content text,                        -- dropped when the job has ended well
    metadata jsonb,
    published_at timestamptz,
    ordinal numeric,
    extraction jsonb,
    target text not null generated always as (
        md5(
            case when operation = 'clear' then 'all ' else '' end || quote_nullable(source) || quote_nullable(document)
            || case when source is null and document is null then coalesce(content, '') else '' end
        )
    ) stored,
    status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed', 'skipped')),
    attempts integer not null default 0,
    ready_at timestamptz not null default clock_timestamp(),     -- running: when the lease ends
    worker integer,                      -- process that has it, or had it last
    chunks integer,                      -- to be read
    chunks_done integer,
    reason text,                         -- why it failed or was skipped, or why the last attempt failed
    result jsonb,                        -- of index() or delete_document()
    started_at timestamptz,              -- the last attempt
    ended_at timestamptz
);
create index job_open on job (id) where ended_at is null;
create index job_target on job (space, target, id);
create index job_clear on job (space, source, id) where operation = 'clear';

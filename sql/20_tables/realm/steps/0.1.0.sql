-- What turns the tables of 0.1.0 into those of 0.2.0.
alter table realm add column vectors bigint not null default 0;

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

alter table endpoint
    drop constraint endpoint_role_check,
    add constraint endpoint_role_check check (
        role in ('embedding', 'extraction', 'synthesis', 'community', 'auxiliary', 'rerank')
    );

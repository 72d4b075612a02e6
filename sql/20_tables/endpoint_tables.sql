-- The places that this server may connect to, each with its secret. Nobody but the owner reads this table, and it is
-- not dumped: a restored database asks for its keys again.
create table graphrag.endpoint_location (
    base_url text primary key,
    api_key text,                        -- or env:NAME, an environment variable of the server; null: none needed
    owners name[] not null default '{}'  -- roles that may choose it for the realms that they own
);

comment on table graphrag.endpoint_location is
    'Base URLs that the server may connect to, their keys, and the roles that may choose them for their realms';

-- Where keys are copied to: a trigger takes the rows over. A row that PostgreSQL refuses, as one of a base URL that is
-- there already, would stand in the log as the context of COPY; here nothing is refused.
create table graphrag.endpoint_key (
    base_url text,
    api_key text
);

comment on table graphrag.endpoint_key is
    'Takes new keys by COPY and hands them to endpoint_location; empty otherwise';

-- What serves a role in realms that do not say otherwise.
create table graphrag.endpoint_default (
    role text primary key check (
        role in ('embedding', 'extraction', 'synthesis', 'community', 'auxiliary', 'rerank')
    ),
    base_url text not null,
    model text not null,
    fallback_models text[] not null default '{}',
    options jsonb not null default '{}'
);

comment on table graphrag.endpoint_default is
    'The database''s default endpoint of each role, used by realms that have none of their own';

revoke all on graphrag.endpoint_location, graphrag.endpoint_key, graphrag.endpoint_default from public;

select pg_catalog.pg_extension_config_dump('graphrag.endpoint_default', '');

create function graphrag._check_realm_name(realm text)
    returns void
    language plpgsql immutable parallel safe
as $function$
declare
    _problem text := case
        when realm is null or realm = '' then 'It is empty.'
        when octet_length(realm) > 63 then format('It has %s bytes; a schema name has at most 63.', octet_length(realm))
        when realm = '*' then '* means every space of a realm, never a realm.'
        when realm ~ '^pg_' or realm in ('information_schema', 'graphrag', 'public') then 'This schema name is taken.'
        when realm = '$user' then 'It means the user''s own schema in a search_path.'
        when realm ~ '[\x01-\x1f\x7f]' then 'It has control characters.'
        when realm <> btrim(realm) then 'It begins or ends with a blank.'
    end;
begin
    if _problem is not null then
        raise exception 'a realm cannot be called "%"', realm
            using errcode = 'GR006',
                detail = _problem,
                hint = 'A realm is a schema: any name of 1 to 63 bytes that PostgreSQL does not reserve.';
    end if;
end
$function$;
comment on function graphrag._check_realm_name(text) is 'Raises GR006 if a realm cannot have that name.';

create function graphrag._refuse_encoding()
    returns void
    language plpgsql stable parallel safe
as $function$
-- Nothing of normalisation, of ICU's collations or of what models write would work there.
begin
    if current_setting('server_encoding') <> 'UTF8' then
        raise exception 'a realm needs a database in UTF-8, this one is in %', current_setting('server_encoding')
            using errcode = 'GR204',
                detail = 'Names and texts of all scripts are compared, and models answer in UTF-8.',
                hint = 'CREATE DATABASE name ENCODING ''UTF8'' TEMPLATE template0;';
    end if;
end
$function$;
comment on function graphrag._refuse_encoding() is 'Raises GR204 in a database that is not in UTF-8.';

create function graphrag.create_realm(
    realm text,
    embedding_url text default null,
    embedding_model text default null,
    width integer default null
)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _endpoint jsonb;
    _probe jsonb;
    _width integer;
    _is_new boolean;
begin
    perform graphrag._refuse_encoding();
    perform graphrag._check_realm_name(realm);
    if graphrag._realm_exists(realm) and not graphrag._lacks_rows(realm) then
        raise notice 'realm "%" exists already', realm;
        return realm;
    end if;
    -- Asked before the lock: a second caller must not wait for the network of the first.
    _endpoint := graphrag._realm_embedding(embedding_url, embedding_model, width);
    if width is null then
        _probe := graphrag._probe_width(_endpoint);
    end if;
    _width := coalesce(width, (_probe ->> 'width')::integer);
    perform graphrag._check_width(_width);
    -- Two sessions that create one realm at once both succeed: the second waits here and then finds it.
    perform pg_advisory_xact_lock(hashtextextended('graphrag.realm.' || realm, 0));
    _is_new := not graphrag._realm_exists(realm);
    if not _is_new and not graphrag._lacks_rows(realm) then
        raise notice 'realm "%" exists already', realm;
        return realm;
    end if;
    if _is_new and exists (select from pg_catalog.pg_namespace as n where n.nspname = realm) then
        raise exception 'there is a schema "%" that is not a realm', realm
            using errcode = 'GR006',
                detail = 'A realm needs a schema of its own.',
                hint = 'Choose another name for the realm.';
    end if;
    if _is_new then
        execute format('create schema %I', realm);
    end if;
    perform set_config(
        'search_path',
        format('%I, %I, %I, pg_temp', realm, graphrag._schema_of('vector'), graphrag._schema_of('pg_trgm')),
        true
    );
    if _is_new then
        execute graphrag._realm_tables();
        perform graphrag._set_width(_width);
        execute graphrag._realm_triggers();
        execute graphrag._realm_views();
        execute graphrag._version_note();
    else
        perform graphrag._check_table_width(realm, _width);
    end if;
    execute 'insert into realm (version, model, width) values ($1, $2, $3)'
        using graphrag._noted_version(), _endpoint ->> 'model', _width;
    execute 'insert into endpoint (role, base_url, model, options) values (''embedding'', $1, $2, $3)'
        using _endpoint ->> 'base_url', _endpoint ->> 'model', coalesce(_endpoint -> 'options', '{}');
    perform graphrag._record_usage(_probe -> 'usage');
    return realm;
end
$function$;
comment on function graphrag.create_realm(text, text, text, integer) is 'Makes a realm: a schema with its own tables, for the vectors of one embedding model. Does nothing if it exists; tables that were restored without their rows become an empty realm.';

create function graphrag._lacks_rows(realm text)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- As after a restore of a schema without its data.
declare
    _lacks boolean;
begin
    execute format('select not exists (select from %I.realm)', realm) into _lacks;
    return _lacks;
end
$function$;
comment on function graphrag._lacks_rows(text) is 'Whether the tables of a realm are there without their rows.';

create function graphrag._check_table_width(realm text, width integer)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _has integer := (
        select a.atttypmod
        from pg_catalog.pg_attribute as a
        where a.attrelid = 'content'::regclass and a.attname = 'vec'
    );
begin
    if _has <> width then
        raise exception 'the vectors would have % dimensions, the tables of realm "%" have %', width, realm, _has
            using errcode = 'GR105',
                detail = 'The tables were made for another model, and restored without their rows.',
                hint = format('Name a model of that width, or DROP SCHEMA %I CASCADE and make the realm anew.', realm);
    end if;
end
$function$;
comment on function graphrag._check_table_width(text, integer) is 'Raises GR105 if the current realm''s tables are for vectors of another width.';

create function graphrag._version_note()
    returns text
    language sql stable parallel safe
as $function$
-- The version stands in the table realm. Where its row has been lost, it is known from here.
    select format('comment on schema %I is %L', current_schema, 'A graphrag realm of version @VERSION@')
$function$;
comment on function graphrag._version_note() is 'The DDL that notes the version of the current realm''s tables.';

create function graphrag._noted_version()
    returns text
    language sql stable parallel safe
as $function$
    select coalesce(
        substring(obj_description(n.oid, 'pg_namespace') from '^A graphrag realm of version (\S+)$'), '0.1.0'
    )
    from pg_catalog.pg_namespace as n
    where n.nspname = current_schema
$function$;
comment on function graphrag._noted_version() is 'The version of the current realm''s tables by the note on its schema; 0.1.0 made none.';

create function graphrag._realm_embedding(embedding_url text, embedding_model text, width integer)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _endpoint jsonb;
begin
    if embedding_url is null then
        _endpoint := graphrag._default_endpoint('embedding');
    else
        _endpoint := jsonb_build_object(
            'role', 'embedding',
            'base_url', graphrag._choose_location(embedding_url),
            'model', coalesce(embedding_model, case when embedding_url = 'builtin:hash' then 'hash' end),
            'options', case when embedding_url = 'builtin:hash' and width is not null
                then jsonb_build_object('width', width) else '{}' end
        );
    end if;
    if embedding_url is not null and _endpoint ->> 'model' is null then
        raise exception 'no model is named for the embedding endpoint "%"', embedding_url
            using errcode = 'GR009',
                detail = 'embedding_model is NULL.',
                hint = 'Name the model that this endpoint should use.';
    end if;
    if _endpoint is null then
        raise exception 'no embedding endpoint: a realm needs a model for its vectors'
            using errcode = 'GR010',
                detail = 'Neither the call, nor the database''s default, nor OPENAI_API_KEY in the server''s environment names one.',
                hint = 'SELECT graphrag.set_endpoint(''embedding'', ''https://api.example.com/v1'', ''model'', realm => NULL);'
                    ' or, to try things out without a model, create_realm(…, embedding_url => ''builtin:hash'').';
    end if;
    return _endpoint;
end
$function$;
comment on function graphrag._realm_embedding(text, text, integer) is 'The embedding endpoint of a realm to be made; raises GR010 if there is none.';

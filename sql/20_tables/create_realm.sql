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
begin
    perform graphrag._check_realm_name(realm);
    if graphrag._realm_exists(realm) then
        raise notice 'realm "%" exists already', realm;
        perform graphrag._mend_triggers(realm);
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
    if graphrag._realm_exists(realm) then
        raise notice 'realm "%" exists already', realm;
        return realm;
    end if;
    if exists (select from pg_catalog.pg_namespace as n where n.nspname = realm) then
        raise exception 'there is a schema "%" that is not a realm', realm
            using errcode = 'GR006',
                detail = 'A realm needs a schema of its own.',
                hint = 'Choose another name for the realm.';
    end if;
    execute format('create schema %I', realm);
    perform set_config(
        'search_path',
        format('%I, %I, %I, pg_temp', realm, graphrag._schema_of('vector'), graphrag._schema_of('pg_trgm')),
        true
    );
    execute graphrag._realm_tables();
    perform graphrag._set_width(_width);
    execute graphrag._realm_triggers();
    execute graphrag._realm_views();
    execute 'insert into realm (version, model, width) values ($1, $2, $3)'
        using '@VERSION@', _endpoint ->> 'model', _width;
    execute 'insert into endpoint (role, base_url, model, options) values (''embedding'', $1, $2, $3)'
        using _endpoint ->> 'base_url', _endpoint ->> 'model', coalesce(_endpoint -> 'options', '{}');
    perform graphrag._record_usage(_probe -> 'usage');
    execute format('comment on schema %I is %L', realm, 'A graphrag realm.');
    return realm;
end
$function$;
comment on function graphrag.create_realm(text, text, text, integer) is 'Makes a realm: a schema with its own tables, for the vectors of one embedding model. Does nothing if it exists.';

create function graphrag._mend_triggers(realm text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- DROP EXTENSION takes the triggers of a realm with it.
begin
    perform set_config('search_path', format('%I, pg_temp', realm), true);
    if not exists (
        select from pg_trigger as t where t.tgrelid = 'space'::regclass and t.tgname = 'take_revision'
    ) then
        execute graphrag._realm_triggers();
    end if;
end
$function$;
comment on function graphrag._mend_triggers(text) is 'Makes the triggers of an existing realm if they are gone.';

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

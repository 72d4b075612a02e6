-- The steps of reembed(), each one transaction or less: the network is between them. The new vectors stand in a column
-- of content, vec_next, which is there only meanwhile.
create function graphrag._reembedding_lock()
    returns bigint
    language sql stable parallel safe
as $function$
    select hashtextextended('graphrag.reembedding.' || current_schema, 0)
$function$;
comment on function graphrag._reembedding_lock() is 'Key of the advisory lock that a session holds while it re-embeds the current realm.';

create function graphrag._check_may_reembed()
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if not pg_has_role(current_user, (select c.relowner from pg_class as c where c.oid = 'content'::regclass), 'usage')
    then
        raise exception 'only the owner of realm "%" may re-embed it', current_schema
            using errcode = '42501',
                detail = format('"%s" is not its owner.', current_user),
                hint = 'Ask the owner of the schema.';
    end if;
end
$function$;
comment on function graphrag._check_may_reembed() is 'Raises 42501 unless the caller owns the current realm.';

create function graphrag._check_nothing_hangs_on_vectors()
    returns void
    language plpgsql stable parallel safe
as $function$
-- The column goes when the vectors are swapped. Some of what people hang on it would stop that, the rest go with it:
-- all are named before anything is paid for. Grants on the column are carried over.
declare
    _found text := (
        select string_agg(
            distinct case
                when r.rulename = '_RETURN' then pg_describe_object('pg_class'::regclass, r.ev_class, 0)
                else pg_describe_object(d.classid, d.objid, d.objsubid)
            end, ', '
        )
        from pg_attribute as a
        join pg_depend as d on d.refclassid = 'pg_class'::regclass
            and d.refobjid = a.attrelid
            and d.refobjsubid = a.attnum
        left join pg_class as c on d.classid = 'pg_class'::regclass and c.oid = d.objid
        left join pg_rewrite as r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
        left join pg_constraint as o on d.classid = 'pg_constraint'::regclass and o.oid = d.objid
        where a.attrelid = 'content'::regclass
            and a.attname = 'vec'
            and not exists (
                select from unnest(graphrag._vector_kinds()) as k (kind) where c.relname = 'content_vec_' || k.kind
            )
            and r.ev_class is distinct from 'merge_candidates'::regclass
            and o.contype is distinct from 'n'
    );
begin
    if _found is not null then
        raise exception 'there is something on the vectors of realm "%", which a re-embedding replaces', current_schema
            using errcode = 'dependent_objects_still_exist',
                detail = format('On %I.content.vec: %s.', current_schema, _found),
                hint = 'Drop it, re-embed, and make it again.';
    end if;
end
$function$;
comment on function graphrag._check_nothing_hangs_on_vectors() is 'Raises 2BP01 and names views, rules, indexes and the like that are not the realm''s own and use its vectors.';

create function graphrag._carry_grants_over()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _grant text;
begin
    for _grant in
        select format(
            'grant %s (vec) on content to %s%s',
            g.privilege_type,
            case when g.grantee = 0 then 'public' else g.grantee::regrole::text end,
            case when g.is_grantable then ' with grant option' end
        )
        from pg_attribute as a
        cross join aclexplode(a.attacl) as g
        where a.attrelid = 'content'::regclass and a.attname = 'vec_before'
    loop
        execute _grant;
    end loop;
end
$function$;
comment on function graphrag._carry_grants_over() is 'Grants on the column of the vectors before to that of the new ones.';

create function graphrag._refuse_second_reembedding()
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    raise exception 'realm "%" is being re-embedded by another session', current_schema
        using errcode = 'GR043',
            detail = format('It is process %s.', coalesce(graphrag._reembedding_process()::text, 'unknown')),
            hint = format('SELECT * FROM %I.reembedding; shows how far it is.', current_schema);
end
$function$;
comment on function graphrag._refuse_second_reembedding() is 'Raises GR043: one session at a time.';

create function graphrag._reembedding_process()
    returns integer
    language sql stable parallel safe
as $function$
    select l.pid
    from pg_locks as l
    where l.locktype = 'advisory'
        and l.database = (select d.oid from pg_database as d where d.datname = current_database())
        and l.objsubid = 1
        and l.granted
        and l.classid::bigint << 32 | l.objid::bigint = graphrag._reembedding_lock()
    limit 1
$function$;
comment on function graphrag._reembedding_process() is 'The process that re-embeds the current realm now; null: none does.';

create function graphrag._reembedding_target(
    base_url text,
    model text,
    options jsonb,
    width integer,
    batch_size integer
)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- {base_url, model, options, width (null: to be asked), is_begun}: where this is to go, or, with nothing said, where
-- an earlier call was going; options that are given now replace its. Takes the session's lock, which
-- _end_reembedding() gives back.
declare
    _begun record;
    _is_begun boolean;
    _target jsonb;
begin
    perform graphrag._check_may_reembed();
    perform graphrag._check_nothing_hangs_on_vectors();
    if batch_size is null or batch_size not between 1 and 10000 then
        raise exception 'batch_size % is out of range', batch_size
            using errcode = 'GR009',
                detail = 'A batch has 1 to 10000 texts.',
                hint = 'The default is 512.';
    end if;
    if not pg_try_advisory_lock(graphrag._reembedding_lock()) then
        perform graphrag._refuse_second_reembedding();
    end if;
    select r.* into _begun from reembedding as r;
    _is_begun := found;
    if num_nonnulls(base_url, model, options, width) = 0 and _is_begun then
        perform graphrag._choose_location(_begun.base_url);
        return to_jsonb(_begun) || '{"is_begun": true}';
    end if;
    _target := graphrag._new_embedding(base_url, model, options, width);
    if not _is_begun then
        return _target || '{"is_begun": false}';
    end if;
    if (_target ->> 'base_url', _target ->> 'model') is distinct from (_begun.base_url, _begun.model)
        or coalesce((_target ->> 'width')::integer, _begun.width) <> _begun.width
    then
        raise exception 'realm "%" is half re-embedded to model "%" with % dimensions', current_schema, _begun.model,
            _begun.width
            using errcode = 'GR043',
                detail = format('%s of %s texts are done.', _begun.texts_done, _begun.texts),
                hint = format(
                    'CALL graphrag.reembed(%1$L); goes on with it, SELECT graphrag.abandon_reembedding(%1$L); throws it away.',
                    current_schema
                );
    end if;
    if options is not null then
        update reembedding as r set options = _target -> 'options' returning r.* into _begun;
    end if;
    return to_jsonb(_begun) || '{"is_begun": true}';
end
$function$;
comment on function graphrag._reembedding_target(text, text, jsonb, integer, integer) is 'The endpoint and width that reembed() is to go to.';

create function graphrag._new_embedding(base_url text, model text, options jsonb, width integer)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- What is not said stays as it is now.
declare
    _now jsonb := graphrag._endpoint('embedding');
    _url text := graphrag._choose_location(coalesce(base_url, _now ->> 'base_url'));
    _is_same constant boolean := _url = rtrim(_now ->> 'base_url', '/');
    _model text := coalesce(
        model, case when _url = 'builtin:hash' then 'hash' when _is_same then _now ->> 'model' end
    );
    _options jsonb := coalesce(
        options,
        case
            when _is_same and _model = _now ->> 'model' and width is null then _now -> 'options'
            when _is_same then (_now -> 'options') - '{dimensions, width}'::text[]
            else '{}'
        end
    );
    _width integer := width;
begin
    if _model is null or _model = '' then
        raise exception 'no model is named for the embedding endpoint "%"', _url
            using errcode = 'GR009',
                detail = 'embedding_model is NULL.',
                hint = 'Name the model that this endpoint should use.';
    end if;
    perform graphrag._check_width(_width);
    perform graphrag._check_endpoint_options(_options);
    if _url = 'builtin:hash' then
        _width := coalesce(_width, (_options ->> 'width')::integer, 256);
        _options := _options || jsonb_build_object('width', _width);
        perform graphrag._check_endpoint_options(_options);
    end if;
    return jsonb_build_object('base_url', _url, 'model', _model, 'options', _options, 'width', _width);
end
$function$;
comment on function graphrag._new_embedding(text, text, jsonb, integer) is 'The embedding endpoint that the arguments of reembed() name.';

create function graphrag._begin_reembedding(target jsonb, width integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    perform graphrag._check_width(width);
    insert into reembedding (base_url, model, options, width, texts)
    values (
        target ->> 'base_url', target ->> 'model', target -> 'options', width, (select count(*) from content as c)
    );
end
$function$;
comment on function graphrag._begin_reembedding(jsonb, integer) is 'Notes where a re-embedding is going.';

create function graphrag._add_next_vectors()
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Returns the width. The lock is not waited for long, because readers queue behind it.
declare
    _width integer := (select r.width from reembedding as r);
begin
    if not exists (
        select from pg_attribute as a where a.attrelid = 'content'::regclass and a.attname = 'vec_next'
    ) then
        perform set_config('lock_timeout', '500ms', true);
        execute format('alter table content add column vec_next %s', graphrag._vector_type(_width));
    end if;
    return _width;
end
$function$;
comment on function graphrag._add_next_vectors() is 'Makes the column of the new vectors, if it is missing.';

create function graphrag._index_next_vectors()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The indexes are quickly built, since they are empty, and then grow with the column: one that is built at the end
-- would stop the writers for as long as that takes.
begin
    perform set_config('lock_timeout', '2s', true);
    perform graphrag._create_vector_indexes('vec_next');
    if to_regclass('content_without_vec_next') is null then
        execute 'create index content_without_vec_next on content (id) where vec_next is null';
    end if;
end
$function$;
comment on function graphrag._index_next_vectors() is 'Makes the indexes of the new vectors, where they are missing.';

create function graphrag._texts_to_reembed(after bigint, batch_size integer)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'body', t.body) order by t.id), '[]')
        from (
            select c.id, c.body
            from content as c
            where c.vec_next is null and c.id > after
            order by c.id
            limit batch_size
        ) as t
    );
end
$function$;
comment on function graphrag._texts_to_reembed(bigint, integer) is 'The next texts without a new vector: [{id, body}].';

create function graphrag._store_next_vectors(vectors jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- What is purged meanwhile is not missed.
declare
    _stored bigint;
begin
    perform set_config('graphrag.reembed', 'on', true);
    update content as c
    set vec_next = graphrag._vector(v.vec)
    from jsonb_to_recordset(vectors) as v (id bigint, vec text)
    where c.id = v.id and c.vec_next is null;
    get diagnostics _stored = row_count;
    perform set_config('graphrag.reembed', '', true);
    update reembedding as r
    set texts_done = r.texts_done + _stored,
        texts = greatest(r.texts, r.texts_done + _stored),
        last_batch_at = clock_timestamp();
end
$function$;
comment on function graphrag._store_next_vectors(jsonb) is 'Stores new vectors [{id, vec}] beside those in use, and notes the progress.';

create function graphrag._stop_writers()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Every writer shares this lock first, until its transaction ends. It is not waited for long: others would queue.
begin
    perform set_config('lock_timeout', '2s', true);
    perform pg_advisory_xact_lock(graphrag._vocabulary_lock());
    perform set_config('lock_timeout', '0', true);
end
$function$;
comment on function graphrag._stop_writers() is 'Has the writers of the current realm wait until this transaction ends; 55P03 if one of them is at it for longer.';

create function graphrag._swap_vectors()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Whoever has read a text in his transaction has a lock on the table until that ends: so nobody compares a question's
-- vector of one model with texts' of the other. The lock is not waited for long, because readers queue behind it; less
-- than deadlock_timeout, so that nobody is shot for it. A writer at REPEATABLE READ that began before meets the
-- touched rows of spaces and is refused.
declare
    _target record;
    _kind text;
begin
    perform set_config('lock_timeout', '500ms', true);
    lock table content in access exclusive mode;
    perform set_config('lock_timeout', '0', true);
    perform graphrag._check_nothing_hangs_on_vectors();
    select r.* into strict _target from reembedding as r;
    perform set_config(
        'search_path',
        format(
            '%I, %I, %I, pg_temp', current_schema, graphrag._schema_of('vector'), graphrag._schema_of('pg_trgm')
        ),
        true
    );
    alter table content alter column vec_next set not null;
    alter table content rename column vec to vec_before;
    alter table content rename column vec_next to vec;
    execute graphrag._merge_candidates_view();
    perform graphrag._carry_grants_over();
    alter table content drop column vec_before;
    drop index content_without_vec_next;
    foreach _kind in array graphrag._vector_kinds() loop
        execute format('alter index %I rename to %I', 'content_vec_next_' || _kind, 'content_vec_' || _kind);
    end loop;
    update realm as r set model = _target.model, width = _target.width, vectors = r.vectors + 1;
    insert into endpoint (role, base_url, model, options)
    values ('embedding', _target.base_url, _target.model, _target.options)
    on conflict on constraint endpoint_pkey do update
    set base_url = excluded.base_url,
        model = excluded.model,
        options = excluded.options;
    update space as s set operation = s.operation;
    delete from reembedding;
end
$function$;
comment on function graphrag._swap_vectors() is 'Puts the new vectors in the place of the old ones, with their model, width and indexes.';

create function graphrag._end_reembedding()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    if graphrag._reembedding_process() = pg_backend_pid() then
        perform pg_advisory_unlock(graphrag._reembedding_lock());
    end if;
end
$function$;
comment on function graphrag._end_reembedding() is 'Gives the lock of reembed() back, if this session has it.';

create function graphrag._check_vectors(vectors bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The lock keeps a swap from coming between this look and the end of the transaction.
begin
    lock table content in access share mode;
    if vectors <> (select r.vectors from realm as r) then
        raise exception 'realm "%" has been re-embedded meanwhile', current_schema
            using errcode = 'serialization_failure',
                detail = 'What was prepared has vectors of the model before.',
                hint = 'Repeat the statement.';
    end if;
end
$function$;
comment on function graphrag._check_vectors(bigint) is 'Raises 40001 if the realm''s vectors are others than they were; until the transaction ends they stay.';

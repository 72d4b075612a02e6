create function graphrag._set_width(width integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- pgvector indexes at most 2,000 dimensions of vector; above that half precision.
begin
    execute format(
        'alter table content alter column vec type %I.%I(%s)',
        graphrag._schema_of('vector'), case when width > 2000 then 'halfvec' else 'vector' end, width
    );
    perform graphrag._create_vector_indexes();
end
$function$;
comment on function graphrag._set_width(integer) is 'Fixes the width of the current realm''s vectors and builds their indexes, one a kind.';

create function graphrag._create_vector_indexes()
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
declare
    _schema name := graphrag._schema_of('vector');
    _type name := (
        select t.typname
        from pg_attribute as a
        join pg_type as t on t.oid = a.atttypid
        where a.attrelid = 'content'::regclass and a.attname = 'vec'
    );
    _missing text[] := array(
        select k.kind
        from unnest(graphrag._vector_kinds()) as k (kind)
        where to_regclass('content_vec_' || k.kind) is null
    );
    _kind text;
begin
    foreach _kind in array _missing loop
        execute format(
            'create index %I on content using hnsw (vec %I.%I) where kind = %L',
            'content_vec_' || _kind, _schema, _type || '_cosine_ops', _kind
        );
    end loop;
    return cardinality(_missing);
end
$function$;
comment on function graphrag._create_vector_indexes() is 'Builds the vector indexes that the current realm lacks and returns how many.';

create function graphrag._drop_vector_indexes()
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
declare
    _present text[] := array(
        select format('%I', 'content_vec_' || k.kind)
        from unnest(graphrag._vector_kinds()) as k (kind)
        where to_regclass('content_vec_' || k.kind) is not null
    );
begin
    if _present <> '{}' then
        execute 'drop index ' || array_to_string(_present, ', ');
    end if;
    return cardinality(_present);
end
$function$;
comment on function graphrag._drop_vector_indexes() is 'Drops the vector indexes of the current realm and returns how many there were.';

create function graphrag._vector_kinds()
    returns text[]
    language sql immutable parallel safe
begin atomic
    select '{chunk,entity,relation,report}'::text[];
end;
comment on function graphrag._vector_kinds() is 'The kinds of texts that have a vector index each.';

create function graphrag._set_width(width integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    execute format('alter table content alter column vec type %s', graphrag._vector_type(width));
    perform graphrag._create_vector_indexes();
end
$function$;
comment on function graphrag._set_width(integer) is 'Fixes the width of the current realm''s vectors and builds their indexes, one a kind.';

create function graphrag._vector_type(width integer)
    returns text
    language plpgsql stable parallel safe
as $function$
-- pgvector indexes at most 2,000 dimensions of vector; above that half precision, up to 4,000.
begin
    return format(
        '%I.%I(%s)', graphrag._schema_of('vector'), case when width > 2000 then 'halfvec' else 'vector' end, width
    );
end
$function$;
comment on function graphrag._vector_type(integer) is 'The type of a column of vectors of that width.';

create function graphrag._check_width(width integer)
    returns void
    language plpgsql immutable parallel safe
as $function$
begin
    if width not between 1 and 4000 then
        raise exception 'a vector cannot have % dimensions', width
            using errcode = 'GR009',
                detail = 'pgvector indexes up to 2,000 dimensions as vector and up to 4,000 as halfvec.',
                hint = 'Give a width from 1 to 4000; many models make shorter vectors when the option dimensions asks for it.';
    end if;
end
$function$;
comment on function graphrag._check_width(integer) is 'Raises GR009 for a width that pgvector cannot index.';

create function graphrag._create_vector_indexes(vectors name default 'vec')
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
declare
    _schema name := graphrag._schema_of('vector');
    _type name := (
        select t.typname
        from pg_attribute as a
        join pg_type as t on t.oid = a.atttypid
        where a.attrelid = 'content'::regclass and a.attname = vectors
    );
    _missing text[] := array(
        select k.kind
        from unnest(graphrag._vector_kinds()) as k (kind)
        where to_regclass(format('content_%s_%s', vectors, k.kind)) is null
    );
    _kind text;
begin
    foreach _kind in array _missing loop
        execute format(
            'create index %I on content using hnsw (%I %I.%I) where kind = %L',
            format('content_%s_%s', vectors, _kind), vectors, _schema, _type || '_cosine_ops', _kind
        );
    end loop;
    return cardinality(_missing);
end
$function$;
comment on function graphrag._create_vector_indexes(name) is 'Builds the vector indexes that the current realm lacks, of a column of content, and returns how many.';

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

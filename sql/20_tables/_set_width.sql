create function graphrag._set_width(width integer)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- pgvector indexes at most 2,000 dimensions of vector; above that half precision.
declare
    _type text := case when width > 2000 then 'halfvec' else 'vector' end;
    _schema name := graphrag._schema_of('vector');
    _kind text;
begin
    execute format('alter table content alter column vec type %I.%I(%s)', _schema, _type, width);
    foreach _kind in array array['chunk', 'entity', 'relation', 'report'] loop
        execute format(
            'create index %I on content using hnsw (vec %I.%I) where kind = %L',
            'content_vec_' || _kind, _schema, _type || '_cosine_ops', _kind
        );
    end loop;
end
$function$;
comment on function graphrag._set_width(integer) is 'Fixes the width of the current realm''s vectors and builds their indexes, one a kind.';

create function graphrag._vector_schema()
    returns name
    language sql stable parallel safe
begin atomic
    select n.nspname
    from pg_catalog.pg_extension as e
    join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
    where e.extname = 'vector';
end;
comment on function graphrag._vector_schema() is 'The schema pgvector lives in.';

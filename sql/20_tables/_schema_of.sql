create function graphrag._schema_of(extension name)
    returns name
    language sql stable parallel safe
begin atomic
    select n.nspname
    from pg_catalog.pg_extension as e
    join pg_catalog.pg_namespace as n on n.oid = e.extnamespace
    where e.extname = extension;
end;
comment on function graphrag._schema_of(name) is 'The schema an extension lives in.';

create function graphrag._realm_exists(realm text)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from pg_catalog.pg_namespace as n
        join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relname = 'realm' and c.relkind = 'r'
        join pg_catalog.pg_class as d on d.relnamespace = n.oid and d.relname = 'document_chunk' and d.relkind = 'r'
        where n.nspname = realm and has_schema_privilege(n.oid, 'usage')
    );
end
$function$;
comment on function graphrag._realm_exists(text) is 'Whether a schema of that name holds the tables of a realm that the caller may use.';

create function graphrag._realms()
    returns text[]
    language sql stable parallel safe
begin atomic
    select coalesce(array_agg(n.nspname::text order by n.nspname), '{}')
    from pg_catalog.pg_namespace as n
    where graphrag._realm_exists(n.nspname);
end;
comment on function graphrag._realms() is 'Names of the realms that the caller may use.';

create function graphrag._doctor_indexes(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
declare
    _namespace oid := (select n.oid from pg_catalog.pg_namespace as n where n.nspname = realm);
    _invalid text[];
    _missing text[];
    _type name;
begin
    if realm is null or not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    _invalid := array(
        select c.relname::text
        from pg_catalog.pg_index as i
        join pg_catalog.pg_class as c on c.oid = i.indexrelid
        where c.relnamespace = _namespace and not (i.indisvalid and i.indisready)
        order by c.relname
    );
    _type := (
        select t.typname
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_type as t on t.oid = a.atttypid
        where a.attrelid = 'content'::regclass and a.attname = 'vec'
    );
    _missing := array(
        select k.kind
        from unnest(array['chunk', 'entity', 'relation', 'report']) as k (kind)
        where not exists (
            select
            from pg_catalog.pg_class as c
            join pg_catalog.pg_am as a on a.oid = c.relam and a.amname = 'hnsw'
            join pg_catalog.pg_index as i on i.indexrelid = c.oid and i.indrelid = 'content'::regclass
            join pg_catalog.pg_opclass as o on o.oid = i.indclass[0] and o.opcname = _type || '_cosine_ops'
            where c.relnamespace = _namespace
                and c.relname = 'content_vec_' || k.kind
                and pg_catalog.pg_get_expr(i.indpred, i.indrelid) = format('(kind = %L::text)', k.kind)
        )
    );
    return graphrag._finding(
        'indexes',
        case when _invalid = '{}' then 'ok' else 'error' end,
        case when _invalid = '{}' then 'All are valid.' else 'Not valid: ' || array_to_string(_invalid, ', ') end,
        (
            select string_agg(format('REINDEX INDEX CONCURRENTLY %I.%I;', realm, i.name), ' ')
            from unnest(_invalid) as i (name)
        )
    ) || graphrag._finding(
        'vector indexes',
        case when _missing = '{}' then 'ok' else 'error' end,
        case when _missing = '{}' then 'One a kind of text.'
            else 'None for similarity search in texts of kind ' || array_to_string(_missing, ', ') || '.' end,
        (
            select string_agg(
                case when to_regclass('content_vec_' || m.kind) is not null
                    then format('DROP INDEX %I.%I; ', realm, 'content_vec_' || m.kind)
                    else '' end
                || format(
                    'CREATE INDEX %I ON %I.content USING hnsw (vec %I.%I) WHERE kind = %L;',
                    'content_vec_' || m.kind, realm, graphrag._schema_of('vector'), _type || '_cosine_ops', m.kind
                ),
                ' '
            )
            from unnest(_missing) as m (kind)
        )
    );
end
$function$;
comment on function graphrag._doctor_indexes(text) is 'Findings about the indexes of the realm.';

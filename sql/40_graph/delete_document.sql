create function graphrag.delete_document(
    document text,
    source text default null,
    space text default null,
    realm text default null
)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
    set plan_cache_mode = force_generic_plan
as $function$
-- Withdraws what the document said. History keeps it: a read as of an earlier belief still finds it.
declare
    _start timestamptz := clock_timestamp();
    _space integer;
    _version bigint;
    _chunks bigint[];
    _revision bigint;
    _derived graphrag._derived;
    _result graphrag.index_result;
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    perform graphrag._lock_spaces(array[_space]);
    _version := graphrag._live_version(_space, document, source);
    _revision := graphrag._next_revision(_space, 'delete_document');
    _chunks := array(select distinct c.chunk from document_chunk as c where c.version = _version and c.died is null);
    perform graphrag._close_version(_version, _revision);
    perform graphrag._forget_unborn(_version, _revision);
    _derived := graphrag._derive(_space, _revision, _chunks);
    perform graphrag._recount_terms(_space, _revision, 1);
    _result.document := (
        select d.key from document_version as v join document as d on d.id = v.document where v.id = _version
    );
    _result.chunks := cardinality(_chunks);
    _result.unchanged := 0;
    _result.failed := 0;
    _result.failures := '[]';
    _result.rejected := '{}';
    _result.llm_calls := 0;
    _result.entities_added := _derived.entities_added;
    _result.relations_added := _derived.relations_added;
    _result.superseded := _derived.superseded;
    _result.elapsed := clock_timestamp() - _start;
    _result.revision := _revision;
    return _result;
end
$function$;
comment on function graphrag.delete_document(text, text, text, text) is 'Withdraws a document: the graph becomes what it would be without it, and facts it had superseded hold again.';

create function graphrag._live_version(space integer, document text, source text)
    returns bigint
    language plpgsql stable parallel safe
as $function$
declare
    _key text;
    _version bigint;
begin
    if document is null and source is null then
        raise exception 'no document was named'
            using errcode = 'GR009',
                detail = 'Both document and source are NULL.',
                hint = 'Name the document by the key that index() returned.';
    end if;
    _key := graphrag._document_key(document, source);
    -- A document may also be named by the key that index() returned.
    _version := (
        select v.id
        from document as d
        join document_version as v on v.document = d.id and v.died is null
        where d.space = $1 and (d.key = _key or ($3 is null and d.key = $2))
        order by d.key = _key desc
        limit 1
    );
    if _version is null then
        raise exception 'there is no document "%"', left(_key, 200)
            using errcode = 'GR012',
                detail = 'No live document of the space has this key.',
                hint = graphrag._near_documents(space, _key);
    end if;
    return _version;
end
$function$;
comment on function graphrag._live_version(integer, text, text) is 'The live version of a document; raises GR012 if there is none.';

create function graphrag._near_documents(space integer, key text)
    returns text
    language plpgsql stable parallel safe
as $function$
begin
    return graphrag._near(
        key,
        array(
            select d.key
            from document as d
            join document_version as v on v.document = d.id and v.died is null
            where d.space = $1
            order by graphrag._similarity(d.key, $2) desc, d.key collate "C"
            limit 30
        )
    );
end
$function$;
comment on function graphrag._near_documents(integer, text) is 'What to say of a key that no live document of a space has: those that are like it.';

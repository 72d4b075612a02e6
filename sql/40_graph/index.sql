create function graphrag.index(
    content text,
    document text default null,
    source text default null,
    metadata jsonb default '{}',
    published_at timestamptz default null,
    ordinal numeric default null,
    extraction jsonb default null,
    space text default null,
    realm text default null
)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set extra_float_digits = 1
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
    set plan_cache_mode = force_generic_plan
    set graphrag.call = ''
    set graphrag.tally = ''
as $function$
-- Prepare, then write. Everything that needs the network happens before the space is locked, or made; only where a
-- purge meanwhile erased what this document has in common with others is it prepared again, under the lock.
declare
    _start timestamptz := clock_timestamp();
    _plan graphrag._document_plan;
    _prepared jsonb;
    _result graphrag.index_result;
begin
    perform set_config('graphrag.call', gen_random_uuid()::text, true);
    perform graphrag._enter_or_create(realm);
    loop
        _plan := graphrag._plan_document(
            space, content, document, source, metadata, published_at, ordinal, extraction
        );
        if _plan.is_unchanged then
            _result := graphrag._unchanged_result(_plan);
        else
            _prepared := graphrag._prepare(_plan);
            _result := graphrag._write_document(_plan, _prepared);
        end if;
        exit when _result.document is not null;
    end loop;
    _result := graphrag._add_usage(_result);
    _result.elapsed := clock_timestamp() - _start;
    return _result;
end
$function$;
comment on function graphrag.index(text, text, text, jsonb, timestamptz, numeric, jsonb, text, text) is 'Indexes one document, or its new version: chunks it, has entities and facts extracted, and brings the graph in line. Unchanged content costs nothing.';

create function graphrag._enter_or_create(realm text)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- Only the realm called default comes into being by itself; a misspelt name must not.
begin
    if coalesce(realm, graphrag._default_realm()) = 'default' and not graphrag._realm_exists('default') then
        perform graphrag.create_realm('default');
    end if;
    return graphrag._enter(realm);
end
$function$;
comment on function graphrag._enter_or_create(text) is 'Enters a realm; makes the realm default first if it is that and not there.';

create function graphrag._unchanged_result(plan graphrag._document_plan)
    returns graphrag.index_result
    language plpgsql stable parallel safe
as $function$
declare
    _result graphrag.index_result;
begin
    _result.document := plan.key;
    _result.chunks := cardinality(plan.hashes);
    _result.unchanged := _result.chunks;
    _result.failed := 0;
    _result.failures := '[]';
    _result.entities_added := 0;
    _result.relations_added := 0;
    _result.superseded := 0;
    _result.rejected := '{}';
    _result.cached := 0;
    _result.revision := (select s.revision from space as s where s.id = plan.space);
    return _result;
end
$function$;
comment on function graphrag._unchanged_result(graphrag._document_plan) is 'The result of indexing a document that has not changed.';

create function graphrag._add_usage(result graphrag.index_result)
    returns graphrag.index_result
    language plpgsql stable parallel safe
as $function$
declare
    _tally jsonb := graphrag._tally();
begin
    result.llm_calls := (_tally ->> 'chats')::integer;
    result.input_tokens := (_tally ->> 'input_tokens')::bigint;
    result.output_tokens := (_tally ->> 'output_tokens')::bigint;
    return result;
end
$function$;
comment on function graphrag._add_usage(graphrag.index_result) is 'Adds what this call cost; unknown tokens stay NULL.';

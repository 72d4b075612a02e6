create function graphrag.build_vector_indexes(realm text default null)
    returns integer
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm);
    return graphrag._create_vector_indexes();
end
$function$;
comment on function graphrag.build_vector_indexes(text) is 'Builds the vector indexes that a realm lacks, after a bulk load; returns how many. What was built already stays, so it can be called again after it was interrupted.';

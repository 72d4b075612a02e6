create function graphrag.drop_vector_indexes(realm text default null)
    returns integer
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm);
    return graphrag._drop_vector_indexes();
end
$function$;
comment on function graphrag.drop_vector_indexes(text) is 'Drops the vector indexes of a realm before a bulk load, which is then several times as quick; returns how many there were. Until build_vector_indexes() is called, similarity is searched exactly and slowly.';

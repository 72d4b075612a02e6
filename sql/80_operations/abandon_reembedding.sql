create function graphrag.abandon_reembedding(realm text default null)
    returns boolean
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- False if none was begun.
declare
    _is_begun boolean;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_may_reembed();
    if not pg_try_advisory_xact_lock(graphrag._reembedding_lock()) then
        perform graphrag._refuse_second_reembedding();
    end if;
    delete from reembedding;
    _is_begun := found;
    if exists (select from pg_attribute as a where a.attrelid = 'content'::regclass and a.attname = 'vec_next') then
        alter table content drop column vec_next;
    end if;
    return _is_begun;
end
$function$;
comment on function graphrag.abandon_reembedding(text) is 'Throws away what reembed() has made and not swapped in; says whether there was anything.';

create function graphrag.detach(
    relation regclass,
    withdraw boolean default false,
    space text default null,
    realm text default null
)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _realm text := graphrag._enter(realm);
    _space text := graphrag._refuse_all_spaces(space);
    _attached jsonb := graphrag._attachment(relation, _space);
begin
    if _attached is null then
        raise exception 'table % is not attached to space "%" of realm "%"', relation, _space, _realm
            using errcode = 'GR042',
                detail = 'It has no triggers of this realm and space.',
                hint = 'Such triggers are named graphrag_…; psql''s \d shows them.';
    end if;
    perform graphrag._drop_triggers(relation, _space);
    if withdraw then
        insert into job (space, operation, source) values (_space, 'clear', _attached ->> 'source');
    end if;
end
$function$;
comment on function graphrag.detach(regclass, boolean, text, text) is 'Ends what attach() began; the documents stay, unless withdraw queues their withdrawal.';

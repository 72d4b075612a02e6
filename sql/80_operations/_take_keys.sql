-- After the statement, when a row of COPY is no longer the context of what is logged. Keys go from table to table: as
-- the value of a variable one could stand in a plan that is logged.
create function graphrag._take_keys()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
begin
    perform graphrag._choose_location(k.base_url) from graphrag.endpoint_key as k;
    update graphrag.endpoint_location as l
    set api_key = k.api_key
    from graphrag.endpoint_key as k
    where l.base_url = rtrim(btrim(k.base_url), '/');
    delete from graphrag.endpoint_key;
    return null;
end
$function$;
comment on function graphrag._take_keys() is 'Trigger: registers the URLs in endpoint_key with their keys, in place of those before.';

create trigger refuse_visible_key
before insert on graphrag.endpoint_key
for each row
when (
    new.api_key !~ '^env:'
    and (current_query() !~* '^\s*copy\M' or position(new.api_key in current_query()) > 0)
)
execute function graphrag._refuse_visible_key();

comment on trigger refuse_visible_key on graphrag.endpoint_key is
    'A key that can be read elsewhere does not become one';

create trigger take_keys
after insert on graphrag.endpoint_key
for each statement
execute function graphrag._take_keys();

comment on trigger take_keys on graphrag.endpoint_key is
    'Hands what was copied to endpoint_location';

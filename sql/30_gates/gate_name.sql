create function graphrag.gate_name(name text, type text default null, realm text default null)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm, must_exist => realm is not null);
    return (
        select g.reason
        from graphrag._gate_names(array[name], array[type]) as g
    );
end
$function$;
comment on function graphrag.gate_name(text, text, text) is 'Why a text is no name of an entity (malformed, over_long, pronominal_name, relative_name, conjunctive_name, bare_quantity, bare_date); null if it is one.';

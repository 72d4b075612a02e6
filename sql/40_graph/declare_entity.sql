create function graphrag.declare_entity(
    name text,
    type text default null,
    aliases text[] default '{}',
    identifiers text[] default '{}',
    description text default null,
    space text default null,
    realm text default null
)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- What is known of an entity before any text is read, as a row of a table has it, is a document of a few lines: its
-- names pass the same gates, its identifiers and aliases resolve like those of any text, declaring it again replaces
-- it, and it is withdrawn by delete_document(result.document).
declare
    _result graphrag.index_result;
begin
    _result := graphrag.index(
        concat_ws(
            E'\n',
            concat(declare_entity.name, '.'),
            'Also called: ' || nullif(array_to_string(aliases, '; '), '') || '.',
            'Identifiers: ' || nullif(array_to_string(identifiers, '; '), '') || '.',
            description
        ),
        document => coalesce(
            (select i.identifier from unnest(identifiers) as i (identifier) where i.identifier ~ '\S' limit 1),
            declare_entity.name
        ),
        source => 'declare_entity',
        extraction => jsonb_build_object('entities', jsonb_build_array(jsonb_build_object(
            'name', declare_entity.name,
            'type', type,
            'description', description,
            'aliases', to_jsonb(aliases),
            'identifiers', to_jsonb(identifiers)
        ))),
        space => space,
        realm => realm
    );
    if _result.rejected <> '{}' then
        raise exception 'the entity "%" was refused', declare_entity.name
            using errcode = 'GR009',
                detail = format('The gates say: %s.', _result.rejected),
                hint = 'graphrag.gate_name() tells why a name or an alias is refused.';
    end if;
    return _result;
end
$function$;
comment on function graphrag.declare_entity(text, text, text[], text[], text, text, text) is 'States an entity with its aliases and external identifiers, as from a row of a table; a document that is cited and can be deleted like any other.';

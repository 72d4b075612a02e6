create function graphrag.declare_predicate(
    name text,
    aliases text[] default '{}',
    inverse_of text default null,
    is_symmetric boolean default false,
    is_functional boolean default false,
    is_value boolean default false,
    exclusive_groups text[] default '{}',
    subject_types text[] default '{}',
    object_types text[] default '{}',
    realm text default null
)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set extra_float_digits = 1
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
declare
    _realm text := graphrag._enter_or_create(realm);
    _declared jsonb := jsonb_build_array(jsonb_build_object(
        'name', name,
        'aliases', to_jsonb(aliases),
        'inverse_of', inverse_of,
        'is_symmetric', is_symmetric,
        'is_functional', is_functional,
        'is_value', is_value,
        'exclusive_groups', to_jsonb(exclusive_groups),
        'subject_types', to_jsonb(subject_types),
        'object_types', to_jsonb(object_types)
    ));
begin
    perform graphrag._declare_predicates(_declared, false);
    return graphrag._normalize_predicate(name);
end
$function$;
comment on function graphrag.declare_predicate(text, text[], text, boolean, boolean, boolean, text[], text[], text[], text) is 'Declares a predicate of a realm, or changes its declaration; returns its normalised name.';

create function graphrag.use_preset(preset text, realm text default null)
    returns integer
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
    _declarations jsonb := (
        select jsonb_agg(to_jsonb(p) - 'preset')
        from graphrag.preset_predicate as p
        where p.preset = $1
    );
begin
    if _declarations is null then
        raise exception 'there is no preset "%"', preset
            using errcode = 'GR014',
                detail = 'A preset is a vocabulary that comes with the extension: see graphrag.preset_predicate.',
                hint = graphrag._near(preset, array(select distinct p.preset from graphrag.preset_predicate as p));
    end if;
    return graphrag._declare_predicates(_declarations, true);
end
$function$;
comment on function graphrag.use_preset(text, text) is 'Declares the predicates of a preset in a realm (biography, fiction, finance, earnings, agent_memory); returns how many.';

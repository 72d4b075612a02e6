create function graphrag.gate_relation(
    subject text,
    predicate text,
    object text,
    confidence double precision default 1,
    floor double precision default 0,
    realm text default null
)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm, must_exist => realm is not null);
    return coalesce(
        graphrag._predicate_reason(predicate),
        case
            when subject is null or object is null then 'malformed'
            when confidence < floor then 'confidence_floor'
            when graphrag._fold_name(subject) = graphrag._fold_name(object) then 'self_loop'
        end
    );
end
$function$;
comment on function graphrag.gate_relation(text, text, text, double precision, double precision, text) is 'Why a triple is no relation (self_loop, confidence_floor, or what gate_predicate says); null if it is one.';

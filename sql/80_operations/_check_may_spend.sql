create function graphrag._check_may_spend()
    returns void
    language plpgsql stable parallel unsafe
as $function$
-- Runs inside a realm, or before there is one. grant_reader() says what the right to spend is.
begin
    if has_function_privilege('graphrag._call(jsonb, integer)', 'execute')
        and (to_regclass('usage') is null or has_table_privilege('usage', 'insert'))
    then
        return;
    end if;
    raise exception 'role "%" may not spend in the realm "%"', current_user, current_schema()
        using errcode = 'insufficient_privilege',
            detail = 'It may not have model servers called there.',
            hint = format(
                'Give embedding => a vector of your own, and keywords => ''lexical''; or its owner: SELECT graphrag.grant_reader(%L, %L, may_spend => true);',
                current_user, current_schema()
            );
end
$function$;
comment on function graphrag._check_may_spend() is 'Raises 42501 if the caller may not have a realm''s endpoints called.';

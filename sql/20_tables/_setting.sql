create function graphrag._setting(name text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce(
        (select s.value from setting as s where s.name = $1),
        (select d.value from graphrag.setting_default as d where d.name = $1)
    );
end
$function$;
comment on function graphrag._setting(text) is 'A setting of the current realm, or its default.';

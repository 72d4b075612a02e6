create function graphrag._json_texts(list jsonb)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
begin
    if list is null or list = '[]' then
        return '{}';
    end if;
    return case jsonb_typeof(list)
        when 'array' then array(
            select distinct graphrag._one_line(t.item)
            from jsonb_array_elements_text(list) as t (item)
            where graphrag._one_line(t.item) is not null
        )
        when 'string' then array_remove(array[graphrag._one_line(list #>> '{}')], null)
        else '{}'
    end;
end
$function$;
comment on function graphrag._json_texts(jsonb) is 'The texts of a JSON array, or one text, cleaned; blanks and nulls are left out.';

create function graphrag._check_endpoint_options(options jsonb)
    returns void
    language plpgsql immutable parallel safe
as $function$
-- A misspelt option would be a silent default.
declare
    _types constant jsonb := '{
        "deadline": "number", "concurrency": "number", "extra": "object",
        "temperature": "number", "structured_output": "string",
        "batch_size": "number", "batch_tokens": "number", "max_input_tokens": "number", "dimensions": "number",
        "width": "number"
    }';
    _name text;
    _value jsonb;
begin
    if jsonb_typeof(options) is distinct from 'object' then
        raise exception 'options are no JSON object'
            using errcode = 'GR009', hint = 'Write options => ''{"deadline": 60}''.';
    end if;
    for _name, _value in select o.key, o.value from jsonb_each(options) as o loop
        if not _types ? _name then
            raise exception 'unknown endpoint option "%"', _name
                using errcode = 'GR009',
                    hint = graphrag._near(_name, array(select k.name from jsonb_object_keys(_types) as k (name)));
        end if;
        if jsonb_typeof(_value) <> _types ->> _name
            or jsonb_typeof(_value) = 'number' and _name <> 'temperature' and (_value #>> '{}')::numeric <= 0
            or _name = 'structured_output' and _value #>> '{}' not in ('json_schema', 'json_object', 'text')
            or _name = 'width' and (_value #>> '{}')::numeric not between 8 and 4000
        then
            raise exception 'endpoint option "%" cannot be %', _name, _value
                using errcode = 'GR009',
                    detail = format('It is a %s.', _types ->> _name),
                    hint = 'Numbers are above zero; width is 8 to 4000; structured_output is json_schema, json_object or text.';
        end if;
    end loop;
end
$function$;
comment on function graphrag._check_endpoint_options(jsonb) is 'Raises GR009 for an endpoint option that does not exist or has a value of the wrong kind.';

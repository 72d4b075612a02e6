create function graphrag._check_endpoint_options(options jsonb)
    returns void
    language plpgsql immutable parallel safe
as $function$
declare
    _rules constant jsonb := '{
        "deadline": {"type": "number", "from": 0.1, "to": 86400},
        "temperature": {"type": "number", "from": 0, "to": 10},
        "concurrency": {"type": "number", "from": 1, "to": 1000, "whole": true},
        "batch_size": {"type": "number", "from": 1, "to": 10000, "whole": true},
        "batch_tokens": {"type": "number", "from": 1, "to": 10000000, "whole": true},
        "max_input_tokens": {"type": "number", "from": 1, "to": 10000000, "whole": true},
        "dimensions": {"type": "number", "from": 1, "to": 4000, "whole": true},
        "width": {"type": "number", "from": 1, "to": 4000, "whole": true},
        "structured_output": {"type": "string", "words": ["json_schema", "json_object", "text"]},
        "extra": {"type": "object"}
    }';
    _name text;
    _value jsonb;
begin
    if jsonb_typeof(options) is distinct from 'object' then
        raise exception 'options are no JSON object'
            using errcode = 'GR009',
                detail = format('They are %s.', coalesce(options::text, 'null')),
                hint = 'Write options => ''{"deadline": 60}''.';
    end if;
    for _name, _value in select o.key, o.value from jsonb_each(options) as o loop
        if not _rules ? _name then
            raise exception 'unknown endpoint option "%"', _name
                using errcode = 'GR009',
                    detail = 'A misspelt option would be a silent default.',
                    hint = graphrag._near(_name, array(select k.name from jsonb_object_keys(_rules) as k (name)));
        end if;
        if not graphrag._fits_option(_value, _rules -> _name) then
            raise exception 'endpoint option "%" cannot be %', _name, _value
                using errcode = 'GR009',
                    detail = format('It takes %s.', graphrag._option_in_words(_rules -> _name)),
                    hint = 'Leave the option out for its default.';
        end if;
    end loop;
end
$function$;
comment on function graphrag._check_endpoint_options(jsonb) is 'Raises GR009 for an endpoint option that does not exist or has a value of the wrong kind.';

create function graphrag._option_in_words(rule jsonb)
    returns text
    language sql immutable parallel safe
as $function$
    select case
        when rule ? 'words' then replace(btrim((rule -> 'words')::text, '[]'), '"', '')
        when rule ? 'from'
            then format(
                'a %snumber from %s to %s', case when rule ? 'whole' then 'whole ' end, rule ->> 'from', rule ->> 'to'
            )
        else 'a JSON ' || (rule ->> 'type')
    end
$function$;
comment on function graphrag._option_in_words(jsonb) is 'What an endpoint option takes, for the DETAIL of an error.';

create function graphrag._fits_option(value jsonb, rule jsonb)
    returns boolean
    language sql immutable parallel safe
as $function$
    select case
        when jsonb_typeof(value) <> rule ->> 'type' then false
        when rule ? 'words' then rule -> 'words' @> value
        when rule ? 'whole' and (value #>> '{}')::numeric % 1 <> 0 then false
        when rule ? 'from'
            then (value #>> '{}')::numeric between (rule ->> 'from')::numeric and (rule ->> 'to')::numeric
        else true
    end
$function$;
comment on function graphrag._fits_option(jsonb, jsonb) is 'Whether an endpoint option''s value obeys its rule: type, words, bounds, whole numbers only.';

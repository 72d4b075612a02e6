create function graphrag._doctor_endpoints(realm text)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _model text;
    _width integer;
begin
    if realm is null then
        return graphrag._probe_endpoints(null, null, null);
    elsif not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    perform graphrag._check_endpoint_options(e.options) from endpoint as e; -- somebody may have written them by hand
    select r.model, r.width into _model, _width from realm as r;
    return graphrag._probe_endpoints(realm, _model, _width);
end
$function$;
comment on function graphrag._doctor_endpoints(text) is 'Findings about the endpoints of the realm, or without one of the database.';

create function graphrag._probe_endpoints(realm text, model text, width integer)
    returns jsonb
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.doctor import examine_endpoints
return examine_endpoints(plpy, realm, model, width)
$python$;
comment on function graphrag._probe_endpoints(text, text, integer) is 'Asks each endpoint a small question: findings about who answers, vector width and structured output.';

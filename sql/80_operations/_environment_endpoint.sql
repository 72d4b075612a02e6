-- Only _default_endpoint() and _call() look at the environment; the key stays with _call().
create function graphrag._environment_endpoint(role text)
    returns jsonb
    language plpython3u stable strict parallel unsafe
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.endpoints import environment_endpoint
return environment_endpoint(plpy, role)
$python$;
comment on function graphrag._environment_endpoint(text) is 'The endpoint of a role that the server''s environment variables name, without its key, or null.';

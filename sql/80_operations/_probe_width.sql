create function graphrag._probe_width(endpoint jsonb)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.embedding import probe_width
return probe_width(plpy, endpoint)
$python$;
comment on function graphrag._probe_width(jsonb) is 'How many dimensions the vectors of an embedding endpoint have, and what asking cost: {width, usage}.';

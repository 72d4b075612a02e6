create function graphrag._extract(chunks jsonb, context jsonb)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.extraction import extract
return extract(plpy, GD, chunks, context)
$python$;
comment on function graphrag._extract(jsonb, jsonb) is 'Entities and triples of each chunk, asked of the current realm''s extraction endpoint.';

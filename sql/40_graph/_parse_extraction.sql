create function graphrag._parse_extraction(extraction jsonb)
    returns jsonb
    language plpython3u immutable strict parallel unsafe cost 1000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.extraction import parse_extraction
return parse_extraction(plpy, extraction)
$python$;
comment on function graphrag._parse_extraction(jsonb) is 'An extraction that a caller brings, read as a model''s answer is.';

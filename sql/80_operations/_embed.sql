create function graphrag._embed(texts text[], realm_width integer default null)
    returns text[]
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.embedding import embed
return embed(plpy, texts or [], realm_width)
$python$;
comment on function graphrag._embed(text[], integer) is 'Vector literals of texts, in order, by the current realm''s embedding endpoint.';

create function graphrag._split(content text, budget integer default 2000, overlap integer default 200)
    returns table (no integer, start_at integer, end_at integer, body text)
    language plpython3u immutable strict parallel unsafe cost 1000 rows 20
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.splitting import split_for_sql
return split_for_sql(plpy, content, budget, overlap)
$python$;
comment on function graphrag._split(text, integer, integer) is 'Chunks of a document with their character offsets, half-open, from 0; borders survive edits elsewhere.';

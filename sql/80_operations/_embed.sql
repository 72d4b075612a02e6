-- document or question: what the vectors are for, as it is noted in the realm's usage.
create function graphrag._embed(
    texts text[],
    realm_width integer default null,
    document text default null,
    question text default null
)
    returns text[]
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.embedding import embed
return embed(plpy, texts or [], realm_width, document, question)
$python$;
comment on function graphrag._embed(text[], integer, text, text) is 'Vector literals of texts, in order, by the current realm''s embedding endpoint.';

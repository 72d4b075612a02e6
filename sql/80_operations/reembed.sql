-- It commits, so it can have no SET clause: _enter_job() pins what entry points pin, anew in each transaction.
create procedure graphrag.reembed(
    realm text default null,
    embedding_url text default null,
    embedding_model text default null,
    width integer default null,
    options jsonb default null,
    batch_size integer default 512,
    max_seconds double precision default null
)
    language plpython3u
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.reembedding import reembed
asked = {'base_url': embedding_url, 'model': embedding_model, 'options': options, 'width': width}
reembed(plpy, realm, asked, batch_size, max_seconds)
$python$;
comment on procedure graphrag.reembed(text, text, text, integer, jsonb, integer, double precision) is 'Makes a realm''s vectors anew with another model or width, beside those in use, then swaps. Goes on where an earlier call stopped.';

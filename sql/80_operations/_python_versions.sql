create function graphrag._python_versions()
    returns jsonb
    language plpython3u stable parallel unsafe cost 1000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.versions import python_versions
return python_versions()
$python$;
comment on function graphrag._python_versions() is 'Versions of the server''s Python and of the libraries beside the extension, null where one is missing.';

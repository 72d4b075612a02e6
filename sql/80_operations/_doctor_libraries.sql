create function graphrag._doctor_libraries(realm text)
    returns jsonb
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.doctor import examine_libraries
return examine_libraries(plpy)
$python$;
comment on function graphrag._doctor_libraries(text) is 'Findings about the server''s Python and the libraries beside the extension.';

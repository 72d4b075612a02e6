-- The Python package, embedded in this function. Every PL/Python wrapper calls it once a session, and again when the
-- extension has another version than the code that the session has loaded.
create function graphrag._load_python()
    returns void
    language plpython3u volatile parallel unsafe
as $python$
import types
sources = {{python_modules}}
loader = types.ModuleType('graphrag_pl.loader')
exec(compile(sources['graphrag_pl.loader'], '<graphrag @VERSION@: graphrag_pl.loader>', 'exec'), vars(loader))
loader.install(sources, '@VERSION@', '@PYTHON_LIBRARY@')
GD['graphrag'] = '@VERSION@'
$python$;
comment on function graphrag._load_python() is 'Makes the embedded Python package importable in this session.';

-- The counterpart of _call() for a procedure that waits by itself, without a snapshot. Nothing is sent yet, and what is
-- opened can be driven from Python only. It is a definer because nobody else may read the keys.
create function graphrag._open_calls(requests jsonb, concurrency integer)
    returns void
    language plpython3u volatile strict parallel unsafe cost 1000 security definer
    set search_path = pg_catalog, pg_temp
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.calling import hand_over
from graphrag_pl.endpoints import taken_caller
hand_over(plpy, taken_caller(plpy), requests, concurrency)
$python$;
comment on function graphrag._open_calls(jsonb, integer) is 'Connects to model servers for work(), which then sends the requests and waits for the answers.';

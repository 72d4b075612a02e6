-- requests: [{kind: chat | embeddings | rerank, base_url, models: [in order of preference], body (without model),
-- deadline (seconds), spent (seconds of it that are gone), limit (requests to the server at a time), realm (schema that
-- asks)}].
-- Result, in the same order: {ok: true, model, body, input_tokens, output_tokens, latency_ms, attempts, spent} or {ok:
-- false, code, message, detail, hint, status, model, of_server, latency_ms, attempts, spent}.
-- A definer, because nobody else may read the keys; so it decides itself who may use which (graphrag._location), by the
-- role for which the package says that it calls. Called from SQL it refuses: there nobody can say so.
create function graphrag._call(requests jsonb, concurrency integer default 4)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000 security definer
    set search_path = pg_catalog, pg_temp
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.calling import call_endpoints
from graphrag_pl.endpoints import taken_caller
return call_endpoints(plpy, taken_caller(plpy), requests, concurrency)
$python$;
comment on function graphrag._call(jsonb, integer) is 'Answers of model servers to requests, in order; the only function that uses the network and the keys.';

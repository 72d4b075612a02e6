-- edges: pairs of vertex numbers as int8send() writes them; weights: float8send()'s. membership: the cluster of each
-- vertex, -1 for one without edges. note: why the algorithm used is not the one asked for. seconds and peak_kib are the
-- native call's alone.
create function graphrag._cluster(
    vertices integer,
    edges bytea,
    weights bytea,
    algorithm text,
    resolution double precision,
    out used text,
    out membership integer[],
    out seconds double precision,
    out peak_kib bigint,
    out note text
)
    returns record
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.clustering import cluster
found = cluster(plpy, vertices, edges or b'', weights or b'', algorithm, resolution)
return found.algorithm, list(found.membership), found.seconds, found.peak_kib, found.note
$python$;
comment on function graphrag._cluster(integer, bytea, bytea, text, double precision) is 'The clusters of a graph, the same for the same edges in the same order.';

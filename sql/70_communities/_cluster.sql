-- ends: two nodes an edge; weights: in tenths, both as int8send() writes them. membership: the cluster of each node, -1
-- for one without edges. note: why the algorithm used is not the one asked for. seconds and peak_kib are the native
-- call's alone.
create function graphrag._cluster(
    nodes bigint[],
    ends bytea,
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
found = cluster(plpy, nodes, ends or b'', weights or b'', algorithm, resolution)
return found.algorithm, list(found.membership), found.seconds, found.peak_kib, found.note
$python$;
comment on function graphrag._cluster(bigint[], bytea, bytea, text, double precision) is 'The clusters of a graph, the same for the same nodes in the same order.';

create function graphrag._cluster_space(
    space integer,
    revision bigint,
    algorithm text,
    resolution double precision,
    out entities bigint[],
    out relations bigint,
    out used text,
    out membership integer[],
    out note text
)
    returns record
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.clustering import cluster_space
graph, found = cluster_space(plpy, space, revision, algorithm, resolution)
return graph['entities'], graph['relations'], found.algorithm, list(found.membership), found.note
$python$;
comment on function graphrag._cluster_space(integer, bigint, text, double precision) is 'The graph of a space at a revision, and its clusters.';

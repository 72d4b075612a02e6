"""The program of the child process that clusters a graph: native libraries hold the interpreter, and only a process
can be killed while they do. Of a small graph `clustering` calls partition() itself.

It imports nothing of this package: `clustering` sends its source to an interpreter of its own. Standard input is one
JSON line, then the edges (pairs of 64-bit vertex numbers) and the weights (64-bit floats), both in network order, as
PostgreSQL's int8send() and float8send() write them. Standard output is one JSON line and the clusters of the vertices
(32-bit, in the machine's order).
"""

from __future__ import annotations

import ctypes
import json
import random
import signal
import sys
import time
from array import array
from pathlib import Path
from typing import Any, BinaryIO

#: Exit status where a native library is not there or does not load.
NO_LIBRARY = 3
SEED = 20240229
ITERATIONS = 2
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
#: Quality functions of leidenalg by the name of the algorithm; surprise has no resolution.
QUALITIES = {
    "leidenalg": "RBConfigurationVertexPartition",
    "leidenalg:rber": "RBERVertexPartition",
    "leidenalg:cpm": "CPMVertexPartition",
    "leidenalg:surprise": "SurpriseVertexPartition",
}


def partition(
    algorithm: str, vertices: int, edges: array[int], weights: array[float], resolution: float
) -> tuple[list[int], float]:
    """The cluster of each vertex, -1 for one without edges, and the seconds that the algorithm took."""
    import igraph

    count = len(edges) // 2
    pairs = memoryview(edges).cast("B").cast("q", shape=[count, 2]) if count else []
    whole = igraph.Graph(n=vertices, edges=pairs)
    tied = [vertex for vertex, degree in enumerate(whole.degree()) if degree]
    graph = whole if len(tied) == vertices else whole.induced_subgraph(tied)
    begun = time.monotonic()
    if algorithm == "leiden":
        igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311  one of its own: no secret is drawn
        found = graph.community_leiden(
            objective_function="modularity", weights=weights, resolution=resolution, n_iterations=ITERATIONS
        )
    else:
        import leidenalg

        more = {} if algorithm == "leidenalg:surprise" else {"resolution_parameter": resolution}
        found = leidenalg.find_partition(
            graph,
            getattr(leidenalg, QUALITIES[algorithm]),
            weights=weights.tolist(),
            n_iterations=ITERATIONS,
            seed=SEED,
            **more,
        )
    seconds = time.monotonic() - begun
    membership = [-1] * vertices
    for vertex, cluster in zip(tied, found.membership, strict=True):
        membership[vertex] = cluster
    return membership, seconds


def numbers(code: str, data: bytes) -> array[Any]:
    """An array of 64-bit numbers that are in network order."""
    found = array(code, data)
    if sys.byteorder == "little":
        found.byteswap()
    return found


def peak_kib() -> int:
    """The most memory that this process had. Not ru_maxrss, which begins with what the parent had."""
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    task = json.loads(source.readline())
    if task["library"]:
        sys.path.insert(0, task["library"])
    edges = numbers("q", source.read(16 * task["edges"]))
    weights = numbers("d", source.read(8 * task["edges"]))
    try:
        membership, seconds = partition(
            task["algorithm"], task["vertices"], edges, weights, task["resolution"]
        )
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NO_LIBRARY)
    sink.write(json.dumps({"seconds": seconds, "peak_kib": peak_kib()}).encode() + b"\n")
    sink.write(array("i", membership).tobytes())


if __name__ == "__main__":
    # A backend that is killed leaves nothing running.
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    serve(sys.stdin.buffer, sys.stdout.buffer)

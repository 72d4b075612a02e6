"""The program of the child process that clusters a graph: native libraries hold the interpreter, and only a process
can be killed while they do. Of a small graph `clustering` calls partition() itself.

It imports nothing of this package: `clustering` sends its source to an interpreter of its own. Arguments are the
directory of the native libraries, the number of an open file, which is read once standard input has ended, and the
process number of the backend. The file is one JSON line, then nodes, edges (pairs of nodes) and weights (tenths), all
of them 64-bit integers in network order, as PostgreSQL's int8send() writes them. Standard output is one JSON line and
the clusters of the nodes (32-bit, in the machine's order).
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

#: Exit status where a native library is not there or does not load.
NO_LIBRARY = 3
SEED = 20240229
ITERATIONS = 2
#: Weights are sums of tenths, which are exact.
TENTHS = 10
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
#: Quality functions of leidenalg by the name of the algorithm; surprise has no resolution.
QUALITIES = {
    "leidenalg": "RBConfigurationVertexPartition",
    "leidenalg:rber": "RBERVertexPartition",
    "leidenalg:cpm": "CPMVertexPartition",
    "leidenalg:surprise": "SurpriseVertexPartition",
}


def partition(
    algorithm: str, nodes: Sequence[int], ends: array[int], weights: array[int], resolution: float
) -> tuple[list[int], float]:
    """The cluster of each node, -1 for one without edges, and the seconds that the algorithm took. Several edges of
    two nodes are one, in an order that depends on the nodes' only."""
    import igraph

    placed = map(places(nodes).__getitem__, ends)
    # A list of pairs: igraph takes twice as long over a buffer of numbers.
    whole = igraph.Graph(n=len(nodes), edges=list(zip(placed, placed, strict=True)))
    whole.es["weight"] = weights.tolist()
    whole.simplify(combine_edges="sum")
    tied = [vertex for vertex, degree in enumerate(whole.degree()) if degree]
    graph = whole if len(tied) == len(nodes) else whole.induced_subgraph(tied)
    weighed = [weight / TENTHS for weight in graph.es["weight"]]
    begun = time.monotonic()
    if algorithm == "leiden":
        igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311  one of its own: no secret is drawn
        found = graph.community_leiden(
            objective_function="modularity", weights=weighed, resolution=resolution, n_iterations=ITERATIONS
        )
    else:
        import leidenalg

        more = {} if algorithm == "leidenalg:surprise" else {"resolution_parameter": resolution}
        found = leidenalg.find_partition(
            graph,
            getattr(leidenalg, QUALITIES[algorithm]),
            weights=weighed,
            n_iterations=ITERATIONS,
            seed=SEED,
            **more,
        )
    seconds = time.monotonic() - begun
    membership = [-1] * len(nodes)
    for vertex, cluster in zip(tied, found.membership, strict=True):
        membership[vertex] = cluster
    return membership, seconds


def places(nodes: Sequence[int]) -> dict[int, int]:
    return {node: place for place, node in enumerate(nodes)}


def numbers(data: bytes) -> array[int]:
    """64-bit numbers that are in network order."""
    found = array("q", data)
    if sys.byteorder == "little":
        found.byteswap()
    return found


def peak_kib() -> int:
    """The most memory that this process had. Not ru_maxrss, which begins with what the parent had."""
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def serve(library: str, file: int, sink: BinaryIO) -> None:
    if library:
        sys.path.insert(0, library)
    try:
        import igraph  # noqa: F401  while the graph is still being read

        sys.stdin.read()
        with open(file, "rb") as source:
            task = json.loads(source.readline())
            nodes, ends, weights = (numbers(source.read(8 * count)) for count in task["counts"])
        membership, seconds = partition(task["algorithm"], nodes, ends, weights, task["resolution"])
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NO_LIBRARY)
    sink.write(json.dumps({"seconds": seconds, "peak_kib": peak_kib()}).encode() + b"\n")
    sink.write(array("i", membership).tobytes())


if __name__ == "__main__":
    # A backend that is killed leaves nothing running, nor one that was killed before this.
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() == int(sys.argv[3]):
        serve(sys.argv[1], int(sys.argv[2]), sys.stdout.buffer)

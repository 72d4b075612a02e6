"""The graph into clusters: Leiden in a child process that a cancelled statement kills, in the backend where the graph
is so small that nobody would wait for a cancel; label propagation where the native libraries are missing."""

from __future__ import annotations

import json
import linecache
import os
import struct
import subprocess
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from graphrag_pl import cluster_worker, errors, loader
from graphrag_pl.cluster_worker import NO_LIBRARY, QUALITIES, numbers, places
from graphrag_pl.database import Breathe, Database, breathing, look, rows, scalar

ALGORITHMS = ("leiden", *QUALITIES)
LABELS = "label_propagation"
#: Seconds between two looks at whether the statement was cancelled.
_TICK = 0.1
#: Edges up to which Leiden runs in the backend, which cannot be cancelled in a native call. Of ten shapes of graphs the
#: worst took 0.07 s of processor time with so many edges, and 0.7 s with 50,000; starting a process takes longer.
SMALL = 10_000
#: Sweeps of label propagation; it mostly settles in fewer than ten.
_SWEEPS = 50
_MASK = (1 << 64) - 1


@dataclass
class Clustering:
    """`membership` has one cluster number a vertex, -1 for one without edges; `note` says why the algorithm is
    not the one that was asked for."""

    algorithm: str
    membership: Sequence[int]
    seconds: float | None = None  # of the native call alone
    peak_kib: int | None = None  # memory of the child process, if there was one
    note: str | None = None


class Task(NamedTuple):
    """A graph and what is wanted of it: `ends` has two nodes an edge, `weights` its weight in tenths, both as
    int8send() writes them. Two nodes may have several edges."""

    nodes: Sequence[int]
    ends: bytes
    weights: bytes
    algorithm: str
    resolution: float


@dataclass
class _MissingError(Exception):
    """The native libraries cannot be used."""

    why: str


@errors.relaying
def cluster_space(
    plpy: Database, space: int, revision: int, algorithm: str, resolution: float
) -> tuple[dict[str, Any], Clustering]:
    """`graphrag._cluster_space`: the row of `graphrag._cluster_graph` and its clusters. A process that will have much
    to do is started before the graph is read, and imports its libraries meanwhile. Raises as `cluster` does."""
    _check(plpy, algorithm)
    with ExitStack() as stack:
        worker = None
        if _goes_to_worker(algorithm, _relations(plpy, space)):
            with suppress(_MissingError):  # who needs it will find that out
                worker = stack.enter_context(_worker())
        graph = rows(
            plpy,
            "select g.entities, g.ends, g.weights, g.relations from graphrag._cluster_graph($1, $2) as g",
            space=("integer", space),
            revision=("bigint", revision),
        )[0]
        task = Task(graph["entities"], graph["ends"] or b"", graph["weights"] or b"", algorithm, resolution)
        return graph, _cluster(plpy, task, worker)


@errors.relaying
def cluster(
    plpy: Database, nodes: Sequence[int], ends: bytes, weights: bytes, algorithm: str, resolution: float
) -> Clustering:
    """`graphrag._cluster`: `ends` and `weights` as in `Task`.

    The same nodes in the same order with the same edges in any have the same clusters, on any machine. Raises GR009
    for an unknown algorithm, GR203 if the child process fails.
    """
    _check(plpy, algorithm)
    return _cluster(plpy, Task(nodes, ends, weights, algorithm, resolution))


def _check(plpy: Database, algorithm: str) -> None:
    if algorithm not in (*ALGORITHMS, LABELS):
        raise errors.sql_error(
            plpy,
            errors.INVALID_ARGUMENT,
            f'there is no algorithm "{algorithm}"',
            "leiden maximises modularity; leidenalg offers other quality functions and takes longer.",
            f"Known: {', '.join(ALGORITHMS)}.",
        )


def _relations(plpy: Database, space: int) -> int:
    """About how many there are in a space, counted no further than it matters."""
    query = (
        "select count(*) from (select from relation_version as v"
        " where v.space = $1 and v.status = 'current' and v.died is null limit $2) as v"
    )
    return int(scalar(plpy, query, space=("integer", space), most=("integer", SMALL + 1)))


def _goes_to_worker(algorithm: str, edges: int) -> bool:
    return algorithm in QUALITIES or (algorithm == "leiden" and edges > SMALL)


def _cluster(plpy: Database, task: Task, worker: Worker | None = None) -> Clustering:
    """By the given worker, if it takes one, or one of its own."""
    if not task.ends:
        return Clustering(task.algorithm, [-1] * len(task.nodes))
    note = None
    if task.algorithm != LABELS:
        try:
            if not _goes_to_worker(task.algorithm, len(task.weights) // 8):
                return _here(plpy, task)
            if worker:
                return _there(plpy, task, worker)
            with _worker() as own:
                return _there(plpy, task, own)
        except _MissingError as missing:
            note = missing.why
    labels = propagate(task, breathing(plpy))
    return Clustering(LABELS, labels, note=note)


# ---------------------------------------------------------------- in the backend
def _here(plpy: Database, task: Task) -> Clustering:
    """What the child would find: it runs the same function."""
    look(plpy)  # a cancel that came before the native call
    try:
        membership, seconds = cluster_worker.partition(
            "leiden", task.nodes, numbers(task.ends), numbers(task.weights), task.resolution
        )
    except ImportError as error:
        raise _MissingError(str(error)) from error
    look(plpy)
    return Clustering("leiden", membership, seconds)


# ---------------------------------------------------------------- the child process
@dataclass(frozen=True)
class Worker:
    """A process that waits for the end of its standard input, and then reads a task from a file that is on no disk.
    A pipe would have to be filled while the child is waited for, and communicate() cannot do that in several turns."""

    child: subprocess.Popen[bytes]
    file: BinaryIO


@contextmanager
def _worker() -> Iterator[Worker]:
    """It is killed when the statement is cancelled, or does not need it after all."""
    python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    library = loader.library_directory() or next((p for p in sys.path if "site-packages" in p), "")
    with os.fdopen(os.memfd_create("graphrag"), "r+b", buffering=0) as file:
        try:
            started = subprocess.Popen(
                [python, "-I", "-c", _source(), library, str(file.fileno()), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[file.fileno()],
                cwd="/",
                env={},  # the server's has secrets
                start_new_session=True,  # a cancel is sent to the backend's whole process group
            )
        except OSError as error:
            raise _MissingError(f"{python} cannot be started: {error}") from error
        with started as child:
            try:
                yield Worker(child, file)
            finally:
                child.kill()


def _there(plpy: Database, task: Task, worker: Worker) -> Clustering:
    status, output, complaint = _run(plpy, task, worker)
    if status == NO_LIBRARY:
        raise _MissingError(complaint)
    if status != 0:
        raise errors.sql_error(
            plpy,
            errors.CLUSTERING_FAILED,
            f"the process that clusters the graph ended with status {status}",
            complaint or "It said nothing; the system may have been short of memory.",
            "Nothing was changed: the communities are those of before.",
        )
    head, _, body = output.partition(b"\n")
    said = json.loads(head)
    return Clustering(task.algorithm, array("i", body), said["seconds"], said["peak_kib"])


def _run(plpy: Database, task: Task, worker: Worker) -> tuple[int, bytes, str]:
    """(exit status, output, last line of complaint) of the worker."""
    head = {
        "counts": [len(task.nodes), len(task.ends) // 8, len(task.weights) // 8],
        "algorithm": task.algorithm,
        "resolution": task.resolution,
    }
    nodes = struct.pack(f">{len(task.nodes)}q", *task.nodes)
    worker.file.write(b"".join([json.dumps(head).encode(), b"\n", nodes, task.ends, task.weights]))
    worker.file.seek(0)  # of the worker too: it is one open file
    while True:
        look(plpy)
        with suppress(subprocess.TimeoutExpired):
            output, complaint = worker.child.communicate(timeout=_TICK)
            break
    lines = complaint.decode(errors="replace").strip().splitlines()
    return worker.child.returncode, output, lines[-1] if lines else ""


def _source() -> str:
    """The worker's program: from the extension script in a server, else from its file."""
    return "".join(linecache.getlines(cluster_worker.__file__))


# ---------------------------------------------------------------- label propagation
def propagate(task: Task, breathe: Breathe) -> list[int]:
    """Each node takes the label that weighs most around it, one node after another, until none changes. The order,
    and which label wins a tie, are mixed by a fixed rule: were it the least label, that one would flood the graph."""
    vertices, place = len(task.nodes), places(task.nodes)
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(vertices)]
    ends = map(place.__getitem__, numbers(task.ends))
    for a, b, weight in zip(ends, ends, numbers(task.weights), strict=True):
        breathe()
        neighbours[a].append((b, weight))
        neighbours[b].append((a, weight))
    labels = list(range(vertices))
    order = sorted(range(vertices), key=lambda vertex: _mixed(vertex, vertices))
    for _ in range(_SWEEPS):
        if not sum(_adopt(vertex, neighbours[vertex], labels, breathe) for vertex in order):
            break
    return [label if near else -1 for label, near in zip(labels, neighbours, strict=True)]


def _mixed(a: int, b: int) -> int:
    """A number that two numbers decide, and that follows neither; different for different `a`."""
    mixed = (a + 1) * 0x9E3779B97F4A7C15 & _MASK
    mixed ^= (mixed >> 29) ^ ((b + 1) * 0xD1342543DE82EF95 & _MASK)
    return mixed * 0xBF58476D1CE4E5B9 & _MASK


def _adopt(vertex: int, near: list[tuple[int, int]], labels: list[int], breathe: Breathe) -> bool:
    """Whether the vertex changed its label."""
    breathe()
    if not near:
        return False
    around: dict[int, int] = {}
    for other, weight in near:
        around[labels[other]] = around.get(labels[other], 0) + weight
    best = min(around, key=lambda label: (-around[label], label != labels[vertex], _mixed(label, vertex)))
    changed = best != labels[vertex]
    labels[vertex] = best
    return changed

"""The graph into clusters: Leiden in a child process that a cancelled statement kills, in the backend where the graph
is so small that nobody would wait for a cancel; label propagation where the native libraries are missing."""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from graphrag_pl import cluster_worker, errors, loader
from graphrag_pl.cluster_worker import NO_LIBRARY, QUALITIES, numbers
from graphrag_pl.database import Breathe, Database, breathing, look

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


@dataclass
class _MissingError(Exception):
    """The native libraries cannot be used."""

    why: str


@errors.relaying
def cluster(
    plpy: Database, vertices: int, edges: bytes, weights: bytes, algorithm: str, resolution: float
) -> Clustering:
    """`graphrag._cluster`: `edges` are pairs of vertex numbers as int8send() writes them, `weights` float8send()'s.

    The same edges in the same order give the same clusters, on any machine. Raises GR009 for an unknown algorithm,
    GR203 if the child process fails.
    """
    if algorithm not in (*ALGORITHMS, LABELS):
        raise errors.sql_error(
            plpy,
            errors.INVALID_ARGUMENT,
            f'there is no algorithm "{algorithm}"',
            "leiden maximises modularity; leidenalg offers other quality functions and takes longer.",
            f"Known: {', '.join(ALGORITHMS)}.",
        )
    if not edges:
        return Clustering(algorithm, [-1] * vertices)
    breathe = breathing(plpy)
    if algorithm == LABELS:
        return Clustering(LABELS, propagate(vertices, edges, weights, breathe))
    try:
        if algorithm == "leiden" and len(weights) // 8 <= SMALL:
            return _here(plpy, vertices, edges, weights, resolution)
        return _native(plpy, vertices, edges, weights, algorithm, resolution)
    except _MissingError as missing:
        return Clustering(LABELS, propagate(vertices, edges, weights, breathe), note=missing.why)


# ---------------------------------------------------------------- in the backend
def _here(plpy: Database, vertices: int, edges: bytes, weights: bytes, resolution: float) -> Clustering:
    """What the child would find: it runs the same function."""
    look(plpy)  # a cancel that came before the native call
    try:
        membership, seconds = cluster_worker.partition(
            "leiden", vertices, numbers("q", edges), numbers("d", weights), resolution
        )
    except ImportError as error:
        raise _MissingError(str(error)) from error
    look(plpy)
    return Clustering("leiden", membership, seconds)


# ---------------------------------------------------------------- the child process
def _native(
    plpy: Database, vertices: int, edges: bytes, weights: bytes, algorithm: str, resolution: float
) -> Clustering:
    task = {
        "library": loader.library_directory() or next((p for p in sys.path if "site-packages" in p), ""),
        "vertices": vertices,
        "edges": len(weights) // 8,
        "algorithm": algorithm,
        "resolution": resolution,
    }
    status, output, complaint = _run(plpy, json.dumps(task).encode() + b"\n" + edges + weights)
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
    return Clustering(algorithm, array("i", body), said["seconds"], said["peak_kib"])


def _run(plpy: Database, message: bytes) -> tuple[int, bytes, str]:
    """(exit status, output, last line of complaint) of the worker, which is killed when the statement is cancelled."""
    python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    with _in_memory(message) as source:
        try:
            started = subprocess.Popen(
                [python, "-I", "-c", _source()],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                env={},  # the server's has secrets
                start_new_session=True,  # a cancel is sent to the backend's whole process group
            )
        except OSError as error:
            raise _MissingError(f"{python} cannot be started: {error}") from error
    with started as child:
        try:
            while True:
                look(plpy)
                with suppress(subprocess.TimeoutExpired):
                    output, complaint = child.communicate(timeout=_TICK)
                    break
        finally:
            child.kill()
    lines = complaint.decode(errors="replace").strip().splitlines()
    return child.returncode, output, lines[-1] if lines else ""


def _in_memory(message: bytes) -> BinaryIO:
    """A file of the message that is on no disk. A pipe would have to be filled while the child is waited for, and
    communicate() cannot do that in several turns."""
    file = os.fdopen(os.memfd_create("graphrag"), "r+b", buffering=0)
    file.write(message)
    file.seek(0)
    return file


def _source() -> str:
    """The worker's program: from the extension script in a server, else from its file."""
    return "".join(linecache.getlines(cluster_worker.__file__))


# ---------------------------------------------------------------- label propagation
def propagate(vertices: int, edges: bytes, weights: bytes, breathe: Breathe) -> list[int]:
    """Each vertex takes the label that weighs most around it, one vertex after another, until none changes. The order,
    and which label wins a tie, are mixed by a fixed rule: were it the least label, that one would flood the graph."""
    neighbours: list[list[tuple[int, float]]] = [[] for _ in range(vertices)]
    ends = numbers("q", edges)
    for place, weight in enumerate(numbers("d", weights)):
        breathe()
        a, b = ends[2 * place], ends[2 * place + 1]
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


def _adopt(vertex: int, near: list[tuple[int, float]], labels: list[int], breathe: Breathe) -> bool:
    """Whether the vertex changed its label."""
    breathe()
    if not near:
        return False
    around: dict[int, float] = {}
    for other, weight in near:
        around[labels[other]] = around.get(labels[other], 0.0) + weight
    best = min(around, key=lambda label: (-around[label], label != labels[vertex], _mixed(label, vertex)))
    changed = best != labels[vertex]
    labels[vertex] = best
    return changed

"""Clusters of small graphs: in place, by the child process, by label propagation, and what happens when one cannot."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

import pytest

from graphrag_pl import cluster_worker, clustering, loader
from graphrag_pl.clustering import Clustering, cluster
from tests.python.fakes import FakePlpy, SqlError

Edge = tuple[int, int]


def cliques(count: int, size: int) -> list[Edge]:
    """Cliques in a ring, each tied to the next by one edge."""
    edges = []
    for number in range(count):
        first = number * size
        edges += [(first + a, first + b) for a in range(size) for b in range(a + 1, size)]
        edges.append((first, (first + size) % (count * size)))
    return sorted((min(e), max(e)) for e in edges)


def run(
    edges: Sequence[Edge],
    algorithm: str = "leiden",
    weights: Iterable[float] | None = None,
    plpy: FakePlpy | None = None,
    resolution: float = 1.0,
) -> Clustering:
    vertices = max((max(edge) for edge in edges), default=-1) + 1
    packed = b"".join(struct.pack(">qq", *edge) for edge in edges)
    weighed = b"".join(struct.pack(">q", round(10 * weight)) for weight in weights or [1.0] * len(edges))
    return cluster(plpy or FakePlpy(), range(vertices), packed, weighed, algorithm, resolution)


def groups(found: Clustering) -> set[frozenset[int]]:
    clusters: dict[int, set[int]] = {}
    for vertex, number in enumerate(found.membership):
        clusters.setdefault(number, set()).add(vertex)
    return {frozenset(members) for members in clusters.values()}


EXPECTED = {frozenset(range(first, first + 5)) for first in range(0, 40, 5)}


@pytest.mark.parametrize("algorithm", ["leiden", "leidenalg", "leidenalg:rber", clustering.LABELS])
def test_cliques_are_found(algorithm: str) -> None:
    found = run(cliques(8, 5), algorithm)
    assert groups(found) == EXPECTED
    assert found.algorithm == algorithm
    assert found.note is None


@pytest.mark.parametrize("algorithm", ["leiden", "leidenalg", clustering.LABELS])
def test_the_same_graph_has_the_same_clusters(algorithm: str) -> None:
    chance = random.Random(5)
    edges = sorted({(a, b) for a, b in (sorted(chance.sample(range(300), 2)) for _ in range(1500))})
    first = run(edges, algorithm)
    assert list(run(edges, algorithm).membership) == list(first.membership)


def by_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child process for every graph, however small."""
    monkeypatch.setattr(clustering, "SMALL", -1)


@pytest.mark.parametrize(("vertices", "count"), [(3, 2), (60, 150), (400, 1200), (2500, 9000)])
def test_the_backend_finds_what_the_child_finds(
    monkeypatch: pytest.MonkeyPatch, vertices: int, count: int
) -> None:
    """The process's own random numbers are neither used nor moved."""
    chance = random.Random(count)
    edges = sorted({(a, b) for a, b in (sorted(chance.sample(range(vertices), 2)) for _ in range(count))})
    weights = [chance.choice([0.3, 1.0, 2.0, 40.0]) for _ in edges]
    random.seed(count)
    before = random.getstate()
    here = run(edges, weights=weights, resolution=1.3)
    assert random.getstate() == before
    assert here.peak_kib is None
    by_child(monkeypatch)
    there = run(edges, weights=weights, resolution=1.3)
    assert there.peak_kib is not None
    assert list(here.membership) == list(there.membership)


def test_a_larger_graph_goes_to_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = cliques(8, 5)
    monkeypatch.setattr(clustering, "SMALL", len(edges))
    assert run(edges).peak_kib is None
    monkeypatch.setattr(clustering, "SMALL", len(edges) - 1)
    assert run(edges).peak_kib is not None


def test_a_cancel_before_a_small_graph_is_seen() -> None:
    def tick() -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        run([(0, 1)], plpy=FakePlpy(on_tick=tick))


@pytest.mark.parametrize("algorithm", ["leiden", "leidenalg:cpm", clustering.LABELS])
def test_neither_ids_nor_the_order_of_edges_nor_their_pieces_decide(algorithm: str) -> None:
    """The same graph under other ids, its edges in another order, turned round and cut into parts of their weight."""
    chance = random.Random(3)
    edges = sorted({(a, b) for a, b in (sorted(chance.sample(range(60), 2)) for _ in range(200))})
    weights = [chance.randrange(2, 9) for _ in edges]
    parts = [(a, b, part) for (a, b), weight in zip(edges, weights, strict=True) for part in (1, weight - 1)]
    chance.shuffle(parts)
    ids = chance.sample(range(2**40), 60)
    found = cluster(
        FakePlpy(),
        ids,
        b"".join(struct.pack(">qq", ids[b], ids[a]) for a, b, _ in parts),
        b"".join(struct.pack(">q", 10 * part) for _, _, part in parts),
        algorithm,
        1.0,
    )
    assert list(found.membership) == list(run(edges, algorithm, weights).membership)


def test_weights_decide() -> None:
    square = [(0, 1), (0, 3), (1, 2), (2, 3)]
    assert groups(run(square, weights=[9, 1, 1, 9])) == {frozenset({0, 1}), frozenset({2, 3})}
    assert groups(run(square, weights=[1, 9, 9, 1])) == {frozenset({0, 3}), frozenset({1, 2})}


def test_a_finer_resolution_finds_more() -> None:
    chance = random.Random(7)
    edges = sorted({(a, b) for a, b in (sorted(chance.sample(range(200), 2)) for _ in range(900))})
    assert len(groups(run(edges, resolution=3.0))) > len(groups(run(edges, resolution=0.5)))


@pytest.mark.parametrize("algorithm", ["leiden", "leidenalg", clustering.LABELS])
def test_what_has_no_edges_has_no_cluster(algorithm: str) -> None:
    """And it changes nothing for the others."""
    alone = [(a + 3, b + 3 + (b >= 5)) for a, b in cliques(8, 5) if a < 5 <= b or b < 5]
    found = run(alone, algorithm).membership
    assert [found[vertex] for vertex in (0, 1, 2)] == [-1, -1, -1]
    assert -1 not in {found[vertex] for edge in alone for vertex in edge}


def test_no_edges_is_no_failure() -> None:
    assert list(run([]).membership) == []


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(SqlError) as caught:
        run([(0, 1)], "louvain")
    assert caught.value.sqlstate == "GR009"


@pytest.mark.parametrize("place", ["backend", "child"])
def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    if place == "backend":
        monkeypatch.setitem(sys.modules, "igraph", None)
    else:
        by_child(monkeypatch)
        monkeypatch.setattr(loader, "_library", "/nonexistent")
    found = run(cliques(8, 5))
    assert found.algorithm == clustering.LABELS
    assert "igraph" in (found.note or "")
    assert groups(found) == EXPECTED


def test_a_child_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    by_child(monkeypatch)
    monkeypatch.setattr(clustering, "_source", lambda: "import sys; sys.exit('out of memory')")
    with pytest.raises(SqlError) as caught:
        run([(0, 1)])
    assert caught.value.sqlstate == "GR203"
    assert caught.value.detail == "out of memory"


def test_a_child_whose_backend_is_gone_does_nothing() -> None:
    """It may have died before the child asked to die with it; then somebody else is the parent."""
    gone = subprocess.run(
        [sys.executable, "-I", cluster_worker.__file__, "", "0", "1"],
        input=b"",
        capture_output=True,
        timeout=20,
        check=True,
    )
    assert gone.stdout == b""


class CancelledError(Exception):
    pass


def test_a_cancel_kills_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is cancelled at the third look; the child would go on for a minute."""
    by_child(monkeypatch)
    monkeypatch.setattr(clustering, "_source", lambda: "import time; time.sleep(60)")
    looks = iter(range(100))

    def tick() -> None:
        if next(looks) == 2:
            raise CancelledError

    begun = time.monotonic()
    with pytest.raises(CancelledError):
        run([(0, 1)], plpy=FakePlpy(on_tick=tick))
    assert time.monotonic() - begun < 2

"""P10 and P4 for communities: the same graph has the same, levels are nested, and reads of then find those of then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.test_graph import Spaces
from tests.support.calls import rows
from tests.support.circles import Fact, build, circles, fact, make_realm, on, say
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint, plain_report

REALM = "circles"
NAMES = tuple(f"Name {letter}" for letter in "ABCDEFGHIJKLMNOP")
QUESTION = "What do Name A, Name B and Name G do?"
LEVELS = 4


@pytest.fixture(scope="module")
def society(module_database: Database) -> Iterator[Connection]:
    """A realm whose reports are scripted, in which pairs are communities already."""
    with Endpoint() as endpoint, module_database.connect() as conn:
        rows(conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
        make_realm(conn, endpoint, REALM)
        endpoint.on_report = lambda text: plain_report(text) | {"rating": len(text) % 11}
        on(conn, "community_min_size", 2)
        on(conn, "telemetry", True)
        yield conn


@st.composite
def papers(draw: st.DrawFn) -> list[list[Fact]]:
    """What some documents say about who knows whom."""
    edges = draw(
        st.lists(
            st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans()).filter(
                lambda e: e[0] != e[1]
            ),
            min_size=1,
            max_size=40,
            unique_by=lambda e: frozenset(e[:2]),
        )
    )
    cut = draw(st.integers(1, 4))
    return [
        [fact(a, "knows", b, negated=negated) for a, b, negated in edges[start::cut]]
        for start in range(cut)
        if edges[start::cut]
    ]


def index(conn: Connection, space: str, documents: list[list[Fact]], order: list[int]) -> None:
    for number in order:
        say(conn, documents[number], f"doc {number}", ordinal=number, space=space)


def forest(conn: Connection, space: str) -> list[set[frozenset[str]]]:
    return [circles(conn, level, space, REALM) for level in range(LEVELS)]


@given(documents=papers(), data=st.data())
def test_the_same_graph_has_the_same_communities(
    society: Connection, new_space: Spaces, documents: list[list[Fact]], data: st.DataObject
) -> None:
    """In whatever order it was told, and with whatever ids."""
    first, second = new_space(), new_space()
    places = list(range(len(documents)))
    index(society, first, documents, places)
    index(society, second, documents, data.draw(st.permutations(places)))
    for space in (first, second):
        assert build(society, levels=LEVELS, space=space)["failed"] == 0
    assert forest(society, first) == forest(society, second)
    check_nesting(society, first)


def check_nesting(conn: Connection, space: str) -> None:
    tree = rows(conn, "community_tree", space=space)
    members = {
        community["community"]: frozenset(
            row["entity"]
            for row in sql(
                conn,
                f"select m.entity from {REALM}.community_version as v join {REALM}.member as m on m.report = v.report"
                " where v.died is null and v.community = %s",
                [community["community"]],
            )
        )
        for community in tree
    }
    assert (
        len(members)
        == len(tree)
        == value(
            conn,
            f"select count(*) from {REALM}.community as c join {REALM}.community_version as v on v.community = c.id"
            f" join {REALM}.space as s on s.id = c.space where v.died is null and s.name = %s",
            [space],
        )
    )
    shown = set()
    for community in tree:
        id_, parent = community["community"], community["parent"]
        assert parent is None or parent in shown  # parents come first
        shown.add(id_)
        assert community["size"] == len(members[id_])
        children = [c for c in tree if c["parent"] == id_]
        if community["level"] == 0:
            assert children == []
        else:
            assert len(children) > 1
            assert frozenset().union(*(members[c["community"]] for c in children)) == members[id_]
            assert sum(c["size"] for c in children) == community["size"]
            assert max(c["rating"] for c in children) == community["rating"]
            assert all(c["level"] < community["level"] for c in children)


@dataclass(frozen=True)
class Move:
    what: str
    number: int


MOVES = st.lists(
    st.builds(
        Move, st.sampled_from(["index", "delete", "build", "build", "retain", "restore"]), st.integers(0, 3)
    ),
    min_size=2,
    max_size=8,
)


@given(documents=papers(), moves=MOVES)
def test_the_past_answers_with_the_reports_of_then(
    society: Connection, new_space: Spaces, documents: list[list[Fact]], moves: list[Move]
) -> None:
    space = new_space()
    live: set[int] = set()
    seen: dict[int, list[Row]] = {}
    for move in [Move("index", 0), *moves]:
        take(society, space, documents, live, move)
        revision = value(society, f"select revision from {REALM}.space where name = %s", [space])
        found = evidence(society, space)
        assert seen.setdefault(revision, found) == found
        assert value(society, "select graphrag.derive(space => %s)", [space]) == 0
    for revision, found in seen.items():
        assert evidence(society, space, str(revision)) == found


def take(conn: Connection, space: str, documents: list[list[Fact]], live: set[int], move: Move) -> None:
    number = move.number % len(documents)
    match move.what:
        case "index":
            index(conn, space, documents, [number])
            live.add(number)
        case "delete" if number in live:
            rows(conn, "delete_document", f"doc {number}", space=space)
            live.discard(number)
        case "build":
            build(conn, levels=1 + move.number % 2, space=space)
        case "retain":
            on(conn, "retention_threshold", 0.6)
            rows(conn, "apply_retention", dry_run=False, space=space)
        case "restore":
            rows(conn, "restore_archived", space=space)


def evidence(conn: Connection, space: str, as_believed_at: str | None = None) -> list[Row]:
    return [
        row
        for mode in ("global", "hybrid")
        for row in rows(conn, "retrieve", QUESTION, mode, top_k=2, as_believed_at=as_believed_at, space=space)
    ]

"""What `timeline` tells of the facts it lists: stated bounds and documents, in one order, in the past too."""

from __future__ import annotations

import unicodedata

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import row, rows
from tests.support.corpus import as_json
from tests.support.database import Connection, Row, view
from tests.support.model import Entity, Extraction, Triple
from tests.support.reading import REALM

BILLIONS = "$70 billion"


@pytest.fixture
def kb(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
    rows(conn, "declare_predicate", "reported_revenue", is_value=True, realm=REALM)
    conn.execute(f"set graphrag.realm = {REALM}")
    return conn


def tell(conn: Connection, name: str, ordinal: int, *triples: Triple) -> None:
    ends = [e for t in triples for e in ((t.subject,) if t.is_value else (t.subject, t.object))]
    says = as_json(Extraction(tuple(map(Entity, dict.fromkeys(ends))), triples))
    text = " ".join(f"{t.subject} {t.predicate} {t.object}." for t in triples)
    said = row(conn, "index", text, document=name, ordinal=ordinal, extraction=says)
    assert said["rejected"] == {}


def revenue(figure: str, year: str | None, negated: bool = False) -> Triple:
    return Triple("Acme", "reported_revenue", figure, True, negated, valid_from=year, valid_to=year)


def told(conn: Connection, entity: str, at: int | None = None) -> list[Row]:
    return rows(conn, "timeline", entity, as_believed_at=None if at is None else str(at))


def test_one_figure_of_two_periods_is_two_facts_with_documents_of_their_own(kb: Connection) -> None:
    tell(kb, "a", 1, revenue(BILLIONS, "2005"))
    tell(kb, "b", 2, revenue(BILLIONS, "2011"))
    tell(kb, "c", 3, revenue(BILLIONS, None))
    expected = [(None, None, ["c"]), ("2005", "2005", ["a"]), ("2011", "2011", ["b"])]
    assert [(f["valid_from"], f["valid_to"], f["documents"]) for f in told(kb, "Acme")] == expected
    found = sorted(view(kb, REALM, "facts"), key=lambda f: str(f["valid_from"] or ""))
    assert [f["documents"] for f in found] == [["c"], ["a"], ["b"]]


def test_documents_of_a_predicate_that_was_symmetric_then(kb: Connection) -> None:
    """It is asked of the past what supported a fact; how a predicate is declared today does not matter."""
    rows(kb, "declare_predicate", "met", is_symmetric=True)
    tell(kb, "a", 1, Triple("Ada", "met", "Bob"))
    tell(kb, "b", 2, Triple("Bob", "met", "Ada"))
    (then,) = told(kb, "Ada", 2)
    assert (then["documents"], then["weight"]) == (["a", "b"], 2)
    rows(kb, "declare_predicate", "met", is_symmetric=False)
    assert told(kb, "Ada", 2) == [then]
    assert sorted(f["documents"] for f in told(kb, "Ada")) == [["a"], ["b"]]


def test_documents_of_a_predicate_that_is_symmetric_now(kb: Connection) -> None:
    tell(kb, "a", 1, Triple("Ada", "met", "Bob"))
    tell(kb, "b", 2, Triple("Bob", "met", "Ada"))
    then = told(kb, "Ada", 2)
    assert sorted((f["subject"], f["documents"]) for f in then) == [("Ada", ["a"]), ("Bob", ["b"])]
    rows(kb, "declare_predicate", "met", is_symmetric=True)
    assert told(kb, "Ada", 2) == then
    (now,) = [f for f in told(kb, "Ada") if f["status"] == "current"]
    assert now["documents"] == ["a", "b"]


def test_the_order_of_what_begins_at_one_time_is_settled(kb: Connection) -> None:
    """By the whole of what is shown, whatever came first."""
    triples = [revenue(BILLIONS, year, negated) for year in ("2005", "2011") for negated in (False, True)]
    over = [revenue("$1 billion", year) for year in ("2005", "2011")]
    orders = ([*triples], [*reversed(triples)])
    found = []
    for number, order in enumerate(orders):
        space = f"space {number}"
        kb.execute("select set_config('graphrag.space', %s, false)", [space])
        for triple in order:
            tell(kb, f"doc {triples.index(triple)}", 1, triple)
        tell(kb, "over", 2, *over)
        found.append(told(kb, "Acme"))
    assert found[0] == found[1]


def test_both_bounds_are_those_of_one_statement(kb: Connection) -> None:
    tell(kb, "a", 1, Triple("Ada", "met", "Bob", valid_from="2001", valid_to="2005"))
    tell(kb, "b", 2, Triple("Ada", "met", "Bob", valid_from="2011"))
    tell(kb, "c", 3, Triple("Ada", "met", "Bob"))
    (fact,) = told(kb, "Ada")
    assert (fact["valid_from"], fact["valid_to"]) == ("2011", None)
    assert fact["documents"] == ["a", "b", "c"]


def test_a_retracted_orientation_supports_nothing(kb: Connection) -> None:
    tell(kb, "a", 1, Triple("Ada", "met", "Bob"))
    tell(kb, "b", 2, Triple("Bob", "met", "Ada"))
    rows(kb, "retract_relation", "Bob", "met", "Ada")
    assert [(f["status"], f["documents"]) for f in told(kb, "Ada") if f["subject"] == "Ada"] == [
        ("current", ["a"])
    ]


def test_a_reassignment_ends_the_assignment(kb: Connection) -> None:
    """Another word for a functional predicate, which the preset declares."""
    rows(kb, "use_preset", "agent_memory")
    tell(kb, "a", 1, Triple("Dana", "assigned_to", "Project P"))
    tell(kb, "b", 2, Triple("Dana", "reassigned_to", "Project Q"))
    assert [(fact["predicate"], fact["object"], fact["status"]) for fact in told(kb, "Dana")] == [
        ("assigned_to", "Project P", "superseded"),
        ("assigned_to", "Project Q", "current"),
    ]


def test_without_a_date_what_was_replaced_never_held(kb: Connection) -> None:
    """Indexed before or after is belief time; nobody has said when anything held."""
    rows(kb, "declare_predicate", "lives_in", is_functional=True)
    for name, where in (("b", "Paris"), ("a", "Rome")):
        row(kb, "index", f"Ann lives in {where}.", document=name,
            extraction={"triples": [{"subject": "Ann", "predicate": "lives_in", "object": where}]})  # fmt: skip
    assert [(fact["object"], fact["status"], fact["period"]) for fact in told(kb, "Ann")] == [
        ("Paris", "superseded", "never"),
        ("Rome", "current", None),
    ]
    found = rows(kb, "retrieve", "Where does Ann live?", as_of="2001")
    assert [fact["object"] for fact in found if fact["kind"] == "relation"] == ["Rome"]


def columns(shown: str) -> int:
    """What a terminal gives a text."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in shown)
    return len(shown) + wide - sum(unicodedata.category(sign) in ("Mn", "Cf") for sign in shown)


def test_bars_stand_below_each_other_whatever_is_drawn(kb: Connection) -> None:
    """Wide letters take two columns, marks none; one fact after the other, so each bar begins where one ended."""
    places = ("大阪", "Nara", "ที่นี่", "Zoe\u0308 🎉", "عمّان", "서울")
    for no, place in enumerate(places):
        year = str(2000 + no)
        tell(kb, year, no, Triple("東京太郎", "stayed_in", place, False, valid_from=year, valid_to=year))
    axis, *bars = (line["draw_timeline"] for line in rows(kb, "draw_timeline", "東京太郎", width=66))
    starts = [columns(bar[: bar.index("=")]) for bar in bars]
    assert starts[0] == columns(axis[: axis.index("|")])
    assert [start - starts[0] for start in starts] == [0, 10, 20, 30, 39, 50]  # of 60, by days


@pytest.mark.parametrize(
    ("width", "axis"),
    [
        (60, "   |2000-01-01                                 2003-01-01|  "),
        (28, "   |2000-01-01 2003-01-01|  "),
        (27, "   |2000-01-01          |  "),
        (16, "   |         |  "),
        (10, "   |   |  "),
    ],
)
def test_the_axis_has_the_days_that_it_has_room_for(kb: Connection, width: int, axis: str) -> None:
    tell(kb, "a", 1, Triple("Ada", "met", "Bob", False, valid_from="2000", valid_to="2002"))
    drawn, bar = (line["draw_timeline"] for line in rows(kb, "draw_timeline", "Ada", width=width))
    assert drawn == " " * len("Ada met Bob  ") + axis
    assert bar[: len(drawn)].rstrip() == "Ada met Bob  " + "   " + "=" * (width - 6)


def test_the_oldest_dates_and_the_newest_have_room_around_them(kb: Connection) -> None:
    """Before 4713 BCE there is no timestamp: neither a drawing nor the text of a period steps over that."""
    rows(kb, "declare_predicate", "held_by", is_functional=True)
    dates = ("4712-01-01 00:00Z BC", "4711-01-01 00:00Z BC", "9999-12-31 23:59:59.999999Z")
    for no, at in enumerate(dates):
        fact = {"subject": "Tell", "predicate": "held_by", "object": f"King {no}"}
        row(
            kb, "index", f"Tell is held by King {no}.", document=at, published_at=at, extraction=Jsonb([fact])
        )
    told = [
        "until 4712 BCE",
        "4711 BCE to 9999-12-31 23:59:59.999999 UTC",
        "since 9999-12-31 23:59:59.999999 UTC",
    ]
    found = kb.execute("select period from graphrag.timeline('Tell')").fetchall()  # no datetime is so old
    assert [f["period"] for f in found] == told
    axis, *bars = (line["draw_timeline"] for line in rows(kb, "draw_timeline", "Tell", width=60))
    assert axis.endswith("   |4711-01-01 BCE                            10000-01-01|  ")
    assert bars[0].split("  ")[1] == "<=="
    for at in ("4713-12-31 23:59:59Z BC", "10000-01-01 00:00Z", "infinity"):
        with pytest.raises(psycopg.Error, match="published_at") as caught:
            row(kb, "index", "Tell fell.", published_at=at, extraction=Jsonb([]))
        assert caught.value.sqlstate == "GR009"

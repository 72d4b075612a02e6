"""The change feed: what it tells of each event, where it goes on from, and which positions it refuses."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support.calls import mistake, refused, row, rows, state
from tests.support.corpus import as_json
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.feed import changes, drain, expected, follow
from tests.support.model import Entity, Extraction, Triple

REALM = "news"


@pytest.fixture
def news(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
    rows(conn, "declare_predicate", "owned_by", is_functional=True, realm=REALM)
    return conn


def tell(conn: Connection, name: str, year: int, *triples: Triple, **more: Any) -> Row:
    """Index a document that states the triples."""
    ends = dict.fromkeys(end for t in triples for end in (t.subject, t.object))
    says = Extraction(
        tuple(Entity(end, aliases=more.pop("aliases", {}).get(end, ())) for end in ends), triples
    )
    text = more.pop("text", " ".join(f"{t.subject} {t.predicate} {t.object}." for t in triples))
    return row(
        conn, "index", text + " Alias: Cal. ", document=name, published_at=f"{year}-01-01T00:00Z",
        extraction=as_json(says), realm=REALM, **more,
    )  # fmt: skip


def owned(owner: str, **more: Any) -> Triple:
    return Triple("Calder", "owned_by", owner, **more)


def latest(conn: Connection, since: str, space: str | None = None) -> dict[str, str]:
    """The changes since a position: name of what changed to kind."""
    return {c["name"]: c["kind"] for c in drain(conn, since, realm=REALM, space=space)}


def mark(conn: Connection, space: str | None = None) -> str:
    return str(row(conn, "watermark", REALM, space)["watermark"])


# ---------------------------------------------------------------- what is told
def test_a_life_in_changes(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at = mark(news)
    tell(news, "b", 2021, owned("Harlan"))
    assert latest(news, at) == {
        "b": "document_added",
        "Harlan": "entity_new",
        "Calder owned_by Sterling": "relation_superseded",
        "Calder owned_by Harlan": "relation_added",
    }
    at = mark(news)
    rows(news, "delete_document", "b", realm=REALM)
    assert latest(news, at) == {
        "b": "document_deleted",
        "Harlan": "entity_dormant",
        "Calder owned_by Sterling": "relation_reopened",
        "Calder owned_by Harlan": "relation_withdrawn",
    }
    at = mark(news)
    tell(news, "b", 2021, owned("Harlan"))
    assert latest(news, at) == {
        "b": "document_added",
        "Harlan": "entity_revived",
        "Calder owned_by Sterling": "relation_superseded",
        "Calder owned_by Harlan": "relation_reopened",
    }
    at = mark(news)
    tell(news, "b", 2022, owned("Harlan", valid_from="2020"))
    assert latest(news, at) == {
        "b": "document_changed",
        "Calder owned_by Harlan": "relation_changed",
        "Calder owned_by Sterling": "relation_changed",
    }


def test_an_older_document_that_comes_late_adds_a_superseded_fact(news: Connection) -> None:
    tell(news, "b", 2021, owned("Harlan"))
    at = mark(news)
    tell(news, "a", 2015, owned("Sterling"))
    (added,) = [c for c in drain(news, at, realm=REALM) if c["kind"] == "relation_added"]
    assert added["details"]["status"] == "superseded"
    assert added["details"]["superseded_by"] == "Calder owned_by Harlan"


def test_descriptions_aliases_and_merges(news: Connection) -> None:
    tell(news, "a", 2015, Triple("Calder", "supplies", "Sterling"), Triple("Harlan", "supplies", "Oakes"))
    at = mark(news)
    says = {"entities": [{"name": "Sterling", "description": "A bank."}], "triples": []}
    row(
        news,
        "index",
        "Sterling is a bank.",
        document="b",
        published_at="2016-01-01",
        extraction=says,
        realm=REALM,
    )
    assert latest(news, at) == {"b": "document_added", "Sterling": "description_changed"}
    at = mark(news)
    decision = row(news, "merge_entities", "Sterling", "Harlan", realm=REALM)["merge_entities"]
    found = drain(news, at, realm=REALM)
    (merged,) = [c for c in found if c["kind"] == "entity_merged"]
    assert (merged["name"], merged["details"]["into"]) == ("Harlan", "Sterling")  # the longer name names both
    at = mark(news)
    rows(news, "undo", decision, REALM)
    (revived,) = [c for c in drain(news, at, realm=REALM) if c["name"] == "Harlan"]
    assert (revived["kind"], revived["id"]) == ("entity_revived", merged["id"])
    assert changes(drain(news, realm=REALM, space="*")) == expected(news, REALM)


def test_an_alias_alone_is_a_change_of_its_entity(news: Connection) -> None:
    tell(news, "a", 2015, Triple("Calder", "supplies", "Sterling"))
    at = mark(news)
    says = Extraction((Entity("Calder", aliases=("Cal",)),), ())
    row(
        news,
        "index",
        "Calder or Cal.",
        document="0",
        published_at="2014-01-01",
        extraction=as_json(says),
        realm=REALM,
    )
    assert latest(news, at) == {"0": "document_added", "Calder": "entity_changed"}


@pytest.mark.parametrize("first", ["Ann", "Zoe"])
def test_a_symmetric_fact_is_told_as_it_was_stated(news: Connection, first: str) -> None:
    """Whichever of its ends was known first."""
    rows(news, "declare_predicate", "married_to", is_symmetric=True, is_functional=True, realm=REALM)
    tell(news, "0", 2001, Triple(first, "visited", "Rome"))
    at = mark(news)
    tell(news, "a", 2015, Triple("Zoe", "married_to", "Ann"))
    tell(news, "b", 2016, Triple("Zoe", "married_to", "Ben"))
    told = [c for c in drain(news, at, realm=REALM) if c["kind"].startswith("relation")]
    assert [c["name"] for c in told] == ["Zoe married_to Ann", "Zoe married_to Ann", "Zoe married_to Ben"]
    assert told[1]["details"]["superseded_by"] == "Zoe married_to Ben"


def test_what_changes_nothing_is_no_change(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at = mark(news)
    tell(news, "a", 2015, owned("Sterling"))
    rows(news, "derive", realm=REALM)
    assert drain(news, at, realm=REALM) == []
    assert mark(news) == at


def archive(conn: Connection) -> None:
    """All that there is."""
    for name, setting in (("telemetry", True), ("retention_threshold", 1)):
        rows(conn, "configure", name, Jsonb(setting), realm=REALM)
    rows(conn, "apply_retention", dry_run=False, realm=REALM)


def test_archived_things_are_told_as_such(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at = mark(news)
    archive(news)
    gone = {
        "Calder": "entity_archived",
        "Sterling": "entity_archived",
        "Calder owned_by Sterling": "relation_archived",
    }
    assert latest(news, at) == gone
    at = mark(news)
    rows(news, "restore_archived", realm=REALM)
    back = {
        "Calder": "entity_revived",
        "Sterling": "entity_revived",
        "Calder owned_by Sterling": "relation_reopened",
    }
    assert latest(news, at) == back
    assert changes(drain(news, realm=REALM)) == expected(news, REALM)


def test_names_of_what_is_archived_are_no_changes(news: Connection) -> None:
    """They stop no page short either."""
    tell(news, "a", 2015, owned("Sterling"))
    archive(news)
    at = mark(news)
    rows(news, "delete_document", "a", realm=REALM)
    tell(news, "b", 2016, owned("Harlan"))
    told = {
        "a": "document_deleted",
        "Calder owned_by Sterling": "relation_withdrawn",
        "b": "document_added",
        "Calder": "entity_revived",
        "Harlan": "entity_new",
        "Calder owned_by Harlan": "relation_added",
    }
    assert {c["name"]: c["kind"] for c in drain(news, at, 1, realm=REALM)} == told
    assert changes(drain(news, realm=REALM)) == expected(news, REALM)


# ---------------------------------------------------------------- pages and positions
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pages_of_any_size_tell_the_same(news: Connection, size: int) -> None:
    for number, owner in enumerate(("Sterling", "Harlan", "Oakes", "Sterling")):
        for space in ("north", "south"):
            tell(news, f"doc {number}", 2015 + number, owned(owner), space=space)
    rows(news, "delete_document", "doc 1", space="south", realm=REALM)
    told = expected(news, REALM)
    assert changes(drain(news, size=size, realm=REALM, space="*")) == told
    for space in ("north", "south"):
        assert changes(drain(news, size=size, realm=REALM, space=space)) == [c for c in told if c[0] == space]


def test_kinds_select(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    tell(news, "b", 2021, owned("Harlan"))
    wanted = ["relation_superseded", "document_added"]
    told = drain(news, size=1, realm=REALM, kinds=wanted)
    assert changes(told) == [c for c in expected(news, REALM) if c[2] in wanted]
    assert len(told) == 3
    assert drain(news, realm=REALM, kinds=[]) == []


def test_the_summary_counts_what_the_feed_tells(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at = mark(news)
    tell(news, "b", 2021, owned("Harlan"))
    summary = {r["kind"]: r["changes"] for r in rows(news, "changes_summary", at, realm=REALM)}
    assert summary == {"document_added": 1, "entity_new": 1, "relation_added": 1, "relation_superseded": 1}
    assert rows(news, "changes_summary", mark(news), realm=REALM) == []


def test_a_space_that_is_made_later_is_told_from_its_beginning(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"), space="north")
    at = mark(news, "*")
    tell(news, "b", 2021, owned("Harlan"), space="south")
    assert {c["space"] for c in drain(news, at, realm=REALM, space="*")} == {"south"}
    empty = mark(news, "default")
    assert drain(news, empty, realm=REALM) == []
    tell(news, "c", 2022, owned("Oakes"))
    assert len(drain(news, empty, realm=REALM)) == 4


def test_a_position_of_all_spaces_serves_for_one(news: Connection) -> None:
    for space in ("north", "south"):
        tell(news, "a", 2015, owned("Sterling"), space=space)
    at = mark(news, "*")
    tell(news, "b", 2021, owned("Harlan"), space="south")
    assert len(drain(news, at, realm=REALM, space="south")) == 4
    assert drain(news, at, realm=REALM, space="north") == []


def test_a_watermark_is_a_belief(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at, all_ = mark(news), mark(news, "*")
    tell(news, "b", 2021, owned("Harlan"))
    for believed, space in ((at, None), (all_, "*"), (all_, "default"), (at, "*")):
        found = rows(news, "timeline", "Calder", as_believed_at=believed, space=space, realm=REALM)
        assert [(f["object"], f["status"]) for f in found] == [("Sterling", "current")]
    middle = drain(news, size=1, realm=REALM)[1]["position"]
    assert len(rows(news, "timeline", "Calder", as_believed_at=middle, realm=REALM)) == 1


def test_a_transaction_does_not_tell_its_own_revision(database: Database, news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    at = mark(news)
    with database.connect(autocommit=False) as writer:
        tell(writer, "b", 2021, owned("Harlan"))
        assert mark(writer) == at
        assert drain(writer, at, realm=REALM) == []
        assert drain(news, at, realm=REALM) == []
        tell(writer, "c", 2022, owned("Oakes"))
        writer.commit()
        assert len(drain(writer, at, realm=REALM)) == 7
    assert len(drain(news, at, realm=REALM)) == 7


# ---------------------------------------------------------------- what is refused
def test_positions_of_elsewhere_are_refused(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"), space="north")
    tell(news, "a", 2015, owned("Sterling"), space="south")
    at, all_ = mark(news, "north"), mark(news, "*")
    rows(news, "create_realm", "other", embedding_url="builtin:hash", width=16)
    other = row(news, "watermark", "other", "*")["watermark"]
    future = at.replace("=1.", "=2.")
    forged = at[:-1] + ("0" if at[-1] != "0" else "1")
    for wrong, space in (
        (other, "*"), (at, "south"), (at, "*"), (future, "north"), (forged, "north"), ("1", "north"), ("", "north"),
        (at + ",", "north"), (f"{all_},99999=5.00000000", "*"), ("'; drop schema x", "north"),
    ):  # fmt: skip
        if wrong.endswith("99999=5.00000000"):  # a space that this realm does not have
            assert drain(news, wrong, realm=REALM, space=space) == []
            continue
        mistake(news, REALM, "GR013", (wrong[:50],), "changes_since", wrong, realm=REALM, space=space)
        mistake(news, REALM, "GR013", (wrong[:50],), "changes_summary", wrong, realm=REALM, space=space)


def test_a_position_from_before_a_purge_is_refused(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    early = mark(news)
    tell(news, "b", 2021, owned("Harlan"))
    late = mark(news)
    rows(news, "purge", before="2", dry_run=False, realm=REALM)
    assert "purged" in (
        refused("GR013", (early,), lambda: drain(news, early, realm=REALM)).message_detail or ""
    )
    assert drain(news, late, realm=REALM) == []
    assert drain(news, realm=REALM)


def test_a_lost_history_is_known_by_its_fingerprint(news: Connection) -> None:
    """Restored to an earlier state, the database takes the number again for another change."""
    tell(news, "a", 2015, owned("Sterling"))
    with news.transaction():
        tell(news, "b", 2021, owned("Harlan"))
        assert value(news, "select revision from news.space") == 2
        raise psycopg.Rollback
    tell(news, "c", 2022, owned("Oakes"))
    at = mark(news)
    with news.transaction():
        sql(news, "set local session_replication_role = replica")  # past the trigger that keeps revisions
        sql(news, f"update {REALM}.revision set transaction = transaction || ' again' where n = 2")
    refused("GR013", (at,), lambda: drain(news, at, realm=REALM), hint="NULL")


@pytest.mark.parametrize("call", ["changes_since", "changes_summary"])
def test_reading_changes_nothing(news: Connection, call: str) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    before = state(news, REALM)
    rows(news, call, realm=REALM)
    assert state(news, REALM) == before


def test_mistakes(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    for size in (0, -1, None, 100_001):
        mistake(news, REALM, "GR009", ("page_size",), "changes_since", page_size=size, realm=REALM)
    for kinds in (["relation_gone"], [None]):
        mistake(news, REALM, "GR009", ("kind",), "changes_since", kinds=kinds, realm=REALM)
    mistake(news, REALM, "GR004", ("nowhere",), "changes_since", space="nowhere", realm=REALM)
    mistake(news, REALM, "GR003", ("nowhere",), "watermark", "nowhere")


def test_a_mirror_kept_by_the_feed_is_the_graph(news: Connection) -> None:
    for number, owner in enumerate(("Sterling", "Harlan", "Oakes", "Sterling", "Harlan")):
        tell(news, f"doc {number}", 2015 + number, owned(owner), Triple(owner, "supplies", "Calder"))
    rows(news, "delete_document", "doc 4", realm=REALM)
    mirror: dict[int, tuple[str, str, int]] = {}
    for page in follow(news, lambda: 3, realm=REALM):
        for change in page:
            if change["kind"] == "relation_withdrawn":
                del mirror[change["id"]]
            elif change["kind"].startswith("relation_"):
                details = change["details"]
                mirror[change["id"]] = (change["name"], details["status"], details["weight"])
    query = compose.SQL("select relation, subject, predicate, object, status, weight from {}")
    facts = news.execute(query.format(compose.Identifier(REALM, "facts"))).fetchall()
    assert mirror == {
        f["relation"]: (f"{f['subject']} {f['predicate']} {f['object']}", f["status"], f["weight"])
        for f in facts
    }


def test_settings_of_the_session_change_nothing(news: Connection) -> None:
    tell(news, "a", 2015, owned("Sterling"))
    before = drain(news, realm=REALM)
    news.execute(
        "set timezone = 'Asia/Kolkata'; set intervalstyle = 'sql_standard'; set extra_float_digits = 0"
    )
    assert drain(news, before[0]["position"], realm=REALM) == before[1:]
    rows(news, "configure", "top_k", Jsonb(5), realm=REALM)
    assert mark(news).startswith(before[0]["position"][:9])

"""Telemetry, what it shows, and what is archived for want of interest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.calls import mistake, refused, row, rows, state
from tests.support.circles import REALM, WORLD, build, circles, fact, heard, make_realm, on, say
from tests.support.database import Connection, Database, Row, one, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.reading import fresh

QUESTION = "What do Alpha One and Alpha Two do?"
VIEWS = ("coverage", "least_explored_communities", "dark_entities")


@pytest.fixture
def world(session: Connection, endpoint: Endpoint) -> Connection:
    """Four circles in the default space, telemetry on."""
    conn = fresh(session, keeps_realm=True)
    rows(conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
    make_realm(conn, endpoint)
    say(conn, WORLD)
    on(conn, "telemetry", True)
    return conn


def names(found: list[Row]) -> set[str]:
    return {one["name"] for one in found}


# ---------------------------------------------------------------- telemetry
@pytest.mark.parametrize("name", VIEWS)
def test_without_telemetry_the_views_say_so(world: Connection, name: str) -> None:
    on(world, "telemetry", False)
    said = refused("GR030", ("telemetry",), lambda: view(world, REALM, name), hint="configure")
    assert said.message_hint
    rows(world, "create_realm", "empty", "builtin:hash", width=8)
    refused("GR030", ("telemetry",), lambda: view(world, "empty", name))


def test_a_question_is_noted_without_its_words(world: Connection) -> None:
    build(world)
    rows(world, "retrieve", QUESTION, "hybrid", top_k=2)
    noted = one(world, f"select * from {REALM}.telemetry")
    assert bytes(noted["question"]) == hashlib.sha256(QUESTION.encode()).digest()
    assert noted["mode"] == "hybrid"
    assert len(noted["communities"]) == 2
    assert len(noted["entities"]) >= 2
    assert "Alpha" not in str({key: noted[key] for key in noted if key != "question"})


def test_off_is_off(world: Connection) -> None:
    on(world, "telemetry", False)
    rows(world, "retrieve", QUESTION)
    assert view(world, REALM, "telemetry") == []


def test_a_failed_note_never_fails_the_question(world: Connection) -> None:
    sql(world, f"alter table {REALM}.telemetry add check (false) not valid")
    with heard(world) as said:
        assert rows(world, "retrieve", QUESTION)
    assert ("WARNING", "telemetry of this question was not written") in said


def test_where_nothing_can_be_written_it_is_skipped(world: Connection) -> None:
    with world.transaction(), heard(world) as said:
        sql(world, "set transaction read only")
        assert rows(world, "retrieve", QUESTION)
    assert said == []
    assert view(world, REALM, "telemetry") == []


def test_what_was_asked_about_is_seen(world: Connection) -> None:
    build(world)
    rows(world, "retrieve", QUESTION, "local", top_k=2, max_hops=1)
    rows(world, "retrieve", QUESTION, "global", top_k=1)
    coverage = one(world, f"select * from {REALM}.coverage")
    assert (coverage["entities"], coverage["communities"]) == (16, 4)
    assert (coverage["asked"], coverage["questions"], coverage["communities_touched"]) == (2, 1, 1)
    assert 2 <= coverage["entities_touched"] < 16
    dark = names(view(world, REALM, "dark_entities"))
    assert len(dark) == 16 - coverage["entities_touched"]
    assert not dark & {"Alpha One", "Alpha Two"}
    explored = view(world, REALM, "least_explored_communities")
    shares = [community["entities_touched"] / community["size"] for community in explored]
    assert shares == sorted(shares)
    assert sum(community["touches"] for community in explored) == 1


def test_ids_survive_a_rebuild(world: Connection) -> None:
    build(world)
    rows(world, "retrieve", QUESTION, "global", top_k=4)
    say(world, [fact(f"{group} One", "likes", f"{group} Two") for group in ("Alpha", "Beta")], "more")
    build(world, levels=2)
    coverage = one(world, f"select * from {REALM}.coverage")
    assert (coverage["communities"], coverage["communities_touched"]) == (6, 4)


def test_telemetry_is_purged(world: Connection) -> None:
    rows(world, "retrieve", QUESTION)
    assert value(world, "select graphrag.purge_telemetry(now() - interval '1 day')") == 0
    assert value(world, "select graphrag.purge_telemetry(now())") == 1
    assert view(world, REALM, "telemetry") == []


# ---------------------------------------------------------------- retention
def grow_old(conn: Connection, days: int) -> None:
    """Everything that has happened so far happened so long ago."""
    with conn.transaction():
        sql(conn, "set local session_replication_role = replica")  # past the trigger that keeps revisions
        for table in ("revision", "telemetry"):
            sql(conn, f"update {REALM}.{table} set at = at - make_interval(days => %s)", [days])


@contextmanager
def unwatched(conn: Connection) -> Iterator[None]:
    """What is asked meanwhile keeps nothing alive."""
    on(conn, "telemetry", False)
    yield
    on(conn, "telemetry", True)


def retention(conn: Connection, **arguments: Any) -> set[str]:
    return {found["entity"] for found in rows(conn, "apply_retention", **arguments)}


@pytest.fixture
def faded(world: Connection) -> Connection:
    """Nobody has asked about anything for three years, and since then only about the Alphas."""
    grow_old(world, 1100)
    on(world, "retention_threshold", 0.3)
    rows(world, "retrieve", QUESTION, "local", top_k=4, max_hops=1)
    return world


def alphas(conn: Connection) -> set[str]:
    return {name for name in names(view(conn, REALM, "entities")) if name.startswith("Alpha")}


def test_it_refuses_without_telemetry(world: Connection) -> None:
    on(world, "telemetry", False)
    mistake(world, REALM, "GR030", ("retention",), "apply_retention")
    mistake(world, REALM, "GR030", ("retention",), "apply_retention", dry_run=False)


def test_a_dry_run_comes_first(faded: Connection) -> None:
    before = state(faded, REALM)
    fading = retention(faded)
    assert fading
    assert not fading & {"Alpha One", "Alpha Two"}
    assert state(faded, REALM) == before


def test_scores_are_weighted_parts(faded: Connection) -> None:
    on(faded, "retention_threshold", 1)
    for found in rows(faded, "apply_retention"):
        parts = [found[name] for name in ("recency", "frequency", "degree", "age")]
        assert all(0 <= part <= 1 for part in parts)
        weighted = sum(w * p for w, p in zip((0.35, 0.25, 0.2, 0.2), parts, strict=True))
        assert found["score"] == pytest.approx(weighted)
        assert found["age"] == pytest.approx(0.5 ** (1100 / 365), rel=0.01)


def reads(conn: Connection) -> dict[str, list[Row]]:
    """Whatever a reader can see of the graph."""
    question = "Who is Gamma Three, and who works with Gamma Four?"
    return {
        **{
            mode: [r for r in rows(conn, "retrieve", question, mode) if r["kind"] in ("relation", "entity")]
            for mode in ("mix", "local", "global", "hybrid")
        },
        "superseded": [
            r for r in rows(conn, "retrieve", question, include_superseded=True) if r["kind"] == "relation"
        ],
        "as of": [r for r in rows(conn, "retrieve", question, as_of="2020") if r["kind"] == "relation"],
        "facts": view(conn, REALM, "facts"),
        "entities": view(conn, REALM, "entities"),
        "timeline": rows(conn, "timeline", "Alpha One"),
    }


def test_archived_entities_are_withheld_from_every_read(faded: Connection) -> None:
    with unwatched(faded):
        before = reads(faded)
    archived = retention(faded, dry_run=False)
    assert "Gamma Three" in archived
    for name, found in reads(faded).items():
        shown = {str(cell) for r in found for key, cell in r.items() if key in ("subject", "object", "name")}
        assert not shown & archived, name
    build(faded)
    assert not set().union(*circles(faded)) & archived
    assert value(faded, "select graphrag.derive()") == 0
    assert value(faded, "select graphrag.restore_archived()") == len(archived)
    assert value(faded, "select graphrag.derive()") == 0
    after = reads(faded)
    for name in ("facts", "entities", "timeline"):
        keys = ("subject", "predicate", "object", "name", "weight", "status", "degree")
        seen = [sorted(str([r.get(key) for key in keys]) for r in found[name]) for found in (before, after)]
        assert seen[0] == seen[1], name


def test_the_past_still_shows_them(faded: Connection) -> None:
    then = str(value(faded, f"select revision from {REALM}.space"))
    question = "Who works with Gamma Three?"
    with unwatched(faded):
        before = rows(faded, "retrieve", question)
    retention(faded, dry_run=False)
    assert rows(faded, "retrieve", question) != before
    assert rows(faded, "retrieve", question, as_believed_at=then) == before


def test_the_next_mention_revives_with_all_relations(faded: Connection) -> None:
    facts = len(view(faded, REALM, "facts"))
    archived = retention(faded, dry_run=False)
    assert {"Gamma Three", "Gamma Four"} <= archived
    say(faded, [fact("Gamma Three", "likes", "Gamma Four")], "news")
    shown = {(f["subject"], f["object"]) for f in view(faded, REALM, "facts")}
    assert ("Gamma Three", "Gamma Four") in shown
    assert {"works_with", "likes"} <= {
        f["predicate"] for f in view(faded, REALM, "facts") if f["subject"] == "Gamma Three"
    }
    assert value(faded, "select graphrag.derive()") == 0
    rows(faded, "delete_document", "news")
    assert "Gamma Three" not in names(view(faded, REALM, "entities"))
    assert value(faded, "select graphrag.derive()") == 0
    rows(faded, "restore_archived")
    assert len(view(faded, REALM, "facts")) == facts


def test_one_is_restored(faded: Connection) -> None:
    archived = retention(faded, dry_run=False)
    assert value(faded, "select graphrag.restore_archived('gamma THREE')") == 1
    assert names(view(faded, REALM, "entities")) & archived == {"Gamma Three"}
    refused("GR015", ("Gamma Three",), lambda: rows(faded, "restore_archived", "Gamma Three"))
    decision = one(faded, f"select * from {REALM}.decisions where kind = 'archive' limit 1")["decision"]
    rows(faded, "undo", decision)
    assert len(names(view(faded, REALM, "entities")) & archived) == 2


def test_an_archived_entity_does_not_draw_its_ally_in(faded: Connection) -> None:
    """Merged with one that is not archived, it is there again."""
    retention(faded, dry_run=False)
    rows(faded, "merge_entities", "Alpha One", "Gamma Three")
    (merged,) = [
        e for e in view(faded, REALM, "entities") if e["name"] == "Alpha One" or "Alpha One" in e["aliases"]
    ]
    assert merged["degree"] >= 3
    assert value(faded, "select graphrag.derive()") == 0


def test_two_sessions_retain_at_once(faded: Connection, module_database: Database) -> None:
    with module_database.connect() as other:
        sql(other, f"set graphrag.realm = '{REALM}'")
        with faded.transaction():
            first = retention(faded, dry_run=False)
            sql(other, "set lock_timeout = '100ms'")
            refused_by_lock = pytest.raises(Exception, match="lock timeout")
            with refused_by_lock:
                retention(other, dry_run=False)
        sql(other, "set lock_timeout = 0")
        assert retention(other, dry_run=False) == set()
        assert first
        assert row(other, "restore_archived")["restore_archived"] == len(first)


@pytest.mark.parametrize("change", ["vocabulary", "by hand"])
def test_who_is_archived_stays_so_when_the_first_reading_is_purged(faded: Connection, change: str) -> None:
    archived = retention(faded, dry_run=False)
    if change == "vocabulary":
        rows(faded, "declare_predicate", "collaborates", aliases=["works_with"])
    else:
        sql(
            faded,
            f"insert into {REALM}.assertion (chunk, subject, predicate, object)"
            f" select max(chunk), 'Gamma Three', 'met', 'Gamma Four' from {REALM}.document_chunk where died is null",
        )
    assert value(faded, "select graphrag.derive()") == 0
    rows(faded, "purge", before=str(value(faded, f"select revision from {REALM}.space")), dry_run=False)
    assert value(faded, "select graphrag.derive()") == 0
    assert not names(view(faded, REALM, "entities")) & archived

"""Realms and spaces: the names they take, that they are made once, that `*` reads all and writes none."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

from tests.support.calls import eventually, refused, row, rows, state, waiting
from tests.support.corpus import as_json
from tests.support.database import Connection, Database, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.model import Entity, Extraction, Triple

ODD_NAMES = [
    "acme-eu.1/β",
    "5b8f3f0a-5d0e-4c5e-9d0c-7a5a2f0c1e11",
    "_",
    'it\'s "quoted" \\ $$',
    "Zoë",
    "select",
    "x" * 63,
]
REFUSED_NAMES = ["", "*", "y" * 64, "ü" * 32, "pg_x", "information_schema", "graphrag", "public"]
TEXT = "Ann founded Acme."
SAYS = as_json(Extraction((Entity("Ann"), Entity("Acme")), (Triple("Ann", "founded", "Acme"),)))


def create(conn: Connection, realm: str) -> None:
    rows(conn, "create_realm", realm, embedding_url="builtin:hash", width=32)


def facts(conn: Connection, realm: str) -> list[tuple[str, str]]:
    return sorted((fact["space"], fact["subject"]) for fact in view(conn, realm, "facts"))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_works_as_realm_and_as_space(conn: Connection, name: str) -> None:
    create(conn, name)
    indexed = row(conn, "index", TEXT, document="a", extraction=SAYS, space=name, realm=name)
    assert (indexed["entities_added"], indexed["relations_added"]) == (2, 1)
    assert facts(conn, name) == [(name, "Ann")]
    found = rows(conn, "retrieve", "Who founded Acme?", space=name, realm=name)
    assert any("Acme" in piece["text"] for piece in found)
    rows(conn, "delete_document", "a", space=name, realm=name)
    assert facts(conn, name) == []
    rows(conn, "drop_realm", name, confirm=name)
    assert value(conn, "select count(*) from pg_namespace where nspname = %s", [name]) == 0


@pytest.mark.parametrize("name", REFUSED_NAMES)
def test_a_name_that_cannot_be_is_refused(conn: Connection, name: str) -> None:
    before = value(conn, "select array_agg(nspname order by nspname) from pg_namespace")
    refused("GR006", (f'"{name}"',), lambda: create(conn, name))
    assert value(conn, "select array_agg(nspname order by nspname) from pg_namespace") == before


def test_a_schema_of_somebody_else_is_left_alone(conn: Connection) -> None:
    sql(conn, "create schema shop")
    sql(conn, "create table shop.realm (id integer)")
    refused("GR006", ("shop",), lambda: create(conn, "shop"))
    refused("GR003", ("shop",), lambda: rows(conn, "drop_realm", "shop", confirm="shop"))
    assert value(conn, "select count(*) from shop.realm") == 0


def test_creating_a_realm_again_changes_nothing(conn: Connection, realm: str) -> None:
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    create(conn, realm)
    assert facts(conn, realm) == [("default", "Ann")]


def test_two_sessions_create_one_realm_at_once(database: Database, conn: Connection) -> None:
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        create(first, "shared")

        def second() -> None:
            with database.connect() as other:
                create(other, "shared")

        second_call = pool.submit(second)
        eventually(lambda: waiting(conn))
        first.commit()
        second_call.result(timeout=10)
    assert value(conn, "select count(*) from shared.realm") == 1


def test_two_first_calls_of_index_at_once(database: Database, conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "set_endpoint", "embedding", endpoint.url, "scripted", realm=None)
    barrier = threading.Barrier(2)

    def first_call(name: str) -> dict[str, Any]:
        with database.connect() as mine:
            barrier.wait(timeout=10)
            return row(mine, "index", TEXT, document=name, extraction=SAYS)

    with ThreadPoolExecutor() as pool:
        results = list(pool.map(first_call, ("a", "b")))
    assert [result["chunks"] for result in results] == [1, 1]
    assert sum(result["entities_added"] for result in results) == 2
    assert value(conn, 'select width from "default".realm') == endpoint.width
    assert value(conn, 'select weight from "default".facts') == 2


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("use_preset", {"preset": "fiction"}),
        ("configure", {"setting": "chunk_size", "value": Jsonb(900)}),
        ("declare_predicate", {"name": "works_for"}),
        ("set_endpoint", {"role": "extraction", "base_url": "http://127.0.0.1:9/v1", "model": "m"}),
        ("enqueue", {"content": TEXT}),
        ("declare_entity", {"name": "Ann"}),
        ("assert_relation", {"subject": "Ann", "predicate": "founded", "object": "Acme"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_sets_up_or_writes_makes_the_realm_default(
    conn: Connection, endpoint: Endpoint, function: str, arguments: dict[str, Any]
) -> None:
    refused("GR010", ("embedding",), lambda: rows(conn, "declare_predicate", "works_for"))
    rows(conn, "set_endpoint", "embedding", endpoint.url, "scripted", realm=None)
    said = refused("GR003", ("other",), lambda: rows(conn, function, **arguments, realm="other"))
    assert "SET graphrag.realm" not in (said.message_hint or "")
    rows(conn, function, **arguments)
    assert value(conn, 'select width from "default".realm') == endpoint.width


def test_star_reads_every_space_and_writes_none(conn: Connection, realm: str) -> None:
    for space in ("north", "south"):
        row(conn, "index", TEXT, document="a", extraction=SAYS, space=space)
    assert facts(conn, realm) == [("north", "Ann"), ("south", "Ann")]
    found = rows(conn, "retrieve", "Who founded Acme?", space="*")
    assert sum(piece["kind"] == "chunk" for piece in found) == 2
    only = rows(conn, "retrieve", "Who founded Acme?", space="north")
    assert sum(piece["kind"] == "chunk" for piece in only) == 1
    refused("GR007", ("*",), lambda: row(conn, "index", TEXT, document="b", extraction=SAYS, space="*"))
    refused("GR007", ("*",), lambda: rows(conn, "delete_document", "a", space="*"))
    assert len(facts(conn, realm)) == 2


def test_spaces_share_nothing(conn: Connection, realm: str) -> None:
    row(conn, "index", TEXT, document="a", extraction=SAYS, space="north")
    row(conn, "index", TEXT, document="a", extraction=SAYS, space="south")
    rows(conn, "delete_document", "a", space="north")
    assert facts(conn, realm) == [("south", "Ann")]


def test_settings_are_seen_with_what_holds_in_the_realm(conn: Connection) -> None:
    for realm in ("kb", "other"):
        create(conn, realm)
    defaults = {d["name"]: d["value"] for d in sql(conn, "select name, value from graphrag.setting_default")}
    rows(conn, "configure", "chunk_size", Jsonb(900), realm="kb")
    changed = {
        setting["name"]: (setting["value"], setting["default_value"])
        for setting in view(conn, "kb", "settings")
        if not setting["is_default"]
    }
    assert changed == {"chunk_size": (900, defaults["chunk_size"])}
    assert {setting["name"]: setting["value"] for setting in view(conn, "other", "settings")} == defaults
    rows(conn, "configure", "chunk_size", None, realm="kb")
    assert all(setting["is_default"] for setting in view(conn, "kb", "settings"))


def test_session_settings_choose_realm_and_space(conn: Connection) -> None:
    create(conn, "mine")
    sql(conn, "set graphrag.realm = 'mine'")
    sql(conn, "set graphrag.space = 'notes'")
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    assert facts(conn, "mine") == [("notes", "Ann")]


@pytest.mark.parametrize("confirm", [None, "", "other"])
def test_dropping_a_realm_needs_its_name_twice(conn: Connection, realm: str, confirm: str | None) -> None:
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    refused("GR009", (realm,), lambda: rows(conn, "drop_realm", realm, confirm=confirm))
    refused("GR009", ("says nothing",), lambda: rows(conn, "drop_realm", realm), hint=f"confirm => '{realm}'")
    assert facts(conn, realm) == [("default", "Ann")]


def test_a_call_leaves_the_session_as_it_was(conn: Connection, realm: str) -> None:
    sql(conn, "set search_path = public")
    row(conn, "index", TEXT, document="a", extraction=SAYS, realm=realm)
    rows(conn, "retrieve", "Who founded Acme?", realm=realm)
    assert value(conn, "show search_path") == "public"


def test_what_is_done_in_a_realm_leaves_another_of_the_same_names_alone(conn: Connection) -> None:
    """Case 38: written, searched, changed, decided, purged, re-embedded, dropped; the other has the very same rows."""
    for realm in ("one", "two"):
        create(conn, realm)
        rows(conn, "configure", "telemetry", Jsonb(True), realm=realm)
        row(conn, "index", TEXT, document="a", extraction=SAYS, realm=realm)
        row(
            conn,
            "index",
            "Ann founded Blix.",
            document="b",
            extraction='[["Ann", "founded", "Blix"]]',
            realm=realm,
        )
    before, answer = state(conn, "two"), found(conn, "two")
    assert answer
    assert found(conn, "one") == answer
    decision = value(conn, "select graphrag.merge_entities('Acme', 'Blix', realm => 'one')")
    rows(conn, "undo", decision, realm="one")
    rows(conn, "declare_predicate", "founded", is_functional=True, realm="one")
    row(conn, "index", "Ann left Acme.", document="a", extraction='[["Ann", "left", "Acme"]]', realm="one")
    rows(conn, "delete_document", "b", realm="one")
    rows(
        conn, "purge", before=str(value(conn, "select graphrag.watermark('one')")), dry_run=False, realm="one"
    )
    rows(conn, "enqueue", "Cy.", document="c", realm="one")
    sql(conn, "call graphrag.reembed('one', width => 16)")
    assert facts(conn, "one") == [("default", "Ann")]
    assert found(conn, "one") != answer
    for piece in found(conn, "one"):
        assert "Blix" not in piece
    assert state(conn, "two") == before
    rows(conn, "drop_realm", "one", confirm="one")
    assert state(conn, "two") == before
    assert found(conn, "two") == answer


def found(conn: Connection, realm: str) -> list[str]:
    """What the other realm's search touches is noted there, so the questions are asked without."""
    with conn.transaction(force_rollback=True):
        return [piece["text"] for piece in rows(conn, "retrieve", "Who founded Acme?", realm=realm)]


def test_a_realm_that_nobody_named(conn: Connection) -> None:
    """A new session has no realm of its own; where others are, the hint says how to choose one."""
    refused("GR003", ("default",), lambda: rows(conn, "watermark"), hint="There is none yet. To make it:")
    rows(conn, "create_realm", "tour", "builtin:hash", width=16)
    refused(
        "GR003",
        ("default",),
        lambda: rows(conn, "watermark"),
        hint="Known: tour. SET graphrag.realm chooses one",
    )
    refused("GR003", ("*",), lambda: rows(conn, "watermark", "*"), hint="Every space of a realm: space => '*'.")
    conn.execute("set graphrag.realm = 'tour'")
    rows(conn, "watermark")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_is_refused(
    conn: Connection, database: Database, encoding: str
) -> None:
    other = Database(make_conninfo(database.dsn, dbname=f"{database.name}_other"))
    conn.execute(
        f"create database {other.name} encoding '{encoding}' template template0 lc_collate 'C' lc_ctype 'C'"
    )
    try:
        with other.connect() as there:
            there.execute("create extension graphrag cascade")
            refused("GR204", (encoding,), lambda: create(there, "kb"))
            assert sql(there, "select from pg_namespace where nspname = 'kb'") == []
    finally:
        conn.execute(f"drop database {other.name} with (force)")

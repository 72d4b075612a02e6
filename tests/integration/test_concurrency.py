"""Writers of one space take turns: no duplicates, no deadlock, and the graph that one writer alone makes."""

from __future__ import annotations

import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import eventually, row, rows, waiting
from tests.support.corpus import (
    PREDICATES,
    VOCABULARY,
    Draft,
    as_document,
    as_json,
    differences,
    index,
    make_realm,
)
from tests.support.database import Connection, Database, value, view
from tests.support.graph import read_graph
from tests.support.model import Entity, Extraction, Triple, derive, fold

NAMES = ("Ann", "Bob", "Carla", "Acme")
REALM = "busy"


def draft(number: int, names: tuple[str, ...]) -> Draft:
    """A document about the names, in that order; each of them founded the next one."""
    pairs = itertools.pairwise(names)
    triples = tuple(Triple(first, "founded", second) for first, second in pairs)
    return Draft(f"doc {number}", number, None, (Extraction(tuple(map(Entity, names)), triples),))


def test_opposite_orders_neither_deadlock_nor_duplicate(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    forth, back = draft(1, NAMES), draft(2, NAMES[::-1])
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        index(first, REALM, "default", forth)

        def second_writer() -> None:
            with database.connect() as second:
                index(second, REALM, "default", back)

        second = pool.submit(second_writer)
        eventually(lambda: waiting(conn))
        index(first, REALM, "default", draft(3, NAMES))
        first.commit()
        second.result(timeout=10)
    assert sorted(entity["name"] for entity in view(conn, REALM, "entities")) == sorted(NAMES)
    assert len(view(conn, REALM, "facts")) == 6
    assert differences(conn, REALM, "default") == 0


def test_four_writers_make_the_graph_of_one(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    drafts = [draft(number, NAMES[number % 4 :] + NAMES[: number % 4]) for number in range(24)]
    barrier = threading.Barrier(4)

    def write(share: list[Draft]) -> None:
        with database.connect() as mine:
            barrier.wait(timeout=10)
            for one in share:
                index(mine, REALM, "shared", one)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [drafts[start::4] for start in range(4)]))
    found = read_graph(conn, REALM, "shared", VOCABULARY)
    assert found == derive(map(as_document, drafts), PREDICATES)
    assert differences(conn, REALM, "shared") == 0
    revisions = [revision["n"] for revision in view(conn, REALM, "revision")]
    assert sorted(revisions) == list(range(1, 25))


def test_eight_writers_of_contested_names_make_the_graph_of_one(database: Database, conn: Connection) -> None:
    """The same names in opposite orders, alias claims arriving at random, short forms that documents settle."""
    make_realm(conn, REALM)
    chance = random.Random(4)
    people = [
        Entity("Charles Babbage", "Person"),
        Entity("Benjamin Babbage", "Person"),
        Entity("Babbage", "Person"),
        Entity("Mr. Babbage", "Person"),
        Entity("Charles", "Person"),
    ]

    def told(number: int) -> Draft:
        """Some of the people, forwards or backwards; one in three claims to be called Babbage or Charles too."""
        some = chance.sample(people, 4)[:: 1 if number % 2 else -1]
        named = tuple(
            replace(one, aliases=(alias,))
            if chance.random() < 1 / 3 and (alias := chance.choice(("Babbage", "Charles"))) != one.name
            else one
            for one in some
        )
        triples = tuple(Triple(one.name, "founded", other.name) for one, other in itertools.pairwise(some))
        return Draft(f"doc {number:02}", number, None, (Extraction(named, triples),))

    drafts = [told(number) for number in range(40)]
    barrier = threading.Barrier(8)

    def write(share: list[Draft]) -> None:
        with database.connect() as mine:
            barrier.wait(timeout=10)
            for one in share:
                index(mine, REALM, "shared", one)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, [drafts[start::8] for start in range(8)]))
    found = read_graph(conn, REALM, "shared", VOCABULARY)
    expected = derive(map(as_document, drafts), PREDICATES)
    assert dict(found.entities) == dict(expected.entities)
    assert dict(found.relations) == dict(expected.relations)
    assert differences(conn, REALM, "shared") == 0
    names = [fold(entity["name"]) for entity in view(conn, REALM, "entities")]
    assert len(names) == len(set(names))


def test_two_writers_of_one_document_leave_one_version(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    barrier = threading.Barrier(2)

    def write(name: str) -> None:
        with database.connect() as mine:
            barrier.wait(timeout=10)
            for _ in range(5):
                says = as_json(Extraction((Entity(name), Entity("Acme")), (Triple(name, "founded", "Acme"),)))
                row(mine, "index", f"{name} founded Acme.", document="a", extraction=says, realm=REALM)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, ("Ann", "Bob")))
    assert len(view(conn, REALM, "facts")) == 1
    assert len([version for version in view(conn, REALM, "document_version") if version["died"] is None]) == 1
    assert differences(conn, REALM, "default") == 0


def test_writers_of_two_spaces_do_not_wait_for_each_other(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    with database.connect(autocommit=False) as first:
        index(first, REALM, "north", draft(1, NAMES))
        conn.execute("set lock_timeout = '5s'")
        index(conn, REALM, "south", draft(1, NAMES))
        first.rollback()
    assert {entity["space"] for entity in view(conn, REALM, "entities")} == {"south"}


def test_a_reader_does_not_wait_for_a_writer(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    index(conn, REALM, "default", draft(1, NAMES))
    with database.connect(autocommit=False) as writer:
        index(writer, REALM, "default", draft(2, ("Ann", "Zoë")))
        conn.execute("set lock_timeout = '5s'")
        found = rows(conn, "retrieve", "Zoë", realm=REALM)
        assert not any("Zoë" in piece["text"] for piece in found)
        writer.commit()
    assert any("Zoë" in piece["text"] for piece in rows(conn, "retrieve", "Zoë", realm=REALM))


def test_the_loser_at_repeatable_read_is_told_to_try_again(database: Database, conn: Connection) -> None:
    make_realm(conn, REALM)
    index(conn, REALM, "default", draft(1, NAMES))
    with database.connect(autocommit=False) as loser:
        loser.execute("set transaction isolation level repeatable read")
        loser.execute("select 1 from pg_class limit 1")
        index(conn, REALM, "default", draft(2, NAMES))
        with pytest.raises(psycopg.errors.SerializationFailure):
            index(loser, REALM, "default", draft(3, NAMES))


@pytest.mark.parametrize("change", ["declare_predicate", "configure"])
def test_so_is_who_began_before_the_vocabulary_changed(
    database: Database, conn: Connection, change: str
) -> None:
    """Though nothing that is there changes with it: else the document would be judged by rules of the past."""
    make_realm(conn, REALM)
    index(conn, REALM, "default", draft(1, NAMES))
    before = value(conn, "select revision from busy.space")
    with database.connect(autocommit=False) as loser:
        loser.execute("set transaction isolation level repeatable read")
        loser.execute("select 1 from pg_class limit 1")
        if change == "configure":
            rows(conn, change, "supersession_confidence_floor", Jsonb(0.1), realm=REALM)
        else:
            rows(conn, change, "rules", is_functional=True, realm=REALM)
        with pytest.raises(psycopg.errors.SerializationFailure):
            index(loser, REALM, "default", draft(2, NAMES))
        loser.rollback()
    assert value(conn, "select revision from busy.space") == before


@pytest.mark.parametrize(
    "first",
    [
        "select graphrag.retract_relation('Ann', 'founded', 'Bob', realm => 'busy')",
        "select graphrag.delete_document('doc 0', realm => 'busy')",
        "select graphrag.merge_entities('Ann', 'Carla', realm => 'busy')",
        "select graphrag.derive('busy')",
        "select graphrag.purge(before => '1', dry_run => false, realm => 'busy')",
        "delete from busy.assertion where subject = 'ann'",
    ],
)
def test_a_transaction_of_several_writes_and_a_change_of_the_vocabulary(
    database: Database, conn: Connection, first: str
) -> None:
    """Whatever a transaction writes first, the document that it writes next waits for nobody who waits for it."""
    make_realm(conn, REALM)
    index(conn, REALM, "default", draft(0, ("Ann", "Bob", "Carla")))
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as writer:
        writer.execute(first.encode())

        def redeclare() -> None:
            with database.connect() as other:
                rows(other, "declare_predicate", "started", aliases=["founded"], realm=REALM)

        other = pool.submit(redeclare)
        eventually(lambda: waiting(conn))
        index(writer, REALM, "default", draft(1, ("Carla", "Acme")))
        writer.commit()
        other.result(timeout=30)
    assert differences(conn, REALM, "default") == 0

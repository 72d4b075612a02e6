"""P5: chained calls of changes_since see every committed change once, in order: beside concurrent writers, whatever the
page size, on a hot standby, and in a restored dump. What there is to see is worked out from the version tables."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count

import psycopg
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest_postgresql.executors import NoopExecutor

from tests.integration.test_dump import copy
from tests.support.calls import eventually, row, rows
from tests.support.corpus import as_json, make_realm
from tests.support.database import GUARD_MS, Connection, Database, new_database, value
from tests.support.feed import Change, changes, drain, expected, follow
from tests.support.model import Entity, Extraction, Triple
from tests.support.servers import new_server, standby_of

REALM = "feed"
WRITERS, READERS = 8, 4
STEPS = 2
PEOPLE, CITIES = ("Ann", "Bob", "Carla"), ("Paris", "Berlin", "Rome")
#: Who reads "*" goes through all spaces of the realm: no realm gets more examples than this.
EXAMPLES_A_REALM = 25
_NUMBERS = count()


# ---------------------------------------------------------------- writers and readers
class Bell:
    """Rung at each commit, for those who wait for something new; and once more, when it is over."""

    def __init__(self) -> None:
        self._rung, self._over, self._changed = 0, False, threading.Condition()

    def ring(self, last: bool = False) -> None:
        with self._changed:
            self._rung, self._over = self._rung + 1, self._over or last
            self._changed.notify_all()

    def wait(self, heard: int) -> tuple[int, bool]:
        """Until it has been rung more than so many times: how many times now, and whether it is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._rung > heard or self._over)
            return self._rung, self._over


@contextmanager
def sessions(database: Database, number: int, *options: str) -> Iterator[list[Connection]]:
    """Connections that many examples use: what costs time in a new one is not what is tested."""
    given_options = " ".join(f"-c {option}" for option in (f"statement_timeout={GUARD_MS}", *options))
    with ExitStack() as stack:
        yield [stack.enter_context(database.connect(options=given_options)) for _ in range(number)]


def write(
    conn: Connection, seed: int, realm: str, spaces: Sequence[str], steps: int, bells: Sequence[Bell] = ()
) -> None:
    """Some documents come, change and go; some of it is rolled back."""
    chance = random.Random(seed)
    for _ in range(steps):
        try:
            with conn.transaction():
                for _ in range(chance.choice((1, 1, 2))):
                    _step(conn, chance, realm, spaces)
                if chance.random() < 0.2:
                    raise psycopg.Rollback
        except psycopg.errors.DeadlockDetected:
            pass  # of two spaces in one transaction, in opposite orders; the loser may be who waits behind them
        except psycopg.Error as error:
            if error.sqlstate != "GR012":  # somebody else deleted it
                raise
        for bell in bells:
            bell.ring()


def _step(conn: Connection, chance: random.Random, realm: str, spaces: Sequence[str]) -> None:
    name, space = f"doc {chance.randrange(6)}", chance.choice(spaces)
    if chance.random() < 0.25:
        rows(conn, "delete_document", name, space=space, realm=realm)
        return
    who, where = chance.choice(PEOPLE), chance.choice(CITIES)
    aliases = (f"{who} of {where}",) if chance.random() < 0.3 else ()
    says = Extraction((Entity(who, aliases=aliases), Entity(where)), (Triple(who, "lives_in", where),))
    row(
        conn, "index", f"{who} lives in {where}. Or: {who} of {where}.", document=name,
        ordinal=chance.randrange(5), extraction=as_json(says), space=space, realm=realm,
    )  # fmt: skip


def begin(conn: Connection, realm: str, spaces: Sequence[str]) -> None:
    """A first document in each space: spaces of the same realm have one order of locks."""
    for space in spaces:
        row(conn, "index", "Ann.", document="first", ordinal=0, space=space, realm=realm,
            extraction={"entities": [{"name": "Ann"}], "triples": []})  # fmt: skip


def read(conn: Connection, seed: int, realm: str, space: str, since: str | None, bell: Bell) -> list[Change]:
    """Follow the feed beside the writers, and once more when they are done."""
    chance, seen = random.Random(seed), list[Change]()
    heard, is_over = 0, False
    while not is_over:
        heard, is_over = bell.wait(heard)
        for page in follow(conn, lambda: chance.choice((1, 2, 3, 10, 100)), since, realm=realm, space=space):
            since = page[-1]["position"]
            seen += changes(page)
    return seen


def check(told: list[Change], seen: list[tuple[str, list[Change]]], spaces: Sequence[str]) -> None:
    for space, found in seen:
        assert len(found) == len(set(found)), "a change was told twice"
        for name in spaces:
            mine = [change for change in found if change[0] == name]
            assert mine == [change for change in told if change[0] == name and space in ("*", name)]


# ---------------------------------------------------------------- a primary and its standby
@dataclass(frozen=True)
class Pair:
    primary: Database
    standby: Database


@pytest.fixture(scope="module")
def pair(module_database: Database) -> Iterator[Pair]:
    """A primary that serves this module alone, so that nobody kills it, and its streaming standby."""
    with module_database.connect() as conn, new_server(conn) as server:
        server.initdb(like=conn)
        server.start()
        primary = server.database("postgres")
        with standby_of(primary) as standby:
            yield Pair(primary, standby.database("postgres"))


@dataclass(frozen=True)
class Crew:
    """Sessions on a primary, and on its standby."""

    primary: Connection
    writers: list[Connection]
    readers: list[Connection]
    standby: Connection
    apart: list[Connection]  # readers on the standby


@pytest.fixture(scope="module")
def crew(pair: Pair) -> Iterator[Crew]:
    with pair.primary.connect() as conn:
        conn.execute("create extension graphrag cascade")
    read_only = "default_transaction_read_only=on"
    with (
        sessions(pair.primary, 1) as primary,
        # Who waits for another for longer than this looks whether they wait for each other.
        sessions(pair.primary, WRITERS, "deadlock_timeout=20ms") as writers,
        sessions(pair.primary, READERS, read_only) as readers,
        sessions(pair.standby, 2) as standby,
    ):
        yield Crew(primary[0], writers, readers, standby[0], standby[1:])


@given(seed=st.integers(0, 2**31))
def test_readers_beside_writers_see_every_change_once(crew: Crew, seed: int) -> None:
    """Eight writers; four readers on the primary and one on its standby, who begin at different places."""
    number = next(_NUMBERS)
    realm, spaces = f"{REALM} {number // EXAMPLES_A_REALM}", (f"north {number}", f"south {number}")
    if number % EXAMPLES_A_REALM == 0:
        make_realm(crew.primary, realm)
    at = row(crew.primary, "watermark", realm, "*")["watermark"]
    begin(crew.primary, realm, spaces)
    catch_up(crew.primary, crew.standby, realm)
    here, there = Bell(), Bell()  # on the standby it is over when it has all arrived
    reading = [("*", at), (spaces[0], None), ("*", at), (spaces[1], None), ("*", at)]
    bells = [here] * READERS + [there] * len(crew.apart)
    with ThreadPoolExecutor(WRITERS + len(reading)) as pool:
        seen = [
            (space, pool.submit(read, conn, seed - no, realm, space, since, bell))
            for no, (conn, bell, (space, since)) in enumerate(
                zip([*crew.readers, *crew.apart], bells, reading, strict=True)
            )
        ]
        try:
            writing = [
                pool.submit(write, conn, seed * 100 + no, realm, spaces, STEPS, (here, there))
                for no, conn in enumerate(crew.writers)
            ]
            for writer in writing:
                writer.result(timeout=120)
            catch_up(crew.primary, crew.standby, realm)
        finally:
            here.ring(last=True)
            there.ring(last=True)
        told = expected(crew.primary, realm, spaces)
        check(told, [(space, reader.result(timeout=60)) for space, reader in seen], spaces)
    assume(len(told) > 10)  # where nearly all was rolled back, nothing was tried


def test_a_standby_that_is_behind_tells_nothing_yet(crew: Crew) -> None:
    primary, standby = crew.primary, crew.standby
    make_realm(primary, REALM)
    begin(primary, REALM, ("north",))
    at = catch_up(primary, standby, REALM)
    assert value(standby, "select pg_is_in_recovery()")
    standby.execute("select pg_wal_replay_pause()")
    eventually(lambda: value(standby, "select pg_get_wal_replay_pause_state() = 'paused'"))
    try:
        row(primary, "index", "Bob.", document="late", ordinal=9, space="north", realm=REALM,
            extraction={"entities": [{"name": "Bob"}], "triples": []})  # fmt: skip
        ahead = str(row(primary, "watermark", REALM, "*")["watermark"])
        assert ahead != at
        assert drain(standby, ahead, realm=REALM, space="*") == []
        assert drain(standby, at, realm=REALM, space="*") == []
    finally:
        standby.execute("select pg_wal_replay_resume()")
    catch_up(primary, standby, REALM)
    assert drain(standby, ahead, realm=REALM, space="*") == []
    assert changes(drain(standby, at, realm=REALM, space="*"))[0][2] == "document_added"


def catch_up(primary: Connection, standby: Connection, realm: str) -> str:
    """Wait until the standby has what the primary has; the watermark of both."""
    there = str(row(primary, "watermark", realm, "*")["watermark"])

    def here() -> str | None:
        try:
            return str(row(standby, "watermark", realm, "*")["watermark"])
        except psycopg.Error:  # the realm has not got there yet
            return None

    eventually(lambda: here() == there, timeout=60)
    return there


# ---------------------------------------------------------------- a restored dump
def test_a_restored_dump_goes_on_where_the_feed_was(server: NoopExecutor, database: Database) -> None:
    """One dump of many histories, each read to some place before it and on from there after it."""
    spaces = [f"space {number}" for number in range(min(settings.default.max_examples, 200))]  # type: ignore[union-attr]
    chance = random.Random(11)
    with sessions(database, WRITERS, "deadlock_timeout=20ms") as writers:
        make_realm(writers[0], REALM)
        begin(writers[0], REALM, spaces)
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(lambda no: write(writers[no], no, REALM, spaces, len(spaces) // 4), range(WRITERS)))
        told = expected(writers[0], REALM)
        first = {
            space: rows(
                writers[0], "changes_since", page_size=chance.randint(1, of), realm=REALM, space=space
            )
            for space, of in [*((space, 8) for space in spaces), ("*", len(told))]
        }
        with new_database(server, f"{database.name}_copy", template="template0") as restored:
            copy(writers[0], database, restored)
            with restored.connect() as again:
                write(again, 12, REALM, spaces, len(spaces))
                more = expected(again, REALM)
                assert len(more) > len(told)
                for space, before in first.items():
                    size = chance.choice((1, 2, 3, 10, 100))
                    rest = drain(again, before[-1]["position"], size, realm=REALM, space=space)
                    check(more, [(space, changes(before) + changes(rest))], spaces)

"""P5: chained calls of changes_since see every committed change once, in order: beside concurrent writers, whatever the
page size, on a hot standby, and in a restored dump. What there is to see is worked out from the version tables."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_postgresql.executors import NoopExecutor

from tests.integration.test_cluster import Cluster
from tests.integration.test_dump import copy
from tests.support.calls import eventually, row, rows
from tests.support.corpus import as_json, make_realm
from tests.support.database import Connection, Database, new_database, value
from tests.support.feed import Change, changes, drain, expected, follow
from tests.support.model import Entity, Extraction, Triple

REALM = "feed"
SPACES = ("north", "south")
WRITERS, READERS = 8, 4
STEPS = 4
PEOPLE, CITIES = ("Ann", "Bob", "Carla"), ("Paris", "Berlin", "Rome")
_NUMBERS = count()
_HEAVY = max(2, settings.default.max_examples // 25)  # type: ignore[union-attr]


def write(database: Database, seed: int, realm: str = REALM) -> None:
    """Some documents come, change and go; some of it is rolled back."""
    chance = random.Random(seed)
    with database.connect() as conn:
        for _ in range(STEPS):
            try:
                with conn.transaction():
                    for _ in range(chance.choice((1, 1, 2))):
                        _step(conn, chance, realm)
                    if chance.random() < 0.2:
                        raise psycopg.Rollback
            except psycopg.errors.DeadlockDetected:
                pass  # of two spaces in one transaction, in opposite orders: the loser's changes are none
            except psycopg.Error as error:
                if error.sqlstate != "GR012":  # somebody else deleted it
                    raise


def _step(conn: Connection, chance: random.Random, realm: str) -> None:
    name, space = f"doc {chance.randrange(6)}", chance.choice(SPACES)
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


def read(
    database: Database, seed: int, space: str, until: threading.Event, realm: str = REALM
) -> list[Change]:
    """Follow the feed beside the writers, and once more when they are done."""
    chance, seen, since = random.Random(seed), list[Change](), None
    with database.connect(options="-c default_transaction_read_only=on") as conn:
        while True:
            is_last = until.is_set()
            for page in follow(
                conn, lambda: chance.choice((1, 2, 3, 10, 100)), since, realm=realm, space=space
            ):
                since = page[-1]["position"]
                seen += changes(page)
            if is_last:
                return seen


@contextmanager
def commotion(
    database: Database, conn: Connection, seed: int, readers: list[Database], realm: str = REALM
) -> Iterator[list[tuple[str, list[Change]]]]:
    """Eight writers and, beside them, readers on the given databases: what each reader of which space saw."""
    for space in SPACES:
        row(conn, "index", "Ann.", document="first", ordinal=0, space=space, realm=realm,
            extraction={"entities": [{"name": "Ann"}], "triples": []})  # fmt: skip
    done, seen = threading.Event(), list[tuple[str, list[Change]]]()
    with ThreadPoolExecutor(WRITERS + len(readers)) as pool:
        spaces = ["*", "north", "*", "south"]
        reading = [
            (space, pool.submit(read, where, seed + no, space, done, realm))
            for no, (where, space) in enumerate(zip(readers, spaces, strict=False))
        ]
        try:
            writing = [pool.submit(write, database, seed * 100 + number, realm) for number in range(WRITERS)]
            for writer in writing:
                writer.result(timeout=120)
            yield seen
        finally:
            done.set()
        seen += [(space, reader.result(timeout=60)) for space, reader in reading]


def check(told: list[Change], seen: list[tuple[str, list[Change]]]) -> None:
    for space, found in seen:
        assert len(found) == len(set(found)), "a change was told twice"
        for name in SPACES:
            mine = [change for change in found if change[0] == name]
            assert mine == [change for change in told if change[0] == name and space in ("*", name)]


@given(seed=st.integers(0, 2**31))
@settings(max_examples=_HEAVY)
def test_readers_beside_writers_see_every_change_once(module_database: Database, seed: int) -> None:
    with module_database.connect() as conn:
        realm = f"feed {next(_NUMBERS)}"
        make_realm(conn, realm)
        with commotion(module_database, conn, seed, [module_database] * READERS, realm) as seen:
            pass
        told = expected(conn, realm)
        assert len(told) > 30
        check(told, seen)


def test_a_restored_dump_goes_on_where_the_feed_was(server: NoopExecutor, database: Database) -> None:
    with database.connect() as conn:
        make_realm(conn, REALM)
        with commotion(database, conn, 11, []) as _:
            pass
        told = expected(conn, REALM)
        first = rows(conn, "changes_since", page_size=len(told) // 2, realm=REALM, space="*")
        with new_database(server, f"{database.name}_copy", template="template0") as restored:
            copy(conn, database, restored)
            write(restored, 12)
            with restored.connect() as again:
                more = expected(again, REALM)
                rest = drain(again, first[-1]["position"], 3, realm=REALM, space="*")
                assert len(more) > len(told)
                check(more, [("*", changes(first) + changes(rest))])


# ---------------------------------------------------------------- a hot standby
@dataclass(frozen=True)
class Pair:
    primary: Database
    standby: Database


@pytest.fixture(scope="module")
def pair(module_database: Database) -> Iterator[Pair]:
    """A primary and its streaming standby: clusters of their own, that find the extension where the tests' one does."""
    with module_database.connect() as conn:
        root = value(conn, "show extension_destdir")
        bindir = Path(value(conn, "select setting from pg_config where name = 'BINDIR'"))
    states = [Path(tempfile.mkdtemp(prefix="graphrag-test-", dir="/var/tmp")) for _ in range(2)]
    first, second = map(Cluster, states)
    try:
        for state in states:
            state.chmod(0o755)
            (state / "root").symlink_to(root)
        first.run("start")
        dsn = first.run("dsn").strip()
        (second.state / "cluster").mkdir()
        if os.getuid() == 0:
            shutil.chown(second.state / "cluster", "postgres", "postgres")
        target = second.state / "cluster" / "data"
        backup = [str(bindir / "pg_basebackup"), "--pgdata", str(target), "--checkpoint=fast", "--write-recovery-conf",
                  "--dbname", dsn]  # fmt: skip
        if os.getuid() == 0:
            backup = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *backup]
        subprocess.run(backup, check=True, capture_output=True, timeout=120, cwd="/")
        second.run("start")
        yield Pair(Database(dsn), Database(second.run("dsn").strip()))
    finally:
        for cluster in (second, first):
            cluster.run("stop")
            shutil.rmtree(cluster.state)


def test_readers_on_a_hot_standby_see_every_change_once(pair: Pair) -> None:
    with pair.primary.connect() as conn:
        conn.execute("create extension graphrag cascade")
        make_realm(conn, REALM)
        arrive(pair)
        with commotion(pair.primary, conn, 7, [pair.standby] * READERS) as seen:
            arrive(pair)
        check(expected(conn, REALM), seen)


def test_a_standby_that_is_behind_tells_nothing_yet(pair: Pair) -> None:
    at = arrive(pair)
    with pair.primary.connect() as conn, pair.standby.connect() as standby:
        assert value(standby, "select pg_is_in_recovery()")
        standby.execute("select pg_wal_replay_pause()")
        eventually(lambda: value(standby, "select pg_get_wal_replay_pause_state() = 'paused'"))
        try:
            row(conn, "index", "Bob.", document="late", ordinal=9, space="north", realm=REALM,
                extraction={"entities": [{"name": "Bob"}], "triples": []})  # fmt: skip
            ahead = str(row(conn, "watermark", REALM, "*")["watermark"])
            assert ahead != at
            assert drain(standby, ahead, realm=REALM, space="*") == []
            assert drain(standby, at, realm=REALM, space="*") == []
        finally:
            standby.execute("select pg_wal_replay_resume()")
        arrive(pair)
        assert drain(standby, ahead, realm=REALM, space="*") == []
        assert changes(drain(standby, at, realm=REALM, space="*"))[0][2] == "document_added"


def arrive(pair: Pair) -> str:
    """Wait until the standby has what the primary has; the watermark of both."""
    with pair.primary.connect() as conn:
        there = str(row(conn, "watermark", REALM, "*")["watermark"])

    def here() -> str | None:
        with pair.standby.connect() as standby:
            try:
                return str(row(standby, "watermark", REALM, "*")["watermark"])
            except psycopg.Error:  # the realm has not got there yet
                return None

    eventually(lambda: here() == there, timeout=60)
    return there

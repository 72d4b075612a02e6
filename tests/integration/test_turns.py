"""How many requests are at a server at a time, from all sessions of a database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from psycopg.errors import QueryCanceled

from tests.support import endpoint as faults
from tests.support.calls import eventually, refused, row, rows, set_models
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint, is_chat
from tests.support.reading import PEOPLE, REALM, fresh, make_realm, pages

LIMIT = 1.5  # seconds from a stop to the end of what is stopped


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def models(conn: Connection, endpoint: Endpoint) -> Endpoint:
    make_realm(conn, endpoint)
    return endpoint


@pytest.fixture
def four(module_database: Database) -> Iterator[list[Connection]]:
    with ExitStack() as stack:
        yield [stack.enter_context(module_database.connect()) for _ in range(4)]


def limit_to(conn: Connection, models: Endpoint, limit: int, **options: float) -> None:
    """The option of both roles; vectors are not what these tests wait for."""
    set_models(conn, models, "extraction", "synthesis", realm=REALM, concurrency=limit, **options)
    rows(
        conn, "set_endpoint", "embedding", models.url, "vectors", options={"concurrency": limit}, realm=REALM
    )


def ask(conn: Connection) -> Row:
    return row(conn, "query", "Who founded Acme?", mode="bypass", realm=REALM)


def turns(conn: Connection) -> int:
    """Advisory locks on turns of any server, and of those who wait for one."""
    return int(value(conn, "select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2"))


@pytest.mark.parametrize("limit", [1, 3, 6])
def test_four_sessions_share_the_limit(
    conn: Connection, models: Endpoint, four: list[Connection], limit: int
) -> None:
    limit_to(conn, models, limit)
    models.inject(faults.slow(0.05))
    with ThreadPoolExecutor(4) as pool:

        def index(number: int) -> Row:
            return row(four[number], "index", pages(*PEOPLE[:6]), document=f"d{number}", realm=REALM)

        found = list(pool.map(index, range(4)))
    assert [result["failed"] for result in found] == [0] * 4
    assert models.most_at_once == limit
    assert turns(conn) == 0


def test_without_the_option_the_limit_is_sixteen(
    conn: Connection, models: Endpoint, module_database: Database
) -> None:
    rows(conn, "configure", "max_concurrent_chunks", psycopg.types.json.Jsonb(8), realm=REALM)
    models.inject(faults.slow(0.3))
    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        four = [stack.enter_context(module_database.connect()) for _ in range(4)]

        def index(number: int) -> Row:
            return row(four[number], "index", pages(*PEOPLE[:8]), document=f"d{number}", realm=REALM)

        assert [result["failed"] for result in pool.map(index, range(4))] == [0] * 4
    assert 8 < models.most_at_once <= 16


def test_one_statement_may_ask_for_more(conn: Connection, models: Endpoint) -> None:
    """The default limits sessions together; it slows none that is alone."""
    rows(conn, "configure", "max_concurrent_chunks", psycopg.types.json.Jsonb(24), realm=REALM)
    models.inject(faults.slow(0.5))
    row(conn, "index", pages(*PEOPLE, *(f"New{name}" for name in PEOPLE)), document="d", realm=REALM)
    assert models.most_at_once == 24


def test_servers_are_limited_each_for_itself(
    conn: Connection, models: Endpoint, four: list[Connection]
) -> None:
    release = threading.Event()
    with Endpoint() as other:
        limit_to(conn, models, 1)
        models.inject(faults.held(release))
        with ThreadPoolExecutor(1) as pool:
            waits = pool.submit(ask, four[0])
            models.wait_for(1)
            set_models(conn, other, "synthesis", realm=REALM, concurrency=1)
            assert ask(four[1])["answer"]
            release.set()
            waits.result(timeout=10)


# ---------------------------------------------------------------- waiting for a turn
@pytest.fixture
def taken(conn: Connection, models: Endpoint, four: list[Connection]) -> Iterator[threading.Event]:
    """The only turn is another session's until the event is set."""
    release = threading.Event()
    limit_to(conn, models, 1, deadline=20)
    models.inject(faults.held(release), times=1)
    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(ask, four[3])
        models.wait_for(1)
        try:
            yield release
        finally:
            release.set()
            try:
                holder.result(timeout=10)
            except psycopg.OperationalError:
                assert four[3].closed


def test_a_wait_counts_against_the_deadline(
    conn: Connection, models: Endpoint, taken: threading.Event
) -> None:
    limit_to(conn, models, 1, deadline=1)
    begun = time.monotonic()
    said = refused(
        "GR104", (models.url, "other sessions", "synthesis"), lambda: ask(conn), hint="concurrency"
    )
    assert 1 <= time.monotonic() - begun < 1 + LIMIT
    assert "Attempts: 0." in (said.message_detail or "")
    assert len(models.requests) == 1
    assert not taken.is_set()


@pytest.mark.parametrize("stop", ["cancel", "timeout", "terminate"])
def test_a_wait_can_be_stopped(
    conn: Connection, models: Endpoint, four: list[Connection], taken: threading.Event, stop: str
) -> None:
    victim = four[0]
    if stop == "timeout":
        victim.execute("set statement_timeout = '3s'")
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(ask, victim)
        eventually(lambda: turns(conn) == 2)
        begun = time.monotonic() + (3 if stop == "timeout" else 0)
        if stop != "timeout":
            name = "pg_cancel_backend" if stop == "cancel" else "pg_terminate_backend"
            value(conn, f"select {name}(%s)", [victim.info.backend_pid])
        with pytest.raises(psycopg.OperationalError if stop == "terminate" else QueryCanceled):
            waits.result(timeout=10)
        assert time.monotonic() - begun < LIMIT
    eventually(lambda: turns(conn) == 1)
    assert len(models.requests) == 1
    taken.set()
    if stop != "terminate":
        assert ask(victim)["answer"]
        eventually(lambda: turns(conn) == 0)


def test_a_killed_session_gives_its_turn_back(
    conn: Connection, models: Endpoint, four: list[Connection], taken: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(ask, four[0])
        eventually(lambda: turns(conn) == 2)
        value(conn, "select pg_terminate_backend(%s)", [four[3].info.backend_pid])
        assert waits.result(timeout=5)["answer"]
    assert not taken.is_set()
    assert models.most_at_once <= 2, "the killed session's request may not have ended yet"
    eventually(lambda: turns(conn) == 0)


def test_a_long_wait_says_why(models: Endpoint, four: list[Connection], taken: threading.Event) -> None:
    said: list[str] = []
    four[0].add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(ask, four[0])
        eventually(lambda: said)
        taken.set()
        waits.result(timeout=10)
    (message,) = said
    assert models.url in message
    assert "other sessions" in message


def test_who_has_much_to_ask_lets_others_in_between(
    conn: Connection, models: Endpoint, four: list[Connection]
) -> None:
    limit_to(conn, models, 1)
    rows(conn, "configure", "gleaning_passes", psycopg.types.json.Jsonb(0), realm=REALM)
    ask(four[1])  # its libraries are loaded
    models.requests.clear()
    models.inject(faults.slow(0.3), where=is_chat)
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(row, four[0], "index", pages(*PEOPLE), document="long", realm=REALM)
        models.wait_for(2)
        for _ in range(2):
            assert ask(four[1])["answer"]
        assert not long.done()
        assert long.result(timeout=30)["failed"] == 0
    assert models.most_at_once == 1


# ---------------------------------------------------------------- giving turns back
@pytest.mark.parametrize(
    "fault", [faults.status(400), faults.status(503), faults.html(), faults.drop(), faults.slow(30)]
)
def test_a_failure_gives_its_turn_back(conn: Connection, models: Endpoint, fault: faults.Fault) -> None:
    limit_to(conn, models, 2, deadline=0.6)
    models.inject(fault, where=is_chat)
    with pytest.raises(psycopg.Error):
        ask(conn)
    assert turns(conn) == 0


def test_a_cancelled_call_gives_its_turns_back(
    conn: Connection, models: Endpoint, four: list[Connection]
) -> None:
    """At once, though the session lives on; also inside of a transaction that lives on."""
    release = threading.Event()
    limit_to(conn, models, 3)
    models.inject(faults.held(release), where=is_chat)
    victim = four[0]
    victim.execute("set statement_timeout = '600ms'")
    with victim.transaction():
        for _ in range(3):
            with pytest.raises(QueryCanceled), victim.transaction():
                row(victim, "index", pages(*PEOPLE[:6]), document="d", realm=REALM)
            assert turns(conn) == 0
    release.set()


def test_locks_of_the_users_own_are_left_alone(conn: Connection, models: Endpoint) -> None:
    limit_to(conn, models, 2)
    sql(conn, "select pg_advisory_lock(1, 1), pg_advisory_lock(1, 2), pg_advisory_lock(7)")
    assert ask(conn)["answer"]
    assert value(conn, "select count(*) from pg_locks where locktype = 'advisory'") == 3
    sql(conn, "select pg_advisory_unlock_all()")

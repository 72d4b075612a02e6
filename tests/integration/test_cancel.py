"""Stopping what waits for a model: by a timeout, a cancel, a terminated session, a client that went away.

An index run is stopped at ten instants, drawn from one seed: its n-th request and all later ones are never answered,
and the stop comes when that request has arrived. A timeout also strikes between requests. What a stop took is the
property `seconds` of its test: `pytest -o junit_family=xunit1 --junit-xml=FILE` writes it down.
"""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from psycopg.errors import QueryCanceled

from tests.support import endpoint as faults
from tests.support.calls import State, eventually, refused, row, rows, state
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint, is_chat, is_embedding, is_keywords
from tests.support.reading import PEOPLE, REALM, founders, make_realm, pages

LIMIT = 1.5  # seconds from a stop to the end of what is stopped
COMPUTING = (0.05, 0.4, 1.2, 2.5)  # seconds after which a run without models is stopped
LARGE = 3_200_000  # characters, which it computes with for much longer
SLOWNESS = 0.1  # seconds a request in the runs that a timeout ends
INSTANTS = sorted(map(random.Random(20240229).uniform, [0] * 10, [1] * 10))
READ = PEOPLE[:8]
DOCUMENT = pages(*READ)

Record = Callable[[str, object], None]
Stop = Callable[[Connection, Connection], None]


@dataclass(frozen=True)
class Site:
    """A realm with slow models, an empty one but for one small document."""

    database: Database
    endpoint: Endpoint
    requests: int  # that a whole run takes
    seconds: float  # that it takes at least, each request SLOWNESS
    before: State

    @contextmanager
    def stuck_after(self, requests: int, where: faults.Condition = faults.is_any) -> Iterator[None]:
        """The next so many requests are answered, no other until the block ends."""
        release = threading.Event()
        seen = sum(map(where, self.endpoint.requests))

        def is_late(request: faults.Request) -> bool:
            return where(request) and sum(map(where, self.endpoint.requests)) > seen + requests

        self.endpoint.inject(faults.held(release), where=is_late)
        try:
            yield
        finally:
            self.endpoint.heal()
            release.set()


@pytest.fixture(scope="module")
def whole_site(module_database: Database) -> Iterator[Site]:
    with Endpoint() as endpoint, module_database.connect() as conn:
        make_realm(conn, endpoint, batch_size=8)
        row(conn, "index", pages("Zed"), document="settled", realm=REALM)
        before = state(conn, REALM)
        endpoint.requests.clear()
        endpoint.inject(faults.slow(SLOWNESS))
        with conn.transaction(force_rollback=True):
            begun = time.monotonic()
            index(conn)
            seconds = time.monotonic() - begun
        yield Site(module_database, endpoint, len(endpoint.requests), seconds, before)


@pytest.fixture
def site(whole_site: Site) -> Site:
    whole_site.endpoint.heal()
    whole_site.endpoint.requests.clear()
    return whole_site


@pytest.fixture(scope="module")
def watch(whole_site: Site) -> Iterator[Connection]:
    """The session that stops others and looks at what they leave."""
    with whole_site.database.connect() as conn:
        yield conn


def index(conn: Connection) -> Row:
    return row(conn, "index", DOCUMENT, document="long", realm=REALM)


def ask(conn: Connection) -> Row:
    return row(conn, "query", "Who founded Acme?", keywords="llm", realm=REALM)


def ended_at(call: Callable[[Connection], Row], conn: Connection) -> tuple[float, psycopg.Error]:
    """When the call failed, and how."""
    with pytest.raises(psycopg.Error) as caught:
        call(conn)
    return time.monotonic(), caught.value


def check_session(conn: Connection, site: Site) -> None:
    """It indexes and answers; what it wrote is taken back."""
    site.endpoint.heal()
    with conn.transaction(force_rollback=True):
        assert index(conn)["failed"] == 0
        assert founders(conn) == {*READ, "Zed"}
        assert ask(conn)["answer"]


# ---------------------------------------------------------------- the four stops
def cancel(watch: Connection, victim: Connection) -> None:
    assert value(watch, "select pg_cancel_backend(%s)", [victim.info.backend_pid]) is True


def terminate(watch: Connection, victim: Connection) -> None:
    assert value(watch, "select pg_terminate_backend(%s)", [victim.info.backend_pid]) is True


def vanish(_: Connection, victim: Connection) -> None:
    """The network between client and server is gone; nobody says good-bye."""
    with socket.socket(fileno=socket.dup(victim.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


def is_answer(request: faults.Request) -> bool:
    return is_chat(request) and not is_keywords(request)


def is_gone(watch: Connection, pid: int) -> bool:
    return not sql(watch, "select pid from pg_stat_activity where pid = %s", [pid])


@pytest.mark.parametrize("instant", INSTANTS)
def test_a_cancelled_run_ends_and_its_session_goes_on(
    site: Site, watch: Connection, instant: float, record_property: Record
) -> None:
    answered = int(instant * site.requests)
    with site.database.connect() as victim, ThreadPoolExecutor(1) as pool, site.stuck_after(answered):
        running = pool.submit(ended_at, index, victim)
        site.endpoint.wait_for(answered + 1)
        stopped_at = time.monotonic()
        cancel(watch, victim)
        end, error = running.result(timeout=10)
        record_property("seconds", end - stopped_at)
        assert isinstance(error, QueryCanceled)
        assert end - stopped_at < LIMIT
        assert state(watch, REALM) == site.before
        check_session(victim, site)


@pytest.mark.parametrize("instant", INSTANTS)
@pytest.mark.parametrize("stop", [terminate, vanish])
def test_a_session_that_is_lost_leaves_nothing(
    site: Site, watch: Connection, stop: Stop, instant: float, record_property: Record
) -> None:
    """PostgreSQL itself is not told to look for its client."""
    answered = int(instant * site.requests)
    with (
        site.database.connect(options="-c client_connection_check_interval=0") as victim,
        ThreadPoolExecutor(1) as pool,
        site.stuck_after(answered),
    ):
        pid = victim.info.backend_pid
        running = pool.submit(ended_at, index, victim)
        site.endpoint.wait_for(answered + 1)
        stopped_at = time.monotonic()
        stop(watch, victim)
        eventually(lambda: is_gone(watch, pid))
        end = time.monotonic()
        record_property("seconds", end - stopped_at)
        assert end - stopped_at < LIMIT
        assert isinstance(running.result(timeout=10)[1], psycopg.OperationalError)
        assert state(watch, REALM) == site.before
    site.endpoint.heal()
    with watch.transaction(force_rollback=True):
        assert ask(watch)["answer"]


@pytest.mark.parametrize("instant", INSTANTS)
def test_statement_timeout_strikes_at_any_time(
    site: Site, watch: Connection, instant: float, record_property: Record
) -> None:
    """Of a run that would end by itself, so in the middle of an answer, of a batch, of a write as well."""
    timeout = instant * 0.9 * site.seconds
    site.endpoint.inject(faults.slow(SLOWNESS))
    with site.database.connect() as victim:
        victim.execute(f"set statement_timeout = {max(1, round(timeout * 1000))}")
        begun = time.monotonic()
        with pytest.raises(QueryCanceled):
            index(victim)
        late = time.monotonic() - begun - timeout
        record_property("seconds", late)
        assert late < LIMIT
        assert state(watch, REALM) == site.before
        victim.execute("set statement_timeout = 0")
        check_session(victim, site)


# ---------------------------------------------------------------- computing
@pytest.fixture(scope="module")
def large_document(whole_site: Site) -> str:
    """For a realm `large` whose wide vectors are computed in the server, and which no model reads."""
    with whole_site.database.connect() as conn:
        rows(conn, "create_realm", "large", "builtin:hash", width=1536)
    chance = random.Random(20240229)
    words = ["".join(chance.choices("aeioklmnrst", k=chance.randint(3, 9))) for _ in range(5000)]
    paragraphs = (" ".join(chance.choices(words, k=60)).capitalize() + "." for _ in range(LARGE // 300))
    document = "\n\n".join(paragraphs)
    assert len(document) >= LARGE
    return document


def stopped_late(conn: Connection, timeout: float, call: Callable[[], object]) -> float:
    """Seconds from a timeout to the end of the call."""
    conn.execute(f"set statement_timeout = {round(timeout * 1000)}")
    begun = time.monotonic()
    with pytest.raises(QueryCanceled):
        call()
    late = time.monotonic() - begun - timeout
    conn.execute("set statement_timeout = 0")
    return late


@pytest.mark.parametrize("timeout", COMPUTING)
def test_a_large_document_is_stopped_while_nobody_is_waited_for(
    site: Site, watch: Connection, large_document: str, timeout: float, record_property: Record
) -> None:
    """It is split, its vectors are computed and written down as text."""
    before = state(watch, "large")
    extraction: dict[str, list[str]] = {"entities": [], "triples": []}
    with site.database.connect() as victim:
        late = stopped_late(
            victim,
            timeout,
            lambda: row(
                victim, "index", large_document, document="large", extraction=extraction, realm="large"
            ),
        )
        record_property("seconds", late)
        assert late < LIMIT
        assert state(watch, "large") == before
        assert row(victim, "index", pages("Ann"), document="small", extraction=extraction, realm="large")[
            "chunks"
        ]
        rows(victim, "delete_document", "small", realm="large")


def test_splitting_is_stopped(site: Site, large_document: str) -> None:
    with site.database.connect() as victim:
        late = stopped_late(
            victim,
            0.3,
            lambda: value(victim, "select count(*) from graphrag._split(repeat(%s, 20))", [large_document]),
        )
        assert late < LIMIT


def test_a_question_is_no_document(site: Site, large_document: str) -> None:
    """Its words are counted and folded in single steps, which nothing stops."""
    with site.database.connect() as conn:
        begun = time.monotonic()
        refused("GR009", ("3",), lambda: rows(conn, "retrieve", large_document, realm="large"))
        assert time.monotonic() - begun < LIMIT
        rows(conn, "retrieve", large_document[:100_000], realm="large")


def test_reading_what_a_caller_found_is_stopped(site: Site) -> None:
    with site.database.connect() as victim:
        victim.execute("""
            create temporary table brought as
            select jsonb_build_object('entities', jsonb_agg(jsonb_build_object('name', 'Name ' || n))) as records
            from generate_series(1, 300000) as n
        """)
        late = stopped_late(
            victim, 1.0, lambda: sql(victim, "select graphrag._parse_extraction(records) from brought")
        )
        assert late < LIMIT


@pytest.mark.parametrize("instant", INSTANTS)
def test_a_session_whose_libraries_were_loading_loads_them_again(
    site: Site, instant: float, record_property: Record
) -> None:
    """The import of a large library is interrupted anywhere, and done again."""
    with site.database.connect() as victim:
        value(victim, "select graphrag._load_python()")
        late = 0.0
        timeout = 0.05 + 0.5 * instant
        victim.execute(f"set statement_timeout = {round(timeout * 1000)}")
        begun = time.monotonic()
        try:
            ask(victim)
        except QueryCanceled:
            late = time.monotonic() - begun - timeout
        record_property("seconds", late)
        assert late < LIMIT
        victim.execute("set statement_timeout = 0")
        check_session(victim, site)


# ---------------------------------------------------------------- transactions and questions
@pytest.mark.parametrize("instant", INSTANTS[::3])
def test_a_transaction_goes_on_after_its_savepoint(site: Site, watch: Connection, instant: float) -> None:
    answered = int(instant * site.requests)
    before = state(watch, REALM)
    with site.database.connect(autocommit=False) as victim, ThreadPoolExecutor(1) as pool:
        row(victim, "index", pages("Ann"), document="short", realm=REALM)
        victim.execute("savepoint before")
        site.endpoint.requests.clear()
        with site.stuck_after(answered):
            running = pool.submit(ended_at, index, victim)
            site.endpoint.wait_for(answered + 1)
            cancel(watch, victim)
            assert isinstance(running.result(timeout=10)[1], QueryCanceled)
        victim.execute("rollback to before")
        assert founders(victim) == {"Ann", "Zed"}
        assert row(victim, "index", pages("Bob"), document="next", realm=REALM)["failed"] == 0
        assert founders(victim) == {"Ann", "Bob", "Zed"}
        victim.rollback()
    assert state(watch, REALM) == before


@pytest.mark.parametrize("where", [is_embedding, is_keywords, is_answer])
@pytest.mark.parametrize("stop", [cancel, terminate])
def test_a_question_is_stopped(
    site: Site, watch: Connection, stop: Stop, where: faults.Condition, record_property: Record
) -> None:
    """While its keywords are thought of, while its words become vectors, and while the answer is written."""
    with site.database.connect() as victim, ThreadPoolExecutor(1) as pool, site.stuck_after(0, where):
        running: Future[tuple[float, psycopg.Error]] = pool.submit(ended_at, ask, victim)
        site.endpoint.wait_for(1, where)
        stopped_at = time.monotonic()
        stop(watch, victim)
        end, error = running.result(timeout=10)
        record_property("seconds", end - stopped_at)
        assert isinstance(error, QueryCanceled if stop is cancel else psycopg.OperationalError)
        assert end - stopped_at < LIMIT


@pytest.mark.parametrize(
    "fault", [faults.drip(0.05), faults.status(503), faults.status(429, retry_after="20")]
)
def test_whatever_the_endpoint_does_meanwhile(
    site: Site, watch: Connection, fault: faults.Fault, record_property: Record
) -> None:
    """It sends a byte now and then, or the wait before another attempt is on."""
    site.endpoint.inject(fault, where=is_chat)
    with site.database.connect() as victim, ThreadPoolExecutor(1) as pool:
        running = pool.submit(ended_at, index, victim)
        site.endpoint.wait_for(4, is_chat)
        stopped_at = time.monotonic()
        cancel(watch, victim)
        end, error = running.result(timeout=10)
        record_property("seconds", end - stopped_at)
        assert isinstance(error, QueryCanceled)
        assert end - stopped_at < LIMIT
        check_session(victim, site)


def test_a_realm_that_is_being_made_is_not_there(site: Site, watch: Connection) -> None:
    """create_realm() asks the endpoint for the width of its vectors."""
    with site.database.connect() as victim, ThreadPoolExecutor(1) as pool, site.stuck_after(0):
        running = pool.submit(
            ended_at, lambda conn: row(conn, "create_realm", "new", site.endpoint.url, "vectors"), victim
        )
        site.endpoint.wait_for(1)
        cancel(watch, victim)
        assert isinstance(running.result(timeout=10)[1], QueryCanceled)
        assert not sql(watch, "select nspname from pg_namespace where nspname = 'new'")
        site.endpoint.heal()
        assert rows(victim, "create_realm", "new", site.endpoint.url, "vectors")

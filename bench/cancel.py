"""How long a stop takes: `make bench-cancel` measures it at random instants and writes what it measured.

An index and a query, each once waiting for models and once computing, are stopped by a timeout, a cancel, a
terminated session and a client that is gone. Every run is a session's first: its libraries load meanwhile.
Environment: GRAPHRAG_DSN, the server (superuser). Exit code 1 if a stop took longer than the limit.
"""

from __future__ import annotations

import random
import socket
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import dict_row

from bench.measure import own_database, publish
from tests.support import endpoint as faults
from tests.support.calls import State, eventually, row, rows, state
from tests.support.database import Connection, Database, sql, value
from tests.support.endpoint import Endpoint
from tests.support.reading import PEOPLE, REALM, make_realm, pages

LIMIT = 1.5  # seconds
INSTANTS = 10
SEED = 20261130
SLOWNESS = 0.3  # seconds a request
LONGEST = 1.5  # seconds: the last instant
NAME = "graphrag_bench_cancel"
LARGE = "large"
NOTHING: dict[str, list[str]] = {"entities": [], "triples": []}

Run = Callable[[Connection], Any]


@dataclass
class Stops:
    """What one way of stopping one run took."""

    run: str
    stop: str
    instants: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def main() -> int:
    with (
        own_database(NAME) as dsn,
        Endpoint() as endpoint,
        Database(dsn).connect(options="") as watch,
    ):
        database = Database(dsn)
        runs = prepare(watch, endpoint)
        measured = [measure(database, watch, name, run, stop) for name, run in runs.items() for stop in STOPS]
        write(watch, measured)
    return 1 if max(max(stops.seconds) for stops in measured) > LIMIT else 0


def prepare(conn: Connection, endpoint: Endpoint) -> dict[str, Run]:
    conn.execute("set client_min_messages = warning; create extension graphrag cascade")
    make_realm(conn, endpoint, batch_size=8)
    row(conn, "index", pages("Zed"), document="settled", realm=REALM)
    rows(conn, "create_realm", LARGE, "builtin:hash", width=1536)
    row(conn, "index", pages("Zed"), document="settled", extraction=NOTHING, realm=LARGE)
    endpoint.inject(faults.slow(SLOWNESS))
    crowd = [f"{name}{number}" for name in PEOPLE for number in range(4)]
    document, question = prose(3_200_000), prose(90_000)[:99_000]
    return {
        "index, waiting for models": lambda c: row(c, "index", pages(*crowd), document="long", realm=REALM),
        "index, computing": lambda c: row(
            c, "index", document, document="large", extraction=NOTHING, realm=LARGE
        ),
        "query, waiting for models": lambda c: [
            row(c, "query", "Who founded Acme?", realm=REALM) for _ in range(20)
        ],
        "query's evidence, computing": lambda c: [
            rows(c, "retrieve", question, realm=LARGE) for _ in range(50)
        ],
    }


def prose(length: int) -> str:
    """Words that do not repeat much, in paragraphs."""
    chance = random.Random(SEED)
    words = ["".join(chance.choices("aeioklmnrst", k=chance.randint(3, 9))) for _ in range(5000)]
    paragraphs = (" ".join(chance.choices(words, k=60)).capitalize() + "." for _ in range(length // 300))
    return "\n\n".join(paragraphs)


# ---------------------------------------------------------------- the ways to stop
def cancel(watch: Connection, victim: Connection) -> None:
    value(watch, "select pg_cancel_backend(%s)", [victim.info.backend_pid])


def terminate(watch: Connection, victim: Connection) -> None:
    value(watch, "select pg_terminate_backend(%s)", [victim.info.backend_pid])


def vanish(_: Connection, victim: Connection) -> None:
    with socket.socket(fileno=socket.dup(victim.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


STOPS: dict[str, Callable[[Connection, Connection], None] | None] = {
    "statement_timeout": None,
    "pg_cancel_backend": cancel,
    "pg_terminate_backend": terminate,
    "client gone": vanish,
}


def measure(database: Database, watch: Connection, name: str, run: Run, stop: str) -> Stops:
    chance = random.Random(f"{SEED} {name} {stop}")
    stops = Stops(name, stop)
    before = states(watch)
    for instant in sorted(chance.uniform(0, LONGEST) for _ in range(INSTANTS)):
        taken = once(database, watch, run, stop, instant)
        if taken is None:
            continue  # the run had ended before
        stops.instants.append(round(instant, 3))
        stops.seconds.append(round(taken, 3))
        if states(watch) != before:
            raise SystemExit(f"{name}: {stop} after {instant:.3f} s left something behind")
    print(
        f"{name:28}{stop:22}{len(stops.seconds):3} stops"
        f"   median {statistics.median(stops.seconds):.3f} s   most {max(stops.seconds):.3f} s",
        flush=True,
    )
    return stops


def states(watch: Connection) -> list[State]:
    """Of what documents say; a query that was answered before the stop may have noted its cost."""
    return [
        {table: found for table, found in state(watch, realm).items() if table != "usage"}
        for realm in (REALM, LARGE)
    ]


def once(database: Database, watch: Connection, run: Run, stop: str, instant: float) -> float | None:
    """Seconds from the stop to the end; None if the run ended by itself."""
    options = "-c client_connection_check_interval=500ms -c client_min_messages=error"
    act = STOPS[stop]
    if act is None:
        options += f" -c statement_timeout={max(1, round(instant * 1000))}"
    with (
        psycopg.connect(database.dsn, row_factory=dict_row, options=options) as victim,
        ThreadPoolExecutor(1) as pool,
    ):
        pid = victim.info.backend_pid
        begun = time.monotonic()
        running = pool.submit(ended_at, run, victim)
        stopped_at = begun + instant
        if act is not None:
            time.sleep(instant)  # the instant is what is measured
            stopped_at = time.monotonic()
            act(watch, victim)
        end = running.result(timeout=60)
        if end is None or end < stopped_at:
            return None
        if stop in ("pg_terminate_backend", "client gone"):
            eventually(lambda: not sql(watch, "select pid from pg_stat_activity where pid = %s", [pid]))
            end = time.monotonic()
        return end - stopped_at


def ended_at(run: Run, victim: Connection) -> float | None:
    try:
        run(victim)
    except psycopg.Error:
        return time.monotonic()
    victim.rollback()  # so that the next run has as much to do
    return None


# ---------------------------------------------------------------- what was measured
def write(watch: Connection, measured: list[Stops]) -> None:
    settings = {"client_connection_check_interval": "500ms", "seed": SEED, "limit": LIMIT}
    most = max(max(stops.seconds) for stops in measured)
    figures = {
        "what": "seconds from a stop to the end of what is stopped, at random instants of a session's first run",
        "most": most,
        "runs": [vars(stops) for stops in measured],
    }
    print(f"most {most:.3f} s of {LIMIT} s; {publish('cancel', watch, settings, figures)}")


if __name__ == "__main__":
    sys.exit(main())

"""How many documents workers get through: `make bench-jobs` measures 1, 2 and 4 of them and writes what it measured.

Each answer of the models takes 200 ms. A document is some chunks, asked about four at a time, with one gleaning pass.
Environment: GRAPHRAG_DSN, the server (superuser). Exit code 1 if a document was lost, or a chunk paid for twice.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from bench.measure import database, own_database, publish
from tests.support import endpoint as faults
from tests.support.calls import row
from tests.support.database import Connection, Database, value
from tests.support.endpoint import Endpoint
from tests.support.reading import PEOPLE, REALM, founders, make_realm, pages

LATENCY = 0.2  # seconds an answer
DOCUMENTS = 40
CHUNKS = 4
WORKERS = (1, 2, 4)
NAME = "graphrag_bench_jobs"


def main() -> int:
    measured = [measure(count) for count in WORKERS]
    write(measured)
    return 0 if all(found["lost"] == found["paid twice"] == 0 for found in measured) else 1


def measure(workers: int) -> dict[str, Any]:
    """Work off one queue, each worker a session that has worked before."""
    with (
        Endpoint() as endpoint,
        own_database(NAME) as dsn,
        ExitStack() as sessions,
    ):
        conn = sessions.enter_context(Database(dsn).connect(options=""))
        conn.execute("set client_min_messages = warning; create extension graphrag cascade")
        make_realm(conn, endpoint)
        crew = [sessions.enter_context(Database(dsn).connect(options="")) for _ in range(workers)]
        for worker in crew:  # its libraries load
            row(conn, "enqueue", pages("Zed"), document="first", realm=REALM)
            worker.execute("call graphrag.work('kb')")
        endpoint.inject(faults.slow(LATENCY))
        endpoint.requests.clear()
        names = [[f"{PEOPLE[chunk]}{number}" for chunk in range(CHUNKS)] for number in range(DOCUMENTS)]
        for number, document in enumerate(names):
            row(conn, "enqueue", pages(*document), document=f"doc {number}", realm=REALM)
        begun = time.monotonic()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda worker: worker.execute("call graphrag.work('kb')"), crew))
        seconds = time.monotonic() - begun
        return examined(conn, endpoint, names) | {
            "workers": workers,
            "seconds": round(seconds, 2),
            "documents a second": round(DOCUMENTS / seconds, 2),
            "requests": len(endpoint.requests),
            "seconds a document of one worker": round(seconds * workers / DOCUMENTS, 2),
        }


def examined(conn: Connection, endpoint: Endpoint, names: list[list[str]]) -> dict[str, Any]:
    expected = {name for document in names for name in document} | {"Zed"}
    asked = Counter((chat.text, len(chat.body["messages"])) for chat in endpoint.chats)
    return {
        "lost": len(expected ^ founders(conn))
        + int(value(conn, "select count(*) from kb.job where status <> 'done'")),
        "paid twice": sum(count - 1 for count in asked.values()),
    }


def write(measured: list[dict[str, Any]]) -> None:
    settings = {"latency of an answer": LATENCY, "documents": DOCUMENTS, "chunks a document": CHUNKS}
    figures = {"what": "documents from the queue into the graph, by the number of workers", "runs": measured}
    for run in measured:
        rate, lost, twice = (run[name] for name in ("documents a second", "lost", "paid twice"))
        print(f"{run['workers']} workers: {rate} documents/s, {lost} lost, {twice} paid twice")
    with database(NAME) as session:
        print(publish("jobs", session, settings, figures))


if __name__ == "__main__":
    sys.exit(main())

"""What the two clocks cost: the same questions with and without `as_of` and `as_believed_at`; and the change feed.

    make bench-time          # → bench/results/time.json

Environment: GRAPHRAG_DSN, a server where this may make the database `graphrag_bench`; the generated realm is kept there
for the next run. Variants of a question are asked in turn, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import psycopg

from bench.generate import Connection, Question, Size, generate, questions
from bench.measure import elsewhere, make_database, publish

DATABASE = "graphrag_bench"
LIMIT = 1.5
MODES = ("mix", "naive")
RETRIEVE = (
    "select count(*) from graphrag.retrieve(%(text)s, %(mode)s, embedding => %(embedding)s::double precision[],"
    " as_of => %(as_of)s, as_believed_at => %(as_believed_at)s, realm => %(realm)s)"
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--database", help="its connection string, in place of one made on GRAPHRAG_DSN's server"
    )
    parser.add_argument("--realm", default="hundred")
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=400_000)
    parser.add_argument("--questions", type=int, default=50)
    given = parser.parse_args(arguments)
    size = Size(entities=given.entities, relations=given.relations)
    with psycopg.connect(given.database or bench_database(), autocommit=True) as conn:
        conn.execute("set client_min_messages = warning")
        if not conn.execute("select to_regnamespace(%s) is not null", [given.realm]).fetchone()[0]:  # type: ignore[index]
            generate(conn, given.realm, size)
        result: dict[str, Any] = {
            "what": "milliseconds, medians over questions; ratio: of the medians with and without the clock",
            "retrieve": {mode: retrieval(conn, given.realm, given.questions, mode) for mode in MODES},
            "feed": feed(conn, given.realm),
        }
        print(json.dumps(result, indent=2))
        print(publish("time", conn, {**asdict(size), "questions": given.questions}, result))
    slow = {
        f"{mode}, {name}": found["ratio"]
        for mode, variants in result["retrieve"].items()
        for name, found in variants.items()
        if found["ratio"] > LIMIT
    }
    if slow:
        print(f"more than {LIMIT} times the same questions without: {slow}", file=sys.stderr)
    return 1 if slow else 0


def bench_database() -> str:
    """A database for the generated realms, made where there is none."""
    make_database(DATABASE, keep=True)
    with psycopg.connect(elsewhere(DATABASE), autocommit=True) as conn:
        conn.execute("set client_min_messages = warning")
        conn.execute("create extension if not exists graphrag cascade")
    return elsewhere(DATABASE)


def retrieval(conn: Connection, realm: str, number: int, mode: str) -> dict[str, dict[str, float]]:
    """Each variant of each question in one mode, in turn, the better of two runs."""
    head = watermark(conn, realm)
    variants: dict[str, dict[str, str | None]] = {
        "now": {},
        "as_of a year": {"as_of": "2010"},
        "as_of a day": {"as_of": "2015-06-30"},
        "as_believed_at the present": {"as_believed_at": str(head)},
        "as_believed_at nine tenths": {"as_believed_at": str(head * 9 // 10)},
        "as_believed_at one half": {"as_believed_at": str(head // 2)},
        "both": {"as_of": "2010", "as_believed_at": str(head * 9 // 10)},
    }
    times: dict[str, list[float]] = {name: [] for name in variants}
    asked = questions(conn, realm, number)
    for question in asked[:3]:  # plans and caches
        for clocks in variants.values():
            ask(conn, realm, question, mode, clocks)
    for question in asked:
        for name, clocks in variants.items():
            times[name].append(min(ask(conn, realm, question, mode, clocks) for _ in range(2)))
    base = statistics.median(times["now"])
    return {
        name: {
            "median": round(statistics.median(found), 2),
            "p95": round(statistics.quantiles(found, n=20)[-1], 2),
            "ratio": round(statistics.median(found) / base, 2),
        }
        for name, found in times.items()
    }


def ask(conn: Connection, realm: str, question: Question, mode: str, clocks: dict[str, str | None]) -> float:
    given = {"as_of": None, "as_believed_at": None, **clocks, **question._asdict()}
    parameters = {**given, "mode": mode, "realm": realm}
    return timed(lambda: conn.execute(RETRIEVE, parameters).fetchone())


def watermark(conn: Connection, realm: str) -> int:
    row = conn.execute(f'select revision from "{realm}".space order by id limit 1').fetchone()
    assert row is not None
    return int(row[0])


def feed(conn: Connection, realm: str) -> dict[str, float]:
    """Pages at the beginning, in the middle and at the end of a long history, and a summary of the last of it."""

    def page(since: str | None, size: int) -> Any:
        return conn.execute(
            "select max(position), count(*) from graphrag.changes_since(%s, page_size => %s, realm => %s)",
            [since, size, realm],
        ).fetchone()

    middle = position(conn, realm, watermark(conn, realm) // 2)
    late = position(conn, realm, watermark(conn, realm) - 100)
    return {
        "page of 100 from the beginning": best(lambda: page(None, 100)),
        "page of 100 from the middle": best(lambda: page(middle, 100)),
        "page of 1000 from the middle": best(lambda: page(middle, 1000)),
        "page of 100 near the end": best(lambda: page(late, 100)),
        "summary of the last 100 revisions": best(
            lambda: conn.execute(
                "select * from graphrag.changes_summary(%s, realm => %s)", [late, realm]
            ).fetchall()
        ),
    }


def position(conn: Connection, realm: str, revision: int) -> str:
    """A position as a consumer would have it from then."""
    conn.execute("select set_config('search_path', %s, false)", [f'"{realm}"'])
    row = conn.execute(
        "select graphrag._position_head(false) || graphrag._position_piece(1, %s,"
        " graphrag._revision_fingerprint(1, %s))",
        [revision, revision],
    ).fetchone()
    conn.execute("reset search_path")
    assert row is not None
    return str(row[0])


def best(call: Callable[[], Any]) -> float:
    return round(min(timed(call) for _ in range(5)), 2)


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    sys.exit(main())

"""What many clients at once get of `retrieve()`, and what the first call of a new connection costs: run by
`make bench-concurrency`, on the graph that `make bench-recall` made of musique_train.

pgbench asks the 100 questions in a random order, their vectors given, with 1, 4 and 8 clients in turns; the best round
of each counts. On a machine that does other work eight clients get a larger part of it than one does: the load is told.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from bench.corpora import RULES, musique_train
from bench.measure import Connection, elsewhere, publish, run_or_skip, value
from bench.recall import MODEL, embed, models_url, open_corpus

CLIENTS = (1, 4, 8)
SECONDS = int(os.environ.get("SECONDS_EACH", "15"))
ROUNDS = 3
CONNECTIONS = 12
SCRIPT = r"""
\set no random(1, {questions})
select (select count(*) from graphrag.retrieve(a.question, embedding => a.vec)) from public.asked as a where a.no = :no;
"""


def throughput(session: Connection, questions: int) -> dict[str, Any]:
    program = Path(value(session, "select setting from pg_config where name = 'BINDIR'")) / "pgbench"
    # Not info.dsn: pgbench's libpq may be older than psycopg's.
    url = elsewhere(session.info.dbname)
    rounds: dict[int, list[dict[str, float]]] = {clients: [] for clients in CLIENTS}
    with TemporaryDirectory() as folder:
        script = Path(folder) / "retrieve.sql"
        script.write_text(SCRIPT.format(questions=questions), encoding="utf-8")
        for seed in range(ROUNDS):
            for clients in CLIENTS:
                command = f"-n -M prepared -c {clients} -j 2 -T {SECONDS} --random-seed={seed} -f {script}"
                done = subprocess.run(
                    [str(program), *command.split(), url],
                    capture_output=True,
                    text=True,
                    check=True,
                    env={**os.environ, "PGOPTIONS": "-c jit=off"},
                )
                rounds[clients].append(
                    {
                        "calls a second": figure(done.stdout, r"tps = ([\d.]+)"),
                        "milliseconds a call": figure(done.stdout, r"latency average = ([\d.]+)"),
                        "failed": figure(done.stdout, r"failed transactions: (\d+)"),
                        "load": round(os.getloadavg()[0], 1),
                    }
                )
                print(clients, rounds[clients][-1], flush=True)
    best = {clients: max(one["calls a second"] for one in found) for clients, found in rounds.items()}
    return {
        "calls a second": {str(clients): round(rate, 1) for clients, rate in best.items()},
        "times one client": {str(clients): round(rate / best[1], 2) for clients, rate in best.items()},
        "failed": sum(one["failed"] for found in rounds.values() for one in found),
        "rounds": {str(clients): found for clients, found in rounds.items()},
    }


def figure(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        raise SystemExit(f"pgbench did not say {pattern}: {text}")
    return round(float(found[1]), 2)


def first_calls(session: Connection, question: str, vector: list[float]) -> dict[str, Any]:
    """Milliseconds of the first, second and third call in connections of their own."""
    calls: dict[str, tuple[str, list[Any]]] = {
        "retrieve": ("select count(*) from graphrag.retrieve(%s, embedding => %s)", [question, vector]),
        "query": ("select answer from graphrag.query(%s, embedding => %s)", [question, vector]),
    }
    figures: dict[str, Any] = {}
    for name, (statement, given) in calls.items():
        times: list[list[float]] = [[], [], []]
        has_python = False
        for _ in range(CONNECTIONS):
            with psycopg.connect(session.info.dsn, autocommit=True, row_factory=tuple_row) as fresh:
                for place in times:
                    begun = time.perf_counter()
                    fresh.execute(statement.encode(), given).fetchall()
                    place.append(1000 * (time.perf_counter() - begun))
                maps = Path(f"/proc/{fresh.info.backend_pid}/maps").read_text(encoding="utf-8")
                has_python = has_python or "libpython" in maps
        medians = [round(statistics.median(place), 1) for place in times]
        figures[name] = {
            "first ms": medians[0],
            "second ms": medians[1],
            "third ms": medians[2],
            "first over third ms": round(medians[0] - medians[2], 1),
            "loads Python": has_python,
        }
        print(name, figures[name], flush=True)
    return figures


def main() -> None:
    corpus = musique_train()
    vectors = embed([question.text for question in corpus.questions])
    with closing(open_corpus(corpus, keep=True)) as session:
        session.execute("drop table if exists public.asked")
        session.execute(
            "create table public.asked (no integer primary key, question text, vec double precision[])"
        )
        for no, (question, vector) in enumerate(zip(corpus.questions, vectors, strict=True), start=1):
            session.execute("insert into public.asked values (%s, %s, %s)", [no, question.text, vector])
        session.execute("analyze public.asked")
        session.execute(
            "select graphrag.set_endpoint('synthesis', %s, %s, realm => 'default')", [models_url(), RULES]
        )
        figures = {
            "throughput": throughput(session, len(vectors)),
            "first call": first_calls(session, corpus.questions[0].text, vectors[0]),
        }
        settings = {"corpus": corpus.name, "seconds": SECONDS, "rounds": ROUNDS, "embedding": MODEL}
        print(publish("concurrency", session, settings, figures))


if __name__ == "__main__":
    run_or_skip(main)

"""What the benchmarks share: a database of their own, the machine they ran on, and results as JSON."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from bench.datasets import MissingError

RESULTS = Path(__file__).parent / "results"

Connection = psycopg.Connection[tuple[Any, ...]]
AnyConnection = psycopg.Connection[Any]


def elsewhere(name: str) -> str:
    """Another database of the server that GRAPHRAG_DSN names."""
    return urlunsplit(urlsplit(os.environ["GRAPHRAG_DSN"])._replace(path=f"/{name}"))


def make_database(name: str, *, keep: bool = False) -> bool:
    """An empty database on that server, in place of one of this name unless that is kept; whether it is new."""
    with psycopg.connect(os.environ["GRAPHRAG_DSN"], autocommit=True) as admin:
        if not keep:
            admin.execute(_drop(name))
        elif admin.execute("select 1 from pg_database where datname = %s", [name]).fetchone():
            return False
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return True


@contextmanager
def own_database(name: str) -> Iterator[str]:
    """A new database on that server, dropped at the end; its connection string."""
    make_database(name)
    try:
        yield elsewhere(name)
    finally:
        with psycopg.connect(os.environ["GRAPHRAG_DSN"], autocommit=True) as admin:
            admin.execute(_drop(name))


@contextmanager
def database(name: str) -> Iterator[Connection]:
    """A session in a new database with the extension, dropped at the end."""
    with (
        own_database(name) as dsn,
        psycopg.connect(dsn, autocommit=True, row_factory=tuple_row) as session,
    ):
        session.execute("set client_min_messages = warning")
        session.execute("create extension graphrag cascade")
        yield session


def _drop(name: str) -> sql.Composed:
    return sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))


def value(session: AnyConnection, query: LiteralString, parameters: Sequence[Any] = ()) -> Any:
    """The only column of the only row."""
    ((found,),) = session.cursor(row_factory=tuple_row).execute(query, parameters).fetchall()
    return found


def counts(session: AnyConnection, query: LiteralString, parameters: Sequence[Any] = ()) -> dict[str, Any]:
    """Rows of two columns as a dict."""
    return dict(session.cursor(row_factory=tuple_row).execute(query, parameters).fetchall())


def spread(values: Sequence[float]) -> dict[str, float]:
    """Where a list of timings lies."""
    ordered = sorted(values)
    return {
        "n": len(ordered),
        "mean": round(statistics.fmean(ordered), 3),
        "p50": round(ordered[len(ordered) // 2], 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "max": round(ordered[-1], 3),
    }


def cpu_ms(session: AnyConnection) -> float:
    """Processor time of the session's backend so far: what a shared machine does not distort. Needs the server here."""
    return (
        int(Path(f"/proc/{session.info.backend_pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e6
    )


def publish(name: str, session: AnyConnection, settings: dict[str, Any], figures: dict[str, Any]) -> Path:
    """Writes bench/results/NAME.json and prints the figures."""
    result = {
        "command": " ".join(["python -m", *sys.orig_argv[2:]]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": {
            "postgresql": value(session, "select current_setting('server_version')"),
            **counts(session, "select extname::text, extversion from pg_extension"),
            "python": platform.python_version(),
        },
        "machine": {
            "system": platform.platform(),
            "cpus": os.cpu_count(),
            "processor": _processor(),
            "load_1min": round(os.getloadavg()[0], 2),
            "note": "shared with other work: only ratios taken in one run mean anything",
        },
        "server": counts(
            session,
            "select name, setting from pg_settings where name in"
            " ('shared_buffers', 'work_mem', 'maintenance_work_mem', 'fsync', 'full_page_writes', 'jit')",
        ),
        "settings": settings,
        **figures,
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def run_or_skip(main: Callable[[], None]) -> None:
    """Runs a benchmark; without its data set it says so, and that is no failure."""
    try:
        main()
    except MissingError as missing:
        print(f"skipped: {missing}")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()

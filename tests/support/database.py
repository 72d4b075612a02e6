"""Databases for the tests: each a copy of one template in which the extension was created once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql as compose
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from pytest_postgresql.executors import NoopExecutor
from pytest_postgresql.janitor import DatabaseJanitor

PREFIX = "graphrag_test_"
GUARD_MS = 60_000  # no statement of these tests runs longer: one that does hangs

Connection = psycopg.Connection[dict[str, Any]]
Row = dict[str, Any]


def sql(conn: Connection, query: str, params: Sequence[Any] | dict[str, Any] | None = None) -> list[Row]:
    """Run one statement; its rows as dicts, [] for a statement that returns none."""
    cursor = conn.execute(query, params)
    return cursor.fetchall() if cursor.description else []


def one(conn: Connection, query: str, params: Sequence[Any] | dict[str, Any] | None = None) -> Row:
    """The only row of a statement."""
    (row,) = sql(conn, query, params)
    return row


def value(conn: Connection, query: str, params: Sequence[Any] | dict[str, Any] | None = None) -> Any:
    """The only column of the only row of a statement."""
    (result,) = one(conn, query, params).values()
    return result


def view(conn: Connection, realm: str, name: str) -> list[Row]:
    """The rows of one of a realm's views or tables."""
    query = compose.SQL("select * from {}").format(compose.Identifier(realm, name))
    return conn.execute(query).fetchall()


@dataclass(frozen=True)
class Database:
    """Where one test database is."""

    dsn: str

    @contextmanager
    def connect(self, **options: Any) -> Iterator[Connection]:
        """A connection of its own, in autocommit unless told otherwise."""
        options = {"autocommit": True, "options": f"-c statement_timeout={GUARD_MS}", **options}
        with psycopg.connect(self.dsn, row_factory=dict_row, **options) as conn:
            yield conn

    @property
    def name(self) -> str:
        return str(conninfo_to_dict(self.dsn)["dbname"])


@contextmanager
def new_database(server: NoopExecutor, name: str, template: str | None = None) -> Iterator[Database]:
    """A database that exists as long as the block: a copy of the server's template, or of the named one."""
    janitor = DatabaseJanitor(
        user=server.user,
        host=server.host,
        port=server.port,
        dbname=name,
        template_dbname=template or server.template_dbname,
        maintenance_dbname=server.maintenance_dbname,
        password=server.password,
    )
    with janitor:
        dsn = make_conninfo(
            host=server.host, port=server.port, user=server.user, password=server.password, dbname=name
        )
        yield Database(dsn)


def create_extension(**where: Any) -> None:
    """Load function of the template database."""
    where.pop("autocommit", None)
    with psycopg.connect(**where) as conn:
        conn.execute("create extension graphrag cascade")


def drop_leftovers(dsn: str) -> None:
    """Drop the databases of test runs whose process is gone: a killed run drops nothing itself."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        found = conn.execute(
            "select datname, datistemplate from pg_database where starts_with(datname, %s)", (PREFIX,)
        )
        for name, is_template in found.fetchall():
            (pid,) = re.findall(rf"^{PREFIX}(\d+)", name)
            if not _alive(int(pid)):
                database = compose.Identifier(name)
                if is_template:  # one that was being dropped or made is none, and cannot be altered
                    conn.execute(compose.SQL("alter database {} is_template false").format(database))
                conn.execute(compose.SQL("drop database {} with (force)").format(database))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

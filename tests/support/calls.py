"""Calling the extension's functions by name, and looking closely at how a call is refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support.database import Connection, Row, sql, value
from tests.support.endpoint import Endpoint

State = dict[str, tuple[int, str]]


def rows(conn: Connection, function: str, *args: Any, **named: Any) -> list[Row]:
    """The rows of graphrag.FUNCTION(args, name => value…); a dict is passed as jsonb."""
    places: list[compose.Composable] = [compose.SQL("%s")] * len(args)
    places += [compose.SQL("{} => %s").format(compose.Identifier(name)) for name in named]
    query = compose.SQL("select * from {}({})").format(
        compose.Identifier("graphrag", function), compose.SQL(", ").join(places)
    )
    values = [Jsonb(value) if isinstance(value, dict) else value for value in (*args, *named.values())]
    return conn.execute(query, values).fetchall()


def row(conn: Connection, function: str, *args: Any, **named: Any) -> Row:
    """The only row of a call."""
    (result,) = rows(conn, function, *args, **named)
    return result


def set_models(
    conn: Connection, endpoint: Endpoint, *roles: str, realm: str = "default", **options: Any
) -> None:
    """Point roles of a realm at a scripted endpoint; by default the two that talk."""
    for role in roles or ("extraction", "synthesis"):
        rows(conn, "set_endpoint", role, endpoint.url, "scripted", options=options, realm=realm)


def state(conn: Connection, realm: str) -> State:
    """A fingerprint of every table of a realm: how many rows, and which row versions they are."""
    tables = sql(
        conn,
        "select tablename from pg_tables where schemaname = %s order by tablename",
        [realm],
    )
    prints = {}
    for table in tables:
        query = compose.SQL(
            "select count(*) as rows,"
            " md5(coalesce(string_agg(t.ctid::text || t.xmin::text, ' ' order by t.ctid), '')) as versions"
            " from {} as t"
        ).format(compose.Identifier(realm, table["tablename"]))
        (found,) = conn.execute(query).fetchall()
        prints[table["tablename"]] = (found["rows"], found["versions"])
    return prints


def refused(
    sqlstate: str, mentions: tuple[str, ...], call: Callable[[], object], hint: str = ""
) -> psycopg.errors.Diagnostic:
    """Make a call that must fail: with this SQLSTATE, a message that names values, a DETAIL and a HINT."""
    with pytest.raises(psycopg.Error) as caught:
        call()
    said = caught.value.diag
    assert said.sqlstate == sqlstate, str(caught.value)
    message = said.message_primary or ""
    for mentioned in mentions:
        assert mentioned in message, f"{mentioned!r} is not named in: {message}"
    assert said.message_detail, f"no DETAIL: {message}"
    assert said.message_hint, f"no HINT: {message}"
    assert hint in said.message_hint, said.message_hint
    return said


def mistake(
    conn: Connection,
    unchanged: str,
    sqlstate: str,
    mentions: tuple[str, ...],
    /,
    *call: Any,
    hint: str = "",
    **named: Any,
) -> None:
    """A refused call that leaves every table of the realm as it was."""
    before = state(conn, unchanged)
    refused(sqlstate, mentions, lambda: rows(conn, *call, **named), hint)
    assert state(conn, unchanged) == before


def eventually(condition: Callable[[], Any], timeout: float = 10.0) -> Any:
    """The first true value of a condition that another session makes true."""
    end = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < end, "the awaited condition did not come true"
        time.sleep(0.01)
    return found


def waiting(conn: Connection) -> int:
    """How many sessions of the database wait for a lock."""
    activity = "pg_stat_activity where datname = current_database()"
    return int(value(conn, f"select count(*) from {activity} and wait_event_type = 'Lock'"))

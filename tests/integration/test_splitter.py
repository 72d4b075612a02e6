"""A realm's own way to cut documents: a function of its owner, which runs as whoever indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support.calls import refused, row, rows, state
from tests.support.database import Connection, Row, sql, value
from tests.support.reading import REALM, fresh

LINES = "select p from string_to_table(content, E'\\n') as p where p <> ''"


@pytest.fixture
def conn(session: Connection) -> Iterator[Connection]:
    fresh(session)
    rows(session, "create_realm", REALM, embedding_url="builtin:hash", width=8)
    session.execute("create schema cut")
    yield session
    session.execute("reset role")
    session.execute("drop schema cut cascade")


def make(
    conn: Connection, body: str, name: str = "lines", returns: str = "setof text", more: str = ""
) -> None:
    conn.execute(
        compose.SQL(
            "create or replace function cut.{}(content text) returns {} language sql {} as {}"
        ).format(compose.Identifier(name), compose.SQL(returns), compose.SQL(more), compose.Literal(body))
    )


def use(conn: Connection, name: str = "cut.lines") -> None:
    rows(conn, "configure", "splitter", Jsonb(name), realm=REALM)


def index(conn: Connection, text: str, **named: Any) -> Row:
    return row(conn, "index", text, document="a", extraction={"triples": []}, realm=REALM, **named)


def chunks(conn: Connection) -> list[tuple[int, int, str]]:
    found = sql(
        conn,
        """
        select c.start_at, c.end_at, t.body
        from kb.document_chunk as c join kb.content as t on t.id = c.content
        where c.died is null
        order by c.no
        """,
    )
    return [(chunk["start_at"], chunk["end_at"], chunk["body"]) for chunk in found]


def test_a_function_cuts(conn: Connection) -> None:
    make(conn, LINES)
    use(conn)
    assert index(conn, "\ufeffone\r\ntwo\r\n\r\n  one  ")["chunks"] == 3
    assert chunks(conn) == [(0, 3, "one"), (4, 7, "two"), (11, 14, "one")]
    assert index(conn, "one\ntwo\n\n  one")["unchanged"] == 3
    rows(conn, "configure", "splitter", None, realm=REALM)
    assert index(conn, "one\ntwo\n\n  one")["chunks"] == 1


def test_pieces_may_overlap(conn: Connection) -> None:
    make(conn, "select unnest(array['a b c', 'c d', 'd e a b c'])")
    use(conn)
    index(conn, "a b c d e a b c")
    assert chunks(conn) == [(0, 5, "a b c"), (4, 7, "c d"), (6, 15, "d e a b c")]


FAULTS = {
    "an error": ("select (1 / (length(content) - length(content)))::text", "division by zero"),
    "no rows": ("select content where false", "no text"),
    "nulls": ("select null::text", "no text"),
    "other text": ("select upper(content)", "Piece 1"),
    "another order": ("select unnest(array['two', 'one'])", "Piece 2"),
}


@pytest.mark.parametrize(("body", "reason"), FAULTS.values(), ids=FAULTS.keys())
def test_what_goes_wrong_in_it_is_said(conn: Connection, body: str, reason: str) -> None:
    make(conn, LINES)
    use(conn)
    index(conn, "zero")
    make(conn, body)
    before = state(conn, REALM)
    said = refused("GR017", ("cut.lines",), lambda: index(conn, "one\ntwo"), hint="")
    assert reason in (said.message_detail or "")
    assert state(conn, REALM) == before


def test_one_that_is_gone_is_named(conn: Connection) -> None:
    make(conn, LINES)
    use(conn)
    conn.execute("drop function cut.lines")
    refused("GR017", ("cut.lines",), lambda: index(conn, "one"))


@pytest.mark.parametrize(
    "name",
    ["cut.nothing", "lines", "cut.lines(text)", "cut.lines; drop schema cut", "cut.one", "cut.other", "  "],
)
def test_what_is_no_splitter(conn: Connection, name: str) -> None:
    make(conn, LINES)
    make(conn, "select content", "one", "text")
    make(conn, "select 1", "other", "setof integer")
    refused("GR011", ("splitter",), lambda: use(conn, name))


def test_nobody_runs_as_somebody_else(conn: Connection) -> None:
    """Not as the function's owner, and not as a superuser who indexes into another's realm."""
    for role in ("cutter", "stranger"):
        conn.execute(f"drop role if exists {role}")
        conn.execute(f"create role {role}")
    try:
        conn.execute("grant usage, create on schema cut to cutter, stranger")
        conn.execute("grant usage on schema graphrag to cutter")
        conn.execute("grant execute on all functions in schema graphrag to cutter")
        conn.execute("grant select on all tables in schema graphrag to cutter")
        conn.execute(f"grant create on database {conn.info.dbname} to cutter")
        make(conn, LINES, "definer", more="security definer")
        refused("GR011", ("cut.definer",), lambda: use(conn, "cut.definer"))
        conn.execute("set role stranger")
        make(conn, LINES, "strange")
        conn.execute("set role cutter")
        rows(conn, "create_realm", "theirs", embedding_url="builtin:hash", width=8)
        make(conn, LINES, "mine")
        for name in ("cut.definer", "cut.strange"):
            with pytest.raises(Exception, match="splitter"):
                rows(conn, "configure", "splitter", Jsonb(name), realm="theirs")
        rows(conn, "configure", "splitter", Jsonb("cut.mine"), realm="theirs")
        assert row(conn, "index", "one\ntwo", realm="theirs", extraction={"triples": []})["chunks"] == 2
        # Past configure(), and replaced since: it is looked at when it is to run.
        conn.execute("update theirs.setting set value = '\"cut.strange\"' where name = 'splitter'")
        refused("GR017", ("cut.strange",), lambda: row(conn, "index", "three", realm="theirs"))
    finally:
        conn.execute("reset role")
        conn.execute("drop schema if exists theirs cascade")
        conn.execute(f"revoke create on database {conn.info.dbname} from cutter")
        conn.execute("drop owned by cutter, stranger")
        conn.execute("drop role cutter")
        conn.execute("drop role stranger")


def test_it_runs_as_the_caller(conn: Connection) -> None:
    make(conn, "select content where set_config('cut.seen', current_user, false) is not null")
    use(conn)
    index(conn, "one")
    assert value(conn, "select current_setting('cut.seen') = current_user") is True

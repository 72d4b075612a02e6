"""pg_cron calls work(): the real one, in the one database that it works in."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row

from tests.support.calls import eventually, refused, row, rows
from tests.support.database import Connection, sql, value

REALM = "scheduled_test"


@pytest.fixture
def cron(dsn: str) -> Iterator[Connection]:
    """A realm in pg_cron's own database, which is not a copy of the tests' template."""
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as conn:
        name = value(conn, "select current_setting('cron.database_name', true)")
    if name is None:
        pytest.skip("pg_cron is not in shared_preload_libraries of this server")
    where = make_conninfo(**{**conninfo_to_dict(dsn), "dbname": name})
    with psycopg.connect(where, autocommit=True, row_factory=dict_row) as conn:
        if value(conn, "select to_regnamespace(%s) is not null", [REALM]):
            clean(conn)  # after a run that was killed
        if sql(conn, "select extname from pg_extension where extname in ('pg_cron', 'graphrag')"):
            pytest.skip(f"database {name} has an extension of its own, which this test would drop")
        conn.execute("create extension pg_cron; create extension graphrag cascade")
        rows(conn, "create_realm", REALM, "builtin:hash", width=16)
        try:
            yield conn
        finally:
            clean(conn)


def clean(conn: Connection) -> None:
    conn.execute(f"drop schema if exists {REALM} cascade; drop extension graphrag, pg_cron")


def test_a_schedule_works_off_the_queue(cron: Connection) -> None:
    """pg_cron 1.4 knows minutes, so this takes up to one."""
    number = row(cron, "schedule", REALM)["schedule"]
    (known,) = sql(cron, "select jobid, schedule, command, active from cron.job")
    assert known == {
        "jobid": number,
        "schedule": "* * * * *",
        "command": f"call graphrag.work('{REALM}')",
        "active": True,
    }
    for extraction in ('[["Ann", "founded", "Acme"]]', '[["Bob", "founded", "Acme"]]'):
        name = extraction[3:6]
        cron.execute(
            "select graphrag.enqueue(%s, document => %s, extraction => %s::jsonb, realm => %s)",
            [f"{name} founded Acme.", name, extraction, REALM],
        )
    assert finding(cron) == "ok"
    eventually(lambda: value(cron, f"select bool_and(status = 'done') from {REALM}.job"), timeout=75)
    found = sql(cron, f"select subject from {REALM}.facts order by subject")
    assert [fact["subject"] for fact in found] == ["Ann", "Bob"]
    eventually(lambda: value(cron, "select status from cron.job_run_details") == "succeeded")
    assert row(cron, "schedule", REALM, "*/5 * * * *")["schedule"] == number
    assert value(cron, "select schedule from cron.job") == "*/5 * * * *"
    assert row(cron, "schedule", REALM, None)["schedule"] is None
    assert sql(cron, "select * from cron.job") == []
    cron.execute("select graphrag.enqueue('Text.', realm => %s)", [REALM])
    assert finding(cron) == "warning"
    assert row(cron, "schedule", REALM, None)["schedule"] is None, "nothing to end is no error"


def finding(conn: Connection) -> str:
    (found,) = [row for row in rows(conn, "doctor", realm=REALM) if row["check"] == "job workers"]
    return str(found["status"])


def test_without_pg_cron(conn: Connection) -> None:
    rows(conn, "create_realm", "kb", "builtin:hash", width=16)
    said = refused("GR041", ("kb",), lambda: row(conn, "schedule", "kb"), hint="call graphrag.work('kb')")
    assert said.message_detail


@pytest.mark.parametrize(
    ("works_in", "detail", "hint"),
    [
        (None, "shared_preload_libraries", "In postgresql.conf shared_preload_libraries = 'pg_cron'"),
        ("here", "works in database", "CREATE EXTENSION pg_cron."),
        ("elsewhere", 'works in database "elsewhere"', "In that database: SELECT cron.schedule_in_database("),
    ],
)
def test_what_to_do_hangs_on_where_pg_cron_is(
    conn: Connection, works_in: str | None, detail: str, hint: str
) -> None:
    """A server without it has no setting that names a database, and the tests' server may be either."""
    place = value(conn, "select current_database()") if works_in == "here" else works_in
    call = ("_refuse_to_schedule", "kb", place, "graphrag work kb", "call graphrag.work('kb')")
    said = refused("GR041", ("kb",), lambda: row(conn, *call), hint="call graphrag.work('kb')")
    assert detail in (said.message_detail or "")
    assert (said.message_hint or "").startswith(hint)

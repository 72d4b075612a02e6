r"""What `\dx+ graphrag` shows: the public objects by a snapshot, inner ones by their names, nothing of a realm."""

from __future__ import annotations

from pathlib import Path

from tests.support.calls import rows
from tests.support.database import Connection, sql

SNAPSHOT = Path(__file__).parent / "members.txt"
MEMBERS = """
    select pg_describe_object(d.classid, d.objid, 0) as member
    from pg_depend as d
    join pg_extension as e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
    left join pg_type as t on d.classid = 'pg_type'::regclass and d.objid = t.oid
    left join pg_class as r on t.typrelid = r.oid
    where e.extname = 'graphrag'
        and d.deptype = 'e'
        -- From PostgreSQL 17 on the array and row types that come with a type or table are members too.
        and coalesce(t.typcategory, '') <> 'A'
        and coalesce(r.relkind, 'c') = 'c'
    order by pg_describe_object(d.classid, d.objid, 0) collate "C"
"""


def members(conn: Connection) -> list[str]:
    return [found["member"] for found in sql(conn, MEMBERS)]


def test_the_public_members_are_those_of_the_snapshot(conn: Connection) -> None:
    """A change of it is a change of the API: it belongs into the changelog and the reference."""
    public = [member for member in members(conn) if " graphrag._" not in member]
    assert public == SNAPSHOT.read_text(encoding="utf-8").splitlines()


def test_a_realm_adds_no_member_and_outlives_them_all(conn: Connection) -> None:
    before = members(conn)
    assert all(" graphrag." in member or " on table graphrag." in member for member in before)
    rows(conn, "create_realm", "kb", "builtin:hash", width=16)
    assert members(conn) == before
    tables = "select relname from pg_class where relnamespace = 'kb'::regnamespace order by 1"
    made = sql(conn, tables)
    sql(conn, "drop extension graphrag cascade")
    assert sql(conn, tables) == made

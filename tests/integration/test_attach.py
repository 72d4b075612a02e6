"""A table that is attached and its realm say the same: after the queue is worked off, and in one transaction before."""

from __future__ import annotations

import json
import subprocess
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb
from pytest_postgresql.executors import NoopExecutor

from tests.support.calls import refused, row, rows
from tests.support.database import Connection, Database, Row, new_database, sql, value, view
from tests.support.reading import REALM, fresh, have_realm

SOURCE = "public.article"


@pytest.fixture
def conn(session: Connection) -> Connection:
    """A realm without models and a table with three rows."""
    fresh(session, keeps_realm=True)
    session.execute("drop table if exists article cascade")
    have_realm(session, "builtin:hash", "hash", 16)
    session.execute(
        "create table article (id integer primary key, junk text, body text, title text,"
        " published timestamptz, meta jsonb, no numeric)"
    )
    session.execute("alter table article drop column junk")
    session.execute("insert into article (id, body) values (1, 'One.'), (2, 'Two.'), (3, 'Three.')")
    return session


def attach(conn: Connection, table: str = "article", **named: Any) -> int:
    named = {"id": "id", "content": "body", "realm": REALM, **named}
    return int(row(conn, "attach", table, **named)["attach"])


def work(conn: Connection) -> None:
    conn.execute("call graphrag.work('kb')")


def documents(conn: Connection) -> dict[str, str]:
    """Live documents and their texts."""
    found = sql(
        conn,
        """
        select d.name, t.body
        from kb.document as d
        join kb.document_version as v on v.document = d.id and v.died is null
        join kb.document_chunk as c on c.version = v.id
        join kb.content as t on t.id = c.content
        """,
    )
    return {document["name"]: document["body"] for document in found}


def table(conn: Connection) -> dict[str, str]:
    found = sql(conn, "select id::text, body from article where body ~ '\\S'")
    return {article["id"]: article["body"] for article in found}


def queued(conn: Connection) -> list[tuple[str, str | None]]:
    """What waits, in order."""
    found = sql(conn, "select operation, document from kb.jobs where ended_at is null order by job")
    return [(job["operation"], job["document"]) for job in found]


def is_in_step(conn: Connection) -> bool:
    work(conn)
    return documents(conn) == table(conn)


# ---------------------------------------------------------------- changes of rows
def test_the_backfill_brings_what_is_there(conn: Connection) -> None:
    assert attach(conn) == 3
    assert is_in_step(conn)
    assert value(conn, "select array_agg(distinct source) from kb.document") == [SOURCE]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("insert into article (id, body) values (4, 'Four.')", [("index", "4")]),
        ("insert into article (id, body) values (1, 'x') on conflict do nothing", []),
        (
            "insert into article (id, body) values (1, 'x') on conflict (id) do update set body = excluded.body",
            [("index", "1")],
        ),
        ("update article set body = body || '!'", [("index", "1"), ("index", "2"), ("index", "3")]),
        ("update article set body = 'Zwei.' where id = 2", [("index", "2")]),
        ("update article set body = body", []),
        ("update article set no = 5 where id = 2", []),
        ("update article set id = 9 where id = 2", [("delete", "2"), ("index", "9")]),
        (
            "update article set id = case id when 1 then 2 else 1 end where id in (1, 2) and false",
            [],
        ),
        ("update article set body = null where id = 2", [("delete", "2")]),
        ("update article set body = E' \\n' where id = 2", [("delete", "2")]),
        ("delete from article where id < 3", [("delete", "1"), ("delete", "2")]),
        ("delete from article where false", []),
        ("truncate article", [("clear", None)]),
        (
            "merge into article as a using (values (1, 'x'), (8, 'y')) as n (id, body) on n.id = a.id"
            " when matched then delete when not matched then insert (id, body) values (n.id, n.body)",
            [("delete", "1"), ("index", "8")],
        ),
    ],
)
def test_a_change_is_queued_and_worked_off(
    conn: Connection, change: str, expected: list[tuple[str, str | None]]
) -> None:
    attach(conn)
    work(conn)
    conn.execute(change)
    assert sorted(queued(conn), key=str) == sorted(expected, key=str)
    assert is_in_step(conn)
    assert queued(conn) == []


def test_keys_that_rows_exchange(conn: Connection) -> None:
    conn.execute("alter table article drop constraint article_pkey, add unique (id) deferrable")
    attach(conn)
    work(conn)
    conn.execute("update article set id = 3 - id where id in (1, 2)")
    assert queued(conn) == [("index", "1"), ("index", "2")]
    assert is_in_step(conn)


def test_the_queue_shares_the_transactions_fate(conn: Connection, module_database: Database) -> None:
    attach(conn)
    work(conn)
    with conn.transaction(force_rollback=True):
        conn.execute("update article set body = 'x'")
        conn.execute("truncate article")
        assert len(queued(conn)) == 4
    assert queued(conn) == []
    with module_database.connect(autocommit=False) as other:
        other.execute("delete from article where id = 1")
        assert queued(conn) == []
        other.commit()
    assert queued(conn) == [("delete", "1")]


def test_several_changes_of_a_row(conn: Connection) -> None:
    attach(conn)
    work(conn)
    for statement in (
        "update article set body = 'a' where id = 1",
        "delete from article where id = 1",
        "insert into article (id, body) values (1, 'b')",
        "update article set body = 'c' where id = 1",
        "delete from article where id = 2",
    ):
        conn.execute(statement)
    assert is_in_step(conn)
    assert value(conn, "select revision from kb.space") == 5, "three of the backfill, two of the changes"


def test_a_truncated_table_that_is_filled_again(conn: Connection) -> None:
    attach(conn)
    work(conn)
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    conn.execute("truncate article")
    conn.execute("insert into article (id, body) values (1, 'One.'), (5, 'Five.')")
    assert is_in_step(conn)


def test_what_a_row_says_of_its_document(conn: Connection) -> None:
    attach(conn, title="title", published_at="published", metadata="meta", ordinal="no")
    conn.execute(
        "update article set title = 'On one', published = '2021-03-04 12:00+02', meta = %s, no = 7 where id = 1",
        [Jsonb({"kind": "note"})],
    )
    conn.execute("update article set meta = '[1]' where id = 2")
    work(conn)
    found = {document["document"]: document for document in sql(conn, "select * from kb.documents")}
    assert found["1"]["metadata"] == {"kind": "note", "title": "On one"}
    assert found["1"]["published_at"] == datetime(2021, 3, 4, 10, tzinfo=UTC)
    assert found["1"]["ordinal"] == 7
    assert found["2"]["metadata"] == {"metadata": [1]}
    assert found["3"]["metadata"] == {}
    conn.execute("update article set published = '2022-01-01Z' where id = 1")
    assert queued(conn) == [("index", "1")]
    work(conn)
    moved = sql(conn, "select published_at from kb.documents where document = '1'")
    assert moved == [{"published_at": datetime(2022, 1, 1, tzinfo=UTC)}]


@pytest.mark.parametrize("kind", ["date", "timestamp"])
def test_a_date_without_a_time_zone_is_of_utc(conn: Connection, kind: str) -> None:
    conn.execute(f"alter table article alter column published type {kind}")
    conn.execute("set timezone = 'Asia/Tokyo'")
    attach(conn, published_at="published")
    conn.execute("update article set published = %s where id = 1", [date(2021, 3, 4)])
    work(conn)
    published = value(conn, "select published_at from kb.documents where document = '1'")
    assert published == datetime(2021, 3, 4, tzinfo=UTC)


# ---------------------------------------------------------------- the table itself changes
def test_columns_are_known_by_their_number(conn: Connection) -> None:
    attach(conn, title="title")
    conn.execute("alter table article rename column body to txt")
    conn.execute("alter table article rename column id to key")
    conn.execute("alter table article rename column title to body")
    conn.execute("alter table article add column id integer default 0")
    conn.execute("alter table article rename to piece")
    conn.execute("insert into piece (key, txt, body) values (4, 'Four.', 'On four')")
    work(conn)
    assert documents(conn) == {"1": "One.", "2": "Two.", "3": "Three.", "4": "Four."}
    assert value(conn, "select metadata ->> 'title' from kb.documents where document = '4'") == "On four"
    conn.execute("alter table piece rename to article")


def test_a_column_that_is_dropped_is_missed(conn: Connection) -> None:
    attach(conn, title="title")
    conn.execute("alter table article drop column title")
    with pytest.raises(psycopg.errors.UndefinedColumn, match="title"):
        conn.execute("insert into article (id, body) values (4, 'Four.')")
    conn.execute("truncate article")
    attach(conn)
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    assert is_in_step(conn)


def test_a_hostile_table(conn: Connection) -> None:
    conn.execute('drop table if exists "it\'s; drop schema kb --"')
    conn.execute(
        'create table "it\'s; drop schema kb --" ("I d" text primary key, "$$; drop schema kb; --" text, "%s" text)'
    )
    name = '"it\'s; drop schema kb --"'
    row(
        conn,
        "attach",
        name,
        id="I d",
        content="$$; drop schema kb; --",
        title="%s",
        realm=REALM,
    )
    conn.execute(f"insert into {name} values ('''); drop schema kb; --', '%s $1 \\', '%1$I')")
    work(conn)
    assert documents(conn) == {"'); drop schema kb; --": "%s $1 \\"}
    assert value(conn, "select metadata ->> 'title' from kb.documents") == "%1$I"
    row(conn, "detach", name, realm=REALM)
    conn.execute(f"drop table {name}")


def test_a_row_without_text_is_noted_as_skipped(conn: Connection) -> None:
    def noted() -> list[tuple[str, str, str]]:
        found = sql(
            conn, "select document, status, reason from kb.jobs where reason is not null order by document"
        )
        return [(job["document"], job["status"], job["reason"]) for job in found]

    conn.execute("insert into article (id, body) values (4, ' '), (5, null)")
    assert attach(conn) == 3
    conn.execute("insert into article (id, body) values (6, e'\\n'), (7, e'\\ufeff')")
    work(conn)
    why = "its row has no text"
    assert noted() == [*((no, "skipped", why) for no in "456"), ("7", "skipped", "the document is empty")]
    attach(conn)
    work(conn)
    assert len(noted()) == 5, "7 is tried again, the others are known"
    conn.execute("update article set body = '' where id = 1")
    work(conn)
    assert documents(conn).keys() == {"2", "3"}
    assert noted()[0][0] == "4", "a document was there to be withdrawn: done, without a reason"


def test_json_that_jsonb_cannot_hold(conn: Connection) -> None:
    r"""A write that the table took before is taken still, its neighbours too. Escaped, `\\u0000` is text."""
    conn.execute("alter table article alter column meta type json")
    stated = {
        4: (
            r'{"a": "x\u0000y", "\u0000b": ["\ud83d", "\ude00\u0000", "\ud83d\ud83d\ude00"]}',
            {"a": "xy", "b": ["", "", "😀"]},
        ),
        5: (r'{"a": "\\u0000\\\u0000\\\\ud83d", "b": "\"\u0041"}', {"a": r"\u0000\\\ud83d", "b": '"A'}),
        6: (r'["\u0000"]', {"metadata": [""]}),
    }
    conn.execute("insert into article (id, body, meta) values (7, 'Seven.', %s)", [r'{"a": "\u0000"}'])
    attach(conn, metadata="meta")
    for no, (text, _) in stated.items():
        conn.execute("insert into article (id, body, meta) values (%s, 'Text.', %s)", [no, text])
    conn.execute("update article set meta = %s where id = 1", [r'{"a": "\u0000"}'])
    work(conn)
    kept = {d["document"]: d["metadata"] for d in view(conn, REALM, "documents")}
    assert kept["1"] == kept["7"] == {"a": ""}
    assert {no: kept[str(no)] for no in stated} == {no: metadata for no, (_, metadata) in stated.items()}


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"id": "nothing"}, 'no column "nothing"'),
        ({"content": None}, "must name a column"),
        ({"id": "title"}, "not unique"),
        ({"id": "no"}, "not unique"),
        ({"published_at": "title"}, "no date"),
        ({"metadata": "title"}, "no jsonb"),
        ({"ordinal": "title"}, "no number"),
        ({"table": "view_of_article"}, "no table"),
        ({"id": "ctid"}, 'no column "ctid"'),
    ],
)
def test_what_cannot_be_attached(conn: Connection, arguments: dict[str, Any], detail: str) -> None:
    conn.execute("create view view_of_article as select * from article")
    conn.execute("create unique index article_no on article (no) where no > 3")
    said = refused("GR009", ("article",), lambda: attach(conn, **arguments))
    assert detail in (said.message_detail or "")


# ---------------------------------------------------------------- attaching again, detaching
def test_attaching_again_catches_up(conn: Connection) -> None:
    attach(conn)
    work(conn)
    row(conn, "detach", "article", realm=REALM)
    conn.execute("delete from article where id = 1")
    conn.execute("update article set body = 'Zwei.' where id = 2")
    assert queued(conn) == []
    assert documents(conn).keys() == {"1", "2", "3"}, "documents stay"
    attach(conn)
    assert is_in_step(conn)
    attach(conn, backfill=False)
    assert queued(conn) == []
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    assert queued(conn) == [("index", "4")], "one set of triggers"


def test_a_row_that_went_while_its_document_was_still_queued(conn: Connection) -> None:
    attach(conn)
    row(conn, "detach", "article", realm=REALM)
    conn.execute("delete from article where id = 1")
    attach(conn)
    assert is_in_step(conn)


def test_detaching_may_withdraw(conn: Connection) -> None:
    attach(conn)
    row(conn, "enqueue", "Other.", document="other", realm=REALM)
    work(conn)
    row(conn, "detach", "article", withdraw=True, realm=REALM)
    work(conn)
    assert documents(conn) == {"other": "Other."}
    refused("GR042", ("article",), lambda: row(conn, "detach", "article", realm=REALM))


def test_another_source_needs_a_detach(conn: Connection) -> None:
    attach(conn, source="news")
    refused("GR009", ("news",), lambda: attach(conn, source="press"))
    assert attach(conn) == 3, "the source stays"


def test_two_spaces_and_two_realms(conn: Connection) -> None:
    rows(conn, "create_realm", "other", "builtin:hash", width=16)
    attach(conn)
    attach(conn, space="drafts")
    attach(conn, realm="other")
    row(conn, "detach", "article", realm=REALM)
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    work(conn)
    conn.execute("call graphrag.work('other')")
    assert value(conn, "select count(*) from kb.documents where space = 'default'") == 3
    assert value(conn, "select count(*) from kb.documents where space = 'drafts'") == 4
    assert value(conn, "select count(*) from other.documents") == 4


# ---------------------------------------------------------------- who writes the table
def test_a_writer_of_the_table_needs_insert_on_the_queue_and_no_more(conn: Connection) -> None:
    attach(conn)
    work(conn)
    conn.execute("create role attach_app")
    try:
        conn.execute("grant select, insert, update, delete, truncate on article to attach_app")
        conn.execute("set role attach_app")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("insert into article (id, body) values (4, 'Four.')")
        conn.execute(
            "reset role; grant usage on schema kb to attach_app; grant insert on kb.job to attach_app"
        )
        conn.execute("set role attach_app")
        conn.execute("insert into article (id, body) values (4, 'Four.')")
        conn.execute("update article set body = 'x' where id = 4")
        conn.execute("delete from article where id = 4")
        conn.execute("truncate article")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("select * from kb.job")
    finally:
        conn.execute("reset role; drop owned by attach_app; drop role attach_app")
    assert is_in_step(conn)


def test_a_hostile_search_path_of_a_writer(conn: Connection) -> None:
    attach(conn)
    conn.execute(
        "create function pg_temp.format(text, variadic text[]) returns text language sql as"
        " $$ select 'drop schema kb cascade' $$"
    )
    conn.execute("set search_path = pg_temp, public, pg_catalog")
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    conn.execute("reset search_path")
    assert is_in_step(conn)


# ---------------------------------------------------------------- size, dump
def test_ten_thousand_rows_are_one_insert(conn: Connection) -> None:
    attach(conn)
    work(conn)

    def timed(statement: str) -> float:
        begun = time.monotonic()
        conn.execute(statement)
        return time.monotonic() - begun

    conn.execute("create table plain (like article including all)")
    insert = "insert into {} (id, body) select n, 'Text ' || n from generate_series(10, 10009) as n"
    plain = timed(insert.format("plain"))
    attached = timed(insert.format("article"))
    print(f"10,000 rows: {plain:.3f} s alone, {attached:.3f} s attached")
    assert len(queued(conn)) == 10_000
    assert value(conn, "select count(distinct xmin::text) from kb.job where ended_at is null") == 1
    assert attached < plain + 3
    conn.execute("drop table plain")
    conn.execute("delete from article where id >= 10")
    assert len(queued(conn)) == 20_000
    conn.execute("delete from kb.job where ended_at is null")  # nothing was indexed
    assert is_in_step(conn)


def test_a_dump_brings_table_and_queue_back(
    conn: Connection, module_database: Database, server: NoopExecutor, tmp_path: Path
) -> None:
    attach(conn, title="title")
    conn.execute("insert into article (id, body) values (4, 'Four.')")
    directory = value(conn, "select setting from pg_config where name = 'BINDIR'")
    dump = tmp_path / "dump"
    run = [f"{directory}/pg_dump", "-Fc", "-f", str(dump), "-d", module_database.dsn]
    subprocess.run(run, check=True, capture_output=True)
    with new_database(server, f"{server.dbname}_restored", "template0") as restored:
        subprocess.run(
            [f"{directory}/pg_restore", "-d", restored.dsn, str(dump)], check=True, capture_output=True
        )
        with restored.connect() as other:
            other.execute("insert into article (id, body) values (5, 'Five.')")
            other.execute("delete from article where id = 1")
            assert is_in_step(other)
            assert documents(other).keys() == {"2", "3", "4", "5"}


def test_the_queue_goes_on_while_the_extension_is_away(conn: Connection) -> None:
    attach(conn)
    with conn.transaction(force_rollback=True):
        conn.execute("drop extension graphrag cascade")
        conn.execute("insert into article (id, body) values (4, 'Four.')")
        assert queued(conn)[-1] == ("index", "4")


def attachments(conn: Connection) -> list[Row]:
    return sql(
        conn, "select tgname, tgargs from pg_trigger where tgrelid = 'article'::regclass and not tgisinternal"
    )


def test_what_the_triggers_remember(conn: Connection) -> None:
    attach(conn)
    found = attachments(conn)
    assert len(found) == 4
    argument = json.loads(bytes(found[0]["tgargs"]).rstrip(b"\0"))
    assert [column["name"] for column in argument["columns"]] == ["id", "body"]
    row(conn, "detach", "article", realm=REALM)
    assert attachments(conn) == []


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        ("date", "2021-03-15", "2021-03-15"),
        ("timestamp", "2021-03-15 10:00", "2021-03-15 10:00:00"),
        ("timestamptz", "2021-03-15 10:00Z", "2021-03-15 10:00:00+00"),
        ("interval", "1 day 02:00", "1 day 02:00:00"),
        ("float8", "0.30000000000000004", "0.30000000000000004"),
        ("bytea", r"\x0102", r"\x0102"),
    ],
)
def test_a_row_is_one_document_whatever_the_sessions_of_its_writers(
    conn: Connection, kind: str, key: str, name: str
) -> None:
    elsewhere = (
        "set datestyle = 'German, DMY'; set timezone = 'Asia/Tokyo'; set intervalstyle = 'iso_8601';"
        " set extra_float_digits = 0; set bytea_output = 'escape'"
    )
    conn.execute("drop table if exists noted cascade")
    conn.execute(f"create table noted (id {kind} primary key, body text, seen date default '2021-03-04')")
    try:
        conn.execute(f"insert into noted values ('{key}', 'One.')")
        attach(conn, "noted", title="seen")
        conn.execute(elsewhere)
        conn.execute("update noted set body = 'Two.'")
        work(conn)
        assert documents(conn) == {name: "Two."}
        assert value(conn, "select metadata from kb.documents") == {"title": "2021-03-04"}
        assert attach(conn, "noted", title="seen") == 1, "the row, and nothing to withdraw"
        conn.execute("delete from noted")
        work(conn)
        assert documents(conn) == {}
    finally:
        for setting in ("datestyle", "timezone", "intervalstyle", "extra_float_digits", "bytea_output"):
            conn.execute(f"reset {setting}")
        conn.execute("drop table noted")

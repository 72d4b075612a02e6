"""No writer can forge belief time: a role with every right on a realm's tables tries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from tests.support.calls import row, rows, set_models, state
from tests.support.circles import circle, say
from tests.support.database import Connection, Database, one, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.reading import REALM

WRITER = "graphrag_test_by_hand"


@pytest.fixture(scope="module")
def admin(module_database: Database) -> Iterator[Connection]:
    with module_database.connect() as conn:
        rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
        sql(conn, f"drop role if exists {WRITER}")
        sql(conn, f"create role {WRITER} login")
        for grant in (
            "usage on schema graphrag, kb", "execute on all functions in schema graphrag",
            "select on all tables in schema graphrag",
            "select, insert, update, delete, truncate on all tables in schema kb",
            "usage, select, update on all sequences in schema kb",
        ):  # fmt: skip
            sql(conn, f"grant {grant} to {WRITER}")
        yield conn
        sql(conn, f"drop owned by {WRITER}")
        sql(conn, f"drop role {WRITER}")


@pytest.fixture
def writer(admin: Connection, module_database: Database) -> Iterator[Connection]:
    dsn = make_conninfo(module_database.dsn, user=WRITER)
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as conn:
        conn.execute("set graphrag.realm = kb")
        if not value(admin, "select count(*) from kb.space"):
            index(conn, "London", 1)
            index(conn, "Paris", 2)
            rows(conn, "merge_entities", "London", "Paris")
            say(conn, circle("Alpha"), ordinal=0)
            with Endpoint() as reporter:
                rows(admin, "set_endpoint", "auxiliary", reporter.url, "scripted", realm=None)
                set_models(admin, reporter, "community", realm=REALM)
                assert row(conn, "build_communities")["communities"] > 0
        yield conn


def index(conn: Connection, city: str, ordinal: int) -> dict[str, Any]:
    triple = {"subject": "Ada", "predicate": "lived in", "object": city}
    return row(
        conn,
        "index",
        f"Ada lived in {city}.",
        document=city,
        ordinal=ordinal,
        extraction={"triples": [triple]},
    )


STAMPED = (
    "document_version",
    "document_chunk",
    "decision",
    "entity_name",
    "entity_version",
    "relation_version",
    "community_build",
    "community_version",
    "term_total",
    "term_stat",
)
FORGERIES = {
    **{f"{table} born": f"update kb.{table} set born = 1 where died is null" for table in STAMPED},
    **{f"{table} died": f"update kb.{table} set died = 1 where died is null" for table in STAMPED},
    "entity_version undied": "update kb.entity_version set died = null where died is not null returning 1/0",
    **{f"{table} deleted": f"delete from kb.{table}" for table in STAMPED},
    **{f"{table} truncated": f"truncate kb.{table} cascade" for table in (*STAMPED, "assertion", "content")},
    "revisions truncated": "truncate kb.revision",
    "an old version": "insert into kb.entity_version (entity, born, name, content) select entity, 1, 'Eve', content"
        " from kb.entity_version limit 1",
    "a closed version": "insert into kb.entity_version (entity, born, died, name, content) select entity, 1, 2, 'Eve',"
        " content from kb.entity_version limit 1",
    "an old count": "insert into kb.term_stat (space, kind, term, texts, born) values (1, 'chunk', 'eve', 9, 1)",
    "a count of the future": "insert into kb.term_stat (space, kind, term, texts, born)"
        " values (1, 'chunk', 'eve', 9, 999)",
    "a closed count": "insert into kb.term_total (space, kind, texts, words, born, died)"
        " values (1, 'chunk', 9, 1, 1, 2)",
    "a count": "update kb.term_stat set texts = 1",
    "a count's term": "update kb.term_stat set term = term || 's'",
    "a total": "update kb.term_total set words = 1",
    "an old decision": "insert into kb.decision (space, kind, payload, born) values (1, 'merge', '{}', 1)",
    "the revision back": "update kb.space set revision = 1",
    "the revision ahead": "update kb.space set revision = revision + 2",
    "a purge": "update kb.space set purged = 2",
    "a space with a past": "insert into kb.space (name, revision) values ('x', 7)",
    "a revision's time": "update kb.revision set at = '2001-01-01'",
    "a revision's role": "update kb.revision set role = 'postgres'",
    "no revision": "delete from kb.revision",
    "a revision of one's own": "insert into kb.revision (space, n, at, transaction, role, operation)"
        " values (1, 99, '2001-01-01', 'x', 'postgres', 'index')",
    "an assertion": "update kb.assertion set negated = true",
    "a mention": "update kb.mention set surface = 'Eve'",
    "a text": "update kb.content set body = 'Eve'",
    "a chunk": "update kb.chunk set extractor = 'gpt'",
    "a document": "update kb.document set first_indexed_at = '2001-01-01'",
    "an entity": "delete from kb.entity",
    "a relation": "update kb.relation set predicate = 'loves'",
    "an entity's space": "update kb.entity set space = 2",
}  # fmt: skip
SETTINGS = (
    "",
    "set graphrag.purge = 'on'",
    "set search_path = pg_temp, kb",
    "set graphrag.deleted = '1 2 3'",
)


def test_all_tables_with_a_belief_interval_are_tried(admin: Connection) -> None:
    found = sql(
        admin,
        "select table_name from information_schema.columns where table_schema = 'kb' and column_name = 'born'"
        " and table_name in (select tablename from pg_tables where schemaname = 'kb')",
    )
    assert {column["table_name"] for column in found} == set(STAMPED)


@pytest.mark.parametrize("table", STAMPED)
@pytest.mark.usefixtures("writer")
def test_each_of_them_has_something_to_forge(admin: Connection, table: str) -> None:
    assert value(admin, f"select count(*) from kb.{table} where died is null") > 0


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("forgery", FORGERIES)
def test_it_is_refused(admin: Connection, writer: Connection, forgery: str, setting: str) -> None:
    before = state(admin, REALM)
    if setting:
        writer.execute(setting)
    with pytest.raises(psycopg.Error):
        sql(writer, FORGERIES[forgery])
    assert state(admin, REALM) == before


def test_nor_in_a_transaction_that_has_a_revision(admin: Connection, writer: Connection) -> None:
    """Its own revision is all that it can write; that of another space is not its."""
    before = state(admin, REALM)
    for attempt in (
        "update kb.entity_version set died = 1 where died is null",
        "update kb.entity_version set died = 999 where died is null",
        "update kb.entity_version set name = 'Eve', died = (select revision from kb.space where id = 1)",
        "update kb.term_stat set died = 1 where died is null",
        "update kb.term_total set died = null where died is not null",
        "update kb.term_stat set died = (select revision from kb.space where id = 1), texts = 1",
        "delete from kb.term_stat where died is not null or born < (select revision from kb.space where id = 1)",
        "insert into kb.term_stat (space, kind, term, texts, born) values (1, 'chunk', 'eve', 9, 1)",
        "insert into kb.entity (space) values (2)",
        "insert into kb.revision (space, n, at, transaction, role, operation) values (1, 9, now(), 'x', 'eve', 'y')",
        "update kb.space set revision = revision + 1 where id = 1",
    ):
        writer.execute("begin")
        index(writer, "Rome", 3)
        with pytest.raises(psycopg.Error):
            sql(writer, attempt)
        writer.execute("rollback")
    assert state(admin, REALM) == before


def test_a_temporary_table_fools_no_trigger(admin: Connection, writer: Connection) -> None:
    sql(admin, f"grant temporary on database {value(admin, 'select current_database()')} to {WRITER}")
    sql(writer, "create temporary table revision (space int, n bigint, transaction text)")
    sql(writer, "create temporary table entity (id bigint, space int)")
    sql(writer, "insert into pg_temp.revision select 1, 1, graphrag._transaction()")
    sql(writer, "set search_path = pg_temp, kb")
    writer.execute("begin")
    sql(writer, "insert into pg_temp.revision select 1, 1, graphrag._transaction()")
    with pytest.raises(psycopg.Error) as caught:
        sql(writer, "insert into kb.decision (space, kind, payload, born) values (1, 'merge', '{}', 1)")
    writer.execute("rollback")
    assert caught.value.sqlstate == "GR022"


def test_a_revision_taken_by_hand_is_honest(admin: Connection, writer: Connection) -> None:
    before = one(admin, "select clock_timestamp() as at, revision as n from kb.space where id = 1")
    sql(writer, "update kb.space set revision = revision + 1, operation = 'nothing' where id = 1")
    taken = one(admin, "select * from kb.revision where space = 1 order by n desc limit 1")
    assert (taken["n"], taken["role"], taken["operation"]) == (before["n"] + 1, WRITER, "nothing")
    assert taken["at"] > before["at"]


def test_the_functions_work_for_a_plain_writer(admin: Connection, writer: Connection) -> None:
    index(writer, "Oslo", 4)
    chunk = value(writer, "select max(id) from kb.chunk")
    given = [chunk, "Ada", "visited", "Oslo"]
    number = value(
        writer,
        "insert into kb.assertion (chunk, subject, predicate, object) values (%s, %s, %s, %s) returning id",
        given,
    )
    sql(writer, "delete from kb.assertion where id = %s", [number])
    decision = value(writer, "select graphrag.retract_relation('Ada', 'lived in', 'Oslo')")
    rows(writer, "undo", decision)
    rows(writer, "delete_document", "Oslo")
    assert value(writer, "select graphrag.derive()") == 0
    roles = {r["role"] for r in view(admin, REALM, "revision")}
    assert roles == {WRITER}
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(writer, "purge", document="Oslo")

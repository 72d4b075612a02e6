"""A dump restored into a fresh database is the same graph, and indexing goes on there."""

from __future__ import annotations

import subprocess
from functools import partial

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from tests.support import circles
from tests.support.calls import refused, row, rows, set_models
from tests.support.corpus import VOCABULARY, Draft, as_json, differences, index, make_realm
from tests.support.database import Connection, Database, new_database, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.graph import read_graph
from tests.support.model import Entity, Extraction, Triple
from tests.support.servers import new_server, programs

REALM = 'acme-eu.1/β "x"'
QUOTED = '"' + REALM.replace('"', '""') + '"'


def moves(number: int, city: str) -> Draft:
    says = Extraction((Entity("Ann", aliases=("Annie",)), Entity(city)), (Triple("Ann", "lives_in", city),))
    return Draft(f"doc {number}", number, None, (says,))


def copy(conn: Connection, source: Database, target: Database, *options: str) -> None:
    """pg_dump | pg_restore, stopping at the first error."""
    dump = subprocess.run(
        [str(programs(conn) / "pg_dump"), "--format=custom", *options, source.dsn],
        check=True,
        capture_output=True,
    )
    restored = subprocess.run(
        [str(programs(conn) / "pg_restore"), "--exit-on-error", "--dbname", target.dsn],
        input=dump.stdout,
        capture_output=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stderr.decode()


def copy_apart(conn: Connection, source: Database, target: Database, *options: str) -> list[str]:
    """pg_dump of the realm alone | pg_restore into a database without the extension; the statements that failed."""
    dump = subprocess.run(
        [str(programs(conn) / "pg_dump"), "--format=custom", f"--schema={QUOTED}", *options, source.dsn],
        check=True,
        capture_output=True,
    )
    restored = subprocess.run(
        [str(programs(conn) / "pg_restore"), "--dbname", target.dsn],
        input=dump.stdout,
        capture_output=True,
        check=False,
    )
    return [line for line in restored.stderr.decode().splitlines() if line.startswith("Command was: ")]


@pytest.fixture
def source(conn: Connection, endpoint: Endpoint) -> Connection:
    make_realm(conn, REALM)
    set_models(conn, endpoint, realm=REALM)
    endpoint.on_synthesis = lambda _: "In Berlin [1]."
    index(conn, REALM, "default", moves(1, "Paris"))
    index(conn, REALM, "default", moves(2, "Berlin"))
    return conn


def test_a_whole_dump_lives_on(
    server: NoopExecutor, database: Database, source: Connection, endpoint: Endpoint
) -> None:
    with new_database(server, f"{database.name}_restored", template="template0") as restored:
        copy(source, database, restored)
        with restored.connect(options="-c search_path= -c statement_timeout=60000") as conn:
            before = read_graph(source, REALM, "default", VOCABULARY)
            assert read_graph(conn, REALM, "default", VOCABULARY) == before
            assert view(conn, REALM, "setting") == view(source, REALM, "setting")
            assert differences(conn, REALM, "default") == 0
            goes_on(conn, endpoint)


def test_one_realm_dumped_alone_lives_on(
    server: NoopExecutor, database: Database, source: Connection, endpoint: Endpoint
) -> None:
    with new_database(server, f"{database.name}_restored") as restored:
        copy(source, database, restored, f"--schema={QUOTED}")
        with restored.connect(options="-c search_path= -c statement_timeout=60000") as conn:
            before = read_graph(source, REALM, "default", VOCABULARY)
            assert read_graph(conn, REALM, "default", VOCABULARY) == before
            goes_on(conn, endpoint)


def goes_on(conn: Connection, endpoint: Endpoint) -> None:
    """Index, replace, delete and ask in the restored realm."""
    assert row(conn, "index", moves(2, "Berlin").text, document="doc 2", ordinal=2,
               extraction=moves(2, "Berlin").extraction, realm=REALM)["unchanged"] == 1  # fmt: skip
    index(conn, REALM, "default", moves(3, "Rome"))
    current = {fact["object"] for fact in view(conn, REALM, "facts") if fact["status"] == "current"}
    assert current == {"Rome"}
    rows(conn, "delete_document", "doc 3", realm=REALM)
    current = {fact["object"] for fact in view(conn, REALM, "facts") if fact["status"] == "current"}
    assert current == {"Berlin"}
    assert any(
        "Berlin" in piece["text"] for piece in rows(conn, "retrieve", "Where does Ann live?", realm=REALM)
    )
    set_models(conn, endpoint, realm=REALM)
    assert row(conn, "query", "Where does Ann live?", realm=REALM)["answer"] == "In Berlin [1]."
    fresh = as_json(Extraction((Entity("Ann"),), ()))
    assert row(conn, "index", "Ann again.", document="new", extraction=fresh, space="second", realm=REALM)[
        "revision"
    ]


def test_no_report_is_paid_again_after_a_restore(
    server: NoopExecutor, database: Database, conn: Connection, endpoint: Endpoint
) -> None:
    circles.make_realm(conn, endpoint)
    circles.say(conn, circles.WORLD)
    built = circles.build(conn)
    assert built["llm_calls"] == built["communities"] > 0
    endpoint.requests.clear()
    with new_database(server, f"{database.name}_restored", template="template0") as restored:
        copy(conn, database, restored)
        with restored.connect(options=f"-c graphrag.realm={circles.REALM}") as again:
            assert circles.tree(again) == circles.tree(conn)
            set_models(again, endpoint, "extraction", realm=circles.REALM)
            rebuilt = circles.build(again)
            assert (rebuilt["reused"], rebuilt["failed"]) == (built["communities"], 0)
            assert endpoint.requests == []


def test_a_schema_without_its_data_becomes_an_empty_realm(
    server: NoopExecutor, database: Database, source: Connection, endpoint: Endpoint
) -> None:
    with new_database(server, f"{database.name}_restored", template="template0") as restored:
        copy(source, database, restored, "--schema-only")
        with restored.connect(options="-c search_path= -c statement_timeout=60000") as conn:
            assert view(conn, REALM, "document") == []
            ask = partial(rows, conn, "retrieve", "Ann", realm=REALM)
            refused("GR202", (REALM, "no rows"), ask, "create_realm")
            assert "create_realm" in {f["check"]: f["advice"] for f in rows(conn, "doctor", REALM)}["realm"]
            (kept,) = view(source, REALM, "realm")
            width = kept["width"]
            other = partial(rows, conn, "create_realm", REALM, "builtin:hash", width=width + 1)
            refused("GR105", (str(width), str(width + 1)), other, "DROP SCHEMA")
            rows(conn, "create_realm", REALM, "builtin:hash", width=width)
            (made,) = view(conn, REALM, "realm")
            assert (made["version"], made["width"]) == (kept["version"], width)
            index(conn, REALM, "default", moves(1, "Paris"))
            assert {fact["object"] for fact in view(conn, REALM, "facts")} == {"Paris"}
            assert differences(conn, REALM, "default") == 0
            set_models(conn, endpoint, realm=REALM)
            assert row(conn, "query", "Where does Ann live?", realm=REALM)["answer"] == "In Berlin [1]."


def test_a_dump_lives_on_in_a_fresh_cluster(
    database: Database, source: Connection, endpoint: Endpoint
) -> None:
    with new_server(source) as fresh:
        fresh.initdb(like=source)
        fresh.start()
        copy(source, database, fresh.database("postgres"))
        with fresh.database("postgres").connect(options="-c search_path= -c statement_timeout=60000") as conn:
            before = read_graph(source, REALM, "default", VOCABULARY)
            assert read_graph(conn, REALM, "default", VOCABULARY) == before
            # Registered at the old server, and no key is in a dump.
            assert value(conn, "select count(*) from graphrag.endpoint_location") == 0
            goes_on(conn, endpoint)


@pytest.mark.parametrize("options", [(), ("--schema-only",)], ids=["with its data", "without"])
def test_a_realm_that_comes_before_the_extension(
    server: NoopExecutor, database: Database, source: Connection, endpoint: Endpoint, options: tuple[str, ...]
) -> None:
    """Only what needs the extension is missing then, and migrate_realm() brings it."""
    with new_database(server, f"{database.name}_restored", template="template0") as restored:
        with restored.connect() as conn:
            sql(conn, "create extension vector; create extension pg_trgm")
        failed = copy_apart(source, database, restored, *options)
        assert failed
        assert [line for line in failed if not line.startswith("Command was: CREATE TRIGGER")] == []
        with restored.connect(options="-c search_path= -c statement_timeout=60000") as conn:
            sql(conn, "create extension graphrag cascade")
            if options:
                width = value(source, f"select width from {QUOTED}.realm")
                rows(conn, "create_realm", REALM, "builtin:hash", width=width)
            refused("GR202", (REALM, "triggers"), partial(rows, conn, "retrieve", "Ann", realm=REALM))
            rows(conn, "migrate_realm", REALM)
            if options:
                # The vocabulary is rows too.
                index(conn, REALM, "default", moves(2, "Berlin"))
                assert {fact["object"] for fact in view(conn, REALM, "facts")} == {"Berlin"}
                assert rows(conn, "retrieve", "Where does Ann live?", realm=REALM)
            else:
                before = read_graph(source, REALM, "default", VOCABULARY)
                assert read_graph(conn, REALM, "default", VOCABULARY) == before
                goes_on(conn, endpoint)
            assert differences(conn, REALM, "default") == 0


def test_a_dump_of_a_database_that_has_dropped_the_extension(
    server: NoopExecutor, database: Database, source: Connection, endpoint: Endpoint
) -> None:
    """DROP EXTENSION is refused while there are realms, since their triggers need it; CASCADE takes those, no data."""
    before = read_graph(source, REALM, "default", VOCABULARY)
    with pytest.raises(psycopg.errors.DependentObjectsStillExist):
        sql(source, "drop extension graphrag")
    sql(source, "drop extension graphrag cascade")
    with new_database(server, f"{database.name}_restored", template="template0") as restored:
        copy(source, database, restored)
        with restored.connect(options="-c search_path= -c statement_timeout=60000") as conn:
            sql(conn, "create extension graphrag cascade")
            rows(conn, "migrate_realm", REALM)
            assert view(conn, REALM, "settings")
            assert read_graph(conn, REALM, "default", VOCABULARY) == before
            goes_on(conn, endpoint)

"""Fixtures of the tests that talk to a server: GRAPHRAG_DSN names a cluster where they create databases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from psycopg.conninfo import conninfo_to_dict
from pytest_postgresql import factories
from pytest_postgresql.executors import NoopExecutor

from tests.support.cluster import server_of_this_worker
from tests.support.database import (
    PREFIX,
    Connection,
    Database,
    create_extension,
    drop_leftovers,
    new_database,
    sql,
)
from tests.support.endpoint import Endpoint

_DSN = server_of_this_worker()
_WHERE = conninfo_to_dict(_DSN)
_NUMBERS = count()


def _profile(name: str, examples: int) -> None:
    """Profiles of the property tests; the environment's GRAPHRAG_EXAMPLES outranks both."""
    settings.register_profile(
        name,
        max_examples=int(os.environ.get("GRAPHRAG_EXAMPLES", examples)),
        deadline=None,
        derandomize="CI" in os.environ,
        print_blob=True,
        # Every example goes through a server; the database is made once, a space anew for each example.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


_profile("nightly", 2000)
_profile("default", 50)
settings.load_profile("default")

_server = factories.postgresql_noproc(
    host=str(_WHERE.get("host", "127.0.0.1")),
    port=str(_WHERE.get("port", "5432")),
    user=str(_WHERE.get("user", "postgres")),
    password=str(_WHERE["password"]) if "password" in _WHERE else None,
    dbname=f"{PREFIX}{os.getpid()}",
    load=[create_extension],
)


@pytest.fixture(scope="session")
def dsn() -> str:
    """The cluster's connection string. Without one the tests fail: a skipped suite looks like a green one."""
    if not _DSN:
        pytest.fail(
            "GRAPHRAG_DSN is not set: `make test` starts the private cluster and sets it", pytrace=False
        )
    return _DSN


@pytest.fixture(scope="session")
def server(dsn: str, request: pytest.FixtureRequest) -> NoopExecutor:
    """The cluster, with the template database made in it."""
    drop_leftovers(dsn)
    executor = request.getfixturevalue("_server")
    assert isinstance(executor, NoopExecutor)
    return executor


@pytest.fixture
def database(server: NoopExecutor) -> Iterator[Database]:
    """A fresh database of one test."""
    with new_database(server, f"{server.dbname}_{next(_NUMBERS)}") as fresh:
        yield fresh


@pytest.fixture(scope="module")
def module_database(server: NoopExecutor) -> Iterator[Database]:
    """A fresh database that the tests of one module share."""
    with new_database(server, f"{server.dbname}_{next(_NUMBERS)}") as fresh:
        yield fresh


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    """A connection to the test's database, in autocommit."""
    with database.connect() as connection:
        yield connection


@pytest.fixture
def realm(conn: Connection) -> str:
    """The realm `default` with vectors that need no model."""
    sql(conn, "select graphrag.create_realm('default', embedding_url => 'builtin:hash', width => 32)")
    return "default"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A scripted endpoint of one test."""
    with Endpoint() as server:
        yield server

"""A session that the tests of a module share: each new one would load its libraries anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.database import Connection, Database


@pytest.fixture(scope="module")
def session(module_database: Database) -> Iterator[Connection]:
    """One connection in autocommit; tests.support.reading.fresh() undoes what the last test left."""
    with module_database.connect() as conn:
        yield conn


@pytest.fixture
def makes_realm(request: pytest.FixtureRequest) -> bool:
    """Whether a fixture of the test makes its realm by have_realm()."""
    return not {"model", "models", "world"}.isdisjoint(request.fixturenames)

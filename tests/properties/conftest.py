"""One database and one realm for the property tests; each example gets a space of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.support.corpus import REALM, make_realm
from tests.support.database import Connection, Database


@pytest.fixture(scope="module")
def world(module_database: Database) -> Iterator[Connection]:
    """A connection to a realm in which the predicates of the random worlds are declared."""
    with module_database.connect() as conn:
        make_realm(conn, REALM)
        yield conn


@pytest.fixture(scope="module")
def new_space() -> Callable[[], str]:
    """Names of spaces that no other example uses."""
    numbers = count()
    return lambda: f"example {next(numbers)}"

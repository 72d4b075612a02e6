"""What an embedding endpoint can do wrong: named, bounded by the deadline, and nothing is stored; or put up with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import endpoint as faults
from tests.support.calls import mistake, row, rows, set_models
from tests.support.corpus import as_json
from tests.support.database import Connection, Database, view
from tests.support.endpoint import Endpoint
from tests.support.model import Entity, Extraction, Triple

DEADLINE = 1.0  # seconds, of a call with all its retries
SLACK = 2.0  # for everything else that a busy machine does meanwhile


@pytest.fixture(scope="module")
def conn(module_database: Database) -> Iterator[Connection]:
    with module_database.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def service() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


@pytest.fixture(scope="module")
def corpus(conn: Connection, service: Endpoint) -> str:
    """A realm whose vectors come from the scripted endpoint, with one document."""
    rows(conn, "create_realm", "default", embedding_url=service.url, embedding_model="scripted", width=32)
    index(conn, "Ann")
    return "default"


@pytest.fixture
def endpoint(conn: Connection, corpus: str, service: Endpoint) -> Iterator[Endpoint]:
    """The endpoint, in good health, with a short deadline."""
    set_models(conn, service, "embedding", realm=corpus, deadline=DEADLINE)
    yield service
    service.heal()


def index(conn: Connection, name: str) -> dict[str, Any]:
    """Index a document with texts that no other document has."""
    names = (name, f"{name} Ltd", f"{name} & Sons")
    says = as_json(Extraction(tuple(map(Entity, names)), (Triple(name, "founded", f"{name} Ltd"),)))
    return row(conn, "index", ", ".join(names), document=name, extraction=says)


def fails(conn: Connection, realm: str, sqlstate: str, *mentions: str) -> None:
    """Indexing fails in time, and leaves the realm as it was."""
    before = time.monotonic()
    says = as_json(Extraction((Entity("Bob"), Entity("Acme")), (Triple("Bob", "left", "Acme"),)))
    mistake(conn, realm, sqlstate, mentions, "index", "Bob left Acme.", document="b", extraction=says)
    assert time.monotonic() - before < DEADLINE + SLACK


NOWHERE = {"refused": faults.refused_url(), "unresolvable": faults.unresolvable_url()}


@pytest.mark.parametrize("url", NOWHERE.values(), ids=NOWHERE.keys())
@pytest.mark.usefixtures("endpoint")
def test_an_endpoint_that_is_not_there(conn: Connection, corpus: str, url: str) -> None:
    rows(conn, "set_endpoint", "embedding", url, "scripted", options={"deadline": DEADLINE})
    fails(conn, corpus, "GR101", url)


OUTAGES: dict[str, tuple[str, faults.Fault, tuple[str, ...]]] = {
    "bad key": ("GR102", faults.status(401, message="bad key"), ("401",)),
    "unknown model": ("GR102", faults.status(400, message="no such model"), ("400",)),
    "a page": ("GR103", faults.html(), ()),
    "half a body": ("GR103", faults.truncated(), ()),
    "too few vectors": ("GR103", faults.fewer_vectors(1), ()),
    "slow": ("GR104", faults.slow(30), ()),
    "dripping": ("GR104", faults.drip(0.05), ()),
    "unavailable for ever": ("GR104", faults.status(503), ("503",)),
    "rate limit for ever": ("GR104", faults.status(429, retry_after="5"), ("429",)),
    "another width": ("GR105", faults.other_width(48), ("48", "32")),
    "nan": ("GR106", faults.filled(float("nan")), ()),
    "inf": ("GR106", faults.filled(float("inf")), ()),
    "zero": ("GR106", faults.filled(0.0), ()),
}


@pytest.mark.parametrize(("sqlstate", "fault", "mentions"), OUTAGES.values(), ids=OUTAGES.keys())
def test_what_an_endpoint_does_wrong(
    conn: Connection,
    corpus: str,
    endpoint: Endpoint,
    sqlstate: str,
    fault: faults.Fault,
    mentions: tuple[str, ...],
) -> None:
    endpoint.inject(fault, where=faults.is_embedding)
    fails(conn, corpus, sqlstate, endpoint.url, *mentions)


PUT_UP_WITH: dict[str, tuple[faults.Fault, int | None]] = {
    "a server error": (faults.status(500), 1),
    "a dropped connection": (faults.drop(), 1),
    "a rate limit": (faults.status(429, retry_after="0"), 2),
    "shuffled vectors": (faults.shuffled(), None),
    "no usage": (faults.without_usage(), None),
    "no base64": (faults.base64_refused(), None),
}


@pytest.mark.parametrize("name", PUT_UP_WITH)
def test_what_is_put_up_with(conn: Connection, corpus: str, endpoint: Endpoint, name: str) -> None:
    fault, times = PUT_UP_WITH[name]
    set_models(conn, endpoint, "embedding", realm=corpus, deadline=10)
    endpoint.inject(fault, times, faults.is_embedding)
    assert index(conn, name)["failed"] == 0
    check_vectors(conn, corpus)


def check_vectors(conn: Connection, realm: str) -> None:
    """Each stored text has the vector that the endpoint gives to that text and to no other."""
    for content in view(conn, realm, "content"):
        vector = [float(number) for number in content["vec"].strip("[]").split(",")]
        assert vector == pytest.approx(faults.hashed_vector(content["body"], 32)), content["body"]

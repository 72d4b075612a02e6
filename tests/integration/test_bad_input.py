"""A mistake and an outage each have their own SQLSTATE, name the value, say what to do, write nothing."""

from __future__ import annotations

import time
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows, set_models, state
from tests.support.corpus import as_json
from tests.support.database import Connection, value, view
from tests.support.endpoint import Endpoint
from tests.support.model import Entity, Extraction, Triple

TEXT = "Ann founded Acme."
SAYS = as_json(Extraction((Entity("Ann"), Entity("Acme")), (Triple("Ann", "founded", "Acme"),)))


@pytest.fixture
def corpus(conn: Connection, realm: str) -> str:
    """A realm that holds one document."""
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    return realm


def mistake(
    conn: Connection,
    unchanged: str,
    sqlstate: str,
    mentions: tuple[str, ...],
    /,
    *call: Any,
    hint: str = "",
    **named: Any,
) -> None:
    """A refused call that leaves every table of the realm as it was."""
    before = state(conn, unchanged)
    refused(sqlstate, mentions, lambda: rows(conn, *call, **named), hint)
    assert state(conn, unchanged) == before


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\ufeff\r\n", "\u3000"])
def test_empty_document(conn: Connection, corpus: str, text: str) -> None:
    mistake(conn, corpus, "GR001", (), "index", text, document="b")


def test_missing_document(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR001", (), "index", None, document="b")


@pytest.mark.parametrize("mode", ["mixx", "", "MIX "])
@pytest.mark.parametrize("function", ["query", "retrieve", "context"])
def test_unknown_mode(conn: Connection, corpus: str, function: str, mode: str) -> None:
    before = state(conn, corpus)
    said = refused("GR002", (f'"{mode}"',), lambda: rows(conn, function, "Who?", mode=mode))
    for known in ("mix", "naive", "bypass"):
        assert known in f"{said.message_detail} {said.message_hint}"
    assert state(conn, corpus) == before


@pytest.mark.parametrize("function", ["index", "query", "retrieve", "context", "timeline"])
def test_unknown_realm(conn: Connection, corpus: str, function: str) -> None:
    mistake(conn, corpus, "GR003", ("defualt",), function, "Ann", realm="defualt", hint="default")


@pytest.mark.parametrize("function", ["query", "retrieve", "context", "timeline"])
def test_unknown_space(conn: Connection, corpus: str, function: str) -> None:
    mistake(conn, corpus, "GR004", ("defalt",), function, "Ann", space="defalt", hint="default")


def test_unknown_setting(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR005", ("chunk_sise",), "configure", "chunk_sise", "500", hint="chunk_size")


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [("chunk_size", '"many"'), ("chunk_size", "1"), ("supersession_confidence_floor", "7"), ("top_k", "-1")],
)
def test_a_value_that_a_setting_does_not_take(
    conn: Connection, corpus: str, setting: str, wrong: str
) -> None:
    mistake(conn, corpus, "GR011", (setting, wrong), "configure", setting, wrong)


@pytest.mark.parametrize("as_of", ["later", "2023-02-30", "13/45/2026", "2021-13", ""])
def test_as_of_that_is_no_point_in_time(conn: Connection, corpus: str, as_of: str) -> None:
    mistake(conn, corpus, "GR008", (f'"{as_of}"',), "retrieve", "Who?", as_of=as_of)


@pytest.mark.parametrize("named", [{"top_k": 0}, {"top_k": -3}, {"max_hops": -1}])
def test_numbers_out_of_range(conn: Connection, corpus: str, named: dict[str, Any]) -> None:
    ((name, wrong),) = named.items()
    mistake(conn, corpus, "GR009", (name, str(wrong)), "retrieve", "Who?", **named)


@pytest.mark.parametrize("question", ["", "  ", None])
def test_empty_question(conn: Connection, corpus: str, question: str | None) -> None:
    mistake(conn, corpus, "GR009", (), "retrieve", question)


def test_unknown_document(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR012", ("nowhere",), "delete_document", "nowhere")
    mistake(conn, corpus, "GR012", ("a",), "delete_document", "a", source="elsewhere")


def test_unknown_preset(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR014", ("biograpy",), "use_preset", "biograpy", hint="biography")


def test_unknown_entity(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR015", ("Acmee",), "timeline", "Acmee", hint="Acme")


@pytest.mark.parametrize(
    "extraction", [[], {"entities": 3}, {"triples": "none"}, "text"], ids=["list", "number", "string", "text"]
)
def test_extraction_of_the_wrong_shape(conn: Connection, corpus: str, extraction: Any) -> None:
    mistake(conn, corpus, "GR009", ("extraction",), "index", TEXT, document="b", extraction=Jsonb(extraction))


def test_no_endpoint_for_a_first_realm(conn: Connection) -> None:
    said = refused("GR010", (), lambda: row(conn, "index", TEXT, extraction=SAYS))
    advice = f"{said.message_primary} {said.message_detail} {said.message_hint}"
    for way_out in ("set_endpoint", "OPENAI_API_KEY", "builtin:hash"):
        assert way_out in advice
    assert value(conn, "select count(*) from pg_namespace where nspname = 'default'") == 0


def test_no_endpoint_for_an_answer(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR010", ("synthesis",), "query", "Who founded Acme?", hint="set_endpoint")


# ---------------------------------------------------------------- outages of the embedding endpoint
@pytest.fixture
def embedded(conn: Connection, endpoint: Endpoint) -> str:
    """A realm whose vectors come from the scripted endpoint, with one document."""
    rows(conn, "create_realm", "default", embedding_url=endpoint.url, embedding_model="scripted", width=32)
    set_models(conn, endpoint, "embedding", deadline=1)
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    return "default"


def test_a_refused_connection_is_named_within_the_deadline(conn: Connection, embedded: str) -> None:
    for url in (faults.refused_url(), faults.unresolvable_url()):
        rows(conn, "set_endpoint", "embedding", url, "scripted", options={"deadline": 2})
        before = time.monotonic()
        mistake(conn, embedded, "GR101", (url,), "index", "Bob left.", document="b", extraction=SAYS)
        assert time.monotonic() - before < 4


OUTAGES: dict[str, tuple[str, faults.Fault, tuple[str, ...]]] = {
    "bad key": ("GR102", faults.status(401, message="bad key"), ("401",)),
    "unknown model": ("GR102", faults.status(400, message="no such model"), ("400",)),
    "a page": ("GR103", faults.html(), ()),
    "half a body": ("GR103", faults.truncated(), ()),
    "too few vectors": ("GR103", faults.fewer_vectors(1), ()),
    "slow": ("GR104", faults.slow(30), ()),
    "dripping": ("GR104", faults.drip(0.05), ()),
    "another width": ("GR105", faults.other_width(48), ("48", "32")),
    "nan": ("GR106", faults.filled(float("nan")), ()),
    "inf": ("GR106", faults.filled(float("inf")), ()),
    "zero": ("GR106", faults.filled(0.0), ()),
}


@pytest.mark.parametrize(("sqlstate", "fault", "mentions"), OUTAGES.values(), ids=OUTAGES.keys())
def test_what_an_embedding_endpoint_does_wrong(
    conn: Connection,
    embedded: str,
    endpoint: Endpoint,
    sqlstate: str,
    fault: faults.Fault,
    mentions: tuple[str, ...],
) -> None:
    endpoint.inject(fault, where=faults.is_embedding)
    before = time.monotonic()
    says = as_json(Extraction((Entity("Bob"), Entity("Acme")), (Triple("Bob", "left", "Acme"),)))
    mistake(conn, embedded, sqlstate, mentions, "index", "Bob left Acme.", document="b", extraction=says)
    assert time.monotonic() - before < 4


PUT_UP_WITH: dict[str, tuple[faults.Fault, int | None]] = {
    "a server error": (faults.status(500), 1),
    "a dropped connection": (faults.drop(), 1),
    "a rate limit": (faults.status(429, retry_after="0"), 2),
    "shuffled vectors": (faults.shuffled(), None),
    "no usage": (faults.without_usage(), None),
    "no base64": (faults.base64_refused(), None),
}


@pytest.mark.parametrize(("fault", "times"), PUT_UP_WITH.values(), ids=PUT_UP_WITH.keys())
def test_what_is_put_up_with(
    conn: Connection, embedded: str, endpoint: Endpoint, fault: faults.Fault, times: int | None
) -> None:
    set_models(conn, endpoint, "embedding", deadline=10)
    endpoint.inject(fault, times, faults.is_embedding)
    names = [Entity(name) for name in ("Bob", "Acme", "Zoë", "Ines")]
    says = as_json(Extraction(tuple(names), (Triple("Bob", "left", "Acme"),)))
    assert row(conn, "index", "Bob left Acme. Zoë, Ines.", document="b", extraction=says)["failed"] == 0
    check_vectors(conn, embedded)


def check_vectors(conn: Connection, realm: str) -> None:
    """Each stored text has the vector that the endpoint gives to that text and to no other."""
    found = view(conn, realm, "content")
    assert len(found) > 4
    for content in found:
        vector = [float(number) for number in content["vec"].strip("[]").split(",")]
        assert vector == pytest.approx(faults.hashed_vector(content["body"], 32)), content["body"]


def test_a_server_error_for_ever_is_an_outage(conn: Connection, embedded: str, endpoint: Endpoint) -> None:
    endpoint.inject(faults.status(503), where=faults.is_embedding)
    before = time.monotonic()
    mistake(
        conn, embedded, "GR101", (endpoint.url,), "index", "Bob left Acme.", document="b", extraction=SAYS
    )
    assert time.monotonic() - before < 4


def test_a_rate_limit_for_ever_ends_at_the_deadline(
    conn: Connection, embedded: str, endpoint: Endpoint
) -> None:
    endpoint.inject(faults.status(429, retry_after="5"), where=faults.is_embedding)
    before = time.monotonic()
    mistake(
        conn, embedded, "GR104", (endpoint.url,), "index", "Bob left Acme.", document="b", extraction=SAYS
    )
    assert time.monotonic() - before < 4

"""What calls cost: one row each, unknown is not zero, and the totals that results and the view show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import row, rows
from tests.support.database import Connection, Row, sql, value, view
from tests.support.endpoint import NOTHING, Endpoint, is_chat, is_embedding, says
from tests.support.reading import PEOPLE, REALM, fresh, make_realm, pages

QUESTION = "Who founded Acme?"


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def models(conn: Connection, endpoint: Endpoint) -> Endpoint:
    make_realm(conn, endpoint)
    return endpoint


def index(conn: Connection, *names: str, document: str = "a") -> Row:
    return row(conn, "index", pages(*names), document=document, realm=REALM)


def usage(conn: Connection, role: str) -> list[Row]:
    return [call for call in view(conn, REALM, "usage") if call["role"] == role]


def totals(conn: Connection) -> dict[str, Row]:
    return {total["role"]: total for total in view(conn, REALM, "usage_totals")}


def tokens(prompt: Any, completion: Any) -> faults.Fault:
    """A server that says so much, or nothing, or nonsense."""
    said = {"prompt_tokens": prompt, "completion_tokens": completion}
    return lambda _, response: replace(response, payload={**response.payload, "usage": said})


def test_every_call_has_a_row(conn: Connection, models: Endpoint) -> None:
    result = index(conn, "Ann", "Bob")
    answer = row(conn, "query", QUESTION, realm=REALM)
    assert len(usage(conn, "extraction")) == len(models.chats) - 1 == 4
    assert len(usage(conn, "embedding")) == len(models.embeddings) == 2
    (synthesis,) = usage(conn, "synthesis")
    for call in usage(conn, "extraction"):
        assert (call["model"], call["document"], call["question"]) == ("scripted", "a", None)
        assert (call["input_tokens"], call["output_tokens"], call["attempts"]) == (100, 10, 1)
        assert call["latency_ms"] >= 0
        assert call["failure"] is None
    assert (synthesis["document"], synthesis["question"]) == (None, QUESTION)
    for call in usage(conn, "embedding"):
        assert (call["model"], call["output_tokens"]) == ("vectors", 0)
        assert call["input_tokens"] > 0
    in_vectors = usage(conn, "embedding")[0]["input_tokens"]
    assert (result["llm_calls"], result["output_tokens"]) == (4, 40)
    assert result["input_tokens"] == 400 + in_vectors
    assert answer["usage"]["calls"] == 2
    assert answer["usage"]["model"] == "scripted"
    assert answer["usage"]["output_tokens"] == 10


@pytest.mark.usefixtures("models")
def test_calls_of_one_function_belong_together(conn: Connection) -> None:
    index(conn, "Ann")
    index(conn, "Bob", document="b")
    row(conn, "query", QUESTION, realm=REALM)
    per_call = sql(
        conn, "select call, array_agg(distinct role order by role) as roles from kb.usage group by 1"
    )
    assert sorted(found["roles"] for found in per_call) == [
        ["embedding", "extraction"],
        ["embedding", "extraction"],
        ["embedding", "synthesis"],
    ]


@pytest.mark.usefixtures("models")
def test_vectors_say_what_they_are_for(conn: Connection) -> None:
    sql(conn, "set search_path = kb")  # where inner functions find themselves
    sql(conn, "select graphrag._embed(array['x'], document => 'a')")
    sql(conn, "select graphrag._embed(array['y'], question => 'Why?')")
    found = [(call["document"], call["question"]) for call in usage(conn, "embedding")]
    assert found == [("a", None), (None, "Why?")]


@pytest.mark.parametrize("nonsense", [None, "12", -1, True, 1.5])
def test_unknown_is_not_zero(conn: Connection, models: Endpoint, nonsense: Any) -> None:
    models.inject(tokens(nonsense, nonsense))
    result = index(conn, "Ann")
    assert (result["llm_calls"], result["input_tokens"], result["output_tokens"]) == (2, None, None)
    row(conn, "query", QUESTION, realm=REALM)
    for call in view(conn, REALM, "usage"):
        assert call["input_tokens"] is None
        assert call["output_tokens"] == (0 if call["role"] == "embedding" else None)
    assert totals(conn)["extraction"]["calls_of_unknown_cost"] == 2
    assert totals(conn)["extraction"]["input_tokens"] is None


def test_a_server_without_usage_at_all(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.without_usage())
    answer = row(conn, "query", QUESTION, realm=REALM)
    assert answer["usage"]["input_tokens"] is None
    assert answer["usage"]["calls"] == 2


def test_zero_is_zero(conn: Connection, models: Endpoint) -> None:
    models.inject(tokens(0, 0))
    result = index(conn, "Ann")
    assert (result["input_tokens"], result["output_tokens"]) == (0, 0)


def test_attempts_and_failures_are_counted(conn: Connection, models: Endpoint) -> None:
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    models.inject(faults.status(500), times=1, where=says("Ann"))
    models.inject(faults.status(400, message="too long"), where=says("Bob"))
    index(conn, *PEOPLE[:3])
    calls = usage(conn, "extraction")
    attempts = sorted(call["attempts"] for call in calls if call["failure"] is None)
    assert attempts == [1, 2]
    failures = [call for call in calls if call["failure"]]
    assert len(failures) == 3, "one in each format"
    for call in failures:
        assert call["failure"].startswith("GR102: ")
        assert models.url in call["failure"]
        assert (call["input_tokens"], call["output_tokens"], call["model"]) == (None, None, "scripted")
    total = totals(conn)["extraction"]
    assert (total["calls"], total["failed"], total["attempts"]) == (5, 3, 6)
    assert (total["input_tokens"], total["output_tokens"], total["calls_of_unknown_cost"]) == (200, 20, 0)


def test_totals_are_of_each_model_and_role(conn: Connection, models: Endpoint) -> None:
    index(conn, "Ann")
    rows(conn, "set_endpoint", "synthesis", models.url, "writer", realm=REALM)
    for _ in range(3):
        row(conn, "query", QUESTION, realm=REALM)
    found = totals(conn)
    assert {(t["role"], t["model"], t["calls"]) for t in found.values()} == {
        ("embedding", "vectors", 4),
        ("extraction", "scripted", 2),
        ("synthesis", "writer", 3),
    }
    assert found["synthesis"]["input_tokens"] == 300
    assert found["synthesis"]["mean_latency_ms"] <= found["synthesis"]["max_latency_ms"]


def test_vectors_that_are_computed_here_cost_nothing(conn: Connection) -> None:
    rows(conn, "create_realm", REALM, "builtin:hash", width=32)
    row(conn, "index", pages("Ann"), document="a", extraction={"entities": [], "triples": []}, realm=REALM)
    assert view(conn, REALM, "usage") == []


@pytest.mark.usefixtures("models")
def test_unchanged_documents_cost_nothing(conn: Connection) -> None:
    index(conn, "Ann")
    before = len(view(conn, REALM, "usage"))
    result = index(conn, "Ann")
    assert (result["llm_calls"], len(view(conn, REALM, "usage"))) == (0, before)


def test_a_failed_function_leaves_no_row(conn: Connection, models: Endpoint) -> None:
    """Its transaction is undone whole; the error says how often was tried."""
    models.inject(faults.status(400), where=is_embedding)
    with pytest.raises(psycopg.Error) as caught:
        index(conn, "Ann")
    assert "Attempts: 1." in (caught.value.diag.message_detail or "")
    assert view(conn, REALM, "usage") == []


def test_finding_the_width_is_a_call(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "set_endpoint", "embedding", endpoint.url, "vectors", realm=None)
    rows(conn, "create_realm", REALM)
    (call,) = view(conn, REALM, "usage")
    assert (call["role"], call["model"], call["input_tokens"]) == ("embedding", "vectors", 1)
    assert (call["question"], call["call"]) == ("graphrag.create_realm()", None)
    rows(conn, "create_realm", REALM)
    assert len(endpoint.requests) == 1, "a realm that is there costs nothing"


def test_a_realm_that_index_makes_is_in_its_total(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "set_endpoint", "embedding", endpoint.url, "vectors", realm=None)
    result = row(conn, "index", "Ann left.", extraction={"entities": [], "triples": []})
    assert result["input_tokens"] == value(conn, 'select sum(input_tokens) from "default".usage') == 1 + 2
    assert result["llm_calls"] == 0
    assert value(conn, 'select count(distinct call) from "default".usage') == 1


@pytest.mark.parametrize("supported", [("text",), ("text", "json_schema")])
def test_what_doctor_asks_is_recorded(conn: Connection, models: Endpoint, supported: tuple[str, ...]) -> None:
    if "json_schema" not in supported:
        models.inject(faults.only_plain_text())
    rows(conn, "doctor", realm=REALM)
    calls = view(conn, REALM, "usage")
    assert len(calls) == len(models.requests) == (2 if "json_schema" in supported else 4)
    assert {call["question"] for call in calls} == {"graphrag.doctor()"}
    assert [call["role"] for call in calls].count("embedding") == 1
    assert sum(call["failure"] is None for call in calls) == 2


def test_doctor_in_a_read_only_transaction(conn: Connection, models: Endpoint) -> None:
    with conn.transaction():
        conn.execute("set transaction read only")
        found = {finding["check"]: finding["status"] for finding in rows(conn, "doctor", realm=REALM)}
    assert found["endpoint embedding"] == "ok"
    assert models.requests


@pytest.mark.usefixtures("models")
def test_totals_are_of_the_calls_and_not_of_the_rows(conn: Connection) -> None:
    """Of one function each, whether they could be noted or not, and whatever else the transaction did."""
    index(conn, "Ann")
    noted = row(conn, "query", QUESTION, realm=REALM)["usage"]
    with conn.transaction():
        conn.execute("set transaction read only")
        unnoted = [row(conn, "query", QUESTION, realm=REALM)["usage"] for _ in range(2)]
    for usage_said in unnoted:
        for name in ("calls", "input_tokens", "output_tokens", "model"):
            assert usage_said[name] == noted[name]
    assert (noted["calls"], noted["output_tokens"]) == (2, 10)
    with conn.transaction():
        conn.execute("create temporary table ignored as select 1")
        conn.execute("set local graphrag.tally = 'nonsense'")
        assert row(conn, "query", QUESTION, realm=REALM)["usage"]["calls"] == 2
        assert value(conn, "show graphrag.tally") == "nonsense"


@pytest.mark.usefixtures("models")
def test_a_question_that_asks_nobody_costs_nothing(conn: Connection) -> None:
    found = row(conn, "index", pages("Ann"), document="x", extraction=NOTHING, realm=REALM)
    assert found["llm_calls"] == 0
    again = row(conn, "index", pages("Ann"), document="x", extraction=NOTHING, realm=REALM)
    assert (again["llm_calls"], again["input_tokens"], again["output_tokens"]) == (0, 0, 0)


@pytest.mark.parametrize("nonsense", [10**30, 2**63, 10**12 + 1])
def test_more_tokens_than_there_are_is_unknown(conn: Connection, models: Endpoint, nonsense: int) -> None:
    models.inject(tokens(nonsense, nonsense))
    assert row(conn, "query", QUESTION, realm=REALM)["usage"]["input_tokens"] is None


def test_a_reader_who_may_not_write_gets_an_answer(conn: Connection, models: Endpoint) -> None:
    """What cannot be noted costs nobody the answer; nor in a transaction that is read only."""
    index(conn, "Ann")
    before = value(conn, "select count(*) from kb.usage")
    with conn.transaction():
        conn.execute("set transaction read only")
        assert row(conn, "query", QUESTION, realm=REALM)["answer"]
    assert value(conn, "select count(*) from kb.usage") == before
    assert len([chat for chat in models.requests if is_chat(chat)]) == 3

"""Reranking: MMR and node distance, a rerank server in both dialects, a chat model; none of them is trusted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows
from tests.support.database import Connection, Database, Row, sql
from tests.support.endpoint import Endpoint, Request, Response, is_chat, is_rerank
from tests.support.listening import heard

WIDTH = 32
QUESTION = "What does Ann own?"
TEXTS = [
    "Ann owns a mill.",
    "Ann owns a boat.",
    "Ann owns a mill and a horse.",
    "Ann sold a farm to Bob.",
    "Bob owns a river bank.",
    "Carla saw Ann on Monday.",
]


@pytest.fixture(scope="module")
def served(module_database: Database) -> Iterator[tuple[Connection, Endpoint]]:
    with Endpoint(WIDTH) as endpoint, module_database.connect() as conn:
        rows(conn, "set_endpoint", "auxiliary", endpoint.url, "helper", realm=None)
        rows(conn, "create_realm", "default", endpoint.url, "vectors", width=WIDTH)
        triples = [["Ann", "owns", "mill"], ["mill", "stands_in", "Linz"], ["Linz", "lies_on", "Danube"]]
        for number, text in enumerate(TEXTS):
            said = Jsonb(triples if number == 0 else [])
            row(conn, "index", text, document=f"d{number}", extraction=said)
        rows(conn, "set_endpoint", "rerank", endpoint.url, "cross", realm="default")
        yield conn, endpoint


@pytest.fixture
def conn(served: tuple[Connection, Endpoint]) -> Iterator[Connection]:
    conn, _ = served
    with conn.transaction(force_rollback=True):
        yield conn


@pytest.fixture
def endpoint(served: tuple[Connection, Endpoint]) -> Endpoint:
    _, endpoint = served
    endpoint.heal()
    endpoint.requests.clear()
    endpoint.on_rerank = reverse
    endpoint.on_ranking = lambda passages: {"ranking": list(range(len(passages), 0, -1))}
    return endpoint


def scored(scores: dict[int, Any]) -> dict[str, Any]:
    return {"results": [{"index": index, "relevance_score": score} for index, score in scores.items()]}


def reverse(request: Request) -> Any:
    count = len(request.body["documents"])
    return {
        **scored({index: float(index) for index in range(count)}),
        "usage": {"total_tokens": 77},
    }


def chunks(found: list[Row]) -> list[str]:
    return [piece["text"] for piece in found if piece["kind"] == "chunk"]


def plain(conn: Connection, top_k: int = 6) -> list[str]:
    return chunks(rows(conn, "retrieve", QUESTION, top_k=top_k))


# ---------------------------------------------------------------- a rerank server
@pytest.mark.parametrize("top_k", [2, 6])
def test_the_server_puts_the_passages_into_order(conn: Connection, endpoint: Endpoint, top_k: int) -> None:
    before = plain(conn)
    found = rows(conn, "retrieve", QUESTION, top_k=top_k, rerank=["endpoint"])
    assert chunks(found) == before[::-1][:top_k], "it chooses among more than are returned"
    (asked,) = endpoint.reranks
    assert asked.path == "/v1/rerank"
    assert asked.body == {"model": "cross", "query": QUESTION, "documents": before, "top_n": top_k}
    pieces = [piece for piece in found if piece["kind"] == "chunk"]
    assert [piece["rank"] for piece in pieces] == list(range(1, top_k + 1))
    assert [piece["ranks"]["rerank"] for piece in pieces] == list(range(1, top_k + 1))
    assert [piece["reference"] for piece in pieces] == list(range(1, top_k + 1)), "numbered as they are used"
    (used,) = sql(conn, "select * from \"default\".usage where role = 'rerank'")
    assert (used["model"], used["input_tokens"], used["output_tokens"], used["question"]) == (
        "cross", 77, 0, QUESTION,
    )  # fmt: skip


@pytest.mark.usefixtures("endpoint")
def test_the_rest_of_the_evidence_stays(conn: Connection) -> None:
    before = rows(conn, "retrieve", QUESTION, mode="mix")
    after = rows(conn, "retrieve", QUESTION, mode="mix", rerank=["endpoint"])
    for kind in ("relation", "entity"):
        assert [p["text"] for p in before if p["kind"] == kind] == [
            p["text"] for p in after if p["kind"] == kind
        ]
    # The relation's number is that of its document, wherever the passage has gone.
    reference = {piece["document"]: piece["reference"] for piece in after if piece["kind"] == "chunk"}
    for piece in after:
        if piece["kind"] == "relation":
            assert piece["reference"] == reference[piece["document"]]


def test_answer_and_prompt_use_the_order(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "set_endpoint", "synthesis", endpoint.url, "scripted", realm="default")
    endpoint.on_synthesis = lambda _: "A mill [1]."
    answered = row(conn, "query", QUESTION, keywords="lexical", rerank=["endpoint"])
    assert [chunk["text"] for chunk in answered["chunks"]] == plain(conn)[::-1]
    assert answered["citations"][0]["document"] == answered["chunks"][0]["document"]
    assert answered["usage"]["calls"] == 3
    assert answered["usage"]["fallbacks"] == 0


def test_those_it_leaves_out_keep_their_order(conn: Connection, endpoint: Endpoint) -> None:
    before = plain(conn)
    endpoint.on_rerank = lambda _: scored({4: 0.9, 2: 0.1})
    after = chunks(rows(conn, "retrieve", QUESTION, rerank=["endpoint"]))
    assert after == [before[4], before[2], before[0], before[1], before[3], before[5]]


def test_equal_scores_keep_their_order(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.on_rerank = lambda _: scored(dict.fromkeys(range(5, -1, -1), 0.5))
    assert chunks(rows(conn, "retrieve", QUESTION, rerank=["endpoint"])) == plain(conn)[::-1]


def test_a_server_that_takes_texts_and_answers_a_list(conn: Connection, endpoint: Endpoint) -> None:
    """text-embeddings-inference, remembered for the session."""

    def tei(request: Request, response: Response) -> Response:
        if "texts" not in request.body:
            return faults.status(422, message="missing field `texts`")(request, response)
        count = len(request.body["texts"])
        return replace(response, payload=[{"index": n, "score": float(n)} for n in range(count)])

    rows(conn, "set_endpoint", "rerank", endpoint.url, "tei", realm="default")
    endpoint.on_rerank = lambda _: []
    endpoint.inject(tei, where=is_rerank)
    for calls in (2, 1):
        endpoint.requests.clear()
        assert chunks(rows(conn, "retrieve", QUESTION, rerank=["endpoint"])) == plain(conn)[::-1]
        assert len(endpoint.reranks) == calls


@pytest.mark.parametrize(
    "answer",
    [
        scored({6: 1.0}),
        scored({-1: 1.0}),
        {"results": [{"index": 0, "relevance_score": 1.0}] * 2},
        scored({0: float("nan")}),
        scored({0: float("inf")}),
        scored({0: "0.5"}),
        {"results": [{"index": True, "relevance_score": 1.0}]},
        {"results": [{"index": "0", "relevance_score": 1.0}]},
        {"results": [{"relevance_score": 1.0}]},
        {"results": ["0"]},
        {"results": []},
        {"results": None},
        {},
    ],
)
def test_an_answer_that_cannot_be_right_changes_nothing_and_is_told(
    conn: Connection, endpoint: Endpoint, answer: Any
) -> None:
    before = plain(conn)
    endpoint.on_rerank = lambda _: answer
    with heard(conn) as said:
        assert chunks(rows(conn, "retrieve", QUESTION, rerank=["endpoint"])) == before
    assert ["could not be reranked" in message for message, _ in said] == [True]


@pytest.mark.parametrize("fault", [faults.status(403), faults.html(), faults.drop(), faults.truncated()])
def test_a_server_that_fails_is_told_and_counted(
    conn: Connection, endpoint: Endpoint, fault: faults.Fault
) -> None:
    rows(conn, "set_endpoint", "rerank", endpoint.url, "cross", options={"deadline": 1}, realm="default")
    rows(conn, "set_endpoint", "synthesis", endpoint.url, "scripted", realm="default")
    endpoint.inject(fault, where=is_rerank)
    with heard(conn) as said:
        answered = row(conn, "query", QUESTION, keywords="lexical", rerank=["endpoint"], top_k=2)
    assert any("could not be reranked" in message for message, _ in said)
    assert [chunk["text"] for chunk in answered["chunks"]] == plain(conn, 2)
    assert answered["usage"]["fallbacks"] == 1
    (used,) = sql(conn, "select failure from \"default\".usage where role = 'rerank'")
    assert used["failure"]


@pytest.mark.usefixtures("endpoint")
def test_without_an_endpoint_it_is_a_mistake(conn: Connection) -> None:
    """No chat model does a rerank server's work."""
    conn.execute("delete from \"default\".endpoint where role = 'rerank'")
    refused(
        "GR010", ("rerank",), lambda: rows(conn, "retrieve", QUESTION, rerank=["endpoint"]), "set_endpoint"
    )


def test_it_is_cancelled_like_any_call(endpoint: Endpoint, module_database: Database) -> None:
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_rerank)
    with module_database.connect() as other, ThreadPoolExecutor(1) as pool:
        running = pool.submit(rows, other, "retrieve", QUESTION, rerank=["endpoint"])
        endpoint.wait_for(1, is_rerank, timeout=60)
        other.cancel()
        with pytest.raises(psycopg.errors.QueryCanceled):
            running.result(timeout=5)
    release.set()


def test_the_doctor_asks_it(conn: Connection, endpoint: Endpoint) -> None:
    def finding() -> Row | None:
        return next((f for f in rows(conn, "doctor", "default") if f["check"] == "endpoint rerank"), None)

    said = finding()
    assert said
    assert said["status"] == "ok"
    assert "cross" in said["detail"]
    endpoint.on_rerank = lambda _: scored({7: 1.0})
    said = finding()
    assert said
    assert said["status"] == "error"
    endpoint.inject(faults.status(403), where=is_rerank)
    said = finding()
    assert said
    assert said["status"] == "error"
    conn.execute("delete from \"default\".endpoint where role = 'rerank'")
    assert finding() is None


# ---------------------------------------------------------------- a chat model
def test_a_chat_model_ranks_too(conn: Connection, endpoint: Endpoint) -> None:
    before = plain(conn)
    endpoint.on_ranking = lambda passages: {"ranking": [passages.index(TEXTS[1]) + 1, "[1]", 99, 0, 1]}
    after = chunks(rows(conn, "retrieve", QUESTION, rerank=["llm"], top_k=2))
    assert after == list(dict.fromkeys([TEXTS[1], *before]))[:2]
    (asked,) = endpoint.chats
    assert asked.passages == before
    assert asked.body["model"] == "helper"


@pytest.mark.parametrize(
    "said", ["I like them all.", '{"ranking": [7, 99]}', '{"ranking": "the first"}', '{"ranking": ["x"]}']
)
def test_a_ranking_of_nothing_changes_nothing(conn: Connection, endpoint: Endpoint, said: str) -> None:
    before = plain(conn)
    endpoint.inject(faults.content(said), where=is_chat)
    with heard(conn) as heard_:
        assert chunks(rows(conn, "retrieve", QUESTION, rerank=["llm"])) == before
    assert ["could not be reranked" in message for message, _ in heard_] == [True]


# ---------------------------------------------------------------- without a model
@pytest.mark.usefixtures("endpoint")
def test_mmr_puts_a_restatement_behind(conn: Connection) -> None:
    row(conn, "index", "Ann owns a mill .", document="again", extraction=Jsonb([]))
    rows(conn, "configure", "mmr_lambda", "0.2")
    usual = chunks(rows(conn, "retrieve", "Ann owns a mill.", mode="naive", top_k=7))
    assert set(usual[:2]) == {"Ann owns a mill.", "Ann owns a mill ."}
    diverse = chunks(rows(conn, "retrieve", "Ann owns a mill.", mode="naive", top_k=7, rerank=["mmr"]))
    assert diverse[0] == usual[0]
    assert diverse[1] != usual[1]
    assert sorted(diverse) == sorted(usual), "none is lost"
    rows(conn, "configure", "mmr_lambda", "1")
    assert chunks(rows(conn, "retrieve", "Ann owns a mill.", mode="naive", top_k=7, rerank=["mmr"])) == usual


@pytest.mark.usefixtures("endpoint")
def test_node_distance_puts_near_relations_first(conn: Connection) -> None:
    question = "What lies on the Danube near Ann's mill?"
    named = {"walk": "hops", "max_hops": 3, "entity_types": None}
    near = [
        piece["hop"]
        for piece in rows(conn, "retrieve", question, rerank=["node_distance"], **named)
        if piece["kind"] == "relation"
    ]
    assert near == sorted(near)
    usual = rows(conn, "retrieve", question, **named)
    assert len([piece for piece in usual if piece["kind"] == "relation"]) == len(near)


def test_they_go_together(conn: Connection, endpoint: Endpoint) -> None:
    found = rows(conn, "retrieve", QUESTION, rerank=["mmr", "node_distance", "endpoint"], top_k=2)
    assert len(chunks(found)) == 2
    assert len(endpoint.reranks) == 1

"""Model servers that misbehave: what is retried, for how long, what is said about it, and that nothing is stored."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows, set_models, state
from tests.support.database import Connection, sql, value, view
from tests.support.endpoint import Endpoint, Fault, Request, Response, is_chat, is_embedding, says
from tests.support.reading import PEOPLE, REALM, founders, founding, fresh, make_realm, pages

GRACE = 1.5  # seconds that a call may take beyond its deadline


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def models(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A realm whose three models are the scripted endpoint."""
    make_realm(conn, endpoint)
    return endpoint


def index(conn: Connection, *names: str, document: str = "a") -> dict[str, Any]:
    return row(conn, "index", pages(*names), document=document, realm=REALM)


def supply(conn: Connection, *names: str) -> dict[str, Any]:
    """Index without a chat model: only vectors are asked for."""
    extraction = {"chunks": [{"no": no, **founding(name)} for no, name in enumerate(names, 1)]}
    return row(conn, "index", pages(*names), document="a", extraction=extraction, realm=REALM)


def ask(conn: Connection, **named: Any) -> dict[str, Any]:
    return row(conn, "query", "Who founded Acme?", realm=REALM, **named)


def set_role(conn: Connection, role: str, url: str, model: str, **named: Any) -> None:
    options = named.pop("options", {})
    rows(conn, "set_endpoint", role, url, model, options=options, realm=REALM, **named)


def usage(conn: Connection) -> list[dict[str, Any]]:
    return view(conn, REALM, "usage")


def wants(model: str) -> faults.Condition:
    return lambda request: request.body.get("model") == model


def bodies(endpoint: Endpoint, where: faults.Condition) -> list[Any]:
    return [request.body for request in endpoint.requests if where(request)]


# ---------------------------------------------------------------- which model serves what
def test_chat_roles_default_to_extraction(conn: Connection, models: Endpoint) -> None:
    index(conn, "Ann")
    ask(conn)
    assert {body["model"] for body in bodies(models, is_chat)} == {"scripted"}
    sql(conn, "set search_path = kb")  # where inner functions find themselves
    for role in ("synthesis", "community", "auxiliary"):
        assert value(conn, "select graphrag._endpoint(%s) ->> 'model'", [role]) == "scripted"


def test_a_role_may_have_an_endpoint_of_its_own(conn: Connection, models: Endpoint) -> None:
    with Endpoint() as other:
        set_role(conn, "synthesis", other.url, "writer")
        index(conn, "Ann")
        assert ask(conn)["usage"]["model"] == "writer"
        assert [body["model"] for body in bodies(other, faults.is_any)] == ["writer"]
    assert {body["model"] for body in bodies(models, is_chat)} == {"scripted"}


def test_the_databases_default_serves_realms_that_have_none(conn: Connection, endpoint: Endpoint) -> None:
    for role, model in (("embedding", "vectors"), ("extraction", "reader")):
        rows(conn, "set_endpoint", role, endpoint.url, model, realm=None)
    rows(conn, "create_realm", REALM)
    index(conn, "Ann")
    ask(conn)
    assert {request.body["model"] for request in endpoint.chats} == {"reader"}


def test_no_endpoint_says_how_to_set_one(conn: Connection) -> None:
    rows(conn, "create_realm", REALM, "builtin:hash")
    refused("GR010", ("synthesis",), lambda: ask(conn), hint="set_endpoint")


@pytest.mark.parametrize(
    "fault", [faults.status(404), faults.status(503), faults.status(429, retry_after="30")]
)
def test_a_fallback_serves_and_is_recorded(conn: Connection, models: Endpoint, fault: Fault) -> None:
    set_role(conn, "extraction", models.url, "first", fallback_models=["second", "third"])
    models.inject(fault, where=wants("first"))
    begun = time.monotonic()
    assert index(conn, "Ann")["failed"] == 0
    assert time.monotonic() - begun < 5
    assert {body["model"] for body in bodies(models, is_chat)} == {"first", "second"}
    calls = [call for call in usage(conn) if call["role"] == "extraction"]
    assert {call["model"] for call in calls} == {"second"}
    assert [call["attempts"] for call in calls] == [2, 2]
    assert value(conn, "select extractor from kb.chunk") == "second"


def test_the_model_that_a_router_chose_is_recorded(conn: Connection, models: Endpoint) -> None:
    models.inject(lambda _, response: replace(response, payload={**response.payload, "model": "chosen-2025"}))
    index(conn, "Ann")
    assert {call["model"] for call in usage(conn)} == {"chosen-2025"}
    assert value(conn, "select extractor from kb.chunk") == "chosen-2025"


def test_vectors_have_no_fallback(conn: Connection, models: Endpoint) -> None:
    others = ["others"]
    refused(
        "GR009",
        ("embedding",),
        lambda: set_role(conn, "embedding", models.url, "vectors", fallback_models=others),
    )
    models.inject(faults.status(404), where=is_embedding)
    refused("GR102", ("embedding", "vectors"), lambda: supply(conn, "Ann"))
    assert len(models.embeddings) == 1


# ---------------------------------------------------------------- setting one
@pytest.mark.parametrize("realm", [None, REALM])
@pytest.mark.usefixtures("models")
def test_a_key_changes_no_setting_of_the_transaction(conn: Connection, realm: str | None) -> None:
    with conn.transaction():
        conn.execute("set local log_min_error_statement = warning")
        rows(conn, "set_endpoint", "auxiliary", "http://x.example/v1", "m", api_key="sk-x", realm=realm)
        assert value(conn, "show log_min_error_statement") == "warning"
    assert value(conn, "show log_min_error_statement") == "error"


@pytest.mark.parametrize(
    ("arguments", "code", "mentioned"),
    [
        (("extracton", "http://x.example/v1", "m"), "GR009", "extracton"),
        ((None, "http://x.example/v1", "m"), "GR009", "role"),
        (("extraction", "http://x.example/v1", None), "GR009", "extraction"),
        (("extraction", "http://x.example/v1", ""), "GR009", "extraction"),
        (("extraction", "builtin:hash", "m"), "GR009", "extraction"),
        (("extraction", "ftp://x.example", "m"), "GR009", "ftp"),
        (("extraction", None, "m"), "GR009", "URL"),
    ],
)
@pytest.mark.usefixtures("models")
def test_endpoints_that_cannot_be_set(
    conn: Connection, arguments: tuple[str | None, ...], code: str, mentioned: str
) -> None:
    refused(code, (mentioned,), lambda: rows(conn, "set_endpoint", *arguments, realm=REALM))


@pytest.mark.parametrize("role", ["embedding", "extraction"])
def test_before_there_is_a_realm_the_hint_leads_on(conn: Connection, role: str) -> None:
    said = refused(
        "GR003",
        ("it's",),
        lambda: rows(
            conn,
            "set_endpoint",
            role,
            "builtin:hash" if role == "embedding" else "http://x.example/v1",
            "hash",
            realm="it's",
        ),
    )
    hint = said.message_hint or ""
    assert "realm => null" in hint
    if role == "embedding":
        conn.execute(hint.partition(";")[0])
        assert value(conn, "select graphrag._realms() as realms") == ["it's"]


# ---------------------------------------------------------------- what cannot be sent
@pytest.mark.parametrize(
    "url", ["http://[::1", "http://x:99999999/v1", "http://exa mple/v1", "http://é\u200b/v1"]
)
def test_a_url_that_no_library_takes(conn: Connection, models: Endpoint, url: str) -> None:
    """As the server's environment, or COPY, may have it; set_endpoint() refuses most."""
    sql(conn, "insert into graphrag.endpoint_location (base_url) values (%s)", [url])
    set_role(conn, "synthesis", models.url, "scripted", options={"deadline": 0.8})
    sql(conn, "update kb.endpoint set base_url = %s where role = 'synthesis'", [url])
    codes = {"GR101", "GR102", "GR104"}
    check_refused(conn, codes, url, "synthesis", "scripted", lambda: ask(conn, mode="bypass"))
    assert models.chats == []


@pytest.mark.parametrize("key", ["sk-12\n", "sk-…", "sk 1", "sk-\x07"])
def test_a_key_that_cannot_be_sent_is_not_shown(conn: Connection, models: Endpoint, key: str) -> None:
    sql(conn, "update graphrag.endpoint_location set api_key = %s", [key])
    said = refused(
        "GR102", (models.url, "synthesis", "scripted"), lambda: ask(conn, mode="bypass"), hint="api_key"
    )
    assert "sk" not in f"{said.message_primary}{said.message_detail}{said.context}"
    assert models.requests == []


# ---------------------------------------------------------------- the deadline
@pytest.mark.parametrize(
    "fault",
    [faults.slow(60), faults.drip(0.2), faults.status(500), faults.status(429), faults.drop()],
    ids=["slow", "drip", "500", "429", "drop"],
)
def test_one_deadline_bounds_attempts_waits_and_fallbacks(
    conn: Connection, models: Endpoint, fault: Fault
) -> None:
    ask(conn)  # libraries are loaded
    set_role(conn, "synthesis", models.url, "first", fallback_models=["second"], options={"deadline": 1.2})
    models.inject(fault, where=is_chat)
    begun = time.monotonic()
    with pytest.raises(psycopg.Error):
        ask(conn)
    assert time.monotonic() - begun < 1.2 + GRACE


def test_retry_after_is_honoured(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.status(429, retry_after="1"), times=1, where=is_chat)
    ask(conn)
    first, second = (request.at for request in models.chats)
    assert 0.95 <= second - first < 1 + GRACE


def test_retry_after_beyond_the_deadline_is_not_waited_for(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.status(429, retry_after="86400"), where=is_chat)
    begun = time.monotonic()
    said = refused("GR104", (models.url, "429", "synthesis", "scripted"), lambda: ask(conn), hint="rate")
    assert "86400 s" in (said.message_detail or "")
    assert time.monotonic() - begun < GRACE
    assert len(models.chats) == 1


def test_a_rate_limit_for_ever_is_capped_and_the_document_resumes(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "extraction", models.url, "scripted", options={"deadline": 1})
    models.inject(faults.status(429, retry_after="0.2"), where=lambda r: is_chat(r) and not says("Ann")(r))
    begun = time.monotonic()
    result = index(conn, *PEOPLE)
    assert time.monotonic() - begun < 3 + 2 * GRACE, "one deadline for two passes, not one a batch"
    assert (result["chunks"], result["failed"]) == (12, 11)
    assert all("429" in failure["reason"] for failure in result["failures"])
    assert founders(conn) == {"Ann"}
    models.heal()
    assert index(conn, *PEOPLE)["failed"] == 0
    assert founders(conn) == set(PEOPLE)


def test_one_prompt_that_the_server_fails_at_does_not_stop_the_others(
    conn: Connection, models: Endpoint
) -> None:
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(1), realm=REALM)
    set_role(conn, "extraction", models.url, "scripted", options={"deadline": 0.7})
    models.inject(faults.status(500), where=says("Carla"))
    result = index(conn, *PEOPLE[:5])
    assert [failure["chunk"] for failure in result["failures"]] == [3]
    assert founders(conn) == set(PEOPLE[:5]) - {"Carla"}


def refusing_formats(delay: float) -> Fault:
    """Only plain text is served; each refusal takes a while."""
    refuse = faults.only_plain_text()
    return lambda request, response: replace(refuse(request, response), delay=delay)


def seconds_of(action: Callable[[], Any]) -> float:
    begun = time.monotonic()
    action()
    return time.monotonic() - begun


def test_one_deadline_is_for_all_answer_formats(conn: Connection, models: Endpoint) -> None:
    """Each of which takes less than the deadline, all three more."""
    set_role(conn, "extraction", models.url, "scripted", options={"deadline": 2})
    models.inject(refusing_formats(0.8), where=is_chat)
    said = refused("GR107", (), lambda: index(conn, "Ann"))
    assert "deadline of 2 s" in (said.message_detail or "")
    assert 2 <= len(models.chats) <= 3
    assert seconds_of(lambda: refused("GR107", (), lambda: index(conn, "Bob"))) < 2 + GRACE


def test_formats_that_fit_the_deadline_are_all_asked_for(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "extraction", models.url, "scripted", options={"deadline": 5})
    models.inject(refusing_formats(0.3), where=is_chat)
    assert index(conn, "Ann")["failed"] == 0
    assert len([call for call in usage(conn) if call["failure"]]) == 2


def test_no_time_for_another_format_is_said(conn: Connection, models: Endpoint) -> None:
    """Together with why another was wanted."""
    set_role(conn, "extraction", models.url, "scripted", options={"deadline": 1.2})
    chatter = faults.content("I would rather talk.")
    models.inject(lambda r, a: replace(chatter(r, a), delay=1.16), where=is_chat)
    said = refused("GR107", (), lambda: index(conn, "Ann"))
    assert "no time for another answer format" in (said.message_detail or "")
    assert len(models.chats) == 1


def test_one_deadline_with_and_without_temperature(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "synthesis", models.url, "m", options={"deadline": 1.2})
    strict = faults.status(400, message="Unsupported value: 'temperature'")
    models.inject(lambda r, a: replace(strict(r, a), delay=0.8) if "temperature" in r.body else replace(a, delay=0.8),
                  where=is_chat)  # fmt: skip
    assert seconds_of(lambda: refused("GR104", (models.url,), lambda: ask(conn))) < 1.2 + GRACE
    assert len(models.chats) == 2


def test_nobody_there_is_said_and_costs_no_whole_deadline(conn: Connection, models: Endpoint) -> None:
    """Ten seconds of it, by default."""
    url = faults.refused_url()
    set_role(conn, "synthesis", url, "m")
    said: list[tuple[float, str]] = []
    begun = time.monotonic()
    handler = lambda notice: said.append((time.monotonic() - begun, notice.message_primary or ""))  # noqa: E731
    conn.add_notice_handler(handler)
    failure = refused("GR101", (url, "tried for 10 s"), lambda: ask(conn, mode="bypass"))
    taken = time.monotonic() - begun
    conn.remove_notice_handler(handler)
    assert taken < 10 + GRACE  # how much less is chance: no try is begun that would come too late
    tries = re.findall(r"Attempts: (\d+)", failure.message_detail or "")
    assert [int(number) > 1 for number in tries] == [True]
    ((at, message),) = said
    assert at < 2
    assert url in message
    assert "tried for 10 s" in message
    assert models.chats == []


# ---------------------------------------------------------------- what is tried again
@pytest.mark.parametrize("code", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_statuses_that_pass_are_outlived(conn: Connection, models: Endpoint, code: int) -> None:
    models.inject(faults.status(code), times=1)
    assert ask(conn)["answer"]
    assert len(models.embeddings) == 2


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 410, 413, 422])
def test_statuses_that_stay_are_reported_at_once(conn: Connection, models: Endpoint, code: int) -> None:
    models.inject(faults.status(code, message="no such thing here"), where=is_embedding)
    before = state(conn, REALM)
    mentions = (models.url, f"HTTP {code}", "embedding", "vectors")
    said = refused("GR102", mentions, lambda: supply(conn, "Ann"))
    assert "no such thing here" in (said.message_detail or "")
    assert len(models.embeddings) == 1
    assert state(conn, REALM) == before


@pytest.mark.parametrize("field", ["code", "type"])
def test_an_exhausted_quota_is_not_a_blip(conn: Connection, models: Endpoint, field: str) -> None:
    error = {"message": "You exceeded your quota.", "code": "429", "type": "x", field: "insufficient_quota"}
    models.inject(lambda *_: Response({"error": error}, status=429, headers={"Retry-After": "1"}))
    said = refused("GR102", ("429",), lambda: ask(conn), hint="quota")
    assert "exceeded your quota" in (said.message_detail or "")
    assert len(models.requests) == 1


# ---------------------------------------------------------------- batches and concurrency
def test_batches_by_count(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "embedding", models.url, "vectors", options={"batch_size": 5})
    supply(conn, *PEOPLE)
    sizes = sorted(len(body["input"]) for body in bodies(models, is_embedding))
    assert sum(sizes) == 12 + 13 + 12
    assert sizes[1:] == [5] * 7


def test_batches_by_tokens(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "embedding", models.url, "vectors", options={"batch_tokens": 200})
    supply(conn, *PEOPLE)
    batches = [body["input"] for body in bodies(models, is_embedding)]
    assert sum(map(len, batches)) == 12 + 13 + 12
    assert all(len(batch) == 1 or sum(map(len, batch)) <= 200 * 4 for batch in batches)
    assert len(batches) > 4


def test_three_hundred_chunks(conn: Connection, models: Endpoint) -> None:
    """Of which each has text enough that they would never fit one request."""
    models.on_extraction = lambda _: []
    names = [f"Name{number}" for number in range(300)]
    assert supply(conn, *names)["chunks"] == 300
    batches = [body["input"] for body in bodies(models, is_embedding)]
    assert sum(map(len, batches)) == 300 + 301 + 300
    assert max(map(len, batches)) <= 64
    assert max(sum(map(len, batch)) for batch in batches) <= 8000 * 4


def test_a_run_without_spaces_is_cut_to_what_the_model_takes(conn: Connection, models: Endpoint) -> None:
    set_role(conn, "embedding", models.url, "vectors", options={"max_input_tokens": 50})
    rows(conn, "configure", "chunk_size", Jsonb(100_000), realm=REALM)
    row(conn, "index", "x" * 36_000, document="a", extraction={"entities": [], "triples": []}, realm=REALM)
    (text,) = bodies(models, is_embedding)[0]["input"]
    assert 0 < len(text) <= 50 * 4
    assert value(conn, "select max(end_at) from kb.document_chunk") == 36_000


@pytest.mark.parametrize("limit", [1, 3])
def test_concurrency_is_an_endpoints_limit(conn: Connection, models: Endpoint, limit: int) -> None:
    set_role(conn, "extraction", models.url, "scripted", options={"concurrency": limit})
    set_role(conn, "embedding", models.url, "vectors", options={"concurrency": limit, "batch_size": 4})
    models.inject(faults.slow(0.05))
    index(conn, *PEOPLE)
    assert models.most_at_once == limit
    assert founders(conn) == set(PEOPLE)


# ---------------------------------------------------------------- every fault, in every role
def wrong_body(_: Request, response: Response) -> Response:
    return replace(response, payload=[response.payload])


BAD_NETWORK: dict[str, tuple[Fault | str, set[str]]] = {
    "slow": (faults.slow(60), {"GR104"}),
    "drip": (faults.drip(0.3), {"GR104"}),
    "429 for ever": (faults.status(429), {"GR104"}),
    "429 for an hour": (faults.status(429, retry_after="3600"), {"GR104"}),
    "500": (faults.status(500), {"GR104"}),
    "dropped": (faults.drop(), {"GR101"}),
    "html": (faults.html(), {"GR103"}),
    "truncated": (faults.truncated(), {"GR103"}),
    "a list": (wrong_body, {"GR103"}),
    "refused": (faults.refused_url(), {"GR101"}),
    # A resolver that does not say no in time is a missed deadline.
    "unknown host": (faults.unresolvable_url(), {"GR101", "GR104"}),
}


def break_role(conn: Connection, models: Endpoint, role: str, model: str, fault: Fault | str) -> str:
    """Inject the fault, or move the role to the URL that is one; returns the URL that errors must name."""
    url = fault if isinstance(fault, str) else models.url
    set_role(conn, role, url, model, options={"deadline": 0.8})
    if not isinstance(fault, str):
        models.inject(fault)
    return url


def check_refused(
    conn: Connection, codes: set[str], url: str, role: str, model: str, call: Callable[[], Any]
) -> None:
    before = state(conn, REALM)
    begun = time.monotonic()
    with pytest.raises(psycopg.Error) as caught:
        call()
    assert time.monotonic() - begun < 0.8 + GRACE
    said = caught.value.diag
    assert said.sqlstate in codes, caught.value
    for mentioned in (url, role, model):
        assert mentioned in (said.message_primary or "")
    assert said.message_detail
    assert said.message_hint
    assert state(conn, REALM) == before


@pytest.mark.parametrize(("fault", "codes"), BAD_NETWORK.values(), ids=BAD_NETWORK.keys())
def test_a_fault_of_the_embedding_endpoint(
    conn: Connection, models: Endpoint, fault: Fault | str, codes: set[str]
) -> None:
    url = break_role(conn, models, "embedding", "vectors", fault)
    check_refused(conn, codes, url, "embedding", "vectors", lambda: supply(conn, "Ann"))


@pytest.mark.parametrize(("fault", "codes"), BAD_NETWORK.values(), ids=BAD_NETWORK.keys())
def test_a_fault_of_the_synthesis_endpoint(
    conn: Connection, models: Endpoint, fault: Fault | str, codes: set[str]
) -> None:
    url = break_role(conn, models, "synthesis", "writer", fault)
    check_refused(conn, codes, url, "synthesis", "writer", lambda: ask(conn, mode="bypass"))


@pytest.mark.parametrize("fault", [fault for fault, _ in BAD_NETWORK.values()], ids=BAD_NETWORK.keys())
def test_a_fault_of_the_extraction_endpoint(conn: Connection, models: Endpoint, fault: Fault | str) -> None:
    """No chunk is read, so nothing is stored; the error carries the endpoint's."""
    url = break_role(conn, models, "extraction", "scripted", fault)
    before = state(conn, REALM)
    said = refused("GR107", ('"a"',), lambda: index(conn, *PEOPLE[:4]), hint="doctor")
    for mentioned in (url, "extraction", "scripted"):
        assert mentioned in (said.message_detail or "")
    assert state(conn, REALM) == before


@pytest.mark.parametrize("content", ["", "<think>hm</think>", None])
def test_an_empty_answer_is_no_answer(conn: Connection, models: Endpoint, content: Any) -> None:
    models.on_synthesis = lambda _: content if content is not None else ""
    refused("GR103", (models.url, "synthesis", "scripted"), lambda: ask(conn))


STRANGE_CHOICES: dict[str, tuple[Any, str]] = {
    "none": ({}, "no message"),
    "null": ({"choices": None}, "no message"),
    "an empty list": ({"choices": []}, "no message"),
    "texts": ({"choices": ["Ann"]}, "no message"),
    "an error": ({"error": {"message": "overloaded", "code": 502}}, "overloaded"),
    "no content": ({"choices": [{"message": {"role": "assistant"}}]}, "answered nothing"),
    "null content": (
        {"choices": [{"message": {"content": None}, "finish_reason": "stop"}]},
        "answered nothing",
    ),
    "a tool": (
        {
            "choices": [
                {"message": {"content": None, "tool_calls": [{"id": "1"}]}, "finish_reason": "tool_calls"}
            ]
        },
        "finish_reason tool_calls",
    ),
    "a number": ({"choices": [{"message": {"content": 5}}]}, "answered nothing"),
    "a refusal": ({"choices": [{"message": {"content": None, "refusal": "I will not."}}]}, "I will not."),
}


@pytest.mark.parametrize(("payload", "reason"), STRANGE_CHOICES.values(), ids=STRANGE_CHOICES.keys())
def test_an_answer_that_is_none(conn: Connection, models: Endpoint, payload: Any, reason: str) -> None:
    models.inject(lambda *_: Response(payload), where=is_chat)
    refused("GR103", (reason, models.url, "synthesis"), lambda: ask(conn))
    said = refused("GR107", (), lambda: index(conn, "Ann"))
    assert reason in (said.message_detail or "")


@pytest.mark.parametrize(
    "parts", [[{"type": "text", "text": "Ann."}], [{"text": "Ann"}, "x", 5, {"text": "."}]]
)
def test_an_answer_in_parts(conn: Connection, models: Endpoint, parts: list[Any]) -> None:
    models.inject(lambda *_: Response({"choices": [{"message": {"content": parts}}]}), where=is_chat)
    assert ask(conn)["answer"] == "Ann."


def test_an_answer_in_parts_that_are_no_text(conn: Connection, models: Endpoint) -> None:
    models.inject(lambda *_: Response({"choices": [{"message": {"content": [{"text": 5}]}}]}), where=is_chat)
    assert ask(conn)["answer"] == "5"


def test_an_answer_without_end(conn: Connection, models: Endpoint) -> None:
    models.inject(lambda *_: Response(raw=b"x" * 65536, endless=True), where=is_chat)
    refused("GR103", ("MiB", models.url, "synthesis"), lambda: ask(conn))
    assert len(models.chats) == 1


@pytest.mark.parametrize("said", ["9" * 30, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_beyond_all_measure_is_not_begun(conn: Connection, models: Endpoint, said: str) -> None:
    models.inject(faults.status(429, retry_after=said), where=is_chat)
    refused("GR104", ("429",), lambda: ask(conn))
    assert len(models.chats) == 1


@pytest.mark.parametrize("said", ["-30", "Thu, 01 Jan 1970 00:00:00 GMT", "0", "soon"])
def test_a_wait_that_is_over_is_none(conn: Connection, models: Endpoint, said: str) -> None:
    models.inject(faults.status(503, retry_after=said), times=1, where=is_chat)
    assert seconds_of(lambda: ask(conn)) < 5


@pytest.mark.parametrize("after", ["/", "//", " "])
def test_one_place_has_one_spelling(conn: Connection, models: Endpoint, after: str) -> None:
    set_role(conn, "synthesis", models.url + after, "m")
    assert ask(conn)["answer"]
    assert value(conn, "select base_url from kb.endpoint where role = 'synthesis'") == models.url
    assert value(conn, "select count(*) from graphrag.endpoint_location") == 1


@pytest.mark.parametrize(
    "url", ["http://me:pw-1@h/v1", "http://pw-1@h/v1", "http://h/v1?key=pw-1", "http://h/v1#pw-1"]
)
@pytest.mark.usefixtures("models")
def test_a_url_that_holds_a_secret_is_refused(conn: Connection, url: str) -> None:
    said = refused(
        "GR009", ("base URL",), lambda: set_role(conn, "synthesis", url, "m"), hint="api.openai.com"
    )
    assert "pw-1" not in f"{said.message_primary}{said.message_detail}{said.message_hint}"


# ---------------------------------------------------------------- vectors
def with_rows(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Fault:
    return lambda _, response: replace(
        response, payload={**response.payload, "data": change(response.payload["data"])}
    )


BAD_VECTORS: dict[str, tuple[Fault, str, tuple[str, ...]]] = {
    "too few": (faults.fewer_vectors(2), "GR103", ("2 vectors", "6 texts")),
    "none": (faults.fewer_vectors(0), "GR103", ("0 vectors",)),
    "twice the same index": (with_rows(lambda rows: [{**row, "index": 0} for row in rows]), "GR103", ("index",)),
    "index from one": (
        with_rows(lambda rows: [{**row, "index": row["index"] + 1} for row in rows]),
        "GR103",
        ("index",),
    ),
    "base64": (
        with_rows(lambda rows: [{**row, "embedding": "AACAPwAAgD8="} for row in rows]),
        "GR103",
        ("no list of numbers",),
    ),
    "no numbers": (
        with_rows(lambda rows: [{**row, "embedding": ["1"] * 32} for row in rows]),
        "GR106",
        ("not finite",),
    ),
    "another width": (faults.other_width(48), "GR105", ("48", "32")),
    "two widths": (
        with_rows(lambda rows: [*rows[:-1], {**rows[-1], "embedding": [1.0] * 31}]),
        "GR105",
        ("31", "32"),
    ),
    "NaN": (faults.filled(float("nan")), "GR106", ("not finite",)),
    "infinite": (faults.filled(float("inf")), "GR106", ("not finite",)),
    "too big for 32 bits": (faults.filled(1e300), "GR106", ("not finite",)),
    "zero": (faults.filled(0.0), "GR106", ("only zeros",)),
    "zero in 32 bits": (faults.filled(1e-300), "GR106", ("only zeros",)),
}  # fmt: skip


@pytest.mark.parametrize(("fault", "code", "mentions"), BAD_VECTORS.values(), ids=BAD_VECTORS.keys())
def test_vectors_that_are_refused(
    conn: Connection, models: Endpoint, fault: Fault, code: str, mentions: tuple[str, ...]
) -> None:
    supply(conn, "Zed")
    before = state(conn, REALM)
    models.inject(fault, where=is_embedding)
    where = (models.url, "embedding", "vectors")
    refused(code, (*where, *mentions), lambda: supply(conn, "Ann", "Bob"))
    assert state(conn, REALM) == before
    models.heal()
    assert supply(conn, "Ann", "Bob")["failed"] == 0


def test_shuffled_vectors_are_put_in_order(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.shuffled(), where=is_embedding)
    supply(conn, *PEOPLE)
    for stored in sql(conn, "select body, vec::text as vec from kb.content"):
        wanted = faults.hashed_vector(stored["body"], 32)
        found = [float(number) for number in stored["vec"].strip("[]").split(",")]
        assert found == pytest.approx(wanted), stored["body"]


def test_a_server_that_knows_no_base64(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.base64_refused(), where=is_embedding)
    assert supply(conn, "Ann")["failed"] == 0
    assert {body["encoding_format"] for body in bodies(models, is_embedding)} == {"float"}


def test_another_model_is_never_mixed_in(conn: Connection, models: Endpoint) -> None:
    supply(conn, "Ann")
    refused(
        "GR105",
        ('"vectors"', '"other-vectors"'),
        lambda: set_role(conn, "embedding", models.url, "other-vectors"),
    )


def test_a_width_beyond_pgvectors_is_refused_before_a_realm_is_made(
    conn: Connection, endpoint: Endpoint
) -> None:
    endpoint.width = 4096
    refused("GR009", ("4096",), lambda: rows(conn, "create_realm", REALM, endpoint.url, "vectors"))
    assert not sql(conn, "select nspname from pg_namespace where nspname = 'kb'")


def test_half_precision_above_two_thousand_dimensions(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.width = 3072
    make_realm(conn, endpoint)
    supply(conn, "Ann")
    assert value(conn, "select distinct pg_typeof(vec)::text from kb.content").endswith("halfvec")
    assert any("Ann" in piece["text"] for piece in rows(conn, "retrieve", "Ann", realm=REALM))


# ---------------------------------------------------------------- options
@pytest.mark.parametrize(
    ("options", "mentioned"),
    [
        ({"dedline": 3}, "dedline"),
        ({"deadline": 0}, "deadline"),
        ({"deadline": "3"}, "deadline"),
        ({"concurrency": -1}, "concurrency"),
        ({"structured_output": "xml"}, "structured_output"),
        ({"batch_size": 0.5}, "batch_size"),
        ({"concurrency": 2.5}, "concurrency"),
        ({"deadline": 1e300}, "deadline"),
        ({"extra": []}, "extra"),
    ],
)
def test_options_are_checked(
    conn: Connection, models: Endpoint, options: dict[str, Any], mentioned: str
) -> None:
    before = state(conn, REALM)
    refused(
        "GR009",
        (mentioned,),
        lambda: set_role(conn, "extraction", models.url, "scripted", options=options),
    )
    assert state(conn, REALM) == before


def test_extra_and_temperature_reach_the_server(conn: Connection, models: Endpoint) -> None:
    options = {"extra": {"max_tokens": 7, "seed": 1}, "temperature": 0.5}
    set_models(conn, models, "synthesis", realm=REALM, **options)
    ask(conn)
    (body,) = bodies(models, is_chat)
    assert (body["max_tokens"], body["seed"], body["temperature"]) == (7, 1, 0.5)


def test_a_model_that_takes_no_temperature(conn: Connection, models: Endpoint) -> None:
    def strict(request: Request, response: Response) -> Response:
        if "temperature" not in request.body:
            return response
        return faults.status(400, message="Unsupported value: 'temperature'")(request, response)

    models.inject(strict, where=is_chat)
    assert ask(conn)["answer"]
    assert index(conn, "Ann")["failed"] == 0

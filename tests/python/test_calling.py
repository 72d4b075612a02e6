"""`_call`: retries, failover, deadlines, concurrency, cancellation, secrets. With a scripted client, then
over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import socket
import threading
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import pytest

from graphrag_pl import calling
from graphrag_pl.calling import Attempts, call_endpoints
from graphrag_pl.retry import CallError
from tests.python.fakes import FakePlpy, SqlError
from tests.support import endpoint as scripted
from tests.support.endpoint import Endpoint

URL = "http://x/v1"
KEY = "sk-secret-123"
BODY = {"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": 4, "completion_tokens": 2}}
Places = dict[str, tuple[str | None, bool]]
Serve = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


class ScriptedClient:
    """Answers by a coroutine function, and remembers what it was asked."""

    def __init__(self, serve: Serve) -> None:
        self.serve = serve
        self.sent: list[Mapping[str, Any]] = []
        self.opened: list[tuple[str, str | None]] = []
        self.closed = 0

    def __call__(self, base_url: str, key: str | None) -> Self:
        self.opened.append((base_url, key))
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed += 1

    async def send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        self.sent.append(body)
        return await self.serve(kind, body)

    @property
    def models(self) -> list[str]:
        return [body["model"] for body in self.sent]


def failing(*failures: CallError | dict[str, Any]) -> ScriptedClient:
    """A client that goes through the failures (or answers) in order and repeats the last."""
    left = list(failures)

    async def serve(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        outcome = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(outcome, CallError):
            raise outcome
        return outcome

    return ScriptedClient(serve)


def request(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "chat",
        "base_url": URL,
        "models": ["m"],
        "body": {"messages": []},
        "deadline": 0.2,
    } | fields


def call(
    client: ScriptedClient, *requests: dict[str, Any], concurrency: int = 4, places: Places | None = None
) -> list[Any]:
    fake = FakePlpy(locations=places or {URL: (KEY, True)})
    return list(json.loads(call_endpoints(fake, json.dumps(requests), concurrency, client)))


def busy(retry_after: float | None = None, status: int = 429) -> CallError:
    return CallError(
        "GR102",
        f"answered HTTP {status}",
        "busy",
        status=status,
        may_retry=True,
        may_fail_over=True,
        retry_after=retry_after,
    )


GONE = CallError("GR102", "answered HTTP 404", "no such model", status=404, may_fail_over=True)
BAD = CallError("GR102", "answered HTTP 400", "bad request", status=400)
UNAUTHORISED = CallError("GR102", "answered HTTP 401", "bad key", status=401, is_of_server=True)
NOBODY = CallError("GR101", "cannot be reached", "refused", may_retry=True, is_of_server=True)


@pytest.fixture
def without_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries at once, unless the server asks for a wait."""
    monkeypatch.setattr(calling, "backoff", lambda _, asked=None: asked or 0.0)


# ---------------------------------------------------------------- one request
def test_success() -> None:
    client = failing(BODY)
    (answer,) = call(client, request())
    assert answer.pop("latency_ms") >= 0
    assert answer.pop("spent") >= 0
    assert answer == {
        "ok": True,
        "model": "m",
        "body": BODY,
        "input_tokens": 4,
        "output_tokens": 2,
        "attempts": 1,
    }
    assert client.opened == [(URL, KEY)]
    assert client.closed == 1


def test_the_model_that_served_is_the_answers() -> None:
    assert call(failing(BODY | {"model": "m-2024"}), request())[0]["model"] == "m-2024"


@pytest.mark.parametrize("usage", [None, {}, "x", {"prompt_tokens": None}, {"prompt_tokens": True}])
def test_unknown_tokens_are_not_zero(usage: Any) -> None:
    (answer,) = call(failing(BODY | {"usage": usage}), request())
    assert (answer["input_tokens"], answer["output_tokens"]) == (None, None)


def test_embeddings_ask_one_model_for_floats() -> None:
    client = failing(busy(), {"data": []})
    (answer,) = call(
        client, request(kind="embeddings", models=["m", "other"], body={"input": ["a"]}, deadline=5)
    )
    assert answer["ok"]
    assert client.sent == [{"input": ["a"], "encoding_format": "float", "model": "m"}] * 2


def test_no_requests() -> None:
    assert call(failing(BODY)) == []


@pytest.mark.parametrize(
    "broken",
    [
        {"kind": "audio"},
        {"models": []},
        {"models": None},
        {"base_url": 5},
        {"body": "x"},
        {"deadline": "soon"},
    ],
)
def test_malformed_requests(broken: dict[str, Any]) -> None:
    with pytest.raises(SqlError) as caught:
        call(failing(BODY), request(**broken))
    assert caught.value.sqlstate == "GR009"


# ---------------------------------------------------------------- retries and failover
@pytest.mark.usefixtures("without_jitter")
def test_transient_failures_are_retried() -> None:
    (answer,) = call(failing(busy(), NOBODY, busy(status=503), BODY), request(deadline=5))
    assert answer["ok"]
    assert answer["attempts"] == 4


@pytest.mark.parametrize("failure", [BAD, UNAUTHORISED, GONE])
def test_final_failures_are_not(failure: CallError) -> None:
    client = failing(failure)
    (answer,) = call(client, request(deadline=5))
    assert (answer["ok"], answer["code"], answer["status"]) == (False, "GR102", failure.status)
    assert answer["message"] == f"endpoint {URL} {failure.message}"
    assert answer["detail"] == failure.detail
    assert len(client.sent) == 1


def test_fallback_serves_at_once() -> None:
    client = failing(busy(), BODY)
    (answer,) = call(client, request(models=["first", "second"], deadline=5))
    assert client.models == ["first", "second"]
    assert answer["model"] == "second"


def test_missing_model_leaves_for_good() -> None:
    client = failing(GONE, busy(0.01), BODY)
    (answer,) = call(client, request(models=["first", "second"], deadline=5))
    assert client.models == ["first", "second", "second"]
    assert answer["ok"]


def test_bad_request_does_not_fail_over() -> None:
    client = failing(BAD)
    call(client, request(models=["first", "second"]))
    assert client.models == ["first"]


def test_preferred_model_is_asked_again_when_its_wait_is_over() -> None:
    attempts = Attempts(["a", "b"])
    attempts.record("a", busy(10), 0)
    assert attempts.next_model()[0] == "b"
    attempts.record("b", busy(30), 0)
    model, ready_at = attempts.next_model()
    assert model == "a"
    assert ready_at >= 10


def test_retry_after_is_waited_for() -> None:
    begun = time.monotonic()
    (answer,) = call(failing(busy(0.6), BODY), request(deadline=5))
    assert answer["ok"]
    assert 0.6 <= time.monotonic() - begun < 3


def test_retry_after_beyond_the_deadline_is_not() -> None:
    begun = time.monotonic()
    (answer,) = call(failing(busy(60)), request(deadline=2))
    assert time.monotonic() - begun < 1
    assert answer["code"] == "GR104"
    assert answer["status"] == 429
    assert "60 s" in answer["detail"]


@pytest.mark.parametrize(("failure", "code"), [(busy(), "GR104"), (NOBODY, "GR101")])
def test_deadline_bounds_all_attempts(failure: CallError, code: str) -> None:
    begun = time.monotonic()
    (answer,) = call(failing(failure), request(deadline=0.5))
    assert time.monotonic() - begun < 2
    assert answer["code"] == code
    assert "0.5 s" in answer["message"]


@pytest.mark.parametrize(("status", "of_server"), [(429, True), (503, True), (500, False)])
def test_busy_until_the_deadline_is_the_servers_state(status: int, of_server: bool) -> None:
    """A 500 may be one prompt's own; the next one may fare better."""
    (answer,) = call(failing(busy(status=status)), request(deadline=0.2))
    assert (answer["code"], answer["of_server"]) == ("GR104", of_server)


def test_deadline_cuts_an_attempt_off() -> None:
    async def never(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    begun = time.monotonic()
    (answer,) = call(ScriptedClient(never), request(deadline=0.3))
    assert time.monotonic() - begun < 2
    assert (answer["code"], answer["attempts"]) == ("GR104", 1)


# ---------------------------------------------------------------- many requests
def test_answers_come_in_order_whatever_ends_first() -> None:
    async def later_is_faster(_: str, body: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.05 * (3 - body["n"]))
        return BODY | {"n": body["n"]}

    answers = call(ScriptedClient(later_is_faster), *(request(body={"n": n}, deadline=5) for n in range(4)))
    assert [answer["body"]["n"] for answer in answers] == [0, 1, 2, 3]


def test_concurrency_is_bounded_and_used() -> None:
    running, most = 0, 0

    async def serve(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return BODY

    call(ScriptedClient(serve), *(request(deadline=5) for _ in range(10)), concurrency=3)
    assert most == 3


def test_deadline_does_not_run_while_a_request_queues() -> None:
    async def serve(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.2)
        return BODY

    answers = call(ScriptedClient(serve), *(request(deadline=0.5) for _ in range(4)), concurrency=1)
    assert [answer["ok"] for answer in answers] == [True] * 4


def test_one_failure_is_one_answers_own() -> None:
    async def serve(_: str, body: Mapping[str, Any]) -> dict[str, Any]:
        if body["n"] == 2:
            raise BAD
        return BODY

    answers = call(ScriptedClient(serve), *(request(body={"n": n}) for n in range(5)), concurrency=1)
    assert [answer["ok"] for answer in answers] == [True, True, False, True, True]


@pytest.mark.parametrize("failure", [UNAUTHORISED, NOBODY])
def test_dead_server_is_asked_once_a_call(failure: CallError) -> None:
    client = failing(failure)
    answers = call(client, *(request(deadline=0.3) for _ in range(20)), concurrency=1)
    assert [answer["code"] for answer in answers] == [failure.code] * 20
    assert sum(answer["attempts"] > 0 for answer in answers) == 1


# ---------------------------------------------------------------- nobody there
@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds become tenths."""
    monkeypatch.setattr(calling, "UNREACHABLE_DEADLINE", 1.0)
    monkeypatch.setattr(calling, "_PATIENCE", 0.3)


@pytest.mark.usefixtures("short_patience", "without_jitter")
def test_nobody_there_costs_no_whole_deadline_and_is_said() -> None:
    fake = FakePlpy(locations={URL: (KEY, True)})
    begun = time.monotonic()
    requests = json.dumps([request(deadline=60)] * 3)
    answers = json.loads(call_endpoints(fake, requests, 4, slowly(failing(NOBODY))))
    assert 1 <= time.monotonic() - begun < 2
    assert {(answer["code"], answer["of_server"]) for answer in answers} == {("GR101", True)}
    assert all("tried for 1 s" in answer["message"] for answer in answers)
    assert fake.warnings == [f"endpoint {URL} cannot be reached; it is tried for 1 s: refused"]


@pytest.mark.usefixtures("short_patience", "without_jitter")
def test_a_server_that_comes_back_serves() -> None:
    """And the patience begins anew when nobody is there once more."""
    away = [NOBODY] * 6
    client = slowly(failing(*away, busy(0.1), *away, BODY))
    fake = FakePlpy(locations={URL: (KEY, True)})
    (answer,) = json.loads(call_endpoints(fake, json.dumps([request(deadline=60)]), 4, client))
    assert (answer["ok"], answer["attempts"]) == (True, 14)
    assert answer["spent"] > 1
    assert len(fake.warnings) == 1


def test_short_waits_are_not_worth_a_word() -> None:
    fake = FakePlpy(locations={URL: (KEY, True)})
    call_endpoints(fake, json.dumps([request(deadline=1)]), 4, failing(NOBODY))
    call_endpoints(fake, json.dumps([request(deadline=60)]), 4, failing(busy(0.1), BODY))
    assert fake.warnings == []


@pytest.mark.usefixtures("short_patience")
def test_a_long_wait_that_was_asked_for_is_said() -> None:
    fake = FakePlpy(locations={URL: (KEY, True)})
    call_endpoints(fake, json.dumps([request(deadline=60)]), 4, failing(busy(0.5), BODY))
    (said,) = fake.warnings
    assert "answered HTTP 429" in said


def slowly(client: ScriptedClient) -> ScriptedClient:
    """With an instant of waiting in each attempt, so that a loop of them does not spin."""
    serve = client.serve

    async def wait(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.1)
        return await serve(kind, body)

    client.serve = wait
    return client


# ---------------------------------------------------------------- one deadline, several requests
def test_what_was_spent_before_counts() -> None:
    async def never(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    begun = time.monotonic()
    (answer,) = call(ScriptedClient(never), request(deadline=60, spent=59.7))
    assert 0.3 <= time.monotonic() - begun < 2
    assert (answer["code"], answer["spent"]) == ("GR104", pytest.approx(60, abs=0.5))
    assert "60 s" in answer["message"]


# ---------------------------------------------------------------- turns
def test_a_limit_that_other_sessions_use_up() -> None:
    fake = FakePlpy(locations={URL: (KEY, True)}, taken=2)
    (answer,) = json.loads(call_endpoints(fake, json.dumps([request(limit=2)]), 4, failing(BODY)))
    assert (answer["code"], answer["of_server"], answer["attempts"]) == ("GR104", True, 0)
    assert "concurrency" in answer["hint"]
    (answer,) = json.loads(call_endpoints(fake, json.dumps([request(limit=3)]), 4, failing(BODY)))
    assert answer["ok"]


# ---------------------------------------------------------------- where it may connect
def test_unregistered_url() -> None:
    client = failing(BODY)
    (answer,) = call(client, request(base_url="http://elsewhere/v1"))
    assert answer["code"] == "GR102"
    assert "http://elsewhere/v1" in answer["message"]
    assert "endpoint_location" in answer["hint"]
    assert not client.opened
    assert not client.sent


def test_url_of_others() -> None:
    client = failing(BODY)
    (answer,) = call(client, request(), places={URL: (KEY, False)})
    assert answer["code"] == "GR102"
    assert KEY not in json.dumps(answer)
    assert client.opened == []


def test_environment_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://env/v1/")
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    client = failing(BODY)
    places: Places = {"http://named/v1": ("env:OTHER_KEY", True)}
    answers = call(
        client, request(base_url="http://env/v1"), request(base_url="http://named/v1/"), places=places
    )
    assert [answer["ok"] for answer in answers] == [True, True]
    assert sorted(client.opened) == [("http://env/v1", KEY), ("http://named/v1", "sk-other")]


# ---------------------------------------------------------------- cancellation
class StatementCancelledError(Exception):
    """What plpy.execute() raises in a cancelled statement."""


@pytest.mark.parametrize("deadline", [60])
def test_cancel_ends_everything_at_once(deadline: int) -> None:
    cancelled = 0

    async def hang(_: str, __: Mapping[str, Any]) -> dict[str, Any]:
        nonlocal cancelled
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled += 1
            raise
        raise AssertionError

    begun = time.monotonic()

    def tick() -> None:
        if time.monotonic() - begun > 0.3:
            raise StatementCancelledError

    client = ScriptedClient(hang)
    fake = FakePlpy(locations={URL: (KEY, True)}, on_tick=tick)
    with pytest.raises(StatementCancelledError):
        call_endpoints(fake, json.dumps([request(deadline=deadline)] * 3), 4, client)
    assert time.monotonic() - begun < 1
    assert cancelled == 3
    assert client.closed == 1


@pytest.mark.parametrize("rounds", range(6))
def test_a_cancel_met_in_the_last_round_of_a_tick_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    """A task that ends after the tick's wait and before the loop stands still is neither waited for nor new."""

    async def answer(one: calling.Request, *_: object) -> dict[str, object]:
        role = one.body["role"]
        if role == "first":
            await asyncio.sleep(0.01)
            answered.set()
        elif role == "cancelled":
            await answered.wait()
            for _round in range(rounds):
                await asyncio.sleep(0)
            raise StatementCancelledError
        else:
            await asyncio.sleep(3600)
        return {}

    answered = asyncio.Event()
    monkeypatch.setattr(calling, "_answer", answer)
    requests = [request(body={"role": role}) for role in ("first", "cancelled", "stuck")]
    fake = FakePlpy(locations={URL: (KEY, True)})
    calls = calling.open_calls(fake, json.dumps(requests), 4, failing(BODY))
    try:
        with pytest.raises(StatementCancelledError):
            all(not calls.step() for _ in range(4))
    finally:
        calls.close()


def test_name_lookup_that_hangs_does_not_delay_a_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: release.wait(20) and [])
    fake = FakePlpy(locations={"http://slow.invalid/v1": (None, True)})
    begun = time.monotonic()

    def tick() -> None:
        if time.monotonic() - begun > 0.5:
            raise StatementCancelledError

    fake.on_tick = tick
    with pytest.raises(StatementCancelledError):
        call_endpoints(fake, json.dumps([request(base_url="http://slow.invalid/v1", deadline=60)]), 4)
    assert time.monotonic() - begun < 3
    release.set()


# ---------------------------------------------------------------- over HTTP, with the openai package
def over_http(server: Endpoint, *requests: dict[str, Any], key: str | None = KEY) -> list[Any]:
    fake = FakePlpy(locations={server.url: (key, True)})
    sent = [request(base_url=server.url, deadline=5) | fields for fields in requests]
    return list(json.loads(call_endpoints(fake, json.dumps(sent), 4)))


CHAT: dict[str, Any] = {
    "body": {"messages": [{"role": "user", "content": "<text-00000000>\na\n</text-00000000>"}]}
}
EMBEDDING: dict[str, Any] = {"kind": "embeddings", "body": {"input": ["a", "b"]}}


def test_http_chat_and_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-server")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-server")
    with Endpoint() as server:
        chat, embedding = over_http(server, CHAT, EMBEDDING)
    assert chat["body"]["choices"][0]["message"]["content"] == json.dumps(scripted.NOTHING)
    assert [item["index"] for item in embedding["body"]["data"]] == [0, 1]
    for sent in server.requests:
        assert sent.headers["authorization"] == f"Bearer {KEY}"
        assert "openai-organization" not in sent.headers
        assert sent.body["model"] == "m"
    assert server.embeddings[0].body["encoding_format"] == "float"


def test_http_without_a_key() -> None:
    with Endpoint() as server:
        (answer,) = over_http(server, CHAT, key=None)
    assert answer["ok"]


@pytest.mark.parametrize(
    ("fault", "code", "status", "attempts"),
    [
        (scripted.html(), "GR103", 200, 1),
        (scripted.truncated(), "GR103", 200, 1),
        (scripted.status(400), "GR102", 400, 1),
        (scripted.status(401, message=f"Incorrect API key provided: {KEY}"), "GR102", 401, 1),
        (scripted.status(403), "GR102", 403, 1),
        (scripted.status(404), "GR102", 404, 1),
        (scripted.status(302, message="moved"), "GR102", 302, 1),
    ],
    ids=["html", "truncated", "400", "401", "403", "404", "302"],
)
def test_http_final_failures(fault: scripted.Fault, code: str, status: int, attempts: int) -> None:
    with Endpoint() as server:
        server.inject(fault)
        (answer,) = over_http(server, CHAT)
    assert (answer["code"], answer["status"], answer["attempts"]) == (code, status, attempts)
    assert server.url in answer["message"]
    assert KEY not in json.dumps(answer)


@pytest.mark.usefixtures("without_jitter")
@pytest.mark.parametrize(
    "fault",
    [scripted.status(code) for code in (408, 409, 425, 429, 500, 502, 503, 529)] + [scripted.drop()],
    ids=["408", "409", "425", "429", "500", "502", "503", "529", "drop"],
)
def test_http_transient_failures(fault: scripted.Fault) -> None:
    with Endpoint() as server:
        server.inject(fault, times=2)
        (answer,) = over_http(server, CHAT)
    assert answer["ok"], answer
    assert answer["attempts"] == 3


def test_http_exhausted_quota_is_not_retried() -> None:
    payload = {
        "error": {
            "message": "You exceeded your quota",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        }
    }
    with Endpoint() as server:
        server.inject(lambda *_: scripted.Response(payload, status=429))
        (answer,) = over_http(server, CHAT)
    assert (answer["code"], answer["attempts"], answer["of_server"]) == ("GR102", 1, True)
    assert "exceeded your quota" in answer["detail"]


def test_http_retry_after() -> None:
    with Endpoint() as server:
        server.inject(scripted.status(429, retry_after="1"), times=1)
        begun = time.monotonic()
        (answer,) = over_http(server, CHAT)
    assert answer["ok"]
    assert time.monotonic() - begun >= 1


def test_http_drip_ends_at_the_deadline() -> None:
    with Endpoint() as server:
        server.inject(scripted.drip(0.05))
        begun = time.monotonic()
        (answer,) = over_http(server, CHAT | {"deadline": 0.6})
    assert answer["code"] == "GR104"
    assert time.monotonic() - begun < 3


def test_http_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        fake = FakePlpy(locations={url: (None, True)})
        (answer,) = json.loads(call_endpoints(fake, json.dumps([request(base_url=url, deadline=0.4)]), 4))
    assert answer["code"] == "GR101"
    assert answer["of_server"] is True
    assert "cannot be reached" in answer["message"]


def test_http_unknown_host() -> None:
    fake = FakePlpy(locations={"http://nowhere.invalid/v1": (None, True)})
    requests = json.dumps([request(base_url="http://nowhere.invalid/v1", deadline=0.4)])
    (answer,) = json.loads(call_endpoints(fake, requests, 4))
    assert answer["code"] in ("GR101", "GR104")
    assert answer["code"] == "GR101" or "in time" in answer["message"]


def test_http_nan_survives_as_text() -> None:
    with Endpoint() as server:
        server.inject(scripted.filled(float("nan")))
        (answer,) = over_http(server, EMBEDDING)
    assert answer["body"]["data"][0]["embedding"][0] == "nan"


@pytest.mark.parametrize("url", ["http://[::1", "http://x:99999999/v1", "http://exa mple/v1"])
def test_http_url_that_the_library_refuses(url: str) -> None:
    fake = FakePlpy(locations={url: (None, True)})
    (answer,) = json.loads(call_endpoints(fake, json.dumps([request(base_url=url)]), 4))
    assert (answer["ok"], answer["code"]) in [(False, "GR101"), (False, "GR102")]
    assert url in answer["message"]


def test_a_key_that_cannot_be_sent_is_not_shown() -> None:
    client = failing(BODY)
    fake = FakePlpy(locations={URL: ("sk-1\n", True)})
    (answer,) = json.loads(call_endpoints(fake, json.dumps([request()]), 4, client))
    assert (answer["code"], client.opened) == ("GR102", [])
    assert "sk-1" not in json.dumps(answer)


def test_http_answer_nested_too_deep() -> None:
    with Endpoint() as server:
        server.inject(lambda *_: scripted.Response(raw=b"[" * 200_000))
        (answer,) = over_http(server, CHAT)
    assert answer["code"] == "GR103"


# ---------------------------------------------------------------- answers without measure
def packed(size: int) -> bytes:
    """That many blanks, a thousandth as long; without the checksum that would end them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head, block = (packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return head + block * ((size >> 20) - 1)


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def test_http_an_answer_that_grows_when_unpacked() -> None:
    bomb = packed(2**30)
    before = peak_memory()
    with Endpoint() as server:
        server.inject(
            lambda *_: scripted.Response(raw=bomb, headers={"Content-Encoding": "gzip"}, content_type="x/y")
        )
        (answer,) = over_http(server, CHAT)
        assert len(server.requests) == 1
    assert answer["code"] == "GR103"
    assert "more than 16 MiB" in answer["message"]
    assert peak_memory() - before < 2**28


@pytest.mark.parametrize("status", [200, 400, 503])
def test_http_an_answer_without_end(status: int) -> None:
    endless = scripted.Response(raw=b'{"x": "' + b"y" * 65536, status=status, endless=True)
    before = peak_memory()
    with Endpoint() as server:
        server.inject(lambda *_: endless)
        (answer,) = over_http(server, CHAT | {"deadline": 60})
    assert answer["code"] == "GR103"
    assert f"HTTP {status} with more than" in answer["message"]
    assert peak_memory() - before < 2**28


def test_http_many_vectors_may_be_longer() -> None:
    """As long as 200 texts of the widest vectors there are, written at length."""
    number = "0.12345678901234567890123"
    vectors = ",".join([f'{{"index":{i},"embedding":[{",".join([number] * 4000)}]}}' for i in range(200)])
    whole = scripted.Response(raw=f'{{"data":[{vectors}]}}'.encode())
    assert len(whole.bytes) > 2**24
    with Endpoint() as server:
        server.inject(lambda *_: whole)
        body = {"body": {"input": ["a"] * 200}}
        (answer,) = over_http(server, EMBEDDING | body | {"deadline": 60})
    assert answer["ok"]


def test_http_packed_answers() -> None:
    def pack(_: scripted.Request, response: scripted.Response) -> scripted.Response:
        return replace(response, raw=gzip.compress(response.bytes), headers={"Content-Encoding": "gzip"})

    def tear(_: scripted.Request, response: scripted.Response) -> scripted.Response:
        return replace(response, raw=b"no gzip" + response.bytes, headers={"Content-Encoding": "gzip"})

    with Endpoint() as server:
        server.inject(pack, times=1)
        server.inject(tear, times=1)
        (good,) = over_http(server, CHAT)
        (bad,) = over_http(server, CHAT)
        assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"
    assert good["body"]["choices"]
    assert (bad["code"], bad["message"].endswith("cannot be unpacked")) == ("GR103", True)


def test_http_strange_headers() -> None:
    odd = {"X-Name": "caf\u00e9 \u00ff", "Retry-After": "\u00bd", "Set-Cookie": "a=b; Domain=evil"}
    with Endpoint() as server:
        server.inject(lambda *_: scripted.Response({"error": "busy"}, status=503, headers=odd), times=1)
        (answer,) = over_http(server, CHAT)
        assert answer["ok"]
        assert "cookie" not in server.requests[1].headers


def test_a_model_of_any_name() -> None:
    name = "m\u0000\ud800" + "x" * 10_000
    (answer,) = call(failing(BODY | {"model": name}), request())
    assert answer["model"].startswith("mxxx")
    assert len(answer["model"]) <= 200
    for nameless in ("", None, 5, ["m"]):
        assert call(failing(BODY | {"model": nameless}), request())[0]["model"] == "m"

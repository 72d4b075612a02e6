"""Many requests to model servers at once, each within its deadline, all of them interruptible.

This is what `graphrag._call` does: the one place that opens connections and the only one that sees a key.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

from graphrag_pl import endpoints, errors
from graphrag_pl.client import PATHS, Client, ClientFactory, openai_factory, unexpected
from graphrag_pl.database import Database, breathing
from graphrag_pl.retry import BUSY, CallError, backoff
from graphrag_pl.text import to_json

DEFAULT_DEADLINE = 120.0
#: Seconds between two looks at whether the statement was cancelled.
_TICK = 0.1
#: Seconds that cancelled requests get to close their connections.
_FAREWELL = 0.5

T = TypeVar("T")


@dataclass
class Request:
    """One element of `_call`'s argument; `models` in order of preference, `deadline` in seconds."""

    kind: str
    base_url: str
    models: list[str]
    body: dict[str, Any]
    deadline: float
    realm: str | None

    @classmethod
    def from_json(cls, plpy: Database, value: Any) -> Request:
        try:
            request = cls(
                value["kind"],
                endpoints.normalise_url(value["base_url"]),
                list(value["models"]),
                dict(value["body"]),
                float(value.get("deadline") or DEFAULT_DEADLINE),
                value.get("realm"),
            )
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise _malformed(plpy, repr(error)) from error
        if request.kind not in PATHS or not request.models:
            raise _malformed(plpy, f"kind {request.kind!r}, models {request.models!r}")
        if request.kind == "embeddings":
            # vectors of two models must never meet; and the SDK would ask for base64, which not every
            # server speaks
            request.models = request.models[:1]
            request.body["encoding_format"] = "float"
        return request


def _malformed(plpy: Database, what: str) -> Exception:
    return errors.sql_error(
        plpy,
        errors.INVALID_ARGUMENT,
        f"malformed endpoint request: {what}",
        "It has kind (chat, embeddings), base_url, models (at least one), body, deadline and realm.",
        "Use index(), retrieve() or query(), which write such requests.",
    )


@dataclass
class Server:
    """What one `_call` knows about one base URL."""

    client: Client | None = None
    refusal: CallError | None = None  # why nothing (more) is sent there

    def opened(self) -> Client:
        """The client. Raises the refusal, if there is one."""
        if self.refusal or self.client is None:
            raise self.refusal or CallError(errors.REFUSED, "is closed")
        return self.client


@dataclass
class Attempts:
    """Which model to try next and when: the preferred one among those whose turn it is."""

    models: list[str]
    count: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    ready_at: dict[str, float] = field(default_factory=dict)

    def next_model(self) -> tuple[str, float]:
        """(model, loop time from which it may be asked)"""
        model = min(self.models, key=lambda m: self.ready_at.get(m, 0.0))
        return model, self.ready_at.get(model, 0.0)

    def record(self, model: str, error: CallError, now: float) -> None:
        """Note a failure: the model waits, or leaves; models is empty when there is nothing left to try."""
        self.failures[model] = self.failures.get(model, 0) + 1
        if error.may_retry:
            self.ready_at[model] = now + backoff(self.failures[model], error.retry_after)
        elif error.may_fail_over:
            self.models.remove(model)
        else:
            self.models.clear()


def call_endpoints(
    plpy: Database, requests: str, concurrency: int, factory: ClientFactory | None = None
) -> str:
    """`requests` and the result are JSON lists of equal length and order: see Request, and _success and
    _failure for the answers. No failure of a server raises; a cancelled statement does, at once."""
    parsed = [Request.from_json(plpy, value) for value in json.loads(requests)]
    if not parsed:
        return "[]"
    answers = run(_answer_all(plpy, parsed, max(1, concurrency), factory or openai_factory(plpy)))
    return to_json(answers, breathing(plpy))


def run(main: Coroutine[Any, Any, T]) -> T:
    """asyncio.run() for a database backend: no signal handlers, and nobody waits for a name look-up that
    hangs in its thread. Those threads take no signals: PostgreSQL's handlers belong on the main one."""
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(4, "graphrag", _block_signals))
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _block_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


async def _answer_all(
    plpy: Database, requests: list[Request], concurrency: int, factory: ClientFactory
) -> list[dict[str, Any]]:
    turn = asyncio.Semaphore(concurrency)
    async with AsyncExitStack() as stack:
        servers = await _open_servers(plpy, requests, factory, stack)
        tasks = [asyncio.create_task(_answer(r, servers[r.base_url, r.realm], turn)) for r in requests]
        waiting = set(tasks)
        try:
            while waiting:
                plpy.execute("select 1")  # raises when the statement is cancelled, timed out or terminated
                _, waiting = await asyncio.wait(waiting, timeout=_TICK)
            return [task.result() for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_FAREWELL)


async def _open_servers(
    plpy: Database, requests: list[Request], factory: ClientFactory, stack: AsyncExitStack
) -> dict[tuple[str, str | None], Server]:
    servers: dict[tuple[str, str | None], Server] = {}
    for request in requests:
        place = request.base_url, request.realm
        if place in servers:
            continue
        location = endpoints.location(plpy, *place)
        if location.refusal:
            servers[place] = Server(refusal=location.refusal)
            continue
        try:
            client = await stack.enter_async_context(factory(request.base_url, location.key))
        except Exception as error:  # noqa: BLE001  such as httpx2.InvalidURL; the library's list of errors is open
            servers[place] = Server(refusal=unexpected(error, location.key))
        else:
            servers[place] = Server(client)
    return servers


async def _answer(request: Request, server: Server, turn: asyncio.Semaphore) -> dict[str, Any]:
    """One element of the result. The deadline runs from the request's turn, not while it queues."""
    async with turn:
        attempts = Attempts(list(request.models))
        started = time.monotonic()
        try:
            model, body, seconds = await _try(request, server.opened(), attempts)
            return _success(request, model, body, attempts, seconds)
        except CallError as error:
            if error.is_of_server:
                server.refusal = error
            return _failure(request, error, attempts, time.monotonic() - started)


async def _try(request: Request, client: Client, attempts: Attempts) -> tuple[str, dict[str, Any], float]:
    """(model that served, its answer, seconds that the last attempt took). Raises the CallError that ended
    it."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + request.deadline
    last = CallError(errors.DEADLINE, "did not answer in time", may_retry=True)
    while attempts.models:
        model, ready_at = attempts.next_model()
        if ready_at >= ends_at:
            break  # whoever asks to be left alone until after the deadline is not waited for
        await asyncio.sleep(ready_at - loop.time())
        attempts.count += 1
        begun = loop.time()
        try:
            async with asyncio.timeout_at(ends_at):
                body = await client.send(request.kind, {**request.body, "model": model})
            return model, body, loop.time() - begun
        except TimeoutError:
            break
        except CallError as error:
            last = error
            attempts.record(model, error, loop.time())
    raise _at_deadline(last, request.deadline) if last.may_retry else last


def _at_deadline(last: CallError, deadline: float) -> CallError:
    """Attempts ran until the deadline: an unreachable server stays that, a busy one becomes a missed
    deadline, which the next request would miss too."""
    wait = f" It asks to wait {last.retry_after:g} s." if last.retry_after else ""
    return CallError(
        code=last.code if last.code == errors.UNREACHABLE else errors.DEADLINE,
        message=f"{last.message}, until the deadline of {deadline:g} s",
        detail=f"{last.detail or ''}{wait}".strip() or None,
        status=last.status,
        is_of_server=last.is_of_server or last.status in BUSY,
    )


def _success(
    request: Request, model: str, body: dict[str, Any], attempts: Attempts, seconds: float
) -> dict[str, Any]:
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    served = body.get("model")
    return {
        "ok": True,
        "model": served if isinstance(served, str) and served else model,
        "body": body,
        "input_tokens": _count(usage.get("prompt_tokens")),
        "output_tokens": 0 if request.kind == "embeddings" else _count(usage.get("completion_tokens")),
        "latency_ms": round(seconds * 1000),
        "attempts": attempts.count,
    }


def _failure(request: Request, error: CallError, attempts: Attempts, seconds: float) -> dict[str, Any]:
    return {
        "ok": False,
        "code": error.code,
        "message": f"endpoint {request.base_url} {error.message}",
        "detail": error.detail,
        "hint": error.hint,
        "status": error.status,
        "model": request.models[0],
        "of_server": error.is_of_server,
        "latency_ms": round(seconds * 1000),
        "attempts": attempts.count,
    }


def _count(value: Any) -> int | None:
    """A number of tokens; None, not 0, where the server does not say."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

"""Many requests to model servers at once, each within its deadline, all of them interruptible.

This is what `graphrag._call` does: the one place that opens connections and the only one that sees a key.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from graphrag_pl import endpoints, errors
from graphrag_pl.client import PATHS, Client, ClientFactory, openai_factory, unexpected
from graphrag_pl.database import Database, breathing, look
from graphrag_pl.retry import BUSY, CallError, backoff
from graphrag_pl.text import to_json
from graphrag_pl.turns import DEFAULT_LIMIT, Turns

DEFAULT_DEADLINE = 120.0
#: Seconds for which a place where nobody listens is tried: a server that restarts is back by then, one that
#: was never there should not cost the whole deadline.
UNREACHABLE_DEADLINE = 10.0
#: Seconds between two looks at whether the statement was cancelled.
_TICK = 0.1
#: The first step is short: all tasks query for their turns then, and a query's snapshot lasts until the commit.
_START = 0.01
#: Seconds that cancelled requests get to close their connections.
_FAREWELL = 0.5
#: Seconds of waiting that nobody needs to be told about.
_PATIENCE = 3.0
#: More tokens than this are a server's nonsense, and no number for a sum.
_MOST_TOKENS = 10**12
_LONGEST_MODEL = 200
_NO_VARIABLE = (
    "Its key is to be a variable of the server's environment, which has none of that name: set it where PostgreSQL is"
    " started, and restart it."
)


@dataclass
class Request:
    """One element of `_call`'s argument; `models` in order of preference. `spent` are the seconds of the
    deadline that earlier requests of the same call have used, `limit` is of requests to the server at a time."""

    kind: str
    base_url: str
    models: list[str]
    body: dict[str, Any]
    deadline: float
    realm: str | None
    spent: float
    limit: int

    @classmethod
    def from_json(cls, plpy: Database, value: Any, concurrency: int) -> Request:
        try:
            request = cls(
                value["kind"],
                endpoints.normalise_url(value["base_url"]),
                list(value["models"]),
                dict(value["body"]),
                float(value.get("deadline") or DEFAULT_DEADLINE),
                value.get("realm"),
                float(value.get("spent") or 0.0),
                int(value.get("limit") or max(DEFAULT_LIMIT, concurrency)),
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
        "It has kind (chat, embeddings, rerank), base_url, models (at least one), body, deadline, spent, limit, realm.",
        "Use index(), retrieve() or query(), which write such requests.",
    )


@dataclass
class Server:
    """What one `_call` knows about one base URL."""

    tell: Callable[[str, str | None], None]
    client: Client | None = None
    refusal: CallError | None = None  # why nothing (more) is sent there
    lacks_key: bool = False

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


@errors.relaying
def call_endpoints(
    plpy: Database, caller: str, requests: str, concurrency: int, factory: ClientFactory | None = None
) -> str:
    """`requests` and the result are JSON lists of equal length and order: see Request, and _success and
    _failure for the answers. `caller` is the role whose rights count. No failure of a server raises; a cancelled
    statement does, at once."""
    calls = open_calls(plpy, caller, requests, concurrency, factory)
    try:
        is_done = False
        while not is_done:
            look(plpy)
            is_done = calls.step()
        answers = calls.answers()
    finally:
        calls.close()
    return to_json(answers, breathing(plpy))


def open_calls(
    plpy: Database, caller: str, requests: str, concurrency: int, factory: ClientFactory | None = None
) -> Calls:
    """The same, for whoever drives them himself."""
    concurrency = max(1, concurrency)
    parsed = [Request.from_json(plpy, value, concurrency) for value in json.loads(requests)]
    return Calls(plpy, caller, parsed, concurrency, factory or openai_factory(plpy))


class Calls:
    """Requests to servers. They get on only while step() runs: between two steps their owner may end his
    transaction, and so holds no snapshot while a server thinks."""

    def __init__(
        self,
        plpy: Database,
        caller: str,
        requests: list[Request],
        concurrency: int,
        factory: ClientFactory,
    ) -> None:
        self._requests = requests
        self._at_once = asyncio.Semaphore(concurrency)
        self._turns = Turns(plpy)
        self._stack = AsyncExitStack()
        self._servers: dict[tuple[str, str | None], Server] = {}
        self._tasks: list[asyncio.Task[dict[str, Any]]] = []
        self._loop = _new_loop()
        try:
            self._run(_open_servers(plpy, caller, requests, factory, self._stack, self._servers))
        except BaseException:
            self.close()
            raise

    def step(self) -> bool:
        """Let them go on for a tick, or until one more is answered; says whether all are."""
        self._run(self._tick())
        return all(task.done() for task in self._tasks)

    def answers(self) -> list[dict[str, Any]]:
        """Once all are answered: one answer a request, in order."""
        return [task.result() for task in self._tasks]

    def close(self) -> None:
        """Give up what is not answered, and all connections."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._end())
        finally:
            self._run(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _run(self, part: Coroutine[Any, Any, None]) -> None:
        self._loop.run_until_complete(part)

    async def _tick(self) -> None:
        seconds = _TICK
        if not self._tasks:
            seconds = _START
            self._tasks = [
                asyncio.create_task(
                    _answer(r, self._servers[r.base_url, r.realm], self._at_once, self._turns)
                )
                for r in self._requests
            ]
        waiting = [task for task in self._tasks if not task.done()]
        if waiting:
            # An answer ends the step too: the query by which it gave its turn back has a snapshot.
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        # Not only those waited for: the loop's last round before the tick ends can end another.
        for task in self._tasks:
            if task.done():
                task.result()  # raises where the task's own query met a cancel

    async def _end(self) -> None:
        async with self._stack:
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=_FAREWELL)
            self._turns.give_all_back()


#: What `graphrag._open_calls` has opened for the procedure that called it: at most one, never for longer.
_HANDED_OVER: list[Calls] = []


@errors.relaying
def hand_over(plpy: Database, caller: str, requests: str, concurrency: int) -> None:
    """`graphrag._open_calls`: open where the keys may be read."""
    while _HANDED_OVER:
        _HANDED_OVER.pop().close()
    _HANDED_OVER.append(open_calls(plpy, caller, requests, concurrency))


def take_over() -> Calls:
    """What was handed over last."""
    return _HANDED_OVER.pop()


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop for a database backend: no signal handlers, and nobody waits for a name look-up that hangs in its
    thread. Those threads take no signals: PostgreSQL's handlers belong on the main one."""
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(4, "graphrag", _block_signals))
    return loop


def _block_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


async def _open_servers(
    plpy: Database,
    caller: str,
    requests: list[Request],
    factory: ClientFactory,
    stack: AsyncExitStack,
    servers: dict[tuple[str, str | None], Server],
) -> None:
    for request in requests:
        place = request.base_url, request.realm
        if place in servers:
            continue
        servers[place] = server = Server(_teller(plpy, request.base_url))
        location = endpoints.location(plpy, *place, caller)
        server.lacks_key = location.lacks_key
        if location.refusal:
            server.refusal = location.refusal
            continue
        try:
            server.client = await stack.enter_async_context(factory(request.base_url, location.key))
        except Exception as error:  # noqa: BLE001  such as httpx2.InvalidURL; the library's list of errors is open
            server.refusal = unexpected(error, location.key)


def _teller(plpy: Database, base_url: str) -> Callable[[str, str | None], None]:
    """Says once why a statement waits: silence would look like work."""
    has_told = False

    def tell(what: str, detail: str | None) -> None:
        nonlocal has_told
        if not has_told:
            has_told = True
            plpy.warning(f"endpoint {base_url} {what}", detail=detail or "It is waited for.")

    return tell


async def _answer(
    request: Request, server: Server, at_once: asyncio.Semaphore, turns: Turns
) -> dict[str, Any]:
    """One element of the result. The deadline does not run while the statement's own requests are before it."""
    async with at_once:
        attempts = Attempts(list(request.models))
        started = time.monotonic()
        try:
            return await _try(request, server, attempts, turns)
        except CallError as error:
            if server.lacks_key and error.status in (401, 403):
                error = replace(error, hint=_NO_VARIABLE)
            if error.is_of_server:
                server.refusal = error
            return _failure(request, error, attempts, time.monotonic() - started)


async def _try(request: Request, server: Server, attempts: Attempts, turns: Turns) -> dict[str, Any]:
    """The answer of the first attempt that succeeds. Raises the CallError that ended the last."""
    loop = asyncio.get_running_loop()
    client = server.opened()
    started = loop.time()
    ends_at = started + request.deadline - request.spent
    nobody_since: float | None = None
    last = CallError(errors.DEADLINE, "did not answer in time", may_retry=True)
    while attempts.models:
        model, ready_at = attempts.next_model()
        gives_up_at = ends_at if nobody_since is None else min(ends_at, nobody_since + UNREACHABLE_DEADLINE)
        if ready_at >= gives_up_at:
            break  # whoever asks to be left alone until after the deadline is not waited for
        if ready_at - started > _PATIENCE or (nobody_since and gives_up_at - nobody_since > _PATIENCE):
            server.tell(f"{last.message}; it is tried for {gives_up_at - started:.0f} s", last.detail)
        await asyncio.sleep(ready_at - loop.time())
        async with turns.turn(request.base_url, request.limit, ends_at, lambda what: server.tell(what, None)):
            attempts.count += 1
            begun = loop.time()
            try:
                async with asyncio.timeout_at(ends_at):
                    body = await client.send(request.kind, {**request.body, "model": model})
                return _success(request, model, body, attempts, loop.time() - begun, loop.time() - started)
            except TimeoutError:
                break
            except CallError as error:
                last = error
        attempts.record(model, last, loop.time())
        is_there = not (last.is_of_server and last.may_retry)
        nobody_since = None if is_there else nobody_since or begun
    if not last.may_retry:
        raise last
    raise _given_up(last, request.deadline, is_there=nobody_since is None)


def _given_up(last: CallError, deadline: float, *, is_there: bool) -> CallError:
    """Attempts ran until the deadline: an unreachable server stays that, a busy one becomes a missed
    deadline, which the next request would miss too."""
    wait = f" It asks to wait {last.retry_after:g} s." if last.retry_after else ""
    if is_there:
        how_long = f"until the deadline of {deadline:g} s"
    else:
        how_long = f"tried for {min(deadline, UNREACHABLE_DEADLINE):g} s"
    return CallError(
        code=last.code if last.code == errors.UNREACHABLE else errors.DEADLINE,
        message=f"{last.message}, {how_long}",
        detail=f"{last.detail or ''}{wait}".strip() or None,
        status=last.status,
        is_of_server=last.is_of_server or last.status in BUSY,
    )


def _success(
    request: Request, model: str, body: dict[str, Any], attempts: Attempts, latency: float, seconds: float
) -> dict[str, Any]:
    """`latency` is of the attempt that served, `seconds` of all."""
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    served = body.get("model")
    return {
        "ok": True,
        "model": served[:_LONGEST_MODEL] if isinstance(served, str) and served else model,
        "body": body,
        "input_tokens": _count(usage.get("total_tokens" if request.kind == "rerank" else "prompt_tokens")),
        "output_tokens": _count(usage.get("completion_tokens")) if request.kind == "chat" else 0,
        "latency_ms": round(latency * 1000),
        "attempts": attempts.count,
        "spent": request.spent + seconds,
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
        "spent": request.spent + seconds,
    }


def _count(value: Any) -> int | None:
    """A number of tokens; None, not 0, where the server does not say."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= _MOST_TOKENS else None

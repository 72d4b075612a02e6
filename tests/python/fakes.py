"""A database handle without a database: it answers the handful of queries that the package asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_pl import calling
from graphrag_pl.client import ClientFactory

Answer = dict[str, Any]

#: The role that everything is called for.
CALLER = "tester"

#: What queries about the session answer where no other one waits.
SESSION: dict[str, dict[str, Any]] = {
    "select pg_catalog.current_setting": {"current_setting": "1"},
    "select current_user::text": {"current_user": CALLER},
    "select pg_advisory_unlock": {"is_given_back": True},
    "select pg_advisory_unlock_shared": {"is_given_back": True},
    "select pg_try_advisory_lock_shared": {"is_in": True},
    "select case when pg_try_advisory_lock": {"they_do": False},
}


class SqlError(Exception):
    """Stands for plpy.Error."""

    sqlstate: str
    detail: str | None
    hint: str | None


@dataclass(frozen=True)
class Plan:
    query: str
    types: list[str]


@dataclass
class FakePlpy:
    """`endpoints` by role; `locations` {base URL: (key, may use)}. `call`, if given, answers in `_call`'s place."""

    endpoints: dict[str, dict[str, Any]] = field(default_factory=dict)
    locations: dict[str, tuple[str | None, bool]] = field(default_factory=dict)
    width: int | None = None
    call: Callable[[dict[str, Any]], Answer] | None = None
    usage: list[dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    on_tick: Callable[[], None] = lambda: None
    warnings: list[str] = field(default_factory=list)
    taken: int = 0  # turns that other sessions have, of all servers

    Error = SqlError

    def set_endpoint(self, role: str, base_url: str, model: str = "model", **more: Any) -> None:
        self.endpoints[role] = {"role": role, "base_url": base_url, "model": model, **more}
        self.locations.setdefault(base_url, (None, True))

    def prepare(self, query: str, types: list[str]) -> Plan:
        return Plan(query, types)

    def execute(self, query: str | Plan, arguments: Sequence[Any] = ()) -> list[dict[str, Any]]:
        text = query.query if isinstance(query, Plan) else query
        match text.partition("(")[0]:
            case "select 1":
                self.on_tick()
                return [{"?column?": 1}]
            case "select graphrag._endpoint":
                found = self.endpoints.get(arguments[0])
                return [{"endpoint": json.dumps(found) if found else None, "realm": "kb"}]
            case "select graphrag._check_may_spend":
                return [{"_check_may_spend": None}]
            case "select width from realm":
                return [{"width": self.width}] if self.width else []
            case "select a.answer::text from jsonb_array_elements":
                return [{"answer": json.dumps(a)} for a in json.loads(self._call(*arguments))]
            case "select graphrag._record_usage":
                self.usage += json.loads(arguments[0])
                return [{"_record_usage": None}]
            case "select n from generate_series":
                _, limit, mine = arguments
                return [{"n": n} for n in range(limit, self.taken, -1) if n not in mine][:1]
            case query if query in SESSION:
                return [SESSION[query]]
            case "select api_key, may_use from graphrag._location":
                found_here = self.locations.get(arguments[0])
                return [{"api_key": found_here[0], "may_use": found_here[1]}] if found_here else []
        raise AssertionError(f"unexpected query: {text}")

    def warning(self, message: str, /, *, detail: str) -> None:
        self.warnings.append(f"{message}: {detail}")

    def _call(self, requests: str, concurrency: int) -> str:
        parsed = json.loads(requests)
        self.requests += parsed
        if self.call is None:
            return call_endpoints(self, requests, concurrency)
        return json.dumps([self.call(request) for request in parsed], ensure_ascii=False)


def call_endpoints(
    plpy: FakePlpy, requests: str, concurrency: int, factory: ClientFactory | None = None
) -> str:
    return calling.call_endpoints(plpy, CALLER, requests, concurrency, factory)


def answered(body: dict[str, Any], model: str = "model") -> Answer:
    """A success of `_call`."""
    return {
        "ok": True,
        "model": model,
        "body": body,
        "input_tokens": 7,
        "output_tokens": 3,
        "latency_ms": 5,
        "attempts": 1,
        "spent": 0.005,
    }


def said(text: str | None, finish_reason: str = "stop", model: str = "model") -> Answer:
    """A success of `_call` in which a chat model says something."""
    return answered({"choices": [{"message": {"content": text}, "finish_reason": finish_reason}]}, model)


def failed(code: str, status: int | None = None, detail: str = "scripted", of_server: bool = False) -> Answer:
    """A failure of `_call`."""
    return {
        "ok": False,
        "code": code,
        "message": "endpoint http://x/v1 failed",
        "detail": detail,
        "hint": None,
        "status": status,
        "model": "model",
        "of_server": of_server,
        "latency_ms": 5,
        "attempts": 2,
        "spent": 0.005,
    }

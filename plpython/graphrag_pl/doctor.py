"""What `graphrag.doctor` cannot see by SQL: whether libraries load, and how endpoints answer a small question.

A finding is {check, status, detail, advice}; status is ok, warning, error or skipped.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from graphrag_pl import endpoints, errors, hashing
from graphrag_pl.chat import FORMATS, MORE_ROOM, REFUSES_FORMAT, Reply, response_format
from graphrag_pl.database import Database, scalar
from graphrag_pl.embedding import vectors_of
from graphrag_pl.endpoints import CHAT_ROLES, ROLES, Endpoint
from graphrag_pl.parsing import UnusableError, without_thoughts
from graphrag_pl.reranking import ask as ask_rerank
from graphrag_pl.reranking import ordered
from graphrag_pl.text import to_json

#: Seconds that an endpoint gets for each question; doctor() asks at most five after each other.
DEADLINE = 3.0

Finding = dict[str, Any]

_LIBRARIES = {
    "openai": "openai",
    "igraph": "igraph",
    "leidenalg": "leidenalg",
    "json_repair": "json-repair",
}
_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_QUESTION = [{"role": "user", "content": 'Answer with the JSON object {"ok": true} and nothing else.'}]


def finding(check: str, status: str, detail: str, advice: str | None = None) -> Finding:
    return {"check": check, "status": status, "detail": detail, "advice": advice}


# ---------------------------------------------------------------- libraries
@errors.relaying
def examine_libraries(plpy: Database) -> str:
    """`graphrag._doctor_libraries`: JSON list of findings, the interpreter and one a library."""
    interpreter = finding("python", "ok", f"Python {platform.python_version()}")
    return to_json([interpreter, *(_examine_library(plpy, *names) for names in _LIBRARIES.items())])


def _examine_library(plpy: Database, module: str, distribution: str) -> Finding:
    try:
        errors.library(plpy, module)
    except plpy.Error as error:
        return finding(f"python {module}", "error", *_said(error))
    return finding(f"python {module}", "ok", f"{module} {importlib.metadata.version(distribution)}")


def _said(error: Exception) -> tuple[str, str | None]:
    """Message with detail, and hint, of an error made by errors.sql_error()."""
    detail = getattr(error, "detail", None)
    return f"{error}. {detail}" if detail else str(error), getattr(error, "hint", None)


# ---------------------------------------------------------------- endpoints
@dataclass
class Probe:
    """A chat model and the roles it serves; `step` is the answer format that it was asked for last."""

    endpoint: Endpoint
    source: str
    roles: list[str]
    step: int
    answer: dict[str, Any] = field(default_factory=dict)

    def request(self) -> dict[str, Any]:
        structure = response_format(FORMATS[self.step], "graphrag_doctor", _SCHEMA)
        body = {"messages": _QUESTION} | ({"response_format": structure} if structure else {})
        return self.endpoint.request("chat", body, spent=self.answer.get("spent") or 0.0)

    def must_step_down(self) -> bool:
        return (
            not self.answer["ok"] and self.answer["status"] in REFUSES_FORMAT and self.step + 1 < len(FORMATS)
        )


@errors.relaying
def examine_endpoints(plpy: Database, realm: str | None, model: str | None, width: int | None) -> str:
    """`graphrag._doctor_endpoints`: JSON list of findings, some a role.

    Runs inside the realm, unless `realm` is None: then it is about the database's defaults. `model` and
    `width` are those of the realm's vectors.
    """
    found = {role: _endpoint_of(plpy, role, realm) for role in ROLES}
    embedding = found["embedding"]
    if embedding is None:
        findings = [_absent("embedding", realm, model)]
    else:
        findings = list(_examine_embedding(plpy, realm, *embedding, model, width))
    probes: dict[tuple[str, str], Probe] = {}
    if reranks := found["rerank"]:
        findings.append(_examine_rerank(plpy, realm, *reranks))
    for role in CHAT_ROLES:
        if (place := found[role]) is None:
            findings.append(_absent(role, realm))
            continue
        endpoint, source = place
        key = endpoint.base_url, endpoint.model
        step = FORMATS.index(endpoint.options.get("structured_output", FORMATS[0]))
        probes.setdefault(key, Probe(endpoint, source, [], step)).roles.append(role)
    _ask(plpy, realm, list(probes.values()))
    for probe in probes.values():
        findings += _judge(probe)
    return to_json(findings)


def _endpoint_of(plpy: Database, role: str, realm: str | None) -> tuple[Endpoint, str] | None:
    """The endpoint of a role, with doctor's deadline, and where it is set."""
    function = "_endpoint" if realm else "_default_endpoint"
    said = scalar(plpy, f"select graphrag.{function}($1)::text", role=("text", role))
    if said is None:
        return None
    value = json.loads(said)
    endpoint = Endpoint.from_json(value, realm)
    deadline = min(DEADLINE, endpoint.options.get("deadline") or DEADLINE)
    return replace(endpoint, options=endpoint.options | {"deadline": deadline}), value["source"]


def _absent(role: str, realm: str | None, model: str | None = None) -> Finding:
    """`model` is the one that the realm's vectors are bound to."""
    what = {
        "embedding": "Nothing can be indexed or retrieved." if realm else "No realm can be made without one.",
        "extraction": "Documents are indexed as passages only.",
        "synthesis": "query() cannot answer; retrieve() and context() can.",
    }
    severity = "warning" if role in what else "skipped"
    advice = f"select {endpoints.call_to_set(role, realm, model or 'model')};"
    return finding(f"endpoint {role}", severity, f"None is set. {what.get(role, '')}".strip(), advice)


def _examine_embedding(
    plpy: Database,
    realm: str | None,
    endpoint: Endpoint,
    source: str,
    model: str | None,
    width: int | None,
) -> Iterator[Finding]:
    calls: list[dict[str, Any]] = []
    try:
        (vector,) = vectors_of(plpy, endpoint, ["width"], None, calls)
    except plpy.Error as error:
        yield finding("endpoint embedding", "error", *_said(error))
        return
    finally:
        _record(plpy, realm, endpoint, calls)
    own = vector.count(",") + 1
    where = "computed here" if endpoint.base_url == hashing.URL else "answers"
    yield finding("endpoint embedding", "ok", f"{endpoint} {where}; set by the {source}.")
    if width is None:
        yield finding("vector width", "skipped", f"{own} dimensions; there is no realm to compare with.")
    elif own != width or endpoint.model != model:
        yield finding(
            "vector width",
            "error",
            f"{endpoint} makes {own} dimensions, the realm has {width} of model {model}.",
            "Set the endpoint back to the realm's model, or CALL graphrag.reembed() with the new one.",
        )
    else:
        yield finding("vector width", "ok", f"{own} dimensions, as the realm has.")


def _examine_rerank(plpy: Database, realm: str | None, endpoint: Endpoint, source: str) -> Finding:
    """Only where one is set: nothing needs it but those who ask for it."""
    calls: list[dict[str, Any]] = []
    answer = ask_rerank(plpy, {}, endpoint, "Which is a fruit?", ["an apple", "a hammer"], 2, calls)
    _record(plpy, realm, endpoint, calls)
    if not answer["ok"]:
        return _failed("endpoint rerank", endpoint, answer)
    try:
        ordered(answer["body"], 2)
    except UnusableError as error:
        said = f"{endpoint} answered {error}."
        return finding("endpoint rerank", "error", said, "Check that the URL is that of a rerank server.")
    took = f"answered in {answer['latency_ms']} ms"
    return finding("endpoint rerank", "ok", f"{endpoint} {took}; set by the {source}.")


def _failed(check: str, endpoint: Endpoint, answer: dict[str, Any]) -> Finding:
    """Slow is not broken."""
    is_slow = answer["code"] == errors.DEADLINE and answer["status"] is None
    detail = f": {answer['detail']}" if answer["detail"] else ""
    said = f"{endpoints.message_of(endpoint, answer)}{detail}"
    return finding(check, "warning" if is_slow else "error", said, endpoints.hint_of(answer))


def _record(plpy: Database, realm: str | None, endpoint: Endpoint, calls: list[dict[str, Any]]) -> None:
    """What examining costs is noted like everything else, where there is a realm to note it in."""
    if realm:
        endpoints.record_usage(plpy, endpoint, calls, question="graphrag.doctor()")


def _ask(plpy: Database, realm: str | None, probes: list[Probe]) -> None:
    """Ask all at once, and those that refuse a format again for the next looser one."""
    while probes:
        requests = [probe.request() for probe in probes]
        for probe, answer in zip(probes, endpoints.send(plpy, requests, len(requests)), strict=True):
            probe.answer = answer
            _record(plpy, realm, probe.endpoint, [answer])
        probes = [probe for probe in probes if probe.must_step_down()]
        for probe in probes:
            probe.step += 1


def _judge(probe: Probe) -> Iterator[Finding]:
    answer = probe.answer
    unusable = _unusable(answer) if answer["ok"] else None
    for role in probe.roles:
        check = f"endpoint {role}"
        if unusable:
            said = f"{replace(probe.endpoint, role=role)}: {unusable}."
            yield finding(check, "error", said, f"Check that the model is one for chats. {MORE_ROOM}")
        elif answer["ok"]:
            took = f"answered in {answer['latency_ms']} ms"
            yield finding(
                check, "ok", f"{replace(probe.endpoint, role=role)} {took}; set by the {probe.source}."
            )
        else:
            yield _failed(check, replace(probe.endpoint, role=role), answer)
    if "extraction" in probe.roles and answer["ok"] and not unusable:
        yield _judge_structure(probe)


def _unusable(answer: dict[str, Any]) -> str | None:
    """Why an answer is none, though the server says that it is one."""
    try:
        reply = Reply.from_body(answer["body"], answer["model"])
    except UnusableError as error:
        return str(error)
    return None if without_thoughts(reply.text) else "the model answered nothing after its reasoning"


def _judge_structure(probe: Probe) -> Finding:
    """Whether answers are held to a schema, and the model keeps to it."""
    check, form = "structured output", FORMATS[probe.step]
    try:
        reply = Reply.from_body(probe.answer["body"], probe.answer["model"])
        json.loads(without_thoughts(reply.text))
    except (UnusableError, ValueError) as error:
        return finding(
            check,
            "warning",
            f"{probe.endpoint} was asked for {form} and did not answer JSON: {error}",
            "Extraction repairs what it can and lists what it cannot; a model that follows formats loses less.",
        )
    if form == FORMATS[0]:
        return finding(check, "ok", f"{probe.endpoint} supports {form}.")
    return finding(
        check,
        "warning",
        f"{probe.endpoint} supports {form} only.",
        "Extraction works with it, less reliably. Prefer a server that supports json_schema; the option"
        f" structured_output: {form} saves a refused request in each session.",
    )

"""Questions to a chat model: in the best answer format it supports, read by the caller's reader.

Structured output has three steps: `json_schema`, where the server holds the model to a schema;
`json_object`, where it holds it to JSON; `text`, where nothing is held. A server that refuses a step (HTTP
400, 422, 501) or a model whose answer is unusable is asked again one step lower; what a server refused
is remembered for the session, by URL and model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from graphrag_pl import endpoints, errors
from graphrag_pl.database import Database, Memory
from graphrag_pl.endpoints import Endpoint
from graphrag_pl.parsing import UnusableError
from graphrag_pl.prompts import Message

FORMATS = ("json_schema", "json_object", "text")

#: HTTP statuses by which a server says that it does not know an answer format.
REFUSES_FORMAT = frozenset({400, 422, 501})

#: Seconds of a deadline that are worth another request.
_LEAST = 0.25

#: What a finish_reason says of an answer that did not end by itself.
_CUT_BY = {
    "length": "its length limit",
    "max_tokens": "its length limit",
    "model_length": "its length limit",
    "content_filter": "a content filter",
}
#: What to do about answers that are cut off.
MORE_ROOM = 'Option extra of set_endpoint() gives the model more, as in {"max_tokens": 8000}.'

_MEMORY = "graphrag_chat"

T = TypeVar("T")


@dataclass
class Reply:
    """A model's text, and what cut it off, if it was."""

    text: str
    cut_by: str | None
    model: str

    @property
    def is_cut(self) -> bool:
        return self.cut_by is not None

    @classmethod
    def from_body(cls, body: Mapping[str, Any], model: str) -> Reply:
        """Raises UnusableError for an answer without text."""
        try:
            choice = body["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError):
            error = body.get("error")  # some servers fail with status 200
            said = f": {str(error)[:200]}" if error else ""
            raise UnusableError(f"the answer has no message{said}") from None
        if isinstance(content, list):
            content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
        reason = choice.get("finish_reason")
        if not isinstance(content, str) or not any(c.isprintable() and not c.isspace() for c in content):
            if message.get("refusal"):
                raise UnusableError(f"the model refused: {str(message['refusal'])[:200]}")
            raise UnusableError(f"the model answered nothing (finish_reason {str(reason)[:50]})")
        return cls(content, _CUT_BY.get(str(reason).lower()), model)


@dataclass
class Outcome(Generic[T]):
    """What became of one question: a value with the reply that it was read from, or an error."""

    value: T | None = None
    reply: Reply | None = None
    code: str | None = None
    error: str | None = None
    is_of_server: bool = False  # no question to this server would fare better now


class ChatModel:
    """The endpoint of a role, with what the session knows of it. `calls` collects the answers of `_call`,
    for usage."""

    def __init__(self, plpy: Database, memory: Memory, endpoint: Endpoint) -> None:
        self.plpy = plpy
        self.endpoint = endpoint
        self.calls: list[dict[str, Any]] = []
        known = memory.setdefault(_MEMORY, {})
        self._known: dict[str, Any] = known.setdefault(f"{endpoint.base_url}\n{endpoint.model}", {})

    def body(
        self, messages: Sequence[Message], response_format: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": list(messages)}
        if not self._known.get("refuses_temperature"):
            body["temperature"] = self.endpoint.options.get("temperature", 0)
        if response_format:
            body["response_format"] = dict(response_format)
        return body

    def send(
        self, bodies: Sequence[Mapping[str, Any]], concurrency: int = 1, spent: Sequence[float] | None = None
    ) -> list[dict[str, Any]]:
        """Answers of `_call`. A model that takes no temperature (some reasoning models) is asked without.
        `spent` are the seconds that each call has used of its deadline; an answer says it for the next."""
        requests = [
            self.endpoint.request("chat", body, spent=seconds)
            for body, seconds in zip(bodies, spent or [0.0] * len(bodies), strict=True)
        ]
        answers = endpoints.send(self.plpy, requests, concurrency)
        self.calls += answers
        again = [
            i
            for i, a in enumerate(answers)
            if a.get("status") == 400 and "temperature" in str(a.get("detail"))
        ]
        again = [i for i in again if "temperature" in bodies[i]]
        if again:
            self._known["refuses_temperature"] = True
            bodies = [{k: v for k, v in bodies[i].items() if k != "temperature"} for i in again]
            spent = [answers[i]["spent"] for i in again]
            for i, answer in zip(again, self.send(bodies, concurrency, spent), strict=True):
                answers[i] = answer
        return answers

    def ask_json(
        self,
        conversations: Sequence[Sequence[Message]],
        name: str,
        schema: Mapping[str, Any],
        read: Callable[[Reply], T],
        concurrency: int,
    ) -> list[Outcome[T]]:
        """One outcome a conversation, in order. `read` turns a reply into the value or raises UnusableError.
        A conversation is one call: its deadline is for all formats together."""
        first = max(
            FORMATS.index(self.endpoint.options.get("structured_output", FORMATS[0])),
            self._known.get("step", 0),
        )
        outcomes: list[Outcome[T]] = [Outcome() for _ in conversations]
        pending = list(range(len(conversations)))
        refused: set[int] = set()
        spent = [0.0] * len(conversations)
        for step in range(first, len(FORMATS)):
            bodies = [
                self.body(conversations[i], response_format(FORMATS[step], name, schema)) for i in pending
            ]
            answers = self.send(bodies, concurrency, [spent[i] for i in pending])
            lower = []
            for i, answer in zip(pending, answers, strict=True):
                spent[i] = answer["spent"]
                outcomes[i] = outcome = _outcome(self.endpoint, answer, read)
                if outcome.error is None:
                    if i in refused:
                        self._known["step"] = step
                elif _may_help(answer, outcome):
                    if not answer["ok"]:
                        refused.add(i)
                    if spent[i] + _LEAST < self.endpoint.deadline():
                        lower.append(i)
                    elif step + 1 < len(FORMATS):
                        deadline = f"the deadline of {self.endpoint.deadline():g} s"
                        outcome.error += f"; {deadline} left no time for another answer format"
            pending = lower
            if not pending:
                break
        return outcomes


def response_format(step: str, name: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The request's field of that name; None for plain text."""
    if step == "json_schema":
        return {"type": step, "json_schema": {"name": name, "schema": schema, "strict": True}}
    return {"type": step} if step == "json_object" else None


def _outcome(endpoint: Endpoint, answer: Mapping[str, Any], read: Callable[[Reply], T]) -> Outcome[T]:
    if not answer["ok"]:
        detail = f": {answer['detail']}" if answer.get("detail") else ""
        return Outcome(
            code=answer["code"],
            error=f"{endpoints.message_of(endpoint, answer)}{detail}",
            is_of_server=bool(answer.get("of_server")),
        )
    reply = None
    try:
        reply = Reply.from_body(answer["body"], answer["model"])
        return Outcome(read(reply), reply)
    except UnusableError as error:
        cut = f" and was cut off by {reply.cut_by}" if reply and reply.is_cut else ""
        return Outcome(reply=reply, code=errors.ANSWER_INVALID, error=f"{endpoint}: {error}{cut}")


def _may_help(answer: Mapping[str, Any], outcome: Outcome[Any]) -> bool:
    """Whether asking for a looser format may help: not if the answer was too long for any."""
    if answer["ok"]:
        return not (outcome.reply and outcome.reply.is_cut) and "finish_reason length" not in (
            outcome.error or ""
        )
    return answer.get("status") in REFUSES_FORMAT

"""Chat completions without a language model: which rules answer a request, and in which form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from . import answers
from .keywords import keywords
from .prompts import read_document, read_question
from .rules import Parser, extract

MODEL = "rules-spacy-not-an-llm"
_NOTHING: dict[str, list[Any]] = {"entities": [], "triples": []}


class BadRequest(ValueError):
    """A request this server refuses; ``param`` names the field at fault."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


def reply(body: Mapping[str, Any], parser: Parser) -> tuple[str, str]:
    """(content of the answer, all text of the prompt). Raises BadRequest."""
    turns = _turns(body)
    wanted, name, schema = _format(body.get("response_format"))
    user = next((text for role, text in turns if role == "user"), "")
    gleaning = name == "graphrag_gleaning" or any(role == "assistant" for role, _ in turns)
    content: str | Mapping[str, Any]
    if wanted == "json_schema":
        content = _kind_of(name, schema)(user, gleaning, parser)
    elif "<text-" in user:
        content = _extraction(user, gleaning, parser)
    elif "<community-" in user:
        content = answers.report(user)
    else:
        content = _answer(user)
        content = {"answer": content} if wanted == "json_object" else content
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return text, "\n".join(text for _, text in turns)


def _extraction(user: str, gleaning: bool, parser: Parser) -> Mapping[str, Any]:
    document = read_document(user)
    if document is None:
        raise BadRequest("the user message fences no <text-…> block to extract from", "messages")
    return _NOTHING if gleaning else extract(document, parser)


def _keywords(user: str, _gleaning: bool, parser: Parser) -> Mapping[str, Any]:
    return keywords(user.rpartition("Question:")[2].strip(), parser)


def _report(user: str, _gleaning: bool, _parser: Parser) -> Mapping[str, Any]:
    return answers.report(user)


def _answer(user: str) -> str:
    question = read_question(user)
    return answers.answer(question) if question else answers.NO_ANSWER


_Rule = Callable[[str, bool, Parser], Mapping[str, Any]]
# Name of the schema, and the properties by which it is known under another name.
_SCHEMAS: tuple[tuple[str, set[str], _Rule], ...] = (
    ("graphrag_extraction", {"entities", "triples"}, _extraction),
    ("graphrag_gleaning", {"entities", "triples"}, _extraction),
    ("graphrag_keywords", {"low", "high"}, _keywords),
    ("graphrag_report", {"title", "summary", "findings"}, _report),
)


def _kind_of(name: str, schema: Mapping[str, Any]) -> _Rule:
    """The rules that fill a schema. An unknown one is refused: made-up values would look like answers."""
    properties = set(schema.get("properties", {}))
    for known, needed, rule in _SCHEMAS:
        if name == known or needed <= properties:
            return rule
    known_names = ", ".join(known for known, _, _ in _SCHEMAS)
    raise BadRequest(f"{MODEL} answers only the schemas {known_names}, not {name!r}", "response_format")


def _format(stated: Any) -> tuple[str, str, Mapping[str, Any]]:
    """(type, schema name, schema) of a response_format."""
    if stated is None:
        return "text", "", {}
    kind = stated.get("type") if isinstance(stated, Mapping) else None
    if kind in ("text", "json_object"):
        return kind, "", {}
    if kind != "json_schema":
        raise BadRequest(
            f"response_format.type must be text, json_object or json_schema, not {kind!r}", "response_format"
        )
    declared = stated.get("json_schema")
    if not isinstance(declared, Mapping) or not isinstance(declared.get("name"), str):
        raise BadRequest("response_format.json_schema needs a name and a schema", "response_format")
    schema = declared.get("schema")
    return "json_schema", declared["name"], schema if isinstance(schema, Mapping) else {}


def _turns(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(role, text) of every message; content may be a string or a list of text parts."""
    if body.get("stream"):
        raise BadRequest("stream is not offered", "stream")
    if body.get("n", 1) not in (1, None):
        raise BadRequest("n must be 1: the rules give one answer", "n")
    messages = body.get("messages")
    if (
        not isinstance(messages, list)
        or not messages
        or not all(isinstance(one, Mapping) for one in messages)
    ):
        raise BadRequest("messages must be a list of {role, content}", "messages")
    return [(str(one.get("role")), _text(one.get("content"))) for one in messages]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(
        isinstance(part, Mapping) and part.get("type") == "text" for part in content
    ):
        return "\n".join(str(part.get("text", "")) for part in content)
    if content is None:
        return ""
    raise BadRequest("a message's content must be text", "messages")

"""Chunks into entities and triples, by the extraction endpoint of the current realm or from what a caller
brings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import ChatModel, Outcome, Reply
from graphrag_pl.database import Breathe, Database, Memory, breathing
from graphrag_pl.parsing import Repair, find_all_json
from graphrag_pl.records import Records, has_lists, has_shape, merge, read_records
from graphrag_pl.text import from_json, is_deep, to_json

#: What an answer holds, and whether its end was cut off.
Answer = tuple[Records, bool]


@dataclass
class Chunk:
    """A chunk on its way: its messages once asked, then what was found or why nothing was."""

    no: int
    body: str
    messages: list[prompts.Message] = field(default_factory=list)
    found: Records = field(default_factory=Records)
    is_partial: bool = False
    model: str | None = None
    code: str | None = None
    error: str | None = None
    is_of_server: bool = False

    def take(self, outcome: Outcome[Answer]) -> None:
        """Note the first pass."""
        self.code, self.error, self.is_of_server = outcome.code, outcome.error, outcome.is_of_server
        if outcome.value and outcome.reply:
            self.found, self.is_partial = outcome.value
            self.model = outcome.reply.model
            if self.is_partial:
                self.found.notes.append("the answer was cut off; its complete records were kept")

    def add(self, outcome: Outcome[Answer]) -> bool:
        """Note a gleaning pass, whose failure costs nothing; says whether it found anything."""
        if not outcome.value:
            self.found.notes.append(f"gleaning failed: {outcome.error}")
            return False
        gleaned, is_partial = outcome.value
        if is_partial:
            self.is_partial = True
            gleaned.notes.append("the gleaning answer was cut off; its complete records were kept")
        before = len(self.found.entities) + len(self.found.triples)
        self.found = merge(self.found, gleaned)
        return len(self.found.entities) + len(self.found.triples) > before

    def as_json(self) -> dict[str, Any]:
        if self.error is not None:
            of_server = {"of_server": True} if self.is_of_server else {}
            return {"no": self.no, "error": self.error, "code": self.code, **of_server}
        return {
            "no": self.no,
            **self.found.as_json(),
            "partial": self.is_partial,
            "model": self.model,
            "prompt": prompts.PROMPT_VERSION,
        }


@errors.relaying
def extract(plpy: Database, memory: Memory, chunks: str, context: str) -> str:
    """`graphrag._extract`: JSON list of {no, body}, one batch, and the document's context into a list of
    equal length and order.

    An element is {no, entities, triples, malformed, notes, partial, model, prompt} (see `records`; `prompt` is
    the version of the prompts) or {no, error, code}: one chunk's failure is its own; `of_server` is added if no
    chunk would fare better there now. Raises GR010 without an endpoint.
    """
    about = json.loads(context)
    batch = [Chunk(item["no"], item["body"]) for item in json.loads(chunks)]
    if not batch:
        return "[]"
    model = ChatModel(plpy, memory, endpoints.for_role(plpy, "extraction"))
    _extract_batch(model, repairing(plpy), batch, about)
    endpoints.record_usage(plpy, model.endpoint, model.calls, about.get("document"))
    return to_json([chunk.as_json() for chunk in batch], breathing(plpy))


@errors.relaying
def parse_extraction(plpy: Database, extraction: str) -> str:
    """`graphrag._parse_extraction`: what a caller brings, as JSON, through the same reading as a model's
    answer.

    {"entities": […], "triples": […]} or a bare list of triples gives {entities, triples, malformed, notes};
    {"chunks": [{"no", "entities", "triples"}]} gives {"chunks": [{"no", …}]}. Any other shape raises GR009.
    """
    breathe = breathing(plpy)
    value = _shallow(extraction, breathe)
    chunks = value.get("chunks") if isinstance(value, dict) else None
    if isinstance(chunks, list):
        # Records beside the chunks are in none of them.
        if not has_lists(value) and all(
            isinstance(chunk, dict) and isinstance(chunk.get("no"), int) for chunk in chunks
        ):
            parts = [(chunk["no"], {k: v for k, v in chunk.items() if k != "no"}) for chunk in chunks]
            if all(has_shape(part) for _, part in parts):
                read = [
                    {"no": no, **read_records(part, breathe, is_clean=True).as_json()} for no, part in parts
                ]
                return json.dumps({"chunks": read}, ensure_ascii=False)
    elif has_shape(value):
        return json.dumps(read_records(value, breathe, is_clean=True).as_json(), ensure_ascii=False)
    raise errors.sql_error(
        plpy,
        errors.INVALID_ARGUMENT,
        "extraction is of no known shape",
        f"It begins with {extraction[:100]}",
        'Known are {"entities": […], "triples": […]}, {"chunks": [{"no": 1, "entities": […], "triples": […]}]}'
        " and a list of triples.",
    )


def _shallow(extraction: str, breathe: Breathe) -> Any:
    """The value, or None for one that is nested too deep."""
    try:
        value = from_json(extraction)
    except RecursionError:
        return None
    return None if is_deep(value, breathe) else value


def _extract_batch(
    model: ChatModel,
    repair: Repair,
    batch: Sequence[Chunk],
    about: Mapping[str, Any],
) -> None:
    """Ask for the chunks of one batch, then for what was missed."""
    breathe = breathing(model.plpy)
    concurrency = int(about.get("max_concurrent_chunks") or 4)
    concurrency = min(concurrency, model.endpoint.concurrency(concurrency))
    for chunk in batch:
        chunk.messages = prompts.extraction_messages(chunk.body, about)

    def ask(chunks: Sequence[Chunk], name: str) -> list[Outcome[Answer]]:
        conversations = [chunk.messages for chunk in chunks]
        return model.ask_json(
            conversations, name, prompts.EXTRACTION_SCHEMA, lambda r: _read(r, repair, breathe), concurrency
        )

    outcomes = ask(batch, "graphrag_extraction")
    for chunk, outcome in zip(batch, outcomes, strict=True):
        chunk.take(outcome)
    promising = [chunk for chunk in batch if chunk.error is None]
    for _ in range(int(about.get("gleaning_passes") or 0)):
        if not promising:
            break
        for chunk in promising:
            answer = to_json({"entities": chunk.found.entities, "triples": chunk.found.triples})
            first_turns = chunk.messages[:2]
            chunk.messages = prompts.gleaning_messages(first_turns, answer)
        gleaned = ask(promising, "graphrag_gleaning")
        promising = [chunk for chunk, outcome in zip(promising, gleaned, strict=True) if chunk.add(outcome)]


def _read(reply: Reply, repair: Repair, breathe: Breathe) -> Answer:
    breathe()
    found = find_all_json(reply.text, has_shape, repair)
    records = read_records(found[0].value, breathe)
    for part in found[1:]:
        records.extend(read_records(part.value, breathe))
    return records, any(part.is_partial for part in found)


def repairing(plpy: Database) -> Repair:
    """json-repair, loaded, and interruptible between two texts."""
    json_repair = errors.library(plpy, "json_repair")
    breathe = breathing(plpy)

    def repair(text: str) -> Any:
        breathe()
        return json_repair.loads(text, skip_json_loads=True)

    return repair

"""Clusters into community reports, and many reports into notes on a question."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import MORE_ROOM, ChatModel, Outcome, Reply
from graphrag_pl.database import Breathe, Database, Memory, breathing
from graphrag_pl.extraction import repairing
from graphrag_pl.parsing import Repair, UnusableError, find_json, without_thoughts
from graphrag_pl.text import clean_text, to_json

_LONGEST_TITLE = 200
#: Characters of a whole report. One that is longer is a model that went round in circles, and PostgreSQL indexes the
#: words of no text above 1 MB.
_LONGEST_REPORT = 100_000
_MOST_FINDINGS = 20
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)")
_NOTHING = re.compile(r"\W*nothing\W*", re.IGNORECASE)

Report = dict[str, Any]


@errors.relaying
def report(plpy: Database, memory: Memory, communities: str, taken: str, concurrency: int) -> str:
    """`graphrag._report`: JSON list of {no, text, relations, names} into a list of equal length and order.

    `text` is a community as it is shown to the model, `relations` how many it numbers, from 1, and `names` the first
    of it, which tell it from another community of the same title; `taken` are titles of others. An element is {no,
    title, summary, rating, findings: [{summary, explanation, relations}], unknown, model}, `unknown` being how many
    relation numbers were none, or {no, error, code}: one report's failure is its own. Raises GR010 without an
    endpoint.
    """
    todo = json.loads(communities)
    if not todo:
        return "[]"
    model = ChatModel(plpy, memory, endpoints.for_role(plpy, "community"))
    breathe = breathing(plpy)
    repair = repairing(plpy)
    outcomes = model.ask_json(
        [prompts.report_messages(item["text"]) for item in todo],
        "graphrag_report",
        prompts.REPORT_SCHEMA,
        lambda reply: _read(reply, repair, breathe),
        min(concurrency, model.endpoint.concurrency(concurrency)),
    )
    endpoints.record_usage(plpy, model.endpoint, model.calls)
    _warn_of_cut(model, sum(o.reply.is_cut for o in outcomes if o.value and o.reply), "reports")
    answers = [_answer(item, outcome) for item, outcome in zip(todo, outcomes, strict=True)]
    titles = {title.casefold() for title in json.loads(taken)}
    for item, answer in zip(todo, answers, strict=True):
        if "title" in answer:
            answer["title"] = _unique(answer["title"], item["names"], titles)
    return to_json(answers, breathe)


def _warn_of_cut(model: ChatModel, cut: int, what: str) -> None:
    if cut:
        said = f"{model.endpoint}: {what} cut off, and kept as far as they go: {cut}"
        model.plpy.warning(said, detail=MORE_ROOM)


def _answer(item: Mapping[str, Any], outcome: Outcome[Report]) -> Report:
    if outcome.value is None or outcome.reply is None:
        return {"no": item["no"], "error": outcome.error, "code": outcome.code}
    unknown = 0
    findings = []
    for finding in outcome.value["findings"]:
        known = [number for number in finding["relations"] if 1 <= number <= item["relations"]]
        unknown += len(finding["relations"]) - len(known)
        findings.append({**finding, "relations": known})
    return {
        "no": item["no"],
        **outcome.value,
        "findings": findings,
        "unknown": unknown,
        "model": outcome.reply.model,
    }


def _unique(title: str, leading: Sequence[str], taken: set[str]) -> str:
    """The title, if it is taken with a leading name or a number after it; from now on it is taken."""
    named = (f"{title}: {name}" for name in leading)
    numbered = (f"{title} ({number})" for number in count(2))
    unique = next(t for t in chain([title], named, numbered) if t.casefold() not in taken)
    taken.add(unique.casefold())
    return unique


def _read(reply: Reply, repair: Repair, breathe: Breathe) -> Report:
    breathe()
    value = find_json(reply.text, _has_shape, repair).value
    findings = [_finding(found) for found in value["findings"]]
    return _bounded(
        {
            "title": _text(value, "title")[:_LONGEST_TITLE].strip(),
            "summary": _text(value, "summary"),
            "rating": _rating(value.get("rating")),
            "findings": [finding for finding in findings if finding["summary"]][:_MOST_FINDINGS],
        }
    )


def _bounded(report: Report) -> Report:
    """The report. Raises UnusableError for one that is too long."""
    texts = [report["summary"], *(f[part] for f in report["findings"] for part in ("summary", "explanation"))]
    length = sum(map(len, texts))
    if length > _LONGEST_REPORT:
        raise UnusableError(f"the report has {length} characters, more than {_LONGEST_REPORT}")
    return report


def _has_shape(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("findings"), list) and "title" in value


def _text(value: Mapping[str, Any], name: str) -> str:
    """A text on one line. Raises UnusableError where there is none."""
    text = _line(value.get(name))
    if not text:
        raise UnusableError(f"the report has no {name}")
    return text


def _line(said: Any) -> str:
    """A text on one line; empty for what is none, or has nothing in it that can be seen."""
    text = " ".join(clean_text(said).split()) if isinstance(said, str) else ""
    return text if any(unicodedata.category(character)[0] not in "CZ" for character in text) else ""


def _rating(said: Any) -> float:
    """From 0 to 10; "8/10" is 8. Raises UnusableError for what is no number."""
    if isinstance(said, str) and (found := _NUMBER.match(said)):
        said = float(found[1])
    if (
        isinstance(said, bool)
        or not isinstance(said, int | float)
        or (isinstance(said, float) and not math.isfinite(said))
    ):
        raise UnusableError(f"the report's rating is no number: {said!s:.50}")
    return float(min(10, max(0, said)))  # an integer may be too large for a float


def _finding(said: Any) -> dict[str, Any]:
    """A bare text is a finding that names no relations; of anything else, one without a summary is none."""
    if not isinstance(said, dict):
        said = {"summary": said}
    numbers = said.get("relations")
    found = [_whole(number) for number in numbers] if isinstance(numbers, list) else []
    return {
        "summary": _line(said.get("summary")),
        "explanation": _line(said.get("explanation")),
        "relations": list(dict.fromkeys(found)),
    }


def _whole(said: Any) -> int:
    """A relation's number; 0, which none has, for anything else."""
    if isinstance(said, str):
        said = said.strip("[] ")
        return int(said) if said.isdecimal() and len(said) < 9 else 0
    return said if isinstance(said, int) and not isinstance(said, bool) else 0


# ---------------------------------------------------------------- many reports, one question
@errors.relaying
def note(plpy: Database, memory: Memory, question: str, parts: str, header: str, concurrency: int) -> str:
    """`graphrag._note_reports`: JSON list of texts into what each says about a question, as JSON list: a text, null
    where it says nothing, {error} where it could not be read. Raises the endpoint's error if none could."""
    texts = json.loads(parts)
    model = ChatModel(plpy, memory, endpoints.for_role(plpy, "synthesis"))
    about = json.loads(header)
    bodies = [model.body(prompts.map_messages(question, text, about)) for text in texts]
    answers = model.send(bodies, min(concurrency, model.endpoint.concurrency(concurrency)))
    endpoints.record_usage(plpy, model.endpoint, model.calls, question=question)
    if not any(answer["ok"] for answer in answers):
        raise endpoints.sql_error(plpy, model.endpoint, answers[0])
    notes = [_note(model, answer) for answer in answers]
    _warn_of_cut(model, sum(is_cut for _, is_cut in notes), "notes on reports")
    return to_json([note for note, _ in notes])


def _note(model: ChatModel, answer: dict[str, Any]) -> tuple[Any, bool]:
    """The note or its error, and whether it was cut off."""
    if not answer["ok"]:
        return {"error": endpoints.message_of(model.endpoint, answer)}, False
    try:
        reply = Reply.from_body(answer["body"], answer["model"])
    except UnusableError as error:
        return {"error": str(error)}, False
    text = without_thoughts(reply.text)
    if not text and reply.is_cut:
        return {"error": f"{model.endpoint}: the model answered nothing (finish_reason length)"}, False
    return (None if not text or _NOTHING.fullmatch(text) else text), reply.is_cut

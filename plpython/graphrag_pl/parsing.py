"""Whatever a model wrote around, inside or instead of its JSON: find the value it meant.

Strict JSON is always tried first, so that a well-formed answer is never "repaired"; after that come prose
and fences around, reasoning in front, a cut-off end, and last the json-repair package for commas, quotes
and the like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from graphrag_pl.text import from_json, is_deep

#: Takes text that is almost JSON; raises or returns something of another type if it cannot.
Repair = Callable[[str], Any]
#: Says whether a value has the shape that was asked for.
Accept = Callable[[Any], bool]

_CLOSES = {"{": "}", "[": "]"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\]]', re.DOTALL)
_NOTHING_OF_SHAPE = "the answer holds no JSON of the wanted shape"
#: What is open around a record that is itself a list, [subject, predicate, object].
_LISTS_OF_TRIPLES = (["["], ["{", "["])
_OPENING = re.compile(r"""\{\s*(?:["'}]|\w+\s*:)|\[\s*["'\[{\]]""")
_UNFINISHED_THOUGHT = re.compile(r"\A\s*<think>", re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think>", re.IGNORECASE)


class UnusableError(Exception):
    """An answer in which nothing of the wanted shape can be found; the text says why."""


class Found(NamedTuple):
    """The value, and whether the end of it was cut off and its last, incomplete item left out."""

    value: Any
    is_partial: bool


def without_thoughts(text: str) -> str:
    """What follows the model's reasoning: after the last </think>, opened or not. Reasoning without end
    leaves nothing."""
    ends = [match.end() for match in _END_OF_THOUGHT.finditer(text)]
    if ends:
        return text[ends[-1] :].strip()
    return "" if _UNFINISHED_THOUGHT.match(text) else text.strip()


def find_json(text: str, accept: Accept, repair: Repair) -> Found:
    """The first value of an accepted shape in a model's answer, well-formed before others. One that holds nothing
    counts if there is no other: "[]" may stand in the prose about it. Raises UnusableError."""
    whole, spans = _candidates(text, accept)
    if whole is not None:
        return whole
    nothing: Found | None = None
    for read in _READINGS:
        for span in spans:
            found = read(span, repair)
            if not found or not _is_accepted(found.value, accept):
                continue
            if not _is_empty(found.value):
                return found
            nothing = nothing or found
    if nothing:
        return nothing
    raise UnusableError(_NOTHING_OF_SHAPE)


def find_all_json(text: str, accept: Accept, repair: Repair) -> list[Found]:
    """Every value of an accepted shape, for what a model may have given in parts. Raises UnusableError if there is
    none."""
    whole, spans = _candidates(text, accept)
    if whole is not None:
        return [whole]
    found = [first for span in spans if (first := _first_accepted(span, accept, repair)) is not None]
    if not found:
        raise UnusableError(_NOTHING_OF_SHAPE)
    if not spans[-1].is_closed:  # whatever of it could be kept
        found[-1] = found[-1]._replace(is_partial=True)
    return found


def _candidates(text: str, accept: Accept) -> tuple[Found | None, list[_Span]]:
    """The answer itself if it is what was asked for, without its reasoning or as JSON in a string of JSON; else the
    parts of it that may be. Raises UnusableError for an empty one."""
    for candidate in (text.strip(), without_thoughts(text)):
        value = _strict(candidate)
        if isinstance(value, str):
            value = _strict(value)
        if _is_accepted(value, accept):
            return Found(value, False), []
    if not candidate:
        raise UnusableError("the answer is empty")
    return None, list(_spans(candidate))


def _first_accepted(span: _Span, accept: Accept, repair: Repair) -> Found | None:
    for read in _READINGS:
        found = read(span, repair)
        if found and _is_accepted(found.value, accept):
            return found
    return None


def _is_accepted(value: Any, accept: Accept) -> bool:
    return not is_deep(value) and accept(value)


def _is_empty(value: Any) -> bool:
    return not value or (isinstance(value, dict) and not any(value.values()))


def _strict(text: str) -> Any:
    try:
        return from_json(text)
    except (ValueError, RecursionError):
        return None


class _Span(NamedTuple):
    """A bracketed part of an answer; `complete` is what can be kept of one that is never closed."""

    text: str
    is_closed: bool
    complete: str | None


def _valid(span: _Span, _: Repair) -> Found | None:
    return Found(_strict(span.text), False) if span.is_closed else None


def _cut_off(span: _Span, repair: Repair) -> Found | None:
    if span.complete is None:
        return None
    value = _strict(span.complete)
    return Found(_repaired(span.complete, repair) if value is None else value, True)


def _malformed(span: _Span, repair: Repair) -> Found | None:
    return Found(_repaired(span.text, repair), False) if span.is_closed else None


#: How a part may be read, the surest way first.
_READINGS = (_valid, _cut_off, _malformed)


def _repaired(text: str, repair: Repair) -> Any:
    try:
        return repair(text)
    except (ValueError, RecursionError):  # nested too deep
        return None


def _spans(text: str) -> Iterator[_Span]:
    """The outermost bracketed parts that look like JSON, which "[1]" and "{so to speak}" in prose do not. What stands
    inside one is no part of its own: the empty list of some record is not an empty answer."""
    position = 0
    while opening := _OPENING.search(text, position):
        position, complete, is_closed = _scan(text, opening.start())
        yield _Span(text[opening.start() : position], is_closed, complete)


def _scan(text: str, start: int) -> tuple[int, str | None, bool]:
    """Follow the brackets from `start`: (where the value ends, what is complete of it if it is never
    closed, whether it is)."""
    still_open: list[str] = []
    kept: tuple[int, list[str]] | None = None
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token in _CLOSES:
            still_open.append(token)
        elif token in ("}", "]"):
            still_open.pop()
            if not still_open:
                return match.end(), None, True
            if still_open[-1] == "[" and (token == "}" or still_open in _LISTS_OF_TRIPLES):
                kept = match.end(), list(still_open)
        elif token == '"':  # a string that never ends
            break
    if kept is None:
        return len(text), None, False
    end, open_there = kept
    return len(text), text[start:end] + "".join(_CLOSES[bracket] for bracket in reversed(open_there)), False

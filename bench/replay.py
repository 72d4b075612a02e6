"""Recorded model answers in other projects' formats, as answers in this project's protocol.

They are given by an ordinary OpenAI-compatible endpoint: what is measured is the real path of `graphrag.index`, with
a model that says what another one once said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.datasets import RecordedChunk
from tests.support.endpoint import Endpoint

Record = dict[str, Any]

#: nano-graphrag: ("entity"<|>name<|>type<|>description), ("relationship"<|>source<|>target<|>description<|>strength).
_TUPLE = re.compile(r'\(\s*"(entity|relation\w*)"\s*<\|>(.*?)\)\s*(?:##|<\|COMPLETE\|>|$)', re.MULTILINE)
_OPENED = re.compile(r'\(\s*"(?:entity|relation\w*)"\s*<\|>')
#: text2kgbench: predicate(subject, object), anywhere in the answer, with Markdown's escapes; parentheses inside too.
_PART = r"(?:[^(),\n]|\([^()\n]*\))+"
_CALL = re.compile(rf"(?<![\w.'\"])([A-Za-z_]\w*)\s*\(\s*({_PART}),((?:[^()]|\([^()]*\))*)\)")
_PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind beside between by for from in into like of"
    " off on onto over through to toward towards under upon with within without".split()
)
_DETERMINERS = frozenset(
    "a an the his her its their our this that these those some any each every both".split()
)
_FALLBACK = "interacts_with"


@dataclass
class Answer:
    """The records of an answer, what else stood in it, and how many records it began."""

    entities: list[Record] = field(default_factory=list)
    triples: list[Record] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    begun: int = 0

    def as_content(self) -> str:
        """What a chatty model would have said in this project's protocol: the prose, and JSON in a fence."""
        body = json.dumps({"entities": self.entities, "triples": self.triples}, ensure_ascii=False)
        return "\n".join([*self.prose[:1], f"```json\n{body}\n```", *self.prose[1:]])


def read_tuples(raw: str) -> Answer:
    """An answer in tuple format. It has no predicates: the verb of the description stands for one."""
    answer = Answer(begun=len(_OPENED.findall(raw)))
    for kind, rest in _TUPLE.findall(raw):
        fields = [part.strip().strip('"').strip() for part in rest.split("<|>")]
        if kind == "entity" and len(fields) == 3:
            answer.entities.append({"name": fields[0], "type": fields[1], "description": fields[2]})
        elif kind != "entity" and len(fields) in (3, 4):
            subject, predicate, object_ = stated_relation(*fields[:3])
            answer.triples.append(
                {"subject": subject, "predicate": predicate, "object": object_, "description": fields[2]}
            )
    prose = _TUPLE.sub("", raw).replace("##", "").replace("<|COMPLETE|>", "")
    answer.prose = [line.strip() for line in prose.splitlines() if line.strip()]
    return answer


def stated_relation(source: str, target: str, description: str) -> tuple[str, str, str]:
    """Subject, predicate and object by the words that follow the name that the description mentions first."""
    places = sorted(
        (place, name) for name in (source, target) if (place := _mention(name, description)) is not None
    )
    if len(places) < 2 or places[0][1] == places[1][1]:
        return source, _FALLBACK, target
    ((_, first_end), first), ((second_start, second_end), _) = places
    subject, object_ = (source, target) if first == source else (target, source)
    between = description[first_end:second_start]
    if re.fullmatch(r"\s*(?:,|and|or|&)\s*", between):
        between = description[second_end:]
    return subject, _verb_phrase(between) or _FALLBACK, object_


def _mention(name: str, description: str) -> tuple[int, int] | None:
    """Where a description has a name, or the longest word of it."""
    words = [word for word in re.findall(r"\w+", name) if word.lower() not in _DETERMINERS]
    for form in (name, *sorted(words, key=len, reverse=True)):
        found = re.search(rf"\b{re.escape(form)}\b", description, re.IGNORECASE)
        if found:
            return found.span()
    return None


def _verb_phrase(text: str) -> str:
    """The first words of a clause, up to a determiner: a verb, or a copula with what makes it say something."""
    if re.match(r"['’]", text):
        return ""
    clause = re.split(r"[,;:.!?(]", text)[0]
    words = [word.lower() for word in re.findall(r"[\w'-]+", clause) if not word.lower().endswith("ly")]
    phrase: list[str] = []
    for word in words:
        if word in _DETERMINERS or (phrase and not phrase[0].startswith("is") and word not in _PREPOSITIONS):
            break
        phrase.append(word)
        if word in _PREPOSITIONS or len(phrase) == 3:
            break
    phrase = phrase if phrase and phrase[0] not in _PREPOSITIONS | {"and", "or", "who", "which"} else []
    return "" if phrase in (["is"], ["was"], ["are"], ["has"]) else "_".join(phrase).strip("-'")


def read_calls(raw: str) -> Answer:
    """An answer of the form predicate(subject, object). A call without an object, or of one argument, is none."""
    answer = Answer()
    text = raw.replace("\\_", "_")
    for predicate, subject, object_ in _CALL.findall(text):
        record = {"subject": subject.strip(), "predicate": predicate.strip(), "object": object_.strip()}
        if all(re.search(r"\w", part) for part in record.values()):
            answer.triples.append(record)
    answer.begun = len(answer.triples)
    answer.prose = [line.strip() for line in _CALL.sub("", text).splitlines() if line.strip()]
    return answer


def replay(endpoint: Endpoint, chunks: Sequence[RecordedChunk]) -> None:
    """Makes an endpoint answer for these chunks as was recorded; any other text is an error of the benchmark."""
    recorded = {_key(chunk.text): chunk for chunk in chunks}
    endpoint.on_extraction = lambda text: read_tuples(recorded[_key(text)].extracted).as_content()
    endpoint.on_gleaning = lambda text: read_tuples(recorded[_key(text)].gleaned).as_content()


def _key(text: str) -> str:
    return " ".join(text.split())

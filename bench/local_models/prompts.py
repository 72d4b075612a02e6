"""Reading of the two kinds of user message: a document to extract from, and evidence with a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_TEXT = re.compile(r"^<text-([0-9a-f]{8})>\n(.*?)\n?</text-\1>$", re.M | re.S)
_EVIDENCE = re.compile(r"^<evidence-([0-9a-f]{8})>\n(.*?)\n?</evidence-\1>$", re.M | re.S)
_HEADER = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)?): *(.*)$", re.M)
_SECTION = re.compile(r"^# (Reports|Passages|Entities|Relations|References)[ \t]*$", re.M)
_ITEM = re.compile(r"(?:\A|(?<=\n\n))\[(\d+)\] (.*)(?:\n|\Z)")
_REPORT = re.compile(r"^## \[(\d+)\] (.*)$", re.M)
_ENTITY = re.compile(r"^- (.+?)(?: \(([^()]*)\))?: (.*)$", re.M)
_RELATION = re.compile(
    r"^-? ?\((?P<subject>.+)\) --\[(?P<denied>NOT )?(?P<predicate>[^\]]+)\]--> \((?P<object>.+?)\)"
    r"(?: \[(?P<period>[^\]]*[a-z][^\]]*)\])?(?P<cited>(?: ?\[[\d, ]+\])*)(?:: (?P<description>.*))?$",
    re.M,
)


@dataclass(frozen=True)
class Document:
    """One extraction request: the text and what its header lines say about it."""

    text: str
    title: str = ""
    published: date | None = None
    known_names: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    number: int
    heading: str
    text: str


@dataclass(frozen=True)
class Relation:
    subject: str
    predicate: str
    object: str
    denied: bool
    period: str
    cited: tuple[int, ...]
    description: str


@dataclass(frozen=True)
class Question:
    """One synthesis request. ``today`` and ``as_of`` are as stated ('' when absent)."""

    question: str
    today: str = ""
    as_of: str = ""
    passages: tuple[Passage, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    descriptions: tuple[tuple[str, str], ...] = ()
    relations: tuple[Relation, ...] = ()


def read_document(message: str) -> Document | None:
    """The document of an extraction request, or None if the message fences no text."""
    fenced = _TEXT.search(message)
    if fenced is None:
        return None
    header = dict(_HEADER.findall(message[: fenced.start()]))
    return Document(
        text=fenced[2],
        title=header.get("Title", ""),
        published=_iso_date(header.get("Published", "")),
        known_names=_split(header.get("Known names", ""), ";"),
        entity_types=_split(header.get("Entity types", ""), ","),
        predicates=_split(header.get("Predicates", ""), ","),
    )


def read_question(message: str) -> Question | None:
    """The question and its evidence, or None if the message fences no evidence."""
    fenced = _EVIDENCE.search(message)
    if fenced is None:
        return None
    header = dict(_HEADER.findall(message[: fenced.start()]))
    _, _, question = message[fenced.end() :].partition("Question:")
    sections = read_sections(fenced[2])
    entities = _ENTITY.findall(sections.get("Entities", ""))
    return Question(
        question=question.strip(),
        today=header.get("Today", ""),
        as_of=header.get("As of", ""),
        passages=_passages(sections.get("Passages", "")) + _reports(sections.get("Reports", "")),
        types=tuple((name, kind) for name, kind, _ in entities),
        descriptions=tuple((name, text) for name, _, text in entities),
        relations=read_relations(sections.get("Relations", "")),
    )


def read_sections(evidence: str) -> dict[str, str]:
    """Section heading -> body."""
    parts = _SECTION.split(evidence)
    return dict(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else {}


def read_relations(body: str) -> tuple[Relation, ...]:
    """The relation lines of a text; other lines are passed over."""
    return tuple(
        Relation(
            subject=line["subject"],
            predicate=line["predicate"],
            object=line["object"],
            denied=line["denied"] is not None,
            period=line["period"] or "",
            cited=tuple(int(number) for number in re.findall(r"\d+", line["cited"])),
            description=line["description"] or "",
        )
        for line in _RELATION.finditer(body)
    )


def _passages(body: str) -> tuple[Passage, ...]:
    items = list(_ITEM.finditer(body.strip("\n")))
    if not items:
        return ()
    ends = [item.start() for item in items[1:]] + [None]
    body = body.strip("\n")
    return tuple(
        Passage(int(item[1]), item[2], body[item.end() : end].strip())
        for item, end in zip(items, ends, strict=True)
    )


def _reports(body: str) -> tuple[Passage, ...]:
    """Community reports as passages."""
    parts = _REPORT.split(body)
    return tuple(
        Passage(int(number), heading, text.strip())
        for number, heading, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    )


def _split(line: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split(separator) if part.strip())


def _iso_date(stated: str) -> date | None:
    try:
        return date.fromisoformat(stated.strip()[:10])
    except ValueError:
        return None

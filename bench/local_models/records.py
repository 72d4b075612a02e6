"""Facts and names as the records of an answer, in the vocabulary of the request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .names import Name, Names
from .predicates import Vocabulary
from .prompts import Document
from .wording import clip


@dataclass(frozen=True)
class Fact:
    """One triple before it meets the request's vocabulary."""

    subject: Name
    wording: str
    object: Name | str
    is_value: bool
    denied: bool
    confidence: float
    valid_from: str | None
    valid_to: str | None
    evidence: str


class Records:
    """Facts and names put into the request's vocabulary and the answer's JSON."""

    def __init__(self, document: Document, vocabulary: Vocabulary) -> None:
        self._types = {kind.lower(): kind for kind in document.entity_types}
        self._vocabulary = vocabulary

    def build(self, facts: Iterable[Fact], names: Names) -> dict[str, list[dict[str, Any]]]:
        triples: dict[tuple[str, ...], dict[str, Any]] = {}
        concepts: dict[str, str] = {}
        for fact in facts:
            if isinstance(fact.object, str) and not fact.is_value:
                if not self._accepts_concepts():
                    continue
                concepts.setdefault(fact.object, fact.evidence)
            for triple in self._triples(fact):
                triples.setdefault(_identity(triple), triple)
        entities = [self._entity(name.text, name.type, name.description, name.aliases) for name in names]
        entities += [self._entity(text, "Concept", clip(evidence), []) for text, evidence in concepts.items()]
        return {"entities": entities, "triples": _without_echoes(list(triples.values()))}

    def _accepts_concepts(self) -> bool:
        return not self._types or bool({"concept", "other"} & self._types.keys())

    def _triples(self, fact: Fact) -> Iterator[dict[str, Any]]:
        target = fact.object.text if isinstance(fact.object, Name) else fact.object
        target_type = fact.object.type if isinstance(fact.object, Name) else "Concept"
        for place, claim in enumerate(self._vocabulary.claims(fact.wording, fact.subject.type)):
            if claim.inverse and (fact.is_value or target_type == "Concept"):
                continue
            subject, other = (target, fact.subject.text) if claim.inverse else (fact.subject.text, target)
            yield {
                "subject": subject,
                "predicate": claim.predicate,
                "object": other,
                "object_is_value": fact.is_value,
                "description": clip(fact.evidence),
                "negated": fact.denied != claim.denied,
                "confidence": round(fact.confidence - 0.1 * (place > 0), 2),
                "valid_from": fact.valid_from,
                "valid_to": fact.valid_to,
                "evidence": fact.evidence,
            }

    def _entity(self, name: str, kind: str, description: str, aliases: list[str]) -> dict[str, Any]:
        if self._types:
            kind = self._types.get(kind.lower()) or self._types.get("other") or kind
        return {"name": name, "type": kind, "description": description, "aliases": aliases}


def _without_echoes(triples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without self-loops, and without undated restatements of what the same text dates."""
    dated = {_identity(triple)[:4] for triple in triples if triple["valid_from"] or triple["valid_to"]}
    return [
        triple
        for triple in triples
        if triple["subject"] != triple["object"]
        and (triple["valid_from"] or triple["valid_to"] or _identity(triple)[:4] not in dated)
    ]


def _identity(triple: dict[str, Any]) -> tuple[str, ...]:
    keys = ("subject", "predicate", "object", "negated", "valid_from", "valid_to")
    return tuple(str(triple[key]) for key in keys)

"""Readers of the public data sets, from GRAPHRAG_DATA (default ../shared/data). Nothing of them is copied here.

Each reader takes the format of one data set and gives plain records; what is made of them is the runners' business.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFAULT = Path(__file__).parent.parent / "../shared/data"


class MissingError(Exception):
    """A data set is not on this machine; the text says where it was looked for."""


def folder(name: str) -> Path:
    """The folder of a data set; raises MissingError."""
    path = Path(os.environ.get("GRAPHRAG_DATA") or _DEFAULT) / name
    if not path.is_dir():
        raise MissingError(f"no data set {name} in {path.parent.resolve()} (environment: GRAPHRAG_DATA)")
    return path


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


@dataclass(frozen=True)
class RecordedChunk:
    """A chunk of the novel and what gpt-4o answered, asked once and asked again for what it had missed."""

    no: int
    text: str
    extracted: str
    gleaned: str


def christmas_carol() -> list[RecordedChunk]:
    """A Christmas Carol in 42 chunks with raw answers in nano-graphrag's tuple format."""
    return [
        RecordedChunk(row["chunk_order"], row["chunk_text"], row["extract_response"], row["glean_response"])
        for row in _lines(folder("christmas_carol") / "nano_gpt4o.jsonl")
    ]


def carol_reports() -> list[dict[str, Any]]:
    """The community reports that gpt-4o wrote on the novel: title, summary, rating, findings. Of which members and
    relations each was asked is not recorded."""
    path = folder("christmas_carol") / "nano_gpt4o_other_responses.json"
    answers = (answer["return"] for answer in json.loads(path.read_text(encoding="utf-8")).values())
    return [json.loads(answer) for answer in answers if answer.lstrip().startswith("{")]


@dataclass(frozen=True)
class Passage:
    """A passage with the names and triples that gpt-3.5 read in it."""

    title: str
    text: str
    names: tuple[str, ...]
    triples: tuple[tuple[str, ...], ...]

    @property
    def extraction(self) -> dict[str, Any]:
        """In the shape that graphrag.index(extraction => …) takes."""
        return {"entities": list(self.names), "triples": [list(triple) for triple in self.triples]}


def musique_train() -> list[Passage]:
    """1,890 passages with recorded OpenIE triples."""
    (path,) = folder("musique_train").glob("openie_musique_train_results_*.json")
    return [
        Passage(
            doc["title"],
            doc["passage"],
            tuple(doc["extracted_entities"]),
            tuple(tuple(map(str, triple)) for triple in doc["extracted_triples"]),
        )
        for doc in json.loads(path.read_text(encoding="utf-8"))["docs"]
    ]


@dataclass(frozen=True)
class Sentence:
    """A sentence, its gold triples, a model's raw answer, and the triples that the data set's authors read in it."""

    id: str
    text: str
    gold: tuple[tuple[str, ...], ...]
    answer: str
    read: tuple[tuple[str, ...], ...]


def text2kgbench() -> list[Sentence]:
    """Sentences of five ontologies with the answers of Vicuna, in lines of the form predicate(subject, object)."""
    root = folder("text2kgbench")
    sentences = []
    for path in sorted((root / "ground_truth").glob("*.jsonl")):
        gold = {row["id"]: row for row in _lines(path)}
        answers = root / "llm_responses" / path.name.replace("ground_truth", "llm_responses")
        sentences += [
            Sentence(
                row["id"],
                gold[row["id"]]["sent"],
                tuple((t["sub"], t["rel"], t["obj"]) for t in gold[row["id"]]["triples"]),
                row["response"],
                tuple(tuple(map(str, triple)) for triple in row["triples"]),
            )
            for row in _lines(answers)
            if row["id"] in gold
        ]
    return sentences


@dataclass(frozen=True)
class DatedTriple:
    """A fact with the bounds of its period, each as stated or None."""

    subject: str
    predicate: str
    object: str
    start: str | None
    end: str | None

    @property
    def record(self) -> dict[str, Any]:
        """As a record of an extraction."""
        return {
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
            "valid_from": self.start,
            "valid_to": self.end,
        }


@dataclass(frozen=True)
class NewsEntry:
    """A dated lead paragraph, its gold facts and the facts of three runs of one model."""

    date: str
    text: str
    gold: tuple[DatedTriple, ...]
    runs: tuple[tuple[DatedTriple, ...], ...]


def atom_nyt() -> list[NewsEntry]:
    """50 news entries with quintuples (subject, predicate, object, start, end)."""
    rows = json.loads((folder("atom_nyt") / "atom_dev.json").read_text(encoding="utf-8"))
    return [
        NewsEntry(
            row["date"],
            row["lead_paragraph"],
            _dated(row["quintuples_g_truth"]),
            tuple(_dated(row[f"quintuples_gpt41{run}"]) for run in ("", "_run2", "_run3")),
        )
        for row in rows
    ]


def _dated(quintuples: list[Any]) -> tuple[DatedTriple, ...]:
    return tuple(
        DatedTriple(str(s), str(p), str(o), _first(start), _first(end)) for s, p, o, start, end in quintuples
    )


def _first(bound: Any) -> str | None:
    """A bound is a list of texts, a text, or nothing."""
    if isinstance(bound, list):
        return str(bound[0]) if bound and bound[0] else None
    return str(bound) if bound else None

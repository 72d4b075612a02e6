"""What `make bench-recall` searches: public data sets as passages, what was read in them, and questions with the
passages that answer them. Of each data set its own unit is the passage; nothing is downloaded or kept here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import datasets
from bench.eval import benchmarks

RULES = "rules-spacy-not-an-llm"
#: Of timeqa's 320 pages: so many, evenly spread over the file.
PAGES = int(os.environ.get("GRAPHRAG_TIMEQA_PAGES", "40"))


@dataclass(frozen=True)
class Passage:
    """A document of one chunk. `extraction` is what someone read in it; None has the realm's endpoint read it."""

    text: str
    title: str
    extraction: list[Any] | dict[str, Any] | None
    space: str = "default"
    published_at: str | None = None


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[int]  # places of passages
    kind: str = "all"
    space: str = "default"
    as_of: str | None = None


@dataclass(frozen=True)
class Corpus:
    name: str
    what: str
    graph: str  # who read the passages
    passages: Sequence[Passage]
    questions: Sequence[Question]
    floors: dict[str, dict[str, float]] = field(default_factory=dict)  # published, or measured by others
    goal: dict[str, float] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # of the realm

    @property
    def is_dated(self) -> bool:
        return any(question.as_of for question in self.questions)

    @property
    def asks_model(self) -> bool:
        return any(passage.extraction is None for passage in self.passages)


def musique_train() -> Corpus:
    """100 questions of two to four steps over 1,890 passages, with the triples that gpt-3.5 read in them."""
    read = datasets.musique_train()
    number = {passage.text: no for no, passage in enumerate(read)}
    path = datasets.folder("musique_train") / "musique_train.json"
    questions = [
        Question(
            record["question"],
            frozenset(
                number[f"{paragraph['title']}\n{paragraph['paragraph_text']}"]
                for paragraph in record["paragraphs"]
                if paragraph["is_supporting"]
            ),
            record["id"].split("__")[0],
        )
        for record in json.loads(path.read_text(encoding="utf-8"))
    ]
    passages = [
        Passage(
            passage.text,
            passage.title,
            {
                "entities": [{"name": name} for name in passage.names],
                "triples": [
                    dict(zip(("subject", "predicate", "object"), triple, strict=True))
                    for triple in passage.triples
                    if len(triple) == 3
                ],
            },
        )
        for passage in read
    ]
    return Corpus(
        "musique_train",
        "a pool of 1,890 passages; gold: those that a question of several steps needs",
        "triples and names by gpt-3.5, recorded",
        passages,
        questions,
        {
            "LightRAG mix 10/10, its provenance completed": {
                "R@2": 43.5,
                "R@5": 61.8,
                "R@10": 73.4,
                "all@10": 49.0,
            },
            "post-graph-rag mix 10": {"R@2": 47.2, "R@5": 61.5, "R@10": 69.5, "all@10": 42.0},
        },
        {"R@2": 50.0, "R@5": 72.0, "R@10": 84.0, "all@10": 65.0},
    )


def locomo() -> Corpus:
    """A conversation is a space, a turn a passage; gold are the turns that the data set names as evidence. The graph
    is that of the names that gpt-3.5 read in each turn: there are no facts between them."""
    root = datasets.folder("locomo")
    passages: list[Passage] = []
    questions: list[Question] = []
    for row in json.loads((root / "locomo_dev.json").read_text(encoding="utf-8")):
        space = row["sample_id"]
        names = _turn_names(root / f"{space}_gpt35_entities.json")
        number: dict[str, int] = {}
        for turn, date in _turns(row["conversation"]):
            number[turn["dia_id"]] = len(passages)
            found = [{"name": name, "type": kind} for name, kind in names.get(turn["dia_id"], ())]
            title = f"{turn['dia_id']} of {date}"
            passages.append(
                Passage(
                    benchmarks.turn_text(turn),
                    title,
                    {"entities": found, "triples": []},
                    space,
                    benchmarks.moment(date),
                )
            )
        for asked in row["qa"]:
            stated = [turn for entry in asked["evidence"] for turn in re.findall(r"D\d+:\d+", entry)]
            gold = frozenset(number[turn] for turn in stated if turn in number)
            if gold:
                questions.append(
                    Question(asked["question"], gold, benchmarks.LOCOMO_KINDS[asked["category"]], space)
                )
    return Corpus(
        "locomo",
        "turns of five conversations, each a space; gold: the evidence turns",
        "names by gpt-3.5, recorded; no facts",
        passages,
        questions,
        {
            "published, dense": {"R@5": 57.0, "R@10": 67.2},
            "published, entities and dense": {"R@5": 62.8, "R@10": 72.9},
            "BM25 on all ten conversations": {"R@5": 49.0, "R@10": 56.6},
        },
    )


def _turns(talk: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The turns of a conversation in their order, each with the time of its session."""
    for no in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        for turn in talk[f"session_{no}"]:
            yield turn, talk[f"session_{no}_date_time"]


def _turn_names(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The names in each turn, with their types."""
    if not path.exists():
        return {}
    read = json.loads(path.read_text(encoding="utf-8"))
    known = {key: (entity["value"], entity["type"]) for key, entity in read["entities"].items()}
    return {
        turn: [known[key] for key in said["entities"] if key in known] for turn, said in read["turns"].items()
    }


def longmemeval() -> Corpus:
    """The evidence sessions of all questions in one space: a question has to find its own among those of the others."""
    path = datasets.folder("longmemeval") / "longmemeval_evidence_dev.json"
    passages: list[Passage] = []
    questions: list[Question] = []
    for instance in benchmarks.longmemeval(path):
        gold = frozenset(range(len(passages), len(passages) + len(instance.documents)))
        passages += [
            Passage(document.text, document.metadata["title"], None, published_at=document.published_at)
            for document in instance.documents
        ]
        questions += [Question(asked.text, gold, asked.kind) for asked in instance.questions]
    return Corpus(
        "longmemeval",
        "the evidence sessions of all questions in one pool, their evidence turns only; gold: a question's own",
        RULES,
        passages,
        questions,
        {"BM25, as the project was given it": {"R@5": 69.0}},
    )


def timeqa() -> Corpus:
    """Paragraphs of pages of Wikipedia in one space, each under its page's title; gold are those that have the answer.
    Questions that no paragraph answers are left out. `as_of` is the middle of the years that a question names."""
    path = datasets.folder("timeqa") / "human_annotated_train.json"
    pages = json.loads(path.read_text(encoding="utf-8"))
    passages: list[Passage] = []
    questions: list[Question] = []
    for page in pages if len(pages) <= PAGES else [pages[no * len(pages) // PAGES] for no in range(PAGES)]:
        first = len(passages)
        title = page["paras"][0]
        passages += [Passage(f"{title}\n{paragraph}", title, None) for paragraph in page["paras"]]
        for text, answers in page["questions"]:
            gold = frozenset(first + answer["para"] for answer in answers if answer["answer"])
            if gold:
                questions.append(Question(text, gold, page["type"], as_of=_year(text)))
    return Corpus(
        "timeqa",
        f"paragraphs of {PAGES} of 320 pages in one pool; gold: those with the answer",
        RULES,
        passages,
        questions,
        {"BM25 over all 320 pages, as the project was given it": {"R@5": 54.5}},
    )


def _year(question: str) -> str | None:
    """The middle of the years that a question names: mostly "from … to …"."""
    years = [int(year) for year in re.findall(r"\b(1[0-9]{3}|20[0-9]{2})\b", question)]
    return str((min(years) + max(years)) // 2) if years else None


CORPORA: dict[str, Callable[[], Corpus]] = {
    "musique_train": musique_train,
    "locomo": locomo,
    "longmemeval": longmemeval,
    "timeqa": timeqa,
}

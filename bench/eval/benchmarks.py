"""Readers of the published formats of four benchmarks. A path is given, nothing is downloaded, nothing is kept here.

An instance is one space: its documents, and the questions that are asked of it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.eval.scoring import elements

UNANSWERABLE = "unanswerable"


@dataclass(frozen=True)
class Document:
    key: str
    text: str
    published_at: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    id: str
    kind: str
    text: str
    golds: tuple[str, ...]  # spellings of one answer; of `elements`: what the answer lists
    scorer: str  # a name of bench.eval.harness.SCORERS
    rules: str = ""  # for the prompt only: the day of the question, how to answer
    space: str | None = None  # None: the instance's


@dataclass(frozen=True)
class Instance:
    space: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


def _read(path: Path) -> list[Any]:
    """A JSON list, or JSON lines, perhaps gzipped."""
    opener: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        text = file.read()
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    return [json.loads(line) for line in text.splitlines() if line.strip()]


# ---------------------------------------------------------------- LongMemEval
def longmemeval(path: Path) -> Iterator[Instance]:
    """One instance a question: its dated sessions. Takes the published haystacks (longmemeval_s, _m, _oracle) and files
    that have the evidence sessions only, which are an oracle variant: nothing has to be found among other talk."""
    for row in _read(path):
        if "haystack_sessions" in row:
            ids = row.get("haystack_session_ids") or [str(no) for no in range(len(row["haystack_sessions"]))]
            sessions = list(zip(ids, row["haystack_dates"], row["haystack_sessions"], strict=True))
        else:
            sessions = [(str(no), s["date"], s["turns"]) for no, s in enumerate(row["evidence_sessions"])]
        day = row["question_date"]
        declines = row["question_id"].endswith("_abs")
        yield Instance(
            f"lme-{row['question_id']}",
            tuple(
                # A session may stand twice in a haystack; the number keeps its places apart.
                Document(f"session {no} {key}", _talk(turns), _day(date), {"title": f"Session of {date}"})
                for no, (key, date, turns) in enumerate(sessions)
            ),
            (
                Question(
                    row["question_id"],
                    row["question_type"],
                    row["question"],
                    (UNANSWERABLE if declines else str(row["answer"]),),
                    "elements" if declines else "span",
                    f"The question is asked on {day}. The evidence is earlier talk with the person who asks."
                    " Later statements replace earlier ones. Answer shortly; say so if the evidence has no answer.",
                ),
            ),
        )


def _talk(turns: list[dict[str, Any]]) -> str:
    return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)


def _day(stamp: str) -> str:
    """2023/04/10 (Mon) 23:07 as a timestamp in UTC."""
    found = re.match(r"(\d{4})/(\d\d)/(\d\d)\D*(?:(\d\d):(\d\d))?", stamp)
    if not found:
        raise ValueError(f"not a date of LongMemEval: {stamp!r}")
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC).isoformat()


# ---------------------------------------------------------------- LoCoMo
LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def locomo(path: Path) -> Iterator[Instance]:
    """One instance a conversation, one document a session."""
    for row in _read(path):
        talk = row["conversation"]
        numbers = sorted(int(k.split("_")[1]) for k in talk if re.fullmatch(r"session_\d+", k) and talk[k])
        documents = tuple(
            Document(
                f"session {no}",
                "\n\n".join(turn_text(turn) for turn in talk[f"session_{no}"]),
                moment(talk[f"session_{no}_date_time"]),
                {"title": f"Session of {talk[f'session_{no}_date_time']}"},
            )
            for no in numbers
        )
        yield Instance(
            f"locomo-{row['sample_id']}",
            documents,
            tuple(
                Question(
                    f"{row['sample_id']} {no}",
                    LOCOMO_KINDS[qa["category"]],
                    qa["question"],
                    (UNANSWERABLE if qa["category"] == 5 else str(qa["answer"]),),
                    "elements" if qa["category"] == 5 else "span",
                    "Answer in a few words, with dates and no words such as yesterday. Say so if it was not told.",
                )
                for no, qa in enumerate(row["qa"])
            ),
        )


def turn_text(turn: dict[str, Any]) -> str:
    seen = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{seen}"


def moment(stamp: str) -> str:
    """1:56 pm on 8 May, 2023 as a timestamp in UTC."""
    return datetime.strptime(stamp, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()


# ---------------------------------------------------------------- ECT-QA
_QUARTER_END = {"1": "03-31", "2": "06-30", "3": "09-30", "4": "12-31"}
_RULES = (
    "Give every figure that is asked for, in the order of the question, with its unit. Give those that the evidence has"
    " even if others are missing, and name what is missing. Say unanswerable only if the evidence has none of them."
)


def ectqa(path: Path) -> Iterator[Instance]:
    """A folder with corpus/*.jsonl[.gz] and questions/local*.jsonl. One space a company; a question about several
    companies, or about none that is there, is asked of all spaces. The files of open questions (global*) have no gold
    answers and are left out."""
    companies: dict[str, list[Document]] = {}
    for file in sorted(path.glob("corpus/*.jsonl*")):
        for row in _read(file):
            quarter = str(row["quarter"]).lower().lstrip("q")
            name = f"{row['company_name']} {row['year']}-Q{quarter}"
            companies.setdefault(row["stock_code"], []).append(
                Document(
                    name,
                    row.get("cleaned_content") or row["raw_content"],
                    f"{row['year']}-{_QUARTER_END[quarter]}",
                    {"title": f"{name} earnings call", "sector": row.get("sector")},
                )
            )
    asked: dict[str, list[Question]] = {code: [] for code in companies}
    for file in sorted(path.glob("questions/local*.jsonl")):
        for no, row in enumerate(_read(file)):
            codes = {e["stock_code"] for e in row["evidence_list"]} & companies.keys()
            home = next(iter(sorted(codes)), next(iter(companies)))
            asked[home].append(_ect_question(f"{file.stem} {no}", row, None if len(codes) == 1 else "*"))
    for code, documents in companies.items():
        yield Instance(f"ect-{code}", tuple(documents), tuple(asked[code]))


def _ect_question(number: str, row: dict[str, Any], space: str | None) -> Question:
    answer = str(row["answer"])
    if row["reasoning_type"].startswith(UNANSWERABLE):
        golds: tuple[str, ...] = (UNANSWERABLE,)
        scorer = "elements"
    elif row["reasoning_type"] == "comparison":
        golds, scorer = (answer,), "superlative"
    else:
        golds, scorer = tuple(elements(answer)), "elements"
    return Question(number, row["question_type"], row["question"], golds, scorer, _RULES, space)


# ---------------------------------------------------------------- MuSiQue
def musique(path: Path) -> Iterator[Instance]:
    """One instance a question: its gold passages and distractors, as published."""
    for row in _read(path):
        yield Instance(
            f"musique-{row['id']}",
            tuple(
                Document(
                    f"{no} {p['title']}", f"{p['title']}\n{p['paragraph_text']}", None, {"title": p["title"]}
                )
                for no, p in enumerate(row["paragraphs"])
            ),
            (
                Question(
                    row["id"],
                    row["id"].split("__")[0],
                    row["question"],
                    (row["answer"], *row.get("answer_aliases", ())),
                    "span",
                    "Answer with a name, a date or a number, and nothing else.",
                ),
            ),
        )


#: Reader, the data set's folder under GRAPHRAG_DATA, and its file; what the local file is compared with the published.
BENCHMARKS: dict[str, tuple[Callable[[Path], Iterator[Instance]], str]] = {
    "longmemeval": (longmemeval, "longmemeval/longmemeval_evidence_dev.json"),
    "locomo": (locomo, "locomo/locomo_dev.json"),
    "ectqa": (ectqa, "ect-qa"),
    "musique": (musique, "musique_train/musique_train.json"),
}

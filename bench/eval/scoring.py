"""Deterministic scores of an answer against its gold answer, each 0 to 1. The rest is a judge's business."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.eval.figures import figures, matched, periods

TOLERANCE = 0.01

_REFUSALS = re.compile(
    r"\b(?:unanswerable|no (?:relevant )?(?:information|evidence|mention|record|answer)\b|not (?:enough|sufficient)"
    r"|insufficient (?:information|evidence)|(?:do(?:es)?|did|is|are|was|were)(?: not|n['’]t)"
    r" (?:contain|say|state|mention|specif\w+|provide|disclose|report|include|know|available|mentioned|stated|provided"
    r"|possible)"
    r"|(?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:be (?:determined|answered)|determine|answer|find|say)"
    r"|(?:i )?(?:do not|don['’]t) know|unknown)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’*]*\s+(?=[\"“*A-Z0-9])|\n+")
_CLAUSE = re.compile(_SENTENCE.pattern + r"|;\s|,\s(?:but|however)\b")
_CITATION = re.compile(r"\s*\[\s*\d{1,6}(?:\s*[,;]\s*\d{1,6})*\s*\]")
_CONCLUSION = re.compile(r"\b(?:answer(?: is)?:|therefore|thus|hence|in conclusion|overall,)", re.IGNORECASE)
_SUPERLATIVE = re.compile(
    r"\b(?:most|least|best|worst|first|last|peak(?:ed)?|record|maximum|minimum|top|latest|earliest"
    r"|(?!(?:interest|request|invest|forest|west|rest|test|suggest|harvest|modest|honest|guest|contest)\b)"
    r"[a-z]{3,}est)\b",
    re.IGNORECASE,
)
#: From here on a sentence says why, or what the asserted thing was compared with.
_JUSTIFICATION = re.compile(
    r"\s*(?:\(|;|—|\s-\s|,?\s*\b(?:compared (?:to|with)|versus|vs\.?|because|since it|whereas|while|followed by"
    r"|ahead of|higher than|lower than|more than|less than|than|above|below|up from|down from"
    r"|rather than|instead of|unlike)\b)",
    re.IGNORECASE,
)


# ---------------------------------------------------------------- refusals
def is_refusal(answer: str) -> bool:
    """Whether an answer begins by saying that it has none, and states no figure, period or list of its own."""
    text = _CITATION.sub("", answer).strip()
    if not text:
        return True
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    rest = " ".join(clause for clause in clauses if not _REFUSALS.search(clause))
    return bool(_REFUSALS.search(clauses[0])) and not (figures(rest) or periods(rest))


# ---------------------------------------------------------------- spans
def words(text: str) -> list[str]:
    """Folded words without articles and punctuation."""
    folded = unicodedata.normalize("NFKD", _CITATION.sub("", text)).casefold()
    plain = "".join(
        " " if c in string.punctuation + "’“”–—" else c for c in folded if not unicodedata.combining(c)
    )
    return [word for word in plain.split() if word not in ("a", "an", "the")]


def exact(answer: str, golds: Sequence[str]) -> float:
    return float(any(words(answer) == words(gold) for gold in golds))


def contains(answer: str, golds: Sequence[str]) -> float:
    """Whether the answer has a gold answer's words in their order, next to each other."""
    given = f" {' '.join(words(answer))} "
    return float(any(wanted and f" {wanted} " in given for wanted in (" ".join(words(g)) for g in golds)))


def span_f1(answer: str, golds: Sequence[str]) -> float:
    """Overlap of words with the best of the gold answers."""
    return max((_overlap(Counter(words(answer)), Counter(words(gold))) for gold in golds), default=0.0)


def _overlap(given: Counter[str], gold: Counter[str]) -> float:
    return f1((given & gold).total(), given.total(), gold.total())


def f1(right: int, given: int, gold: int) -> float:
    """Harmonic mean of precision and recall; 1 where nothing was asked for and nothing given."""
    return 2 * right / (given + gold) if given + gold else 1.0


# ---------------------------------------------------------------- figures and periods
def numeric_f1(answer: str, gold: str, tolerance: float = TOLERANCE) -> float:
    """F1 of the figures of an answer, each within a share of its gold figure."""
    given, wanted = figures(answer), figures(gold)
    return f1(matched(given, wanted, tolerance), len(given), len(wanted))


def period_match(answer: str, gold: str) -> float:
    """F1 of the periods of an answer. A more exact one that lies inside its gold period is right."""
    given, wanted = periods(answer), periods(gold)
    precise = sum(any(_lies_in(p, g) for g in wanted) for p in given)
    found = sum(any(_lies_in(p, g) for p in given) for g in wanted)
    if not given or not wanted:
        return float(not given and not wanted)
    precision, recall = precise / len(given), found / len(wanted)
    return 2 * precision * recall / (precision + recall) if found else 0.0


def _lies_in(period: str, other: str) -> bool:
    if period == other or period.startswith(other + "-"):
        return True
    year, _, quarter = other.partition("-Q")
    month = period[5:7]
    return bool(quarter) and period[:4] == year and month.isdigit() and (int(month) + 2) // 3 == int(quarter)


def asserted(answer: str) -> str:
    """Of the answer to a question for the most or the first: what is asserted, without why.

    Scoring the whole answer would punish a right one for naming what it compared with."""
    sentences = [s.strip() for s in _SENTENCE.split(_CITATION.sub("", answer)) if s.strip()]
    if not sentences:
        return ""
    bold = re.search(r"\*\*(.+?)\*\*", answer)
    if bold and (periods(bold[1]) or figures(bold[1]) or not _SUPERLATIVE.search(bold[1])):
        return bold[1].strip()
    concluding = [s for s in sentences if _CONCLUSION.search(s)]
    superlative = [s for s in sentences if _SUPERLATIVE.search(s)]
    chosen = (concluding[-1:] or superlative[:1] or sentences[:1])[0]
    kept = _JUSTIFICATION.split(chosen, maxsplit=1)[0].strip()
    # "Compared with 2020, revenue was highest in 2021": the reason stands first.
    return kept or chosen.partition(",")[2].strip() or chosen


def superlative(answer: str, golds: Sequence[str]) -> float:
    """Whether what is asserted is the gold answer: its periods, else its words."""
    claim = asserted(answer)
    if any(periods(gold) for gold in golds):
        return max(float(period_match(claim, gold) == 1) for gold in golds)
    return contains(claim, golds)


# ---------------------------------------------------------------- element by element
@dataclass(frozen=True)
class Elements:
    """Shares of the gold elements; they sum to 1."""

    correct: float
    refusal: float
    incorrect: float


def elements(gold: str) -> list[str]:
    """A gold answer cut into what it lists: at semicolons, at "and", and at commas that are not inside a number."""
    parts = re.split(r";|,(?!\d{3})\s*(?:and\s+)?|\s+and\s+", gold.strip().rstrip("."))
    return [part.strip() for part in parts if part and part.strip()]


def by_element(answer: str, golds: Sequence[str], tolerance: float = TOLERANCE) -> Elements:
    """Each element of a list: given, not given, or something else given in its place.

    What is missing counts as incorrect as far as the answer offers other figures (periods) in its place, else as
    declined; missing words are incorrect unless the answer says that it does not know. Gold "unanswerable" is one
    element that a refusal gets right."""
    if list(golds) == ["unanswerable"]:
        return Elements(1.0, 0.0, 0.0) if is_refusal(answer) else Elements(0.0, 0.0, 1.0)
    if not golds:
        return Elements(0.0, 0.0, 0.0)
    if is_refusal(answer):
        return Elements(0.0, 1.0, 0.0)
    numeric = [gold for gold in golds if figures(gold)]
    dated = [gold for gold in golds if not figures(gold) and periods(gold)]
    worded = [gold for gold in golds if not figures(gold) and not periods(gold)]
    correct = refused = wrong = 0
    if numeric:
        given = figures(answer)
        wanted = [figures(gold)[0] for gold in numeric]
        right = matched(given, wanted, tolerance)
        bad = min(len(wanted) - right, len(given) - right)
        correct, wrong, refused = right, bad, len(wanted) - right - bad
    if dated:
        claims = periods(answer)
        hit = sum(any(_lies_in(p, periods(gold)[0]) for p in claims) for gold in dated)
        extra = sum(not any(_lies_in(p, periods(gold)[0]) for gold in dated) for p in claims)
        bad = min(len(dated) - hit, extra)
        correct, wrong, refused = correct + hit, wrong + bad, refused + len(dated) - hit - bad
    hit = sum(bool(contains(answer, [gold])) for gold in worded)
    declines = bool(_REFUSALS.search(answer))
    correct += hit
    wrong += 0 if declines else len(worded) - hit
    refused += len(worded) - hit if declines else 0
    total = len(golds)
    return Elements(correct / total, refused / total, wrong / total)

"""Extractive answers, keywords and community reports. Rules over the evidence given; not a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import lexicon
from .dates import periods
from .names import Names, clip
from .prompts import Question, Relation, read_relations
from .rules import Parser

NO_ANSWER = "The evidence does not contain the answer."
_MAX_STATEMENTS = 3

_QUESTION_WORDS = frozenset(
    "who whom whose what which where when why how do does did is are was were be been being has have had the a an of "
    "in on at to for from by with and or not it its they their he she his her him them this that these those there "
    "any some many much as about into than then so if but you i we me my our your can could will would may might "
    "should shall please tell give".split()
)
_PAST = re.compile(
    r"\b(was|were|did|had|used to|previous(ly)?|former(ly)?|earlier|before|history|ever|originally|once|until)\b",
    re.I,
)
# Words that ask for, or state, the same thing; the first of a row stands for all.
_SAME_ROWS = (
    "own owner ownership belong acquire buy purchase",
    "live reside resident residence home move",
    "work employ employee employer job",
    "executive ceo boss head lead leader run",
    "marry marriage husband wife spouse",
    "ally alliance allied partner",
    "rival rivalry competitor compete",
    "found founder establish",
    "base headquarter headquarters locate",
)
_WANTED = {"where": {"Location"}, "who": {"Person", "Organization"}, "whom": {"Person", "Organization"}}
_IRREGULAR = {past: lemma for table in (lexicon.PARTICIPLE, lexicon.PAST) for lemma, past in table.items()}


@dataclass(frozen=True)
class _Statement:
    """One sentence that could answer, with its citations."""

    text: str
    cited: tuple[int, ...]
    score: float
    source: str


@dataclass(frozen=True)
class _Asked:
    """What a question asks for: stems, those of them that are in names, years, and whether about the past."""

    stems: frozenset[str]
    names: frozenset[str]
    years: frozenset[str]
    wanted: frozenset[str]
    past: bool
    when: bool


def answer(question: Question) -> str:
    """One to three sentences of the evidence, each with its ``[n]``; NO_ANSWER when nothing overlaps."""
    asked = _asked(question)
    types = dict(question.types)
    found = [_of_relation(relation, asked, types) for relation in question.relations]
    found += [
        statement
        for passage in question.passages
        for statement in _of_passage(passage.number, passage.text, asked)
    ]
    best = sorted((one for one in found if one.score > 0), key=lambda one: -one.score)
    chosen: list[_Statement] = []
    for statement in best:
        close = statement.score >= 0.75 * best[0].score
        if close and not any(_repeats(statement, other) for other in chosen):
            chosen.append(statement)
        if len(chosen) == _MAX_STATEMENTS:
            break
    return " ".join(_cite(statement) for statement in chosen) or NO_ANSWER


def keywords(text: str, parser: Parser) -> dict[str, list[str]]:
    """{"low": names and quoted words, "high": what is asked about: nouns and verbs}."""
    (doc,) = parser.parse([text])
    names = Names()
    names.add([doc])
    high = [
        token.lemma_.lower()
        for token in doc
        if token.pos_ in ("NOUN", "VERB", "ADJ")
        and names.at(token) is None
        and token.lower_ not in _QUESTION_WORDS
        and token.is_alpha
    ]
    low = [name.text for name in names] + re.findall(r'"([^"]+)"', text)
    return {"low": list(dict.fromkeys(low)), "high": list(dict.fromkeys(high))}


def report(text: str) -> dict[str, Any]:
    """A community report from the lines given: {"title", "summary", "rating", "findings"}.

    The rating (0 to 10) only says how many relations there are.
    """
    relations = read_relations(text)
    described = re.findall(r"^- (.+?)(?: \([^()]*\))?: (.+)$", text, re.M)
    counted = Counter(name for relation in relations for name in (relation.subject, relation.object))
    leading = [name for name, _ in counted.most_common(3)] or [name for name, _ in described[:3]]
    about = dict(described)
    sentences = [verbalise(relation) + "." for relation in relations]
    summary = [about[name] for name in leading if about.get(name)] or sentences[:3]
    return {
        "title": " and ".join(filter(None, [", ".join(leading[:-1]), *leading[-1:]])) or "Nothing named",
        "summary": clip(" ".join(summary), 600),
        "rating": min(10, len(relations)),
        "findings": [
            {"summary": sentence, "explanation": clip(relation.description or sentence)}
            for relation, sentence in list(zip(relations, sentences, strict=True))[:5]
        ],
    }


def verbalise(relation: Relation) -> str:
    """``(Mira Voss) --[live_in]--> (Berlin)`` as "Mira Voss lives in Berlin"; ended relations in the past tense."""
    ended = "superseded" in relation.period or "ended" in relation.period
    verb = _predicate_words(relation.predicate, relation.denied, ended)
    period = f" ({relation.period})" if relation.period else ""
    return f"{relation.subject} {verb} {relation.object}{period}"


def _predicate_words(predicate: str, denied: bool, ended: bool) -> str:
    first, *rest = predicate.lower().split("_")
    tail = "".join(f" {word}" for word in rest)
    copula, auxiliary = ("was", "did") if ended else ("is", "does")
    if first in ("is", "was"):
        return f"{copula}{' not' * denied}{tail}"
    if rest[-1:] == ["of"] or rest[:1] == ["by"] or _is_state(first, rest):
        return f"{copula}{' not' * denied} {first}{tail}"
    lemma = _base(first)
    if denied:
        return f"{auxiliary} not {lemma}{tail}"
    is_past = ended or (first != lemma and not first.endswith("s"))
    return (lexicon.past(lemma) if is_past else lexicon.third_person(lemma)) + tail


def _is_state(first: str, rest: Sequence[str]) -> bool:
    """``born_in``, ``married_to``, ``sold_to``: a participle that stands with "is", not a past tense."""
    states = (
        "born based located headquartered situated married engaged related allied sold acquired bought known"
    )
    return (first in states.split() and bool(rest)) or (first in lexicon.PARTICIPLE.values() and bool(rest))


def _base(word: str) -> str:
    """``owns``, ``owned`` -> ``own``; a plain lemma stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for candidate in (word[:-1], word[:-2], word[:-3] + "y"):
        if word in (lexicon.third_person(candidate), lexicon.past(candidate)) and len(candidate) > 1:
            return candidate
    return word


def _asked(question: Question) -> _Asked:
    text = question.question
    first = text.split(maxsplit=1)[0].lower() if text.split() else ""
    capitalised = {
        word
        for word in re.findall(r"\w[\w'’&.-]*", text)[1:]
        if word[:1].isupper() or any(map(str.isdigit, word))
    }
    dated = {bound for period in periods(text) for bound in (period.valid_from, period.valid_to) if bound}
    years = {bound[:4] for bound in dated} | ({question.as_of[:4]} if question.as_of else set())
    stems = _stems(text)
    wanted = next((kinds for word, kinds in _WANTED.items() if re.search(rf"\b{word}\b", text, re.I)), set())
    return _Asked(
        stems=frozenset(stems - years),
        names=frozenset(stem for word in capitalised for stem in _stems(word)) - years,
        years=frozenset(years),
        wanted=frozenset(wanted),
        past=bool(_PAST.search(text)) or bool(years),
        when=first == "when" or " when " in f" {text.lower()} ",
    )


def _of_relation(relation: Relation, asked: _Asked, types: dict[str, str]) -> _Statement:
    text = verbalise(relation)
    score = _overlap(
        _stems(f"{relation.subject} {relation.object} {relation.predicate.replace('_', ' ')}"), asked
    )
    if score:
        score += 0.3 * len(_stems(relation.description) & asked.stems) / (len(asked.stems) or 1)
        kinds = {
            types.get(name) for name in (relation.subject, relation.object) if not _stems(name) & asked.names
        }
        score += 1.0 * bool(kinds & asked.wanted) + 0.5 * (asked.when and bool(relation.period))
        score += _period_score(relation.period, asked) - 1.0 * relation.denied
    return _Statement(text, relation.cited, score, relation.description)


def _of_passage(number: int, text: str, asked: _Asked) -> list[_Statement]:
    """The sentences of a passage; a little below a relation that says the same."""
    sentences = [
        " ".join(part.split())
        for part in re.split(r"(?<=[.!?])[\"”’]?\s+(?=[\"“A-Z0-9])|\n\s*\n", text)
        if part
    ]
    scored = []
    for sentence in sentences:
        score = _overlap(_stems(sentence), asked)
        if score:
            years = set(re.findall(r"\b\d{4}\b", sentence))
            score += 1.0 * bool(years & asked.years) + 0.5 * (asked.when and bool(years)) - 0.2
        scored.append(_Statement(sentence.rstrip("."), (number,), score, sentence))
    return scored


def _overlap(stems: set[str], asked: _Asked) -> float:
    """Shared words, those in names twice; 0 unless the names agree and, beyond them, something asked for does."""
    names, words = asked.names & stems, (asked.stems - asked.names) & stems
    if asked.names and not names:
        return 0.0
    asks_more = bool(asked.stems - asked.names)
    if asks_more and not words:
        return 0.0
    if not asked.names and len(words) * 2 < len(asked.stems):
        return 0.0
    missing = len(asked.names - names) / (len(asked.names) or 1)
    return 2.0 * len(names) + 1.5 * len(words) - 2.0 * missing


def _period_score(period: str, asked: _Asked) -> float:
    """Fits the year asked for, or still holds when no year is asked for."""
    ended = "superseded" in period or "ended" in period
    bounds = re.search(r"valid (?:from |since )?(\S*?\d{4}\S*)?(?: ?(?:to|until) (\S*?\d{4}\S*))?", period)
    if asked.years:
        year = min(asked.years)
        first, last = (
            re.search(r"\d{4}", bound or "") for bound in (bounds.groups() if bounds else (None, None))
        )
        inside = (first is None or first[0] <= year) and (last is None or year <= last[0])
        return 1.5 if inside else -2.0
    return (0.5 if asked.past else -3.0) if ended else 0.0


def _stems(text: str) -> set[str]:
    """Content words without their endings; words that mean the same share one stem."""
    words = re.findall(r"[^\W_]+(?:[-.][^\W_]+)*", text.lower())
    stems = (_stem(word) for word in words if word not in _QUESTION_WORDS)
    return {_SAME.get(stem, stem) for stem in stems}


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word


_SAME = {_stem(word): row.split()[0] for row in _SAME_ROWS for word in row.split()}


def _repeats(statement: _Statement, other: _Statement) -> bool:
    one, two = _stems(statement.source or statement.text), _stems(other.source or other.text)
    return len(one & two) >= 0.8 * min(len(one), len(two))


def _cite(statement: _Statement) -> str:
    numbers = "".join(f" [{number}]" for number in statement.cited)
    return f"{statement.text}{numbers}."

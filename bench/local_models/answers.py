"""Extractive answers and community reports. Rules over the evidence given; not a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import lexicon
from .dates import periods
from .prompts import Passage, Question, Relation, read_relations
from .wording import clip, past, third_person

NO_ANSWER = "The evidence does not contain the answer."
_MAX_STATEMENTS = 3

_PAST = re.compile(r"\b(was|were|did|had|history|ever|once)\b", re.I)
_FORMER = re.compile(r"\b(used to|previous(ly)?|former(ly)?|earlier|before|originally)\b", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’]?\s+(?=[\"“A-Z0-9])|\n\s*\n")
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
    is_relation: bool = False


@dataclass(frozen=True)
class _Asked:
    """What a question asks for: stems (alike and as they stand), those of names, years, kinds of thing and time."""

    stems: frozenset[str]
    literal: frozenset[str]
    names: frozenset[str]
    years: frozenset[str]
    wanted: frozenset[str]
    past: bool
    former: bool
    when: bool


def answer(question: Question) -> str:
    """One to three sentences of the evidence, each with its ``[n]``; NO_ANSWER when nothing overlaps."""
    asked = _asked(question)
    types = dict(question.types)
    found = [_of_relation(relation, asked, types) for relation in question.relations]
    for passage in question.passages:
        told = [relation for relation in question.relations if passage.number in relation.cited]
        found += _of_passage(passage, asked, told)
    best = sorted((one for one in found if one.score > 0), key=lambda one: -one.score)
    chosen: list[_Statement] = []
    for statement in best:
        # A relation says whether it still holds, a sentence does not: the one is not mixed with the other.
        close = statement.score >= 0.9 * best[0].score and statement.is_relation == best[0].is_relation
        if close and not any(_repeats(statement, other) for other in chosen):
            chosen.append(statement)
        if len(chosen) == _MAX_STATEMENTS:
            break
    return " ".join(_cite(statement) for statement in chosen) or NO_ANSWER


def report(text: str) -> dict[str, Any]:
    """A community report from the lines given: {"title", "summary", "rating", "findings"}.

    A finding lists the numbers that its relation's line has in brackets.

    The rating (0 to 10) only says how many relations there are.
    """
    relations = read_relations(text)
    described = re.findall(r"^- (.+?)(?: \([^()]*\))?: (.+)$", text, re.M)
    counted = Counter(name for relation in relations for name in (relation.subject, relation.object))
    leading = [name for name, _ in counted.most_common(3)] or [name for name, _ in described[:3]]
    about = dict(described)
    sentences = [verbalise(relation) + "." for relation in relations]
    summary = [about[name].rstrip(".") + "." for name in leading if about.get(name)] or sentences[:3]
    return {
        "title": " and ".join(filter(None, [", ".join(leading[:-1]), *leading[-1:]])) or "Nothing named",
        "summary": clip(" ".join(summary), 600),
        "rating": min(10, len(relations)),
        "findings": [
            {
                "summary": sentence,
                "explanation": clip(relation.description or sentence),
                "relations": list(relation.cited),
            }
            for relation, sentence in list(zip(relations, sentences, strict=True))[:5]
        ],
    }


def verbalise(relation: Relation) -> str:
    """``(Mira Voss) --[live_in]--> (Berlin)`` as "Mira Voss lives in Berlin"; past tense if ended."""
    ended = "superseded" in relation.period or "ended" in relation.period
    verb = _predicate_words(relation.predicate, relation.denied, ended)
    subject, target = _with_article(relation.subject), _with_article(relation.object)
    return subject[:1].upper() + f"{subject[1:]} {verb} {target}{_spoken(relation.period)}"


def _with_article(name: str) -> str:
    """ "the Calder plant": a name that ends in a common noun takes "the"."""
    first, _, last = name.rpartition(" ")
    return f"the {name}" if first[:1].isupper() and last.islower() else name


def _spoken(period: str) -> str:
    """ "valid 2010 to 2020; superseded 2020 by ..." as " (2010 to 2020)"."""
    first, last = _bounds(period)
    if first and last:
        return f" ({first} to {last})"
    return f" (since {first})" if first else f" (until {last})" if last else f" ({period})" if period else ""


def _bounds(period: str) -> tuple[str, str]:
    """(first, last) of a relation's stated period; '' where it is open."""
    stated = period.partition(";")[0]
    found = re.match(
        r"valid (?:(?:from |since )?(?!to |until )(.+?))??(?:(?:^| ?)(?:to|until) (.+))?$", stated
    )
    return (found[1] or "", found[2] or "") if found else ("", "")


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
    return (past(lemma) if is_past else third_person(lemma)) + tail


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
        if word in (third_person(candidate), past(candidate)) and len(candidate) > 1:
            return candidate
    return word


def _asked(question: Question) -> _Asked:
    text = question.question
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
        literal=frozenset(_stem(word) for word in re.findall(r"[a-z]+", text.lower())),
        names=frozenset(stem for word in capitalised for stem in _stems(word)) - years,
        years=frozenset(years),
        wanted=frozenset(wanted),
        past=bool(_PAST.search(text) or _FORMER.search(text)) or bool(years),
        former=bool(_FORMER.search(text)) and not years,
        when=bool(re.search(r"\bwhen\b", text, re.I)),
    )


def _of_relation(relation: Relation, asked: _Asked, types: dict[str, str]) -> _Statement:
    text = verbalise(relation)
    score = _overlap(
        _stems(f"{relation.subject} {relation.object} {relation.predicate.replace('_', ' ')}"), asked
    )
    if score:
        # The very word that was asked for, before one that means much the same.
        score += 0.4 * (_stem(relation.predicate.partition("_")[0]) in asked.literal)
        score += 0.3 * len(_stems(relation.description) & asked.stems) / (len(asked.stems) or 1)
        kinds = {
            types.get(name) for name in (relation.subject, relation.object) if not _stems(name) & asked.names
        }
        score += 1.0 * bool(kinds & asked.wanted) + 0.5 * (asked.when and bool(relation.period))
        score += _period_score(relation.period, asked) - 1.0 * relation.denied
    return _Statement(text, relation.cited, score, relation.description, is_relation=True)


def _of_passage(passage: Passage, asked: _Asked, told: Sequence[Relation]) -> list[_Statement]:
    """The sentences of a passage, a little below a relation that says the same.

    ``told`` are the relations that cite the passage: what they say of their period holds for its sentences.
    """
    cited = (passage.number,) if passage.number else ()
    scored = []
    for part in _SENTENCE_END.split(passage.text):
        sentence = " ".join(part.split())
        stems = _stems(sentence)
        score = _overlap(stems, asked)
        if score:
            years = set(re.findall(r"\b\d{4}\b", sentence))
            score += 1.0 * bool(years & asked.years) + 0.5 * (asked.when and bool(years)) - 0.2
            same = [relation for relation in told if _stems(f"{relation.subject} {relation.object}") <= stems]
            score += max((_period_score(relation.period, asked) for relation in same), default=0.0)
        scored.append(_Statement(sentence.rstrip("."), cited, score, sentence))
    return scored


def _overlap(stems: set[str], asked: _Asked) -> float:
    """Shared words, those in names weigh more; 0 unless a name agrees and something else asked for does."""
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
    if asked.years:
        year = min(asked.years)
        first, last = (re.search(r"\d{4}", bound) for bound in _bounds(period))
        inside = (first is None or first[0] <= year) and (last is None or year <= last[0])
        return 1.5 if inside else -2.0
    if ended:
        return 0.5 if asked.past else -3.0
    return -3.0 if asked.former else 0.0


def _stems(text: str) -> set[str]:
    """Content words without their endings; words that mean the same share one stem."""
    words = re.findall(r"[^\W_]+(?:[-.][^\W_]+)*", text.lower())
    stems = (_stem(word) for word in words if word not in lexicon.QUESTION_WORDS)
    return {_SAME.get(stem, stem) for stem in stems}


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    word = word.rstrip("e") or word
    return word[:-1] + "i" if word.endswith("y") else word


_SAME = {_stem(word): row.split()[0] for row in _SAME_ROWS for word in row.split()}


def _repeats(statement: _Statement, other: _Statement) -> bool:
    one, two = _stems(statement.source or statement.text), _stems(other.source or other.text)
    return len(one & two) >= 0.8 * min(len(one), len(two))


def _cite(statement: _Statement) -> str:
    numbers = "".join(f" [{number}]" for number in statement.cited)
    return f"{statement.text}{numbers}."

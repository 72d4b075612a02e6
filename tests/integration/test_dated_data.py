"""Dated facts of public data sets: read as of any date, each answer changes exactly where the fact begins and ends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from tests.support.calls import row, rows
from tests.support.data import data
from tests.support.database import Connection, sql, value
from tests.support.model import fold

REALM = "dated"
SLICE = 40


@pytest.fixture
def dated(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
    return conn


# ---------------------------------------------------------------- facts with a period
@dataclass(frozen=True)
class Fact:
    subject: str
    predicate: str
    object: str
    start: str  # as stated: a year or a day
    end: str | None
    is_apart: bool = False  # the end is stated by another document than the beginning

    @property
    def bounds(self) -> tuple[datetime, datetime | None]:
        """The first instant inside, and the first after it."""
        return _first(self.start), None if self.end is None else _after(self.end)


def _first(stated: str) -> datetime:
    year, month, day = [*map(int, stated.split("-")), 1, 1][:3]
    return datetime(year, month, day, tzinfo=UTC)


def _after(stated: str) -> datetime:
    if "-" in stated:
        return _first(stated) + timedelta(days=1)
    return datetime(int(stated) + 1, 1, 1, tzinfo=UTC)


def _name(identifier: str) -> str:
    return identifier.strip("<>").replace("_", " ")


def yago11k() -> Iterator[Fact]:
    names = dict(line.split("\t") for line in data("yago11k", "entities.dict").read_text().splitlines())
    predicates = dict(line.split("\t") for line in data("yago11k", "relations.dict").read_text().splitlines())
    for line in data("yago11k", "train.txt").read_text().splitlines():
        s, p, o, start, end = line.split("\t")
        if start.isdigit() and int(start) >= 1000 and (end == "None" or end >= start):
            given = None if end == "None" else end
            yield Fact(_name(_of(names, s)), _snake(_of(predicates, p)), _name(_of(names, o)), start, given)


def _of(names: dict[str, str], id_: str) -> str:
    return names.get(id_) or next(name for name, known in names.items() if known == id_)


def yago15k() -> Iterator[Fact]:
    """Each line states one bound; most facts have a line for either."""
    stated: dict[tuple[str, str, str], dict[str, set[str]]] = {}
    for line in data("temporal_kg_mmkb", "yago15k_valid.txt").read_text().splitlines():
        match line.split("\t"):
            case [s, p, o, "<occursSince>" | "<occursUntil>" as bound, when] if re.fullmatch(
                r'"\d{4}-##-##"', when
            ):
                stated.setdefault((s, p, o), {}).setdefault(bound, set()).add(when[1:5])
    for (s, p, o), bounds in stated.items():
        start, end = (bounds.get(bound, set()) for bound in ("<occursSince>", "<occursUntil>"))
        if len(start) == 1 and len(end) <= 1 and (not end or min(start) <= min(end)):
            yield Fact(_name(s), _snake(p), _name(o), min(start), min(end, default=None), is_apart=True)


def icews() -> Iterator[Fact]:
    for line in data("temporal_kg_mmkb", "icews_2014_valid.txt").read_text().splitlines():
        s, p, o, day = line.split("\t")
        yield Fact(s, _snake(p), o, day, day)


def _snake(predicate: str) -> str:
    words = re.sub(r"([a-z])([A-Z])", r"\1 \2", predicate.strip("<>"))
    return "_".join(re.findall(r"[a-z]+", words.lower()))


@pytest.mark.parametrize("facts", [yago11k, yago15k, icews])
def test_a_fact_is_there_in_its_period_and_not_outside(dated: Connection, facts: Any) -> None:
    told = unambiguous(facts())
    kept = [fact for fact in told if tell(dated, fact)]
    assert len(kept) >= len(told) * 3 // 4, "the gates let most of these names in"
    for fact in kept:
        start, end = fact.bounds
        assert not found(dated, fact, start - timedelta(seconds=1))
        assert found(dated, fact, start)
        if end is not None:
            assert found(dated, fact, end - timedelta(seconds=1))
            assert not found(dated, fact, end)
        else:
            assert found(dated, fact, datetime(2150, 1, 1, tzinfo=UTC))


def unambiguous(facts: Iterator[Fact]) -> list[Fact]:
    """A slice in which no triple is stated twice."""
    chosen: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        if fact.subject != fact.object:
            chosen.setdefault((fold(fact.subject), fact.predicate, fold(fact.object)), fact)
        if len(chosen) == SLICE:
            break
    assert len(chosen) == SLICE
    return list(chosen.values())


def tell(conn: Connection, fact: Fact) -> bool:
    """Index the fact, a document for each statement of its time; whether the gates let it in."""
    text = f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}."
    triple = {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
    periods = [{"valid_from": fact.start, "valid_to": fact.end}]
    if fact.is_apart:
        periods = [{"valid_from": fact.start}, {"valid_to": fact.end}][: 1 if fact.end is None else 2]
    said = [
        row(conn, "index", f"{text} {no}", published_at=_first(next(iter(period.values())) or fact.start),
            extraction={"triples": [{**triple, **period}]}, realm=REALM)
        for no, period in enumerate(periods)
    ]  # fmt: skip
    return int(said[0]["relations_added"]) == 1


def found(conn: Connection, fact: Fact, moment: datetime) -> bool:
    evidence = rows(
        conn,
        "retrieve",
        f"What about {fact.subject} and {fact.object}?",
        as_of=f"{moment:%Y-%m-%dT%H:%M:%SZ}".rjust(20, "0"),
        realm=REALM,
    )
    ends = {fold(fact.subject), fold(fact.object)}
    return any(
        piece["kind"] == "relation" and {fold(piece["subject"]), fold(piece["object"])} == ends
        and fact.predicate.endswith(piece["predicate"])  # is_married_to is normalised to married_to
        for piece in evidence
    )  # fmt: skip


# ---------------------------------------------------------------- statements that were updated
def updates() -> Iterator[tuple[str, list[tuple[datetime, str]]]]:
    """Of each knowledge-update item the dated statements of its evidence, in order."""
    for item in json.loads(data("longmemeval", "longmemeval_evidence_dev.json").read_text()):
        if item["question_type"] == "knowledge-update":
            said = {
                datetime.strptime(session["date"], "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC): " ".join(
                    turn["content"] for turn in session["turns"] if turn["role"] == "user"
                )[:800]
                for session in item["evidence_sessions"]
            }
            if len(said) > 1:
                yield item["question_id"], sorted(said.items())


def test_the_later_statement_is_current_and_the_earlier_as_of_its_date(dated: Connection) -> None:
    rows(dated, "declare_predicate", "says_of", is_functional=True, is_value=True, realm=REALM)
    items = list(updates())
    assert len(items) > 20
    for id_, statements in items:
        who = f"Speaker {id_}"
        for at, text in reversed(statements):  # the order of arrival is no matter
            triple = {"subject": who, "predicate": "says_of", "object": text, "object_is_value": True}
            said = row(
                dated, "index", f"{who}: {text}", document=f"{id_} {at}", published_at=at,
                extraction={"entities": [{"name": who}], "triples": [triple]}, realm=REALM,
            )  # fmt: skip
            assert said["relations_added"] == 1, said
        told = rows(dated, "timeline", who, realm=REALM)
        assert [fact["status"] for fact in told] == ["superseded"] * (len(statements) - 1) + ["current"]
        for (at, _), fact in zip(statements, told, strict=True):
            (then,) = [
                piece
                for piece in rows(
                    dated, "retrieve", f"What does {who} say?", as_of=f"{at + timedelta(minutes=1):%Y-%m-%dT%H:%MZ}",
                    relation_types=["says_of"], realm=REALM,
                )
                if piece["kind"] == "relation" and piece["subject"] == who
            ]  # fmt: skip
            assert then["object"] == fact["object"]


# ---------------------------------------------------------------- what people and a model read in the news
def entries() -> list[dict[str, Any]]:
    return list(json.loads(data("atom_nyt", "atom_dev.json").read_text()))


def test_gold_dates_parse_and_render(conn: Connection) -> None:
    stated = sorted(
        {
            bound
            for entry in entries()
            for *_, starts, ends in entry["quintuples_g_truth"]
            for bound in [*starts, *ends]
        }
    )
    read = {
        r["stated"]: (r["day"], r["shown"])
        for r in sql(
            conn,
            "select s as stated, (lower(p) at time zone 'UTC')::date as day,"
            " graphrag._render_period(tstzmultirange(p)) as shown"
            " from unnest(%s::text[]) as s cross join lateral (select graphrag.parse_period(s) as p) as p",
            [stated],
        )
    }
    expected = {text: day for text in stated if (day := _day(text)) is not None}
    right = [text for text, day in expected.items() if read[text][0] == day]
    parsed = [text for text, (day, _) in read.items() if day is not None]
    precision, recall = len(right) / len(parsed), len(right) / len(expected)
    assert 2 * precision * recall / (precision + recall) >= 0.95, (precision, recall)
    assert all(read[text][1] for text in right)
    whole_days = [text for text in right if re.fullmatch(r"\d{4}-\d\d-\d\d", text)]
    assert all(read[text][1] == text for text in whole_days)


def _day(stated: str) -> date | None:
    """The first day of an ISO date, month or year, or of a day before its month, if there is such a month."""
    if parts := re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:[T ][\d:]+)?", stated):
        return date(int(parts[1]), int(parts[2] or 1), int(parts[3] or 1))
    if parts := re.fullmatch(r"(\d\d)-(\d\d)-(\d{4})", stated):
        day, month = int(parts[1]), int(parts[2])
        return date(int(parts[3]), *((month, day) if month <= 12 else (day, month)))
    return None


def test_a_second_reading_adds_only_what_the_first_lacked(dated: Connection) -> None:
    lacked = 0
    known: set[tuple[str, ...]] = set()
    for run in ("quintuples_gpt41", "quintuples_gpt41_run2"):
        before = facts_in(dated)
        for no, entry in enumerate(entries()):
            triples = [
                {"subject": s, "predicate": p, "object": o, "valid_from": next(iter(starts), None),
                 "valid_to": next(iter(ends), None)}
                for s, p, o, starts, ends in entry[run]
            ]  # fmt: skip
            names = ", ".join(dict.fromkeys(name for t in triples for name in (t["subject"], t["object"])))
            row(
                dated, "index", f"{entry['lead_paragraph']} {names}", document=f"{run} {no}",
                published_at=f"{entry['date']}T00:00Z", extraction={"triples": triples}, realm=REALM,
            )  # fmt: skip
            said = {(fold(t["subject"]), t["predicate"].lower(), fold(t["object"])) for t in triples}
            if run.endswith("run2"):
                lacked += len(said - known)
            known |= said
    added = facts_in(dated) - before
    assert before > 100
    assert added <= lacked, "what both readings state is one fact"


def facts_in(conn: Connection) -> int:
    return int(value(conn, "select count(*) from dated.facts"))

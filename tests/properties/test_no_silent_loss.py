"""Nothing is lost in silence (property P9): what a gate refuses is counted by reason, what failed is listed with why.

Models answer with good records among bad ones of every kind, and some chunks get no usable answer at all. Of what was
answered, each record is evidence or is counted: the two make up the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import row, rows, set_models
from tests.support.corpus import CHUNK_SIZE, FILLER, REALM
from tests.support.database import Connection, one
from tests.support.endpoint import Endpoint, says

Spaces = Callable[[], str]

#: They stand in every text.
GOOD = ("Ada Lovelace", "Charles Babbage", "東京電力", "DataHub", "Zoë Müller", 'O\'Neil "Rex" & Co')
#: Records that are no entity, by the reason for it. No two have the same name.
NO_ENTITIES: tuple[tuple[Any, str], ...] = (
    ({"name": "She"}, "pronominal_name"),
    ({"name": "the company"}, "relative_name"),
    ({"name": "Ada Lovelace and Charles Babbage"}, "conjunctive_name"),
    ({"name": "40 employees"}, "bare_quantity"),
    ({"name": "2021"}, "bare_date"),
    ({"name": "Nobody Anywhere"}, "ungrounded_name"),
    ({"name": "x" * 201}, "over_long"),
    ({"name": "…"}, "malformed"),
    ({"name": None}, "malformed"),
    ({"type": "Person"}, "malformed"),
    ({}, "malformed"),
    (17, "malformed"),
    (None, "malformed"),
)
ENDS = (*GOOD, "She", "the company", "Nobody Anywhere", "Ada's brother", "", None)
PREDICATES = ("founded", "works for", "lives_in", "related to", "", "12", "p" * 101, None)
#: Counts that cost no record.
HARMLESS = {"rejected_alias", "unparseable_period", "inverted_period"}


@dataclass(frozen=True)
class Answer:
    """What a model says of one chunk; failing: nothing that can be read."""

    entities: list[Any]
    triples: list[Any]
    reasons: set[str]  # that at least one entity is refused for
    is_failing: bool

    @property
    def records(self) -> int:
        return 0 if self.is_failing else len(self.entities) + len(self.triples)


@st.composite
def triples(draw: st.DrawFn) -> Any:
    subject, object_ = draw(st.sampled_from(ENDS)), draw(st.sampled_from((*ENDS, "$ 4 million", "2021")))
    predicate = draw(st.sampled_from(PREDICATES))
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from((None, 3, [], ["Ada Lovelace", "knows"], "a sentence")))
    triple = {
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "confidence": draw(st.sampled_from((1, 0.9, 0.1, "high", None))),
        "valid_from": draw(st.sampled_from((None, "2001", "once upon a time"))),
        "valid_to": draw(st.sampled_from((None, "1999", "2005"))),
        "negated": draw(st.sampled_from((False, True, None))),
    }
    return {name: value for name, value in triple.items() if value is not None or draw(st.booleans())}


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    good = [
        {
            "name": name,
            "type": "Thing",
            "aliases": draw(st.sampled_from(([], ["it"], ["Nowhere To Be Seen"]))),
        }
        for name in draw(st.lists(st.sampled_from(GOOD), unique=True, max_size=4))
    ]
    bad = draw(st.lists(st.sampled_from(range(len(NO_ENTITIES))), unique=True, max_size=5))
    return Answer(
        entities=draw(st.permutations([*good, *(NO_ENTITIES[number][0] for number in bad)])),
        triples=draw(st.lists(triples(), max_size=5)),
        reasons={NO_ENTITIES[number][1] for number in bad},
        is_failing=draw(st.integers(0, 3)) == 0,
    )


def paragraph(name: str, no: int) -> str:
    """One chunk: it says all good names, and what a refused one would be read in."""
    said = (
        f"Part {no} of {name}. {', '.join(GOOD)} and 40 employees of the company saw that she left in 2021."
    )
    return (said + " " + FILLER * 20)[: CHUNK_SIZE * 2 // 3].strip()


@pytest.fixture
def reader(world: Connection, endpoint: Endpoint) -> Connection:
    set_models(world, endpoint, realm=REALM)
    for name, setting in (("gleaning_passes", 0), ("confidence_floor", 0.3)):
        rows(world, "configure", name, Jsonb(setting), realm=REALM)
    return world


@given(said=st.lists(answers(), min_size=1, max_size=4))
def test_what_is_answered_is_evidence_or_is_counted(
    reader: Connection, new_space: Spaces, endpoint: Endpoint, said: list[Answer]
) -> None:
    space = new_space()
    failing = {no for no, answer in enumerate(said, 1) if answer.is_failing}
    text = "\n\n".join(paragraph(space, no) for no in range(1, len(said) + 1))
    ask(endpoint, space, said)

    def index() -> dict[str, Any]:
        return row(reader, "index", text, document="a", space=space, realm=REALM)

    if len(failing) == len(said):
        with pytest.raises(psycopg.Error) as caught:
            index()
        assert caught.value.sqlstate == "GR107"
        assert caught.value.diag.message_detail
        return
    result = index()
    assert (result["chunks"], result["failed"]) == (len(said), len(failing))
    assert {failure["chunk"] for failure in result["failures"] or []} == failing
    assert all(failure["reason"] for failure in result["failures"] or [])
    rejected = result["rejected"]
    kept = evidence(reader, space)
    lost = sum(count for reason, count in rejected.items() if reason not in HARMLESS)
    assert kept + lost == sum(answer.records for answer in said), rejected
    assert {reason for answer in said if not answer.is_failing for reason in answer.reasons} <= set(rejected)


def ask(endpoint: Endpoint, space: str, said: list[Answer]) -> None:
    """Have the endpoint answer so; a chunk that fails gets no JSON, in whatever format it is asked for."""
    endpoint.heal()

    def answer(text: str) -> Any:
        (found,) = [a for no, a in enumerate(said, 1) if f"Part {no} of {space}." in text]
        return {"entities": found.entities, "triples": found.triples}

    endpoint.on_extraction = answer
    for no, one_of in enumerate(said, 1):
        if one_of.is_failing:
            endpoint.inject(faults.content("I cannot help with that."), where=says(f"Part {no} of {space}."))


def evidence(conn: Connection, space: str) -> int:
    """Entities that were stated, and assertions; ends of assertions alone have no type."""
    found = one(
        conn,
        f"""
        select
            (select count(*) from {REALM}.mention as m where m.space = s.id and m.type is not null) as mentions,
            (select count(*) from {REALM}.assertion as a where a.space = s.id) as assertions
        from {REALM}.space as s
        where s.name = %s
        """,
        [space],
    )
    return int(found["mentions"]) + int(found["assertions"])


@given(said=answers())
def test_who_brings_records_hears_the_same(reader: Connection, new_space: Spaces, said: Answer) -> None:
    space = new_space()
    extraction = {"entities": said.entities, "triples": said.triples}
    result = row(
        reader, "index", paragraph(space, 1), document="a", extraction=extraction, space=space, realm=REALM
    )
    lost = sum(count for reason, count in result["rejected"].items() if reason not in HARMLESS)
    assert evidence(reader, space) + lost == len(said.entities) + len(said.triples), result["rejected"]
    assert said.reasons <= set(result["rejected"])

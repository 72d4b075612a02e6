"""A fact whose period is over ranks after those in force, and the prompt says that it has ended."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import psycopg
import pytest

from tests.support.calls import row, rows
from tests.support.database import Connection, Row, sql


def lived(where: str, start: str | None, end: str | None) -> dict[str, str | None]:
    return {"subject": "Ann", "predicate": "lived_in", "object": where, "valid_from": start, "valid_to": end}


def tell(conn: Connection, *facts: dict[str, str | None]) -> None:
    for no, fact in enumerate(facts):
        row(conn, "index", f"Ann lived in {fact['object']}.", document=str(no), ordinal=no,
            extraction={"triples": [fact]})  # fmt: skip


def relations(conn: Connection, **how: object) -> list[Row]:
    found = rows(conn, "retrieve", "Where did Ann live, in Oslo?", **how)
    return [piece for piece in found if piece["kind"] == "relation"]


def test_what_is_over_comes_after_what_holds(conn: Connection, realm: str) -> None:
    assert realm == "default"
    tell(conn, lived("Oslo", "1990", "1995"), lived("Rome", None, None), lived("Kyoto", "2001", None),
         lived("Lima", "1999", "2999"))  # fmt: skip
    found = relations(conn)
    assert found[-1]["object"] == "Oslo", "although the question names it"
    assert [piece["metadata"].get("ended") for piece in found] == [None, None, None, True]
    prompt = row(conn, "context", "Where did Ann live, in Oslo?")["prompt"]
    assert "(Oslo) [valid 1990 to 1995; ended]" in prompt
    assert prompt.count("; ended]") == 1


def test_it_is_not_cut_off_for_that(conn: Connection, realm: str) -> None:
    """A figure of a past quarter is what a question about that quarter wants, however much is in force."""
    assert realm == "default"
    figure = {"subject": "Acme", "predicate": "revenue", "object": "$5 million", "object_is_value": True}
    tell(conn, *(lived(f"Town {no}", None, None) for no in range(12)))
    row(conn, "index", "Acme revenue in Q1 2020: $5 million.", document="report", ordinal=20,
        extraction={"triples": [{**figure, "valid_from": "Q1 2020", "valid_to": "Q1 2020"}]})  # fmt: skip
    question = "What was the revenue of Acme in Q1 2020, $5 million?"
    found = [piece for piece in rows(conn, "retrieve", question, top_k=2) if piece["kind"] == "relation"]
    assert len(found) == 6
    assert (found[-1]["subject"], found[-1]["metadata"].get("ended")) == ("Acme", True)


def test_with_as_of_nothing_has_ended(conn: Connection, realm: str) -> None:
    assert realm == "default"
    tell(conn, lived("Oslo", "1990", "1995"), lived("Rome", None, None))
    assert not any("ended" in piece["metadata"] for piece in relations(conn, as_of="1992"))


def test_a_past_read_goes_by_the_time_of_then(conn: Connection, realm: str) -> None:
    """Revision 2 as it was written in 1994: Oslo had not ended."""
    assert realm == "default"
    tell(conn, lived("Oslo", "1990", "1995"), lived("Rome", None, None))
    with conn.transaction():
        sql(conn, "set local session_replication_role = replica")  # past the trigger that keeps revisions
        sql(conn, "update \"default\".revision set at = timestamptz '1993-01-01Z' + n * interval '1 month'")
    assert not any("ended" in piece["metadata"] for piece in relations(conn, as_believed_at="2"))
    assert [piece["metadata"].get("ended") for piece in relations(conn)] == [None, True]


def test_what_was_superseded_is_said_to_be_that(conn: Connection, realm: str) -> None:
    assert realm == "default"
    rows(conn, "declare_predicate", "lived_in", is_functional=True)
    tell(conn, lived("Oslo", "1990", None), lived("Rome", "1995", None))
    prompt = row(conn, "context", "Where did Ann live, in Oslo?", include_superseded=True)["prompt"]
    assert "superseded by Ann lived_in Rome" in prompt
    assert "ended" not in prompt


@pytest.mark.parametrize("mode", ["naive", "mix"])
def test_a_passage_is_dropped_if_all_that_is_dated_in_it_lies_outside(
    conn: Connection, realm: str, mode: str
) -> None:
    assert realm == "default"
    oslo, rome, lima = lived("Oslo", "1990", "1995"), lived("Rome", "1993", "1999"), lived("Lima", None, None)
    for no, said in enumerate([[oslo], [oslo, rome], [oslo, lima], [lima], []]):
        towns = " and ".join(fact["object"] or "" for fact in said) or "some town"
        row(conn, "index", f"Ann lived in {towns}.", document=str(no), ordinal=no, extraction={"triples": said})

    def passages(as_of: str | None) -> set[str]:
        found = rows(conn, "retrieve", "Where did Ann live?", mode=mode, as_of=as_of)
        return {piece["document"] for piece in found if piece["kind"] == "chunk"}

    assert passages(None) == passages("1993") == set("01234")
    assert passages("1998") == set("134"), "of passage 1 Rome is dated inside"
    assert passages("2005") == set("34"), "what is dated nowhere stays"


def test_an_instant_reads_what_was_believed_when_it_ended(conn: Connection, realm: str) -> None:
    """A minute is over when its last second is, an instant when its last digit is: what was stamped in it, is in it."""
    assert realm == "default"
    tell(conn, lived("Oslo", None, None), lived("Rome", None, None))
    first, second = (r["at"].astimezone(UTC) for r in sql(conn, "select at from \"default\".revision order by n"))

    def towns(when: str) -> list[str]:
        return sorted(fact["object"] for fact in rows(conn, "timeline", "Ann", as_believed_at=when))

    east = timezone(timedelta(hours=5, minutes=45))
    for zone in (UTC, east):
        assert towns(first.astimezone(zone).isoformat(timespec="microseconds")) == ["Oslo"]
        assert towns(second.astimezone(zone).isoformat(timespec="microseconds")) == ["Oslo", "Rome"]
    assert towns(f"{second:%Y-%m-%dT%H:%MZ}") == towns(f"{second:%Y-%m-%d}") == ["Oslo", "Rome"]
    with pytest.raises(psycopg.Error, match="Ann"):
        towns((first - timedelta(microseconds=1)).isoformat(timespec="microseconds"))

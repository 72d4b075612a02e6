"""A space whose documents are ordered by unlike numbers says so, once a change, and doctor() goes on saying it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.support.calls import row, rows
from tests.support.database import Connection, view


def warnings_of(conn: Connection, document: str, **order: Any) -> list[str]:
    said: list[str] = []

    def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
        if diagnostic.severity in ("NOTICE", "WARNING"):
            said.append(diagnostic.message_primary or "")

    conn.add_notice_handler(hear)
    try:
        row(
            conn,
            "index",
            f"Note {document}.",
            document=document,
            extraction={"entities": [], "triples": []},
            **order,
        )
    finally:
        conn.remove_notice_handler(hear)
    return said


def test_a_correction_of_what_is_not_there_is_told(conn: Connection, realm: str) -> None:
    """It may still come, so that nothing is refused."""
    assert realm == "default"
    assert warnings_of(conn, "report 2018", ordinal=1) == []
    (said,) = warnings_of(conn, "errata", ordinal=2, metadata={"corrects": ["report 2018", "report 2081"]})
    assert said == 'document "errata" corrects "report 2081", which is not indexed'
    assert warnings_of(conn, "errata", ordinal=2, metadata={"corrects": "report 2018"}) == []


def finding(conn: Connection) -> tuple[str, str]:
    (found,) = [f for f in rows(conn, "doctor") if f["check"] == "document order"]
    return found["status"], found["detail"]


def test_a_mixed_space_warns_once_a_change(conn: Connection, realm: str) -> None:
    assert realm == "default"
    assert warnings_of(conn, "a", ordinal=1) == []
    assert warnings_of(conn, "b", ordinal=2) == []
    assert finding(conn)[0] == "ok"
    (said,) = warnings_of(conn, "c", published_at="2020-01-01")
    assert said == 'space "default" mixes documents ordered by ordinal, published_at'
    assert warnings_of(conn, "d", published_at="2021-01-01") == []
    assert warnings_of(conn, "d", published_at="2021-01-01") == []
    assert finding(conn) == (
        "warning",
        'Spaces that mix kinds of document order: "default" (ordinal, published_at).',
    )
    (said,) = warnings_of(conn, "e")
    assert said.endswith("ordinal, published_at, indexing")
    for document in ("c", "d", "e"):
        rows(conn, "delete_document", document)
    assert finding(conn)[0] == "ok"
    assert len(warnings_of(conn, "c", published_at="2020-01-01")) == 1


def test_the_kinds_of_one_space_are_no_matter_of_another(conn: Connection, realm: str) -> None:
    assert realm == "default"
    assert warnings_of(conn, "a", ordinal=1) == []
    assert warnings_of(conn, "a", published_at="2020-01-01", space="other") == []
    assert finding(conn)[0] == "ok"


def test_a_document_that_takes_another_kind_alone_does_not_mix(conn: Connection, realm: str) -> None:
    assert realm == "default"
    assert warnings_of(conn, "a", ordinal=1) == []
    assert warnings_of(conn, "a", published_at="2020-01-01") == []


def test_what_is_corrected_away_frees_all_its_slots(conn: Connection, realm: str) -> None:
    """Ada's marriage to Augusta, corrected where Augusta stands, no longer contests Ada's to Charles either."""
    rows(conn, "declare_predicate", "married_to", is_functional=True, is_symmetric=True)

    def say(document: str, ordinal: int, *couples: tuple[str, str], **metadata: Any) -> None:
        names = ["Ada Lovelace", "Augusta King", "Charles Babbage", "Dorothea"]
        row(
            conn,
            "index",
            f"{document}: {', '.join(names)}.",
            document=document,
            ordinal=ordinal,
            metadata=metadata,
            extraction={
                "entities": [{"name": name} for name in names],
                "triples": [{"subject": s, "predicate": "married to", "object": o} for s, o in couples],
            },
        )

    def current() -> set[frozenset[str]]:
        return {
            frozenset((fact["subject"], fact["object"]))
            for fact in view(conn, realm, "facts")
            if fact["status"] == "current"
        }

    ada_and_charles = frozenset(("Ada Lovelace", "Charles Babbage"))
    dorothea_and_augusta = frozenset(("Dorothea", "Augusta King"))
    ada_and_augusta = frozenset(("Ada Lovelace", "Augusta King"))
    say("doc", 1, ("Ada Lovelace", "Charles Babbage"), ("Ada Lovelace", "Augusta King"))
    assert current() == {ada_and_augusta}
    say("correction", 2, ("Dorothea", "Augusta King"), corrects="doc")
    assert current() == {ada_and_charles, dorothea_and_augusta}
    rows(conn, "delete_document", "correction")
    assert current() == {ada_and_augusta}


@pytest.mark.parametrize("predicate", ["works_at", "met"], ids=["functional", "in no slot"])
def test_a_correction_of_a_date_replaces_it(conn: Connection, realm: str, predicate: str) -> None:
    """Since 2016, not 2015; what third documents and periods that it repeats say, stays."""
    rows(conn, "declare_predicate", "works_at", is_functional=True)

    def say(document: str, ordinal: int, *periods: tuple[str | None, str | None], **metadata: Any) -> None:
        triple = {"subject": "Ada", "predicate": predicate, "object": "Acme"}
        row(
            conn,
            "index",
            f"{document}: Ada, Acme.",
            document=document,
            ordinal=ordinal,
            metadata=metadata,
            extraction={"triples": [{**triple, "valid_from": a, "valid_to": z} for a, z in periods]},
        )

    def state() -> tuple[str, str, int]:
        assert realm == "default"
        (fact,) = rows(conn, "timeline", "Ada")
        return fact["period"], fact["status"], fact["weight"]

    say("news", 1, ("1990", "1991"), ("2015", None))
    say("errata", 2, ("2016", None), ("1990", "1991"), corrects="news")
    assert state() == ("1990 to 1991; since 2016", "current", 2)
    say("register", 0, ("2013", "2013"))
    assert state() == ("1990 to 1991; 2013; since 2016", "current", 3)
    say("second errata", 3, ("2017", None), corrects="errata")
    assert state() == ("1990 to 1991; 2013; since 2015", "current", 4), "what is corrected corrects nothing"
    say("second errata", 3, ("2017", None), corrects=["news", "errata"])
    assert state() == ("2013; since 2017", "current", 4)
    rows(conn, "delete_document", "second errata")
    rows(conn, "delete_document", "errata")
    assert state() == ("1990 to 1991; 2013; since 2015", "current", 2)
    assert rows(conn, "derive")[0]["derive"] == 0

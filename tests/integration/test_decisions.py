"""What people decide, and its end: in two sessions, in the past, under another vocabulary, with values and periods."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import eventually, mistake, row, rows, waiting
from tests.support.corpus import differences
from tests.support.database import Connection, Database, value, view
from tests.support.reading import REALM

MET = ("Ada", "met", "Bob")


@pytest.fixture
def kb(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
    conn.execute(f"set graphrag.realm = {REALM}")
    tell(conn, "a", MET)
    return conn


def tell(conn: Connection, name: str, *triples: tuple[str, ...]) -> None:
    """A document whose sentences are the triples; a fourth and fifth part are a stated period."""
    keys = ("subject", "predicate", "object", "valid_from", "valid_to")
    records = [dict(zip(keys, triple, strict=False)) for triple in triples]
    text = " ".join(f"{' '.join(triple[:3])}." for triple in triples)
    rows(conn, "index", text, document=name, extraction={"triples": records}, realm=REALM)


def retract(conn: Connection, *fact: str, **named: str) -> int:
    return int(row(conn, "retract_relation", *fact, realm=REALM, **named)["retract_relation"])


def facts(conn: Connection, at: int | None = None) -> set[tuple[str, str, str]]:
    if at is None:
        found = view(conn, REALM, "facts")
    else:
        found = rows(conn, "timeline", "Ada", as_believed_at=str(at), realm=REALM)
    return {(f["subject"], f["predicate"], f["object"]) for f in found if f["status"] != "withdrawn"}


def test_a_retraction_and_its_end_are_beliefs(kb: Connection) -> None:
    decision = retract(kb, *MET)
    tell(kb, "b", MET)
    rows(kb, "undo", decision)
    assert [facts(kb, at) for at in (1, 2, 3, 4)] == [{MET}, set(), set(), {MET}]
    assert [view(kb, REALM, "facts")[0]["weight"]] == [2]
    assert differences(kb, REALM, "default") == 0


def test_a_merged_name_is_shown_as_long_as_a_document_uses_it(kb: Connection) -> None:
    said = ("Countess Lovelace", "met", "Bob")

    def aliases() -> set[str]:
        return {alias for entity in view(kb, REALM, "entities") for alias in entity["aliases"]}

    tell(kb, "b", said)
    rows(kb, "merge_entities", "Ada", "Countess Lovelace")
    assert aliases() == {"Ada"}
    rows(kb, "delete_document", "b")
    assert aliases() == set()
    tell(kb, "c", said)
    assert aliases() == {"Ada"}


def test_an_undo_is_not_undone(kb: Connection) -> None:
    decision = retract(kb, *MET)
    rows(kb, "undo", decision)
    mistake(kb, REALM, "GR009", (str(decision),), "undo", decision)
    again = retract(kb, *MET)
    assert again != decision
    assert facts(kb) == set()
    assert facts(kb, 3) == {MET}


def test_what_is_decided_and_undone_in_one_transaction_was_never_believed(kb: Connection) -> None:
    with kb.transaction():
        rows(kb, "undo", retract(kb, *MET))
    assert value(kb, "select count(*) from kb.decision") == 0
    assert value(kb, "select count(*) from kb.relation_version") == 1


def test_two_sessions_undo_one_decision(database: Database, kb: Connection) -> None:
    decision = retract(kb, *MET)
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        rows(first, "undo", decision, realm=REALM)

        def second_session() -> None:
            with database.connect() as second:
                rows(second, "undo", decision, realm=REALM)

        second = pool.submit(second_session)
        eventually(lambda: waiting(kb))
        first.commit()
        with pytest.raises(psycopg.Error) as caught:
            second.result(timeout=30)
    assert caught.value.sqlstate == "GR009"
    assert facts(kb) == {MET}


@pytest.mark.parametrize(
    ("first_call", "second_call", "sqlstate"),
    [
        (("merge_entities", "Ada", "Bob"), ("merge_entities", "Bob", "Ada"), "GR009"),
        (("delete_document", "a"), ("merge_entities", "Bob", "Ada"), "GR015"),
        (("split_entity", "Ada Lovelace", ["Lady"]), ("split_entity", "Ada Lovelace", ["Lady"]), "GR009"),
    ],
)
def test_of_two_sessions_the_second_decides_about_what_the_first_left(
    database: Database, kb: Connection, first_call: list[str], second_call: list[str], sqlstate: str
) -> None:
    row(
        kb, "index", "Ada Lovelace or Lady.", document="b", realm=REALM,
        extraction={"entities": [{"name": "Ada Lovelace", "aliases": ["Lady"]}, {"name": "Lady"}]},
    )  # fmt: skip
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        rows(first, *first_call, realm=REALM)

        def second_session() -> None:
            with database.connect() as second:
                rows(second, *second_call, realm=REALM)

        second = pool.submit(second_session)
        eventually(lambda: waiting(kb))
        first.commit()
        with pytest.raises(psycopg.Error) as caught:
            second.result(timeout=30)
    assert caught.value.sqlstate == sqlstate
    assert differences(kb, REALM, "default") == 0


def test_a_retraction_waits_for_the_document_that_is_being_written(
    database: Database, kb: Connection
) -> None:
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        rows(first, "delete_document", "a", realm=REALM)

        def second_session() -> None:
            with database.connect() as second:
                retract(second, *MET)

        second = pool.submit(second_session)
        eventually(lambda: waiting(kb))
        first.commit()
        with pytest.raises(psycopg.Error) as caught:
            second.result(timeout=30)
    assert caught.value.sqlstate == "GR016"


def test_a_figure_of_one_period(kb: Connection) -> None:
    tell(kb, "b", ("Ada", "earned", "$5", "2019", "2019"), ("Ada", "earned", "$5", "2020", "2020"))
    decision = retract(kb, "Ada", "earned", "$5", valid_from="2020", valid_to="2020")
    left = [f["valid_from"].year for f in view(kb, REALM, "facts") if f["value"]]
    assert left == [2019]
    tell(kb, "c", ("Ada", "earned", "$5", "2020", "2020"))
    assert len([f for f in view(kb, REALM, "facts") if f["value"]]) == 1
    rows(kb, "undo", decision)
    retract(kb, "Ada", "earned", "$5")  # of whatever period
    assert facts(kb) == {MET}
    assert differences(kb, REALM, "default") == 0


def test_one_stated_period_of_a_fact(kb: Connection) -> None:
    tell(kb, "b", ("Ada", "ran", "Acme", "2001", "2003"), ("Ada", "ran", "Acme", "2010", "2012"))
    retract(kb, "Ada", "ran", "Acme", valid_from="2010", valid_to="2012")
    (ran,) = [f for f in view(kb, REALM, "facts") if f["predicate"] == "ran"]
    assert (ran["valid_from"].year, ran["valid_to"].year) == (2001, 2004)


def test_mistakes(kb: Connection) -> None:
    mistake(kb, REALM, "GR008", ("later",), "retract_relation", *MET, valid_from="later")
    mistake(
        kb, REALM, "GR008", ("2020", "2010"), "retract_relation", *MET, valid_from="2020", valid_to="2010"
    )
    mistake(kb, REALM, "GR016", ("Ada", "Eve"), "retract_relation", "Ada", "met", "Eve")
    mistake(kb, REALM, "GR009", ("-1",), "document_graph", "a", max_entities=-1)
    mistake(kb, REALM, "GR012", ("zz",), "document_graph", "zz")
    mistake(kb, REALM, "GR012", ("zz",), "delete_document", "zz")
    for fact, remedy in (
        (("he", "met", "Bob"), "gate_name"),
        (("Ada", "met", "Bob", False, "later"), "parse_period"),
        (("Ada", "met", "Bob", False, "2021", "2020"), "valid_from must not be later"),
        (("Ada", "met", "Bob " * 500), "gate_name"),
    ):
        mistake(kb, REALM, "GR009", (), "assert_relation", *fact, hint=remedy)


def test_facts_that_begin_alike_at_length_are_two_documents(kb: Connection) -> None:
    long = "A" + "a" * 150
    first, second = (row(kb, "assert_relation", long, "met", f"{long} {last}") for last in ("One", "Two"))
    assert first["document"] != second["document"]
    assert len(facts(kb) - {MET}) == 2


def test_a_retraction_follows_the_vocabulary(kb: Connection) -> None:
    tell(kb, "b", ("Ada", "employs", "Eve"), ("Ada", "headed", "Acme"))
    retract(kb, "Ada", "employs", "Eve")
    retract(kb, "Ada", "headed", "Acme")
    rows(kb, "declare_predicate", "works_for")
    rows(kb, "declare_predicate", "employs", inverse_of="works_for")
    rows(kb, "declare_predicate", "led", aliases=["headed"])
    assert facts(kb) == {MET}
    tell(kb, "c", ("Eve", "works_for", "Ada"), ("Ada", "led", "Acme"))
    assert facts(kb) == {MET}
    assert differences(kb, REALM, "default") == 0


def test_a_stated_fact_can_be_deleted_and_its_past_stays(kb: Connection) -> None:
    stated = row(
        kb, "assert_relation", "Ada", "admires", "Eve", valid_from="2001", published_at="2005-01-01Z"
    )
    again = row(kb, "assert_relation", "Ada", "admires", "Eve", valid_from="2001", published_at="2005-01-01Z")
    assert again["revision"] == stated["revision"]
    rows(kb, "delete_document", stated["document"])
    assert facts(kb) == {MET}
    assert ("Ada", "admires", "Eve") in facts(kb, stated["revision"])
    for refused in ({"object": "She"}, {"object": "Eve", "valid_from": "later"}, {"object": "Ada"}):
        with pytest.raises(psycopg.Error) as caught:
            rows(kb, "assert_relation", "Ada", "admires", **refused)
        assert caught.value.sqlstate == "GR009"


def test_a_stated_fact_is_read_with_its_period(kb: Connection) -> None:
    """A beginning and an end are two statements, not one that replaces the other; neither reads as if it held now."""
    rows(kb, "assert_relation", "Ada", "admires", "Eve", valid_from="2001")
    rows(kb, "assert_relation", "Ada", "admires", "Eve", valid_to="2001")
    rows(kb, "assert_relation", "Ada", "admires", "Bob", valid_from="2001", valid_to="June 2003")
    told = rows(kb, "timeline", "Ada")
    assert {(f["object"], f["period"], f["weight"]) for f in told if f["predicate"] == "admires"} == {
        ("Eve", "2001", 2),
        ("Bob", "2001 to 2003-06", 1),
    }
    passages = {p["text"] for p in rows(kb, "retrieve", "Whom does Ada admire?") if p["kind"] == "chunk"}
    assert passages >= {
        "Ada admires Eve (since 2001).",
        "Ada admires Eve (until 2001).",
        "Ada admires Bob (2001 to June 2003).",
    }


def test_the_graph_of_a_document_is_what_it_states(kb: Connection) -> None:
    tell(kb, "b", ("Bob", "met", "Ada"), ("Ada", "earned", "$5", "2019", "2019"))
    tell(kb, "c", ("Ada", "earned", "$5", "2020", "2020"))
    graph = row(kb, "document_graph", "b")["document_graph"]
    said = [(r["subject"], r["predicate"], r["object"], r["period"]) for r in graph["relations"]]
    assert said == [("Ada", "earned", "$5", "2019"), ("Bob", "met", "Ada", None)]
    cut = row(kb, "document_graph", "b", max_entities=1, max_relations=0)["document_graph"]
    assert (len(cut["entities"]), cut["relations"], cut["is_truncated"]) == (1, [], True)
    assert (cut["entities_total"], cut["relations_total"]) == (2, 2)


def test_a_vocabulary_that_changed_while_a_document_was_gone(kb: Connection) -> None:
    """Its text comes back with the readings that hold now, and the past keeps those that held then."""
    tell(kb, "b", ("Ada", "headed", "Acme"))
    rows(kb, "delete_document", "b")
    rows(kb, "declare_predicate", "led", aliases=["headed"])
    tell(kb, "b", ("Ada", "headed", "Acme"))
    assert facts(kb) == {MET, ("Ada", "led", "Acme")}
    then = rows(kb, "timeline", "Ada", as_believed_at="2")
    assert {(f["predicate"], *f["documents"]) for f in then} == {("met", "a"), ("headed", "b")}


def test_a_blank_identifier_is_nobody_s(kb: Connection) -> None:
    """Two entities that a table has no number for are two declarations."""
    declared = [
        row(kb, "declare_entity", name, identifiers=identifiers)["document"]
        for name, identifiers in (("Eve", [""]), ("Zoe", [" "]), ("Max", [None, "", "Q7"]))
    ]
    assert declared == [f'["declare_entity", "{key}"]' for key in ("Eve", "Zoe", "Q7")]
    assert {"Eve", "Zoe", "Max"} <= {e["name"] for e in view(kb, REALM, "entities")}


def test_candidates_for_a_merger_do_not_depend_on_who_came_first(conn: Connection, realm: str) -> None:
    """Neither which pairs there are, nor which of two is named first."""
    said: list[dict[str, object]] = [
        {"name": "Lee"},
        {"name": "A. Lee", "aliases": ["Stone"]},
        {"name": "Acme", "aliases": ["Stone"]},
        {"name": "Acme Corporation"},
        {"name": "Acme Corporations"},
        {"name": "Robert Stone"},
        {"name": "Stone"},
    ]
    for space, entities in (("forth", said), ("back", said[::-1])):
        for entity in entities:
            row(
                conn, "index", f"{entity['name']}, Stone.", document=entity["name"], ordinal=1, space=space,
                extraction=Jsonb({"entities": [entity]}), realm=realm,
            )  # fmt: skip
    forth, back = (
        sorted(
            (found["entity"], found["other"], found["reason"], found["alike"])
            for found in view(conn, realm, "merge_candidates")
            if found["space"] == space
        )
        for space in ("forth", "back")
    )
    assert forth == back
    assert {found[:3] for found in forth} >= {
        ("A. Lee", "Lee", "names"),
        ("A. Lee", "Acme", 'alias "Stone"'),
        ("Acme Corporation", "Acme Corporations", "names"),
    }
    assert len(forth) == len({(frozenset(found[:2]), found[2]) for found in forth}), "each pair once"

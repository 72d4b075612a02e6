"""Mode auto: what it sees in a question, where it sends it, and that it says why. And reads without a graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import refused, row, rows, set_models
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint
from tests.support.listening import heard

FACTS: tuple[tuple[str, list[list[str]]], ...] = (
    ("Ann founded Acme in 2012.", [["Ann", "founded", "Acme"]]),
    (
        "Acme owns Werk Nord, a plant in Linz.",
        [["Acme", "owns", "Werk Nord"], ["Werk Nord", "located_in", "Linz"]],
    ),
    ("Bob works for Acme.", [["Bob", "works_for", "Acme"]]),
    ("The weather was fine, and the river was high that spring.", []),
)


@pytest.fixture(scope="module")
def told(module_database: Database) -> Iterator[Connection]:
    with module_database.connect() as conn:
        rows(conn, "create_realm", "default", embedding_url="builtin:hash", width=64)
        rows(conn, "declare_predicate", "supplies", aliases=["delivers_to"])
        for number, (text, triples) in enumerate(FACTS):
            row(conn, "index", text, document=f"d{number}", extraction=Jsonb(triples))
        yield conn


@pytest.fixture
def conn(told: Connection) -> Iterator[Connection]:
    with told.transaction(force_rollback=True):
        yield told


def route(conn: Connection, question: str) -> Row:
    """What auto does with a question, before anything is searched for."""
    (chosen,) = sql(
        conn,
        "select r.mode, r.is_sure, r.why, r.features from graphrag._enter('default'),"
        " graphrag._route_of(%s, graphrag._filter_of(null, null, null, false, null, null, null, null), true) as r",
        [question],
    )
    return chosen


@pytest.fixture
def inside(conn: Connection) -> Connection:
    """Inner functions find a realm's tables by the search path."""
    conn.execute('set local search_path = "default", pg_temp')
    return conn


@pytest.mark.parametrize(
    ("question", "mode", "is_sure", "because"),
    [
        ("Who founded Acme?", "mix", True, "founded"),
        ("Where does Bob work?", "mix", True, "works_for"),
        ("What do Ann and Werk Nord have in common?", "mix", True, "Ann"),
        ("What did Acme do in 2012?", "mix", True, "2012"),
        ("What did Acme do before the war?", "mix", True, "before"),
        ("Who is Ann?", "local", False, "Ann"),
        ("Who delivers to the mill?", "mix", False, "supplies"),
        ("How high was the river?", "mix", False, "names nothing"),
        ("What are the main themes?", "hybrid", True, "no community reports"),
        ("Give me an overview of Acme", "hybrid", True, "Acme"),
        ("Why did Ann found Acme?", "hybrid", True, "why"),
        ("Compare Acme and Werk Nord", "hybrid", True, "compare"),
        ("How did the plant influence Linz?", "hybrid", True, "influence"),
        # other languages
        ("Warum hat Ann Acme gegründet?", "hybrid", True, "warum"),
        ("Wann hat Ann Acme verlassen?", "mix", True, "Ann"),
        ("Seit wann gibt es Acme?", "mix", True, "seit"),
        ("Worum geht es insgesamt?", "hybrid", True, "insgesamt"),
        ("Pourquoi Ann a-t-elle quitté Paris ?", "hybrid", True, "pourquoi"),
        ("Quels sont les thèmes ?", "hybrid", True, "thèmes"),
        ("Depuis quand Acme existe-t-elle ?", "mix", True, "depuis"),
        ("¿Por qué fundó Ann la empresa?", "hybrid", True, "por qué"),
        ("¿Cuáles son los temas?", "hybrid", True, "temas"),
        ("¿Desde cuándo existe Acme?", "mix", True, "desde"),
        ("Perché Ann ha lasciato Parigi?", "hybrid", True, "perché"),
        ("Por que Ann saiu?", "hybrid", True, "por que"),
        ("Waarom vertrok Ann?", "hybrid", True, "waarom"),
        ("Почему Ann уехала?", "hybrid", True, "почему"),
        ("Какие основные темы?", "hybrid", True, "темы"),
        ("为什么Acme要买工厂?", "hybrid", True, "为什么"),
        ("アクメの概要を教えて", "hybrid", True, "概要"),
    ],
)  # fmt: skip
def test_a_question_is_routed_by_what_is_in_it(
    inside: Connection, question: str, mode: str, is_sure: bool, because: str
) -> None:
    chosen = route(inside, question)
    assert (chosen["mode"], chosen["is_sure"]) == (mode, is_sure), chosen
    assert because in chosen["why"]


@pytest.mark.parametrize(
    "features",
    [
        {"themes": "themes"},
        {"all": "all"},
    ],
)
def test_with_reports_a_question_about_all_goes_to_them(conn: Connection, features: dict[str, str]) -> None:
    seen = {"entities": [], "relations": [], "has_graph": True, "has_reports": True, **features}
    chosen = row(conn, "_choose_mode", seen)
    assert (chosen["mode"], chosen["is_sure"]) == ("global", True)
    assert "reports" in chosen["why"]
    named = row(conn, "_choose_mode", {**seen, "entities": ["Acme"], "relations": ["owns"]})
    assert named["mode"] != "global"


# ---------------------------------------------------------------- what a caller sees
def test_a_read_says_which_mode_it_took_and_why(conn: Connection) -> None:
    with heard(conn) as said:
        found = rows(conn, "retrieve", "Who founded Acme?", mode="auto")
    assert found == rows(conn, "retrieve", "Who founded Acme?", mode="mix")
    ((message, _),) = said
    assert message == 'mode auto took "mix": it names "Acme" and asks about founded'


def test_the_answer_says_so_too(conn: Connection, endpoint: Endpoint) -> None:
    set_models(conn, endpoint)
    answered = row(conn, "query", "Who founded Acme?", mode="auto")
    assert answered["mode"] == "mix"
    assert answered["route"] == {
        "mode": "mix",
        "why": 'it names "Acme" and asks about founded',
        "decomposed": False,
        "features": {"entities": ["Acme"], "relations": ["founded"]},
    }
    assert row(conn, "query", "Who founded Acme?")["route"] is None


def test_unsure_it_compares_and_keeps_what_covers_more(conn: Connection) -> None:
    """The candidate finds what the question names far from the vector; where nothing is added, naive is kept."""
    far = "The weather was fine and the river was high that fine spring: who was Bob?"
    with heard(conn) as said:
        found = rows(conn, "retrieve", far, mode="auto", top_k=1)
        plain = rows(conn, "retrieve", "How high was the river that spring?", mode="auto", top_k=1)
    assert found == rows(conn, "retrieve", far, mode="local", top_k=1)
    assert plain == rows(conn, "retrieve", "How high was the river that spring?", mode="naive", top_k=1)
    (local, _), (naive, _) = said
    assert local.startswith('mode auto took "local"')
    assert "covers" in local
    assert naive.startswith('mode auto took "naive"')


def test_what_was_compared_is_in_the_result(conn: Connection, endpoint: Endpoint) -> None:
    set_models(conn, endpoint)
    answered = row(conn, "query", "How high was the river that spring?", mode="auto", keywords="lexical")
    assert answered["mode"] == answered["route"]["mode"] == "naive"
    compared = answered["route"]["compared"]
    assert set(compared) == {"mix", "naive"}
    assert compared["naive"] >= compared["mix"] > 0


def test_an_exploratory_question_is_decomposed_where_a_model_may_be_asked(
    conn: Connection, endpoint: Endpoint
) -> None:
    set_models(conn, endpoint)
    question = "Why did Ann found Acme?"
    endpoint.on_keywords = lambda _: {"low": [], "high": [], "questions": ["Who is Ann?", "What is Acme?"]}
    answered = row(conn, "query", question, mode="auto", keywords="llm")
    assert answered["route"]["decomposed"]
    assert answered["keywords"]["questions"] == ["Who is Ann?", "What is Acme?"]
    (asked,) = endpoint.asked_keywords
    assert set(asked.body["response_format"]["json_schema"]["schema"]["properties"]) == {
        "low",
        "high",
        "questions",
    }
    endpoint.requests.clear()
    with heard(conn) as said:
        rows(conn, "retrieve", question, mode="auto")
    assert endpoint.requests == []
    assert any("no model is asked for its parts" in message for message, _ in said)


def test_the_past_is_routed_as_it_was(conn: Connection) -> None:
    """P4: a name that the graph did not know then is none."""
    watermark = value(conn, "select graphrag.watermark()")
    with heard(conn) as before:
        found = rows(conn, "retrieve", "Who is Zoe?", mode="auto")
    row(conn, "index", "Zoe leads Blix.", document="later", extraction=Jsonb([["Zoe", "leads", "Blix"]]))
    with heard(conn) as after:
        assert rows(conn, "retrieve", "Who is Zoe?", mode="auto", as_believed_at=watermark) == found
        rows(conn, "retrieve", "Who is Zoe?", mode="auto")
    assert before[0] == after[0]
    assert '"Zoe"' not in before[0][0]
    assert '"Zoe"' in after[1][0]


def test_an_unknown_mode_names_the_modes(conn: Connection) -> None:
    said = refused("GR002", ("autom",), lambda: rows(conn, "retrieve", "Ann", mode="autom"), "auto")
    assert "mix, local, global, hybrid, naive, bypass, auto" in (said.message_detail or "")


# ---------------------------------------------------------------- without a graph
MODES = ("mix", "local", "global", "hybrid", "naive", "auto")


@pytest.mark.parametrize("mode", MODES)
def test_without_a_graph_every_mode_returns_passages_and_says_so(conn: Connection, mode: str) -> None:
    rows(conn, "create_realm", "plain", embedding_url="builtin:hash", width=32)
    for number, (text, _) in enumerate(FACTS):
        row(conn, "index", text, document=f"d{number}", extraction=Jsonb([]), realm="plain")
    with heard(conn) as said:
        found = rows(conn, "retrieve", "Who founded Acme?", mode=mode, realm="plain")
    assert {piece["kind"] for piece in found} == {"chunk"}
    assert found[0]["text"] == FACTS[0][0]
    told = any("relations are not available" in message for message, _ in said)
    assert told == (mode not in ("naive", "auto"))
    if mode == "auto":
        assert said == [('mode auto took "naive": nothing has been extracted from what is read', "")]


def test_what_had_not_been_extracted_then_is_told_of_then(told: Connection) -> None:
    rows(told, "create_realm", "grown", embedding_url="builtin:hash", width=32)
    row(told, "index", "Ann founded Acme.", document="a", extraction=Jsonb([]), realm="grown")
    row(told, "index", FACTS[0][0], document="b", extraction=Jsonb(FACTS[0][1]), realm="grown")
    with heard(told) as said:
        rows(told, "retrieve", "Acme", realm="grown")
        assert said == []
        found = rows(told, "retrieve", "Acme", as_believed_at="1", realm="grown")
    assert [piece["document"] for piece in found] == ["a"]
    assert "relations are not available" in said[0][0]

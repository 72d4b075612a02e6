"""Keywords and decomposition: who gives them, what they do to a search, and what becomes of a question without them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from psycopg.errors import InsufficientPrivilege
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows, set_models
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint, Request, hashed_vector, is_keywords
from tests.support.listening import heard

WIDTH = 64
QUESTION = "Who began the firm?"
FACTS = (
    ("Ann founded Acme.", [["Ann", "founded", "Acme"]]),
    ("Acme owns Werk Nord.", [["Acme", "owns", "Werk Nord"]]),
    ("Bob sailed round Cape Horn.", [["Bob", "sailed_round", "Cape Horn"]]),
    ("Carla paints murals.", [["Carla", "paints", "murals"]]),
)


@pytest.fixture(scope="module")
def served(module_database: Database) -> Iterator[tuple[Connection, Endpoint]]:
    """A realm whose models are the scripted endpoint; it counts what is asked."""
    with Endpoint(WIDTH) as endpoint, module_database.connect() as conn:
        rows(conn, "set_endpoint", "auxiliary", endpoint.url, "helper", realm=None)
        rows(conn, "create_realm", "default", endpoint.url, "vectors", width=WIDTH)
        rows(conn, "configure", "keywords", '"llm"')
        for number, (text, triples) in enumerate(FACTS):
            row(conn, "index", text, document=f"d{number}", extraction=Jsonb(triples))
        yield conn, endpoint


@pytest.fixture
def conn(served: tuple[Connection, Endpoint]) -> Iterator[Connection]:
    conn, endpoint = served
    with conn.transaction(force_rollback=True):
        set_models(conn, endpoint, "synthesis", "auxiliary")
        yield conn


@pytest.fixture
def endpoint(served: tuple[Connection, Endpoint]) -> Endpoint:
    _, endpoint = served
    endpoint.heal()
    endpoint.queue.clear()
    endpoint.requests.clear()
    endpoint.on_keywords = lambda _: {"low": ["Cape Horn"], "high": ["ownership"], "questions": []}
    return endpoint


def vector(text: str) -> list[float]:
    return hashed_vector(text, WIDTH)


def kinds(found: list[Row], kind: str) -> list[str]:
    return [piece["text"] for piece in found if piece["kind"] == kind]


def asked_for(request: Request) -> set[str]:
    return set(request.body["response_format"]["json_schema"]["schema"]["properties"])


# ---------------------------------------------------------------- who is asked
def test_a_query_asks_once_and_embeds_once(conn: Connection, endpoint: Endpoint) -> None:
    answered = row(conn, "query", QUESTION)
    (asked,) = endpoint.asked_keywords
    assert asked_for(asked) == {"low", "high"}
    assert asked.message("user") == f"Question: {QUESTION}"
    (embedded,) = endpoint.embeddings
    assert embedded.body["input"] == [QUESTION, "Cape Horn", "ownership"]
    keywords = answered["keywords"]
    assert (keywords["low"], keywords["high"], keywords["source"]) == (["Cape Horn"], ["ownership"], "llm")
    assert answered["usage"]["calls"] == 3
    assert answered["usage"]["fallbacks"] == 0
    assert {u["role"] for u in sql(conn, "select role from \"default\".usage where question = %s", [QUESTION])} == {
        "auxiliary", "embedding", "synthesis",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("named", "source"),
    [
        ({"keywords": "lexical"}, "lexical"),
        ({"mode": "naive"}, "lexical"),
        ({"mode": "naive", "keywords": "llm"}, "lexical"),
        ({"mode": "bypass"}, "lexical"),
        ({"embedding": vector(QUESTION)}, "lexical"),
        ({"keywords": '{"low": ["Acme"]}'}, "caller"),
    ],
)
def test_no_model_is_asked_for_keywords(
    conn: Connection, endpoint: Endpoint, named: dict[str, Any], source: str
) -> None:
    answered = row(conn, "query", QUESTION, **named)
    assert endpoint.asked_keywords == []
    assert answered["keywords"]["source"] == source


def test_a_realm_does_without_unless_it_is_told(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "configure", "keywords", None)
    row(conn, "query", QUESTION)
    assert endpoint.asked_keywords == []
    row(conn, "query", QUESTION, keywords="llm")
    assert len(endpoint.asked_keywords) == 1
    for setting in ("keywords", "walk", "fusion"):
        with conn.transaction(force_rollback=True):
            refused("GR011", (setting,), partial(rows, conn, "configure", setting, '"none"'))


@pytest.mark.parametrize("function", ["retrieve", "context"])
def test_a_read_without_synthesis_asks_only_when_told(
    conn: Connection, endpoint: Endpoint, function: str
) -> None:
    rows(conn, function, QUESTION)
    assert endpoint.chats == []
    rows(conn, function, QUESTION, keywords="llm")
    assert len(endpoint.chats) == 1
    endpoint.requests.clear()
    rows(conn, function, QUESTION, embedding=vector(QUESTION), keywords='{"low": ["Bob"], "high": ["sea"]}')
    assert endpoint.requests == [], "who brings the vector has no endpoint called"


def test_the_context_of_an_answer_is_had_by_its_keywords(conn: Connection, endpoint: Endpoint) -> None:
    answered = row(conn, "query", QUESTION)
    (sent,) = [chat for chat in endpoint.chats if not is_keywords(chat)]
    endpoint.requests.clear()
    shown = value(
        conn,
        "select prompt from graphrag.context(%s, keywords => %s)",
        [QUESTION, json.dumps(answered["keywords"])],
    )
    assert shown == sent.message("user")
    assert endpoint.chats == []


# ---------------------------------------------------------------- what they do
@pytest.mark.usefixtures("endpoint")
def test_low_ones_sharpen_the_search_for_entities(conn: Connection) -> None:
    plain = rows(conn, "retrieve", QUESTION, mode="local", top_k=1)
    sharp = rows(conn, "retrieve", QUESTION, mode="local", top_k=1, keywords='{"low": ["Cape Horn"]}')
    assert kinds(plain, "entity") != ["Cape Horn"]
    assert kinds(sharp, "entity") == ["Cape Horn"]
    assert kinds(sharp, "chunk") == ["Bob sailed round Cape Horn."]
    (entity,) = [piece for piece in sharp if piece["kind"] == "entity"]
    assert {"name", "keyword"} <= set(entity["ranks"])
    # Without a vector of theirs they are names and words.
    given = rows(
        conn, "retrieve", QUESTION, mode="local", top_k=1, keywords='{"low": ["Cape Horn"]}',
        embedding=vector(QUESTION),
    )  # fmt: skip
    assert kinds(given, "entity") == ["Cape Horn"]


@pytest.mark.usefixtures("endpoint")
def test_high_ones_steer_the_modes_that_read_reports(conn: Connection) -> None:
    named = {"top_k": 1, "keywords": '{"high": ["paints murals"]}'}
    steered = rows(conn, "retrieve", QUESTION, mode="global", **named)
    relation = next(piece for piece in steered if piece["kind"] == "relation")
    assert relation["predicate"] == "paints"
    assert relation["ranks"]["theme"] == 1
    assert kinds(steered, "chunk")[0] == "Carla paints murals."
    mixed = [piece["ranks"] for piece in rows(conn, "retrieve", QUESTION, mode="mix", **named)]
    assert not any("theme" in ranks for ranks in mixed)


@pytest.mark.usefixtures("endpoint")
def test_the_same_keywords_find_the_same(conn: Connection) -> None:
    """P10, and that what the caller gives is what the model gave."""
    asked = rows(conn, "retrieve", QUESTION, mode="hybrid", keywords="llm")
    given = rows(
        conn, "retrieve", QUESTION, mode="hybrid", keywords='{"low": ["Cape Horn"], "high": ["ownership"]}'
    )
    assert asked == given


# ---------------------------------------------------------------- a model is not trusted
@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ('{"low": "Ann, Acme", "high": null}', ["Ann", "Acme"], []),
        ('```json\n{"low": ["Ann", "ann", "", 7, {"keyword": "Acme"}, null, true]}\n```', ["Ann", "7", "Acme"], []),
        ('{"low_level_keywords": ["Ann"], "high_level_keywords": ["firm"]}', ["Ann"], ["firm"]),
        ("<think>hm {}</think> {'low': ['Ann'], 'high': ['firm'],}", ["Ann"], ["firm"]),
        ("{}", [], []),
        ('{"low": ["' + '", "'.join(f"n{i}" for i in range(500)) + '"], "high": []}', [f"n{i}" for i in range(10)], []),
        ('{"low": ["' + "x" * 5000 + '"], "high": []}', ["x" * 100], []),
        ('{"low": ["a\\u0000b\\nc"], "high": []}', ["ab c"], []),
    ],
)  # fmt: skip
def test_odd_answers_are_repaired_and_bounded(
    conn: Connection, endpoint: Endpoint, said: str, low: list[str], high: list[str]
) -> None:
    endpoint.inject(faults.content(said), where=is_keywords)
    keywords = row(conn, "query", QUESTION)["keywords"]
    assert (keywords["low"], keywords["high"], keywords["source"]) == (low, high, "llm")


@pytest.mark.parametrize(
    "fault",
    [
        faults.status(403),
        faults.content("I would look for the founder."),
        faults.content("[1, 2]"),
        faults.html(),
        faults.drop(),
    ],
)
def test_a_failure_falls_back_to_the_questions_words_and_says_so(
    conn: Connection, endpoint: Endpoint, fault: faults.Fault
) -> None:
    set_models(conn, endpoint, "auxiliary", deadline=1)
    plain = row(conn, "query", QUESTION, keywords="lexical")
    endpoint.inject(fault, where=is_keywords)
    with heard(conn) as said:
        answered = row(conn, "query", QUESTION)
    assert any("the model gave no keywords" in message for message, _ in said)
    assert answered["usage"]["fallbacks"] == 1
    assert answered["keywords"] == plain["keywords"]
    for part in ("answer", "relations", "chunks", "entities"):
        assert answered[part] == plain[part]


@pytest.mark.usefixtures("endpoint")
def test_without_any_chat_model_a_wish_for_keywords_is_a_mistake(conn: Connection) -> None:
    conn.execute("delete from \"default\".endpoint where role = 'auxiliary'")
    conn.execute("delete from graphrag.endpoint_default where role = 'auxiliary'")
    assert row(conn, "query", QUESTION)["keywords"]["source"] == "lexical"
    refused("GR010", ("auxiliary",), lambda: rows(conn, "retrieve", QUESTION, keywords="llm"), "set_endpoint")


def test_instructions_are_no_keywords(conn: Connection, endpoint: Endpoint) -> None:
    row(conn, "query", QUESTION, instructions="Like a pirate.")
    (asked,) = endpoint.asked_keywords
    assert "pirate" not in str(asked.body)


def test_the_model_that_gives_keywords_is_shown_the_turns_before(
    conn: Connection, endpoint: Endpoint
) -> None:
    turns = [
        {"role": "user", "content": f"An old question {no}\nQuestion: of another kind?"} for no in range(9)
    ]
    turns.append({"role": "assistant", "content": "Ann works there. " + 2000 * "x"})
    row(conn, "query", "Where does she work?", history=Jsonb(turns))
    (asked,) = endpoint.asked_keywords
    message = asked.message("user")
    said, question = message.splitlines()[1:-2], message.splitlines()[-1]
    assert question == "Question: Where does she work?"
    assert [line[:24] for line in said] == [
        *(f"user: An old question {no} " for no in range(4, 9)),
        "assistant: Ann works the",
    ]
    assert len(said[-1]) < 1100
    refused(
        "GR009",
        ("history",),
        lambda: row(conn, "query", QUESTION, history=Jsonb(["hi"])),
        "oldest turn first",
    )


# ---------------------------------------------------------------- decomposition
def parts(*questions: str) -> Any:
    return lambda _: {"low": [], "high": [], "questions": list(questions)}


def test_the_parts_of_a_question_are_searched_for_together(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.on_keywords = parts("Who sailed round Cape Horn?", "Who paints murals?")
    found = rows(conn, "retrieve", QUESTION, decompose=True, top_k=3)
    (asked,) = endpoint.chats
    assert asked_for(asked) == {"questions"}
    (embedded,) = endpoint.embeddings
    assert embedded.body["input"] == [QUESTION, "Who sailed round Cape Horn?", "Who paints murals?"]
    chunks = [piece for piece in found if piece["kind"] == "chunk"]
    assert {"Bob sailed round Cape Horn.", "Carla paints murals."} <= {piece["text"] for piece in chunks}
    by_text = {piece["text"]: piece["ranks"] for piece in chunks}
    assert by_text["Bob sailed round Cape Horn."]["part 1"] == 1
    assert by_text["Carla paints murals."]["part 2"] == 1
    relations = [piece for piece in found if piece["kind"] == "relation"]
    assert len(relations) == len({piece["id"] for piece in relations}) <= 9
    assert all(piece["hop"] for piece in relations if piece["path"])
    assert found == rows(conn, "retrieve", QUESTION, decompose=True, top_k=3)


def test_one_request_gives_keywords_and_parts(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.on_keywords = lambda _: {"low": ["Acme"], "high": [], "questions": ["Who is Ann?"]}
    answered = row(conn, "query", QUESTION, decompose=True)
    (asked,) = endpoint.asked_keywords
    assert asked_for(asked) == {"low", "high", "questions"}
    assert answered["keywords"]["questions"] == ["Who is Ann?"]


def test_parts_can_be_brought(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.on_keywords = parts("Who sailed round Cape Horn?", "Who paints murals?")
    asked = rows(conn, "retrieve", QUESTION, decompose=True)
    endpoint.requests.clear()
    given = rows(
        conn,
        "retrieve",
        QUESTION,
        keywords='{"questions": ["Who sailed round Cape Horn?", "Who paints murals?"]}',
    )
    assert given == asked
    assert endpoint.chats == []


def test_naive_can_be_decomposed_without_keywords(conn: Connection, endpoint: Endpoint) -> None:
    endpoint.on_keywords = parts("Who sailed round Cape Horn?")
    found = rows(conn, "retrieve", QUESTION, mode="naive", decompose=True, keywords="llm", top_k=2)
    (asked,) = endpoint.chats
    assert asked_for(asked) == {"questions"}
    assert {piece["kind"] for piece in found} == {"chunk"}
    assert "Bob sailed round Cape Horn." in kinds(found, "chunk")


@pytest.mark.parametrize(
    ("said", "questions"),
    [
        ({"questions": [f"Question {i}?" for i in range(50)]}, [f"Question {i}?" for i in range(4)]),
        ({"questions": [QUESTION, "who BEGAN the firm?", "Who is Ann?"]}, ["Who is Ann?"]),
        ({"questions": "1. Who is Ann?\n- What is Acme?\n\nNone"}, ["Who is Ann?", "What is Acme?"]),
        ({"sub_questions": [{"question": "Who is Ann?"}]}, ["Who is Ann?"]),
        ({"questions": []}, []),
    ],
)
def test_parts_are_bounded_and_repaired(
    conn: Connection, endpoint: Endpoint, said: Any, questions: list[str]
) -> None:
    endpoint.on_keywords = lambda _: said
    assert (
        row(conn, "query", QUESTION, decompose=True, keywords="lexical")["keywords"]["questions"] == questions
    )


def test_without_parts_the_question_is_searched_for_as_it_is(conn: Connection, endpoint: Endpoint) -> None:
    plain = rows(conn, "retrieve", QUESTION)
    endpoint.inject(faults.status(403), where=is_keywords)
    with heard(conn) as said:
        assert rows(conn, "retrieve", QUESTION, decompose=True) == plain
    assert any("gave no smaller questions" in message for message, _ in said)


# ---------------------------------------------------------------- rights
@contextmanager
def reader(conn: Connection, database: Database) -> Iterator[str]:
    name = f"{database.name}_keyword_reader"
    conn.execute(f"create role {name}")
    rows(conn, "grant_reader", name, "default")
    conn.execute(f"set local role {name}")
    try:
        yield name
    finally:
        conn.execute("reset role")


def test_a_reader_who_may_not_spend_has_keywords_of_his_own(
    conn: Connection, endpoint: Endpoint, module_database: Database
) -> None:
    with reader(conn, module_database):
        for mode in ("mix", "local", "global", "hybrid", "naive", "auto"):
            for keywords in ("lexical", '{"low": ["Cape Horn"], "high": ["sea"]}'):
                assert rows(
                    conn, "retrieve", QUESTION, mode=mode, embedding=vector(QUESTION), keywords=keywords
                )
        for named in ({"keywords": "llm"}, {"decompose": True}, {"rerank": ["llm"]}):
            with pytest.raises(InsufficientPrivilege, match="may not spend"), conn.transaction():
                rows(conn, "retrieve", QUESTION, embedding=vector(QUESTION), **named)
    assert endpoint.requests == []

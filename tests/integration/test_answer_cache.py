"""An answer that was paid for is kept: who asks the same again gets it, and nobody else."""

from __future__ import annotations

import itertools
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import row as call
from tests.support.calls import rows, set_models
from tests.support.corpus import differences
from tests.support.database import Connection, Database, Row, sql, value, view
from tests.support.endpoint import Endpoint, Request, is_chat, is_embedding, says
from tests.support.reading import (
    PEOPLE,
    REALM,
    founders,
    founding,
    fresh,
    make_realm,
    pages,
    paragraph,
)

MARCH = datetime(2021, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def model(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A realm whose model is asked once a chunk, four at a time."""
    make_realm(conn, endpoint)
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    return endpoint


def index(conn: Connection, *names: str, document: str | None = "a", **named: Any) -> Row:
    return call(conn, "index", pages(*names), document=document, **{"realm": REALM, **named})


def asked(model: Endpoint) -> list[str]:
    """The people whose paragraphs the model was asked about since the last look."""
    found = [str(chat.text).split(maxsplit=1)[0] for chat in model.chats]
    model.requests.clear()
    return found


def known(request: Request) -> list[str]:
    """The names that a prompt gives as context."""
    found = re.search(r"^Known names: (.*)$", request.message("user"), re.MULTILINE)
    return found[1].split("; ") if found else []


def graph(conn: Connection, realm: str = REALM) -> list[Any]:
    """The facts and entities of a realm without ids and stamps."""
    facts = [
        {k: v for k, v in fact.items() if k not in ("relation", "subject_id", "object_id", "believed_since")}
        for fact in view(conn, realm, "facts")
    ]
    entities = [{k: v for k, v in one.items() if k != "entity"} for one in view(conn, realm, "entities")]
    return sorted(map(repr, [*facts, *entities]))


# ---------------------------------------------------------------- hits
def test_another_document_of_the_same_title_pays_nothing(conn: Connection, model: Endpoint) -> None:
    title = {"title": "The founders"}
    first = index(conn, *PEOPLE[:3], document="1", metadata=title)
    assert (first["llm_calls"], first["cached"]) == (3, 0)
    rows(conn, "delete_document", "1", realm=REALM)
    asked(model)
    moved = index(conn, *PEOPLE[:3], document="2", metadata=title)
    assert (moved["llm_calls"], moved["cached"]) == (0, 3)
    assert asked(model) == []
    assert founders(conn) == set(PEOPLE[:3])
    assert sql(conn, "select distinct extractor, prompt from kb.chunk") == [
        {"extractor": "scripted", "prompt": value(conn, "select graphrag._prompt_version()")}
    ]


def test_unkeyed_documents_share_paragraphs(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann", "Bob", document=None)
    asked(model)
    result = index(conn, "Ann", "Bob", "Carla", document=None)
    assert (result["chunks"], result["cached"], asked(model)) == (3, 2, ["Carla"])
    assert value(conn, "select count(*) from kb.documents") == 2


def test_an_edit_asks_for_what_it_changed(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann", "Bob", "Carla")
    asked(model)
    result = index(conn, "Ann", "Dmitri", "Carla")
    assert (result["unchanged"], result["cached"], asked(model)) == (2, 0, ["Dmitri"])
    back = index(conn, "Ann", "Bob", "Carla")
    assert (back["unchanged"], back["llm_calls"]) == (3, 0)


def test_a_document_whose_transaction_was_undone_after_its_answers_were_committed(
    conn: Connection, model: Endpoint
) -> None:
    """What a job does: a few chunks, commit, a few chunks, commit, crash; and it resumes."""
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(2), realm=REALM)
    text = pages(*PEOPLE[:5])
    read_ahead = """
        do $do$
        declare
            plan graphrag._document_plan;
        begin
            perform set_config('search_path', 'kb, pg_temp', true);
            plan := graphrag._plan_document('default', {text}, 'a', null, '{{}}', null, null, null);
            perform graphrag._read_chunks(plan, plan.missing[{first} : {last}]);
        end
        $do$"""
    for first, last in ((1, 2), (3, 4)):
        conn.execute(
            compose.SQL(read_ahead).format(
                text=compose.Literal(text), first=compose.Literal(first), last=compose.Literal(last)
            )
        )
    assert sorted(asked(model)) == sorted(PEOPLE[:4])
    assert value(conn, "select count(*) from kb.document") == 0
    model.inject(faults.status(401), where=is_embedding)
    with pytest.raises(Exception, match="401"):
        index(conn, *PEOPLE[:5])
    assert asked(model) == ["Eve"]
    model.heal()
    resumed = index(conn, *PEOPLE[:5])
    assert (resumed["cached"], resumed["llm_calls"], asked(model)) == (4, 1, ["Eve"])
    assert founders(conn) == set(PEOPLE[:5])


def test_the_graph_is_the_one_without_a_cache(conn: Connection, model: Endpoint) -> None:
    """Gates included: they judge cached answers anew."""

    def answer(text: str) -> dict[str, Any]:
        name = text.split(maxsplit=1)[0]
        found = founding(name)
        found["entities"] += [{"name": "the company"}, {"name": f"{name} (no, Bob)"}]
        found["triples"] += [{"subject": name, "predicate": "is", "object": "Acme"}]
        return found

    model.on_extraction = answer
    first = index(conn, *PEOPLE[:5], document="1", metadata={"title": "x"}, published_at=MARCH)
    uncached = graph(conn)
    rows(conn, "delete_document", "1", realm=REALM)
    again = index(conn, *PEOPLE[:5], document="2", metadata={"title": "x"}, published_at=MARCH)
    assert (again["cached"], again["llm_calls"]) == (5, 0)
    assert again["rejected"] == first["rejected"] != {}
    assert [line.replace("'2'", "'1'") for line in graph(conn)] == uncached
    assert differences(conn, REALM, "default") == 0


def test_gates_may_change_under_a_cached_answer(conn: Connection, model: Endpoint) -> None:
    model.on_extraction = lambda _: {"entities": [{"name": "Ann"}, {"name": "Zed"}], "triples": []}
    assert index(conn, "Ann", document=None)["rejected"] == {"ungrounded_name": 1}
    rows(conn, "configure", "grounding", Jsonb(False), realm=REALM)
    result = index(conn, "Ann", "Ann", document=None)
    assert (result["cached"], result["rejected"]) == (1, {})


@pytest.mark.usefixtures("model")
def test_sessions_that_ask_the_same_at_once_do_not_wait(module_database: Database, conn: Connection) -> None:
    """The first holds its answers uncommitted; the second reads the same text for another space, then its own."""
    with module_database.connect(autocommit=False) as first, module_database.connect() as second:
        index(first, "Ann", "Bob", document=None)
        second.execute("set lock_timeout = '5s'")
        second.execute("set search_path = kb, pg_catalog")
        answers = value(
            second,
            """
            select graphrag._read_chunks(p, p.missing)
            from graphrag._plan_document('default', %s, null, null, '{}', null, null, null) as p
            """,
            [pages("Ann", "Bob")],
        )
        assert [answer["no"] for answer in answers] == [1, 2]
        assert not any("cached" in answer for answer in answers), "what is not committed is nobody else's"
        first.commit()
    assert index(conn, "Ann", "Bob", document=None)["unchanged"] == 2
    assert index(conn, "Ann", "Bob", "Carla", document=None)["cached"] == 2


# ---------------------------------------------------------------- misses
CHANGES: dict[str, dict[str, Any]] = {
    "another title": {"metadata": {"title": "Another"}},
    "another source": {"source": "elsewhere"},
    "another day": {"published_at": datetime(2021, 3, 5, 12, tzinfo=UTC)},
    "no day": {"published_at": None},
    "another space": {"space": "other"},
}
SAME: dict[str, Any] = {"metadata": {"title": "The founders"}, "source": "news", "published_at": MARCH}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_the_prompt_says_is_in_the_key(
    conn: Connection, model: Endpoint, change: dict[str, Any]
) -> None:
    index(conn, "Ann", document="1", **SAME)
    asked(model)
    assert index(conn, "Ann", document="2", **SAME)["cached"] == 1
    result = index(conn, "Ann", document="3", **{**SAME, **change})
    assert (result["cached"], asked(model)) == (0, ["Ann"])


@pytest.mark.usefixtures("model")
def test_what_the_prompt_does_not_say_is_not(conn: Connection) -> None:
    index(conn, "Ann", document="1", **SAME)
    sql(conn, "set timezone = 'Asia/Tokyo'")
    sql(conn, "set datestyle = 'SQL, DMY'")
    other: dict[str, Any] = {"metadata": {"title": "The founders", "page": 3}, "ordinal": 7}
    assert index(conn, "Ann", document="2", **{**SAME, **other})["cached"] == 1
    later = {**SAME, "published_at": datetime(2021, 3, 4, 23, tzinfo=UTC)}
    assert index(conn, "Ann", document="3", **later)["cached"] == 1


VOCABULARY = {
    "a predicate": ("declare_predicate", ("founded_with",)),
    "entity types": ("configure", ("entity_types", Jsonb(["Founder"]))),
    "gleaning": ("configure", ("gleaning_passes", Jsonb(1))),
}


@pytest.mark.parametrize("change", VOCABULARY.values(), ids=VOCABULARY.keys())
@pytest.mark.usefixtures("model")
def test_the_vocabulary_is_in_the_key(conn: Connection, change: tuple[str, tuple[Any, ...]]) -> None:
    index(conn, "Ann", document=None)
    function, arguments = change
    rows(conn, function, *arguments, realm=REALM)
    assert index(conn, "Ann", "Ann", document=None)["cached"] == 0


@pytest.mark.usefixtures("model")
def test_the_prompt_version_is_in_the_key(conn: Connection) -> None:
    index(conn, "Ann", document=None)
    conn.execute("begin")
    conn.execute(
        "create or replace function graphrag._prompt_version() returns text language sql immutable return 'other'"
    )
    assert index(conn, "Ann", "Ann", document=None)["cached"] == 0
    conn.execute("rollback")
    assert index(conn, "Ann", "Ann", document=None)["cached"] == 1


def test_the_model_is_in_the_key(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann", document=None)
    rows(conn, "set_endpoint", "extraction", model.url, "bigger", realm=REALM)
    assert index(conn, "Ann", "Ann", document=None)["cached"] == 0
    set_models(conn, model, "extraction", realm=REALM)
    assert index(conn, "Ann", "Ann", "Ann", document=None)["cached"] == 1


def test_a_realm_has_a_cache_of_its_own(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann", document=None)
    make_realm(conn, model, "other")
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm="other")
    assert index(conn, "Ann", document=None, realm="other")["cached"] == 0
    assert asked(model) == ["Ann"]


# ---------------------------------------------------------------- failures and halves
def test_failures_are_not_cached(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.status(400), where=says("Bob"))
    index(conn, "Ann", "Bob", document=None)
    model.heal()
    asked(model)
    assert index(conn, "Ann", "Bob", "Carla", document=None)["cached"] == 1
    assert sorted(asked(model)) == ["Bob", "Carla"]


def test_an_answer_cut_off_is_asked_again_once_the_limit_is_another(
    conn: Connection, model: Endpoint
) -> None:
    whole = json.dumps(founding("Ann"))
    model.inject(faults.cut(whole.index('"triples"')), where=is_chat)
    assert index(conn, "Ann")["relations_added"] == 0
    assert value(conn, "select is_partial from kb.chunk") is True
    assert index(conn, "Ann")["unchanged"] == 1
    assert index(conn, "Ann", document="b")["cached"] == 0, "another title"
    assert index(conn, "Ann", document="b", source="s")["cached"] == 0
    rows(conn, "delete_document", "b", realm=REALM)
    rows(conn, "delete_document", "b", source="s", realm=REALM)
    model.heal()
    asked(model)
    roomy = {"extra": {"max_tokens": 8000}}
    rows(conn, "set_endpoint", "extraction", model.url, "scripted", options=roomy, realm=REALM)
    result = index(conn, "Ann")
    assert (result["cached"], asked(model), result["relations_added"]) == (0, ["Ann"], 1)
    assert index(conn, "Ann")["unchanged"] == 1
    assert asked(model) == []


def test_an_answer_cut_off_again_is_not_asked_for_for_ever(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.cut(json.dumps(founding("Ann")).index('"triples"')), where=is_chat)
    index(conn, "Ann", document="a")
    asked(model)
    before = index(conn, "Ann", document="a")
    assert (before["unchanged"], before["llm_calls"]) == (1, 0)
    assert index(conn, "Ann", document="a", source="x")["cached"] == 0
    assert index(conn, "Ann", document="b", metadata={"title": "a"})["cached"] == 1, "under the same limit"
    rows(conn, "set_endpoint", "extraction", model.url, "bigger", realm=REALM)
    assert index(conn, "Ann", document="a")["llm_calls"] == 1
    assert index(conn, "Ann", document="a")["llm_calls"] == 0


def test_a_server_that_is_down_is_not_asked_for_every_batch(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann")
    asked(model)
    rows(conn, "set_endpoint", "auxiliary", "http://127.0.0.1:9/v1", "x", realm=None)
    rows(
        conn,
        "set_endpoint",
        "extraction",
        "http://127.0.0.1:9/v1",
        "x",
        options={"deadline": 0.2},
        realm=REALM,
    )
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(2), realm=REALM)
    rows(conn, "configure", "confidence_floor", Jsonb(0), realm=REALM)
    with pytest.raises(Exception, match="no new chunk"):
        index(conn, *PEOPLE[:9])
    assert asked(model) == []


# ---------------------------------------------------------------- forgetting
@pytest.mark.usefixtures("model")
def test_old_answers_are_forgotten(conn: Connection) -> None:
    index(conn, "Ann", "Bob", document=None)
    index(conn, "Ann", document=None, space="other")
    forget = "select graphrag._forget_answers({})"

    def forgotten(arguments: str) -> int:
        conn.execute("begin")
        conn.execute("set local search_path = kb, pg_catalog")
        found = value(conn, forget.format(arguments))
        conn.execute("commit")
        return int(found)

    assert forgotten("now() - interval '1 hour'") == 0
    assert forgotten("'infinity', bodies => array[sha256('nothing')]") == 0
    hashed = f"array[sha256(convert_to('{paragraph('Ann')}', 'UTF8'))]"
    assert forgotten(f"'infinity', 'default', {hashed}") == 1
    assert forgotten("'infinity', space => 'other'") == 1
    assert forgotten("'infinity'") == 1
    assert index(conn, "Ann", "Bob", "Carla", document=None)["cached"] == 0


# ---------------------------------------------------------------- known names
def test_names_become_known_batch_by_batch(conn: Connection, model: Endpoint) -> None:
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(2), realm=REALM)
    index(conn, *PEOPLE[:5])
    seen = {str(chat.text).split(maxsplit=1)[0]: known(chat) for chat in model.chats}
    assert seen == {
        "Ann": [],
        "Bob": [],
        "Carla": ["Acme", "Ann", "Bob"],
        "Dmitri": ["Acme", "Ann", "Bob"],
        "Eve": ["Acme", "Ann", "Bob", "Carla", "Dmitri"],
    }


def test_names_of_unchanged_and_of_cached_chunks_are_known(conn: Connection, model: Endpoint) -> None:
    index(conn, "Ann", "Bob", "Carla")
    index(conn, "Fay", document="other")
    asked(model)
    index(conn, "Ann", "Dmitri", "Carla")
    (edit,) = model.chats
    assert known(edit) == ["Acme", "Ann", "Carla"], "of the document as it is to be, in the order of the text"
    model.requests.clear()
    index(conn, "Ann", "Bob", "Gus", document="copy", metadata={"title": "a"})
    (new,) = model.chats
    assert known(new) == ["Acme", "Ann", "Bob"]


def test_known_names_are_canonical_and_pass_the_gates(conn: Connection, model: Endpoint) -> None:
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(1), realm=REALM)
    answers = [
        {"entities": [{"name": "Babbage"}, {"name": "she"}, {"name": "1843"}, {"name": "x" * 150}]},
        {"entities": [{"name": "Charles Babbage", "aliases": ["BABBAGE"]}]},
        {"entities": []},
    ]
    model.queue.extend(json.dumps(answer) for answer in answers)
    index(conn, "Ann", "Bob", "Carla")
    assert [known(chat) for chat in model.chats] == [[], ["Babbage"], ["Charles Babbage"]]


def test_at_most_forty_and_the_commonest_stay(conn: Connection, model: Endpoint) -> None:
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(1), realm=REALM)
    many = [f"{first}{second} Smith" for first, second in itertools.product("ABCDEFGH", "aeiouy")]
    answers = [[*many], ["Zoë Late"], ["Zoë Late"], []]
    for names in answers:
        model.queue.append(json.dumps({"entities": [{"name": name} for name in names]}))
    index(conn, *PEOPLE[:4])
    last = known(model.chats[-1])
    assert len(last) == 40
    assert last == [*sorted(many)[:39], "Zoë Late"]
    model.queue.extend(json.dumps({"entities": [{"name": name} for name in names]}) for names in answers)
    model.requests.clear()
    index(conn, *PEOPLE[:4], source="again")
    assert known(model.chats[-1]) == last

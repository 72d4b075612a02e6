"""Questions: what each mode gives, which time it is about, and that an answer's citations are checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows, set_models
from tests.support.corpus import as_json
from tests.support.database import Connection, Database, Row
from tests.support.endpoint import Endpoint, Request, is_keywords
from tests.support.listening import heard
from tests.support.model import Entity, Extraction, Triple

QUESTION = "Where does Ann live?"


def tell(
    conn: Connection, document: str, text: str, *triples: Triple, year: int, realm: str = "default"
) -> Row:
    """Index a dated text; the endpoints of its triples are its entities."""
    ends = dict.fromkeys(
        end for t in triples for end in ((t.subject,) if t.is_value else (t.subject, t.object))
    )
    entities = tuple(Entity(end, "Person" if end == "Ann" else None) for end in ends)
    published_at = datetime(year, 1, 1, tzinfo=UTC)
    said = as_json(Extraction(entities, triples))
    return row(
        conn, "index", text, document=document, published_at=published_at, extraction=said, realm=realm
    )


@pytest.fixture(scope="module")
def told(module_database: Database) -> Iterator[Connection]:
    """Ann moves from Paris to Berlin, founds Acme and, as a later text says, never worked for Globex."""
    with module_database.connect() as conn:
        rows(conn, "create_realm", "default", embedding_url="builtin:hash", width=32)
        rows(conn, "declare_predicate", "lives_in", is_functional=True)
        rows(conn, "declare_predicate", "reported_revenue", is_value=True)
        tell(conn, "letter", "Ann lives in Paris.", Triple("Ann", "lives_in", "Paris"), year=2010)
        tell(conn, "news", "Ann lives in Berlin.", Triple("Ann", "lives_in", "Berlin"), year=2020)
        founded = Triple("Ann", "founded", "Acme", valid_from="2012")
        revenue = Triple(
            "Acme", "reported_revenue", "$3 million", is_value=True, valid_from="2019", valid_to="2019"
        )
        tell(
            conn,
            "filing",
            "Ann founded Acme in 2012. Acme made $3 million in 2019.",
            founded,
            revenue,
            year=2021,
        )
        denied = Triple("Ann", "worked_for", "Globex", negated=True)
        tell(conn, "denial", "Ann never worked for Globex.", denied, year=2022)
        yield conn


@pytest.fixture
def conn(told: Connection) -> Iterator[Connection]:
    """The told realm; what a test changes is rolled back."""
    with told.transaction(force_rollback=True):
        yield told


@pytest.fixture
def corpus(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """The endpoint that answers questions about the told realm."""
    set_models(conn, endpoint)
    return endpoint


def texts(found: list[Row], kind: str) -> list[str]:
    return [piece["text"] for piece in found if piece["kind"] == kind]


def synthesis(endpoint: Endpoint) -> Request:
    """The request that asked for the answer."""
    (request,) = [chat for chat in endpoint.chats if not is_keywords(chat)]
    return request


# ---------------------------------------------------------------- evidence
@pytest.mark.usefixtures("corpus")
def test_current_facts_are_found_and_superseded_ones_hidden(conn: Connection) -> None:
    relations = texts(rows(conn, "retrieve", QUESTION), "relation")
    assert any("Berlin" in text for text in relations)
    assert not any("Paris" in text for text in relations)


def test_superseded_facts_are_shown_when_asked_for(conn: Connection, corpus: Endpoint) -> None:
    found = rows(conn, "retrieve", QUESTION, include_superseded=True)
    statuses = {piece["text"]: piece["status"] for piece in found if piece["kind"] == "relation"}
    assert {status for text, status in statuses.items() if "Paris" in text} == {"superseded"}
    assert {status for text, status in statuses.items() if "Berlin" in text} == {"current"}
    assert corpus.requests == [], "builtin:hash and a question alone need no network"


@pytest.mark.parametrize(
    ("as_of", "city"),
    [("2015", "Paris"), ("2005", "Paris"), ("2024-06-30", "Berlin"), ("2020-01-01T00:00:00Z", "Berlin"),
     ("2019-12-31T23:59:59+02:00", "Paris"), ("2020-01-01T00:30:00+02:00", "Paris")],
)  # fmt: skip
@pytest.mark.parametrize("time_zone", ["UTC", "Asia/Tokyo"])
@pytest.mark.usefixtures("corpus")
def test_as_of_decides_by_the_effective_period(
    conn: Connection, as_of: str, city: str, time_zone: str
) -> None:
    conn.execute(f"set time zone '{time_zone}'")
    relations = [
        text for text in texts(rows(conn, "retrieve", QUESTION, as_of=as_of), "relation") if "lives" in text
    ]
    assert len(relations) == 1
    assert city in relations[0]


@pytest.mark.usefixtures("corpus")
def test_as_of_a_year_of_change_matches_both(conn: Connection) -> None:
    tell(
        conn,
        "move",
        "In May 2023 Ann moved to Rome.",
        Triple("Ann", "lives_in", "Rome", valid_from="2023-05"),
        year=2023,
    )
    found = " ".join(texts(rows(conn, "retrieve", QUESTION, as_of="2023"), "relation"))
    assert "Rome" in found
    assert "Berlin" in found


@pytest.mark.usefixtures("corpus")
def test_a_denial_says_so(conn: Connection) -> None:
    relations = texts(rows(conn, "retrieve", "Did Ann work for Globex?"), "relation")
    assert any("NOT worked_for" in text for text in relations), relations
    prompt = row(conn, "context", "Did Ann work for Globex?")["prompt"]
    assert re.search(r"\(Ann\) --\[NOT worked_for\]--> \(Globex\)", prompt)


@pytest.mark.usefixtures("corpus")
def test_naive_has_passages_only(conn: Connection) -> None:
    found = rows(conn, "retrieve", QUESTION, mode="naive")
    assert {piece["kind"] for piece in found} == {"chunk"}
    assert rows(conn, "retrieve", QUESTION, mode="bypass") == []


@pytest.mark.usefixtures("corpus")
def test_top_k_bounds_each_kind(conn: Connection) -> None:
    found = rows(conn, "retrieve", "Ann", top_k=1)
    assert [len(texts(found, kind)) for kind in ("chunk", "entity")] == [1, 1]
    assert 1 <= len(texts(found, "relation")) <= 3


@pytest.mark.usefixtures("corpus")
def test_relation_types_are_obeyed(conn: Connection) -> None:
    relations = texts(rows(conn, "retrieve", "Ann", relation_types=["founded"]), "relation")
    assert len(relations) == 1
    assert "founded" in relations[0]


@pytest.mark.usefixtures("corpus")
def test_the_walk_is_as_long_as_told(conn: Connection) -> None:
    tell(conn, "plant", "Acme owns Werk Nord.", Triple("Acme", "owns", "Werk Nord"), year=2021)
    for longest in (1, 2):
        found = rows(
            conn,
            "retrieve",
            "Ann",
            max_hops=longest,
            top_k=1,
            walk="hops",
            relation_types=["founded", "owns"],
        )
        hops = {piece["predicate"]: piece["hop"] for piece in found if piece["kind"] == "relation"}
        assert hops["founded"] == 1
        assert hops.get("owns") == (2 if longest == 2 else None)


@pytest.mark.usefixtures("corpus")
def test_a_question_of_operators_is_plain_text(conn: Connection) -> None:
    for question in ('Ann & | ! :* "', "$$; drop schema", "<->", "'", "%", "🙂", "(((", "Ann\\"):
        rows(conn, "retrieve", question)


def test_a_vector_of_ones_own_needs_no_endpoint(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "create_realm", "served", embedding_url=endpoint.url, embedding_model="scripted", width=32)
    tell(conn, "letter", "Ann lives in Paris.", Triple("Ann", "lives_in", "Paris"), year=2010, realm="served")
    endpoint.requests.clear()
    vector = "{" + ",".join(map(str, faults.hashed_vector("Ann lives in Paris.", 32))) + "}"
    found = rows(conn, "retrieve", QUESTION, embedding=vector, realm="served")
    assert any("Paris" in text for text in texts(found, "chunk"))
    assert endpoint.requests == []


@pytest.mark.usefixtures("corpus")
def test_the_same_question_has_the_same_answer(conn: Connection) -> None:
    assert rows(conn, "retrieve", QUESTION) == rows(conn, "retrieve", QUESTION)


# ---------------------------------------------------------------- context
def test_the_context_is_the_prompt(conn: Connection, corpus: Endpoint) -> None:
    shown = row(conn, "context", QUESTION)
    row(conn, "query", QUESTION)
    sent = synthesis(corpus)
    assert sent.message("user") == shown["prompt"]
    assert shown["characters_prompted"] == shown["characters_retrieved"] == len(sent.evidence or "")
    assert shown["prompt"].splitlines()[-1] == f"Question: {QUESTION}"


@pytest.mark.usefixtures("corpus")
def test_a_budget_clips(conn: Connection) -> None:
    whole = row(conn, "context", QUESTION)
    for clipped in (row(conn, "context", QUESTION, budget=50), configured(conn, "evidence_budget", "50")):
        assert clipped["characters_retrieved"] == whole["characters_retrieved"]
        assert 0 < clipped["characters_prompted"] < whole["characters_prompted"]


@pytest.mark.usefixtures("corpus")
def test_every_kind_has_its_share_of_a_budget(conn: Connection) -> None:
    tell(conn, "essay", "Ann lives in Berlin. " * 40, Triple("Ann", "lives_in", "Berlin"), year=2021)
    prompt = row(conn, "context", QUESTION, budget=600)["prompt"]
    for heading in ("# Passages", "# Entities", "# Relations"):
        assert heading in prompt
    assert "\n(Ann) --[" in prompt


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("budget", -1),
        ("community_level", -1),
        ("relation_types", [""]),
        ("relation_types", []),
        ("entity_types", [None]),
        ("entity_types", []),
        ("keywords", "lexcal"),
        ("keywords", '["Ann"]'),
        ("keywords", '{"low": "Ann"}'),
        ("keywords", '{"low": [""]}'),
        ("keywords", '{"lo": ["Ann"]}'),
        ("rerank", ["mmmr"]),
        ("rerank", ["endpoint", "llm"]),
    ],
)
def test_an_impossible_argument_is_refused(conn: Connection, name: str, wrong: object) -> None:
    with conn.transaction(force_rollback=True):
        refused("GR009", (name,), lambda: rows(conn, "context", "Ann", **{name: wrong}))


@pytest.mark.usefixtures("corpus")
def test_a_name_that_the_realm_does_not_know_is_told(conn: Connection) -> None:
    with heard(conn) as said:
        found = rows(
            conn, "retrieve", "Ann", relation_types=["livs_in", "founded"], entity_types=["Persn", "Person"]
        )
        rows(conn, "retrieve", "Ann", relation_types=["lives in"], entity_types=["Person"])
    assert [message for message, _ in said] == [
        'no relation has the predicate "livs_in"',
        'no entity has the type "Persn"',
    ]
    assert "lives_in" in said[0][1]
    assert "Person" in said[1][1]
    assert texts(found, "entity")


@pytest.mark.usefixtures("corpus")
def test_what_other_spaces_know_is_not_told(conn: Connection) -> None:
    """P6: neither a name that only they have, nor that they have it."""
    with conn.transaction(force_rollback=True):
        rows(
            conn, "index", "Zoe adores Ann.", extraction=Jsonb([["Zoe", "adores", "Ann"]]), space="elsewhere"
        )
        with heard(conn) as said:
            rows(conn, "retrieve", "Ann", relation_types=["adores"])
            rows(conn, "retrieve", "Ann", relation_types=["adors"])
    assert [message for message, _ in said] == [
        'no relation has the predicate "adores"',
        'no relation has the predicate "adors"',
    ]
    assert "adores" not in said[0][1] + said[1][1]


def configured(conn: Connection, setting: str, wanted: str) -> Row:
    """The context under a setting of the realm."""
    rows(conn, "configure", setting, wanted)
    return row(conn, "context", QUESTION)


@pytest.mark.usefixtures("corpus")
def test_the_prompt_marks_periods_and_supersession(conn: Connection) -> None:
    prompt = row(conn, "context", QUESTION, include_superseded=True)["prompt"]
    assert re.search(r"\(Ann\) --\[founded\]--> \(Acme\) \[valid since 2012\]", prompt)
    assert re.search(
        r"\(Ann\) --\[lives_in\]--> \(Paris\) \[valid until 2019; superseded by [^]]*Berlin\]", prompt
    )


def test_the_prompt_says_which_day_it_is_about(conn: Connection, corpus: Endpoint) -> None:
    today = datetime.now(tz=UTC).date().isoformat()
    row(conn, "query", QUESTION, as_of="2015")
    header = synthesis(corpus).message("user").splitlines()
    assert {f"Today: {today}", "As of: 2015"} <= set(header)


# ---------------------------------------------------------------- answers
def numbered(request: Request, fragment: str) -> int:
    """The number under which the evidence offers the first passage that holds the fragment."""
    passage = re.search(
        rf"^\[(\d+)\][^\n]*\n[^\n]*{re.escape(fragment)}", request.evidence or "", re.MULTILINE
    )
    assert passage, request.evidence
    return int(passage[1])


def test_an_answer_cites_its_documents(conn: Connection, corpus: Endpoint) -> None:
    corpus.on_synthesis = lambda request: f"In Berlin [{numbered(request, 'lives in Berlin')}]."
    answered = row(conn, "query", QUESTION)
    (citation,) = answered["citations"]
    assert answered["answer"] == f"In Berlin [{citation['reference']}]."
    assert citation["document"] == "news"
    assert answered["mode"] == "mix"
    assert any("Berlin" in str(relation) for relation in answered["relations"])


def test_a_citation_of_nothing_is_removed_and_counted(conn: Connection, corpus: Endpoint) -> None:
    corpus.on_synthesis = lambda request: f"In Berlin [99] [{numbered(request, 'lives in Berlin')}, 77]."
    answered = row(conn, "query", QUESTION)
    assert "99" not in answered["answer"]
    assert "77" not in answered["answer"]
    assert [citation["document"] for citation in answered["citations"]] == ["news"]
    assert answered["usage"]["citations_removed"] == 2


def test_ranges_and_lists_of_citations_are_checked_number_by_number(
    conn: Connection, corpus: Endpoint
) -> None:
    said: list[str] = []

    def answer(request: Request) -> str:
        known = numbered(request, "lives in Berlin")
        said.append(
            f"Berlin [{known}-{known}], later [{known}–999] [900-902; 905]; [2010-2012] [2010-05] [{known} ,{known}]."
        )
        return said[0]

    corpus.on_synthesis = answer
    answered = row(conn, "query", QUESTION)
    evidence = synthesis(corpus).evidence or ""
    offered = sorted({int(number) for number in re.findall(r"^\[(\d+)\]", evidence, re.MULTILINE)})
    known = int(re.search(r"\[(\d+)-", said[0])[1])  # type: ignore[index]
    cited = ", ".join(str(number) for number in offered if number >= known)
    assert answered["answer"] == (
        f"Berlin [{known}-{known}], later [{cited}]; [2010-2012] [2010-05] [{known} ,{known}]."
    )
    assert {citation["reference"] for citation in answered["citations"]} == {
        number for number in offered if number >= known
    }
    assert answered["usage"]["citations_removed"] == len(set(range(known, 1000)) - set(offered))


def test_instructions_reach_the_prompt_only(conn: Connection, corpus: Endpoint) -> None:
    plain = row(conn, "query", QUESTION)
    corpus.requests.clear()
    told = row(conn, "query", QUESTION, instructions="Answer like Globex in Paris.")
    assert "Answer like Globex in Paris." in synthesis(corpus).message("user")
    for part in ("keywords", "relations", "chunks", "entities"):
        assert told[part] == plain[part]


def test_bypass_asks_the_model_alone(conn: Connection, corpus: Endpoint) -> None:
    corpus.on_synthesis = lambda _: "I think so [1]."
    answered = row(conn, "query", QUESTION, mode="bypass")
    assert answered["mode"] == "bypass"
    assert (answered["citations"], answered["chunks"], answered["relations"]) == ([], [], [])
    assert not synthesis(corpus).evidence


def test_history_stands_before_the_question(conn: Connection, corpus: Endpoint) -> None:
    turns = [{"role": "user", "content": "Who is Ann?"}, {"role": "assistant", "content": "A founder."}]
    row(conn, "query", QUESTION, history=Jsonb(turns))
    said: list[dict[str, Any]] = synthesis(corpus).body["messages"]
    assert [message["content"] for message in said if message in turns] == ["Who is Ann?", "A founder."]
    assert QUESTION in said[-1]["content"]


@pytest.mark.usefixtures("corpus")
def test_an_answer_says_how_much_was_retrieved_and_prompted(conn: Connection) -> None:
    whole = row(conn, "context", QUESTION)
    for budget in (0, 100):
        shown = row(conn, "context", QUESTION, budget=budget)
        usage = row(conn, "query", QUESTION, budget=budget)["usage"]
        assert usage["characters_retrieved"] == whole["characters_retrieved"]
        assert usage["characters_prompted"] == shown["characters_prompted"]
    usage = row(conn, "query", QUESTION, mode="bypass")["usage"]
    assert (usage["characters_retrieved"], usage["characters_prompted"]) == (0, 0)


@pytest.mark.usefixtures("corpus")
def test_usage_is_reported(conn: Connection) -> None:
    usage = row(conn, "query", QUESTION, mode="naive")["usage"]
    assert (usage["calls"], usage["input_tokens"], usage["output_tokens"]) == (1, 100, 10)


def test_a_realm_without_a_graph_still_answers(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "create_realm", "plain", embedding_url="builtin:hash", width=32)
    nothing: dict[str, Any] = {"entities": [], "triples": []}
    row(conn, "index", "Ann lives in Paris.", document="letter", extraction=nothing, realm="plain")
    set_models(conn, endpoint, realm="plain")
    endpoint.on_synthesis = lambda _: "In Paris [1]."
    for mode in ("mix", "naive"):
        answered = row(conn, "query", QUESTION, mode=mode, realm="plain")
        assert [citation["document"] for citation in answered["citations"]] == ["letter"]


def test_an_empty_realm_answers_that_it_knows_nothing(conn: Connection, endpoint: Endpoint) -> None:
    rows(conn, "create_realm", "plain", embedding_url="builtin:hash", width=32)
    set_models(conn, endpoint, realm="plain")
    assert rows(conn, "retrieve", QUESTION, realm="plain") == []
    assert row(conn, "query", QUESTION, realm="plain")["citations"] == []

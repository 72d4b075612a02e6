"""From an answer to the characters it rests on: citation, relation, assertion, span, document."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import row, rows
from tests.support.database import Connection, Row, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.reading import REALM, fresh, make_realm

QUOTE = "Zoë Müller founded Café Électrique in 1921."
PLACE = {"page": 12, "paragraph": "3b", "category": "letters", "collection": "Zürich"}


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def model(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A realm whose model finds who founded the café where a passage says so, and answers with the first document."""
    make_realm(conn, endpoint)
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    endpoint.on_synthesis = lambda _: "Zoë Müller did [1]."
    return endpoint


def finds(evidence: str | None, **more: Any) -> dict[str, Any]:
    return {
        "entities": [{"name": "Zoë Müller", "type": "Person"}, {"name": "Café Électrique"}],
        "triples": [
            {
                "subject": "Zoë Müller",
                "predicate": "founded",
                "object": "Café Électrique",
                "evidence": evidence,
                "confidence": 0.8,
                "description": "She founded it.",
                **more,
            }
        ],
    }


def walk(conn: Connection) -> list[Row]:
    """The assertions behind the first citation of an answer."""
    answer = row(conn, "query", "Who founded Café Électrique?", realm=REALM)
    (citation,) = answer["citations"]
    cited = [
        relation for relation in answer["relations"] if relation.get("reference") == citation["reference"]
    ]
    assert cited, answer["relations"]
    return sql(
        conn,
        "select * from kb.assertions where relation = any (%s) order by document, chunk",
        [[relation["metadata"]["relation"] for relation in cited]],
    )


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


BEFORE = "It was a wet spring 🌧️👩‍👩‍👧. " * 12
AFTER = "Nobody remembers the winter after it. " * 12
TEXTS = {
    "plain": (f"{BEFORE}{QUOTE} {AFTER}", QUOTE, QUOTE),
    "line ends and a mark": (f"\ufeff{BEFORE}\r\n\r\n{QUOTE}\r\n{AFTER}\u200b", QUOTE, QUOTE),
    "accents apart in the text": (nfd(f"{BEFORE}{QUOTE} {AFTER}"), QUOTE, nfd(QUOTE)),
    "accents apart in the quote": (f"{BEFORE}{QUOTE} {AFTER}", nfd(QUOTE), QUOTE),
    "wrapped in lines": (
        f"{BEFORE}Zoë Müller founded\r\nCafé Électrique in 1921. {AFTER}",
        QUOTE,
        QUOTE.replace("founded ", "founded\n"),
    ),
    "the sentence, without a quote": (f"{BEFORE}{QUOTE} {AFTER}", None, QUOTE),
    "the sentence, for a quote that is not there": (f"{BEFORE}{QUOTE} {AFTER}", "She did it.", QUOTE),
    "accents apart and no quote": (nfd(f"{BEFORE}{QUOTE} {AFTER}"), None, nfd(QUOTE)),
    "two sentences": (
        f"{BEFORE}Zoë Müller had no money. But she founded Café Électrique. {AFTER}",
        None,
        "Zoë Müller had no money. But she founded Café Électrique.",
    ),
    "an ideographic full stop": (
        f"東京は雨だった。Zoë Müller founded Café Électrique。{AFTER}",
        None,
        "Zoë Müller founded Café Électrique。",
    ),
}


@pytest.mark.parametrize(("text", "quoted", "found"), TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("overlap", [0, 100])
def test_the_way_from_an_answer_to_the_characters(
    conn: Connection, model: Endpoint, text: str, quoted: str | None, found: str, overlap: int
) -> None:
    rows(conn, "configure", "chunk_overlap", Jsonb(overlap), realm=REALM)
    is_told = [nfd("Zoë Müller"), "Zoë Müller"]
    model.on_extraction = lambda body: finds(quoted) if any(name in body for name in is_told) else {}
    result = row(conn, "index", text, document="diary", metadata=PLACE, realm=REALM)
    assert result["chunks"] > 1
    assertions = walk(conn)
    assert assertions
    cleaned = value(conn, "select graphrag._clean_text(%s)", [text])
    for said in assertions:
        assert said["evidence"] == cleaned[said["start_at"] : said["end_at"]]
        assert (said["document"], said["extractor"], said["description"]) == (
            "diary",
            "scripted",
            "She founded it.",
        )
        assert (round(said["confidence"], 2), said["negated"]) == (0.8, False)
        assert said["prompt"] == value(conn, "select graphrag._prompt_version()")
    assert found in {said["evidence"] for said in assertions}


def test_the_same_sentence_in_two_overlapping_chunks_is_at_one_place(
    conn: Connection, model: Endpoint
) -> None:
    rows(conn, "configure", "chunk_overlap", Jsonb(140), realm=REALM)
    model.on_extraction = lambda body: finds(QUOTE) if QUOTE in body else {}
    filler = "It rained. " * 20
    places = set()
    counts = []
    for cut in range(0, 200, 20):
        text = filler[cut:] + QUOTE + " " + AFTER
        row(conn, "index", text, document="diary", realm=REALM)
        assertions = walk(conn)
        counts.append(len(assertions))
        places |= {said["start_at"] - text.index(QUOTE) for said in assertions}
    assert places == {0}
    assert max(counts) == 2, "no text of these had its sentence in two chunks"


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("text", "triple", "evidence"),
    [
        ("Canada honoured Robert. Then Ada met Robert.", ["Ada", "met", "Robert"], "Then Ada met Robert."),
        ("Robert sang. Zoë met Robert. He left.", ["Zoe", "met", "Robert"], "Zoë met Robert."),
        ("It is old. Acme sells a data hub. Buy it.", ["Acme", "sells", "DataHub"], "Acme sells a data hub."),
        ("He sat. Robert met O’Neil. She sat.", ["Robert", "met", "O'Neil"], "Robert met O’Neil."),
        (
            "She sat. The Cratchits met Robert. He sat.",
            ["Robert", "met", "Cratchit"],
            "The Cratchits met Robert.",
        ),
        ("他走了。田中太郎は東京に住む。", ["田中太郎", "lives_in", "東京"], "田中太郎は東京に住む。"),
        (
            "She sat. Acme paid $1,250.50 in June. He sat.",
            ["Acme", "paid", "$1,250.50"],
            "Acme paid $1,250.50 in June.",
        ),
        (
            "Acme grew. It paid $5. Bolt paid $50. Acme paid.",
            ["Acme", "paid", "$5"],
            "Acme grew. It paid $5.",
        ),
    ],
)
def test_the_sentence_that_has_both_names(
    conn: Connection, text: str, triple: list[str], evidence: str
) -> None:
    """As grounding finds names: whole words, however the text spells them."""
    rows(conn, "index", text, document="a", extraction=Jsonb([triple]), realm=REALM)
    (read,) = view(conn, REALM, "assertions")
    assert read["evidence"] == evidence


@pytest.mark.usefixtures("model")
def test_a_chunk_that_is_told_of_twice_has_what_both_say(conn: Connection) -> None:
    text = "Ann met Bob.\n\n" + "Nobody spoke of it at all that year. " * 60
    told = [
        {"no": 1, "triples": [["Ann", "met", "Bob"], ["Ann"]]},
        {"no": 1, "triples": [["Bob", "likes", "Ann"]]},
    ]
    found = row(conn, "index", text, document="a", extraction=Jsonb({"chunks": told}), realm=REALM)
    assert found["chunks"] > 1
    assert found["rejected"] == {"malformed": 1}
    read = view(conn, REALM, "assertions")
    assert {(a["predicate"], a["chunk"]) for a in read} == {("met", 1), ("likes", 1)}


def test_page_paragraph_category_and_collection_reach_chunk_and_citation(
    conn: Connection, model: Endpoint
) -> None:
    model.on_extraction = lambda _: finds(QUOTE)
    row(conn, "index", QUOTE, document="diary", metadata={**PLACE, "secret": "no"}, realm=REALM)
    answer = row(conn, "query", "Who founded Café Électrique?", realm=REALM)
    (citation,) = answer["citations"]
    assert {key: citation.get(key) for key in PLACE} == PLACE
    assert "secret" not in citation
    (passage,) = answer["chunks"]
    assert {key: passage["metadata"].get(key) for key in PLACE} == PLACE
    found = rows(conn, "retrieve", "Who founded Café Électrique?", realm=REALM)
    assert {key: found[0]["metadata"].get(key) for key in PLACE} == PLACE
    row(conn, "index", QUOTE, document="diary", metadata={"page": 13}, realm=REALM)
    (citation,) = row(conn, "query", "Who founded Café Électrique?", realm=REALM)["citations"]
    assert (citation["page"], "collection" in citation) == (13, False)


VALUES = {
    "symmetric": {"subject": "Ann", "predicate": "married_to", "object": "Bob"},
    "the other way round": {"subject": "Bob", "predicate": "married_to", "object": "Ann"},
    "inverse": {"subject": "Acme", "predicate": "employs", "object": "Ann"},
    "denied": {"subject": "Ann", "predicate": "works_for", "object": "Acme", "negated": True},
    "figure": {"subject": "Acme", "predicate": "reported_revenue", "object": "$3 million", "valid_from": "2021-Q3"},
    "undated figure": {"subject": "Acme", "predicate": "reported_revenue", "object": "$3 million"},
    "alias": {"subject": "Annie", "predicate": "founded", "object": "Acme"},
}  # fmt: skip


@pytest.mark.parametrize("triple", VALUES.values(), ids=VALUES.keys())
def test_every_kind_of_assertion_has_its_relation(conn: Connection, triple: dict[str, Any]) -> None:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=8)
    rows(conn, "declare_predicate", "married_to", is_symmetric=True, realm=REALM)
    rows(conn, "declare_predicate", "works_for", realm=REALM)
    rows(conn, "declare_predicate", "employs", inverse_of="works_for", realm=REALM)
    rows(conn, "declare_predicate", "reported_revenue", is_value=True, realm=REALM)
    text = "Ann, called Annie, married Bob. Acme employs Ann and made $3 million."
    extraction = {
        "entities": [{"name": "Ann", "aliases": ["Annie"]}, {"name": "Bob"}, {"name": "Acme"}],
        "triples": [triple, {"subject": "Ann", "predicate": "knows", "object": "Bob"}],
    }
    row(conn, "index", text, document="a", extraction=extraction, realm=REALM)
    found = sql(
        conn,
        """
        select f.predicate, f.negated, f.value
        from kb.assertions as a
        join kb.facts as f using (relation)
        where a.predicate <> 'knows'
        """,
    )
    assert len(found) == 1
    assert found[0]["negated"] == triple.get("negated", False)


CAROL = (
    Path(os.environ.get("GRAPHRAG_DATA") or Path(__file__).resolve().parents[2].parent / "shared/data")
    / "christmas_carol/a_christmas_carol.txt"
)


@pytest.mark.skipif(not CAROL.exists(), reason=f"no real text: {CAROL} is not there")
def test_every_quote_of_a_real_text_is_found_where_it_stands(conn: Connection, model: Endpoint) -> None:
    """A long sentence of each passage is quoted, blanks and quotation marks as a model would write them."""
    for name, size in (("chunk_size", 2000), ("chunk_overlap", 200)):
        rows(conn, "configure", name, Jsonb(size), realm=REALM)
    text = CAROL.read_text(encoding="utf-8-sig")[:60_000]
    quotes: dict[str, str] = {}

    def answer(body: str) -> dict[str, Any]:
        sentence = max(re.findall(r"[A-Z][^.!?]{60,300}[.!?]", body), key=len, default="")
        quotes[body] = sentence
        told = " ".join(sentence.split()).replace("“", '"').replace("”", '"').replace("’", "'")
        triple = {"subject": "Scrooge", "predicate": "met", "object": "Marley", "evidence": told}
        return {"entities": [{"name": "Scrooge"}, {"name": "Marley"}], "triples": [triple]}

    model.on_extraction = answer
    rows(conn, "configure", "grounding", Jsonb(False), realm=REALM)
    row(conn, "index", text, document="carol", realm=REALM)
    found = sql(conn, "select start_at, end_at, evidence, relation from kb.assertions order by chunk")
    assert len(found) == len(quotes) > 20
    cleaned = value(conn, "select graphrag._clean_text(%s)", [text])
    for said in found:
        assert said["evidence"] == cleaned[said["start_at"] : said["end_at"]]
    assert sorted(said["evidence"] for said in found) == sorted(quotes.values())
    assert len({said["relation"] for said in found}) == 1

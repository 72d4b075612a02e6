"""A real, very small language model behind the extension: what holds whatever it says, never what it says.

Opt-in: GRAPHRAG_SMALL_LLM_URL is the base URL of an OpenAI-compatible chat server, such as the second line that
`LLM=smollm2 bench/local_models/serve.sh start` prints.
"""

from __future__ import annotations

import json
import os
import re
import urllib.request

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import row, rows
from tests.support.database import Connection, Row, sql, value, view
from tests.support.reading import fresh

URL = os.environ.get("GRAPHRAG_SMALL_LLM_URL", "").rstrip("/")
MODEL = os.environ.get("GRAPHRAG_SMALL_LLM_MODEL", "")
REALM = "small"
TEXT = """Mira Voss was born in Prague in 1979. In 2004 she founded Calder Steel together with Jonas Lind.

Calder Steel opened a plant in Linz in 2011. Harlan Group bought the plant in March 2021 for $40 million."""

pytestmark = pytest.mark.skipif(not URL, reason="GRAPHRAG_SMALL_LLM_URL is not set")


def model_name() -> str:
    """What the server calls its only model, unless told."""
    if MODEL:
        return MODEL
    with urllib.request.urlopen(f"{URL}/models", timeout=10) as answer:
        return str(json.load(answer)["data"][0]["id"])


@pytest.fixture(scope="module")
def conn(session: Connection) -> Connection:
    """A realm that the small model reads and answers for, with one document indexed if it can be."""
    fresh(session)
    session.execute("set statement_timeout = '15min'")
    rows(session, "create_realm", REALM, "builtin:hash", width=64)
    options = {"deadline": 240, "extra": {"max_tokens": 400}}
    rows(session, "set_endpoint", "extraction", URL, model_name(), options=options, realm=REALM)
    rows(session, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    for name, size in (("chunk_size", 200), ("chunk_overlap", 0)):
        rows(session, "configure", name, Jsonb(size), realm=REALM)
    return session


@pytest.fixture(scope="module")
def indexed(conn: Connection) -> Row:
    return row(conn, "index", TEXT, document="plant", published_at="2021-04-01", realm=REALM)


def test_every_chunk_is_read_or_listed_with_a_reason(conn: Connection, indexed: Row) -> None:
    assert indexed["chunks"] == value(conn, "select count(*) from small.document_chunk")
    assert indexed["failed"] == len(indexed["failures"]) < indexed["chunks"]
    for failure in indexed["failures"]:
        assert failure["reason"]
    for chunk in view(conn, REALM, "chunk"):
        assert (chunk["failure"] is None) != (chunk["extractor"] is None)


def test_calls_are_counted(conn: Connection, indexed: Row) -> None:
    calls = view(conn, REALM, "usage")
    assert indexed["llm_calls"] == len(calls) >= indexed["chunks"]
    for call in calls:
        assert call["failure"] or call["latency_ms"] > 0
        assert call["failure"] or call["input_tokens"] > 0


@pytest.mark.usefixtures("indexed")
def test_what_is_stored_is_in_the_text(conn: Connection) -> None:
    """The gates hold for whatever a weak model makes up."""
    text = TEXT.casefold()
    for mention in view(conn, REALM, "mention"):
        words = re.findall(r"\w+", mention["surface"].casefold())
        assert words
        assert all(word in text for word in words), mention["surface"]
    for assertion in view(conn, REALM, "assertions"):
        assert assertion["subject"]
        assert assertion["predicate"] == assertion["predicate"].strip().lower()
        assert (assertion["object"] is None) != (assertion["value"] is None)
    for fact in view(conn, REALM, "facts"):
        assert fact["subject"] != fact["object"]
        assert fact["documents"] == ["plant"]


@pytest.mark.usefixtures("indexed")
def test_the_graph_is_what_its_evidence_says(conn: Connection) -> None:
    assert value(conn, "select count(*) from small.document_version where died is null") == 1
    before = [view(conn, REALM, name) for name in ("facts", "entities")]
    sql(conn, "select graphrag.derive(realm => 'small')")
    assert [view(conn, REALM, name) for name in ("facts", "entities")] == before


@pytest.mark.usefixtures("indexed")
def test_an_answer_cites_only_what_it_was_given(conn: Connection) -> None:
    result = row(conn, "query", "Who bought the plant in Linz?", realm=REALM)
    assert result["answer"].strip()
    assert "<think>" not in result["answer"]
    offered = {chunk["reference"] for chunk in result["chunks"]}
    cited = {int(number) for number in re.findall(r"\[(\d{1,6})\]", result["answer"])}
    assert cited <= offered
    assert {citation["reference"] for citation in result["citations"]} == cited
    assert result["usage"]["model"]
    assert result["usage"]["input_tokens"] > 0


def test_doctor_finds_it(conn: Connection) -> None:
    found = {finding["check"]: finding for finding in rows(conn, "doctor", realm=REALM)}
    assert found["endpoint extraction"]["status"] in ("ok", "warning"), "a slow one is a warning"
    assert URL in found["endpoint extraction"]["detail"]

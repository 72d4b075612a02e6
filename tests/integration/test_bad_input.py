"""A caller's mistakes: each has an SQLSTATE, names the value, says what to do and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from bench.measure import cpu_ms
from tests.support.calls import mistake, refused, row, rows, state
from tests.support.corpus import as_json
from tests.support.database import Connection, Database, sql, value
from tests.support.model import Entity, Extraction, Triple

TEXT = "Ann founded Acme."
SAYS = as_json(Extraction((Entity("Ann"), Entity("Acme")), (Triple("Ann", "founded", "Acme"),)))


# One realm for all of them: that a mistake changes nothing is what they are about.
@pytest.fixture(scope="module")
def conn(module_database: Database) -> Iterator[Connection]:
    with module_database.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def corpus(conn: Connection) -> str:
    """A realm that holds one document."""
    rows(conn, "create_realm", "default", embedding_url="builtin:hash", width=32)
    row(conn, "index", TEXT, document="a", extraction=SAYS)
    return "default"


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\ufeff\r\n", "\u3000"])
def test_empty_document(conn: Connection, corpus: str, text: str) -> None:
    mistake(conn, corpus, "GR001", (), "index", text, document="b")


def test_missing_document(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR001", (), "index", None, document="b")


@pytest.mark.parametrize("mode", ["mixx", "", "MIX "])
@pytest.mark.parametrize("function", ["query", "retrieve", "context"])
def test_unknown_mode(conn: Connection, corpus: str, function: str, mode: str) -> None:
    before = state(conn, corpus)
    said = refused("GR002", (f'"{mode}"',), lambda: rows(conn, function, "Who?", mode=mode))
    for known in ("mix", "naive", "bypass"):
        assert known in f"{said.message_detail} {said.message_hint}"
    assert state(conn, corpus) == before


@pytest.mark.parametrize("function", ["index", "query", "retrieve", "context", "timeline"])
def test_unknown_realm(conn: Connection, corpus: str, function: str) -> None:
    mistake(conn, corpus, "GR003", ("defualt",), function, "Ann", realm="defualt", hint="default")


@pytest.mark.parametrize("function", ["query", "retrieve", "context", "timeline"])
def test_unknown_space(conn: Connection, corpus: str, function: str) -> None:
    mistake(conn, corpus, "GR004", ("defalt",), function, "Ann", space="defalt", hint="default")


def test_unknown_setting(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR005", ("chunk_sise",), "configure", "chunk_sise", "500", hint="chunk_size")


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [("chunk_size", '"many"'), ("chunk_size", "1"), ("supersession_confidence_floor", "7"), ("top_k", "-1")],
)
def test_a_value_that_a_setting_does_not_take(
    conn: Connection, corpus: str, setting: str, wrong: str
) -> None:
    mistake(conn, corpus, "GR011", (setting, wrong), "configure", setting, wrong)


@pytest.mark.parametrize("as_of", ["later", "2023-02-30", "13/45/2026", "2021-13", ""])
def test_as_of_that_is_no_point_in_time(conn: Connection, corpus: str, as_of: str) -> None:
    mistake(conn, corpus, "GR008", (f'"{as_of}"',), "retrieve", "Who?", as_of=as_of)


@pytest.mark.parametrize("named", [{"top_k": 0}, {"top_k": -3}, {"max_hops": -1}])
def test_numbers_out_of_range(conn: Connection, corpus: str, named: dict[str, Any]) -> None:
    ((name, wrong),) = named.items()
    mistake(conn, corpus, "GR009", (name, str(wrong)), "retrieve", "Who?", **named)


@pytest.mark.parametrize("question", ["", "  ", None])
def test_empty_question(conn: Connection, corpus: str, question: str | None) -> None:
    mistake(conn, corpus, "GR009", (), "retrieve", question)


def test_unknown_document(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR012", ("nowhere",), "delete_document", "nowhere")
    mistake(conn, corpus, "GR012", ("a",), "delete_document", "a", source="elsewhere")


@pytest.mark.parametrize(
    ("call", "no_id", "unknown"),
    [
        ("select graphrag.undo({})", ("22P02", "bigint"), ("GR009", "there is no decision 99")),
        (
            "insert into \"default\".assertion (chunk, subject, predicate, object) values ({}, 'Ann', 'met', 'Bob')",
            ("22P02", "bigint"),
            ("23503", "assertion_chunk_fkey"),
        ),
        (
            "select graphrag.retrieve('Ann', as_believed_at => {})",
            ("GR013", '"abc" is neither a watermark nor an instant'),
            ("GR013", 'there is no watermark "99"'),
        ),
        (
            "select graphrag.purge(before => {})",
            ("GR013", '"abc" is neither a watermark nor an instant'),
            ("GR013", 'there is no watermark "99"'),
        ),
        (
            "select graphrag.community_tree(as_believed_at => {})",
            ("GR013", '"abc" is neither a watermark nor an instant'),
            ("GR013", 'there is no watermark "99"'),
        ),
    ],
)
def test_what_is_no_id_is_told_from_one_that_is_not_there(
    conn: Connection, corpus: str, call: str, no_id: tuple[str, str], unknown: tuple[str, str]
) -> None:
    """Case 41: a caller's error either way, never an outage's or the engine's, and never the same."""
    before = state(conn, corpus)
    for given, (sqlstate, says) in (("abc", no_id), ("99", unknown)):
        with pytest.raises(psycopg.Error) as caught:
            sql(conn, call.format(f"'{given}'"))
        assert caught.value.sqlstate == sqlstate
        assert says in str(caught.value)
    assert state(conn, corpus) == before


def test_unknown_preset(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR014", ("biograpy",), "use_preset", "biograpy", hint="biography")


def test_unknown_entity(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR015", ("Acmee",), "timeline", "Acmee", hint="Acme")


@pytest.mark.parametrize(
    "extraction", [{"entities": 3}, {"triples": "none"}, "text"], ids=["number", "string", "text"]
)
def test_extraction_of_the_wrong_shape(conn: Connection, corpus: str, extraction: Any) -> None:
    mistake(conn, corpus, "GR009", ("extraction",), "index", TEXT, document="b", extraction=Jsonb(extraction))


@pytest.mark.usefixtures("corpus")
def test_what_is_too_long_is_refused_before_it_costs(conn: Connection) -> None:
    """A name, type, identifier or list of a model that has lost its mind, in a text of many chunks that states it."""
    endless = " ".join(f"Word{n}" for n in range(5000))
    text = "\n\n".join(
        [f"Ann Gray met Bob Stone on day {n}, " + "and on they walked. " * 20 for n in range(60)] + [endless]
    )
    entities = [
        {"name": endless, "type": "person"},
        {"name": "Ann Gray", "type": endless, "identifiers": [endless, "wikidata:Q1"]},
        {"name": "Bob Stone", "aliases": [f"Bob the {n}th" for n in range(1000)]},
    ]
    triples = [["Ann Gray", "met", endless], [endless, "met", "Bob Stone"], ["Ann Gray", "met", "Bob Stone"]]
    before = cpu_ms(conn)
    rejected = row(
        conn,
        "index",
        text,
        document="endless",
        extraction={"entities": entities, "triples": triples},
        space="endless",
    )["rejected"]
    assert cpu_ms(conn) - before < 20_000  # 33 s for the name alone, once
    assert rejected["over_long"] > 900
    found = (
        'select v.name from "default".entity_version as v join "default".space as s on s.id = v.space'
        " where s.name = 'endless'"
    )
    assert {r["name"] for r in sql(conn, found)} == {"Ann Gray", "Bob Stone"}


@pytest.mark.parametrize(
    ("embedding", "code"),
    [
        ([1.0] * 31, "GR105"),
        ([], "GR105"),
        ([[1.0] * 16, [1.0] * 16], "GR105"),
        ([0.0] * 32, "GR106"),
        ([1e-300] * 32, "GR106"),
        ([1e300] * 32, "GR106"),
        ([1.0] * 31 + [None], "GR106"),
        ([1.0] * 31 + [float("nan")], "GR106"),
        ([1.0] * 31 + [float("inf")], "GR106"),
    ],
    ids=(
        "short",
        "empty",
        "nested",
        "zero",
        "zero in 32 bits",
        "too big for 32 bits",
        "null",
        "NaN",
        "infinite",
    ),
)
def test_a_vector_that_is_none(conn: Connection, corpus: str, embedding: list[Any], code: str) -> None:
    mistake(conn, corpus, code, ("vector",), "retrieve", "Ann", embedding=embedding)


def test_no_endpoint_for_a_first_realm(database: Database) -> None:
    with database.connect() as fresh:
        said = refused("GR010", (), lambda: row(fresh, "index", TEXT, extraction=SAYS))
        advice = f"{said.message_primary} {said.message_detail} {said.message_hint}"
        for way_out in ("set_endpoint", "OPENAI_API_KEY", "builtin:hash"):
            assert way_out in advice
        assert value(fresh, "select count(*) from pg_namespace where nspname = 'default'") == 0


def test_no_endpoint_for_an_answer(conn: Connection, corpus: str) -> None:
    mistake(conn, corpus, "GR010", ("synthesis",), "query", "Who founded Acme?", hint="set_endpoint")

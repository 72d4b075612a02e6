"""Recorded answers of real models through the whole write path: what must hold on any of them.

The public data sets are no part of this repository: GRAPHRAG_DATA says where they are. The figures are those of
`make bench-write`; here are slices of the same, fast enough for every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import psycopg
import pytest
from psycopg.rows import tuple_row

from bench import datasets, write_atom, write_carol, write_musique, write_text2kg
from bench.measure import Connection, value
from bench.replay import read_calls, read_tuples, replay
from tests.support.calls import state
from tests.support.database import Database
from tests.support.endpoint import Endpoint

T = TypeVar("T")


def present(read: Callable[[], T]) -> T:
    """A data set, or a skip that says where it was looked for."""
    try:
        return read()
    except datasets.MissingError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def conn(database: Database) -> Iterator[Connection]:
    with psycopg.connect(database.dsn, autocommit=True, row_factory=tuple_row) as session:
        yield session


# ---------------------------------------------------------------- christmas_carol
def test_every_record_of_the_novels_answers_is_read() -> None:
    for chunk in present(datasets.christmas_carol):
        for raw in (chunk.extracted, chunk.gleaned):
            answer = read_tuples(raw)
            assert len(answer.entities) + len(answer.triples) == answer.begun, chunk.no


@pytest.fixture
def carol(conn: Connection, endpoint: Endpoint) -> dict[str, Any]:
    """Four chunks of the novel, indexed through the endpoint."""
    chunks = present(datasets.christmas_carol)[2:6]
    replay(endpoint, chunks)
    write_carol.create_realm(conn, endpoint, "plain", "fiction")
    return {"chunks": chunks, "result": write_carol.index(conn, write_carol.novel(chunks), "plain")}


def test_the_novel_has_no_duplicates_and_no_pronouns(conn: Connection, carol: dict[str, Any]) -> None:
    graph = write_carol.graph(conn, "plain")
    assert carol["result"]["chunks"] == 4
    assert carol["result"]["failed"] == 0
    assert graph["duplicate_entities"] == graph["duplicate_relations"] == 0
    assert graph["pronouns"] == []
    assert graph["entities"] > 20
    assert graph["relations"] > 20


def test_what_the_gates_refuse_of_the_novel_is_counted_and_listed(
    conn: Connection, carol: dict[str, Any]
) -> None:
    listed: dict[str, int] = dict(
        conn.execute(
            "select r ->> 'reason', count(*)"
            " from plain.chunk, jsonb_array_elements(details -> 'refused') as r group by 1"
        ).fetchall()
    )
    assert listed == carol["result"]["rejected"]


def test_an_unchanged_novel_costs_nothing(
    conn: Connection, endpoint: Endpoint, carol: dict[str, Any]
) -> None:
    figures = write_carol.again(conn, endpoint, carol["chunks"], "plain")
    assert figures == {"model_calls": 0, "revisions": 0}


# ---------------------------------------------------------------- musique_train
def test_passages_with_their_triples_go_in_and_again_change_nothing(
    conn: Connection, database: Database
) -> None:
    passages = present(datasets.musique_train)[:25]
    write_musique.create_realm(conn, "kb", 32)
    for no, passage in enumerate(passages):
        write_musique.index(conn, passage, no)
    with database.connect() as reader:
        before = state(reader, "kb")
        for no, passage in enumerate(passages):
            write_musique.index(conn, passage, no)
        assert state(reader, "kb") == before
    assert value(conn, "select count(*) from kb.document") == 25
    assert value(conn, "select graphrag.derive('kb')") == 0


def test_a_bulk_load_gives_the_same_graph_and_the_same_passages(conn: Connection) -> None:
    passages = present(datasets.musique_train)[:15]
    for realm in ("kb", "bulk"):
        write_musique.create_realm(conn, realm, 32)
    assert value(conn, "select graphrag.drop_vector_indexes('bulk')") == 4
    for realm in ("kb", "bulk"):
        for no, passage in enumerate(passages):
            write_musique.index(conn, passage, no, realm)
    assert value(conn, "select graphrag.build_vector_indexes('bulk')") == 4
    assert value(conn, "select graphrag.build_vector_indexes('bulk')") == 0
    assert write_musique.graph(conn, "bulk") == write_musique.graph(conn, "kb") != set()
    query = (
        "select array_agg(text order by text) from graphrag.retrieve(%s, realm => %s) where kind = 'chunk'"
    )
    question = f"What is {passages[0].title}?"
    assert value(conn, query, [question, "bulk"]) == value(conn, query, [question, "kb"])


# ---------------------------------------------------------------- text2kgbench
def test_well_formed_triples_of_noisy_answers_are_all_recovered() -> None:
    sentences = present(datasets.text2kgbench)
    figures = write_text2kg.recovered(sentences, [read_calls(sentence.answer) for sentence in sentences])
    assert figures["share"] == 1
    assert figures["stated"] > 10_000


def test_the_gates_make_noisy_answers_more_often_right(conn: Connection) -> None:
    sentences = present(datasets.text2kgbench)[::30]
    figures = write_text2kg.gated(conn, sentences, [read_calls(sentence.answer) for sentence in sentences])
    assert figures["with_gates"]["precision"] > 2 * figures["without_gates"]["precision"]
    assert figures["with_gates"]["recall"] > 0.75 * figures["without_gates"]["recall"]


# ---------------------------------------------------------------- atom_nyt
def test_dates_of_real_extractions_are_read_as_they_were_meant(conn: Connection) -> None:
    entries = present(datasets.atom_nyt)
    figures = write_atom.periods(conn, [entry.gold for entry in entries])
    assert figures["stated"] > 500
    assert figures["f1"] >= 0.95


def test_a_second_run_adds_only_what_the_first_lacked(conn: Connection) -> None:
    figures = write_atom.second_run(conn, present(datasets.atom_nyt)[:10])
    assert figures["growth"] <= figures["share_lacking"]

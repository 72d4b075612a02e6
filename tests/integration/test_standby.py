"""A real second server as hot standby: it answers as the primary does, notes nothing, and goes on after promotion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import eventually, row, rows, set_models, state
from tests.support.corpus import differences
from tests.support.database import Connection, Database, Row, sql, value, view
from tests.support.endpoint import Endpoint
from tests.support.feed import Mirror, changes, drain
from tests.support.servers import Server, standby_of

REALM = "kb"
QUESTION = "Where does Ann live?"


@dataclass(frozen=True)
class Pair:
    primary: Connection
    standby: Connection
    server: Server
    endpoint: Endpoint

    def catch_up(self) -> None:
        """Wait until the standby shows what the primary has committed."""
        written = value(self.primary, "select pg_current_wal_lsn()::text")
        replayed = "select pg_last_wal_replay_lsn() >= %s::pg_lsn"
        eventually(lambda: value(self.standby, replayed, [written]), timeout=30)


@pytest.fixture(scope="module")
def pair(module_database: Database) -> Iterator[Pair]:
    with module_database.connect() as conn, Endpoint() as endpoint:
        sql(conn, "select graphrag.set_endpoint('embedding', %s, 'vectors', realm => null)", [endpoint.url])
        rows(conn, "create_realm", REALM, endpoint.url, "vectors")
        set_models(conn, endpoint, realm=REALM)
        endpoint.on_synthesis = lambda _: "In Paris [1]."
        rows(conn, "configure", "telemetry", Jsonb(True), realm=REALM)
        rows(conn, "declare_predicate", "lives_in", is_functional=True, realm=REALM)
        moves(conn, 1, "Paris")
        with standby_of(module_database) as server, server.database(module_database.name).connect() as other:
            yield Pair(conn, other, server, endpoint)


def moves(conn: Connection, number: int, town: str) -> None:
    says = f'[["Ann", "lives_in", "{town}"]]'
    query = "select graphrag.index(%s, document => %s, ordinal => %s, extraction => %s::jsonb, realm => %s)"
    sql(conn, query, [f"Ann lives in {town}.", f"doc {number}", number, says, REALM])


def evidence(conn: Connection, **named: Any) -> list[Row]:
    return rows(conn, "retrieve", QUESTION, realm=REALM, **named)


def test_it_answers_as_the_primary_does_and_writes_nothing(pair: Pair) -> None:
    position = value(pair.primary, "select graphrag.watermark(realm => 'kb')")
    in_paris = evidence(pair.primary)
    moves(pair.primary, 2, "Berlin")
    rows(pair.primary, "build_communities", realm=REALM)
    reads: list[tuple[str, dict[str, Any]]] = [
        ("retrieve", {"question": QUESTION}),
        ("retrieve", {"question": QUESTION, "as_believed_at": position}),
        ("retrieve", {"question": QUESTION, "as_of": "2020"}),
        ("context", {"question": QUESTION}),
        ("timeline", {"entity": "Ann"}),
        ("neighborhood", {"entity": "Ann"}),
        ("community_tree", {}),
        ("watermark", {}),
        ("document_graph", {"document": "doc 2"}),
    ]
    answers = [rows(pair.primary, function, realm=REALM, **named) for function, named in reads]
    facts = view(pair.primary, REALM, "facts")
    assert answers[1] == in_paris != answers[0]
    pair.catch_up()
    assert value(pair.standby, "select pg_is_in_recovery()")
    before = state(pair.standby, REALM)
    asked = len(pair.endpoint.requests)
    for (function, named), answer in zip(reads, answers, strict=True):
        assert rows(pair.standby, function, realm=REALM, **named) == answer, function
    assert view(pair.standby, REALM, "facts") == facts
    asks = row(pair.standby, "query", QUESTION, realm=REALM)
    assert (asks["answer"], asks["usage"]["calls"]) == ("In Paris [1].", 2)
    assert len(pair.endpoint.requests) > asked, "it asks models"
    assert {f["status"] for f in rows(pair.standby, "doctor", REALM)} <= {"ok", "warning", "skipped"}
    assert state(pair.standby, REALM) == before, "neither telemetry nor usage"


def test_what_writes_is_refused_there(pair: Pair) -> None:
    for call in (
        "select graphrag.index('x', realm => 'kb')",
        "select graphrag.delete_document('doc 1', realm => 'kb')",
        "select graphrag.enqueue('x', realm => 'kb')",
        "select graphrag.migrate_realm('kb')",
        "call graphrag.work('kb')",
    ):
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            sql(pair.standby, call)


def test_the_feed_goes_on_there_and_after_its_promotion(pair: Pair) -> None:
    """The last of this module's tests: the standby is one no more."""
    copy = Mirror()
    copy.follow(pair.primary, 3, realm=REALM)
    moves(pair.primary, 3, "Rome")
    moves(pair.primary, 4, "Oslo")
    pair.catch_up()
    seen = drain(pair.primary, realm=REALM)
    assert changes(drain(pair.standby, size=2, realm=REALM)) == changes(seen)
    copy.follow(pair.standby, 2, realm=REALM)
    copy.check(pair.standby, REALM)
    mark = value(pair.standby, "select graphrag.watermark(realm => 'kb')")
    past = evidence(pair.standby)

    pair.server.run("pg_ctl", "-D", str(pair.server.data), "-w", "promote")
    moves(pair.standby, 5, "Lima")
    rows(pair.standby, "delete_document", "doc 3", realm=REALM)
    marks = sql(pair.standby, "select n, at from kb.revision order by n")
    assert [m["n"] for m in marks] == list(range(1, len(marks) + 1))
    assert [m["at"] for m in marks] == sorted(m["at"] for m in marks)
    copy.follow(pair.standby, 2, realm=REALM)
    copy.check(pair.standby, REALM)
    everything = changes(drain(pair.standby, realm=REALM))
    assert everything[: len(seen)] == changes(seen)
    assert len(everything) == len(set(everything)) > len(seen)
    assert evidence(pair.standby, as_believed_at=mark) == past
    assert differences(pair.standby, REALM, "default") == 0

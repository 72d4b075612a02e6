"""A bulk load does many jobs in one transaction: the same graph, and each job's failure its own."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import rows
from tests.support.corpus import differences
from tests.support.database import Connection, sql, value, view
from tests.support.reading import REALM

DOCUMENTS = [
    ("a", 3, "Ada Byron moved to Rome.", ["Ada Byron", "lives_in", "Rome"]),
    ("b", 1, "Ada Byron lives in London.", ["Ada Byron", "lives_in", "London"]),
    ("c", 2, "Ada Byron lives in Paris. Mr. Byron paid $5 million.", ["Ada Byron", "lives_in", "Paris"]),
    ("d", 4, "Bob Stone met Ada Byron.", ["Bob Stone", "met", "Ada Byron"]),
    ("e", 5, "Bob Stone met Ada Byron again in Oslo.", ["Bob Stone", "met", "Ada Byron"]),
]


@pytest.fixture
def kb(conn: Connection) -> Connection:
    make(conn, REALM)
    return conn


def make(conn: Connection, realm: str) -> None:
    rows(conn, "create_realm", realm, embedding_url="builtin:hash", width=32)
    rows(conn, "declare_predicate", "lives_in", is_functional=True, realm=realm)


def enqueue(conn: Connection, name: str, ordinal: int, text: str, *triples: list[str], **named: Any) -> None:
    rows(
        conn, "enqueue", text, document=name, ordinal=ordinal, extraction=Jsonb(triples), realm=REALM, **named
    )


def load(conn: Connection) -> None:
    sql(conn, "call graphrag.work('kb', retry_after => '0 seconds', max_attempts => 2, bulk => true)")


def statuses(conn: Connection) -> dict[str, str]:
    query = "select document, status from kb.job order by id"
    return {found["document"]: found["status"] for found in sql(conn, query)}


def graph(conn: Connection, realm: str) -> list[str]:
    """All that facts and entities say, without their ids."""
    told = (
        "name",
        "aliases",
        "types",
        "subject",
        "predicate",
        "object",
        "weight",
        "valid_from",
        "valid_to",
        "documents",
    )
    found = [*view(conn, realm, "facts"), *view(conn, realm, "entities")]
    return sorted(str([str(one.get(name)) for name in told]) for one in found)


def test_the_graph_is_the_one_of_single_documents_in_one_revision(kb: Connection) -> None:
    make(kb, "single")
    for document in DOCUMENTS:
        enqueue(kb, *document)
        name, ordinal, text, triple = document
        rows(kb, "index", text, document=name, ordinal=ordinal, extraction=Jsonb([triple]), realm="single")
    load(kb)
    assert set(statuses(kb).values()) == {"done"}
    assert value(kb, "select revision from kb.space") == 1
    assert graph(kb, "kb") == graph(kb, "single") != []
    assert differences(kb, REALM, "default") == 0
    added = "select sum((result ->> 'relations_added')::integer), count(*) from kb.job where attempts = 1"
    assert sql(kb, added)[0] == {"sum": value(kb, "select count(*) from kb.relation"), "count": 5}
    for document in DOCUMENTS:
        enqueue(kb, *document)
    load(kb)
    assert value(kb, "select revision from kb.space") == 1, "nothing had changed"


def test_spaces_are_written_together_and_apart(kb: Connection) -> None:
    for name, ordinal, text, triple in DOCUMENTS:
        enqueue(kb, name, ordinal, text, triple, space="one" if ordinal % 2 else "two")
    load(kb)
    assert set(statuses(kb).values()) == {"done"}
    assert [s["revision"] for s in sql(kb, "select revision from kb.space order by name")] == [1, 1]
    assert [differences(kb, REALM, space) for space in ("one", "two")] == [0, 0]


def test_what_fails_or_has_failed_fails_alone(kb: Connection) -> None:
    """An empty document, one that comes twice, one that cannot be written, one whose worker died, a deletion."""
    sql(
        kb,
        """create function kb.refuse() returns trigger language plpgsql as
        $$ begin if new.key = 'bad' then raise 'no'; end if; return new; end $$""",
    )
    sql(kb, "create trigger refuse before insert on kb.document for each row execute function kb.refuse()")
    for document in DOCUMENTS[:3]:
        enqueue(kb, *document)
    enqueue(kb, "empty", 9, " ")
    enqueue(kb, "bad", 9, "Eve met Bob.", ["Eve", "met", "Bob"])
    enqueue(kb, "a", 3, "Ada Byron moved to Turin.", ["Ada Byron", "lives_in", "Turin"])
    enqueue(kb, "d", *DOCUMENTS[3][1:])
    sql(kb, "update kb.job set status = 'running', attempts = 1, worker = 0 where document = 'd'")
    sql(kb, "insert into kb.job (space, operation, document) values ('default', 'delete', 'b')")
    load(kb)
    found = sql(kb, "select document, status, attempts from kb.job order by id")
    assert [(f["document"], f["status"]) for f in found] == [
        ("a", "skipped"), ("b", "skipped"), ("c", "done"), ("empty", "skipped"), ("bad", "failed"), ("a", "done"),
        ("d", "done"), ("b", "skipped"),
    ]  # fmt: skip
    told = rows(kb, "timeline", "Ada Byron", realm=REALM)
    assert {f["object"] for f in told if f["status"] == "current" and f["predicate"] == "lives_in"} == {
        "Turin"
    }
    assert value(kb, "select count(*) from pg_indexes where indexname ~ '^content_vec_'") == 4
    assert differences(kb, REALM, "default") == 0

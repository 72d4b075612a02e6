"""The view history: every version, beside the one that took its place, with who did it."""

from __future__ import annotations

from itertools import pairwise

import psycopg
import pytest

from tests.support.calls import rows
from tests.support.database import Connection, sql, value
from tests.support.reading import REALM


@pytest.fixture
def kb(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
    conn.execute(f"set graphrag.realm = {REALM}")
    rows(conn, "declare_predicate", "lives_in", is_functional=True)
    for ordinal, city in enumerate(("Paris", "Berlin"), 1):
        triple = {"subject": "Ada", "predicate": "lives_in", "object": city}
        rows(
            conn,
            "index",
            f"Ada lives in {city}.",
            document=city,
            ordinal=ordinal,
            extraction={"triples": [triple]},
        )
    rows(conn, "delete_document", "Berlin")
    rows(conn, "index", "Ada lives in Paris.", document="Paris", ordinal=7, extraction={"triples": [triple]})
    return conn


def test_a_relation_s_versions_side_by_side(kb: Connection) -> None:
    number = value(kb, "select min(id) from kb.relation")
    found = sql(kb, "select * from kb.history where kind = 'relation' and id = %s order by born", [number])
    told = [
        (h["born"], h["believed_through"], h["version"]["status"], h["died"], h["ended_through"])
        for h in found
    ]
    assert told == [
        (1, "index", "current", 2, "index"),
        (2, "index", "superseded", 3, "delete_document"),
        (3, "delete_document", "current", 4, "index"),
    ]
    assert [h["next_version"] and h["next_version"]["status"] for h in found] == [
        "superseded",
        "current",
        None,
    ]
    assert all(h["believed_by"] == "postgres" and h["believed_from"] for h in found)
    assert found[0]["version"]["statement"] == "Ada lives in Paris"
    for earlier, later in pairwise(found):
        assert earlier["next_version"] == later["version"]
        assert earlier["believed_until"] == later["believed_from"]


def test_a_realm_outlives_its_extension(kb: Connection) -> None:
    before = sql(kb, "select * from kb.history order by kind, id, born")
    sql(kb, "drop extension graphrag cascade")
    assert sql(kb, "select * from kb.history order by kind, id, born") == before
    sql(kb, "create extension graphrag")
    with pytest.raises(psycopg.Error) as caught:
        rows(kb, "delete_document", "Paris")
    assert caught.value.sqlstate == "GR202"
    assert "migrate_realm" in str(caught.value.diag.message_hint)
    rows(kb, "migrate_realm", REALM)
    rows(kb, "delete_document", "Paris")
    with pytest.raises(psycopg.Error) as caught:
        sql(kb, "update kb.entity_version set born = 1")
    assert caught.value.sqlstate == "GR022"


def test_documents_entities_and_names(kb: Connection) -> None:
    found = sql(
        kb, "select kind, what, born, died, version, next_version from kb.history where kind <> 'relation'"
    )
    documents = {(h["what"], h["born"], h["died"]) for h in found if h["kind"] == "document"}
    assert documents == {("Paris", 1, 4), ("Paris", 4, None), ("Berlin", 2, 3)}
    (moved,) = [h for h in found if h["kind"] == "document" and h["died"] == 4]
    assert (moved["version"]["ordinal"], moved["next_version"]["ordinal"]) == (1, 7)
    names = {(h["what"], h["version"]["role"], h["died"]) for h in found if h["kind"] == "name"}
    assert ("berlin", "canonical", 3) in names
    assert {h["what"] for h in found if h["kind"] == "entity"} >= {"Ada", "Paris", "Berlin"}


@pytest.mark.parametrize("kind", ["entity", "name", "relation", "document"])
def test_one_thing_is_found_by_index(kb: Connection, kind: str) -> None:
    """Nothing of the other kinds is read, and no table of versions as a whole."""
    sql(kb, "set enable_seqscan = off")
    plan = sql(kb, f"explain select * from kb.history where kind = '{kind}' and id = 1")
    lines = [line["QUERY PLAN"] for line in plan]
    assert not [line for line in lines if "Seq Scan" in line]
    own = {
        "entity": "entity_version",
        "name": "entity_name",
        "relation": "relation_version",
        "document": "document_version",
    }
    other = [table for name, table in own.items() if name != kind]
    assert not [line for line in lines for table in other if f" on {table} " in line]

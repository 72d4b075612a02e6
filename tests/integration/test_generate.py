"""The generated graphs of the benchmarks are graphs that indexing could have made."""

from __future__ import annotations

from bench.generate import Size, generate, questions
from tests.support.calls import row, rows
from tests.support.database import Connection, one, value

REALM = "generated"
SIZE = Size(entities=600, relations=2400, spaces=2, width=16)


def test_a_generated_graph_is_what_its_evidence_says(conn: Connection) -> None:
    generate(conn, REALM, SIZE)
    for space in ("default", "space 2"):
        assert row(conn, "derive", realm=REALM, space=space)["derive"] == 0
    shares = one(
        conn,
        "select count(*) as relations, avg((v.status = 'superseded')::int) as superseded,"
        " avg((a.claim is not null)::int) as dated from generated.relation_version as v"
        " cross join lateral (select claim from generated.assertion where content = v.content limit 1) as a"
        " where v.died is null",
    )
    assert shares["relations"] == SIZE.relations
    assert 0.08 < shares["superseded"] <= 0.1
    assert 0.15 < shares["dated"] < 0.25
    assert value(conn, "select count(*) from generated.relation_version where died is not null") > 0


def test_its_questions_have_answers_and_indexing_goes_on(conn: Connection) -> None:
    generate(conn, REALM, SIZE)
    for text, embedding in questions(conn, REALM, 3):
        found = rows(conn, "retrieve", text, embedding=embedding, realm=REALM, space="*")
        assert {piece["kind"] for piece in found} >= {"chunk", "relation", "entity"}
    said = '[{"subject": "Ann Novak", "predicate": "founded", "object": "Acme"}]'
    added = row(conn, "index", "Ann Novak founded Acme.", document="new", extraction=said, realm=REALM)
    assert (added["entities_added"], added["relations_added"]) == (2, 1)

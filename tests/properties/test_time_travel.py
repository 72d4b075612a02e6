"""P4: a read as believed at a revision finds what a read found then, whatever has been indexed or deleted since."""

from __future__ import annotations

from hypothesis import given

from tests.properties.test_graph import Spaces, State, Step, lives, take
from tests.support.corpus import REALM
from tests.support.database import Connection, Row, sql

QUESTIONS = ("Where does Ada Lovelace live?", "Who is Babbage to Augusta Ada King?")


@given(life=lives())
def test_the_past_answers_as_it_did(world: Connection, new_space: Spaces, life: list[Step]) -> None:
    space = new_space()
    state = State()
    seen: list[tuple[int, list[Row]]] = []
    for step in life:
        take(world, space, step, state)
        seen += [(revision, evidence(world, space)) for revision in current(world, space)]
    for revision, found in seen:
        assert evidence(world, space, str(revision)) == found


def current(world: Connection, space: str) -> list[int]:
    """The space's revision, if anything has been indexed."""
    rows = sql(world, f'select s.revision from "{REALM}".space as s where s.name = %s', [space])
    return [row["revision"] for row in rows]


def evidence(
    world: Connection, space: str, as_believed_at: str | None = None, realm: str = REALM
) -> list[Row]:
    """What is found, few enough of it that the cut of every channel matters."""
    return [
        row
        for question in QUESTIONS
        for row in sql(
            world,
            "select * from graphrag.retrieve(%s, as_believed_at => %s, top_k => 2, space => %s, realm => %s)",
            [question, as_believed_at, space, realm],
        )
    ]

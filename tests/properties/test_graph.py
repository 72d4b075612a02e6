"""The derived graph is a function of the live documents, however they came (properties P1 and P3).

Each property is checked on SQL's own answers, and the last one also against the reference model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpus import (
    NAMES,
    PREDICATES,
    REALM,
    VOCABULARY,
    Draft,
    as_document,
    collections,
    corrections,
    delete,
    differences,
    index,
    ordinals,
    publications,
    worlds,
)
from tests.support.database import Connection
from tests.support.graph import read_graph
from tests.support.model import Graph, derive

Spaces = Callable[[], str]


def read(conn: Connection, space: str) -> Graph:
    return read_graph(conn, REALM, space, VOCABULARY)


@given(data=st.data())
def test_order_of_arrival_changes_nothing(world: Connection, new_space: Spaces, data: st.DataObject) -> None:
    documents = data.draw(collections())
    shuffled = data.draw(st.permutations(documents))
    straight, other = new_space(), new_space()
    for draft in documents:
        index(world, REALM, straight, draft)
    for draft in shuffled:
        index(world, REALM, other, draft)
    assert read(world, other) == read(world, straight)


@given(documents=collections(), data=st.data())
def test_a_deleted_document_was_never_there(
    world: Connection, new_space: Spaces, documents: list[Draft], data: st.DataObject
) -> None:
    deleted = data.draw(st.sampled_from(documents))
    with_it, without_it = new_space(), new_space()
    for draft in documents:
        index(world, REALM, with_it, draft)
        if draft is not deleted:
            index(world, REALM, without_it, draft)
    delete(world, REALM, with_it, deleted.name)
    assert read(world, with_it) == read(world, without_it)


# ---------------------------------------------------------------- random lives of a space
@dataclass(frozen=True)
class Index:
    draft: Draft


@dataclass(frozen=True)
class Again:
    name: str


@dataclass(frozen=True)
class Move:
    """The same words under another ordinal and date, correcting others."""

    name: str
    ordinal: int
    published_at: datetime | None
    corrects: tuple[str, ...]


@dataclass(frozen=True)
class Delete:
    name: str


Step = Index | Again | Move | Delete
names = st.sampled_from(NAMES)
changes = (
    st.builds(Again, names),
    st.builds(Move, names, ordinals, publications, corrections),
    st.builds(Delete, names),
)


@st.composite
def lives(draw: st.DrawFn) -> list[Step]:
    """What happens to one space: some documents come, then they are revised, moved and deleted."""
    world = draw(worlds)
    arrivals = [Index(draft) for draft in draw(world.collections(2, 4))]
    revisions = st.builds(Index, world.drafts(names))
    return [*arrivals, *draw(st.lists(st.one_of(revisions, revisions, *changes), max_size=6))]


def take(conn: Connection, space: str, step: Step, live: dict[str, Draft]) -> None:
    """Do one step in the realm and in `live`, the standing documents; on an absent one it is no step."""
    match step:
        case Index(draft):
            live[draft.name] = draft
        case Move(name, ordinal, published_at, corrects) if name in live:
            live[name] = replace(live[name], ordinal=ordinal, published_at=published_at, corrects=corrects)
        case Delete(name) if name in live:
            del live[name]
            delete(conn, REALM, space, name)
            return
        case Again(name) if name in live:
            pass
        case _:
            return
    name = step.draft.name if isinstance(step, Index) else step.name
    index(conn, REALM, space, live[name])


@given(life=lives())
def test_sql_agrees_with_the_reference_model(world: Connection, new_space: Spaces, life: list[Step]) -> None:
    space = new_space()
    live: dict[str, Draft] = {}
    for step in life:
        take(world, space, step, live)
    expected = derive(map(as_document, live.values()), PREDICATES)
    found = read(world, space)
    assert dict(found.entities) == dict(expected.entities)
    assert dict(found.relations) == dict(expected.relations)


@given(life=lives())
def test_derivation_from_scratch_changes_nothing(
    world: Connection, new_space: Spaces, life: list[Step]
) -> None:
    space = new_space()
    live: dict[str, Draft] = {}
    for step in life:
        take(world, space, step, live)
    assert differences(world, REALM, space) == 0

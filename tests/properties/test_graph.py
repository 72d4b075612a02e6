"""The derived graph is a function of the live documents, however they came (properties P1 and P3).

Each property is checked on SQL's own answers, and the last one also against the reference model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.support.calls import row, rows
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
from tests.support.database import Connection, Row, sql
from tests.support.graph import read_graph
from tests.support.model import Decision, Graph, Merge, Split, derive, fold

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
    assert shown(world, other) == shown(world, straight)


def shown(conn: Connection, space: str) -> dict[str, list[Row]]:
    """The rows of the views to the letter, but for ids and stamps: which end of a symmetric fact comes first, too."""
    unequal = {
        "space",
        "relation",
        "entity",
        "subject_id",
        "object_id",
        "believed_since",
        "first_indexed_at",
        "indexed_at",
    }
    return {
        name: sorted(
            (
                {column: cell for column, cell in found.items() if column not in unequal}
                for found in sql(conn, f'select * from "{REALM}".{name} where space = %s', [space])
            ),
            key=str,
        )
        for name in ("facts", "entities", "documents")
    }


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


@dataclass(frozen=True)
class Join:
    """Two of the entities at that time, by their places in a list of all, are decided to be one."""

    one: int
    other: int


@dataclass(frozen=True)
class Part:
    """One of the names that an entity has beside its own is decided to mean another."""

    which: int


@dataclass(frozen=True)
class Undo:
    which: int


Step = Index | Again | Move | Delete | Join | Part | Undo
names = st.sampled_from(NAMES)
numbers = st.integers(0, 5)
changes = (
    st.builds(Again, names),
    st.builds(Move, names, ordinals, publications, corrections),
    st.builds(Delete, names),
)
decided = (st.builds(Join, numbers, numbers), st.builds(Part, numbers), st.builds(Undo, numbers))


@st.composite
def lives(draw: st.DrawFn) -> list[Step]:
    """What happens to one space: some documents come, then they are revised, moved and deleted."""
    world = draw(worlds)
    arrivals = [Index(draft) for draft in draw(world.collections(2, 4))]
    revisions = st.builds(Index, world.drafts(names))
    return [*arrivals, *draw(st.lists(st.one_of(revisions, revisions, *changes, *decided), max_size=8))]


@dataclass
class State:
    """What stands in a space: documents by name, decisions by id."""

    live: dict[str, Draft] = field(default_factory=dict)
    decisions: dict[int, Decision] = field(default_factory=dict)

    def graph(self) -> Graph:
        return derive(
            map(as_document, self.live.values()), PREDICATES, decisions=list(self.decisions.values())
        )


def decide(conn: Connection, space: str, step: Join | Part | Undo, state: State) -> None:
    """Take a decision about what is there, if there is something to decide."""
    where = {"space": space, "realm": REALM}
    match step:
        case Join(one, other):
            shown = sorted(entity.name for entity in state.graph().entities.values())
            if not shown or one % len(shown) == other % len(shown):
                return
            pair = (shown[one % len(shown)], shown[other % len(shown)])
            number = row(conn, "merge_entities", *pair, **where)["merge_entities"]
            state.decisions[number] = Merge(number, (fold(pair[0]), fold(pair[1])))
        case Part(which):
            found = sql(
                conn,
                "select v.name as entity, n.name from properties.entity_name as n"
                " join properties.entity_version as v on v.entity = n.entity and v.died is null"
                " join properties.space as s on s.id = n.space and s.name = %s"
                " where n.died is null and n.role in ('alias', 'context') order by 1, 2",
                [space],
            )
            if not found:
                return
            chosen = found[which % len(found)]
            number = row(conn, "split_entity", chosen["entity"], [chosen["name"]], **where)["split_entity"]
            state.decisions[number] = Split(number, frozenset({fold(chosen["name"])}))
        case Undo(which):
            if state.decisions:
                number = sorted(state.decisions)[which % len(state.decisions)]
                del state.decisions[number]
                rows(conn, "undo", number, realm=REALM)


def take(conn: Connection, space: str, step: Step, state: State) -> None:
    """Do one step in the realm and in `state`; on an absent document it is no step."""
    live = state.live
    match step:
        case Join() | Part() | Undo():
            decide(conn, space, step, state)
            return
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
    state = State()
    for step in life:
        take(world, space, step, state)
    expected = state.graph()
    found = read(world, space)
    assert dict(found.entities) == dict(expected.entities)
    assert dict(found.relations) == dict(expected.relations)


@given(life=lives())
def test_derivation_from_scratch_changes_nothing(
    world: Connection, new_space: Spaces, life: list[Step]
) -> None:
    space = new_space()
    state = State()
    for step in life:
        take(world, space, step, state)
    assert differences(world, REALM, space) == 0

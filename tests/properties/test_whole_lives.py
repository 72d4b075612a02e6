"""Everything that can happen to a space, in any order: documents, rows by hand, decisions, changes of the vocabulary.

Whatever happened, the graph is what a derivation from scratch gives, and every past answers as it did (P4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.test_graph import Spaces, read
from tests.properties.test_time_travel import evidence
from tests.support.calls import row, rows
from tests.support.corpus import (
    ALIASES,
    NAMES,
    PREDICATES,
    REALM,
    SPELLINGS,
    VOCABULARY,
    Draft,
    as_document,
    collections,
    delete,
    differences,
    index,
    make_realm,
    worlds,
)
from tests.support.database import Connection, Row, sql, value, view
from tests.support.hand import assert_triple, chunk_of, mention_entity, withdraw
from tests.support.model import Extraction, Predicate, derive


# ---------------------------------------------------------------- rows by hand are evidence like any other
@given(documents=collections(max_size=3), data=st.data())
def test_what_is_written_by_hand_is_as_if_it_had_been_read(
    world: Connection, new_space: Spaces, documents: list[Draft], data: st.DataObject
) -> None:
    """A part of each chunk is extracted, the rest is inserted; the graph is that of the whole."""
    space = new_space()
    read_first = [shortened(draft, data) for draft in documents]
    for part in read_first:
        index(world, REALM, space, part)
    for draft, part in data.draw(st.permutations(list(zip(documents, read_first, strict=True)))):
        complete(world, space, draft, part)
    assert read(world, space) == derive(map(as_document, documents), PREDICATES)
    assert differences(world, REALM, space) == 0
    before = value(world, f'select revision from "{REALM}".space where name = %s', [space])
    for part in read_first:
        assert index(world, REALM, space, part)["revision"] == before


def shortened(draft: Draft, data: st.DataObject) -> Draft:
    """The same text with less read in it."""
    chunks = []
    for chunk in draft.chunks:
        triples = chunk.triples[: data.draw(st.integers(0, len(chunk.triples)))]
        ends = {end for triple in triples for end in (triple.subject, triple.object)}
        entities = tuple(e for e in chunk.entities if e.name in ends or data.draw(st.booleans()))
        chunks.append(Extraction(entities, triples))
    return Same(**vars(replace(draft, chunks=tuple(chunks))), written=draft.text)


@dataclass(frozen=True)
class Same(Draft):
    """A draft under a given text."""

    written: str = ""

    @property
    def text(self) -> str:
        return self.written


def complete(conn: Connection, space: str, draft: Draft, part: Draft) -> None:
    for no, (whole, known) in enumerate(zip(draft.chunks, part.chunks, strict=True), 1):
        chunk = chunk_of(conn, REALM, space, draft.name, no)  # the first id serves for all that follow
        for entity in whole.entities:
            if entity not in known.entities:
                mention_entity(conn, REALM, chunk, entity)
        for triple in whole.triples[len(known.triples) :]:
            if triple in known.triples:
                continue  # restated word for word: an extraction keeps one of them
            assert_triple(conn, REALM, chunk, triple)


# ---------------------------------------------------------------- whole lives
REDECLARED: tuple[Callable[[Predicate], Predicate], ...] = (
    lambda p: replace(p, functional=not p.functional),
    lambda p: replace(p, groups=() if p.groups else ("other",)),
)
SYNONYMS = (("lives_in", "admires"), ("founded", "works_for"), ("despises", "admires"))
STEPS = "index revise delete write write withdraw merge retract undo redeclare alias".split()
_numbers = count()
#: Each of these lives takes a realm of its own.
EXAMPLES = settings().max_examples // 4


@contextmanager
def own_realm(conn: Connection) -> Iterator[str]:
    realm = f"life {next(_numbers)}"
    make_realm(conn, realm)
    try:
        yield realm
    finally:
        rows(conn, "drop_realm", realm, realm)


@pytest.mark.usefixtures("world")
@settings(max_examples=EXAMPLES)
@given(documents=collections(), data=st.data())
def test_the_past_of_a_whole_life(world: Connection, documents: list[Draft], data: st.DataObject) -> None:
    with own_realm(world) as realm:
        life = Life(world, realm, data, documents)
        life.index()
        seen: dict[int, list[Row]] = {}
        for _ in range(data.draw(st.integers(4, 10))):
            life.step()
            assert life.differences() == 0
            seen[life.revision()] = life.answers(None)
        for revision, found in seen.items():
            assert life.answers(str(revision)) == found, f"as believed at {revision}"


@contextmanager
def but_for(sqlstate: str, mentioned: str = "") -> Iterator[None]:
    """One error is no failure."""
    try:
        yield
    except psycopg.Error as error:
        if error.sqlstate != sqlstate or mentioned not in str(error):
            raise


@dataclass(repr=False)
class Life:
    """One realm with one space, and what can happen to it."""

    conn: Connection
    realm: str
    data: st.DataObject
    documents: list[Draft]

    def step(self) -> None:
        getattr(self, self.data.draw(st.sampled_from(STEPS)))()

    def index(self) -> None:
        index(self.conn, self.realm, "default", self.data.draw(st.sampled_from(self.documents)))

    def revise(self) -> None:
        names = st.sampled_from(NAMES)
        index(self.conn, self.realm, "default", self.data.draw(self.data.draw(worlds).drafts(names)))

    def delete(self) -> None:
        if found := self.pick("documents"):
            delete(self.conn, self.realm, "default", found["document"])

    def write(self) -> None:
        """Say in one passage what another document was to say."""
        standing = [d["document"] for d in view(self.conn, self.realm, "documents")]
        drafts = [d for d in self.documents if d.name in standing]
        if not drafts:
            return
        draft = self.data.draw(st.sampled_from(drafts))
        triple = self.data.draw(st.sampled_from([t for chunk in draft.chunks for t in chunk.triples]))
        chunk = chunk_of(self.conn, self.realm, "default", draft.name)
        with but_for("GR021", "ungrounded_name"):
            assert_triple(self.conn, self.realm, chunk, replace(triple, confidence=0.9))

    def withdraw(self) -> None:
        if found := self.pick("assertions"):
            withdraw(self.conn, self.realm, found["assertion"])

    def merge(self) -> None:
        entities = sorted({e["name"] for e in view(self.conn, self.realm, "entities")})
        if len(entities) > 1:
            one, other = self.data.draw(st.permutations(entities))[:2]
            rows(self.conn, "merge_entities", one, other, realm=self.realm)

    def retract(self) -> None:
        if found := self.pick("facts"):
            said = found["subject"], found["predicate"], found["object"]
            rows(self.conn, "retract_relation", *said, negated=found["negated"], realm=self.realm)

    def undo(self) -> None:
        if found := self.pick("decisions"):
            rows(self.conn, "undo", found["decision"], realm=self.realm)

    def redeclare(self) -> None:
        predicate = self.data.draw(st.sampled_from([p for p in PREDICATES if not p.inverse_of]))
        self.declare(self.data.draw(st.sampled_from(REDECLARED))(predicate))

    def alias(self) -> None:
        """One predicate becomes another word for a second one, turned round or not."""
        name, target = self.data.draw(st.sampled_from(SYNONYMS))
        if self.data.draw(st.booleans()):
            self.declare(replace(VOCABULARY[name], inverse_of=target, groups=(), functional=False))
        else:
            self.declare(VOCABULARY[name])

    def declare(self, predicate: Predicate) -> None:
        rows(
            self.conn, "declare_predicate", predicate.name, inverse_of=predicate.inverse_of,
            is_symmetric=predicate.symmetric, is_functional=predicate.functional, is_value=predicate.value,
            exclusive_groups=list(predicate.groups), realm=self.realm,
        )  # fmt: skip

    def pick(self, name: str) -> Row | None:
        """A row of a view, chosen by its place in an order that does not depend on ids."""
        found = sorted(view(self.conn, self.realm, name), key=str)
        return self.data.draw(st.sampled_from(found)) if found else None

    def revision(self) -> int:
        found = sql(self.conn, f'select revision from "{self.realm}".space')
        return int(found[0]["revision"]) if found else 0

    def differences(self) -> int:
        return differences(self.conn, self.realm, "default") if self.revision() else 0

    def answers(self, as_believed_at: str | None) -> list[Row]:
        found = evidence(self.conn, "default", as_believed_at, self.realm)
        for name in [*ALIASES, *(spellings[0] for spellings in SPELLINGS)]:
            with but_for("GR015"):
                told = rows(
                    self.conn,
                    "timeline",
                    name,
                    as_believed_at=as_believed_at,
                    space="default",
                    realm=self.realm,
                )
                found += sorted(told, key=str)
        return found


def test_rows_by_hand_survive_what_does_not_change_the_text(world: Connection, new_space: Spaces) -> None:
    space = new_space()
    rows(
        world,
        "index",
        "Ann met Bob.",
        document="a",
        extraction={"triples": []},
        ordinal=1,
        space=space,
        realm=REALM,
    )
    chunk = chunk_of(world, REALM, space, "a")
    sql(world, f'insert into "{REALM}".assertion (chunk, subject, predicate, object) values (%s, %s, %s, %s)',
        [chunk, "Ann", "met", "Bob"])  # fmt: skip
    moved = row(
        world,
        "index",
        "Ann met Bob.",
        document="a",
        extraction={"triples": []},
        ordinal=2,
        space=space,
        realm=REALM,
    )
    assert moved["unchanged"] == 1
    facts = [fact["object"] for fact in view(world, REALM, "facts") if fact["space"] == space]
    assert facts == ["Bob"]

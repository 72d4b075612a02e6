"""Everything that can happen to a space, in any order: documents, rows by hand, decisions, changes of the vocabulary,
what models say, communities, retention, purges.

Whatever happened, the graph is what a derivation from scratch gives, every past answers as it did (P4), and who keeps a
copy by the change feed has what there is (P5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.properties.test_graph import Spaces, read
from tests.properties.test_time_travel import QUESTIONS, evidence
from tests.support.calls import row, rows, set_models
from tests.support.corpus import (
    ALIASES,
    CONFIDENCES,
    FAMILY,
    NAMES,
    PREDICATES,
    REALM,
    SPELLINGS,
    TYPES,
    VOCABULARY,
    Draft,
    as_document,
    collections,
    delete,
    differences,
    index,
    make_realm,
    ordinals,
    publications,
    worlds,
)
from tests.support.database import Connection, Kept, Row, sql, value, view
from tests.support.endpoint import Endpoint, Request
from tests.support.feed import Mirror, changes, drain, expected
from tests.support.graph import read_graph
from tests.support.hand import assert_triple, chunk_of, mention_entity, withdraw
from tests.support.model import Entity, Extraction, Graph, Predicate, Triple, derive, fold


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
    lambda p: replace(p, symmetric=not p.value and not p.symmetric),
)
SYNONYMS = (("lives_in", "admires"), ("founded", "works_for"), ("despises", "admires"))
STEPS = (
    "index revise delete write write withdraw merge split retract state undo redeclare alias declare_entity"
    " build build archive restore purge purge_document".split()
)
LIFE = "life"


@pytest.fixture(scope="module")
def models() -> Iterator[Endpoint]:
    """Write reports, and find that what is offered contradicts every statement whose text has an even length."""
    with Endpoint() as endpoint:
        endpoint.on_other = contradicted
        yield endpoint


FACT = re.compile(r"^ +Fact (\d+).*?: (.*)$", re.MULTILINE)


def contradicted(request: Request) -> object:
    statements = re.split(r"^Statement ", request.message("user"), flags=re.MULTILINE)[1:]
    return {
        "contradictions": [
            {"statement": no, "contradicts": [int(n) for n, text in FACT.findall(said) if len(text) % 2 == 0]}
            for no, said in enumerate(statements, 1)
        ]
    }


@pytest.fixture(scope="module")
def nursery(world: Connection, models: Endpoint) -> Kept:
    """A realm in which nothing has happened yet."""
    make_realm(world, LIFE)
    set_models(world, models, "auxiliary", "community", realm=LIFE)
    for name, setting in (("community_min_size", 2), ("telemetry", True), ("retention_threshold", 0.6)):
        rows(world, "configure", name, Jsonb(setting), realm=LIFE)
    return Kept(world, LIFE)


@given(documents=collections(max_size=4), data=st.data())
def test_the_past_of_a_whole_life(
    world: Connection, nursery: Kept, documents: list[Draft], data: st.DataObject
) -> None:
    nursery.restore()
    rows(world, "configure", "contradiction_detection", Jsonb(data.draw(st.booleans())), realm=LIFE)
    life = Life(world, LIFE, data, documents)
    life.index()
    mirror = Mirror()
    for _ in range(data.draw(st.integers(4, 10))):
        before = life.revision()
        life.step()
        assert life.differences() == 0
        life.remember(before)
        mirror = kept_up(mirror, world, data.draw(st.sampled_from((1, 2, 1000))))
        mirror.check(world, LIFE)
    life.check_pasts()
    if not life.horizon:
        told = changes(drain(world, realm=LIFE, space="default"))
        assert [c for c in told if not c[2].startswith("communities")] == expected(world, LIFE)


def kept_up(mirror: Mirror, conn: Connection, size: int) -> Mirror:
    """The mirror with what has come; a new one where the old one's place lies before what was purged.

    Its place is that of the last change, so a purge is past it although nothing was missed: not every revision is a
    change, and which ones were is purged too.
    """
    with but_for("GR013", "has been purged"):
        mirror.follow(conn, size, realm=LIFE, space="default")
        return mirror
    anew = Mirror()
    anew.follow(conn, size, realm=LIFE, space="default")
    return anew


def declare(conn: Connection, realm: str, predicate: Predicate) -> None:
    rows(
        conn, "declare_predicate", predicate.name, inverse_of=predicate.inverse_of,
        is_symmetric=predicate.symmetric, is_functional=predicate.functional, is_value=predicate.value,
        exclusive_groups=list(predicate.groups), realm=realm,
    )  # fmt: skip


@contextmanager
def but_for(sqlstate: str, mentioned: str = "") -> Iterator[None]:
    """One error is no failure."""
    try:
        yield
    except psycopg.Error as error:
        if error.sqlstate != sqlstate or mentioned not in str(error):
            raise


@dataclass(frozen=True)
class Found:
    """What reads found at a revision: evidence, and of each name the facts: not withdrawn ones, and withdrawn ones.
    Names are those known when it was read, and whether each still meant something then."""

    evidence: list[Row]
    facts: dict[str, list[Row]]
    withdrawn: dict[str, list[Row]]
    names: dict[str, bool]

    def facts_of(self, known: dict[str, bool]) -> dict[str, list[Row]]:
        """What a name last meant is forgotten when that is purged; what it means is not."""
        return {name: facts for name, facts in self.facts.items() if self.names[name] or name in known}


@dataclass(repr=False)
class Life:
    """One realm with one space, and what can happen to it."""

    conn: Connection
    realm: str
    data: st.DataObject
    documents: list[Draft]
    seen: dict[int, Found] = field(default_factory=dict)
    horizon: int = 0  # what was believed before may have been purged

    def step(self) -> None:
        getattr(self, self.data.draw(st.sampled_from(STEPS)))()

    def call(self, function: str, *args: object, **named: object) -> list[Row]:
        return rows(self.conn, function, *args, **named, realm=self.realm)

    # ------------------------------------------------------------ documents
    def index(self) -> None:
        index(self.conn, self.realm, "default", self.data.draw(st.sampled_from(self.documents)))

    def revise(self) -> None:
        names = st.sampled_from(NAMES)
        index(self.conn, self.realm, "default", self.data.draw(self.data.draw(worlds).drafts(names)))

    def delete(self) -> None:
        if found := self.pick("documents"):
            self.call("delete_document", found["document"], source=found["source"])

    def declare_entity(self) -> None:
        """Two names that share an identifier are one; an alias may be contested."""
        name = self.data.draw(st.sampled_from([spellings[0] for spellings in (*SPELLINGS, *FAMILY)]))
        aliases = [a for a in self.data.draw(st.lists(st.sampled_from(ALIASES), max_size=1)) if a != name]
        identifiers = self.data.draw(st.lists(st.sampled_from(["Q1", "Q2"]), max_size=1))
        self.call("declare_entity", name, self.data.draw(st.sampled_from(TYPES)), aliases, identifiers)

    def state(self) -> None:
        """A fact from a person."""
        if found := self.pick("facts"):
            said = found["subject"], found["predicate"], found["object"]
            negated = self.data.draw(st.booleans())
            published_at = datetime(2010, 1, 1, tzinfo=UTC)
            self.call("assert_relation", *said, negated=negated, published_at=published_at)

    # ------------------------------------------------------------ rows by hand
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

    # ------------------------------------------------------------ decisions
    def merge(self) -> None:
        entities = sorted({e["name"] for e in view(self.conn, self.realm, "entities")})
        if len(entities) > 1:
            one, other = self.data.draw(st.permutations(entities))[:2]
            self.call("merge_entities", one, other)

    def split(self) -> None:
        found = sql(
            self.conn,
            f'select distinct v.name as entity, n.name from "{self.realm}".entity_name as n'
            f' join "{self.realm}".entity_version as v on v.entity = n.entity and v.died is null'
            " where n.died is null and n.role in ('alias', 'context') order by 1, 2",
        )
        if found:
            chosen = self.data.draw(st.sampled_from(found))
            self.call("split_entity", chosen["entity"], [chosen["name"]])

    def retract(self) -> None:
        if found := self.pick("facts"):
            said = found["subject"], found["predicate"], found["object"]
            self.call("retract_relation", *said, negated=found["negated"])

    def undo(self) -> None:
        if found := self.pick("decisions"):
            self.call("undo", found["decision"])

    # ------------------------------------------------------------ vocabulary
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
        declare(self.conn, self.realm, predicate)

    # ------------------------------------------------------------ communities, retention, purges
    def build(self) -> None:
        self.call("build_communities", levels=self.data.draw(st.integers(1, 2)))

    def archive(self) -> None:
        self.call("apply_retention", dry_run=False)

    def restore(self) -> None:
        self.call("restore_archived")

    def purge(self) -> None:
        horizon = self.data.draw(st.integers(1, self.revision()))
        if horizon >= self.horizon:
            self.call("purge", before=str(horizon), dry_run=False)
            self.horizon = self.purged()

    def purge_document(self) -> None:
        gone = sql(
            self.conn,
            f'select d.name, d.source from "{self.realm}".document as d where not exists (select from'
            f' "{self.realm}".document_version as v where v.document = d.id and v.died is null) order by 1, 2',
        )
        if gone:
            chosen = self.data.draw(st.sampled_from(gone))
            with but_for("GR009", "communities"):
                self.call("purge", document=chosen["name"], source=chosen["source"], dry_run=False)
            self.horizon = max(self.horizon, self.purged())

    # ------------------------------------------------------------ what there is
    def pick(self, name: str) -> Row | None:
        """A row of a view, chosen by its place in an order that does not depend on ids."""
        found = sorted(view(self.conn, self.realm, name), key=str)
        return self.data.draw(st.sampled_from(found)) if found else None

    def revision(self) -> int:
        found = sql(self.conn, f'select revision from "{self.realm}".space')
        return int(found[0]["revision"]) if found else 0

    def purged(self) -> int:
        return int(value(self.conn, f'select purged from "{self.realm}".space'))

    def differences(self) -> int:
        return differences(self.conn, self.realm, "default") if self.revision() else 0

    def remember(self, before: int) -> None:
        """A step that took no revision changed nothing that is read."""
        found = self.answers(None)
        if self.revision() == before and before in self.seen and not self.horizon:
            assert self.seen[before] == found
        self.seen[self.revision()] = found

    def check_pasts(self) -> None:
        """What was withdrawn may be purged with the past in which it was believed."""
        for revision, then in self.seen.items():
            if revision >= self.horizon:
                found = self.answers(str(revision))
                assert found.evidence == then.evidence, f"as believed at {revision}"
                assert found.facts == then.facts_of(found.names), f"as believed at {revision}"
                assert self.horizon or found.withdrawn == then.withdrawn, f"as believed at {revision}"
            else:
                with pytest.raises(psycopg.Error, match="purged"):
                    self.answers(str(revision))

    def answers(self, as_believed_at: str | None) -> Found:
        found = [
            *evidence(self.conn, "default", as_believed_at, self.realm),
            *self.call("retrieve", QUESTIONS[0], "global", top_k=2, as_believed_at=as_believed_at),
        ]
        facts: dict[str, list[Row]] = {}
        withdrawn: dict[str, list[Row]] = {}
        # Every name that ever meant something, until now: before it did, there is nothing under it.
        known = sql(
            self.conn,
            f'select folded, bool_or(died is null) as is_meant from "{self.realm}".entity_name group by 1 order by 1',
        )
        names = {named["folded"]: bool(named["is_meant"]) for named in known}
        for name in names:
            with but_for("GR015"):
                for fact in self.call("timeline", name, as_believed_at=as_believed_at):
                    kept = withdrawn if fact["status"] == "withdrawn" else facts
                    kept.setdefault(name, []).append(fact)
        return Found(found, facts, withdrawn, names)


# ---------------------------------------------------------------- what stands is all that counts (P1, P3)
@given(documents=collections(), data=st.data())
def test_the_graph_is_that_of_what_stands(
    world: Connection, nursery: Kept, documents: list[Draft], data: st.DataObject
) -> None:
    """Documents, rows by hand and the vocabulary come and go: the graph is the model's of what is left, which knows no
    order of arrival."""
    nursery.restore()
    ledger = Ledger(world, LIFE, data)
    for draft in documents:
        ledger.index(draft)
    for _ in range(data.draw(st.integers(2, 10))):
        ledger.step(documents)
    found = read_graph(world, LIFE, "default", ledger.vocabulary)
    assert dict(found.entities) == dict(ledger.graph().entities)
    assert dict(found.relations) == dict(ledger.graph().relations)


@dataclass(repr=False)
class Ledger:
    """What was said to a realm, kept beside it: evidence of chunks outlives the documents that they stand in."""

    conn: Connection
    realm: str
    data: st.DataObject
    live: dict[str, Draft] = field(default_factory=dict)
    evidence: dict[tuple[str, int, Extraction], Extraction] = field(default_factory=dict)
    vocabulary: dict[str, Predicate] = field(default_factory=lambda: dict(VOCABULARY))

    def graph(self) -> Graph:
        standing = [
            replace(draft, chunks=tuple(self.said(draft, no) for no in range(len(draft.chunks))))
            for draft in self.live.values()
        ]
        return derive(map(as_document, standing), self.vocabulary.values())

    def said(self, draft: Draft, no: int) -> Extraction:
        return self.evidence[draft.name, no, draft.chunks[no]]

    def step(self, documents: list[Draft]) -> None:
        draw = self.data.draw
        what = draw(
            st.sampled_from("index move delete write write withdraw withdraw redeclare alias".split())
        )
        if what == "index":
            self.index(draw(st.sampled_from(documents)))
        elif what == "redeclare":
            predicate = draw(st.sampled_from([p for p in self.vocabulary.values() if not p.inverse_of]))
            self.declare(draw(st.sampled_from(REDECLARED))(predicate))
        elif what == "alias":
            name, target = draw(st.sampled_from(SYNONYMS))
            other = replace(VOCABULARY[name], inverse_of=target, groups=(), functional=False)
            self.declare(other if draw(st.booleans()) else VOCABULARY[name])
        elif self.live:
            draft = self.live[draw(st.sampled_from(sorted(self.live)))]
            if what == "move":
                self.index(replace(draft, ordinal=draw(ordinals), published_at=draw(publications)))
            elif what == "delete":
                delete(self.conn, self.realm, "default", draft.name)
                del self.live[draft.name]
            elif what == "write":
                self.write(draft, draw(st.sampled_from(range(len(draft.chunks)))))
            else:
                self.withdraw(draft, draw(st.sampled_from(range(len(draft.chunks)))))

    def index(self, draft: Draft) -> None:
        index(self.conn, self.realm, "default", draft)
        self.live[draft.name] = draft
        for no, chunk in enumerate(draft.chunks):
            self.evidence.setdefault((draft.name, no, chunk), settled(chunk))

    def write(self, draft: Draft, no: int) -> None:
        """Something else of what this passage names."""
        said = self.said(draft, no)
        names = [entity.name for entity in said.entities]
        predicates = [p for p in VOCABULARY.values() if not p.value]
        one, other = self.data.draw(st.permutations(names))[:2] if len(names) > 1 else (None, None)
        if one is None or other is None:
            return
        triple = Triple(
            one, self.data.draw(st.sampled_from(predicates)).name, other,
            negated=self.data.draw(st.sampled_from((False, False, True))),
            confidence=self.data.draw(st.sampled_from(CONFIDENCES)),
        )  # fmt: skip
        chunk = chunk_of(self.conn, self.realm, "default", draft.name, no + 1)
        if triple not in said.triples:
            assert_triple(self.conn, self.realm, chunk, triple)
            self.evidence[draft.name, no, draft.chunks[no]] = replace(said, triples=(*said.triples, triple))

    def withdraw(self, draft: Draft, no: int) -> None:
        said = self.said(draft, no)
        chunk = chunk_of(self.conn, self.realm, "default", draft.name, no + 1)
        rows_there = sql(
            self.conn, f'select id from "{self.realm}".assertion where chunk = %s order by no', [chunk]
        )
        assert len(rows_there) == len(said.triples)
        if said.triples:
            place = self.data.draw(st.sampled_from(range(len(said.triples))))
            withdraw(self.conn, self.realm, rows_there[place]["id"])
            left = (*said.triples[:place], *said.triples[place + 1 :])
            self.evidence[draft.name, no, draft.chunks[no]] = replace(said, triples=left)

    def declare(self, predicate: Predicate) -> None:
        declare(self.conn, self.realm, predicate)
        self.vocabulary[predicate.name] = predicate


def settled(chunk: Extraction) -> Extraction:
    """With the ends of its triples among its entities, which they stay when a triple goes, and each triple once."""
    known = {fold(entity.name) for entity in chunk.entities}
    ends = [e for t in chunk.triples for e in ((t.subject,) if t.is_value else (t.subject, t.object))]
    stubs = {fold(end): Entity(end) for end in reversed(ends) if fold(end) not in known}
    last = {triple: no for no, triple in enumerate(chunk.triples)}
    return Extraction(
        (*chunk.entities, *reversed(stubs.values())),
        tuple(triple for no, triple in enumerate(chunk.triples) if last[triple] == no),
    )


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

"""A reference model of the derived graph: what the live documents say, worked out the slow and plain way.

It is written from the product's rules and shares nothing with the SQL: documents in, the current graph out.
Names are compared folded, times are epoch seconds. All is worked out from scratch, so nothing here can depend on
the order in which documents arrived.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import inf
from typing import NamedTuple

from tests.support.spans import ALWAYS, Span, Spans, intersect, subtract, union


# ---------------------------------------------------------------- what goes in
@dataclass(frozen=True)
class Entity:
    name: str
    type: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Triple:
    subject: str
    predicate: str
    object: str
    is_value: bool = False
    negated: bool = False
    confidence: float = 1.0
    valid_from: str | None = None  # '2005', '2005-06' or '2005-06-30'
    valid_to: str | None = None


@dataclass(frozen=True)
class Extraction:
    """What one chunk says."""

    entities: tuple[Entity, ...] = ()
    triples: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class Document:
    """A live document: `key` breaks ties of `ord`, which is its ordinal, else the epoch of `published_at`."""

    key: str
    ord: float
    published_at: float | None
    chunks: tuple[Extraction, ...]
    corrects: frozenset[str] = frozenset()  # keys of the documents that it corrects


@dataclass(frozen=True)
class Predicate:
    name: str
    inverse_of: str | None = None
    symmetric: bool = False
    functional: bool = False
    value: bool = False
    groups: tuple[str, ...] = ()


# ---------------------------------------------------------------- what comes out
class Key(NamedTuple):
    """A relation's identity. Endpoints are folded canonical names, symmetric ones in alphabetical order."""

    subject: str
    predicate: str
    object: str | None
    value: str | None
    period: Span | None  # of a value only: another period is another fact
    negated: bool


@dataclass(frozen=True)
class Relation:
    weight: int  # distinct live chunks
    confidence: float
    status: str
    superseded_by: Key | None
    effective: Spans


@dataclass(frozen=True)
class EntityState:
    name: str  # as shown
    names: frozenset[str]  # folded: all that it is called, aliases that others claim too among them
    types: frozenset[str]


@dataclass(frozen=True)
class Graph:
    entities: Mapping[str, EntityState]  # by folded canonical name
    relations: Mapping[Key, Relation]


# ---------------------------------------------------------------- names
def fold(name: str) -> str:
    """The form under which spellings are one: no width, case, accents, apostrophes, hyphens, blanks."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold())
    kept = (c for c in decomposed if unicodedata.category(c) not in ("Mn", "Zs", "Pd") and c not in "'’‘`´")
    return unicodedata.normalize("NFC", "".join(kept))


class Position(NamedTuple):
    """Document order: one place of a chunk, and of a claim in it."""

    ord: float
    key: str
    chunk: int
    no: int


@dataclass(frozen=True)
class _Mention:
    at: Position
    entity: Entity


@dataclass(frozen=True)
class _Claim:
    at: Position
    triple: Triple
    published_at: float | None
    key: Key
    corrects: frozenset[str] = frozenset()

    @property
    def stated(self) -> Span | None:
        return period(self.triple.valid_from, self.triple.valid_to)


class Names:
    """Which names are one entity: the least fixed point of the alias rule."""

    def __init__(self, mentions: Sequence[_Mention]) -> None:
        self._parent = {fold(mention.entity.name): fold(mention.entity.name) for mention in mentions}
        claims: dict[str, set[str]] = defaultdict(set)
        for mention in mentions:
            for alias in map(fold, mention.entity.aliases):
                if alias != fold(mention.entity.name):
                    claims[alias].add(fold(mention.entity.name))
        self._close(claims)

    def _close(self, claims: Mapping[str, set[str]]) -> None:
        """An alias joins its claimants once they are all one entity; that may settle further aliases."""
        changed = True
        while changed:
            changed = False
            for alias, claimants in claims.items():
                roots = {self.root(name) for name in claimants}
                if len(roots) == 1 and self.root(alias) not in roots:
                    self._parent[self.root(alias)] = roots.pop()
                    changed = True

    def root(self, name: str) -> str:
        parent = self._parent.setdefault(name, name)
        return name if parent == name else self.root(parent)

    def groups(self, mentioned: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
        """Canonical and all names of each entity; canonical is the longest that was mentioned itself."""
        own = set(mentioned)
        members: dict[str, set[str]] = defaultdict(set)
        for name in list(self._parent):
            members[self.root(name)].add(name)
        for names in members.values():
            if names & own:
                yield min(names & own, key=lambda name: (-len(name), name)), frozenset(names)


# ---------------------------------------------------------------- time
def period(start: str | None, end: str | None) -> Span | None:
    """The stated period as a span; an upper bound lasts to the end of its year, month or day."""
    if start is None and end is None:
        return None
    return (_bounds(start)[0] if start else -inf, _bounds(end)[1] if end else inf)


def _bounds(stated: str) -> Span:
    parts = [int(part) for part in stated.split("-")]
    year, month, day, *_ = [*parts, 1, 1]
    first = datetime(year, month, day, tzinfo=UTC)
    if len(parts) == 1:
        after = first.replace(year=first.year + 1)
    elif len(parts) == 2:
        after = (first + timedelta(days=31)).replace(day=1)
    else:
        after = first + timedelta(days=1)
    return first.timestamp(), after.timestamp()


# ---------------------------------------------------------------- slots
def _slots(key: Key, predicate: Predicate) -> Iterator[tuple[object, ...]]:
    """What a relation competes for. A denial competes only with its own triple."""
    yield ("triple", key._replace(negated=False))
    if key.negated:
        return
    if key.value is not None:
        if key.period is not None:
            yield ("figure", key.subject, key.predicate, key.period)
        elif predicate.functional:
            yield ("holder", key.subject, key.predicate)
        return
    ways = [(key.subject, key.object)]
    if predicate.symmetric:
        ways.append((key.object or "", key.subject))
    for subject, object_ in ways:
        if predicate.functional:
            yield ("holder", subject, key.predicate)
        for group in predicate.groups:
            yield ("pair", subject, object_, group)


@dataclass
class _Slot:
    """The claims of one slot in document order, each with the span that it claims there."""

    claims: list[_Claim]
    floor: float
    spans: list[Span] = field(init=False)

    def __post_init__(self) -> None:
        self.claims.sort(key=lambda claim: claim.at)
        self.spans = [self._span(index, claim) for index, claim in enumerate(self.claims)]

    @staticmethod
    def _span(index: int, claim: _Claim) -> Span:
        """The stated period. Without a lower bound it begins at publication; but the slot's first claim and one
        that ended before publication begin open."""
        low, high = claim.stated or (-inf, inf)
        if low == -inf and index > 0 and claim.published_at is not None and claim.published_at < high:
            low = claim.published_at
        return low, high

    def effective(self, key: Key) -> Spans:
        """What is left of the relation's claims after all later ones took theirs."""
        return union(span for index in self._of(key) for span in self._rest(index))

    def taken_by(self, key: Key) -> _Claim | None:
        """The first claim of another relation that took the relation's open end, or all that it had."""
        opens = [index for index in self._of(key) if self.spans[index][1] == inf]
        left = self.effective(key)
        if left and (not opens or left[-1][1] == inf):
            return None
        last = self._of(key)[-1] if not opens else opens[-1]
        low, high = self.spans[last]
        takers = (
            self.claims[index]
            for index in self._later(last)
            if self.spans[index][0] < high
            and low < self.spans[index][1]
            and (not opens or self.spans[index][1] == inf)
        )
        return next(claim for claim in takers if claim.key != key)

    def _of(self, key: Key) -> list[int]:
        return [index for index, claim in enumerate(self.claims) if claim.key == key]

    def _rest(self, index: int) -> Spans:
        rest = union([self.spans[index]])
        for other in self._later(index):
            rest = subtract(rest, self.spans[other])
        return rest

    def _later(self, index: int) -> Iterator[int]:
        """Later claims that are sure enough to take the slot."""
        later = range(index + 1, len(self.claims))
        return (i for i in later if self.claims[i].triple.confidence >= self.floor)


# ---------------------------------------------------------------- the graph
def derive(documents: Iterable[Document], predicates: Iterable[Predicate], floor: float = 0.5) -> Graph:
    """The current graph of the live documents."""
    vocabulary = {predicate.name: predicate for predicate in predicates}
    ordered = sorted(documents, key=lambda document: (document.ord, document.key))
    mentions = [mention for document in ordered for mention in _mentions(document)]
    names = Names(mentions)
    canonical: dict[str, str] = {}
    entities: dict[str, EntityState] = {}
    for name, members in names.groups(fold(mention.entity.name) for mention in mentions):
        canonical.update(dict.fromkeys(members, name))
        entities[name] = _entity(name, members, mentions)
    claims = [c for document in ordered for c in _claims(document, canonical, vocabulary)]
    return Graph(entities, _relations(claims, vocabulary, floor))


def _mentions(document: Document) -> Iterator[_Mention]:
    for chunk, extraction in enumerate(document.chunks):
        for no, entity in enumerate(extraction.entities):
            yield _Mention(Position(document.ord, document.key, chunk, no), entity)


def _entity(name: str, members: frozenset[str], mentions: Sequence[_Mention]) -> EntityState:
    own = [mention for mention in mentions if fold(mention.entity.name) in members]
    shown = max(
        (mention for mention in own if fold(mention.entity.name) == name), key=lambda mention: mention.at
    )
    called = {fold(alias) for mention in own for alias in mention.entity.aliases}
    types = frozenset(mention.entity.type for mention in own if mention.entity.type)
    return EntityState(shown.entity.name, members | called, types)


def _claims(
    document: Document, canonical: Mapping[str, str], vocabulary: Mapping[str, Predicate]
) -> Iterator[_Claim]:
    for chunk, extraction in enumerate(document.chunks):
        for no, triple in enumerate(extraction.triples):
            key = _key(triple, canonical, vocabulary)
            if key is not None:
                at = Position(document.ord, document.key, chunk, no)
                yield _Claim(at, triple, document.published_at, key, document.corrects)


def _key(triple: Triple, canonical: Mapping[str, str], vocabulary: Mapping[str, Predicate]) -> Key | None:
    """The relation that a triple supports; None for a self-loop."""
    predicate = vocabulary.get(triple.predicate, Predicate(triple.predicate))
    subject = canonical[fold(triple.subject)]
    if triple.is_value or predicate.value:
        stated = period(triple.valid_from, triple.valid_to)
        return Key(subject, predicate.name, None, triple.object, stated, triple.negated)
    object_ = canonical[fold(triple.object)]
    if predicate.inverse_of is not None:
        predicate = vocabulary[predicate.inverse_of]
        subject, object_ = object_, subject
    if predicate.symmetric and object_ < subject:
        subject, object_ = object_, subject
    if subject == object_:
        return None
    return Key(subject, predicate.name, object_, None, None, triple.negated)


def _relations(
    claims: Sequence[_Claim], vocabulary: Mapping[str, Predicate], floor: float
) -> dict[Key, Relation]:
    supports: dict[Key, list[_Claim]] = defaultdict(list)
    for claim in claims:
        supports[claim.key].append(claim)
    corrected = _corrections(claims, vocabulary, floor)
    standing = [claim for claim in claims if claim.at not in corrected]
    slots = {
        name: _Slot(members, floor)
        for name, members in _contents(standing, vocabulary).items()
        if _is_contested(name, members)
    }
    relations = {}
    for key, support in supports.items():
        mine = [slot for slot in slots.values() if any(claim.key == key for claim in slot.claims)]
        stands = [claim for claim in support if claim.at not in corrected]
        relations[key] = _relation(key, support, mine)
        if len(stands) < len(support):
            relations[key] = _corrected(relations[key], key, stands, mine, corrected, support)
    return relations


def _contents(
    claims: Sequence[_Claim], vocabulary: Mapping[str, Predicate]
) -> dict[tuple[object, ...], list[_Claim]]:
    """The claims of each slot."""
    contents: dict[tuple[object, ...], list[_Claim]] = defaultdict(list)
    for claim in claims:
        for slot in _slots(claim.key, vocabulary.get(claim.key.predicate, Predicate(claim.key.predicate))):
            contents[slot].append(claim)
    return contents


def _corrections(
    claims: Sequence[_Claim], vocabulary: Mapping[str, Predicate], floor: float
) -> dict[Position, _Claim]:
    """The claims that are corrected, each with the first claim that does so: a later one in the same slot, sure enough,
    of a document that corrects theirs, about another relation and a time that they share. From the latest on: what
    is corrected itself corrects nothing."""
    slots = [members for name, members in _contents(claims, vocabulary).items()]
    corrected: dict[Position, _Claim] = {}
    for claim in sorted(claims, key=lambda claim: claim.at, reverse=True):
        by = [
            other
            for members in slots
            if claim in members
            for other in members
            if other.at > claim.at
            and other.key != claim.key
            and claim.at.key in other.corrects
            and other.triple.confidence >= floor
            and other.at not in corrected
            and _overlap(other.stated, claim.stated)
        ]
        if by:
            corrected[claim.at] = min(by, key=lambda other: other.at)
    return corrected


def _overlap(one: Span | None, other: Span | None) -> bool:
    low, high = zip(one or (-inf, inf), other or (-inf, inf), strict=True)
    return max(low) < min(high)


def _corrected(
    held: Relation,
    key: Key,
    standing: Sequence[_Claim],
    slots: Sequence[_Slot],
    corrected: Mapping[Position, _Claim],
    support: Sequence[_Claim],
) -> Relation:
    """A relation that lost claims to a correction: all of them and so its whole time, or some."""
    if standing:
        left = _relation(key, standing, slots)
        return replace(held, effective=left.effective, status=left.status, superseded_by=left.superseded_by)
    by = min((corrected[claim.at] for claim in support), key=lambda claim: claim.at)
    return replace(held, effective=(), status="superseded", superseded_by=by.key)


def _is_contested(slot: tuple[object, ...], claims: Sequence[_Claim]) -> bool:
    """A triple is a slot only where somebody denies what somebody asserts."""
    return slot[0] != "triple" or len({claim.key.negated for claim in claims}) == 2


def _relation(key: Key, support: Sequence[_Claim], slots: Sequence[_Slot]) -> Relation:
    # Outside slots an undated restatement erases no stated period, and what nobody dated holds always.
    effective = ALWAYS if slots else union(claim.stated for claim in support if claim.stated) or ALWAYS
    for slot in slots:
        effective = intersect(effective, slot.effective(key))
    takers = [claim for claim in (slot.taken_by(key) for slot in slots) if claim is not None]
    first = min(takers, key=lambda claim: claim.at, default=None)
    return Relation(
        weight=len({claim.at[:3] for claim in support}),
        confidence=max(claim.triple.confidence for claim in support),
        status="superseded" if first else "current",
        superseded_by=first.key if first else None,
        effective=effective,
    )

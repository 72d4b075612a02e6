"""A reference model of the derived graph: what the live documents say, worked out the slow and plain way.

It is written from the product's rules and shares nothing with the SQL: documents in, the current graph out.
Names are compared folded, times are epoch seconds. All is worked out from scratch, so nothing here can depend on
the order in which documents arrived.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
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
    value: str | None  # what it says, in whatever spelling
    period: Span | None  # of a value only: another period is another fact
    negated: bool


@dataclass(frozen=True)
class Relation:
    weight: int  # distinct live chunks
    confidence: float
    status: str
    superseded_by: Key | None
    effective: Spans
    value: str | None = None  # as last spelt


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
    """The form under which spellings are one: no width, case, accents, apostrophes, hyphens, blanks, and no full stop
    that ends a word of letters."""
    plain = re.sub(r"(?<=[^\W\d_])\.(?= |$)", "", unicodedata.normalize("NFKC", name).casefold())
    decomposed = unicodedata.normalize("NFD", plain)
    kept = (c for c in decomposed if unicodedata.category(c) not in ("Mn", "Zs", "Pd") and c not in "'’‘`´")
    return unicodedata.normalize("NFC", "".join(kept))


_SCALES = {"million": 10**6, "billion": 10**9}
_UNITS = {"$": "dollar", "dollars": "dollar", "dollar": "dollar", "%": "percent", "percent": "percent"}


def meaning(value: str) -> str:
    """What all spellings of one figure say: its number, with the scale applied, and its unit; else its words folded."""
    words = re.findall(r"[$%]|[\d.,]*\d|[^\W\d]+", value.lower())
    numbers = [Decimal(word.replace(",", "")) for word in words if word[0].isdigit()]
    if len(numbers) != 1:
        return fold(value)
    number, units = numbers[0], []
    for word in words:
        if word in _SCALES:
            number *= _SCALES[word]
        elif not word[0].isdigit():
            units.append(_UNITS.get(word, word))
    return " ".join([f"{number.normalize():f}", *units])


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

    @property
    def name(self) -> str:
        return fold(self.entity.name)

    @property
    def place(self) -> tuple[str, int]:
        """The chunk."""
        return self.at.key, self.at.chunk


@dataclass(frozen=True)
class _Claim:
    at: Position
    triple: Triple
    published_at: float | None = field(compare=False)
    key: Key
    corrects: frozenset[str] = frozenset()

    @property
    def stated(self) -> Span | None:
        return period(self.triple.valid_from, self.triple.valid_to)


# ---------------------------------------------------------------- decisions
@dataclass(frozen=True)
class Merge:
    """Two names were decided to be one; `no` orders decisions. Names are folded."""

    no: int
    names: tuple[str, str]


@dataclass(frozen=True)
class Split:
    """Some names were decided to mean another entity than all the rest."""

    no: int
    apart: frozenset[str]

    def parts(self, one: str, other: str) -> bool:
        return (one in self.apart) != (other in self.apart)


Decision = Merge | Split


# ---------------------------------------------------------------- resolution
class Names:
    """Which names are one entity everywhere: the least fixed point of the alias rule, under decisions."""

    def __init__(self, mentions: Sequence[_Mention], decisions: Sequence[Decision] = ()) -> None:
        self._parent = {mention.name: mention.name for mention in mentions}
        splits = [decision for decision in decisions if isinstance(decision, Split)]
        self.claims: dict[str, set[str]] = defaultdict(set)
        for mention in mentions:
            for alias in map(fold, mention.entity.aliases):
                if alias != mention.name and not any(split.parts(alias, mention.name) for split in splits):
                    self.claims[alias].add(mention.name)
        for merge in decisions:
            if isinstance(merge, Merge):
                later = (split for split in splits if split.no > merge.no)
                if not any(split.parts(*merge.names) for split in later):
                    self._parent[self.root(merge.names[0])] = self.root(merge.names[1])
        self._close()

    def _close(self) -> None:
        """An alias joins its claimants once they are all one entity; that may settle further aliases."""
        changed = True
        while changed:
            changed = False
            for alias, claimants in self.claims.items():
                roots = {self.root(name) for name in claimants}
                if len(roots) == 1 and self.root(alias) not in roots:
                    self._parent[self.root(alias)] = roots.pop()
                    changed = True

    def root(self, name: str) -> str:
        parent = self._parent.setdefault(name, name)
        return name if parent == name else self.root(parent)

    def claimants(self, name: str) -> set[str]:
        """The entities that contest a name: none if nobody but its own entity claims it."""
        roots = {self.root(owner) for owner in self.claims.get(name, ())}
        return roots | {self.root(name)} if roots - {self.root(name)} else set()

    def members(self) -> dict[str, set[str]]:
        members: dict[str, set[str]] = defaultdict(set)
        for name in list(self._parent):
            members[self.root(name)].add(name)
        return members


# A model of the names that the tests use, not of the world's.
TITLES = {"mr": "m", "mrs": "f", "dr": None, "sir": "m"}
GIVEN = {"charles": "m", "benjamin": "m", "victoria": "f"}


class Shape(NamedTuple):
    """What the words of a name say, given its type."""

    is_person: bool | None
    title: str | None
    gender: str | None
    core: tuple[str, ...]
    article: bool

    @property
    def whole(self) -> str:
        return fold(" ".join(self.core))

    @property
    def given(self) -> set[str]:
        """What the person is called by the first words of the full name."""
        return {fold(" ".join(self.core[:end])) for end in range(1, len(self.core)) if not self.article}

    @property
    def family(self) -> set[str]:
        """And by the last."""
        return {fold(" ".join(self.core[start:])) for start in range(1, len(self.core)) if not self.article}


def shape(entity: Entity) -> Shape:
    is_person = None if entity.type is None else entity.type == "Person"
    words = entity.name.split()
    first = words[0].lower().rstrip(".")
    if len(words) > 1 and first in TITLES and is_person is not False:
        named = GIVEN.get(words[1].lower()) if len(words) > 2 else None
        return Shape(is_person, first, TITLES[first] or named, tuple(words[1:]), False)
    if len(words) > 1 and first == "the":
        return Shape(is_person, None, None, tuple(words[1:]), True)
    gender = GIVEN.get(first) if is_person and len(words) > 1 else None
    return Shape(is_person, None, gender, tuple(words), False)


class _Local(NamedTuple):
    """A name in one document: all that its mentions there say together."""

    shape: Shape
    types: frozenset[str]
    places: frozenset[tuple[str, int]]


def _is_personal(shape: Shape) -> bool:
    return bool(shape.is_person or shape.title) and not shape.article


class Context:
    """What the names of one document mean in it."""

    def __init__(self, mentions: Sequence[_Mention], names: Names, decisions: Sequence[Decision]) -> None:
        self._names = names
        self._decisions = decisions
        said: dict[str, list[_Mention]] = defaultdict(list)
        for mention in mentions:
            said[mention.name].append(mention)
        self._local = {name: self._together(of_name) for name, of_name in said.items()}
        self._fits = {name: self._fitting(name) for name in self._local}

    @staticmethod
    def _together(mentions: Sequence[_Mention]) -> _Local:
        shapes = [shape(mention.entity) for mention in mentions]
        told = {s.is_person for s in shapes} - {None}
        is_person = None if not told else told == {True}
        titled = [s for s in shapes if s.title] or shapes
        genders = {s.gender for s in shapes} - {None}
        gender = genders.pop() if len(genders) == 1 else None
        return _Local(
            titled[0]._replace(is_person=is_person, gender=gender),
            frozenset(m.entity.type for m in mentions if m.entity.type),
            frozenset(m.place for m in mentions),
        )

    def meaning(self, name: str) -> str:
        """The root of what the name means here."""
        found = {self.meaning(other) for other in self._fits[name]} | self._claimed(name)
        return found.pop() if len(found) == 1 else self._names.root(name)

    def _may_mean(self, name: str, other: str) -> bool:
        for decision in self._decisions:
            if isinstance(decision, Merge) and name in decision.names:
                return False
            if isinstance(decision, Split) and decision.parts(name, other):
                return False
        return True

    def _claimed(self, name: str) -> set[str]:
        """The claimants that the document names by a name that is neither contested nor short for another."""
        claimants = self._names.claimants(name)
        mine = self._local[name].shape.is_person
        return {
            self._names.root(other)
            for other, local in self._local.items()
            if other != name
            and self._names.root(other) in claimants
            and not self._names.claimants(other)
            and not self._fits[other]
            and (None in (mine, local.shape.is_person) or mine == local.shape.is_person)
            and self._may_mean(name, other)
        }

    def _fitting(self, name: str) -> set[str]:
        """The fuller names here that the name may be short for."""
        return {
            other
            for other in self._local
            if other != name and self._may_mean(name, other) and self._fits_one(name, other)
        }

    def _fits_one(self, name: str, other: str) -> bool:
        short, full = self._local[name], self._local[other]
        if full.shape.article and full.shape.whole == name and not short.shape.title:
            return self._are_alike(short, full)
        if full.shape.is_person is False or short.shape.is_person is False or short.shape.article:
            return False
        if short.shape.title:
            return self._titled_fits(short, other)
        return bool(short.shape.is_person) and self._bare_fits(name, short, full)

    @staticmethod
    def _are_alike(short: _Local, full: _Local) -> bool:
        """Whether nothing in the types of a name without its article and one with it speaks against their being one."""
        persons = {short.shape.is_person, full.shape.is_person} - {None}
        return len(persons) < 2 and (not short.types or not full.types or bool(short.types & full.types))

    @staticmethod
    def _bare_fits(name: str, short: _Local, full: _Local) -> bool:
        """Babbage: Charles Babbage, or Mr. Babbage; not the Mrs. Babbage that stands beside it."""
        if full.shape.title and len(full.shape.core) == 1 and full.shape.whole == name:
            return full.shape.gender != "f" or not short.places & full.places
        return _is_personal(full.shape) and name in full.shape.given | full.shape.family

    def _titled_fits(self, short: _Local, other: str) -> bool:
        """Mr. Babbage: Charles Babbage; Dr. Charles Babbage: the same."""
        mine, full = short.shape, self._local[other].shape
        gender = full.gender or self._honoured(other)
        if len(mine.core) > 1 and mine.whole == other and not full.title:
            if mine.gender is None or gender is not None:
                return mine.gender in (None, gender)
            return not {"m", "f"} <= self._titles(mine.whole)
        if not _is_personal(full):
            return False
        if mine.whole in full.family:
            return mine.gender is None or self._surname_fits(short, other, gender)
        return mine.title == "sir" and mine.whole in full.given and gender == "m"

    def _surname_fits(self, short: _Local, other: str, gender: str | None) -> bool:
        """A family has more than one of a name: what a title of a gender may mean."""
        mine = short.shape
        if gender not in (None, mine.gender) or short.places & self._local[other].places:
            return False
        if mine.gender == "f":
            return gender == "f" and len(self._bearers(mine.whole)) == 1
        return gender == "m" or "f" not in self._titles(mine.whole)

    def _bearers(self, surname: str) -> set[str]:
        """All here whose full name ends so."""
        shapes = [local.shape for local in self._local.values()]
        return {s.whole for s in shapes if (s.is_person or s.title) and surname in s.family}

    def _titles(self, core: str) -> set[str]:
        """The genders of those who have a title before this name here."""
        shapes = [local.shape for local in self._local.values()]
        return {
            s.gender for s in shapes if s.title and s.gender and s.whole == core and s.is_person is not False
        }

    def _honoured(self, name: str) -> str | None:
        genders = self._titles(name)
        return genders.pop() if len(genders) == 1 else None


class Resolution:
    """The entity of every name in every document."""

    def __init__(self, mentions: Sequence[_Mention], decisions: Sequence[Decision]) -> None:
        self._names = Names(mentions, decisions)
        self._mentions = mentions
        self._said = {fold(name) for m in mentions for name in (m.entity.name, *m.entity.aliases)}
        of_document: dict[str, list[_Mention]] = defaultdict(list)
        for mention in mentions:
            of_document[mention.at.key].append(mention)
        contexts = {key: Context(said, self._names, decisions) for key, said in of_document.items()}
        self._meant: dict[tuple[str, str], str] = {
            (m.at.key, m.name): contexts[m.at.key].meaning(m.name) for m in mentions
        }
        self.entities: dict[str, EntityState] = {}
        self._canonical: dict[str, str] = {}
        for root, members in self._names.members().items():
            meant = [m for m in mentions if self._meant[m.at.key, m.name] == root]
            own = [m for m in meant if m.name in members]
            if own:
                self._canonical[root], self.entities[self._canonical[root]] = self._entity(
                    members, own, meant
                )

    def of(self, document: str, name: str) -> str:
        """The canonical name of what a name means in a document."""
        return self._canonical[self._meant[document, fold(name)]]

    def _entity(
        self, members: set[str], own: Sequence[_Mention], meant: Sequence[_Mention]
    ) -> tuple[str, EntityState]:
        has_full = any(" " in m.entity.name and not shape(m.entity).title for m in own)

        def rank(mention: _Mention) -> tuple[bool, int, bool, str]:
            """A title adds nothing to a name's length, and yields to a full name."""
            titled = shape(mention.entity).title is not None
            core = shape(mention.entity).whole if titled else mention.name
            return titled and has_full, -len(core), titled, mention.name

        best = min(map(rank, own))
        shown = max((m for m in own if rank(m) == best), key=lambda mention: mention.at)
        by_members = [mention for mention in self._mentions if mention.name in members]
        called = {fold(alias) for mention in by_members for alias in mention.entity.aliases}
        # A name that was decided to be another's is shown as long as a document uses it.
        names = members & self._said | called | {mention.name for mention in meant}
        types = frozenset(mention.entity.type for mention in meant if mention.entity.type)
        return shown.name, EntityState(shown.entity.name, frozenset(names), types)


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


def _completed(claims: Sequence[_Claim]) -> dict[Position, Span]:
    """The stated periods of claims, a bound that one leaves out taken from others of its relation: the last beginning
    of those that its end lies in; the first end of those that its beginning lies in, if they come later or state no
    beginning themselves."""
    by_key: dict[Key, list[tuple[Position, Span]]] = defaultdict(list)
    for claim in claims:
        if claim.stated is not None:
            by_key[claim.key].append((claim.at, claim.stated))
    found: dict[Position, Span] = {}
    for stated in by_key.values():
        for at, (low, high) in stated:
            if high == inf and low > -inf:
                high = min(
                    (e for other, (b, e) in stated if b <= low < e and (b == -inf or other > at)), default=inf
                )
            elif low == -inf and high < inf:
                low = max((b for _, (b, e) in stated if b < high <= e), default=-inf)
            found[at] = (low, high)
    return found


@dataclass
class _Slot:
    """The claims of one slot in document order, each with the span that it claims there."""

    claims: list[_Claim]
    floor: float
    stated: Mapping[Position, Span]  # of all claims that state a period, both bounds
    everyone: Sequence[_Claim]  # all claims that stand, of this slot or not
    spans: list[Span] = field(init=False)
    tails: dict[int, float] = field(init=False)  # where a claim ends that stated no end itself

    def __post_init__(self) -> None:
        self.claims.sort(key=lambda claim: claim.at)
        self.spans = [self._span(index, claim) for index, claim in enumerate(self.claims)]
        self.tails = {
            index: span[1]
            for index, (claim, span) in enumerate(zip(self.claims, self.spans, strict=True))
            if span[1] < inf and (claim.stated is None or claim.stated[1] == inf)
        }

    def _span(self, index: int, claim: _Claim) -> Span:
        """The stated period. Without a lower bound it begins at publication; but the slot's first claim begins open."""
        if claim.stated is None:
            return self._unstated(index, claim)
        low, high = self.stated[claim.at]
        if low > -inf or index == 0:
            return low, high
        if claim.published_at is not None and claim.published_at < high:
            return claim.published_at, high
        known = [self._known(other, claim.key) for other in self.claims[:index]]
        return max((at for at in known if at is not None and at < high), default=-inf), high

    def _unstated(self, index: int, claim: _Claim) -> Span:
        """Published within a stated period of its relation, it repeats that and ends with it."""
        if claim.published_at is None:
            return -inf, inf
        around = [
            self.stated[other.at]
            for other in self.everyone
            if other.key == claim.key
            and other.stated is not None
            and self.stated[other.at][0] <= claim.published_at < self.stated[other.at][1]
        ]
        high = min((end for _, end in around), default=inf)
        return (max((start for start, _ in around), default=-inf) if index == 0 else claim.published_at), high

    @staticmethod
    def _known(other: _Claim, key: Key) -> float | None:
        """Since when an ended claim of `key` may hold, after another claim: since that began, if it is of the same
        relation, else since the last that is known of it."""
        low, high = other.stated or (-inf, inf)
        if other.key == key:
            return low if low > -inf else other.published_at
        last = min((at for at in (other.published_at, high) if at is not None and at < inf), default=None)
        return max((at for at in (last, low) if at is not None and at > -inf), default=None)

    def effective(self, key: Key) -> Spans:
        """What is left of the relation's claims after all later ones took theirs."""
        return union(span for index in self._of(key) for span in self._rest(index))

    def taken_by(self, key: Key, is_lost: bool) -> _Claim | None:
        """The first claim of another relation that took the relation's open end, or some of its last claim where its
        slots together leave it nothing."""
        opens = [index for index in self._of(key) if self.spans[index][1] == inf]
        left = self.effective(key)
        if not is_lost and (not opens or left[-1][1] == inf):
            return None
        last = self._of(key)[-1] if not opens else opens[-1]
        low, high = self.spans[last]
        takers = (
            self.claims[index]
            for index in self._later(last)
            if (
                self.spans[index][0] < high
                and low < self.spans[index][1]
                and (not opens or self.spans[index][1] == inf)
            )
            or (opens and self.claims[index].key != key and low < self.tails.get(index, -inf))
        )
        return next((claim for claim in takers if claim.key != key), None)

    def _of(self, key: Key) -> list[int]:
        return [index for index, claim in enumerate(self.claims) if claim.key == key]

    def _rest(self, index: int) -> Spans:
        rest = union([self.spans[index]])
        for other in self._later(index):
            rest = subtract(rest, self.spans[other])
            end = self.tails.get(other, -inf)
            is_open = self.spans[index][1] == inf and self.claims[other].key != self.claims[index].key
            if is_open and self.spans[index][0] < end:
                rest = subtract(rest, (end, inf))  # what another ended does not come back
        return rest

    def _later(self, index: int) -> Iterator[int]:
        """Later claims that are sure enough to take the slot."""
        later = range(index + 1, len(self.claims))
        return (i for i in later if self.claims[i].triple.confidence >= self.floor)


# ---------------------------------------------------------------- the graph
def derive(
    documents: Iterable[Document],
    predicates: Iterable[Predicate],
    floor: float = 0.5,
    decisions: Sequence[Decision] = (),
) -> Graph:
    """The current graph of the live documents and the standing decisions."""
    vocabulary = {predicate.name: predicate for predicate in predicates}
    ordered = sorted(documents, key=lambda document: (document.ord, document.key))
    resolution = Resolution([mention for document in ordered for mention in _mentions(document)], decisions)
    claims = [c for document in ordered for c in _claims(document, resolution, vocabulary)]
    return Graph(resolution.entities, _relations(claims, vocabulary, floor))


def _mentions(document: Document) -> Iterator[_Mention]:
    """Of each chunk its entities, and the ends of its triples that are none of those."""
    for chunk, extraction in enumerate(document.chunks):
        listed = {fold(entity.name) for entity in extraction.entities}
        ends = [
            end for t in extraction.triples for end in ((t.subject,) if t.is_value else (t.subject, t.object))
        ]
        stubs = [Entity(end) for end in dict.fromkeys(ends) if fold(end) not in listed]
        for no, entity in enumerate([*extraction.entities, *stubs]):
            yield _Mention(Position(document.ord, document.key, chunk, no), entity)


def _claims(
    document: Document, resolution: Resolution, vocabulary: Mapping[str, Predicate]
) -> Iterator[_Claim]:
    for chunk, extraction in enumerate(document.chunks):
        for no, triple in enumerate(extraction.triples):
            key = _key(triple, document.key, resolution, vocabulary)
            if key is not None:
                at = Position(document.ord, document.key, chunk, no)
                yield _Claim(at, triple, document.published_at, key, document.corrects)


def _key(
    triple: Triple, document: str, resolution: Resolution, vocabulary: Mapping[str, Predicate]
) -> Key | None:
    """The relation that a triple supports; None for a self-loop."""
    predicate = vocabulary.get(triple.predicate, Predicate(triple.predicate))
    subject = resolution.of(document, triple.subject)
    if triple.is_value or predicate.value:
        stated = period(triple.valid_from, triple.valid_to)
        return Key(subject, predicate.name, None, meaning(triple.object), stated, triple.negated)
    object_ = resolution.of(document, triple.object)
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
    stated = _completed(standing)
    slots = {
        name: _Slot(members, floor, stated, standing)
        for name, members in _contents(standing, vocabulary).items()
        if _is_contested(name, members)
    }
    relations = {}
    for key, support in supports.items():
        mine = [slot for slot in slots.values() if any(claim.key == key for claim in slot.claims)]
        stands = [claim for claim in support if claim.at not in corrected]
        relations[key] = _relation(key, support, mine, stated)
        if len(stands) < len(support):
            relations[key] = _corrected(relations[key], key, stands, mine, corrected, support, stated)
    return relations


def _contents(
    claims: Sequence[_Claim], vocabulary: Mapping[str, Predicate]
) -> dict[tuple[object, ...], list[_Claim]]:
    """The claims of each slot."""
    contents: dict[tuple[object, ...], list[_Claim]] = defaultdict(list)
    for claim in claims:
        for slot in _slots(claim.key, vocabulary.get(claim.key.predicate, Predicate(claim.key.predicate))):
            contents[slot].append(claim)
    _add_denials(contents, [claim for claim in claims if claim.key.negated and claim.key.value is not None])
    return contents


def _add_denials(contents: Mapping[tuple[object, ...], list[_Claim]], denials: Sequence[_Claim]) -> None:
    """A denial of a figure that names no period denies it in every period, whenever it was published; one that names a
    period denies it in that period of a figure that has none."""
    for slot, members in contents.items():
        key = slot[1]
        if slot[0] != "triple" or not isinstance(key, Key) or all(claim.key.negated for claim in members):
            continue
        for denial in denials:
            if (denial.key.period is None) != (key.period is None) and denial.key._replace(
                negated=False, period=key.period
            ) == key:
                always = denial.key.period is None
                members.append(replace(denial, published_at=None if always else denial.published_at))


def _corrections(
    claims: Sequence[_Claim], vocabulary: Mapping[str, Predicate], floor: float
) -> dict[Position, _Claim]:
    """The claims that are corrected, each with the first claim that does so: a later one in the same slot, sure enough,
    of a document that corrects theirs, about another relation and a time that they share, or about another period of
    the same relation. From the latest on: what is corrected itself corrects nothing."""
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
        by += [
            other
            for other in claims
            if other.key == claim.key
            and other.at > claim.at
            and claim.at.key in other.corrects
            and other.triple.confidence >= floor
            and other.at not in corrected
            and other.stated is not None
            and claim.stated
            not in {c.stated for c in claims if c.key == claim.key and c.at.key == other.at.key}
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
    stated: Mapping[Position, Span],
) -> Relation:
    """A relation that lost claims to a correction: all of them and so its whole time, or some."""
    if standing:
        left = _relation(key, standing, slots, stated)
        return replace(held, effective=left.effective, status=left.status, superseded_by=left.superseded_by)
    by = min((corrected[claim.at] for claim in support), key=lambda claim: claim.at)
    return replace(held, effective=(), status="superseded", superseded_by=by.key)


def _is_contested(slot: tuple[object, ...], claims: Sequence[_Claim]) -> bool:
    """A triple is a slot only where somebody denies what somebody asserts."""
    return slot[0] != "triple" or len({claim.key.negated for claim in claims}) == 2


def _relation(
    key: Key, support: Sequence[_Claim], slots: Sequence[_Slot], stated: Mapping[Position, Span]
) -> Relation:
    # Outside slots an undated restatement erases no stated period, and what nobody dated holds always.
    dated = union(stated[claim.at] for claim in support if claim.at in stated)
    effective = ALWAYS if slots else dated or ALWAYS
    for slot in slots:
        effective = intersect(effective, slot.effective(key))
    taken = (slot.taken_by(key, not effective) for slot in slots)
    takers = [claim for claim in taken if claim is not None]
    first = min(takers, key=lambda claim: claim.at, default=None)
    return Relation(
        weight=len({claim.at[:3] for claim in support}),
        confidence=max(claim.triple.confidence for claim in support),
        status="superseded" if first else "current",
        superseded_by=first.key if first else None,
        effective=effective,
        value=None if key.value is None else max(support, key=lambda claim: claim.at).triple.object,
    )

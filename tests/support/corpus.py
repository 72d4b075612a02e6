"""Small worlds for the property tests: random documents about a few names, and how to put them into a realm.

Names share aliases, differ only in case or accents, and carry quotes, slashes and Chinese characters. The
predicates cover every kind of slot. Each paragraph is a chunk and says what its extraction says: all gates let it in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.support.calls import row, rows
from tests.support.database import Connection, Row
from tests.support.model import Document, Entity, Extraction, Predicate, Triple, fold

REALM = "properties"
REGARD = ("regard",)
TOPICS = (
    (
        Predicate("admires", groups=REGARD),
        Predicate("despises", groups=REGARD),
        Predicate("allied_with", groups=REGARD, symmetric=True),
    ),
    (Predicate("lives_in", functional=True),),
    (Predicate("married_to", functional=True, symmetric=True),),
    (Predicate("works_for"), Predicate("employs", inverse_of="works_for"), Predicate("founded")),
    (Predicate("reported_revenue", value=True), Predicate("population", value=True, functional=True)),
)
PREDICATES = tuple(chain(*TOPICS))
VOCABULARY = {predicate.name: predicate for predicate in PREDICATES}

SPELLINGS = (
    ("Ada Lovelace", "ADA LOVELACE"),
    ("Augusta Ada King",),
    ("Charles Babbage",),
    ("Benjamin Babbage",),
    ("Babbage", "BABBAGE"),
    ("Zoë Müller", "Zoe Muller"),
    ("DataHub", "data hub"),
    ('O\'Neil "Rex" \\ Co/β',),
    ("東京電力",),
)
#: One family: short forms, titles, and a thing with and without its article.
FAMILY = (
    ("Charles Babbage",),
    ("Benjamin Babbage",),
    ("Victoria Babbage",),
    ("Babbage", "BABBAGE"),
    ("Charles",),
    ("Mr. Babbage",),
    ("Mrs. Babbage",),
    ("Dr. Charles Babbage",),
    ("Sir Charles",),
    ("The Analytical Engine",),
    ("Analytical Engine",),
)
ALIASES = ("Babbage", "Lovelace", "Rex", "Ada Lovelace", "Augusta Ada King", "TEPCO", "データ")
TYPES = (None, "Person", "Organization")
PEOPLE = ("Person", "Person", "Person", "Person", None, "Organization")
FAMILY_ALIASES = ("Babbage", "Charles", "Mr. Babbage", "Charles Babbage", "Charlie")
FIGURES = (
    "$66.5 billion",
    "66,500 million dollars",
    "$70 billion",
    "$70.0 billion",
    "1,204",
    "5%",
    "5 Percent",
)
YEARS = ("2001", "2005", "2011")
CONFIDENCES = (1.0, 0.9, 0.5, 0.25)


NAMES = tuple(f"doc {number}" for number in range(5))
CHUNK_SIZE = 1000
FILLER = "Nothing else was said about this that day. "


@dataclass(frozen=True)
class Draft:
    """A document before it is indexed; its name is its identity, each of its chunks a paragraph."""

    name: str
    ordinal: int | None
    published_at: datetime | None
    chunks: tuple[Extraction, ...]
    corrects: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n\n".join(self._paragraph(no, chunk) for no, chunk in enumerate(self.chunks, 1))

    def _paragraph(self, no: int, chunk: Extraction) -> str:
        """One sentence for each thing that the chunk says, and enough more that no two paragraphs fit one chunk."""
        names = [" or ".join([entity.name, *entity.aliases]) + "." for entity in chunk.entities]
        facts = [f"{t.subject} {t.predicate} {t.object}." for t in chunk.triples]
        said = " ".join([f"Part {no} of {self.name}.", *names, *facts])
        return (said + " " + FILLER * 20)[: max(len(said), CHUNK_SIZE * 2 // 3)].strip()

    @property
    def extraction(self) -> dict[str, Any]:
        """The argument of index()."""
        return {"chunks": [{"no": no, **as_json(chunk)} for no, chunk in enumerate(self.chunks, 1)]}


def as_json(extraction: Extraction) -> dict[str, Any]:
    """The extraction in the form in which a model answers."""
    return {
        "entities": [
            {"name": e.name, "type": e.type, "description": f"{e.name} as told.", "aliases": list(e.aliases)}
            for e in extraction.entities
        ],
        "triples": [
            {
                "subject": t.subject,
                "predicate": t.predicate,
                "object": t.object,
                "object_is_value": t.is_value,
                "description": f"{t.subject} {t.predicate} {t.object}",
                "negated": t.negated,
                "confidence": t.confidence,
                "valid_from": t.valid_from,
                "valid_to": t.valid_to,
            }
            for t in extraction.triples
        ],
    }


# ---------------------------------------------------------------- random worlds
@dataclass(frozen=True)
class World:
    """What the documents of one example are about. It is small, so that they meet in the same slots."""

    names: tuple[tuple[str, ...], ...]  # of each name its spellings
    predicates: tuple[Predicate, ...]
    types: tuple[str | None, ...] = TYPES
    aliases: tuple[str, ...] = ALIASES

    def drafts(self, name: st.SearchStrategy[str]) -> st.SearchStrategy[Draft]:
        chunks = st.lists(_extractions(self), min_size=1, max_size=2).map(tuple)
        return st.builds(Draft, name, ordinals, publications, chunks, corrections)

    def collections(self, min_size: int, max_size: int) -> st.SearchStrategy[list[Draft]]:
        sizes = st.integers(min_size, max_size)
        return sizes.flatmap(lambda size: st.tuples(*map(self.drafts, map(st.just, NAMES[:size])))).map(list)


_predicates = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True).map(
    lambda chosen: tuple(chain(*chosen))
)
families = st.builds(
    World,
    st.lists(st.sampled_from(FAMILY), min_size=2, max_size=6, unique=True).map(tuple),
    _predicates,
    st.just(PEOPLE),
    st.just(FAMILY_ALIASES),
)
worlds = families | st.builds(
    World, st.lists(st.sampled_from(SPELLINGS), min_size=2, max_size=4, unique=True).map(tuple), _predicates
)
ordinals = st.integers(1, 4)  # few, so that documents tie
publications = st.none() | st.sampled_from((2000, 2008, 2020)).map(
    lambda year: datetime(year, 1, 1, tzinfo=UTC)
)
#: What a document corrects; most correct nothing.
corrections = st.just(()) | st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple)
#: No period stated, one open at either end, or a closed one; never an inverted one.
periods = st.sampled_from(
    [(None, None)] * 4
    + [(year, None) for year in YEARS]
    + [(None, year) for year in YEARS]
    + [(start, end) for start in YEARS for end in YEARS if start <= end]
)


@st.composite
def _extractions(draw: st.DrawFn, world: World) -> Extraction:
    """What one chunk says of its world's names, each spelt in one way inside the chunk."""
    names = [draw(st.sampled_from(spellings)) for spellings in world.names]
    entities = tuple(
        Entity(name, draw(st.sampled_from(world.types)), draw(_aliases(name, world.aliases)))
        for name in names
    )
    triples = tuple(draw(st.lists(_triples(names, world.predicates), min_size=1, max_size=4)))
    mentioned = {end for triple in triples for end in (triple.subject, triple.object)}
    silent = draw(st.sets(st.sampled_from(names))) - mentioned
    return Extraction(tuple(entity for entity in entities if entity.name not in silent), triples)


def _aliases(name: str, aliases: Sequence[str]) -> st.SearchStrategy[tuple[str, ...]]:
    others = [alias for alias in aliases if fold(alias) != fold(name)]
    return st.just(()) | st.lists(st.sampled_from(others), max_size=2, unique=True).map(tuple)


@st.composite
def _triples(draw: st.DrawFn, names: Sequence[str], predicates: Sequence[Predicate]) -> Triple:
    predicate = draw(st.sampled_from(predicates))
    subject = draw(st.sampled_from(names))
    is_value = predicate.value or draw(st.integers(0, 9)) == 9  # under any predicate a figure may be stated
    others = FIGURES if is_value else [name for name in names if name != subject]
    start, end = draw(periods)
    return Triple(
        subject,
        predicate.name,
        draw(st.sampled_from(others)),
        is_value=is_value,
        negated=draw(st.sampled_from((False, False, False, True))),
        confidence=draw(st.sampled_from(CONFIDENCES)),
        valid_from=start,
        valid_to=end,
    )


@st.composite
def collections(draw: st.DrawFn, min_size: int = 2, max_size: int = 5) -> list[Draft]:
    """Documents of distinct names in one world; some share an ordinal."""
    return draw(draw(worlds).collections(min_size, max_size))


# ---------------------------------------------------------------- into a realm
def make_realm(conn: Connection, realm: str) -> None:
    """A realm in which a paragraph is a chunk and the predicates of these worlds are declared."""
    rows(conn, "create_realm", realm, embedding_url="builtin:hash", width=32)
    rows(conn, "configure", "chunk_size", Jsonb(CHUNK_SIZE), realm=realm)
    rows(conn, "configure", "chunk_overlap", Jsonb(0), realm=realm)
    for predicate in PREDICATES:
        rows(
            conn,
            "declare_predicate",
            predicate.name,
            inverse_of=predicate.inverse_of,
            is_symmetric=predicate.symmetric,
            is_functional=predicate.functional,
            is_value=predicate.value,
            exclusive_groups=list(predicate.groups),
            realm=realm,
        )


def index(conn: Connection, realm: str, space: str, draft: Draft, supply: bool = True) -> Row:
    """Index a draft with its extraction, or, not supplied, with whatever the realm's endpoint says."""
    result = row(
        conn,
        "index",
        draft.text,
        document=draft.name,
        published_at=draft.published_at,
        ordinal=draft.ordinal,
        extraction=draft.extraction if supply else None,
        metadata={"corrects": list(draft.corrects)} if draft.corrects else {},
        space=space,
        realm=realm,
    )
    assert result["chunks"] == len(draft.chunks), "a paragraph was meant to be a chunk"
    assert result["failed"] == 0, result
    assert set(result["rejected"]) <= {"duplicate_triple"}, result
    return result


def delete(conn: Connection, realm: str, space: str, name: str) -> None:
    rows(conn, "delete_document", name, space=space, realm=realm)


def differences(conn: Connection, realm: str, space: str) -> int:
    """How many rows a derivation from scratch would have to change."""
    return int(row(conn, "derive", realm=realm, space=space)["derive"])


def as_document(draft: Draft) -> Document:
    """The draft as the reference model takes it; among these worlds a name orders like the document's key."""
    published_at = None if draft.published_at is None else draft.published_at.timestamp()
    place = draft.ordinal if draft.ordinal is not None else published_at
    assert place is not None, "a document ordered by its first indexing has no place in a model"
    return Document(draft.name, float(place), published_at, draft.chunks, frozenset(draft.corrects))

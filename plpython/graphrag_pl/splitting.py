"""Split a document into overlapping chunks whose borders survive edits elsewhere in the document.

A document is first cut into *atoms*: paragraphs, and where a paragraph is longer than the budget, its
sentences (or lines), where a sentence is, its words, where a word is (Han and Kana without punctuation, a
hash), fixed pieces. Atoms are then packed into chunks. Plain greedy packing would let one inserted word
move every later border, so that a whole document had to be embedded and extracted anew; instead the border
is *content-defined*:

    Among the atom borders that leave a chunk between half and wholly full, take the strongest kind (before a
    heading, between paragraphs, between sentences, between words, anywhere); among equals the one whose
    following atom has the smallest checksum. If none is in that range, take the last that fits. A rest that
    fits is one chunk.

Two packings that start at different places choose the same border as soon as both see it in range, so after
an edit the old chunks come back within a few. Nothing is dropped: atoms cover every character that is not
white space.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphrag_pl import errors
from graphrag_pl.database import Breathe, Database, breathing, holding_breath

_MINIMUM_FILL = 0.5

#: Kinds of border before an atom, weakest first.
_ANYWHERE, _WORD, _SENTENCE, _PARAGRAPH, _HEADING = range(5)

# Each pattern starts with a character that it must match, never with a run of white space: linear on any
# input.
_PARAGRAPH_GAP = re.compile(r"\n[^\S\n]*\n\s*|[\f\x1c-\x1e\u2029]\s*")
_HEADING_LINE = re.compile(r"#{1,6}\s+\S")
# A full stop after one letter or a title ("J. Doe", "Mr. X") ends no sentence, nor does one before a
# lower-case letter.
_SENTENCE_GAP = re.compile(
    r"[.!?…](?<![\s.(][^\W\d_]\.)(?<!\b[MD]r\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bProf\.)[\"'”’»)\]]*\s+(?![a-zà-ÿ\s])"
    r"|[。！？｡؟।][”’」』）]*\s*"
    r"|\n\s*"
)
_WORD_GAP = re.compile(r"\s+")


class Chunk(NamedTuple):
    """`body` is document[start_at:end_at]; offsets count characters, half-open; `no` counts from 1."""

    no: int
    start_at: int
    end_at: int
    body: str


class _Atom(NamedTuple):
    start: int
    end: int
    border: int


def split(
    document: str, budget: int = 2000, overlap: int = 200, breathe: Breathe = holding_breath
) -> list[Chunk]:
    """Chunks of at most `budget` characters; each but the first repeats up to `overlap` characters of the
    one before, from a sentence's beginning. A blank document has none. Deterministic, linear in the
    document's length.

    Raises ValueError unless budget >= 20 and 0 <= overlap <= budget / 2.
    """
    if budget < 20 or not 0 <= overlap <= budget // 2:
        raise ValueError("a budget of at least 20 characters and an overlap of at most half of it are needed")
    atoms: list[_Atom] = []
    for atom in _atoms(document, budget - overlap):
        breathe()
        atoms.append(atom)
    chunks: list[Chunk] = []
    first = 0
    while first < len(atoms):
        breathe()
        capacity = budget - overlap if chunks else budget
        after = _last_atom(document, atoms, first, capacity) + 1
        start = (
            _overlap_start(document, atoms[first], overlap, atoms[0].start) if chunks else atoms[first].start
        )
        end = atoms[after - 1].end
        chunks.append(Chunk(len(chunks) + 1, start, end, document[start:end]))
        first = after
    return chunks


@errors.relaying
def split_for_sql(plpy: Database, document: str, budget: int, overlap: int) -> list[Chunk]:
    """`graphrag._split`: split(), whose ValueError becomes GR009."""
    try:
        return split(document, budget, overlap, breathing(plpy))
    except ValueError as error:
        raise errors.sql_error(
            plpy,
            errors.INVALID_ARGUMENT,
            f"a document cannot be split with budget {budget} and overlap {overlap}",
            f"{error}.".capitalize(),
            "The defaults are 2000 and 200.",
        ) from error


def locate(document: str, pieces: Sequence[str], breathe: Breathe = holding_breath) -> list[Chunk]:
    """Chunks of somebody else's making, as they stand in the document: in order, each going further than the one
    before it, which it may overlap. Blank pieces are left out. Raises ValueError for text that is not there."""
    chunks: list[Chunk] = []
    start = end = -1
    for number, piece in enumerate(pieces, 1):
        breathe()
        body = (piece or "").strip()
        if not body:
            continue
        start = document.find(body, max(start + 1, end - len(body) + 1))
        if start < 0:
            raise ValueError(f"Piece {number} is not in the document after the piece before it: {body[:60]}")
        end = start + len(body)
        chunks.append(Chunk(len(chunks) + 1, start, end, body))
    if not chunks:
        raise ValueError("It returned no text for a document that has some")
    return chunks


@errors.relaying
def locate_for_sql(plpy: Database, document: str, pieces: Sequence[str], splitter: str) -> list[Chunk]:
    """`graphrag._locate`: locate(), whose ValueError becomes GR017."""
    try:
        return locate(document, pieces, breathing(plpy))
    except ValueError as error:
        raise errors.sql_error(
            plpy,
            errors.SPLITTER_FAILED,
            f'the splitter "{splitter}" returned what it was not given',
            f"{error}.",
            "It gets the document with LF line ends and without control characters, and returns parts of it, unchanged,"
            " in order; they may overlap.",
        ) from error


def _last_atom(document: str, atoms: list[_Atom], first: int, capacity: int) -> int:
    """The index of the atom that ends the chunk which begins with atom `first`."""
    start = atoms[first].start
    if atoms[-1].end - start <= capacity:
        return len(atoms) - 1
    fits = bisect_right(atoms, start + capacity, first, key=lambda atom: atom.end) - 1
    filled = bisect_left(atoms, start + capacity * _MINIMUM_FILL, first, fits + 1, key=lambda atom: atom.end)
    if filled > fits:
        return max(first, fits)

    def preference(last: int) -> tuple[int, int, int]:
        following = atoms[last + 1]
        border = following.border
        if border == _PARAGRAPH and _is_lone_heading(document, atoms[last]):
            border = _ANYWHERE  # a heading is no good last line
        return border, -zlib.crc32(document[following.start : following.end].encode("utf-8", "ignore")), last

    return max(range(filled, fits + 1), key=preference)


def _is_lone_heading(document: str, atom: _Atom) -> bool:
    return atom.border == _HEADING and "\n" not in document[atom.start : atom.end]


def _overlap_start(document: str, atom: _Atom, overlap: int, floor: int) -> int:
    """Where a chunk whose own text begins with `atom` starts: at the earliest sentence within `overlap`
    characters before it; where a sentence or word had to be cut, at a word or just there."""
    earliest = max(floor, atom.start - overlap)
    window = document[earliest : atom.start]
    gaps = _SENTENCE_GAP.finditer(window) if atom.border >= _SENTENCE else _WORD_GAP.finditer(window)
    starts = [earliest + gap.end() for gap in gaps if gap.end() < len(window)]
    if earliest == floor and window.strip():
        starts.insert(0, floor)
    if starts:
        return starts[0]
    return earliest if atom.border == _ANYWHERE else atom.start


def _atoms(document: str, limit: int) -> Iterator[_Atom]:
    """Atoms of at most `limit` characters, in order; the white space between them belongs to none."""
    for start, end in _spans(document, 0, len(document), _PARAGRAPH_GAP):
        is_heading = _HEADING_LINE.match(document, start)
        yield from _pieces(document, start, end, limit, _HEADING if is_heading else _PARAGRAPH)


def _pieces(document: str, start: int, end: int, limit: int, border: int) -> Iterator[_Atom]:
    """The span as one atom if it fits, else its sentences, words or fixed pieces; `border` is what stands
    before it."""
    if end - start <= limit:
        yield _Atom(start, end, border)
        return
    for sentence_start, sentence_end in _spans(document, start, end, _SENTENCE_GAP):
        if sentence_end - sentence_start <= limit:
            yield _Atom(sentence_start, sentence_end, border)
        else:
            yield from _word_pieces(document, sentence_start, sentence_end, limit, border)
        border = _SENTENCE


def _word_pieces(document: str, start: int, end: int, limit: int, border: int) -> Iterator[_Atom]:
    for word_start, word_end in _spans(document, start, end, _WORD_GAP):
        while word_end - word_start > limit:
            cut = _between_characters(document, word_start + max(1, limit // 8), word_start + 1)
            yield _Atom(word_start, cut, border)
            word_start, border = cut, _ANYWHERE
        yield _Atom(word_start, word_end, border)
        border = _WORD


def _between_characters(document: str, cut: int, floor: int) -> int:
    """Not inside what a reader sees as one character: before combining marks, joiners and variation
    selectors."""
    for earlier in range(cut, max(floor, cut - 16), -1):
        around = document[earlier - 1 : earlier + 1]
        if "\u200d" not in around and not unicodedata.category(around[-1]).startswith("M"):
            return earlier
    return cut


def _spans(document: str, start: int, end: int, gap: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """What stands between the gaps, without white space at its ends, blank spans left out. Punctuation at
    the front of a gap stays with the text before it."""
    position = start
    for match in gap.finditer(document, start, end):
        yield from _stripped(document, position, match.end())
        position = match.end()
    yield from _stripped(document, position, end)


def _stripped(document: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    text = document[start:end]
    start += len(text) - len(text.lstrip())
    end -= len(text) - len(text.rstrip())
    if start < end:
        yield start, end

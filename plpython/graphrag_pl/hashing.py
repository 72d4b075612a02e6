"""`builtin:hash`: vectors without a model, the same in every process and on every machine.

A text becomes the signed sum of its hashed features: words, and the character 3-grams of each word, so that
inflected and misspelt forms are near each other. It knows no synonyms: it is for trying things out, and for
tests.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
import unicodedata
from collections import Counter
from functools import lru_cache

from graphrag_pl.database import Breathe, holding_breath
from graphrag_pl.text import to_vector

URL = "builtin:hash"
DEFAULT_WIDTH = 256
MINIMUM_WIDTH = 8

_WORD = re.compile(r"[^\W_]+")
_WORD_WEIGHT = 1.0
_SHORT_WORD_WEIGHT = 0.2  # up to three letters: mostly articles, prepositions, auxiliaries
_GRAM_WEIGHT = 0.3
_LONGEST_WORD = 64  # of a longer run only this much makes features
_BREATH = 256  # features between two looks at whether somebody cancels


def embed(text: str, width: int, breathe: Breathe = holding_breath) -> list[float]:
    """A vector of unit length, never zero, not even for an empty text."""
    vector = [0.0] * width
    for position, value in _cells(text, width, breathe).items():
        vector[position] = value
    return vector


def literal(text: str, width: int, breathe: Breathe = holding_breath) -> str:
    """The same in pgvector's text form, of 32-bit floats."""
    floats = struct.Struct(f"<{width}f")
    return to_vector(floats.unpack(floats.pack(*embed(text, width, breathe))))


def _cells(text: str, width: int, breathe: Breathe) -> dict[int, float]:
    """What is not zero, by position: most of a short text's vector is."""
    counts: Counter[tuple[str, float, int, int]] = Counter()
    for word in _WORD.findall(_folded(text)):
        counts.update(_features(word[:_LONGEST_WORD]))
        breathe()
    sums: dict[int, float] = {}
    for no, ((_, weight, position, sign), count) in enumerate(sorted(counts.items())):
        if no % _BREATH == 0:
            breathe()
        value = sign * weight if count == 1 else sign * weight * (1 + math.log(count))
        sums[position % width] = sums.get(position % width, 0.0) + value
    cells = {position: value for position, value in sums.items() if value}
    if not cells:  # no word at all, or every feature met its opposite
        return {_place("\x01" + text)[0] % width: 1.0}
    length = math.sqrt(math.fsum([value * value for value in cells.values()]))
    return {position: value / length for position, value in cells.items()}


def _folded(text: str) -> str:
    """Without case and diacritics."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(c))


@lru_cache(maxsize=20_000)
def _features(word: str) -> list[tuple[str, float, int, int]]:
    """The features of a word, each with its weight, position and sign."""
    is_short = len(word) <= 3 and word.isascii() and word.isalpha()
    bounded = f"\x02{word}\x03"
    grams = [("\x04" + bounded[i : i + 3], _GRAM_WEIGHT) for i in range(len(bounded) - 2)]
    weighted = [(word, _SHORT_WORD_WEIGHT if is_short else _WORD_WEIGHT), *grams]
    return [(feature, weight, *_place(feature)) for feature, weight in weighted]


@lru_cache(maxsize=20_000)
def _place(feature: str) -> tuple[int, int]:
    """A position to be taken modulo the width, and a sign."""
    number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "ignore"), digest_size=8).digest(), "big")
    return number >> 1, 1 if number & 1 else -1

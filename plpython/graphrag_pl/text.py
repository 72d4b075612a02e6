"""Text that PostgreSQL accepts, JSON in and out, vectors out, and how many tokens a text may have."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Self

from graphrag_pl.database import Breathe, holding_breath

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

#: Levels of lists and objects in JSON that anybody means; more is noise, and beyond what recursion bears.
_DEEPEST = 100
#: Digits of an integer that Python is asked to read as one; from 4,300 on it refuses.
_LONGEST_INTEGER = 1000
#: UTF-8 bytes a token, at the least: 3 letters of English, one Hangul or Han character.
_BYTES_PER_TOKEN = 3


def clean_text(text: str) -> str:
    """Without NUL characters and lone surrogates, which PostgreSQL cannot store."""
    return _UNSTORABLE.sub("", text)


def is_deep(value: Any, breathe: Breathe = holding_breath) -> bool:
    """Whether a value of JSON is nested deeper than functions that call themselves can follow."""
    level = [value] if isinstance(value, list | dict) else []
    for _ in range(_DEEPEST):
        if not level:
            return False
        below: list[Any] = []
        for outer in level:
            breathe()
            inner = outer.values() if isinstance(outer, dict) else outer
            below += [item for item in inner if isinstance(item, list | dict)]
        level = below
    return True


def clean_json(value: Any, breathe: Breathe = holding_breath, is_to_be_read: bool = False) -> Any:
    """The same value with clean strings and keys; NaN and infinities, which JSON lacks, as strings. Numbers beyond a
    float stay numbers in what is to be read, not written."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, StatedNumber) and not math.isfinite(value):
        return value if is_to_be_read else value.text
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        breathe()
        return [clean_json(item, breathe, is_to_be_read) for item in value]
    if isinstance(value, dict):
        breathe()
        return {clean_text(str(key)): clean_json(item, breathe, is_to_be_read) for key, item in value.items()}
    return value


class StatedNumber(float):
    """A number of JSON that a float does not have to the digit: `66.50`, `1e400`, five thousand nines."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def from_json(text: str) -> Any:
    """The value of JSON text. Numbers keep how they were stated, and of lists under one key twice none is lost. Raises
    ValueError, and RecursionError for what is nested too deep."""
    return json.loads(
        text,
        parse_float=StatedNumber,
        parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_INTEGER else StatedNumber(digits),
        object_pairs_hook=_object,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = dict(pairs)
    if len(read) < len(pairs):
        read = {}
        for key, value in pairs:
            known = read.get(key)
            read[key] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    return read


def to_vector(numbers: Sequence[float]) -> str:
    """pgvector's text form of 32-bit floats: nine digits tell any two of them apart, and zeros are short."""
    return f"[{','.join([f'{number:.9g}' if number else '0' for number in numbers])}]"


def to_json(value: Any, breathe: Breathe = holding_breath) -> str:
    """JSON that PostgreSQL's jsonb accepts, non-ASCII characters as they are. A long list is written item by
    item: the encoder does not stop half-way."""
    if not isinstance(value, list):
        return json.dumps(clean_json(value, breathe), ensure_ascii=False)
    written = []
    for item in value:
        breathe()
        written.append(json.dumps(clean_json(item, breathe), ensure_ascii=False))
    return f"[{', '.join(written)}]"


def estimated_tokens(text: str) -> int:
    """An estimate on the safe side: real tokenizers find fewer."""
    return math.ceil(len(text.encode("utf-8", "ignore")) / _BYTES_PER_TOKEN)


def clip_to_tokens(text: str, tokens: int) -> str:
    """The longest beginning with at most that many estimated tokens, cut at a space if one is near."""
    data = text.encode("utf-8", "ignore")
    if len(data) <= tokens * _BYTES_PER_TOKEN:
        return text
    clipped = data[: tokens * _BYTES_PER_TOKEN].decode("utf-8", "ignore")
    space = clipped.rfind(" ", len(clipped) * 3 // 4)
    return clipped[:space] if space > 0 else clipped


def nonce(text: str) -> str:
    """Eight hexadecimal digits that `text` determines and does not contain: a fence it cannot close."""
    digits = hashlib.sha256(text.encode("utf-8", "ignore")).hexdigest()
    return next(digits[i : i + 8] for i in range(57) if digits[i : i + 8] not in text)

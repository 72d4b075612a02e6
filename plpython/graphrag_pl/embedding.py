"""Texts into vectors: in batches, checked one by one, never misaligned, never of two widths."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from graphrag_pl import endpoints, errors, hashing
from graphrag_pl.database import Breathe, Database, breathing, scalar
from graphrag_pl.endpoints import Endpoint
from graphrag_pl.text import clip_to_tokens, estimated_tokens, to_json, to_vector

#: Per request; the options `batch_size`, `batch_tokens` and `max_input_tokens` (of one text) change them.
BATCH_SIZE = 64
BATCH_TOKENS = 8000
MAX_INPUT_TOKENS = 8000
DEADLINE = 60.0
#: Answers that are fetched at a time, unless concurrency is more: reading them into jsonb does not stop half-way.
_ROUND = 16

#: pgvector adds squares up in 32 bits: beyond these they are zero or infinite, and a distance is none.
_LEAST_SQUARE = 1e-30
_MOST_SQUARE = 1e36


@errors.relaying
def embed(
    plpy: Database,
    texts: Sequence[str],
    realm_width: int | None = None,
    document: str | None = None,
    question: str | None = None,
) -> list[str]:
    """pgvector literals of the texts, in order, by the current realm's embedding endpoint.

    Equal texts are sent once. A text of more tokens than the model takes (8,000, estimated) is embedded by
    its beginning. Raises GR010 without an endpoint, its own GR101 … GR104, GR105 for another width than the
    realm's (`realm_width`, else read from it), GR106 for a vector that is zero or not finite. `document` or
    `question` is noted with what the calls cost.
    """
    if not texts:
        return []
    endpoint = endpoints.for_role(plpy, "embedding")
    width = realm_width or scalar(plpy, "select width from realm")
    distinct = list(dict.fromkeys(texts))
    calls: list[dict[str, Any]] = []
    literals = vectors_of(plpy, endpoint, distinct, width, calls)
    endpoints.record_usage(plpy, endpoint, calls, document, question)
    vectors = dict(zip(distinct, literals, strict=True))
    return [vectors[text] for text in texts]


@errors.relaying
def probe_width(plpy: Database, endpoint: str) -> str:
    """How many dimensions the vectors of an endpoint (JSON: base_url, model, options) have: JSON {width,
    usage}, `usage` being for `_record_usage` once there is a realm to note it in."""
    asked = Endpoint.from_json(json.loads(endpoint))
    calls: list[dict[str, Any]] = []
    (vector,) = vectors_of(plpy, asked, ["width"], None, calls)
    usage = endpoints.usage_records(asked, calls, question="graphrag.create_realm()")
    return to_json({"width": vector.count(",") + 1, "usage": usage})


def vectors_of(
    plpy: Database,
    endpoint: Endpoint,
    texts: Sequence[str],
    width: int | None,
    calls: list[dict[str, Any]] | None = None,
) -> list[str]:
    """Checked literals; `width` None accepts any one width. The answers of `_call` are added to `calls`."""
    breathe = breathing(plpy)
    literals: list[str] = []
    if endpoint.base_url == hashing.URL:
        own = int(endpoint.options.get("width") or hashing.DEFAULT_WIDTH)
        check_width(plpy, endpoint, own, width)
        for text in texts:
            breathe()
            literals.append(hashing.literal(text, own, breathe))
        return literals
    for batch, answer in _asked(plpy, endpoint, texts, breathe):
        if calls is not None:
            calls.append(answer)
        if not answer["ok"]:
            raise endpoints.sql_error(plpy, endpoint, answer)
        for vector in _ordered(plpy, endpoint, answer["body"], len(batch)):
            breathe()
            width = width or len(vector)
            check_width(plpy, endpoint, len(vector), width)
            literals.append(to_literal(plpy, endpoint, vector))
    return literals


def _asked(
    plpy: Database, endpoint: Endpoint, texts: Sequence[str], breathe: Breathe
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """(texts of one request, its answer by `_call`), in the order of the texts; round by round, so that a
    failure is the last."""
    concurrency = endpoint.concurrency()
    size = max(_ROUND, concurrency)
    dimensions = endpoint.options.get("dimensions")
    shortened = {"dimensions": dimensions} if dimensions else {}
    batches = list(_batches(texts, endpoint.options, breathe))
    for start in range(0, len(batches), size):
        asked = batches[start : start + size]
        requests = [
            endpoint.request("embeddings", {"input": batch, **shortened}, DEADLINE) for batch in asked
        ]
        yield from zip(asked, endpoints.send(plpy, requests, concurrency), strict=True)


def _batches(texts: Sequence[str], options: Mapping[str, Any], breathe: Breathe) -> Iterator[list[str]]:
    """Texts in order, as many a request as its limits of count and tokens allow."""
    size = int(options.get("batch_size") or BATCH_SIZE)
    limit = int(options.get("batch_tokens") or BATCH_TOKENS)
    longest = min(limit, int(options.get("max_input_tokens") or MAX_INPUT_TOKENS))
    batch: list[str] = []
    filled = 0
    for text in texts:
        breathe()
        clipped = clip_to_tokens(text, longest) or " "  # many servers refuse an empty input
        tokens = estimated_tokens(clipped)
        if batch and (len(batch) == size or filled + tokens > limit):
            yield batch
            batch, filled = [], 0
        batch.append(clipped)
        filled += tokens
    if batch:
        yield batch


def _ordered(plpy: Database, endpoint: Endpoint, body: Mapping[str, Any], count: int) -> list[list[float]]:
    """The vectors of an answer, by their `index`; GR103 unless there is exactly one for each text."""

    def invalid(what: str) -> Exception:
        return errors.sql_error(
            plpy,
            errors.ANSWER_INVALID,
            f"{endpoint} answered {what}",
            "Vectors are stored only if each belongs to one text beyond doubt.",
            "Check that the URL is that of an embedding server and the model one for embeddings.",
        )

    data = body.get("data")
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise invalid("without a list of vectors")
    if len(data) != count:
        raise invalid(f"{len(data)} vectors for {count} texts")
    is_numbered = any(item.get("index") is not None for item in data)
    places = [item.get("index") for item in data] if is_numbered else list(range(count))
    if not all(type(place) is int for place in places) or sorted(places) != list(range(count)):
        raise invalid("vectors whose index does not number the texts")
    vectors: list[list[float]] = [[] for _ in data]
    for place, item in zip(places, data, strict=True):
        vector = item.get("embedding")
        if not isinstance(vector, list) or not vector:
            raise invalid("a vector that is no list of numbers")
        vectors[place] = vector
    return vectors


def check_width(plpy: Database, endpoint: Endpoint, width: int, wanted: int | None) -> None:
    """GR105 unless the widths are equal or none is wanted yet."""
    if wanted is None or width == wanted:
        return
    raise errors.sql_error(
        plpy,
        errors.WIDTH_MISMATCH,
        f"{endpoint} makes vectors of {width} dimensions, {wanted} are wanted",
        f"The vectors of a realm are of one model and one width: {wanted}. Nothing was stored.",
        "Set the endpoint back to the realm's model; or CALL graphrag.reembed(), which makes the realm's vectors anew"
        " with another.",
    )


def to_literal(plpy: Database, endpoint: Endpoint, vector: Sequence[Any]) -> str:
    """pgvector's text form of a vector that can be compared with others. Raises GR106 for any other."""
    numbers: Sequence[float] = (math.nan,)
    # bool is an int; NaN and infinities come through jsonb as strings
    if set(map(type, vector)) <= {int, float}:
        floats = struct.Struct(f"<{len(vector)}f")
        with suppress(OverflowError, struct.error):
            numbers = floats.unpack(floats.pack(*vector))
    if not all(map(math.isfinite, numbers)):
        raise _invalid_vector(plpy, endpoint, "a number that is not finite")
    if not any(numbers):
        raise _invalid_vector(plpy, endpoint, "only zeros")
    if not _LEAST_SQUARE < sum(number * number for number in numbers) < _MOST_SQUARE:
        raise _invalid_vector(plpy, endpoint, "numbers too small or too large to compare")
    return to_vector(numbers)


def _invalid_vector(plpy: Database, endpoint: Endpoint, what: str) -> Exception:
    return errors.sql_error(
        plpy,
        errors.INVALID_VECTOR,
        f"{endpoint} answered a vector with {what}",
        "Such a vector has no direction to compare. Nothing was stored.",
        "Check the model; some servers answer so for texts that are too long (option max_input_tokens).",
    )

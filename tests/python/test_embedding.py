"""Vectors: batches, order, width, and what is no vector."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_pl import hashing
from graphrag_pl.embedding import embed, probe_width
from tests.python.fakes import Answer, FakePlpy, SqlError, answered, failed

URL = "http://x/v1"


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, -0.5]


def serve(request: dict[str, Any]) -> Answer:
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request["body"]["input"])]
    return answered({"data": data})


def plpy(width: int | None = 3, **options: Any) -> FakePlpy:
    fake = FakePlpy(width=width, call=serve)
    fake.set_endpoint("embedding", URL, options=options)
    return fake


def numbers(literal: str) -> list[float]:
    return [float(number) for number in literal.strip("[]").split(",")]


def caught(fake: FakePlpy, texts: list[str], width: int | None = None) -> SqlError:
    with pytest.raises(SqlError) as error:
        embed(fake, texts, width)
    return error.value


def test_one_literal_a_text_in_order() -> None:
    texts = ["aa", "b", "aa", ""]
    assert [numbers(v)[0] for v in embed(plpy(), texts)] == [2, 1, 2, 1]  # an empty text is sent as a blank


def test_equal_texts_are_sent_once() -> None:
    fake = plpy()
    embed(fake, ["a", "b", "a", "a"])
    assert [r["body"]["input"] for r in fake.requests] == [["a", "b"]]


def test_no_texts_no_endpoint() -> None:
    assert embed(FakePlpy(), []) == []


def test_batches_by_count() -> None:
    fake = plpy()
    texts = [f"text {n}" for n in range(300)]
    vectors = embed(fake, texts)
    assert [len(r["body"]["input"]) for r in fake.requests] == [64, 64, 64, 64, 44]
    assert [numbers(v)[0] for v in vectors] == [len(text) for text in texts]


def test_batches_by_tokens() -> None:
    fake = plpy()
    embed(fake, [str(n) + "x" * 9000 for n in range(6)])
    assert [len(r["body"]["input"]) for r in fake.requests] == [2, 2, 2]


def test_hangul_counts_a_token_a_character() -> None:
    fake = plpy()
    embed(fake, ["한" * 4001, "글" * 4000])
    assert len(fake.requests) == 2


@pytest.mark.parametrize("text", ["x" * 100_000, "word " * 20_000, "한" * 9_000])
def test_long_texts_are_clipped(text: str) -> None:
    fake = plpy()
    embed(fake, [text])
    (sent,) = fake.requests[0]["body"]["input"]
    assert text.startswith(sent)
    assert len(sent.encode()) <= 24_000
    assert len(sent.encode()) > 20_000
    assert sent.rstrip().rsplit(" ")[-1] in text.split(maxsplit=1)[0]


def test_options_of_requests() -> None:
    fake = plpy(batch_size=1, max_input_tokens=1, dimensions=3, deadline=7, extra={"input_type": "passage"})
    embed(fake, ["abcdef", "b"])
    assert [r["body"] for r in fake.requests] == [
        {"input": ["abc"], "dimensions": 3, "input_type": "passage"},
        {"input": ["b"], "dimensions": 3, "input_type": "passage"},
    ]
    assert {(r["kind"], r["deadline"], r["realm"]) for r in fake.requests} == {("embeddings", 7, "kb")}


def test_usage_is_recorded() -> None:
    fake = plpy(batch_size=1)
    embed(fake, ["a", "b"])
    assert [(u["role"], u["input_tokens"], u["failure"]) for u in fake.usage] == [("embedding", 7, None)] * 2


# ---------------------------------------------------------------- answers that are not what was asked for
def answering(change: Any) -> FakePlpy:
    fake = plpy()
    fake.call = lambda request: answered({"data": change(serve(request)["body"]["data"])})
    return fake


def test_shuffled_index_is_put_in_order() -> None:
    fake = answering(lambda data: data[::-1])
    assert [numbers(v)[0] for v in embed(fake, ["a", "bb", "ccc"])] == [1, 2, 3]


@pytest.mark.parametrize("missing", [{}, {"index": None}])
def test_missing_index_means_the_order_of_the_texts(missing: dict[str, Any]) -> None:
    fake = answering(lambda data: [{"embedding": item["embedding"], **missing} for item in data])
    assert [numbers(v)[0] for v in embed(fake, ["a", "bb"])] == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:6],
        lambda data: [*data, data[0]],
        lambda data: [{**item, "index": 0} for item in data],
        lambda data: [{**item, "index": item["index"] + 1} for item in data],
        lambda data: [{**item, "index": str(item["index"])} for item in data],
        lambda data: [{**item, "index": True} for item in data],
        lambda data: [{**item, "index": float(item["index"])} for item in data],
        lambda data: [{"embedding": item["embedding"]} if item["index"] == 1 else item for item in data],
        lambda data: [{**item, "embedding": "AACAPw=="} for item in data],
        lambda data: [{**item, "embedding": []} for item in data],
        lambda data: [None for _ in data],
        lambda _: {"a": 1},
        lambda _: None,
    ],
)
def test_vectors_that_belong_to_no_text(change: Any) -> None:
    error = caught(answering(change), [f"text {n}" for n in range(18)])
    assert error.sqlstate == "GR103"
    assert URL in str(error)


def test_both_counts_are_named() -> None:
    error = caught(answering(lambda data: data[:6]), [f"text {n}" for n in range(18)])
    assert "6 vectors for 18 texts" in str(error)


@pytest.mark.parametrize(
    "bad",
    [
        math.nan,
        math.inf,
        -math.inf,
        "NaN",
        "Infinity",
        None,
        "1",
        True,
        1e39,
        pytest.param(10**400, id="huge"),
        [1.0],
    ],
)
def test_what_is_no_number(bad: Any) -> None:
    fake = answering(lambda data: [{**item, "embedding": [1.0, bad, 1.0]} for item in data])
    assert caught(fake, ["a"]).sqlstate == "GR106"


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, 1e-50])
def test_zero_vectors(zero: float) -> None:
    fake = answering(lambda data: [{**item, "embedding": [zero] * 3} for item in data])
    error = caught(fake, ["a"])
    assert error.sqlstate == "GR106"
    assert "zero" in str(error)


@pytest.mark.parametrize("component", [1e-20, 1e-38, 1e19, 3e38])
def test_vectors_whose_length_is_beyond_32_bits(component: float) -> None:
    """pgvector adds squares up: their distance to anything would be no number."""
    fake = answering(lambda data: [{**item, "embedding": [component] * 3} for item in data])
    error = caught(fake, ["a"])
    assert error.sqlstate == "GR106"
    assert "too small or too large" in str(error)


def test_other_width_names_both() -> None:
    error = caught(plpy(width=768), ["a"])
    assert error.sqlstate == "GR105"
    assert "3 dimensions" in str(error)
    assert "768" in str(error)


def test_width_of_the_caller_outranks_the_realms() -> None:
    assert embed(plpy(width=768), ["a"], 3)


def test_two_widths_in_one_answer() -> None:
    fake = answering(lambda data: [data[0], {**data[1], "embedding": [1.0] * 4}])
    fake.width = None
    assert caught(fake, ["a", "b"]).sqlstate == "GR105"


def test_endpoints_error_names_role_url_and_model() -> None:
    fake = plpy()
    fake.call = lambda _: failed("GR101") | {"message": f"endpoint {URL} cannot be reached"}
    error = caught(fake, ["a"])
    assert error.sqlstate == "GR101"
    for part in (URL, "embedding", "model model"):
        assert part in str(error)
    assert error.detail == "scripted. Attempts: 2."
    assert error.hint


def test_no_endpoint() -> None:
    error = caught(FakePlpy(), ["a"])
    assert error.sqlstate == "GR010"
    assert "builtin:hash" in str(error.hint)
    assert "OPENAI_API_KEY" in str(error.detail)


@given(
    st.lists(
        st.floats(width=32, allow_nan=False, min_value=-(2.0**57), max_value=2.0**57), min_size=1, max_size=8
    ).filter(lambda vector: not any(vector) or max(map(abs, vector)) > 1e-14)
)
def test_literals_are_the_same_32_bit_floats(vector: list[float]) -> None:
    fake = answering(lambda data: [{**item, "embedding": vector} for item in data])
    fake.width = len(vector)
    if any(vector):
        (literal,) = embed(fake, ["a"])
        assert [struct.pack("<f", x + 0.0) for x in numbers(literal)] == [
            struct.pack("<f", x + 0.0) for x in vector
        ]
    else:
        assert caught(fake, ["a"]).sqlstate == "GR106"


# ---------------------------------------------------------------- builtin:hash and the width of an endpoint
def test_builtin_needs_no_network() -> None:
    fake = FakePlpy(width=16)
    fake.set_endpoint("embedding", hashing.URL, options={"width": 16})
    (literal,) = embed(fake, ["Ada"])
    assert numbers(literal) == pytest.approx(hashing.embed("Ada", 16))
    assert fake.requests == []


def test_builtin_of_another_width() -> None:
    fake = FakePlpy(width=16)
    fake.set_endpoint("embedding", hashing.URL)
    assert caught(fake, ["Ada"]).sqlstate == "GR105"


@pytest.mark.parametrize(
    ("endpoint", "width"),
    [
        ({"base_url": hashing.URL, "model": "hash"}, 256),
        ({"base_url": hashing.URL, "model": "hash", "options": {"width": 8}}, 8),
        ({"base_url": URL + "/", "model": "m", "fallback_models": None, "options": None}, 3),
    ],
)
def test_probe_width(endpoint: dict[str, Any], width: int) -> None:
    fake = FakePlpy(call=serve)
    found = json.loads(probe_width(fake, json.dumps(endpoint)))
    assert found["width"] == width
    assert len(found["usage"]) == len(fake.requests)
    assert fake.usage == []  # asked before there is a realm to note it in

"""builtin:hash: one vector for one text, everywhere."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_pl import hashing


def cosine(a: str, b: str, width: int = 256) -> float:
    return sum(x * y for x, y in zip(hashing.embed(a, width), hashing.embed(b, width), strict=True))


@given(st.text(max_size=60), st.integers(hashing.MINIMUM_WIDTH, 400))
def test_unit_length_and_width(text: str, width: int) -> None:
    vector = hashing.embed(text, width)
    assert len(vector) == width
    assert math.isclose(sum(value * value for value in vector), 1)


@pytest.mark.parametrize("text", ["", " ", "…", "🙂", "\x00", "$$ | !"])
def test_texts_without_words_have_a_direction(text: str) -> None:
    assert any(hashing.embed(text, 8))


def test_same_in_another_process() -> None:
    code = "import sys; from graphrag_pl import hashing; print(hashing.embed(sys.argv[1], 16))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, "Ada Lovelace"],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{hashing.embed('Ada Lovelace', 16)}\n"}


def test_known_vector() -> None:
    """Stored vectors must go on matching: a change of the features is a change of the model."""
    assert [round(value, 6) for value in hashing.embed("Ada", 8)] == KNOWN


KNOWN = [0.0, 0.0, 0.0, 0.5547, 0.0, 0.0, -0.83205, 0.0]


def test_related_texts_are_nearer() -> None:
    question = "Who designed the analytical engine?"
    assert cosine(question, "Charles Babbage designs an Analytical Engine") > 0.3
    assert cosine(question, "The harbour was closed in winter") < 0.15


def test_case_and_accents_fold() -> None:
    assert cosine("CAFÉ", "cafe") == pytest.approx(1)


def test_a_long_text_can_be_stopped() -> None:
    with pytest.raises(InterruptedError):
        hashing.embed("word " * 100, 8, interrupted)


def interrupted() -> None:
    raise InterruptedError

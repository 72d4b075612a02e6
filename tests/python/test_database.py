"""Looking for a cancel while computing."""

from __future__ import annotations

import time

import pytest

from graphrag_pl.database import breathing
from graphrag_pl.embedding import vectors_of
from graphrag_pl.endpoints import Endpoint
from graphrag_pl.extraction import parse_extraction
from graphrag_pl.text import to_json
from tests.python.fakes import FakePlpy


class CancelledError(Exception):
    pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Each look at it is a quarter of a second later."""
    now = [0.0]

    def monotonic() -> float:
        now[0] += 0.25
        return now[0]

    monkeypatch.setattr(time, "monotonic", monotonic)
    return now


def cancelled() -> None:
    raise CancelledError


def test_a_breath_is_taken_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    ticks: list[float] = []
    breathe = breathing(FakePlpy(on_tick=lambda: ticks.append(now)))
    for now in (0.05, 0.1, 0.15, 0.19, 0.25, 9.0, 9.05):  # noqa: B007  the clock reads it
        breathe()
    assert ticks == [0.1, 0.25, 9.0]


@pytest.mark.usefixtures("clock")
def test_vectors_without_a_model_are_stopped() -> None:
    endpoint = Endpoint("embedding", "builtin:hash", "hash")
    with pytest.raises(CancelledError):
        vectors_of(FakePlpy(on_tick=cancelled), endpoint, ["a"], None)


@pytest.mark.usefixtures("clock")
def test_reading_an_extraction_is_stopped() -> None:
    with pytest.raises(CancelledError):
        parse_extraction(FakePlpy(on_tick=cancelled), '{"entities": [{"name": "Ann"}]}')


@pytest.mark.parametrize("value", [[{"a": 1}], {"a": [1]}])
def test_writing_json_is_stopped(value: object) -> None:
    with pytest.raises(CancelledError):
        to_json(value, cancelled)

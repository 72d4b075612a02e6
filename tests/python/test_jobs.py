"""What the worker stands on: calls that their owner drives, and the codes of SQL's errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self

import pytest

from graphrag_pl import errors
from graphrag_pl.calling import hand_over, open_calls, take_over
from graphrag_pl.retry import CallError
from tests.python.fakes import CALLER, FakePlpy, SqlError

URL = "http://models/v1"
REQUESTS = json.dumps([{"kind": "chat", "base_url": URL, "models": ["m"], "body": {"messages": []}}] * 3)


class Slow:
    """A client whose answers take a while, and its factory."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.sent = self.given_up = self.closed = 0

    def __call__(self, *_: object) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed += 1

    async def send(self, *_: object) -> dict[str, Any]:
        self.sent += 1
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return {"choices": []}


@pytest.fixture
def fake() -> FakePlpy:
    return FakePlpy(locations={URL: (None, True)})


def test_nothing_is_sent_before_the_first_step(fake: FakePlpy) -> None:
    client = Slow(0.25)
    calls = open_calls(fake, CALLER, REQUESTS, 4, client)
    assert client.sent == 0
    steps = 1
    while not calls.step():
        steps += 1
    assert steps > 2, "the owner is asked in between"
    assert [answer["ok"] for answer in calls.answers()] == [True] * 3
    calls.close()
    assert (client.given_up, client.closed) == (0, 1)


def test_what_is_closed_is_given_up(fake: FakePlpy) -> None:
    client = Slow(60)
    calls = open_calls(fake, CALLER, REQUESTS, 2, client)
    assert not calls.step()
    calls.close()
    calls.close()
    assert (client.sent, client.given_up, client.closed) == (2, 2, 1)


def test_a_failure_is_an_answer(fake: FakePlpy) -> None:
    class Failing(Slow):
        async def send(self, *_: object) -> dict[str, Any]:
            raise CallError("GR102", "answered HTTP 400")

    calls = open_calls(fake, CALLER, REQUESTS, 4, Failing(0))
    while not calls.step():
        pass
    assert [answer["code"] for answer in calls.answers()] == ["GR102"] * 3
    calls.close()


def test_only_the_last_that_was_handed_over_is_taken_over(fake: FakePlpy) -> None:
    hand_over(fake, CALLER, REQUESTS, 1)
    hand_over(fake, CALLER, "[]", 1)
    calls = take_over()
    assert calls.step()
    assert calls.answers() == []
    calls.close()
    with pytest.raises(IndexError):
        take_over()


class Packed(Exception):
    """How PL/Python passes on an error of a code that it does not know."""

    spidata = (16987200, "the detail", "the hint", None, 0, None, None, None, None, None)


def test_codes_of_errors() -> None:
    known = SqlError("x")
    known.sqlstate, known.detail = "57014", "why"
    packed = Packed("x")
    packed.spidata = (sum((ord(c) - 48) << 6 * n for n, c in enumerate("GR009")), *Packed.spidata[1:])
    assert (errors.sqlstate_of(known), errors.detail_of(known)) == ("57014", "why")
    assert (errors.sqlstate_of(packed), errors.detail_of(packed)) == ("GR009", "the detail")
    assert (errors.sqlstate_of(ValueError("x")), errors.detail_of(ValueError("x"))) == (None, None)

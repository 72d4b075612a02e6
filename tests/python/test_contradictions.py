"""Which statements contradict which facts: only what was offered counts, and failures are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphrag_pl import prompts
from graphrag_pl.contradictions import BATCH, find_contradictions
from tests.python.fakes import Answer, FakePlpy, failed, said


def question(no: int, *candidates: int) -> dict[str, Any]:
    return {
        "chunk": 1,
        "no": no,
        "text": f"Statement {no}\nof two lines",
        "published_on": "2021-03-01",
        "candidates": [{"id": id_, "text": f"Fact {id_}", "published_on": None} for id_ in candidates],
    }


def ask(answer: Answer, *questions: dict[str, Any]) -> tuple[dict[str, Any], FakePlpy]:
    fake = FakePlpy(call=lambda _: answer)
    fake.set_endpoint("auxiliary", "http://x/v1")
    return json.loads(find_contradictions(fake, {}, json.dumps(questions), "doc")), fake


def verdicts(*pairs: tuple[Any, Any]) -> Answer:
    return said(json.dumps({"contradictions": [{"statement": s, "contradicts": ids} for s, ids in pairs]}))


def test_verdicts_become_ids() -> None:
    found, fake = ask(verdicts((1, [2]), (2, [3])), question(4, 70, 71), question(5, 90))
    about = {"model": "model", "prompt": prompts.PROMPT_VERSION}
    assert found["found"] == [
        {"chunk": 1, "no": 4, "other": 71, **about},
        {"chunk": 1, "no": 5, "other": 90, **about},
    ]
    assert (found["not_offered"], found["failed"], found["error"]) == (0, 0, None)
    message = fake.requests[0]["body"]["messages"][1]["content"]
    assert (
        "Statement 1 (published 2021-03-01): Statement 4 of two lines\n  Fact 1: Fact 70\n  Fact 2: Fact 71"
        in message
    )


@pytest.mark.parametrize(
    ("pairs", "not_offered"),
    [
        ([(1, [99])], 1),  # no such fact
        ([(1, [3])], 1),  # another statement's
        ([(1, ["1", 1])], 0),  # one and the same
        ([(1, [True, 1.0, None, "x", -1])], 1),
        ([("x", [1])], 1),
        ([(1, 2)], 0),
        ([(1, [])], 0),
    ],
)
def test_what_was_not_offered_is_counted(pairs: list[tuple[Any, Any]], not_offered: int) -> None:
    found, _ = ask(verdicts(*pairs), question(4, 70, 71), question(5, 90))
    assert found["not_offered"] == not_offered


def test_failures_are_told_by_statement() -> None:
    questions = [question(no, no) for no in range(BATCH + 1)]
    found, fake = ask(failed("GR104", detail="did not answer in time"), *questions)
    assert (found["found"], found["failed"]) == ([], BATCH + 1)
    assert "did not answer in time" in found["error"]
    assert len(fake.requests) == 2

"""Questions with evidence: what the model is told, and what comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphrag_pl import prompts
from graphrag_pl.synthesis import synthesize
from graphrag_pl.text import nonce
from tests.python.fakes import Answer, FakePlpy, SqlError, failed, said

EVIDENCE = "# Passages\n[1] report (news, 2021-03-01)\nAcme owned the plant."


def plpy(answer: Answer) -> FakePlpy:
    fake = FakePlpy(call=lambda _: answer)
    fake.set_endpoint("synthesis", "http://x/v1", fallback_models=["second"])
    return fake


def ask(
    fake: FakePlpy,
    evidence: str | None = EVIDENCE,
    header: Any = None,
    instructions: str | None = None,
    history: Any = None,
) -> dict[str, Any]:
    header = {"today": "2024-01-02", "as_of": "2021-03"} if header is None else header
    result = synthesize(
        fake, {}, "Who owned it?", evidence, json.dumps(header), instructions, history and json.dumps(history)
    )
    return dict(json.loads(result))


def test_answer_with_its_cost() -> None:
    assert ask(plpy(said("Acme did [1].", model="served"))) == {
        "answer": "Acme did [1].",
        "is_partial": False,
        "model": "served",
        "input_tokens": 7,
        "output_tokens": 3,
    }


def test_an_answer_that_was_cut_off_says_so() -> None:
    fake = plpy(said("Acme did, in the year of", "length"))
    found = ask(fake)
    assert (found["answer"], found["is_partial"]) == ("Acme did, in the year of", True)
    (warning,) = fake.warnings
    assert "synthesis endpoint http://x/v1" in warning
    assert "max_tokens" in warning


def test_prompt() -> None:
    fake = plpy(said("Acme."))
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    ask(fake, instructions="In French.", history=history)
    (request,) = fake.requests
    assert "response_format" not in request["body"]
    assert request["models"] == ["model", "second"]
    system, *turns, user = request["body"]["messages"]
    assert system["content"] == prompts.SYNTHESIS_RULES
    assert turns == history
    fence = f"evidence-{nonce(EVIDENCE)}"
    assert user["content"] == (
        f"Today: 2024-01-02\nAs of: 2021-03\n<{fence}>\n{EVIDENCE}\n</{fence}>\n"
        "Instructions: In French.\nQuestion: Who owned it?"
    )


def test_bypass_has_no_evidence() -> None:
    fake = plpy(said("Hello."))
    ask(fake, evidence=None, header={"today": "2024-01-02", "as_of": None})
    system, user = fake.requests[0]["body"]["messages"]
    assert system["content"] == prompts.BYPASS_RULES
    assert user["content"] == "Today: 2024-01-02\nQuestion: Who owned it?"


def test_empty_evidence_is_still_evidence() -> None:
    fake = plpy(said("The evidence does not contain the answer."))
    ask(fake, evidence="")
    assert fake.requests[0]["body"]["messages"][0]["content"] == prompts.SYNTHESIS_RULES


@pytest.mark.parametrize(
    "rule",
    [
        "latest",
        "dates that are shown",
        "that part",
        "no other",
        "does not contain",
        "square brackets",
        "never follow",
    ],
)
def test_rules_are_in_the_prompt(rule: str) -> None:
    assert rule in prompts.SYNTHESIS_RULES


def test_reasoning_is_stripped() -> None:
    assert ask(plpy(said("<think>hm [9]</think>\n\nAcme [1].")))["answer"] == "Acme [1]."


@pytest.mark.parametrize("answer", [said(""), said(None, "length"), said("<think>on and on", "length")])
def test_empty_answer_is_an_error(answer: Answer) -> None:
    fake = plpy(answer)
    with pytest.raises(SqlError) as caught:
        ask(fake)
    assert caught.value.sqlstate == "GR103"
    assert "http://x/v1" in str(caught.value)
    assert len(fake.usage) == 1


def test_failure_is_the_endpoints() -> None:
    fake = plpy(failed("GR104", 429))
    with pytest.raises(SqlError) as caught:
        ask(fake)
    assert caught.value.sqlstate == "GR104"
    assert "role synthesis" in str(caught.value)
    assert "fallback_models" in str(caught.value.hint)
    assert fake.usage[0]["failure"]


@pytest.mark.parametrize(
    "history",
    [
        {"role": "user"},
        ["hi"],
        [{"role": "system", "content": "x"}],
        [{"role": "user", "content": 5}],
        "text",
    ],
)
def test_history_of_another_shape(history: Any) -> None:
    with pytest.raises(SqlError) as caught:
        ask(plpy(said("x")), history=history)
    assert caught.value.sqlstate == "GR009"


def test_no_endpoint() -> None:
    with pytest.raises(SqlError) as caught:
        ask(FakePlpy())
    assert caught.value.sqlstate == "GR010"

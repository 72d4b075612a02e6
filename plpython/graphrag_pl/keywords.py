"""What a question is searched for by, beside its own words: keywords and smaller questions, by the auxiliary endpoint
of the current realm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import ChatModel, Reply
from graphrag_pl.database import Database, Memory
from graphrag_pl.extraction import repairing
from graphrag_pl.history import read_history
from graphrag_pl.parsing import Repair, find_json
from graphrag_pl.text import clean_text, to_json

#: Seconds, unless the endpoint has its own: nobody waits long for what a question can do without.
DEADLINE = 30.0

#: Of each list, and characters of one entry. A model that says more is cut, not believed.
MOST_KEYWORDS = 10
MOST_QUESTIONS = 4
_LONGEST_KEYWORD = 100
_LONGEST_QUESTION = 500
#: Characters of a question that a model is shown; the rest is still searched for.
_LONGEST_ASKED = 8000
#: Of the turns before it, the latest: what a question refers to is near. And characters of each.
_MOST_TURNS = 6
_LONGEST_TURN = 1000

_SEPARATOR = re.compile(r"[,;\n]")
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_NOTHING = frozenset({"none", "null", "n/a", "-"})

#: What each list may be called; models that follow no schema have learned other names.
_NAMES = {
    "low": ("low", "low_level", "low_level_keywords", "entities", "names"),
    "high": ("high", "high_level", "high_level_keywords", "themes", "keywords"),
    "questions": ("questions", "sub_questions", "subquestions", "subqueries"),
}


@errors.relaying
def ask(
    plpy: Database, memory: Memory, question: str, history: str | None, keywords: bool, questions: bool
) -> str:
    """`graphrag._ask_keywords`: JSON {low, high, questions}, each a list, or {error, code} if no usable answer came.
    One request, for keywords, for smaller questions, or for both. `history` is that of `graphrag._synthesize`: by it
    the model knows whom "he" means. Raises GR009 for another history, GR010 without an endpoint."""
    earlier = _latest(read_history(plpy, history))
    endpoint = endpoints.for_role(plpy, "auxiliary")
    endpoint.options.setdefault("deadline", DEADLINE)
    model = ChatModel(plpy, memory, endpoint)
    repair = repairing(plpy)
    wanted = [*(["low", "high"] if keywords else []), *(["questions"] if questions else [])]
    (outcome,) = model.ask_json(
        [
            prompts.keyword_messages(
                question[:_LONGEST_ASKED], earlier, keywords=keywords, questions=questions
            )
        ],
        "graphrag_keywords" if keywords else "graphrag_questions",
        prompts.keyword_schema(keywords=keywords, questions=questions),
        lambda reply: _read(reply, wanted, repair),
        1,
    )
    endpoints.record_usage(plpy, model.endpoint, model.calls, question=question)
    if outcome.value is None:
        return to_json({"error": outcome.error, "code": outcome.code})
    own = question.casefold().strip()
    parts = [part for part in outcome.value["questions"] if part.casefold() != own]
    return to_json({**outcome.value, "questions": parts[:MOST_QUESTIONS]})


def _latest(earlier: list[prompts.Message]) -> list[prompts.Message]:
    return [{**turn, "content": turn["content"][:_LONGEST_TURN]} for turn in earlier[-_MOST_TURNS:]]


def _read(reply: Reply, wanted: list[str], repair: Repair) -> dict[str, list[str]]:
    def has_shape(value: Any) -> bool:  # {} says that there are none
        return isinstance(value, dict) and (not value or any(_of(value, n) is not None for n in wanted))

    value = find_json(reply.text, has_shape, repair).value
    read: dict[str, list[str]] = {name: [] for name in _NAMES}
    for name in wanted:
        is_question = name == "questions"
        texts = _texts(_of(value, name), is_question)
        # One more question than is kept: it may be the question itself.
        read[name] = texts[: MOST_QUESTIONS + 1 if is_question else MOST_KEYWORDS]
    return read


def _of(value: Mapping[str, Any], name: str) -> Any:
    """A list, or a text that stands for one, under any of its names."""
    return next((value[n] for n in _NAMES[name] if isinstance(value.get(n), list | str)), None)


def _texts(said: Any, is_question: bool) -> list[str]:
    """Distinct texts on one line each, in order. One text is a list in disguise, an object one with a text in it."""
    if isinstance(said, str):
        said = said.splitlines() if is_question else _SEPARATOR.split(said)
    found: dict[str, str] = {}
    for item in said if isinstance(said, list) else []:
        if isinstance(item, dict):
            item = next((v for v in item.values() if isinstance(v, str)), None)
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            continue
        text = " ".join(_BULLET.sub("", clean_text(str(item))).split())
        text = text[: _LONGEST_QUESTION if is_question else _LONGEST_KEYWORD].strip()
        if text and text.casefold() not in _NOTHING:
            found.setdefault(text.casefold(), text)
    return list(found.values())

"""Evidence into an answer, by the synthesis endpoint of the current realm."""

from __future__ import annotations

import json
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import MORE_ROOM, ChatModel, Reply
from graphrag_pl.database import Database, Memory
from graphrag_pl.history import read_history
from graphrag_pl.parsing import UnusableError, without_thoughts
from graphrag_pl.text import to_json


@errors.relaying
def synthesize(
    plpy: Database,
    memory: Memory,
    question: str,
    evidence: str | None,
    header: str | None,
    instructions: str | None,
    history: str | None,
) -> str:
    """`graphrag._synthesize`: JSON {answer, is_partial, model, input_tokens, output_tokens}, tokens null where not
    said; `is_partial` for an answer that was cut off, which a warning says too.

    `evidence` None asks without a search; `header` is JSON {today, as_of}; `history` JSON [{role,
    content}], oldest first. Raises GR009 for another history, GR010 without an endpoint, its GR101 … GR104,
    GR103 for an empty answer.
    """
    messages = prompts.synthesis_messages(
        question, evidence, json.loads(header or "{}"), instructions, read_history(plpy, history)
    )
    model = ChatModel(plpy, memory, endpoints.for_role(plpy, "synthesis"))
    answer = model.send([model.body(messages)])[0]
    endpoints.record_usage(plpy, model.endpoint, model.calls, question=question)
    if not answer["ok"]:
        raise endpoints.sql_error(plpy, model.endpoint, answer)
    text, cut_by = _text(plpy, model, answer)
    if cut_by:
        plpy.warning(f"{model.endpoint}: the answer was cut off by {cut_by}", detail=MORE_ROOM)
    return to_json(
        {
            "answer": text,
            "is_partial": cut_by is not None,
            "model": answer["model"],
            "input_tokens": answer["input_tokens"],
            "output_tokens": answer["output_tokens"],
        }
    )


def prompt(question: str, evidence: str | None, header: str | None) -> str:
    """`graphrag._synthesis_prompt`: the user's message that asks `question` on `evidence`, as it is sent."""
    return prompts.synthesis_messages(question, evidence, json.loads(header or "{}"), None, [])[-1]["content"]


def _text(plpy: Database, model: ChatModel, answer: dict[str, Any]) -> tuple[str, str | None]:
    """What the model said, and what cut it off."""
    try:
        reply = Reply.from_body(answer["body"], answer["model"])
        text = without_thoughts(reply.text)
        if text:
            return text, reply.cut_by
        reason = "the model answered nothing after its reasoning"
    except UnusableError as error:
        reason = str(error)
    raise errors.sql_error(
        plpy,
        errors.ANSWER_INVALID,
        f"{model.endpoint}: {reason}",
        "An empty answer is no answer.",
        f"A model that reasons at length needs room. {MORE_ROOM}",
    )

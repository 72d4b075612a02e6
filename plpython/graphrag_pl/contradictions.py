"""Which new statements contradict which facts on record, by the auxiliary endpoint of the current realm."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import ChatModel, Reply
from graphrag_pl.database import Database, Memory, breathing
from graphrag_pl.extraction import repairing
from graphrag_pl.parsing import find_json
from graphrag_pl.text import to_json

#: Statements in one question to the model.
BATCH = 10

Question = Mapping[str, Any]
#: (number of the statement in its batch, number of the fact): both from 1, as the model was told them.
Verdict = tuple[int, int]


@errors.relaying
def find_contradictions(plpy: Database, memory: Memory, questions: str, document: str) -> str:
    """`graphrag._ask_contradictions`: JSON list of {chunk, no, text, published_on, candidates: [{id, text,
    published_on}]} into {found: [{chunk, no, other, model, prompt}], not_offered, failed, error}.

    `other` is the id of a candidate of that very statement; verdicts about anything else are counted in
    `not_offered`. `failed` counts the statements about which no usable answer came, `error` says why.
    """
    asked: list[Question] = json.loads(questions)
    batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
    model = ChatModel(plpy, memory, endpoints.for_role(plpy, "auxiliary"))
    repair = repairing(plpy)

    def read(reply: Reply) -> list[Verdict]:
        return _verdicts(find_json(reply.text, _has_shape, repair).value)

    outcomes = model.ask_json(
        [prompts.contradiction_messages(batch) for batch in batches],
        "graphrag_contradictions",
        prompts.CONTRADICTION_SCHEMA,
        read,
        model.endpoint.concurrency(),
    )
    endpoints.record_usage(plpy, model.endpoint, model.calls, document)
    found: list[dict[str, Any]] = []
    not_offered = failed = 0
    error = None
    for batch, outcome in zip(batches, outcomes, strict=True):
        if outcome.value is None or outcome.reply is None:
            failed += len(batch)
            error = error or outcome.error
            continue
        offered = _offered(batch)
        for verdict in outcome.value:
            if verdict in offered:
                about = {"model": outcome.reply.model, "prompt": prompts.PROMPT_VERSION}
                found.append({**offered[verdict], **about})
            else:
                not_offered += 1
    answer = {"found": found, "not_offered": not_offered, "failed": failed, "error": error}
    return to_json(answer, breathing(plpy))


def _offered(batch: Sequence[Question]) -> dict[Verdict, dict[str, Any]]:
    """What each verdict that the model may give means."""
    offered: dict[Verdict, dict[str, Any]] = {}
    number = 0
    for no, question in enumerate(batch, 1):
        for candidate in question["candidates"]:
            number += 1
            offered[no, number] = {
                "chunk": question["chunk"],
                "no": question["no"],
                "other": candidate["id"],
            }
    return offered


def _has_shape(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("contradictions"), list)


def _verdicts(value: Any) -> list[Verdict]:
    """Each pair once, in order; what is no number means nothing that was offered."""
    verdicts: dict[Verdict, None] = {}
    for item in value["contradictions"]:
        if isinstance(item, dict):
            ids = item.get("contradicts")
            for id_ in ids if isinstance(ids, list) else [ids]:
                verdicts.setdefault((_number(item.get("statement")), _number(id_)))
        else:
            verdicts.setdefault((0, 0))
    return list(verdicts)


def _number(value: Any) -> int:
    """A number from 1, or 0 for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return 0
    return int(value) if str(value).isascii() and str(value).isdigit() and len(str(value)) < 10 else 0

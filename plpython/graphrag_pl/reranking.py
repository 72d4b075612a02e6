"""Passages in the order in which a model finds them helpful: a rerank server's, or a chat model's.

Servers differ. Cohere, Jina, vLLM and others take `documents` and answer {results: [{index, relevance_score}]};
text-embeddings-inference takes `texts` and answers [{index, score}]. The first form is tried first; a server that
refuses it is asked in the second, and remembered for the session.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_pl import endpoints, errors, prompts
from graphrag_pl.chat import REFUSES_FORMAT, ChatModel, Reply
from graphrag_pl.database import Database, Memory
from graphrag_pl.endpoints import Endpoint
from graphrag_pl.extraction import repairing
from graphrag_pl.parsing import Repair, UnusableError, find_json
from graphrag_pl.text import to_json

DEADLINE = 60.0
#: Characters of a passage that a chat model is shown; rerank servers cut for themselves.
_LONGEST_PASSAGE = 2000
_MEMORY = "graphrag_rerank"

Answer = Mapping[str, Any]


@errors.relaying
def rerank(
    plpy: Database, memory: Memory, way: str, question: str, passages: Sequence[str], places: int
) -> str:
    """`graphrag._ask_rerank`: JSON {places: [numbers from 1, the most relevant first]}, those that the model left out
    not among them; or {error, code} if no usable answer came. `way` is endpoint or llm, `places` how many are wanted.
    Raises GR010 without an endpoint."""
    if way == "llm":
        return _by_chat(plpy, memory, question, passages)
    endpoint = endpoints.for_role(plpy, "rerank")
    calls: list[dict[str, Any]] = []
    answer = ask(plpy, memory, endpoint, question, passages, places, calls)
    endpoints.record_usage(plpy, endpoint, calls, question=question)
    if not answer["ok"]:
        detail = f": {answer['detail']}" if answer.get("detail") else ""
        return to_json({"error": f"{endpoints.message_of(endpoint, answer)}{detail}", "code": answer["code"]})
    try:
        return to_json({"places": ordered(answer["body"], len(passages))})
    except UnusableError as error:
        return to_json({"error": f"{endpoint} answered {error}", "code": errors.ANSWER_INVALID})


def ask(
    plpy: Database,
    memory: Memory,
    endpoint: Endpoint,
    question: str,
    passages: Sequence[str],
    places: int,
    calls: list[dict[str, Any]],
) -> dict[str, Any]:
    """The answer of `_call` in the form that the server takes; all requests are added to `calls`."""
    known = memory.setdefault(_MEMORY, {}).setdefault(f"{endpoint.base_url}\n{endpoint.model}", {})
    # Some servers refuse an empty text, as embedding servers do.
    texts = [passage if passage.strip() else "-" for passage in passages]
    wanted = {"query": question, "documents": texts, "top_n": min(places, len(texts))}
    spent = 0.0
    for name in sorted(["documents", "texts"], reverse=bool(known.get("takes_texts"))):
        body = wanted if name == "documents" else {"query": question, "texts": texts, "truncate": True}
        request = endpoint.request("rerank", body, DEADLINE, spent)
        (answer,) = endpoints.send(plpy, [request], 1)
        calls.append(answer)
        spent = answer["spent"]
        if answer["ok"] or answer.get("status") not in REFUSES_FORMAT:
            break
    if answer["ok"]:
        known["takes_texts"] = name == "texts"
    return answer


def ordered(body: Mapping[str, Any], count: int) -> list[int]:
    """The numbers of the passages, from 1, by falling score; equal scores as they came. Raises UnusableError unless
    each is a passage's, once, with a finite score."""
    results = body.get("results", body.get("data"))
    if not isinstance(results, list) or not all(isinstance(item, dict) for item in results):
        raise UnusableError("without a list of results")
    scores: dict[int, float] = {}
    for item in results:
        index = item.get("index")
        score = item.get("relevance_score", item.get("score"))
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
            raise UnusableError(f"the index {str(index)[:20]}, of {count} passages")
        if index in scores:
            raise UnusableError(f"the index {index} twice")
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise UnusableError(f"a score that is no number: {str(score)[:20]}")
        scores[index] = score
    if not scores:
        raise UnusableError(f"no scores for {count} passages")
    return [index + 1 for index in sorted(scores, key=lambda index: -scores[index])]


# ---------------------------------------------------------------- by a chat model
def _by_chat(plpy: Database, memory: Memory, question: str, passages: Sequence[str]) -> str:
    endpoint = endpoints.for_role(plpy, "auxiliary")
    endpoint.options.setdefault("deadline", DEADLINE)
    model = ChatModel(plpy, memory, endpoint)
    repair = repairing(plpy)
    (outcome,) = model.ask_json(
        [prompts.rerank_messages(question, [passage[:_LONGEST_PASSAGE] for passage in passages])],
        "graphrag_rerank",
        prompts.RERANK_SCHEMA,
        lambda reply: _read(reply, len(passages), repair),
        1,
    )
    endpoints.record_usage(plpy, model.endpoint, model.calls, question=question)
    if outcome.value is None:
        return to_json({"error": outcome.error, "code": outcome.code})
    return to_json({"places": outcome.value})


def _read(reply: Reply, count: int, repair: Repair) -> list[int]:
    """Numbers that were shown, once each; what is none is left out. Raises UnusableError if nothing is left."""
    said = find_json(reply.text, _has_shape, repair).value
    said = said["ranking"] if isinstance(said, dict) else said
    numbers = [number for item in said if 1 <= (number := _number(item)) <= count]
    if said and not numbers:
        raise UnusableError("the ranking has no number of a passage")
    return list(dict.fromkeys(numbers))


def _has_shape(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and isinstance(value.get("ranking"), list))


def _number(item: Any) -> int:
    """3, "3", "[3]" or {"passage": 3}; 0 for anything else."""
    if isinstance(item, dict):
        item = next(iter(item.values()), None)
    if isinstance(item, str):
        item = item.strip("[] ")
        return int(item) if item.isascii() and item.isdigit() and len(item) < 9 else 0
    return item if isinstance(item, int) and not isinstance(item, bool) else 0

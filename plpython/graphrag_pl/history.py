"""Earlier turns of a conversation, as a caller gives them."""

from __future__ import annotations

import json

from graphrag_pl import errors, prompts
from graphrag_pl.database import Database

_SPEAKERS = ("user", "assistant")


def read_history(plpy: Database, history: str | None) -> list[prompts.Message]:
    """JSON [{role, content}], oldest first, as messages. Raises GR009 for anything else."""
    turns = json.loads(history) if history else []
    if isinstance(turns, list) and all(
        isinstance(turn, dict) and turn.get("role") in _SPEAKERS and isinstance(turn.get("content"), str)
        for turn in turns
    ):
        return [{"role": turn["role"], "content": turn["content"]} for turn in turns]
    raise errors.sql_error(
        plpy,
        errors.INVALID_ARGUMENT,
        "history is no list of turns",
        f"It begins with {str(history)[:100]}",
        'Write [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}], oldest turn first.',
    )

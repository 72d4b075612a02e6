"""Behind `graphrag.reembed`: vectors of another model beside those in use, batch by batch, then a swap.

Each batch is a transaction, and none is open while a server thinks. What is done is in the table, so that a
call that was cancelled or killed is gone on with by the next.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from graphrag_pl import endpoints, errors
from graphrag_pl.committing import Argument, Committing, Session
from graphrag_pl.database import Database
from graphrag_pl.embedding import vectors_of
from graphrag_pl.endpoints import Endpoint
from graphrag_pl.text import to_json

_LOCK_NOT_AVAILABLE = "55P03"
_DEADLOCK = "40P01"
#: After so many rounds of catching up with those who write meanwhile, they wait for the rest.
_ROUNDS = 5
#: Seconds between two tries to get the locks of the swap: at first, and at most.
_PATIENCE = 0.2, 10.0
_NOTED_AS = "graphrag.reembed()"


def reembed(
    plpy: Session,
    realm: str | None,
    asked: dict[str, Any],
    batch_size: int,
    max_seconds: float | None,
) -> None:
    """`asked`: base_url, model, options and width, each None for what it is now or was when this began."""
    session = Committing(plpy, realm, "reembed")
    session.begin()
    try:
        _Reembedding(session, asked, batch_size).run(math.inf if max_seconds is None else max_seconds)
    finally:
        _let_go(session)


def _let_go(session: Committing) -> None:
    """The lock is the session's: neither a commit nor an error gives it back."""
    session.rollback()
    session.enter()
    session.value("select graphrag._end_reembedding()")
    session.commit()


class _Reembedding:
    def __init__(self, session: Committing, asked: dict[str, Any], batch_size: int) -> None:
        self.session = session
        self.batch_size = Argument("integer", batch_size)
        self.after = 0
        target = session.value(
            "select graphrag._reembedding_target($1, $2, $3, $4, $5)::text",
            Argument("text", asked["base_url"]),
            Argument("text", asked["model"]),
            Argument("jsonb", asked["options"]),
            Argument("integer", asked["width"]),
            self.batch_size,
        )
        self.target: dict[str, Any] = json.loads(target)
        session.commit()
        session.enter()
        realm = session.value("select current_schema()::text")
        self.endpoint = Endpoint.from_json(self.target, realm)

    def run(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        if not self.target["is_begun"]:
            self._begin()
        if not self._patiently(self._prepare, ends_at):
            return
        rounds = itertools.count(1)
        self._patiently(lambda: self._catch_up(ends_at) and self._swap(next(rounds) > _ROUNDS), ends_at)

    def _patiently(self, step: Callable[[], bool], ends_at: float) -> bool:
        """Take a step that needs a lock until it was to be had; False if the time is up before. Who needs a lock
        for himself alone does not wait for it for long, since everybody else would queue behind."""
        patience = _PATIENCE[0]
        while True:
            try:
                if step():
                    return True
            except Exception as error:
                if errors.sqlstate_of(error) not in (_LOCK_NOT_AVAILABLE, _DEADLOCK):
                    raise
                self.session.rollback()
            if time.monotonic() >= ends_at:
                return False
            self.session.enter()
            self.session.value("select pg_sleep($1)::text", Argument("float8", patience))
            self.session.commit()
            patience = min(2 * patience, _PATIENCE[1])

    def _begin(self) -> None:
        """Ask for one vector first: nothing is begun with a server that does not answer."""
        calls: list[dict[str, Any]] = []
        (vector,) = vectors_of(self.session, self.endpoint, ["width"], self.target["width"], calls)
        self.session.enter()
        self._note(self.session, calls)
        self.session.value(
            "select graphrag._begin_reembedding($1, $2)",
            Argument("jsonb", json.dumps(self.target)),
            Argument("integer", vector.count(",") + 1),
        )
        self.session.commit()

    def _prepare(self) -> bool:
        self.session.enter()
        self.target["width"] = self.session.value("select graphrag._add_next_vectors()")
        self.session.commit()
        self.session.enter()
        self.session.value("select graphrag._index_next_vectors()")
        self.session.commit()
        return True

    def _catch_up(self, ends_at: float) -> bool:
        """Whether every text that is there has its vector; False when the time is up."""
        self.after = 0
        while True:
            self.session.enter()
            texts = self._next_texts()
            self.session.commit()
            if not texts and not self.after:
                return True
            if time.monotonic() >= ends_at:
                return False
            if not texts:
                self.after = 0  # texts that others were writing when this went by
                continue
            self.session.enter()
            self._embed(self.session, texts)
            self.session.commit()
            self.after = texts[-1]["id"]

    def _swap(self, whatever_is_left: bool) -> bool:
        """Under the lock on which writers wait; False if too much has been written meanwhile."""
        self.session.enter()
        self.session.value("select graphrag._stop_writers()")
        self.after = 0
        texts = self._next_texts()
        if len(texts) == self.batch_size.value and not whatever_is_left:
            self.session.commit()
            return False
        while texts:
            self._embed(self.session.plpy, texts)
            self.after = texts[-1]["id"]
            texts = self._next_texts()
        self.after = 0
        self.session.value("select graphrag._swap_vectors()")
        self.session.commit()
        return True

    def _next_texts(self) -> list[dict[str, Any]]:
        found = self.session.value(
            "select graphrag._texts_to_reembed($1, $2)::text", Argument("bigint", self.after), self.batch_size
        )
        return list(json.loads(found))

    def _embed(self, plpy: Database, texts: Sequence[dict[str, Any]]) -> None:
        """Equal texts, of several spaces or kinds, are sent once. `plpy` decides whether it commits meanwhile."""
        calls: list[dict[str, Any]] = []
        distinct = list(dict.fromkeys(text["body"] for text in texts))
        literals = vectors_of(plpy, self.endpoint, distinct, self.target["width"], calls)
        vectors = dict(zip(distinct, literals, strict=True))
        self.session.enter()
        self._note(plpy, calls)
        self.session.value(
            "select graphrag._store_next_vectors($1)",
            Argument("jsonb", to_json([{"id": t["id"], "vec": vectors[t["body"]]} for t in texts])),
        )

    def _note(self, plpy: Database, calls: list[dict[str, Any]]) -> None:
        endpoints.record_usage(plpy, self.endpoint, calls, question=_NOTED_AS)

"""A database handle for procedures that commit while model servers think."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graphrag_pl import errors
from graphrag_pl.calling import take_over
from graphrag_pl.database import Database, OwnCaller, look, scalar
from graphrag_pl.endpoints import as_caller
from graphrag_pl.text import to_json

_INVALID_TERMINATION = "2D000"
_PIN = "set local search_path = pg_catalog, pg_temp"


class Session(Database, Protocol):
    """`plpy` in a procedure."""

    def commit(self) -> None: ...

    def rollback(self) -> None: ...


@dataclass(frozen=True)
class Argument:
    """A value with its SQL type."""

    type: str
    value: Any


class Committing(OwnCaller):
    """Commits between the steps of a procedure and while it waits, so that no snapshot is held.

    A commit ends what enter() has set: every transaction that touches the realm begins with it. Between
    commit() and enter() the session's own search_path is in force, and only `graphrag.…` is called.
    """

    def __init__(self, plpy: Session, realm: str | None, procedure: str) -> None:
        self.plpy = plpy
        self._realm = realm
        self._procedure = procedure
        self._call = ""
        self._tally = ""
        self._is_in = False

    # ------------------------------------------------------------ what the package asks of a handle
    @property
    def Error(self) -> type[Exception]:  # noqa: N802  its name in plpy
        return self.plpy.Error

    def execute(self, query: Any, *arguments: Any) -> Sequence[Mapping[str, Any]]:
        return self.plpy.execute(query, *arguments)

    def prepare(self, query: str, types: list[str], /) -> Any:
        return self.plpy.prepare(query, types)

    def warning(self, message: str, /, *, detail: str) -> None:
        self.plpy.warning(message, detail=detail)

    def value(self, query: str, *arguments: Argument) -> Any:
        """The only value of a query with the parameters $1, $2 …"""
        named = {f"p{number}": (a.type, a.value) for number, a in enumerate(arguments)}
        return scalar(self, query, **named)

    # ------------------------------------------------------------ transactions
    def begin(self) -> None:
        """Raises GR040 where nothing can be committed, GR003 where there is no such realm."""
        try:
            self.plpy.commit()
        except Exception as error:
            if errors.sqlstate_of(error) != _INVALID_TERMINATION:
                raise
            raise errors.sql_error(
                self.plpy,
                errors.INSIDE_TRANSACTION,
                f"{self._procedure}() commits after each step, so it cannot run inside a transaction",
                "It was called in a transaction block, a function, or a DO block that cannot commit.",
                f"CALL graphrag.{self._procedure}() by itself, in autocommit mode.",
            ) from None
        self.enter()

    def enter(self) -> None:
        if not self._is_in:
            self.plpy.execute(_PIN)  # first, for the names of types are looked up as well
            text = [Argument("text", value) for value in (self._realm, self._call, self._tally)]
            self.value("select graphrag._enter_job($1, $2, $3)", *text)
            self._is_in = True

    def commit(self) -> None:
        self._tally = scalar(self.plpy, "select current_setting('graphrag.tally', true)") or ""
        self._is_in = False
        self.plpy.commit()

    def rollback(self) -> None:
        self.plpy.rollback()
        self._is_in = False

    def while_waiting(self) -> None:
        """What is to be done at each tick of a wait; inside a transaction that ends with it."""

    def call(self, requests: str, concurrency: int) -> list[dict[str, Any]]:
        """Inside enter(), and again at the end. While it waits, the transaction has no snapshot."""
        with as_caller(self):
            self.value(
                "select graphrag._open_calls($1, $2)",
                Argument("jsonb", requests),
                Argument("integer", concurrency),
            )
        calls = take_over()
        try:
            self.commit()
            while True:
                # SET takes no snapshot; what step() executes is pinned by it.
                self.plpy.execute(_PIN)
                if calls.step():
                    break
                look(self.plpy)
                self.while_waiting()
                self._is_in = False
                self.plpy.commit()
            answers = calls.answers()
        finally:
            calls.close()
        self.enter()
        return list(json.loads(to_json(answers)))

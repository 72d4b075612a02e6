"""The database handle: the part of PL/Python's `plpy` that this package uses."""

from __future__ import annotations

import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any, Protocol

from graphrag_pl.presence import Client

#: What outlives a call: PL/Python's GD, one dictionary a session.
Memory = MutableMapping[str, Any]

#: Called in every loop that may be long: raises when the statement is cancelled, timed out or terminated.
Breathe = Callable[[], None]

#: Of this process, once it was looked for.
_CLIENT: list[Client] = []

#: Seconds of computing between two looks at whether the statement was cancelled.
_BREATH = 0.1


class Database(Protocol):
    """`plpy`, or a stand-in for it. A query that is cancelled raises out of execute()."""

    @property
    def Error(self) -> type[Exception]: ...  # noqa: N802  its name in plpy

    def execute(self, query: Any, arguments: Any = ..., /) -> Sequence[Mapping[str, Any]]: ...

    def prepare(self, query: str, types: list[str], /) -> Any: ...

    def warning(self, message: str, /, *, detail: str) -> None: ...


class OwnCaller(ABC):
    """A handle that sends requests to model servers in its own way, not by `graphrag._call`."""

    @abstractmethod
    def call(self, requests: str, concurrency: int) -> list[dict[str, Any]]:
        """Answers of the same length and order."""


def rows(plpy: Database, query: str, **arguments: tuple[str, Any]) -> list[dict[str, Any]]:
    """Run a query whose parameters $1, $2 … are the (type, value) pairs, in the order given."""
    plan = plpy.prepare(query, [type_ for type_, _ in arguments.values()])
    return [dict(row) for row in plpy.execute(plan, [value for _, value in arguments.values()])]


def scalar(plpy: Database, query: str, **arguments: tuple[str, Any]) -> Any:
    """The first column of the first row, or None when there is no row."""
    found = rows(plpy, query, **arguments)
    return next(iter(found[0].values())) if found else None


def look(plpy: Database) -> None:
    """Raises when the statement was cancelled, timed out or terminated, which PostgreSQL sees only while it executes
    something; ends the session when its client is gone."""
    if _client(plpy).is_gone():
        plpy.warning("the client of this session is gone", detail="What was done for it is given up.")
        os.kill(os.getpid(), signal.SIGTERM)  # as pg_terminate_backend() does
    plpy.execute("select 1")


def _client(plpy: Database) -> Client:
    if not _CLIENT:
        _CLIENT.append(Client(int(scalar(plpy, "select pg_catalog.current_setting('port')"))))
    return _CLIENT[0]


def breathing(plpy: Database) -> Breathe:
    """What a loop calls at each turn: it looks now and then. Between, it costs two hundred nanoseconds."""
    next_at = time.monotonic() + _BREATH

    def breathe() -> None:
        nonlocal next_at
        if time.monotonic() >= next_at:
            look(plpy)
            next_at = time.monotonic() + _BREATH

    return breathe


def holding_breath() -> None:
    """For work that is short, or done outside of a server."""

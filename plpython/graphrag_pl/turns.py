"""How many requests are on their way to one server at a time, from all sessions of the database.

A turn is an advisory lock of the session: (a key of the URL, a number up to the limit). So nobody else has to
keep books, and PostgreSQL gives a turn back when its session dies. It is only ever tried for, never waited for
in the lock manager: a wait can be cancelled, and cannot deadlock. Who waits says so by a shared lock on number
0; a statement that has had its turn lets those go first.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from graphrag_pl import errors
from graphrag_pl.database import Database
from graphrag_pl.retry import CallError

#: Of a server whose endpoint has no option `concurrency`.
DEFAULT_LIMIT = 16
#: Seconds between two tries; those who had a turn stay away for longer.
_POLL = 0.1
_POLITE = 0.25
#: Seconds of waiting that nobody needs to be told about.
_PATIENCE = 3.0

# Not pg_try_advisory_lock() on a turn that this session has: it would have it twice.
_TAKE = """select n from generate_series($2, 1, -1) as n
    where case when n = any ($3) then false else pg_try_advisory_lock($1, n) end limit 1"""
_GIVE_BACK = "select pg_advisory_unlock($1, $2)"
_QUEUE = "select pg_try_advisory_lock_shared($1, 0) as is_in"
_LEAVE = "select pg_advisory_unlock_shared($1, 0)"
_OTHERS_WAIT = """select case when pg_try_advisory_lock($1, 0) then not pg_advisory_unlock($1, 0)
    else true end as they_do"""


def key_of(base_url: str) -> int:
    """The first of the two numbers of the advisory locks of a server."""
    return int.from_bytes(hashlib.sha256(f"graphrag {base_url}".encode()).digest()[:4], signed=True)


def _no_turn(limit: int) -> CallError:
    return CallError(
        errors.DEADLINE,
        "was kept busy by other sessions",
        f"No more than {limit} requests are sent to it at a time, from all sessions of the database.",
        "Try again later, or raise the options concurrency and deadline of set_endpoint().",
        is_of_server=True,
    )


class Turns:
    """The turns of one statement."""

    def __init__(self, plpy: Database) -> None:
        self._plpy = plpy
        self._plans: dict[str, Any] = {}
        self._held: set[tuple[int, int]] = set()
        self._waiting: Counter[int] = Counter()
        self._queued: set[int] = set()
        self._has_had: set[int] = set()

    @asynccontextmanager
    async def turn(
        self, base_url: str, limit: int, ends_at: float, tell: Callable[[str], None]
    ) -> AsyncIterator[None]:
        """A turn for as long as the block lasts. Raises CallError when there is none until `ends_at` (loop
        time); `tell` is called once it takes long."""
        key = key_of(base_url)
        if key in self._has_had and self._ask(_OTHERS_WAIT, key)["they_do"]:
            await asyncio.sleep(_POLITE)
        number = self._take(key, limit)
        if number is None:
            number = await self._wait(key, limit, ends_at, tell)
        try:
            yield
        finally:
            self._give_back(key, number)
            self._has_had.add(key)

    def give_all_back(self) -> None:
        """What tasks that are no longer waited for still have."""
        for key, number in list(self._held):
            self._give_back(key, number)
        for key in list(self._queued):
            self._leave(key)

    async def _wait(self, key: int, limit: int, ends_at: float, tell: Callable[[str], None]) -> int:
        now = asyncio.get_running_loop().time
        tell_at = now() + _PATIENCE
        self._waiting[key] += 1
        try:
            while True:
                if key not in self._queued and self._ask(_QUEUE, key)["is_in"]:
                    self._queued.add(key)
                if now() >= ends_at:
                    raise _no_turn(limit)
                await asyncio.sleep(min(_POLL, ends_at - now()))
                number = self._take(key, limit)
                if number is not None:
                    return number
                if now() >= tell_at:
                    tell("is kept busy by other sessions")
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                self._leave(key)

    def _take(self, key: int, limit: int) -> int | None:
        mine = [number for held, number in self._held if held == key]
        found = self._execute(_TAKE, ["integer", "integer", "integer[]"], key, limit, mine)
        if not found:
            return None
        number = int(found[0]["n"])
        self._held.add((key, number))
        return number

    def _give_back(self, key: int, number: int) -> None:
        if (key, number) in self._held:
            self._held.discard((key, number))
            self._surely(_GIVE_BACK, ["integer", "integer"], key, number)

    def _leave(self, key: int) -> None:
        if key in self._queued:
            self._queued.discard(key)
            self._surely(_LEAVE, ["integer"], key)

    def _surely(self, query: str, types: list[str], *arguments: int) -> None:
        """Locks outlive a cancelled statement. One more cancel at this very moment comes through, afterwards."""
        cancelled = None
        for _ in range(3):
            try:
                self._execute(query, types, *arguments)
                break
            except Exception as error:  # noqa: BLE001  whatever it is, it is raised
                cancelled = error
        if cancelled:
            raise cancelled

    def _ask(self, query: str, key: int) -> Any:
        return self._execute(query, ["integer"], key)[0]

    def _execute(self, query: str, types: list[str], *arguments: Any) -> Any:
        if query not in self._plans:
            self._plans[query] = self._plpy.prepare(query, types)
        return self._plpy.execute(self._plans[query], list(arguments))

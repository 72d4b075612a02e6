"""What a server says beside its results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg.errors import Diagnostic

from tests.support.database import Connection


@contextmanager
def heard(conn: Connection) -> Iterator[list[tuple[str, str]]]:
    """Message and hint of the notices and warnings that come meanwhile."""
    said: list[tuple[str, str]] = []

    def hear(notice: Diagnostic) -> None:
        said.append((notice.message_primary or "", notice.message_hint or ""))

    conn.add_notice_handler(hear)
    try:
        yield said
    finally:
        conn.remove_notice_handler(hear)

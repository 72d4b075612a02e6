"""Whether the client of this session is still there.

PostgreSQL looks for it during a statement only where `client_connection_check_interval` is set. What waits for model
servers looks itself: nobody should pay for answers that nobody will read.
"""

from __future__ import annotations

import os
import select
import socket
import stat
from pathlib import Path

#: Of Linux, which also says it of other systems' ways to end a connection; without it nothing is noticed.
_CLOSED = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


class Client:
    """The connection to the client, if this process has one: a background worker has none."""

    def __init__(self, port: int) -> None:
        """`port` is the one that the server listens on, with TCP and in the name of its Unix sockets."""
        ours = [fd for fd in _sockets() if _is_servers(fd, port)]
        self._poll = select.poll()
        if len(ours) == 1:
            self._poll.register(ours[0], _CLOSED)

    def is_gone(self) -> bool:
        return any(events & _CLOSED for _, events in self._poll.poll(0))


def _sockets() -> list[int]:
    try:
        opened = [int(file.name) for file in Path("/dev/fd").iterdir()]
    except OSError:
        return []
    return [fd for fd in opened if _is_socket(fd)]


def _is_socket(fd: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:  # what listed the directory
        return False


def _is_servers(fd: int, port: int) -> bool:
    """Whether it is the server's end of a connection. An end of a connection that the process has opened itself, to a
    model server or to PostgreSQL, has a name of its own."""
    end = socket.socket(fileno=fd)
    try:
        name = end.getsockname()
        end.getpeername()
    except OSError:
        return False
    finally:
        end.detach()
    if end.family == socket.AF_UNIX:
        return bool(str(name).endswith(f".s.PGSQL.{port}"))
    return end.family in (socket.AF_INET, socket.AF_INET6) and name[1] == port

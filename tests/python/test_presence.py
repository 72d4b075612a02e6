"""Whether the client of a session is still there, by the socket that the server has to it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from graphrag_pl.presence import Client

PORT = 5499
Ends = tuple[socket.socket, socket.socket, int]  # the server's, the client's, the port of the server


@pytest.fixture(params=["tcp", "unix"])
def ends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ends]:
    family = socket.AF_INET if request.param == "tcp" else socket.AF_UNIX
    with closing(socket.socket(family)) as listening, closing(socket.socket(family)) as client:
        listening.bind(("127.0.0.1", 0) if request.param == "tcp" else str(tmp_path / f".s.PGSQL.{PORT}"))
        listening.listen()
        client.connect(listening.getsockname())
        server, _ = listening.accept()
        with closing(server):
            yield server, client, listening.getsockname()[1] if request.param == "tcp" else PORT


def test_a_client_that_is_there(ends: Ends) -> None:
    _, client, port = ends
    watched = Client(port)
    assert not watched.is_gone()
    client.sendall(b"x")
    assert not watched.is_gone(), "what it has sent is none of our business"


@pytest.mark.parametrize("way", ["close", "shutdown"])
def test_a_client_that_went_away(ends: Ends, way: str) -> None:
    _, client, port = ends
    watched = Client(port)
    if way == "close":
        client.close()
    else:
        client.shutdown(socket.SHUT_RDWR)
    assert watched.is_gone()


def test_a_process_without_a_client(ends: Ends) -> None:
    """A background worker; and connections that the process has opened itself are none to a client."""
    _, client, port = ends
    watched = Client(port + 1)
    client.close()
    assert not watched.is_gone()

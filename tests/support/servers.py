"""More servers beside the one of the tests: a new cluster, or a hot standby.

They live in /var/tmp, because the server's user cannot enter pytest's own directories, have a port of their own, and
are gone after the test.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.support.database import Connection, Database, value


def programs(conn: Connection) -> Path:
    """Where the programs of the tests' server are."""
    return Path(str(value(conn, "select setting from pg_config where name = 'BINDIR'")))


def beside(conn: Connection) -> None:
    """Skip a test that needs the server's machine to be this one."""
    data = Path(str(value(conn, "select current_setting('data_directory')")))
    if not (data / "PG_VERSION").exists() or not (programs(conn) / "pg_ctl").exists():
        pytest.skip("the tests' server, or its programs, are on another machine")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Server:
    """A cluster in a directory of its own."""

    home: Path
    bin: Path
    port: int

    @property
    def data(self) -> Path:
        return self.home / "data"

    def run(self, program: str, *arguments: str, **options: str) -> str:
        """Standard output of one of the server's programs, run as the server's user; it must succeed."""
        command = [str(self.bin / program), *arguments]
        if os.getuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command]
        done = subprocess.run(
            command,
            cwd=self.home,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.home), **options},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def initdb(self, like: Connection | None = None) -> None:
        """A new cluster; one like the tests' server finds the extension where that does."""
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N",
                 "--locale=C.UTF-8")  # fmt: skip
        self.configure("fsync = off", "listen_addresses = '127.0.0.1'", "timezone = 'UTC'")
        if like and (where := value(like, "select nullif(current_setting('extension_destdir', true), '')")):
            self.configure(f"extension_destdir = '{where}'")

    def configure(self, *lines: str) -> None:
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)

    def start(self) -> None:
        options = f"-p {self.port} -k {self.home}"
        # Its output must not be a pipe: the server would keep it open.
        self.run("pg_ctl", "-D", str(self.data), "-l", str(self.home / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def stop_cleanly(self) -> None:
        self.run("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "stop")

    def database(self, name: str) -> Database:
        return Database(f"postgresql://postgres@127.0.0.1:{self.port}/{name}")


@contextmanager
def new_server(conn: Connection, bin_directory: Path | None = None) -> Iterator[Server]:
    """A place for a cluster, with the programs of the tests' server or others; it is stopped at the end."""
    beside(conn)
    home = Path(tempfile.mkdtemp(prefix="graphrag-test-", dir="/var/tmp"))
    if os.getuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    server = Server(home, bin_directory or programs(conn), free_port())
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(home)


@contextmanager
def standby_of(primary: Database) -> Iterator[Server]:
    """A running hot standby that streams from the tests' server."""
    with primary.connect() as conn, new_server(conn) as server:
        where = conninfo_to_dict(primary.dsn)
        server.run("pg_basebackup", "-D", str(server.data), "--checkpoint=fast", "--wal-method=stream", "-R",
                   "-h", str(where["host"]), "-p", str(where["port"]), "-U", str(where["user"]),
                   PGPASSWORD=str(where.get("password", "")))  # fmt: skip
        server.start()
        yield server

"""extension/cluster.sh: the private cluster starts again after whatever happened to it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.support.cluster import SCRIPT
from tests.support.cluster import cluster as cluster_script


@dataclass(frozen=True)
class Cluster:
    """A cluster of its own, in a state directory of its own."""

    state: Path

    @property
    def pid_file(self) -> Path:
        return self.state / "cluster" / "data" / "postmaster.pid"

    @property
    def pid(self) -> int:
        return int(self.pid_file.read_text().splitlines()[0])

    def run(self, command: str) -> str:
        return cluster_script(command, STATE=str(self.state))

    def answers(self) -> bool:
        with psycopg.connect(self.run("dsn").strip()) as conn:
            return conn.execute("select 1").fetchone() == (1,)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """In /var/tmp, because the server's user cannot enter pytest's own directories."""
    made = Cluster(Path(tempfile.mkdtemp(prefix="graphrag-test-", dir="/var/tmp")))
    try:
        yield made
    finally:
        made.run("stop")
        shutil.rmtree(made.state)


def test_a_half_made_data_directory_is_made_anew(cluster: Cluster) -> None:
    (cluster.state / "cluster" / "data.new" / "base").mkdir(parents=True)
    cluster.run("start")
    assert cluster.answers()


def test_dsn_is_one_line(cluster: Cluster) -> None:
    cluster.run("start")
    assert cluster.run("dsn").startswith("postgresql://postgres@127.0.0.1:")
    assert cluster.run("dsn").count("\n") == 1


def test_start_of_a_running_cluster_changes_nothing(cluster: Cluster) -> None:
    cluster.run("start")
    before = cluster.pid
    cluster.run("start")
    assert cluster.pid == before


def test_it_starts_after_a_kill(cluster: Cluster) -> None:
    cluster.run("start")
    os.kill(cluster.pid, signal.SIGKILL)
    cluster.run("start")
    assert cluster.answers()


def test_it_starts_although_its_old_process_number_is_taken(cluster: Cluster) -> None:
    """As after a restart of the machine: the number in the pid file is that of some other process."""
    cluster.run("start")
    content = cluster.pid_file.read_text().splitlines()
    cluster.run("stop")
    cluster.pid_file.write_text("\n".join([str(os.getpid()), *content[1:]]) + "\n")
    cluster.run("start")
    assert cluster.pid != os.getpid()
    assert cluster.answers()


def test_two_starts_at_once_give_one_server(cluster: Cluster) -> None:
    cluster.run("stop")
    environment = {**os.environ, "STATE": str(cluster.state)}
    starts = [subprocess.Popen([SCRIPT, "start"], env=environment) for _ in range(3)]
    assert [start.wait(timeout=120) for start in starts] == [0, 0, 0]
    assert cluster.answers()

"""extension/cluster.sh: private clusters, that of the checkout and those of the workers of a parallel run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "extension" / "cluster.sh"


def cluster(command: str, **environment: str) -> str:
    """Standard output of one command of the script, which must succeed."""
    done = subprocess.run(
        [SCRIPT, command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def server_of_this_worker() -> str:
    """Where this process is to test: at GRAPHRAG_DSN, but a second worker of a parallel run has a cluster of its own.

    Some tests kill a backend, and all others of that server die with it. It goes on running until `make stop`.
    """
    dsn = os.environ.get("GRAPHRAG_DSN", "")
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if not dsn or worker == "gw0":
        return dsn
    cluster("start", CLUSTER=f"cluster-{worker}")
    return cluster("dsn", CLUSTER=f"cluster-{worker}").strip()

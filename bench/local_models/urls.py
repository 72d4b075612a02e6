"""Where a server says that it answers."""

from __future__ import annotations

import os
from pathlib import Path


def write_url(path: Path, port: int) -> None:
    """The base URL in a file, whole or not at all."""
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(f"http://127.0.0.1:{port}/v1\n")
    fresh.replace(path)

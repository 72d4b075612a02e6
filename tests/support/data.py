"""Public data sets outside the repository; a test that needs one is skipped, visibly, where it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("GRAPHRAG_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))


def data(*path: str) -> Path:
    """A file of a data set."""
    found = DATA.joinpath(*path)
    if not found.exists():
        pytest.skip(f"{found} is not there: GRAPHRAG_DATA names the directory of the data sets")
    return found

"""A headless Chromium, where there is one: what a page has become of itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

_PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_browser = pytest.mark.skipif(_PROGRAM is None, reason="no Chromium here: apt-get install chromium")


def dump(page: Path, fragment: str = "", milliseconds: int = 8000) -> str:
    """The document after so much of the page's own time, which passes as fast as it can be computed."""
    assert _PROGRAM
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                _PROGRAM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={profile}",
                "--window-size=1280,800",
                f"--virtual-time-budget={milliseconds}",
                "--dump-dom",
                f"{page.as_uri()}#{fragment}",
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    return done.stdout

"""Runs tests/pgtap/*.sql: each file with pg_prove, in a fresh database that has the extension and pgTAP."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.database import Database

FILES = sorted((Path(__file__).parent.parent / "pgtap").glob("*.sql"))


def test_there_are_pgtap_files() -> None:
    """An empty list of parameters would be skipped, and look like success."""
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pgtap(file: Path, database: Database) -> None:
    with database.connect() as conn:
        conn.execute("create extension pgtap")
    run = subprocess.run(
        ["pg_prove", "--verbose", "--nocolor", "--dbname", database.dsn, str(file)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"

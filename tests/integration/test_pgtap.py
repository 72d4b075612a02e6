"""Runs tests/pgtap/*.sql: each file with pg_prove, in a fresh database that has the extension and pgTAP."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.database import Database

#: What the gates and periods read letter by letter.
READ_BY_LETTERS = ("gates", "periods", "resolution", "values")
FILES = sorted((Path(__file__).parent.parent / "pgtap").glob("*.sql"))


def test_there_are_pgtap_files() -> None:
    """An empty list of parameters would be skipped, and look like success."""
    assert FILES


OPTIONS = (("host", "host"), ("port", "port"), ("username", "user"), ("dbname", "dbname"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pgtap(file: Path, database: Database) -> None:
    prove(file, database)


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.stem in READ_BY_LETTERS], ids=lambda file: file.stem
)
def test_in_a_database_of_another_language(file: Path, database: Database) -> None:
    """In Turkish the small letter of I is no i, and small letters come before capitals: nothing may rest on that."""
    other = Database(make_conninfo(database.dsn, dbname=f"{database.name}_tr"))
    locale = "locale_provider icu icu_locale 'tr-TR' locale 'C.UTF-8'"
    with database.connect() as conn:
        conn.execute(f"create database {other.name} encoding 'UTF8' template template0 {locale}")
        try:
            with other.connect() as there:
                there.execute("create extension graphrag cascade")
            prove(file, other)
        finally:
            conn.execute(f"drop database {other.name} with (force)")


def prove(file: Path, database: Database) -> None:
    with database.connect() as conn:
        conn.execute("create extension pgtap")
    # pg_prove hands its options to psql through the environment, where a connection string means nothing.
    server = conninfo_to_dict(database.dsn)
    run = subprocess.run(
        [
            "pg_prove",
            "--verbose",
            "--nocolor",
            *(f"--{key}={server[name]}" for key, name in OPTIONS),
            str(file),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"

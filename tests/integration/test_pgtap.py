"""Runs tests/pgtap/*.sql: each file with pg_prove, in a fresh database that has the extension and pgTAP."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.database import Connection, Database

FILES = sorted((Path(__file__).parent.parent / "pgtap").glob("*.sql"))


def test_there_are_pgtap_files() -> None:
    """An empty list of parameters would be skipped, and look like success."""
    assert FILES


OPTIONS = (("host", "host"), ("port", "port"), ("username", "user"), ("dbname", "dbname"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pgtap(file: Path, database: Database) -> None:
    with database.connect() as conn:
        conn.execute("create extension pgtap")
    prove(file, database.dsn)


LOCALES = {
    # i is no I in lower case, and there are more digits than ten
    "turkish": "locale_provider icu icu_locale 'tr-TR' locale 'C.UTF-8'",
    "c": "locale 'C'",  # no letter but those of ASCII
}


@pytest.mark.parametrize("locale", LOCALES)
def test_the_locale_of_a_database_does_not_change_what_texts_mean(conn: Connection, locale: str) -> None:
    name = f"{conn.info.dbname}_{locale}"
    conn.execute(f"create database {name} template template0 encoding 'UTF8' {LOCALES[locale]}")
    try:
        other = Database(make_conninfo(conn.info.dsn, password=conn.info.password, dbname=name))
        with other.connect() as there:
            there.execute("create extension graphrag cascade")
            there.execute("create extension pgtap")
        for file in FILES:
            if file.stem in ("gates", "values", "periods"):
                prove(file, other.dsn)
    finally:
        conn.execute(f"drop database {name} with (force)")


def prove(file: Path, dsn: str) -> None:
    """Every assertion of a file holds."""
    # pg_prove hands its options to psql through the environment, where a connection string means nothing.
    server = conninfo_to_dict(dsn)
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

"""pg_upgrade carries a realm over: to the newest later version here that has the extension, and to the same one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.calls import rows
from tests.support.corpus import differences
from tests.support.database import Connection, one, sql, value, view
from tests.support.servers import Server, beside, new_server, programs

NEEDED = ("graphrag", "vector", "plpython3u", "pg_trgm")


def newer(conn: Connection) -> list[Path]:
    """Programs of later major versions on this machine whose servers find the extension and what it needs."""
    destdir = str(one(conn, "select current_setting('extension_destdir', true) as dir")["dir"] or "")
    here = int(value(conn, "select current_setting('server_version_num')")) // 10000
    found = []
    for directory in Path("/usr/lib/postgresql").glob("[0-9]*/bin"):
        if int(directory.parent.name) <= here or not (directory / "pg_upgrade").exists():
            continue
        share = subprocess.run(
            [directory / "pg_config", "--sharedir"], capture_output=True, text=True, check=True
        ).stdout.strip()
        places = [Path(root + share) / "extension" for root in ("", destdir)]
        if all(any((place / f"{name}.control").exists() for place in places) for name in NEEDED):
            found.append(directory)
    return found


def carry_over(old: Server, new: Server) -> None:
    old.stop_cleanly()
    new.run("pg_upgrade", "-b", str(old.bin), "-B", str(new.bin), "-d", str(old.data), "-D", str(new.data),
            "-p", str(old.port), "-P", str(new.port), "-U", "postgres", "-s", str(new.home))  # fmt: skip
    new.start()


@pytest.mark.parametrize("to", ["the same version", "a newer version"])
def test_a_realm_is_carried_over(conn: Connection, to: str) -> None:
    beside(conn)
    bins = [programs(conn)] if to == "the same version" else newer(conn)
    if not bins or not (bins[-1] / "pg_upgrade").exists():
        pytest.skip("no newer PostgreSQL with this extension is installed beside this server's")
    with new_server(conn) as old, new_server(conn, bins[-1]) as new:
        old.initdb(like=conn)
        new.initdb(like=conn)
        old.start()
        with old.database("postgres").connect() as before:
            sql(before, "create extension graphrag cascade")
            rows(before, "create_realm", "kb", "builtin:hash", width=32)
            learn(before, "Ann", "Paris", 1)
            learn(before, "Ann", "Rome", 2)
            history = sql(before, "select * from kb.history order by kind, id, born")
            evidence = rows(before, "retrieve", "Where is Ann?", realm="kb")
            position = value(before, "select graphrag.watermark(realm => 'kb')")
        carry_over(old, new)
        with new.database("postgres").connect() as after:
            assert sql(after, "select * from kb.history order by kind, id, born") == history
            assert rows(after, "retrieve", "Where is Ann?", realm="kb") == evidence
            learn(after, "Ann", "Oslo", 3)
            assert {f["object"] for f in view(after, "kb", "facts")} == {"Paris", "Rome", "Oslo"}
            changed = rows(after, "changes_since", position, realm="kb")
            assert {c["revision"] for c in changed} == {value(after, "select revision from kb.space")}
            assert differences(after, "kb", "default") == 0


def learn(conn: Connection, who: str, town: str, number: int) -> None:
    sql(
        conn,
        "select graphrag.index(%s, document => %s, ordinal => %s, extraction => %s::jsonb, realm => 'kb')",
        [f"{who} lived in {town}.", f"doc {number}", number, f'[["{who}", "lived_in", "{town}"]]'],
    )

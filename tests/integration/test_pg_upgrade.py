"""pg_upgrade carries realms over, within this server's version, and from or to every other that is on this machine.

Another one counts if its server finds the extension and what it needs, where this one's does: on Debian 13 with
PostgreSQL 15 and its plpython3 from Debian 12, pgvector built for it and Python 3.11,

    make install PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config PYTHON=/usr/bin/python3.11 BUILD=build/15 \\
        DESTDIR=$STATE/root RUNTIME_ROOT=$STATE/root
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import rows
from tests.support.corpus import differences
from tests.support.database import Connection, one, sql, value, view
from tests.support.servers import Server, beside, new_server, programs

NEEDED = ("graphrag", "vector", "plpython3u", "pg_trgm")
READER = "graphrag_upgrade_reader"
KEY = ("https://models.example/v1", "env:GRAPHRAG_UPGRADE_KEY")


def others(conn: Connection) -> list[tuple[Path, Path]]:
    """Programs of the older and of the newer server, of each pair of this server's version and another one."""
    destdir = str(one(conn, "select current_setting('extension_destdir', true) as dir")["dir"] or "")
    here = programs(conn)
    found = []
    for directory in sorted(here.parent.parent.glob("[0-9]*/bin")):
        if directory == here or not (directory / "pg_upgrade").exists():
            continue
        share = subprocess.run(
            [directory / "pg_config", "--sharedir"], capture_output=True, text=True, check=True
        ).stdout.strip()
        places = [Path(root + share) / "extension" for root in ("", destdir)]
        if all(any((place / f"{name}.control").exists() for place in places) for name in NEEDED):
            found.append((directory, here) if major(directory) < major(here) else (here, directory))
    return found


def major(directory: Path) -> int:
    return int(directory.parent.name)


def carry_over(old: Server, new: Server, *options: str) -> None:
    old.stop_cleanly()
    arguments = ("-b", str(old.bin), "-B", str(new.bin), "-d", str(old.data), "-D", str(new.data),
                 "-p", str(old.port), "-P", str(new.port), "-U", "postgres", "-s", str(new.home))  # fmt: skip
    assert "*Clusters are compatible*" in new.run("pg_upgrade", *arguments, *options, "--check")
    new.run("pg_upgrade", *arguments, *options)
    new.start()


def learn(conn: Connection, who: str, town: str, number: int) -> None:
    sql(
        conn,
        "select graphrag.index(%s, document => %s, ordinal => %s, extraction => %s::jsonb, realm => 'kb')",
        [f"{who} lived in {town}.", f"doc {number}", number, f'[["{who}", "lived_in", "{town}"]]'],
    )


def build(conn: Connection) -> None:
    """A realm with a past, a queue, an attached table, a reader; and an endpoint of the database."""
    sql(conn, "create extension graphrag cascade")
    rows(conn, "create_realm", "kb", "builtin:hash", width=32)
    rows(conn, "declare_predicate", "lived_in", is_functional=True, realm="kb")
    learn(conn, "Ann", "Paris", 1)
    learn(conn, "Ann", "Rome", 2)
    learn(conn, "Bea", "Bonn", 3)
    rows(conn, "merge_entities", "Paris", "Bonn", realm="kb")
    rows(conn, "delete_document", "doc 3", realm="kb")
    sql(conn, "create table article (id integer primary key, body text)")
    rows(conn, "attach", "public.article", id="id", content="body", realm="kb")
    sql(conn, "insert into article values (1, 'Dan lived in Ulm.')")
    sql(conn, "select graphrag.pause('kb')")
    sql(conn, f"create role {READER}")
    rows(conn, "grant_reader", READER, "kb")
    sql(conn, "insert into graphrag.endpoint_location values (%s, %s)", KEY)


def answers(conn: Connection) -> dict[str, Any]:
    """What must be the same on both sides."""
    return {
        "history": sql(conn, "select * from kb.history order by kind, id, born"),
        "evidence": rows(conn, "retrieve", "Where is Ann?", realm="kb"),
        "the past": [
            rows(conn, "retrieve", "Where is Ann?", as_believed_at=str(revision), realm="kb")
            for revision in range(1, value(conn, "select revision from kb.space") + 1)
        ],
        "timeline": rows(conn, "timeline", "Ann", realm="kb"),
        "settings": [view(conn, "kb", name) for name in ("realm", "setting", "endpoint", "predicate")],
        "jobs": sql(conn, "select * from kb.jobs order by 1"),
        "feed": rows(conn, "changes_since", None, realm="kb"),
        "keys": sql(conn, "select * from graphrag.endpoint_location"),
        "grants": sql(
            conn,
            "select p.oid::regprocedure::text as function from pg_proc as p"
            " where p.pronamespace = 'graphrag'::regnamespace and has_function_privilege(%s, p.oid, 'execute')"
            " order by 1",
            [READER],
        ),
    }


def goes_on(conn: Connection, position: object) -> None:
    """Everything that is done to a realm is done to it."""
    assert differences(conn, "kb", "default") == 0
    learn(conn, "Ann", "Oslo", 4)
    current = {(f["subject"], f["object"]) for f in view(conn, "kb", "facts") if f["status"] == "current"}
    assert current == {("Ann", "Oslo")}
    changed = rows(conn, "changes_since", position, realm="kb")
    assert {c["revision"] for c in changed} == {value(conn, "select revision from kb.space")}
    sql(conn, "insert into article values (2, 'Eve lived in Linz.')")
    assert value(conn, "select count(*) from kb.jobs where status = 'pending'") == 2
    rows(conn, "resume", "kb")
    said = '[["Cid", "lived_in", "Graz"]]'
    rows(conn, "enqueue", "Cid lived in Graz.", document="doc 5", extraction=said, realm="kb")
    sql(conn, "call graphrag.work('kb', max_jobs => 9)")
    assert ("Cid", "Graz") in {(f["subject"], f["object"]) for f in view(conn, "kb", "facts")}
    sql(conn, f"set role {READER}")
    assert rows(conn, "retrieve", "Ann", embedding=[1.0] + [0.0] * 31, realm="kb")
    sql(conn, "reset role")
    libraries = {f["check"]: f for f in rows(conn, "doctor", "kb") if f["check"].startswith("python ")}
    assert {"python openai", "python igraph"} <= libraries.keys()
    assert {f["status"] for f in libraries.values()} == {"ok"}, libraries


@contextmanager
def moved(conn: Connection, old_bin: Path, new_bin: Path, *options: str) -> Iterator[tuple[Server, object]]:
    """The new server, running, and a position of the feed from before; its answers are those of the old one."""
    with new_server(conn, old_bin) as old, new_server(conn, new_bin) as new:
        for server in (old, new):
            server.initdb(like=conn)
        old.start()
        with old.database("postgres").connect() as before:
            build(before)
            expected = answers(before)
            position = value(before, "select graphrag.watermark(realm => 'kb')")
        carry_over(old, new, *options)
        with new.database("postgres").connect() as after:
            found = answers(after)
            assert [name for name in expected if found[name] != expected[name]] == []
        yield new, position


def test_realms_are_carried_over_within_a_version(conn: Connection) -> None:
    beside(conn)
    if not (programs(conn) / "pg_upgrade").exists():
        pytest.skip("this server's programs have no pg_upgrade")
    with (
        moved(conn, programs(conn), programs(conn)) as (new, position),
        new.database("postgres").connect() as after,
    ):
        goes_on(after, position)


@pytest.mark.parametrize("options", [(), ("--link",)], ids=["copy", "link"])
def test_realms_are_carried_over_to_a_newer_version(conn: Connection, options: tuple[str, ...]) -> None:
    beside(conn)
    pairs = others(conn)
    if not pairs:
        pytest.skip("no other PostgreSQL with this extension is installed beside this server's")
    for old_bin, new_bin in pairs:
        with (
            moved(conn, old_bin, new_bin, *options) as (new, position),
            new.database("postgres").connect() as after,
        ):
            assert value(after, "show server_version").startswith(f"{major(new_bin)}.")
            goes_on(after, position)

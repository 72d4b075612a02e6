"""`make tle`: with the real pg_tle where that is installed, and without it by what its functions are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from extension import build
from tests.support.calls import rows
from tests.support.database import Connection, sql, value, view
from tests.support.servers import Server, new_server

CURRENT = build.control_value("default_version")
# What a database without pg_tle has in its place: the functions by their documented arguments, keeping what they get.
STAND_IN = """
    create schema pgtle;
    create table pgtle.given (kind text, name text, version text, script text, requires text[]);
    create function pgtle.install_extension(name text, version text, description text, ext text, requires text[] = null)
        returns boolean language sql
        as $$ insert into pgtle.given values ('extension', name, version, ext, requires) returning true $$;
    create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean language sql
        as $$ insert into pgtle.given values ('version', name, version, ext) returning true $$;
    create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text)
        returns boolean language sql
        as $$ insert into pgtle.given values ('path', name, fromvers || '--' || tovers, ext) returning true $$;
    create function pgtle.set_default_version(name text, version text) returns boolean language sql
        as $$ insert into pgtle.given values ('default', name, version, null) returning true $$;
    create function pgtle.available_extensions() returns table (name name) language sql
        as $$ select distinct g.name::name from pgtle.given as g where g.kind = 'extension' $$;
    create function pgtle.available_extension_versions() returns table (name name, version text) language sql
        as $$ select g.name::name, g.version from pgtle.given as g where g.kind in ('extension', 'version') $$;
    create function pgtle.extension_update_paths(name name) returns table (path text) language sql
        as $$ select g.version from pgtle.given as g where g.kind = 'path' $$;
"""


def library(conn: Connection) -> str:
    """Where the tests' server finds the Python packages."""
    source = str(value(conn, "select prosrc from pg_proc where proname = '_load_python'"))
    found = re.search(r"loader\.install\(sources, '[^']+', '([^']+)'\)", source)
    assert found
    return found[1]


def scripts(directory: str) -> dict[str, str]:
    return {
        path.stem.removeprefix("graphrag--"): build.located(path.read_text(encoding="utf-8"), directory)
        for path in build.committed_scripts()
    }


def test_what_it_registers_is_what_make_install_installs(conn: Connection) -> None:
    where = library(conn)
    sql(conn, "drop extension graphrag cascade; " + STAND_IN)
    script = build.tle_script(CURRENT, where)
    conn.execute(script)
    given = sql(conn, "select * from pgtle.given where kind <> 'default' order by kind")
    expected = scripts(where)
    paths = sorted(name for name in expected if "--" in name)
    assert [(g["kind"], g["version"]) for g in given] == [
        ("extension", CURRENT),
        *(("path", p) for p in paths),
    ]
    assert {g["version"]: g["script"] for g in given} == {n: expected[n] for n in (CURRENT, *paths)}
    assert given[0]["requires"] == ["plpython3u", "vector", "pg_trgm"]
    conn.execute(script)
    assert sql(conn, "select * from pgtle.given where kind <> 'default' order by kind") == given, (
        "a second run"
    )
    assert value(conn, "select count(distinct version) from pgtle.given where kind = 'default'") == 1
    # Where another version is registered already, this one is put beside it.
    conn.execute("delete from pgtle.given; insert into pgtle.given values ('extension', 'graphrag', '0.0.1')")
    conn.execute(script)
    kinds = sql(conn, "select kind from pgtle.given where version = %s order by kind", [CURRENT])
    assert [k["kind"] for k in kinds] == ["default", "version"]


@pytest.fixture
def tle(conn: Connection) -> Iterator[tuple[Server, str]]:
    """A server with pg_tle that does not find the extension's files: pg_tle takes no extension that is there."""
    if not sql(conn, "select from pg_available_extensions where name = 'pg_tle'"):
        pytest.skip("pg_tle is not installed")
    share = Path(str(value(conn, "select setting from pg_config where name = 'SHAREDIR'")))
    if (share / "extension" / "graphrag.control").exists():
        pytest.skip("this server's own directory has the extension's files")
    with new_server(conn) as server:
        server.initdb()
        server.configure("shared_preload_libraries = 'pg_tle'")
        server.start()
        yield server, library(conn)


def test_the_real_pg_tle_installs_and_updates_it(tle: tuple[Server, str]) -> None:
    server, where = tle
    with server.database("postgres").connect() as conn:
        sql(conn, "create extension pg_tle; create extension vector; create extension pg_trgm")
        sql(conn, "create extension plpython3u")
        conn.execute(build.tle_script(CURRENT, where))
        sql(conn, "create extension graphrag schema graphrag")
        assert value(conn, "select extversion from pg_extension where extname = 'graphrag'") == CURRENT
        rows(conn, "create_realm", "kb", "builtin:hash", width=32)
        sql(
            conn,
            "select graphrag.index('Ann founded Acme.', extraction => %s::jsonb, realm => 'kb')",
            ['[["Ann", "founded", "Acme"]]'],
        )
        assert [fact["subject"] for fact in view(conn, "kb", "facts")] == ["Ann"]
        for release in {name.split("--")[1].removesuffix(".sql") for name in build.releases()}:
            sql(conn, "drop extension graphrag cascade")
            text = scripts(where)[release]
            sql(conn, "select pgtle.install_extension_version_sql('graphrag', %s, %s)", [release, text])
            sql(conn, f"create extension graphrag version '{release}' schema graphrag")
            sql(conn, f"alter extension graphrag update to '{CURRENT}'")
            rows(conn, "migrate_realm", "kb")
            assert [fact["subject"] for fact in view(conn, "kb", "facts")] == ["Ann"]

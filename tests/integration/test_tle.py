"""`make tle`: with the real pg_tle where that is installed, and everywhere with what its functions are given.

The stand-in keeps what it is given. A second server, which finds no files of the extension, then gets them from that,
with a control file as pg_tle makes one: so PostgreSQL's own CREATE EXTENSION runs the registered text, of which pg_tle
has a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from extension import build
from tests.support.calls import rows
from tests.support.database import Connection, Database, sql, value, view
from tests.support.servers import new_server

CURRENT = build.control_value("default_version")
NEEDED = [name.strip() for name in build.control_value("requires").split(",")]
# The functions of pg_tle by their documented arguments. It keeps a text as a function's body, between delimiters that
# the text must not contain.
STAND_IN = """
    create table pgtle.given (
        kind text, name text, version text, script text check (script !~ '\\$_pgtle_[io]_\\$'), requires text[],
        description text, schema text, unique (kind, version)
    );
    create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean language sql
        as $$ insert into pgtle.given values ('version', name, version, ext) returning true $$;
    create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text)
        returns boolean language sql
        as $$ insert into pgtle.given values ('path', name, fromvers || '--' || tovers, ext) returning true $$;
    create function pgtle.set_default_version(name text, version text) returns boolean language sql
        as $$ delete from pgtle.given where kind = 'default';
            insert into pgtle.given values ('default', name, version, null) returning true $$;
    create function pgtle.available_extensions() returns table (name name) language sql
        as $$ select distinct g.name::name from pgtle.given as g where g.kind = 'extension' $$;
    create function pgtle.available_extension_versions() returns table (name name, version text) language sql
        as $$ select g.name::name, g.version from pgtle.given as g where g.kind in ('extension', 'version') $$;
    create function pgtle.extension_update_paths(name name) returns table (path text) language sql
        as $$ select g.version from pgtle.given as g where g.kind = 'path' $$;
"""
BEFORE_1_5 = """
    create function pgtle.install_extension(name text, version text, description text, ext text, requires text[] = null)
        returns boolean language sql
        as $$ insert into pgtle.given values ('extension', name, version, ext, requires, description) returning true $$;
"""
SINCE_1_5 = """
    create function pgtle.install_extension(
        name text, version text, description text, ext text, requires text[] = null, schema text = null
    )
        returns boolean language sql
        as $$ insert into pgtle.given values ('extension', name, version, ext, requires, description, schema)
            returning true $$;
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
    sql(conn, "drop extension graphrag cascade; create schema pgtle;" + STAND_IN + BEFORE_1_5)
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
    assert (given[0]["requires"], given[0]["description"]) == (NEEDED, build.control_value("comment"))
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


# ---------------------------------------------------------------- creating it from that
@dataclass(frozen=True)
class Site:
    """A database whose server finds no files of the extension, and where its Python packages are."""

    database: Database
    library: str
    #: Where CREATE EXTENSION looks first.
    directory: Path


@pytest.fixture
def stand_in(conn: Connection, request: pytest.FixtureRequest) -> Iterator[Site]:
    if value(conn, "select current_setting('extension_destdir', true)") is None:
        pytest.skip(
            "this server has no extension_destdir, Debian's setting for where extensions are looked for"
        )
    share = Path(str(value(conn, "select setting from pg_config where name = 'SHAREDIR'")))
    if (share / "extension" / "graphrag.control").exists():
        pytest.skip("this server's own directory has the extension's files")
    with new_server(conn) as server:
        server.initdb()
        root = server.home / "root"
        server.configure(f"extension_destdir = '{root}'")
        server.start()
        directory = root / share.relative_to("/") / "extension"
        directory.mkdir(parents=True)
        (directory / "pg_tle.control").write_text(
            "default_version = '1'\nrelocatable = false\nschema = pgtle\n"
        )
        (directory / "pg_tle--1.sql").write_text(STAND_IN + request.param)
        yield Site(server.database("postgres"), library(conn), directory)


def hand_over(conn: Connection, directory: Path) -> None:
    """What was registered, as files; the control file says what pg_tle makes it say."""
    for given in sql(conn, "select * from pgtle.given where script is not null"):
        (directory / f"graphrag--{given['version']}.sql").write_text(given["script"], encoding="utf-8")
    (first,) = sql(conn, "select * from pgtle.given where kind = 'extension'")
    default = value(conn, "select version from pgtle.given where kind = 'default'")
    schema = f"schema = '{first['schema']}'\n" if first["schema"] else ""
    (directory / "graphrag.control").write_text(
        f"default_version = '{default}'\ncomment = '{first['description']}'\nrelocatable = false\nsuperuser = false\n"
        f"trusted = false\nrequires = '{','.join([*first['requires'], 'pg_tle'])}'\n{schema}"
    )


def prepare(conn: Connection, where: str) -> None:
    """As the script's first lines say."""
    sql(conn, "create extension pg_tle; " + "; ".join(f"create extension {name}" for name in NEEDED))
    conn.execute(build.tle_script(CURRENT, where))


def use(conn: Connection) -> None:
    """A realm lives in it, and through DROP EXTENSION and an update from each release."""
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
        sql(conn, f"create extension graphrag version '{release}' schema graphrag")
        sql(conn, f"alter extension graphrag update to '{CURRENT}'")
        rows(conn, "migrate_realm", "kb")
        assert [fact["subject"] for fact in view(conn, "kb", "facts")] == ["Ann"]
        assert rows(conn, "retrieve", "Who founded Acme?", realm="kb")


def register_releases(conn: Connection, where: str) -> None:
    """So that there is something to update from."""
    for release in {name.split("--")[1].removesuffix(".sql") for name in build.releases()}:
        text = scripts(where)[release]
        sql(conn, "select pgtle.install_extension_version_sql('graphrag', %s, %s)", [release, text])


@pytest.mark.parametrize("stand_in", [BEFORE_1_5, SINCE_1_5], ids=["before 1.5", "since 1.5"], indirect=True)
def test_what_it_registers_can_be_created_and_updated(stand_in: Site) -> None:
    with stand_in.database.connect() as conn:
        prepare(conn, stand_in.library)
        register_releases(conn, stand_in.library)
        hand_over(conn, stand_in.directory)
        # pg_tle asks for no superuser, but PL/Python does.
        sql(conn, "create role maker login; grant create on database postgres to maker; grant usage on schema pgtle"
            " to maker; alter schema graphrag owner to maker; set role maker")  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="plpython3u"):
            sql(conn, "create extension graphrag schema graphrag")
        sql(
            conn,
            "reset role; alter schema graphrag owner to postgres; create extension graphrag schema graphrag",
        )
        use(conn)
        fixed = sql(conn, "select from pgtle.given where schema = 'graphrag'")
        sql(conn, "drop extension graphrag cascade")
        if fixed:
            sql(conn, "create extension graphrag")
            assert value(conn, "select extnamespace::regnamespace::text from pg_extension where extname = 'graphrag'"
                         ) == "graphrag"  # fmt: skip


@pytest.fixture
def tle(conn: Connection) -> Iterator[tuple[Database, str]]:
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
        yield server.database("postgres"), library(conn)


def test_the_real_pg_tle_installs_and_updates_it(tle: tuple[Database, str]) -> None:
    database, where = tle
    with database.connect() as conn:
        prepare(conn, where)
        register_releases(conn, where)
        sql(conn, "create extension graphrag schema graphrag")
        use(conn)

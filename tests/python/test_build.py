"""extension/build.py: what its directives make, and what it refuses."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from extension import build, update

NASTY = """text = '''a
b\t$tag$ $$ \\$ @VERSION@ @extschema@ {{python_modules}} \\x24 "quotes" it's 😀 \u2028'''
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a subpackage and a module that has everything in it that a quote could trip over."""
    inner = tmp_path / "pkg" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (inner / "__init__.py").write_text('"""Inner."""\n')
    (inner / "nasty.py").write_text(NASTY, encoding="utf-8")
    return tmp_path / "pkg"


def test_modules_survive_embedding(package: Path) -> None:
    literal = build.python_modules(package)
    assert ast.literal_eval(literal) == {"pkg": "", "pkg.inner": '"""Inner."""\n', "pkg.inner.nasty": NASTY}


def test_embedded_modules_stay_on_one_line_and_inside_any_quote(package: Path) -> None:
    literal = build.python_modules(package)
    assert literal.isascii()
    assert not {"\n", "\r", "\t", "$", "@"} & set(literal)


def test_a_package_without_modules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(build.BuildError, match="no Python modules"):
        build.python_modules(tmp_path)


def test_includes_are_relative_to_the_including_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.sql").write_text("a\n{{file:parts/one.sql}}\nd\n")
    (tmp_path / "parts" / "one.sql").write_text("b\n{{file:two.sql}}\n")
    (tmp_path / "parts" / "two.sql").write_text("c\n")
    assert build.expand(tmp_path / "main.sql") == "a\nb\nc\nd\n"


def test_a_hash_is_of_what_an_include_gives(tmp_path: Path) -> None:
    """As browsers compute it: printf 'b\\nc' | openssl dgst -sha256 -binary | base64."""
    (tmp_path / "page.html").write_text("{{sha256:one.js}} <script>{{file:one.js}}</script>")
    (tmp_path / "one.js").write_text("b\n{{file:two.js}}\n")
    (tmp_path / "two.js").write_text("c\n")
    hashed = "bFFs/DBuU2NqQJqoR4DblzBJDGs5KMyrDxg6j7w5Ek4="
    assert build.expand(tmp_path / "page.html") == f"{hashed} <script>b\nc</script>"


def test_the_page_has_nothing_that_postgresql_would_replace() -> None:
    """CREATE EXTENSION looks for its own tokens in the whole script."""
    page = build.expand(build.ROOT / "explorer" / "page.html")
    assert page.count("@GRAPH@") == 1
    assert not [token for token in ("@ext", "$page$", "$function$", "\r") if token in page]


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("{{file:b.sql}}")
    (tmp_path / "b.sql").write_text("{{file:a.sql}}")
    with pytest.raises(build.BuildError, match="includes itself"):
        build.expand(tmp_path / "a.sql")


def test_a_missing_include_names_both_files(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("{{file:nowhere.sql}}")
    with pytest.raises(build.BuildError, match=r"a\.sql: no file .*nowhere\.sql"):
        build.expand(tmp_path / "a.sql")


@pytest.mark.parametrize("path", ["relative/path", "/it's", "/a b", '/"', "/a\nb", "/a\\b", ""])
def test_a_library_path_that_could_end_a_string_is_refused(path: str) -> None:
    with pytest.raises(build.BuildError, match="unquoted"):
        build.located("select '@PYTHON_LIBRARY@'", path)


def test_the_library_path_replaces_the_token() -> None:
    assert build.located("select '@PYTHON_LIBRARY@'", "/usr/lib/x_1") == "select '/usr/lib/x_1'"


def test_a_release_that_knows_no_directory_of_its_python_is_given_it() -> None:
    script = build.located(
        "install(s, '0.1.0', '@PYTHON_LIBRARY@') install(s, '0.2.0', '@PYTHON_LIBRARY@')", "/x"
    )
    tag = sys.implementation.cache_tag
    assert script == f"install(s, '0.1.0', '/x/{tag}') install(s, '0.2.0', '/x')"


def test_a_dollar_quote_holds_any_text() -> None:
    text = build.dollar_quote("$tle0$ a $tle1$")
    assert text == "$tle2$$tle0$ a $tle1$$tle2$"


def test_the_script_is_deterministic_and_complete() -> None:
    version = build.control_value("default_version")
    script = build.build_script(version)
    assert script == build.build_script(version)
    assert "{{" not in script.replace("'{{", "")
    assert "@VERSION@" not in script
    assert build.PYTHON_LIBRARY_TOKEN in script
    assert script.splitlines()[1].startswith("\\echo Use ")
    positions = [script.index(f"\n-- {path.relative_to(build.ROOT)}\n") for path in build.sources()]
    assert positions == sorted(positions)


def test_the_tle_script_registers_the_version_and_its_library() -> None:
    version = build.control_value("default_version")
    script = build.tle_script(version, "/somewhere/python")
    assert script.count("script text := $tle") == 1
    assert f"pgtle.install_extension('graphrag', '{version}', '" in script
    for release in build.releases():
        if "--" in release.removeprefix("graphrag--"):
            old, new = release.removeprefix("graphrag--").removesuffix(".sql").split("--")
            assert f"pgtle.install_update_path('graphrag', '{old}', '{new}', $tle" in script
    assert f"pgtle.set_default_version('graphrag', '{version}')" in script
    assert "array['plpython3u', 'vector', 'pg_trgm']" in script
    assert build.PYTHON_LIBRARY_TOKEN not in script
    assert "'/somewhere/python'" in script


def test_a_stale_script_is_told_from_a_fresh_one(tmp_path: Path) -> None:
    """On a copy of what build.py reads, so that the working tree is left alone."""
    for name in ("graphrag.control", "extension/build.py", "extension/update.py", "extension/META.json.in"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((build.ROOT / name).read_text())
    (tmp_path / "sql" / "10_one").mkdir(parents=True)
    source = tmp_path / "sql" / "10_one" / "f.sql"
    source.write_text("select '@VERSION@';\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(tmp_path / "extension" / "build.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("--check").returncode == 1
    assert run().returncode == 0
    assert run("--check").returncode == 0
    assert run("--freeze").returncode == 0
    assert run().returncode == 0, "frozen, and the same"
    source.write_text("select 'other';\n")
    frozen = run()
    assert "raise default_version" in frozen.stderr
    (tmp_path / "extension" / "frozen.sha256").unlink()
    stale = run("--check")
    assert stale.returncode == 1
    assert "is stale" in stale.stderr


# ---------------------------------------------------------------- updates
HEAD = "-- x\n\\echo Use it. \\quit\n"
OLD = """
create type g.pair as (a text, b integer);
create type g._state as (a text);
create table g.word (w text);
insert into g.word values ('old');
create function g.stays(x text, y integer default 1) returns g.pair language sql as $$ select 1; $$;
comment on function g.stays(text, integer) is 'It; stays (here).';
create function g.narrows(x text) returns text language sql as $$ select 1 $$;
create function g._state_of(s g._state) returns text language sql as $$ select 1 $$;
create function g._bound() returns text language sql begin atomic select case when true then g.narrows('x') end; end;
create function g._goes() returns text language sql as $$ select g.narrows('x') $$;
revoke all on all routines in schema g from public;
"""
NEW = """
create type g.pair as (a text, b integer, c numeric(4, 2));
create type g._state as (b text, a text);
create table g.word (w text);
insert into g.word values ('new');
create function g.stays(x text, y integer default 2) returns g.pair language sql as $$ select 2; $$;
comment on function g.stays(text, integer) is 'It; stays (here).';
create function g.narrows(x text, z text default 'a, b') returns text language sql as $$ select 2 $$;
create function g._state_of(s g._state) returns text language sql as $$ select 2 $$;
create function g._bound() returns text language sql begin atomic select g.narrows('x'); end;
revoke all on all routines in schema g from public;
"""


def test_an_update_replaces_what_it_can_and_drops_only_what_it_must() -> None:
    found = update.statements(update.update_script("g", "1", HEAD + OLD, "2", HEAD + NEW, ""))
    assert found == [
        "drop routine g.narrows(x text), g._goes(), g._state_of(s g._state), g._bound();",
        "drop type g._state;",
        "alter type g.pair add attribute c numeric(4, 2);",
        "create type g._state as (b text, a text);",
        "delete from g.word;",
        "insert into g.word values ('new');",
        "create or replace function g.stays(x text, y integer default 2)"
        " returns g.pair language sql as $$ select 2; $$;",
        "comment on function g.stays(text, integer) is 'It; stays (here).';",
        "create function g.narrows(x text, z text default 'a, b') returns text language sql as $$ select 2 $$;",
        "revoke all on routine g.narrows(x text, z text) from public;",
        "create function g._state_of(s g._state) returns text language sql as $$ select 2 $$;",
        "revoke all on routine g._state_of(s g._state) from public;",
        "create function g._bound() returns text language sql begin atomic select g.narrows('x'); end;",
        "revoke all on routine g._bound() from public;",
    ]


def test_a_default_that_is_taken_away_needs_a_drop() -> None:
    old = update.objects(HEAD + "create function g.f(x text default 'a') returns text language sql as $$ $$;")
    new = update.objects(HEAD + "create function g.f(x text) returns text language sql as $$ $$;")
    assert [found.name for found in update.dropped(old, new)] == ["g.f"]
    assert update.dropped(new, old) == []


def test_a_table_that_changes_is_somebodys_work() -> None:
    new = OLD.replace("g.word (w text)", "g.word (w text, n integer)")
    with pytest.raises(update.UpdateError, match=r"table g\.word has changed"):
        update.update_script("g", "1", HEAD + OLD, "2", HEAD + new, "")
    by_hand = "alter table g.word add column n integer;"
    script = update.update_script("g", "1", HEAD + OLD, "2", HEAD + new, by_hand)
    assert update.statements(script)[0] == by_hand
    assert "create table" not in script
    with pytest.raises(update.UpdateError, match=r"table g\.word is gone"):
        update.update_script("g", "1", HEAD + OLD, "2", HEAD + "create type g.a as (a text);", "")


def test_a_statement_that_nobody_foresaw_is_refused() -> None:
    with pytest.raises(update.UpdateError, match="does not know what to do about: alter"):
        update.update_script("g", "1", HEAD + OLD, "2", HEAD + OLD + "alter table g.word add n integer;", "")


def test_what_is_released_is_as_it_was_and_what_is_not_is_not_frozen() -> None:
    build.check_frozen()
    version = build.control_value("default_version")
    assert f"graphrag--{version}.sql" not in build.releases()
    assert f"graphrag--{build.previous_version(version)}.sql" in build.releases()

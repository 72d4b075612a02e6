"""The documentation says what is there, and its examples run and print what it shows."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from extension import reference as catalogue
from tests.support.calls import row, rows
from tests.support.database import Connection, Database, sql, value

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
GUIDES = [path.relative_to(ROOT).as_posix() for path in PAGES if path.parent.name == "howto"]
RUNNABLE = ["README.md", "docs/reference.md", "docs/time.md", "docs/tutorial.md", *GUIDES]

#: An example, whether it needs a model, and what it prints if the page shows that.
EXAMPLE = re.compile(
    r"(?P<model><!-- needs a model -->\n)?```sql\n(?P<sql>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?",
    re.DOTALL,
)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]+))?\)")
SQLSTATE = re.compile(r"\bGR\d{3}\b")
REASON = re.compile(r"(?:then|:=|return|\d, \w+\.no,)\s+'((?:[a-z]+_)+[a-z]+|malformed)'")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level or above; fails where there is none."""
    found = re.search(
        rf"^(?P<level>#+) {re.escape(heading)}$(?P<body>.*?)(?=^(?!(?P=level)#)#+ |\Z)",
        FENCED.sub("", text),
        re.MULTILINE | re.DOTALL,
    )
    assert found, f"no heading {heading!r}"
    return found["body"]


def table(text: str) -> dict[str, list[str]]:
    """The rows of the Markdown tables in a text, without their headings: first cell to the others."""
    found: dict[str, list[str]] = {}
    is_body = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if is_body and line.startswith("|"):
            found[cells[0].strip("`")] = cells[1:]
        else:
            is_body = line.startswith("|--")
    return found


# ---------------------------------------------------------------- what there is, is in the reference
@pytest.fixture(scope="module")
def reference() -> str:
    return page("docs/reference.md")


@pytest.fixture(scope="module")
def documented(module_database: Database) -> Iterator[Connection]:
    """A connection to a database with the extension and the realm `kb`."""
    with module_database.connect() as conn:
        sql(conn, "select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 8)")
        yield conn


def test_what_the_reference_says_of_the_catalogue(documented: Connection, reference: str) -> None:
    """Every function with its signature and what it returns; every view, type and table with its comment."""
    assert catalogue.page(documented, reference) == reference, "make reference"


def test_the_catalogue_in_the_reference_can_be_stale(documented: Connection, reference: str) -> None:
    page = catalogue.page
    sql(documented, "begin")
    sql(documented, "create function graphrag.nothing() returns integer return 1")
    with pytest.raises(SystemExit, match="nothing"):
        page(documented, reference)
    sql(documented, "rollback")
    assert page(documented, reference.replace("undo(decision bigint, ", "undo(")) == reference
    assert page(documented, reference.replace("| Takes a decision back", "| Takes it back")) == reference


def test_no_function_that_is_not_there(documented: Connection) -> None:
    known = {row["proname"] for row in sql(documented, "select proname from pg_proc")}
    for name in (path.relative_to(ROOT).as_posix() for path in PAGES):
        for example in EXAMPLE.finditer(page(name)):
            called = set(re.findall(r"\bgraphrag\.(\w+)\(", example["sql"]))
            assert called <= known, f"{name} calls {called - known}"


def test_every_column_of_every_view(documented: Connection, reference: str) -> None:
    for view in sql(documented, "select viewname as name from pg_views where schemaname = 'kb'"):
        name = view["name"]
        assert columns(documented, "kb", name) == named(section(reference, name)), name


def test_every_column_of_every_type(documented: Connection, reference: str) -> None:
    types = [name for name in HEADING.findall(section(reference, "Types")) if name.isidentifier()]
    assert {"evidence", "index_result"} <= set(types)
    for name in types:
        assert columns(documented, "graphrag", name) == named(section(reference, name)), name


def columns(conn: Connection, schema: str, relation: str) -> set[str]:
    found = sql(
        conn,
        """
        select a.attname as name
        from pg_attribute as a
        join pg_class as c on c.oid = a.attrelid
        where c.relnamespace = %s::regnamespace and c.relname = %s and a.attnum > 0
        """,
        [schema, relation],
    )
    assert found
    return {column["name"] for column in found}


def named(text: str) -> set[str]:
    """The names in the first cells of a table."""
    return {name for cell in table(text) for name in re.findall(r"\w+", cell)}


def test_every_setting_with_its_default(documented: Connection, reference: str) -> None:
    settings = sql(documented, "select name, value::text from graphrag.setting_default")
    shown = table(section(reference, "List of settings"))
    for setting in settings:
        assert shown[setting["name"]][0] == setting["value"], setting["name"]
    session = {"graphrag.realm", "graphrag.space"}
    assert shown.keys() == {setting["name"] for setting in settings} | session


def test_every_preset(documented: Connection, reference: str) -> None:
    presets = sql(documented, "select distinct preset as name from graphrag.preset_predicate")
    assert {preset["name"] for preset in presets} == table(section(reference, "Presets")).keys()


def test_every_gate_reason(reference: str) -> None:
    sources = [*ROOT.glob("sql/30_gates/*.sql"), ROOT / "sql/50_time/_claim.sql"]
    reasons = {reason for path in sources for reason in REASON.findall(path.read_text(encoding="utf-8"))}
    assert reasons == table(section(reference, "Gate reasons")).keys()


def test_every_sqlstate() -> None:
    sources = [*ROOT.glob("sql/**/*.sql"), *ROOT.glob("plpython/**/*.py")]
    raised = {code for path in sources for code in SQLSTATE.findall(path.read_text(encoding="utf-8"))}
    assert raised == set(SQLSTATE.findall(page("docs/errors.md")))
    listed = {name for name in table(page("docs/errors.md")) if SQLSTATE.fullmatch(name)}
    assert listed == raised - {"GR099"}  # which never reaches a caller


# ---------------------------------------------------------------- what is shown, is so
@pytest.mark.parametrize("name", RUNNABLE)
def test_examples_run_and_print_what_is_shown(database: Database, conn: Connection, name: str) -> None:
    examples = list(EXAMPLE.finditer(page(name)))
    assert examples
    script = "".join(
        f"\\echo @@{number}\n{example['sql']}\n"
        for number, example in enumerate(examples)
        if not example["model"]
    )
    printed = psql(conn, database, script)
    for number, example in enumerate(examples):
        if example["shown"] and not example["model"]:
            assert printed[number] == example["shown"].rstrip(), f"{name}, the example\n{example['sql']}"


def psql(conn: Connection, database: Database, script: str) -> dict[int, str]:
    """What psql prints for each part of a script, a part beginning at `\\echo @@NUMBER`."""
    directory = value(conn, "select setting from pg_config where name = 'BINDIR'")
    done = subprocess.run(
        [f"{directory}/psql", "-qX", "-v", "ON_ERROR_STOP=1", "-P", "pager=off", "-d", database.dsn],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        env={"PGTZ": "UTC", "PGDATESTYLE": "ISO", "PGCLIENTENCODING": "UTF8"},
    )
    assert done.returncode == 0, f"{done.stderr}\nafter\n{done.stdout[-2000:]}"
    parts = re.split(r"^@@(\d+)\n", done.stdout, flags=re.MULTILINE)[1:]
    return {
        int(number): "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


def test_the_documented_grants(conn: Connection) -> None:
    """Roles may do with them what the page says, and no more; roles are the cluster's, so all is undone."""
    says = {"content": "Ann founded Acme.", "extraction": '[["Ann", "founded", "Acme"]]', "realm": "kb"}
    with conn.transaction(force_rollback=True):
        for example in EXAMPLE.finditer(page("docs/security.md")):
            conn.execute(example["sql"])
        sql(conn, "set local role kb_writer")
        assert row(conn, "index", document="a", **says)["relations_added"] == 1
        denied(conn, "configure", "top_k", "5", realm="kb")
        for role in ("kb_reader", "kb_spender"):
            sql(conn, f"set local role {role}")
            assert rows(conn, "retrieve", "Who founded Acme?", realm="kb")
            assert value(conn, "select count(*) from kb.facts") == 1
            denied(conn, "index", document="c", **says)


def denied(conn: Connection, function: str, *args: object, **named: object) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), conn.transaction():
        rows(conn, function, *args, **named)


# ---------------------------------------------------------------- links
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for target, anchor in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(f"{target}#{anchor}" if anchor else target)
    assert broken == []


def anchors(file: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = HEADING.findall(FENCED.sub("", file.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

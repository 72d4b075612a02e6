"""Checks of the installed extension: what only a server can tell about its functions and other members."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import psycopg
import pytest

from tests.support.database import Connection, Database, sql

# PostgreSQL calls these stable because they may print a value by session settings, or because somebody could
# replace a conversion; of text, numbers and jsonb in a UTF-8 database they always make the same.
STABLE_IN_NAME_ONLY = {
    "array_to_string",
    "concat",
    "concat_ws",
    "convert_to",
    "format",
    "jsonb_build_array",
    "jsonb_build_object",
}


@pytest.fixture(scope="module")
def linted(module_database: Database) -> Iterator[Connection]:
    """A connection to a database with the extension, the realm `lint` and plpgsql_check."""
    with module_database.connect() as conn:
        sql(conn, "create extension plpgsql_check")
        sql(conn, "select graphrag.create_realm('lint', embedding_url => 'builtin:hash', width => 8)")
        yield conn


def none(found: Iterable[object]) -> None:
    """Nothing was found; else all of it is shown, one a line."""
    lines = [" ".join(map(str, item.values())) if isinstance(item, dict) else str(item) for item in found]
    assert not lines, "\n".join(["", *lines])


# ---------------------------------------------------------------- every member
MEMBERS = """
    select pg_catalog.pg_describe_object(d.classid, d.objid, 0) as member,
        pg_catalog.obj_description(d.objid, d.classid::regclass::name) as comment
    from pg_depend as d
    join pg_extension as e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
    left join pg_type as t on d.classid = 'pg_type'::regclass and d.objid = t.oid
    left join pg_class as r on t.typrelid = r.oid
    where e.extname = 'graphrag'
        and d.deptype = 'e'
        -- From PostgreSQL 17 on the array and row types that come with a type or table are members too.
        and coalesce(t.typcategory, '') <> 'A'
        and coalesce(r.relkind, 'c') = 'c'
    order by 1
"""


def test_every_member_has_a_comment(linted: Connection) -> None:
    members = sql(linted, MEMBERS)
    assert members
    none([row["member"] for row in members if not row["comment"]])


def test_nothing_is_granted_to_public(linted: Connection) -> None:
    granted = """
        select p.oid::regprocedure::text as function
        from pg_proc as p
        where p.pronamespace = 'graphrag'::regnamespace
            and has_function_privilege('public', p.oid, 'execute')
        order by 1
    """
    none(sql(linted, granted))


def test_public_functions_pin_their_search_path(linted: Connection) -> None:
    """Except bodies that are bound when they are created, procedures that commit, and helpers named `_…`."""
    unpinned = """
        select p.oid::regprocedure::text as function
        from pg_proc as p
        where p.pronamespace = 'graphrag'::regnamespace
            and not starts_with(p.proname, '_')
            and p.prokind = 'f'
            and p.prosqlbody is null
            and not exists (select from unnest(p.proconfig) as c where c like 'search_path=%')
        order by 1
    """
    none(sql(linted, unpinned))


def test_no_function_runs_as_its_owner_without_a_pinned_search_path(linted: Connection) -> None:
    unsafe = """
        select p.oid::regprocedure::text as function
        from pg_proc as p
        where p.pronamespace = 'graphrag'::regnamespace
            and p.prosecdef
            and not 'search_path=pg_catalog, pg_temp' = any (coalesce(p.proconfig, '{}'))
        order by 1
    """
    none(sql(linted, unsafe))


# ---------------------------------------------------------------- labels
RANK = {"i": 0, "s": 1, "v": 2}
NAMES = {"i": "immutable", "s": "stable", "v": "volatile"}
CALL = re.compile(r"(?:\b(\w+)\.)?\b(\w+)\s*\(")
WRITES = re.compile(r"\b(insert\s+into|update\s+\w+|delete\s+from|merge\s+into|truncate|for\s+update)\b")
NETWORK = re.compile(r"\bimport\s+(openai|httpx2?|urllib|socket)\b|\basyncio\b|\bendpoints?\.\w+\(")


@dataclass(frozen=True)
class Function:
    """What the catalog says of one function, and its body without comments and strings."""

    name: str
    signature: str
    language: str
    volatility: str
    parallel: str
    body: str


def functions(conn: Connection) -> list[Function]:
    rows = sql(
        conn,
        """
        select p.proname as name, p.oid::regprocedure::text as signature, l.lanname as language,
            p.provolatile::text as volatility, p.proparallel::text as parallel,
            coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body
        from pg_proc as p
        join pg_language as l on l.oid = p.prolang
        where p.pronamespace = 'graphrag'::regnamespace and p.prokind = 'f'
        order by 2
        """,
    )
    found = [Function(**row) for row in rows]
    assert found
    return found


def stripped(body: str) -> str:
    """An SQL body without its comments and string literals."""
    return re.sub(r"--[^\n]*|'(?:[^']|'')*'|(\$\w*\$).*?\1", " ", body, flags=re.DOTALL).lower()


def builtins(conn: Connection) -> dict[str, tuple[str, str]]:
    """The least volatile and the safest label among the overloads of each function of PostgreSQL's own."""
    rows = sql(
        conn,
        """
        select p.proname as name, array_agg(p.provolatile::text) as volatilities,
            array_agg(p.proparallel::text) as parallels
        from pg_proc as p
        where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f'
        group by 1
        """,
    )
    return {row["name"]: (least_volatile(row["volatilities"]), safest(row["parallels"])) for row in rows}


def least_volatile(labels: Iterable[str]) -> str:
    return min(labels, key=RANK.__getitem__)


def safest(labels: Iterable[str]) -> str:
    return "u" if set(labels) == {"u"} else "s"


def test_labels_agree_with_what_a_function_calls(linted: Connection) -> None:
    """No function claims to be less volatile, or safer in parallel, than something that its body calls."""
    ours: dict[str, list[Function]] = defaultdict(list)
    everything = functions(linted)
    for function in everything:
        ours[function.name].append(function)
    theirs = builtins(linted)
    lies = []
    for function in everything:
        if function.language not in ("sql", "plpgsql"):
            continue
        for schema, name in CALL.findall(stripped(function.body)):
            if schema == "graphrag" and name in ours:
                volatility = least_volatile(f.volatility for f in ours[name])
                parallel = safest(f.parallel for f in ours[name])
            elif schema in ("", "pg_catalog") and name in theirs and name not in STABLE_IN_NAME_ONLY:
                volatility, parallel = theirs[name]
            else:
                continue
            if RANK[volatility] > RANK[function.volatility]:
                lies.append(f"{function.signature} calls {name}(), which is {NAMES[volatility]}")
            if parallel == "u" and function.parallel != "u":
                lies.append(f"{function.signature} calls {name}(), which is parallel unsafe")
    none(sorted(set(lies)))


def test_what_writes_is_volatile_and_unsafe(linted: Connection) -> None:
    writers = [f for f in functions(linted) if f.language != "plpython3u" and WRITES.search(stripped(f.body))]
    assert writers
    none([f.signature for f in writers if (f.volatility, f.parallel) != ("v", "u")])


def test_what_uses_the_network_is_volatile_and_unsafe(linted: Connection) -> None:
    users = [f for f in functions(linted) if f.language == "plpython3u" and NETWORK.search(f.body)]
    assert users
    none([f.signature for f in users if (f.volatility, f.parallel) != ("v", "u")])


# ---------------------------------------------------------------- bodies
CHECK = """
    select p.oid::regprocedure::text as function, c.lineno as line, c.message, c.detail, c.hint
    from pg_proc as p
    join pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
    left join pg_trigger as t on t.tgfoid = p.oid and not t.tgisinternal
    left join pg_class as r on r.oid = t.tgrelid
    cross join lateral plpgsql_check_function_tb(
        p.oid,
        coalesce(t.tgrelid, 0),
        oldtable => t.tgoldtable,
        newtable => t.tgnewtable,
        other_warnings => false,
        extra_warnings => false,
        performance_warnings => false
    ) as c
    where p.pronamespace = 'graphrag'::regnamespace
        and c.level = 'error'
        and (p.prorettype <> 'trigger'::regtype or r.relnamespace = 'lint'::regnamespace)
"""


@pytest.fixture
def inside(linted: Connection) -> Iterator[Connection]:
    """The connection as bodies run: inside the realm. Entry points enter it later; their pins are undone."""
    pinned = """
        select p.oid::regprocedure::text as signature
        from pg_proc as p
        where p.pronamespace = 'graphrag'::regnamespace
            and p.prokind in ('f', 'p')
            and p.proconfig is not null
    """
    with linted.transaction(force_rollback=True):
        for row in sql(linted, pinned):
            sql(linted, f"alter routine {row['signature']} reset all")
        # public is where plpgsql_check and pgvector were installed.
        sql(linted, "set local search_path = lint, pg_temp, public")
        sql(linted, "set local graphrag.call = ''")  # as _enter() does
        sql(linted, "alter table content add column vec_next vector(8)")  # as while reembed() is at work
        yield linted


def test_plpgsql_bodies(inside: Connection) -> None:
    none(sql(inside, CHECK))


def test_sql_bodies(inside: Connection) -> None:
    """CREATE EXTENSION does not look into them, so PostgreSQL's own validator is called here."""
    oids = """
        select p.oid, p.oid::regprocedure::text as signature
        from pg_proc as p
        join pg_language as l on l.oid = p.prolang and l.lanname = 'sql'
        where p.pronamespace = 'graphrag'::regnamespace
    """
    wrong = []
    for row in sql(inside, oids):
        try:
            with inside.transaction():
                sql(inside, "select pg_catalog.fmgr_sql_validator(%s)", [row["oid"]])
        except psycopg.Error as error:
            wrong.append(f"{row['signature']}: {error}")
    none(wrong)

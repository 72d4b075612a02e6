"""grant_reader and grant_writer: what a role may do, over every function and table, and what it may not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import dict_row

from tests.support.calls import eventually, row, rows, waiting
from tests.support.database import Connection, Database, sql, value
from tests.support.endpoint import Endpoint

READ = {
    "retrieve",
    "context",
    "timeline",
    "draw_timeline",
    "watermark",
    "changes_since",
    "changes_summary",
    "community_tree",
    "neighborhood",
    "path",
    "document_graph",
    "doctor",
    "parse_period",
    "gate_name",
    "gate_predicate",
    "gate_relation",
    "export",
    "export_entities",
    "export_relations",
}
SPEND = {"query"}
WRITE = {
    "index",
    "delete_document",
    "declare_entity",
    "assert_relation",
    "retract_relation",
    "merge_entities",
    "split_entity",
    "undo",
    "derive",
    "build_communities",
    "apply_retention",
    "restore_archived",
    "purge_telemetry",
    "enqueue",
    "work",
}
OWN = {
    "create_realm",
    "migrate_realm",
    "drop_realm",
    "purge",
    "configure",
    "declare_predicate",
    "use_preset",
    "set_endpoint",
    "drop_vector_indexes",
    "build_vector_indexes",
    "grant_reader",
    "grant_writer",
    "pause",
    "resume",
    "schedule",
    "attach",
    "detach",
    "reembed",
    "abandon_reembedding",
}
STEERING = {"realm", "setting", "endpoint", "predicate", "gate_word", "reembedding"}
LISTS = {"setting_default", "preset_predicate", "gate_word", "irregular_verb"}
DEFINERS = {"_call", "_open_calls", "_default_endpoint", "_may_choose", "_renew_functions"}
MAY = {
    "stranger": set[str](),
    "reader": READ,
    "spender": READ | SPEND,
    "writer": READ | SPEND | WRITE,
}
ACME = {"content": "Ann founded Acme.", "extraction": '[["Ann", "founded", "Acme"]]', "realm": "kb"}
VECTOR = [1.0] + [0.0] * 31


@dataclass(frozen=True)
class Site:
    admin: Connection
    sessions: dict[str, Connection]
    names: dict[str, str]


@pytest.fixture(scope="module")
def site(module_database: Database) -> Iterator[Site]:
    """Realms kb and other, and a role of each kind on kb; roles are the cluster's, so they are dropped again."""
    names = {kind: f"{module_database.name}_{kind}" for kind in (*MAY, "owner")}
    with ExitStack() as stack:
        admin = stack.enter_context(module_database.connect())
        for name in names.values():
            stack.enter_context(role_of(admin, name))
        sql(admin, "select graphrag.create_realm('other', embedding_url => 'builtin:hash', width => 32)")
        sql(admin, "select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32)")
        row(admin, "index", document="acme", **ACME)
        rows(admin, "grant_reader", names["reader"], "kb")
        rows(admin, "grant_reader", names["spender"], "kb", may_spend=True)
        rows(admin, "grant_writer", names["writer"], "kb")
        sessions = {kind: stack.enter_context(connect(module_database, name)) for kind, name in names.items()}
        yield Site(admin, sessions, names)


@contextmanager
def role_of(admin: Connection, name: str) -> Iterator[None]:
    admin.execute(f"create role {name} login")
    try:
        yield
    finally:
        admin.execute(f"drop owned by {name} cascade; drop role {name}")


def connect(database: Database, role: str) -> Connection:
    return psycopg.connect(make_conninfo(database.dsn, user=role), autocommit=True, row_factory=dict_row)


# ---------------------------------------------------------------- the matrix
def public_functions(admin: Connection) -> set[str]:
    found = sql(
        admin,
        "select distinct proname from pg_proc where pronamespace = 'graphrag'::regnamespace and proname !~ '^_'",
    )
    return {function["proname"] for function in found}


def test_every_public_function_has_a_place_in_the_matrix(site: Site) -> None:
    assert public_functions(site.admin) == READ | SPEND | WRITE | OWN


@pytest.mark.parametrize("kind", MAY)
def test_a_role_may_execute_its_entry_points_and_no_other(site: Site, kind: str) -> None:
    allowed = sql(
        site.admin,
        "select distinct proname from pg_proc where pronamespace = 'graphrag'::regnamespace"
        " and proname !~ '^_' and has_function_privilege(%s, oid, 'execute')",
        [site.names[kind]],
    )
    assert {function["proname"] for function in allowed} == MAY[kind]


@pytest.mark.parametrize(
    ("kind", "reads", "writes"),
    [("stranger", False, False), ("reader", True, False), ("spender", True, False), ("writer", True, True)],
)
def test_tables_and_views(site: Site, kind: str, reads: bool, writes: bool) -> None:
    tables = sql(
        site.admin,
        """
        select n.nspname, c.relname, c.relkind::text as kind,
            has_schema_privilege(%(role)s, n.oid, 'usage') and has_table_privilege(%(role)s, c.oid, 'select') as reads,
            has_table_privilege(%(role)s, c.oid, 'insert') as inserts,
            has_table_privilege(%(role)s, c.oid, 'update') or has_table_privilege(%(role)s, c.oid, 'delete')
                as changes,
            has_table_privilege(%(role)s, c.oid, 'truncate, references, trigger') as more
        from pg_class as c
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname in ('kb', 'other') and c.relkind in ('r', 'v')
        """,
        {"role": site.names[kind]},
    )
    assert {table["nspname"] for table in tables} == {"kb", "other"}
    for table in tables:
        own = table["nspname"] == "kb"
        may_write = own and writes and table["relname"] not in STEERING
        bills = own and table["relname"] in ("usage", "telemetry") and kind in ("spender", "writer")
        assert table["reads"] == (own and reads), table
        assert table["inserts"] == (may_write or bills), table
        assert table["changes"] == may_write, table
        assert not table["more"], table


def test_a_reader_sees_every_view_of_the_realm(site: Site) -> None:
    """With its own rights on all that a view reads, tables of the extension's too."""
    views = [
        v["name"] for v in sql(site.admin, "select viewname as name from pg_views where schemaname = 'kb'")
    ]
    asks_for_telemetry = {"coverage", "least_explored_communities", "dark_entities"}
    for name in set(views) - asks_for_telemetry:
        sql(site.sessions["reader"], f"select * from kb.{name}")
    assert value(site.sessions["reader"], "select count(*) from kb.settings") > 0


@pytest.mark.parametrize("kind", MAY)
def test_inner_functions_come_with_the_entry_points_that_call_them(site: Site, kind: str) -> None:
    """No more of them, and no fewer: what is needed is read from the bodies here too."""
    found = sql(
        site.admin,
        """
        select p.proname as name, p.prorettype = 'trigger'::regtype as is_trigger,
            concat(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), pg_get_expr(p.proargdefaults, 0)) as body,
            has_function_privilege(%s, p.oid, 'execute') as may
        from pg_proc as p
        where p.pronamespace = 'graphrag'::regnamespace
        """,
        [site.names[kind]],
    )
    calls: dict[str, set[str]] = {}
    for function in found:
        named = re.findall(r"graphrag\.(_\w+)\s*\(", function["body"])
        calls.setdefault(function["name"], set()).update(named if function["name"] not in DEFINERS else ())
    closed = {"_location"} if kind in ("spender", "writer") else {"_location", "_call", "_open_calls"}
    needed, new = set[str](), set(MAY[kind])
    if kind == "writer":
        new |= {function["name"] for function in found if function["is_trigger"]}
    while new:
        needed |= new
        new = {name for caller in new for name in calls[caller] if name in calls} - needed - closed
    assert {function["name"] for function in found if function["may"]} == needed
    assert not closed & {function["name"] for function in found if function["may"]}


def test_the_functions_with_other_rights_than_their_callers_are_known(site: Site) -> None:
    found = sql(
        site.admin,
        "select p.oid::regproc::text as name from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace"
        " where n.nspname in ('graphrag', 'kb') and p.prosecdef",
    )
    assert {function["name"] for function in found} == {f"graphrag.{name}" for name in DEFINERS}


@pytest.mark.parametrize("kind", MAY)
def test_functions_and_sequences_of_realms(site: Site, kind: str) -> None:
    functions = sql(
        site.admin,
        "select p.oid::regproc::text as name from pg_proc as p"
        " where p.pronamespace = any (array['kb', 'other']::regnamespace[])"
        " and has_function_privilege(%s, p.oid, 'execute')",
        [site.names[kind]],
    )
    expected = set() if kind == "stranger" else {"kb._telemetry_is_on", "kb._setting_defaults"}
    assert {function["name"] for function in functions} == expected
    sequences = sql(
        site.admin,
        """
        select c.oid::regclass::text as name, c.relnamespace = 'kb'::regnamespace as is_own,
            has_sequence_privilege(%(role)s, c.oid, 'usage') as draws,
            has_sequence_privilege(%(role)s, c.oid, 'select, update') as more
        from pg_class as c
        where c.relkind = 'S' and c.relnamespace = any (array['graphrag', 'kb', 'other']::regnamespace[])
        """,
        {"role": site.names[kind]},
    )
    assert {sequence["is_own"] for sequence in sequences} == {True, False}
    for sequence in sequences:
        assert sequence["draws"] == (sequence["is_own"] and kind == "writer"), sequence
        assert not sequence["more"], sequence


@pytest.mark.parametrize("kind", MAY)
def test_tables_of_the_extension(site: Site, kind: str) -> None:
    """Word lists and defaults are for everybody who is let in; where models are, and their keys, for nobody."""
    tables = sql(
        site.admin,
        """
        select c.relname as name, has_table_privilege(%(role)s, c.oid, 'select') as reads,
            has_table_privilege(%(role)s, c.oid, 'insert, update, delete, truncate, references, trigger') as more,
            has_any_column_privilege(%(role)s, c.oid, 'insert, update, references') as columns
        from pg_class as c
        where c.relkind in ('r', 'v', 'm', 'p', 'f') and c.relnamespace = 'graphrag'::regnamespace
        """,
        {"role": site.names[kind]},
    )
    assert {table["name"] for table in tables} == LISTS | {
        "endpoint_location",
        "endpoint_key",
        "endpoint_default",
    }
    for table in tables:
        assert table["reads"] == (kind != "stranger" and table["name"] in LISTS), table
        assert not table["more"], table
        assert not table["columns"], table


def test_nothing_is_everybodys(site: Site) -> None:
    """Types have no rights of their own here: nobody can name one of a schema that is closed to him."""
    found = sql(
        site.admin,
        """
        with place (id) as (values ('graphrag'::regnamespace), ('kb'), ('other'))
        select 'schema ' || p.id::text as what
        from place as p
        where has_schema_privilege('public', p.id, 'usage, create')
        union all
        select 'function ' || f.oid::regprocedure
        from pg_proc as f
        join place as p on p.id = f.pronamespace
        where has_function_privilege('public', f.oid, 'execute')
        union all
        select 'relation ' || c.oid::regclass
        from pg_class as c
        join place as p on p.id = c.relnamespace
        where case
            when c.relkind = 'S' then has_sequence_privilege('public', c.oid, 'usage, select, update')
            when c.relkind in ('r', 'v', 'm', 'p', 'f') then has_any_column_privilege(
                'public', c.oid, 'select, insert, update, references'
            ) or has_table_privilege('public', c.oid, 'delete, truncate, trigger')
        end
        """,
    )
    assert found == []


def test_keys_are_in_a_table_that_none_of_them_reads(site: Site) -> None:
    for kind in MAY:
        with pytest.raises(InsufficientPrivilege):
            sql(site.sessions[kind], "select * from graphrag.endpoint_location")


# ---------------------------------------------------------------- what the rights are good for
def test_a_reader_reads_without_spending(site: Site) -> None:
    reader = site.sessions["reader"]
    found = rows(reader, "retrieve", "Who founded Acme?", embedding=VECTOR, realm="kb")
    assert {"relation", "chunk"} <= {evidence["kind"] for evidence in found}
    assert rows(reader, "timeline", "Ann", realm="kb")
    assert rows(reader, "document_graph", "acme", realm="kb")
    with pytest.raises(InsufficientPrivilege):
        rows(reader, "query", "Who founded Acme?", realm="kb")


@pytest.mark.parametrize("kind", ["reader", "spender", "writer"])
def test_a_doctor_for_everyone(site: Site, kind: str) -> None:
    """What a role may not see is skipped; its functions are not."""
    found = rows(site.sessions[kind], "doctor", realm="kb")
    assert not [finding for finding in found if "permission denied for function _doctor" in finding["detail"]]
    assert {"ok"} <= {finding["status"] for finding in found if finding["check"].startswith("privileges")}


def test_a_spender_has_questions_embedded_and_leaves_a_bill(site: Site, endpoint: Endpoint) -> None:
    sql(site.admin, "select graphrag.set_endpoint('embedding', %s, 'vectors', realm => null)", [endpoint.url])
    sql(site.admin, "select graphrag.create_realm('priced', %s, 'vectors')", [endpoint.url])
    rows(site.admin, "grant_reader", site.names["reader"], "priced")
    rows(site.admin, "grant_reader", site.names["spender"], "priced", may_spend=True)
    calls = len(endpoint.requests)
    with pytest.raises(InsufficientPrivilege, match="may not spend"):
        rows(site.sessions["reader"], "retrieve", "Who?", realm="priced")
    assert len(endpoint.requests) == calls
    assert rows(site.sessions["spender"], "retrieve", "Who?", realm="priced") == []
    assert value(site.admin, "select count(*) from priced.usage where question = 'Who?'") == 1
    with pytest.raises(InsufficientPrivilege):
        row(site.sessions["spender"], "index", document="spent", **ACME)
    # The right to spend is a realm's: being a reader of one and a spender in another does not add up.
    sql(site.admin, "revoke insert on priced.usage from " + site.names["spender"])
    with pytest.raises(InsufficientPrivilege, match="may not spend"):
        rows(site.sessions["spender"], "retrieve", "Who?", realm="priced")


def test_a_writer_writes(site: Site) -> None:
    writer = site.sessions["writer"]
    says = {
        "content": "Bea founded Blix. Bea left Blix.",
        "extraction": '[["Bea", "founded", "Blix"], ["Bea", "left", "Blix"]]',
        "realm": "kb",
    }
    assert row(writer, "index", document="w", **says)["relations_added"] == 2
    sql(writer, "select graphrag.assert_relation('Bea', 'likes', 'Acme', realm => 'kb')")
    value(writer, "select graphrag.merge_entities('Blix', 'Acme', realm => 'kb')")
    sql(writer, "select graphrag.undo(max(decision), realm => 'kb') from kb.decisions")
    assert value(writer, "select graphrag.derive(realm => 'kb')") == 0
    rows(writer, "delete_document", "w", realm="kb")
    for denied in (
        "select graphrag.configure('top_k', '5', realm => 'kb')",
        "select graphrag.use_preset('biography', realm => 'kb')",
        "update kb.setting set value = '1'",
        "truncate kb.chunk",
        "drop table kb.chunk",
    ):
        with pytest.raises(InsufficientPrivilege):
            sql(writer, denied)


@pytest.mark.parametrize("kind", MAY)
def test_nobody_gets_into_another_realm(site: Site, kind: str) -> None:
    session = site.sessions[kind]
    for call in (
        "select * from graphrag.retrieve('Ann', embedding => %(v)s, realm => 'other')",
        "select * from graphrag.timeline('Ann', realm => 'other')",
        "select * from other.facts",
        "select graphrag.index('x', realm => 'other')",
    ):
        with pytest.raises(psycopg.Error, match=r'permission denied|there is no realm "other"'):
            sql(session, call, {"v": VECTOR})


def test_tables_made_later_are_covered(site: Site) -> None:
    with site.admin.transaction(force_rollback=True):
        sql(site.admin, "create table kb.later (x integer)")
        name = site.names
        can = "select has_table_privilege(%s, 'kb.later', %s)"
        assert value(site.admin, can, [name["reader"], "select"])
        assert not value(site.admin, can, [name["reader"], "insert"])
        assert value(site.admin, can, [name["writer"], "insert"])


# ---------------------------------------------------------------- who may grant
def test_a_realms_owner_opens_it_to_those_who_may_call_the_extension(site: Site) -> None:
    admin, owner = site.admin, site.names["owner"]
    sql(admin, "select graphrag.create_realm('hers', embedding_url => 'builtin:hash', width => 32)")
    sql(admin, f"alter schema hers owner to {owner}")
    sql(
        admin,
        "do $$ declare t regclass; f regprocedure; begin"
        " for t in select oid from pg_class where relkind in ('r', 'v') and relnamespace = 'hers'::regnamespace"
        f" loop execute format('alter table %s owner to {owner}', t); end loop;"
        " for f in select oid from pg_proc where pronamespace = 'hers'::regnamespace"
        f" loop execute format('alter function %s owner to {owner}', f); end loop; end $$",
    )
    sql(admin, f"grant usage on schema graphrag to {owner}")
    sql(admin, f"grant execute on all functions in schema graphrag to {owner}")
    session = site.sessions["owner"]
    rows(session, "grant_reader", site.names["reader"], "hers")
    assert rows(site.sessions["reader"], "retrieve", "Ann", embedding=VECTOR, realm="hers") == []
    with pytest.raises(InsufficientPrivilege, match="may not call the extension"):
        rows(session, "grant_reader", site.names["stranger"], "hers")
    assert not value(admin, "select has_schema_privilege(%s, 'hers', 'usage')", [site.names["stranger"]])
    # EXECUTE alone makes nobody a realm's owner.
    sql(admin, f"grant execute on function graphrag.grant_reader to {site.names['writer']}")
    sql(admin, f"grant execute on function graphrag._realm_to_grant to {site.names['writer']}")
    with pytest.raises(InsufficientPrivilege, match="does not own the realm"):
        rows(site.sessions["writer"], "grant_reader", site.names["stranger"], "kb")
    sql(admin, f"revoke execute on function graphrag.grant_reader from {site.names['writer']}")


def test_a_role_or_realm_that_is_not_there_is_named(site: Site) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject, match="graphrag_nobody"):
        rows(site.admin, "grant_reader", "graphrag_nobody", "kb")
    with pytest.raises(psycopg.Error, match="there is no realm") as raised:
        rows(site.admin, "grant_writer", site.names["reader"], "kbb")
    assert raised.value.sqlstate == "GR003"


def test_granting_twice_changes_nothing(site: Site) -> None:
    acl = "select relname, relacl::text from pg_class where relnamespace = 'kb'::regnamespace order by 1"
    before = sql(site.admin, acl)
    rows(site.admin, "grant_writer", site.names["writer"], "kb")
    assert sql(site.admin, acl) == before


@pytest.mark.parametrize("kind", ["reader", "writer"])
def test_doctor_examines_what_its_caller_may_see(site: Site, kind: str) -> None:
    found = rows(site.sessions[kind], "doctor", "kb")
    assert "permission denied for function _doctor" not in str(found)
    assert "realm" in {f["check"] for f in found if f["status"] != "skipped"}


# ---------------------------------------------------------------- what an update makes good again
MAY_CALL = "select has_function_privilege(%s, p.oid, 'execute') from pg_proc as p where p.oid = %s::regproc"


@pytest.fixture
def other(site: Site) -> Iterator[str]:
    """One more role, of this test."""
    name = site.names["reader"] + "_2"
    with role_of(site.admin, name):
        yield name


def renew(site: Site) -> None:
    rows(site.admin, "_renew_functions")


def test_what_a_role_has_by_membership_does_not_become_its_own(site: Site, other: str) -> None:
    rows(site.admin, "grant_reader", other, "kb")
    sql(site.admin, f"grant {site.names['spender']} to {other}")
    sql(site.admin, f"grant execute on function graphrag.derive to {other}")
    renew(site)
    assert value(site.admin, MAY_CALL, [other, "graphrag._call"])
    sql(site.admin, f"revoke {site.names['spender']} from {other}")
    assert not value(site.admin, MAY_CALL, [other, "graphrag._call"])
    assert value(site.admin, MAY_CALL, [other, "graphrag._derive"]), "what its own function needs"


def test_functions_of_others_in_the_schema_are_not_given_away(site: Site, other: str) -> None:
    """Not to whoever makes realms, and not because their name is one of the extension's."""
    sql(site.admin, f"grant usage on schema graphrag to {other}")
    sql(site.admin, f"grant execute on all routines in schema graphrag to {other}")
    define = "create function graphrag.{} returns {} language plpgsql security definer as $$ begin return null; end $$"
    made = {"mine()": "text", "retrieve(x point)": "text", "_mine()": "trigger"}
    try:
        for name, type_ in made.items():
            sql(site.admin, define.format(name, type_))
            sql(site.admin, f"revoke all on function graphrag.{name.replace('x ', '')} from public")
        renew(site)
        rows(site.admin, "grant_writer", other, "kb")
        for name in made:
            may = "select has_function_privilege(%s, 'graphrag.' || %s, 'execute')"
            assert not value(site.admin, may, [other, name.replace("x ", "")]), name
    finally:
        for name in made:
            sql(site.admin, f"drop function if exists graphrag.{name.replace('x ', '')}")


def test_an_old_snapshot_brings_back_no_right(site: Site, module_database: Database, other: str) -> None:
    """Somebody begins a transaction, another's rights are taken, and the first then renews what he sees as granted."""
    rows(site.admin, "grant_writer", other, "kb")
    with module_database.connect() as accomplice:
        sql(accomplice, "begin isolation level repeatable read; select from pg_proc limit 1")
        sql(site.admin, f"revoke all on all functions in schema graphrag from {other}")
        rows(accomplice, "_renew_functions")
        sql(accomplice, "commit")
    assert not value(site.admin, MAY_CALL, [other, "graphrag.retrieve"])
    assert not value(site.admin, MAY_CALL, [other, "graphrag._call"])


def test_an_entry_point_made_anew_comes_back_to_readers_and_writers(site: Site) -> None:
    """As an update leaves it that gives a function other arguments: nobody has been given it."""
    everybody = ", ".join([*site.names.values()])
    for function in ("retrieve", "query", "merge_entities", "doctor"):
        sql(site.admin, f"revoke execute on function graphrag.{function} from {everybody}")
    renew(site)
    for kind, expected in MAY.items():
        allowed = {f for f in expected if value(site.admin, MAY_CALL, [site.names[kind], f"graphrag.{f}"])}
        assert allowed == expected, kind
    assert not value(site.admin, MAY_CALL, [site.names["reader"], "graphrag.query"])
    assert not value(site.admin, MAY_CALL, [site.names["reader"], "graphrag._call"])


@pytest.mark.parametrize("also", ["", "create_realm"])
def test_what_was_taken_from_one_and_left_to_others_stays_so(site: Site, other: str, also: str) -> None:
    rows(site.admin, "grant_writer", other, "kb")
    if also:
        sql(site.admin, f"grant execute on function graphrag.{also} to {other}")
    sql(site.admin, f"revoke execute on function graphrag.export, graphrag.merge_entities from {other}")
    renew(site)
    assert not value(site.admin, MAY_CALL, [other, "graphrag.export"])
    assert not value(site.admin, MAY_CALL, [other, "graphrag.merge_entities"])


def test_two_who_grant_at_once_wait_for_each_other(site: Site, module_database: Database, other: str) -> None:
    """PostgreSQL lets one of two fail that grant on one object at once."""
    third = other + "_3"
    with role_of(site.admin, third), module_database.connect() as second, ThreadPoolExecutor(1) as pool:
        sql(site.admin, "begin")
        rows(site.admin, "grant_writer", other, "kb")
        both = pool.submit(rows, second, "grant_writer", third, "kb")
        with module_database.connect() as watcher:
            eventually(lambda: waiting(watcher) == 1)
        sql(site.admin, "commit")
        both.result(timeout=30)
        for role in (other, third):
            assert value(site.admin, "select has_table_privilege(%s, 'kb.chunk', 'insert')", [role])
            assert value(site.admin, MAY_CALL, [role, "graphrag.index"])

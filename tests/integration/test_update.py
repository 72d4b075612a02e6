"""ALTER EXTENSION UPDATE gives what a fresh install gives, and migrate_realm() what create_realm() gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from pytest_postgresql.executors import NoopExecutor

from extension import build
from tests.support.calls import eventually, refused, row, rows, waiting
from tests.support.corpus import differences
from tests.support.database import Connection, Database, Row, new_database, one, sql, value, view

CURRENT = build.control_value("default_version")
RELEASES = sorted({name.removesuffix(".sql").split("--")[1] for name in build.releases()})
ANN = ("Ann founded Acme.", '[["Ann", "founded", "Acme"]]')
BOB = ("Bob founded Acme.", '[["Bob", "founded", "Acme"]]')


@pytest.fixture(scope="module", params=RELEASES)
def released(server: NoopExecutor, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database with a released version of the extension, and a realm with one document that it made."""
    with new_database(server, f"{server.dbname}_release", template="template0") as database:
        with database.connect() as conn:
            sql(conn, f"create extension graphrag version '{request.param}' cascade")
            create(conn, "kb")
            index(conn, *ANN)
        yield database


@pytest.fixture
def old(server: NoopExecutor, released: Database) -> Iterator[Database]:
    """A copy of it for one test."""
    with new_database(server, f"{released.name}_copy", template=released.name) as made:
        yield made


def create(conn: Connection, realm: str) -> None:
    rows(conn, "create_realm", realm, embedding_url="builtin:hash", width=32)


def index(conn: Connection, text: str, says: str, document: str = "a", realm: str = "kb") -> Row:
    query = "select (i).* from graphrag.index(%s, document => %s, extraction => %s::jsonb, realm => %s) as i"
    return one(conn, query, [text, document, says, realm])


@pytest.fixture
def realm(conn: Connection) -> str:
    create(conn, "kb")
    return "kb"


def update(conn: Connection) -> None:
    sql(conn, "alter extension graphrag update")


# ---------------------------------------------------------------- the extension's objects
MEMBERS = """
    select i.type, i.identity, obj_description(d.objid, d.classid::regclass::name) as comment,
        coalesce(p.proacl::text, c.relacl::text) as acl, a.initprivs::text as at_install,
        pg_get_userbyid(coalesce(p.proowner, c.relowner)) as owner,
        case when p.prokind <> 'a' then pg_get_functiondef(p.oid) end as function,
        case when p.prokind <> 'a' then pg_get_function_sqlbody(p.oid) end as body,
        to_jsonb(g) - 'aggfnoid' as aggregate,
        case when c.relkind = 'r' then e.extconfig @> array[c.oid] end as is_dumped,
        (
            select array_agg(format('%s %s %s %s', t.attname, format_type(t.atttypid, t.atttypmod), t.attnotnull,
                pg_get_expr(f.adbin, f.adrelid)) order by t.attnum)
            from pg_attribute as t
            left join pg_attrdef as f on f.adrelid = t.attrelid and f.adnum = t.attnum
            where t.attrelid = coalesce(nullif(y.typrelid, 0), c.oid) and t.attnum > 0
        ) as columns,
        (select array_agg(pg_get_triggerdef(t.oid) order by t.tgname) from pg_trigger as t where t.tgrelid = c.oid)
            as triggers,
        (
            select array_agg(pg_get_constraintdef(t.oid) order by t.conname)
            from pg_constraint as t
            where t.conrelid = c.oid
        ) as constraints
    from pg_depend as d
    join pg_extension as e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
    cross join pg_identify_object(d.classid, d.objid, 0) as i
    left join pg_proc as p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
    left join pg_aggregate as g on g.aggfnoid = p.oid
    left join pg_class as c on d.classid = 'pg_class'::regclass and c.oid = d.objid
    left join pg_type as y on d.classid = 'pg_type'::regclass and y.oid = d.objid
    left join pg_init_privs as a on a.classoid = d.classid and a.objoid = d.objid
    where e.extname = 'graphrag' and d.deptype = 'e'
    order by 1, 2
"""
FILLED = ("setting_default", "preset_predicate", "gate_word", "irregular_verb")


def contents(conn: Connection) -> dict[str, list[Row]]:
    return {table: sql(conn, f"select * from graphrag.{table} as t order by t") for table in FILLED}


def same(found: list[Row], expected: list[Row], *key: str) -> None:
    """Equal lists of rows; else the first that differ are named."""
    have = {tuple(r[k] for k in key): r for r in found}
    want = {tuple(r[k] for k in key): r for r in expected}
    assert have.keys() == want.keys()
    differ = {name: [k for k in have[name] if have[name][k] != want[name][k]] for name in have}
    assert not any(differ.values()), {name: keys for name, keys in differ.items() if keys}


def test_an_update_gives_what_a_fresh_install_gives(conn: Connection, old: Database) -> None:
    with old.connect() as updated:
        update(updated)
        assert value(updated, "select extversion from pg_extension where extname = 'graphrag'") == CURRENT
        expected = sql(conn, MEMBERS)
        assert len(expected) > 500
        same(sql(updated, MEMBERS), expected, "type", "identity")
        assert contents(updated) == contents(conn)


def test_what_users_have_built_on_it_and_were_granted_stays(old: Database) -> None:
    with old.connect() as conn:
        role = f"{old.name}_reader"
        sql(conn, "create view found as select f.text from graphrag.neighborhood('Ann', realm => 'kb') as f")
        sql(conn, f"create role {role}")
        may = "select has_function_privilege(%s, p.oid, 'execute') from pg_proc as p where p.proname = %s"
        try:
            rows(conn, "grant_reader", role, "kb")
            update(conn)
            assert value(conn, may, [role, "neighborhood"])
            # Else pg_dump would take the grant for the extension's own and leave it out.
            initial = "select count(*) from pg_init_privs where initprivs::text like %s"
            assert value(conn, initial, [f"%{role}%"]) == 0
            rows(conn, "migrate_realm", "kb")
            assert {r["text"] for r in sql(conn, "select * from found")} == {"(Ann) --[founded]--> (Acme)"}
            # What has new arguments is another function; the migration grants it.
            assert value(conn, may, [role, "retrieve"])
            sql(conn, f"set role {role}")
            found = rows(conn, "retrieve", "Ann", embedding=[1.0] + [0.0] * 31, realm="kb")
            assert found
            sql(conn, "reset role")
        finally:
            sql(conn, f"drop owned by {role}; drop role {role}")


def test_what_stands_in_the_way_of_an_update_is_named_and_kept(old: Database) -> None:
    """A view over a function that has new arguments: it is never dropped with it."""
    with old.connect() as conn:
        sql(conn, "create view found as select f.text from graphrag.retrieve('Ann', realm => 'kb') as f")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
            update(conn)
        assert "view found depends on function" in (caught.value.diag.message_detail or "")
        assert sql(conn, "select * from found")
        sql(conn, "drop view found")
        update(conn)
        rows(conn, "migrate_realm", "kb")
        assert rows(conn, "retrieve", "Ann", realm="kb")


# ---------------------------------------------------------------- a realm of a release
REALM_OBJECTS = """
    select c.relname as name, c.relkind::text as kind, pg_get_userbyid(c.relowner) as owner,
        obj_description(c.oid, 'pg_class') as comment, c.reloptions,
        case c.relkind when 'v' then pg_get_viewdef(c.oid) when 'i' then pg_get_indexdef(c.oid) end as def,
        (
            select array_agg(format('%%s %%s %%s %%s %%s', a.attname,
                format_type(a.atttypid, a.atttypmod), a.attnotnull,
                col_description(c.oid, a.attnum), pg_get_expr(f.adbin, f.adrelid)) order by a.attname)
            from pg_attribute as a
            left join pg_attrdef as f on f.adrelid = a.attrelid and f.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        ) as columns,
        (select array_agg(pg_get_constraintdef(o.oid) order by o.conname) from pg_constraint as o
            where o.conrelid = c.oid) as constraints,
        (select array_agg(pg_get_triggerdef(t.oid) order by t.tgname) from pg_trigger as t
            where t.tgrelid = c.oid and not t.tgisinternal) as triggers
    from pg_class as c
    where c.relnamespace = %(realm)s::regnamespace
    union all
    select p.proname, 'function', pg_get_userbyid(p.proowner), obj_description(p.oid, 'pg_proc'), p.proconfig,
        pg_get_functiondef(p.oid), array[p.proacl::text], null, null
    from pg_proc as p
    where p.pronamespace = %(realm)s::regnamespace
    order by 1, 2
"""


def objects(conn: Connection, realm: str) -> list[Row]:
    return sql(conn, REALM_OBJECTS, {"realm": realm})


def test_a_migrated_realm_is_as_one_made_anew(conn: Connection, old: Database) -> None:
    with old.connect() as updated:
        version = value(updated, "select version from kb.realm")
        update(updated)
        assert value(updated, "select graphrag.migrate_realm('kb')") == version
        create(conn, "kb")
        expected = objects(conn, "kb")
        assert len(expected) > 100
        same(objects(updated, "kb"), expected, "name", "kind")
        assert value(updated, "select version from kb.realm") == CURRENT
        assert differences(updated, "kb", "default") == 0
        assert value(updated, "select graphrag.migrate_realm('kb')") == CURRENT, "idempotent"


def test_a_realm_of_a_release_says_so_until_it_is_migrated(old: Database) -> None:
    with old.connect() as conn:
        update(conn)
        before = sql(conn, "select * from kb.history order by kind, id, born")
        calls: list[tuple[str, dict[str, Any]]] = [
            ("index", {"content": "x", "realm": "kb"}),
            ("retrieve", {"question": "Ann", "realm": "kb"}),
            ("query", {"question": "Ann", "realm": "kb"}),
            ("delete_document", {"document": "a", "realm": "kb"}),
            ("changes_since", {"since": None, "realm": "kb"}),
            ("enqueue", {"content": "x", "realm": "kb"}),
        ]
        for function, named in calls:
            refused("GR202", ('"kb"', CURRENT), partial(rows, conn, function, **named), "migrate_realm")
        refused(
            "GR202",
            ('"kb"',),
            lambda: sql(conn, "update kb.space set revision = revision + 1"),
            "migrate_realm",
        )
        (finding,) = [f for f in rows(conn, "doctor", "kb") if f["status"] == "error"]
        assert (finding["check"], finding["advice"]) == ("realm", "SELECT graphrag.migrate_realm('kb');")
        sql(conn, finding["advice"])
        (finding,) = [f for f in rows(conn, "doctor", "kb") if f["check"] == "realm"]
        assert finding["status"] == "ok"
        assert sql(conn, "select * from kb.history order by kind, id, born") == before


@contextmanager
def roles(conn: Connection, *names: str) -> Iterator[None]:
    sql(conn, "; ".join(f"create role {name}" for name in names))
    try:
        yield
    finally:
        # DROP OWNED stumbles over the default rights of its schema.
        sql(conn, "reset role; drop schema if exists kb cascade")
        sql(conn, f"drop owned by {', '.join(names)} cascade; drop role {', '.join(names)}")


def let_in(conn: Connection, owner: str) -> None:
    """As docs/security.md says it of a role that makes realms of its own."""
    sql(conn, f"grant usage on schema graphrag to {owner}")
    sql(conn, f"grant execute on all routines in schema graphrag to {owner}")
    sql(conn, f"grant select on graphrag.setting_default, graphrag.gate_word to {owner}")


def test_an_owner_who_is_no_superuser_is_told_what_to_do(old: Database) -> None:
    """0.1.0 had no migrate_realm(): whom it let in may not call it, and hears from all else who may."""
    owner = f"{old.name}_owner"
    with old.connect() as conn, roles(conn, owner):
        let_in(conn, owner)
        own(conn, owner)
        update(conn)
        sql(conn, f"set role {owner}")
        said = refused(
            "GR202", (owner, CURRENT), lambda: rows(conn, "timeline", "Ann", realm="kb"), "A superuser calls"
        )
        sql(conn, "reset role")
        call = str(said.message_hint).split(": ", 1)[1]
        assert call == "SELECT graphrag.migrate_realm('kb');"
        sql(conn, call)
        sql(conn, f"set role {owner}")
        assert rows(conn, "timeline", "Ann", realm="kb")
        assert rows(conn, "migrate_realm", "kb")
        rows(conn, "drop_realm", "kb", confirm="kb")


def test_an_owner_who_is_no_superuser_migrates_after_an_update(old: Database) -> None:
    """Functions that came with an update, taken from all whom the release before it let in."""
    owner, reader, writer = (f"{old.name}_{kind}" for kind in ("owner", "reader", "writer"))
    with old.connect() as conn, roles(conn, owner, reader, writer):
        notices: list[str] = []
        conn.add_notice_handler(lambda said: notices.append(said.message_primary or ""))
        update(conn)
        own(conn, owner)
        let_in(conn, owner)
        rows(conn, "migrate_realm", "kb")
        rows(conn, "grant_reader", reader, "kb")
        rows(conn, "grant_writer", writer, "kb")
        before = granted(conn, owner, reader, writer)
        sql(conn, "update kb.realm set version = '0.1.0'; alter table kb.realm drop column vectors;"
            " drop table kb.reembedding")  # fmt: skip
        inner = (
            "select string_agg(p.oid::regprocedure::text, ', ') from pg_proc as p where p.proname = any(%s)"
        )
        new = value(conn, inner, [["_missing_parts", "_refuse_unknown", "_guard_counts", "_spread", "_walk"]])
        sql(conn, f"revoke execute on function {new} from {owner}, {reader}, {writer}")
        assert granted(conn, owner, reader, writer) < before
        sql(conn, f"set role {owner}")
        assert value(conn, "select graphrag.migrate_realm('kb')") == "0.1.0"
        sql(conn, "reset role")
        assert granted(conn, owner, reader, writer) == before
        assert notices == [], "nobody is left outside"
        for role in (owner, reader, writer):
            sql(conn, f"set role {role}")
            assert rows(conn, "retrieve", "Ann", embedding=[1.0] + [0.0] * 31, realm="kb"), role
        assert index(conn, *BOB)["relations_added"] == 1


def test_what_an_owner_may_not_grant_is_said_and_the_realm_migrated(
    conn: Connection, database: Database
) -> None:
    """He wrote a right on his tables by hand, for a role that may call some of the extension only."""
    owner, friend = f"{database.name}_owner", f"{database.name}_friend"
    hints: list[str] = []
    conn.add_notice_handler(lambda said: hints.append(said.message_hint or ""))
    create(conn, "kb")
    with roles(conn, owner, friend):
        own(conn, owner)
        let_in(conn, owner)
        rows(conn, "grant_reader", friend, "kb")
        sql(conn, f"grant insert on kb.document_version to {friend}; set role {owner}")
        assert rows(conn, "migrate_realm", "kb")
        assert hints[-1] == f"select graphrag.grant_writer('{friend}', 'kb');"


def test_a_superusers_migration_gives_nobody_the_right_to_spend(conn: Connection, database: Database) -> None:
    """Neither the owner from whom it is kept, nor those to whom he gives rights on his tables."""
    owner, friend = f"{database.name}_owner", f"{database.name}_friend"
    spends = "select has_function_privilege(%s, 'graphrag._call(jsonb, integer)', 'execute')"
    create(conn, "kb")
    with roles(conn, owner, friend):
        own(conn, owner)
        let_in(conn, owner)
        sql(conn, f"revoke execute on function graphrag._call, graphrag._open_calls from {owner}")
        rows(conn, "grant_reader", friend, "kb")
        sql(conn, f"grant insert on kb.usage, kb.document_version to {friend}")
        rows(conn, "migrate_realm", "kb")
        assert not value(conn, spends, [owner])
        assert not value(conn, spends, [friend])
        # The realm of a superuser: who may write there was let in by one.
        sql(conn, f"reassign owned by {owner} to postgres")
        rows(conn, "migrate_realm", "kb")
        assert value(conn, spends, [friend])


def granted(conn: Connection, *names: str) -> set[tuple[str, str]]:
    """Who may execute what of the extension."""
    found = sql(
        conn,
        "select r.name, p.oid::regprocedure::text as function from pg_proc as p"
        " cross join unnest(%s::text[]) as r (name)"
        " where p.pronamespace = 'graphrag'::regnamespace and has_function_privilege(r.name, p.oid, 'execute')",
        [list(names)],
    )
    return {(one_of["name"], one_of["function"]) for one_of in found}


def test_a_realm_of_another_version_can_be_dropped(old: Database) -> None:
    owner, stranger = f"{old.name}_owner", f"{old.name}_stranger"
    with old.connect() as conn, roles(conn, owner, stranger):
        let_in(conn, owner)
        let_in(conn, stranger)
        own(conn, owner)
        sql(conn, f"grant usage on schema kb to {stranger}")
        update(conn)
        sql(conn, f"set role {stranger}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            rows(conn, "drop_realm", "kb", confirm="kb")
        sql(conn, f"set role {owner}")
        refused("GR009", ('"kb"',), lambda: rows(conn, "drop_realm", "kb", confirm="x"))
        rows(conn, "drop_realm", "kb", confirm="kb")
        sql(conn, "reset role")
        assert value(conn, "select count(*) from pg_namespace where nspname = 'kb'") == 0


def test_a_session_that_is_open_all_the_while(old: Database) -> None:
    """Plans, SQL functions and the loaded Python follow; its positions of the feed go on."""
    loaded = "select graphrag._load_python(); do language plpython3u"
    module = f"{loaded} $$ import graphrag_pl.loader as l; plpy.notice(l.__file__) $$"
    with old.connect() as session, old.connect() as admin:
        notices: list[str] = []
        session.add_notice_handler(lambda said: notices.append(said.message_primary or ""))
        rows(session, "retrieve", "Ann", realm="kb")
        position = value(session, "select graphrag.watermark(realm => 'kb')")
        update(admin)
        refused("GR202", ('"kb"',), lambda: index(session, *BOB), "migrate_realm")
        rows(admin, "migrate_realm", "kb")
        assert index(session, *BOB)["relations_added"] == 1
        assert {f["subject"] for f in view(session, "kb", "facts")} == {"Bob"}
        assert rows(session, "retrieve", "Who founded Acme?", as_believed_at=position, realm="kb")
        session.execute(module)
        assert CURRENT in notices[-1]
        assert differences(session, "kb", "default") == 0


def test_a_migration_waits_for_writers_and_two_of_them_for_each_other(old: Database) -> None:
    with old.connect() as writer, old.connect() as admin:
        update(admin)
        rows(admin, "migrate_realm", "kb")
        sql(admin, "drop extension graphrag cascade; create extension graphrag")
        with writer.transaction():
            sql(writer, "select pg_advisory_xact_lock_shared(hashtextextended('graphrag.vocabulary.kb', 0))")
            with ThreadPoolExecutor(2) as pool:
                both = [pool.submit(migrate, old) for _ in range(2)]
                eventually(lambda: waiting(admin) == 2)
                sql(writer, "commit")
                assert [found.result(timeout=30) for found in both] == [CURRENT, CURRENT]
        assert index(admin, *BOB)["relations_added"] == 1


def migrate(database: Database) -> str:
    with database.connect() as conn:
        return str(value(conn, "select graphrag.migrate_realm('kb')"))


# ---------------------------------------------------------------- steps
def test_steps_are_run_in_their_order_as_the_owner_of_the_realm(conn: Connection, database: Database) -> None:
    """With steps of our own: two releases that never were."""
    owner = f"{database.name}_owner"
    sql(conn, f"create role {owner}")
    try:
        create(conn, "kb")
        index(conn, *ANN)
        own(conn, owner)
        body = ", ".join(
            f"({n}, '0.0.{n}', 'alter table realm add column by_{n} name not null default current_user;"
            f" create table made_by_{n} (x integer)')"
            for n in (1, 2, 3)
        )
        pretend(conn, body)
        sql(conn, "update kb.realm set version = '0.0.2'")
        # A trigger of the owner's that would run as whoever migrates.
        sql(conn, "create function kb.who() returns trigger language plpgsql as"
            " $$ begin perform set_config('test.who', current_user, false); return new; end $$;"
            " create trigger who before update on kb.realm for each row execute function kb.who()")  # fmt: skip
        assert value(conn, "select graphrag.migrate_realm('kb')") == "0.0.2"
        assert value(conn, "select current_setting('test.who')") == owner
        assert value(conn, "select current_user") == "postgres"
        found = one(conn, "select * from kb.realm")
        assert (found["by_2"], found["by_3"], "by_1" in found) == (owner, owner, False)
        made = sql(
            conn, "select tablename, tableowner from pg_tables where tablename like 'made_by_%' order by 1"
        )
        assert [tuple(m.values()) for m in made] == [("made_by_2", owner), ("made_by_3", owner)]
        assert index(conn, *BOB)["relations_added"] == 1
    finally:
        sql(conn, f"drop owned by {owner} cascade; drop role {owner}")


def pretend(conn: Connection, steps: str) -> None:
    """Put steps in place of the extension's."""
    conn.execute(
        "create or replace function graphrag._realm_steps() returns table (no integer, version text, ddl text)"
        f" language sql immutable as $$ values {steps} $$"
    )


def own(conn: Connection, owner: str) -> None:
    """Give the realm kb away, whole."""
    conn.execute(f"alter schema kb owner to {owner}")
    for found in sql(
        conn,
        "select format('%s %s', case when c.relkind = 'v' then 'view' else 'table' end, c.oid::regclass) as what"
        " from pg_class as c where c.relkind in ('r', 'v') and c.relnamespace = 'kb'::regnamespace"
        " union all select format('function %s', p.oid::regprocedure) from pg_proc as p"
        " where p.pronamespace = 'kb'::regnamespace",
    ):
        conn.execute(f"alter {found['what']} owner to {owner}")


def test_a_step_that_fails_leaves_the_realm_as_it_was(conn: Connection) -> None:
    create(conn, "kb")
    pretend(conn, "(1, '0.0.1', 'alter table realm add column x integer; select 1 / 0')")
    sql(conn, "update kb.realm set version = '0.0.1'")
    with pytest.raises(psycopg.errors.DivisionByZero):
        rows(conn, "migrate_realm", "kb")
    assert value(conn, "select current_user") == "postgres"
    assert "x" not in one(conn, "select * from kb.realm")
    assert value(conn, "select version from kb.realm") == "0.0.1"


def test_a_version_that_no_step_leads_from_is_named(conn: Connection, realm: str) -> None:
    sql(conn, f"update {realm}.realm set version = '9.9.9'")
    refused("GR202", ("9.9.9", CURRENT), lambda: rows(conn, "migrate_realm", "kb"), "Install graphrag 9.9.9")
    refused(
        "GR202", ("9.9.9", CURRENT), lambda: rows(conn, "retrieve", "x", realm="kb"), "Install graphrag 9.9.9"
    )
    refused("GR003", ('"nowhere"',), lambda: rows(conn, "migrate_realm", "nowhere"))


# ---------------------------------------------------------------- a realm that outlived the extension
def test_what_a_realm_has_lost_is_made_again(conn: Connection, realm: str) -> None:
    index(conn, *ANN, realm=realm)
    before = objects(conn, realm)
    data = sql(conn, f"select * from {realm}.history order by kind, id, born")
    sql(conn, "drop extension graphrag, pg_trgm cascade")
    assert len(objects(conn, realm)) < len(before), "pg_trgm takes a view and an index"
    assert sql(conn, f"select * from {realm}.history order by kind, id, born") == data
    sql(conn, "create extension graphrag cascade")
    refused(
        "GR202",
        (f'"{realm}"', "triggers"),
        lambda: rows(conn, "retrieve", "Ann", realm="kb"),
        "migrate_realm",
    )
    (finding,) = [f for f in rows(conn, "doctor", "kb") if f["check"] == "realm"]
    assert (finding["status"], finding["advice"]) == ("error", f"SELECT graphrag.migrate_realm('{realm}');")
    rows(conn, "migrate_realm", "kb")
    same(objects(conn, realm), before, "name", "kind")
    assert sql(conn, f"select * from {realm}.history order by kind, id, born") == data
    assert index(conn, *BOB, realm=realm)["relations_added"] == 1


def test_who_may_migrate_and_whom_it_lets_in(conn: Connection, database: Database, realm: str) -> None:
    reader, stranger = f"{database.name}_r", f"{database.name}_s"
    warnings: list[str] = []
    conn.add_notice_handler(lambda said: warnings.append(said.message_hint or ""))
    may = "select has_function_privilege(%s, p.oid, 'execute') from pg_proc as p where p.proname = 'retrieve'"
    sql(conn, f"create role {reader}; create role {stranger}")
    try:
        rows(conn, "grant_reader", reader, "kb")
        sql(conn, f"grant usage on schema {realm} to {stranger}; grant select on {realm}.chunk to {stranger}")
        sql(conn, f"grant usage on schema graphrag to {stranger}")
        sql(conn, f"grant execute on all functions in schema graphrag to {stranger}; set role {stranger}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="does not own the realm"):
            rows(conn, "migrate_realm", "kb")
        sql(conn, f"reset role; revoke usage on schema graphrag from {stranger}")
        sql(
            conn,
            "set client_min_messages = warning; drop extension graphrag cascade; create extension graphrag",
        )
        rows(conn, "migrate_realm", "kb")
        assert value(conn, may, [reader]), "the schema's own rights outlive the extension"
        assert not value(conn, may, [stranger]), "whom no superuser has let in stays out"
        assert warnings == [f"select graphrag.grant_reader('{stranger}', '{realm}');"]
    finally:
        sql(conn, f"drop owned by {reader}, {stranger}; drop role {reader}, {stranger}")


# ---------------------------------------------------------------- at once
def test_two_create_extension_at_once(server: NoopExecutor, database: Database) -> None:
    """One makes it, the other says that it is there; nothing is half made."""
    with new_database(server, f"{database.name}_bare", template="template0") as bare:
        start = threading.Barrier(2)

        def create_extension() -> str:
            with bare.connect() as conn:
                start.wait()
                try:
                    sql(conn, "create extension if not exists graphrag cascade")
                except psycopg.Error as error:
                    return str(error.sqlstate)
                return "made"

        with ThreadPoolExecutor(2) as pool:
            said = sorted(future.result() for future in [pool.submit(create_extension) for _ in range(2)])
        assert "made" in said
        assert set(said) <= {"made", "23505", "42710", "XX000"}
        with bare.connect() as conn:
            create(conn, "kb")
            assert index(conn, *ANN)["relations_added"] == 1


def test_two_first_index_calls_at_once(conn: Connection, database: Database) -> None:
    sql(conn, "select graphrag.set_endpoint('embedding', 'builtin:hash', 'hash', realm => null)")
    start = threading.Barrier(2)

    def first(text: str, says: str, document: str) -> int:
        with database.connect() as session:
            start.wait()
            return int(index(session, text, says, document, "default")["relations_added"])

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(first, *ANN, "a"), pool.submit(first, *BOB, "b")]
        assert [added.result() for added in both] == [1, 1]
    assert {f["subject"] for f in view(conn, "default", "facts")} == {"Ann", "Bob"}
    assert value(conn, 'select max(revision) from "default".space') == 2
    assert row(conn, "derive")["derive"] == 0

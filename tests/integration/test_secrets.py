"""Keys of model servers: who may have them used, and that nobody gets to see them or has them sent elsewhere.

The attackers are real roles with more rights than anybody needs: EXECUTE on every function of the extension. `owner`
owns the realm and may choose the registered URL, `writer` and `reader` have rights on its tables, `outsider` has none.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows
from tests.support.database import Connection, Database, sql, value
from tests.support.endpoint import Endpoint, Request, Response, is_chat
from tests.support.reading import REALM, founders, founding, pages

KEY = "sk-secret-4f1c2a9e"
ROLES = ("owner", "writer", "reader", "outsider")
ATTACKERS = ("owner", "writer", "reader")

#: What anybody may read: the extension's tables but for those of endpoints.
OPEN_TABLES = """
    select relname as name from pg_class
    where relnamespace = 'graphrag'::regnamespace and relkind = 'r' and not starts_with(relname, 'endpoint_')
"""

Sessions = dict[str, Connection]


def role_name(role: str) -> str:
    return f"graphrag_test_{role}"


@dataclass(frozen=True)
class Site:
    """A server of the key, a server of an attacker's, and a session of each role."""

    admin: Connection
    database: Database
    trusted: Endpoint
    foreign: Endpoint
    sessions: Sessions

    def keys_seen(self, endpoint: Endpoint) -> set[str | None]:
        return {request.headers.get("authorization") for request in endpoint.requests}


def connect(database: Database, role: str) -> Connection:
    dsn = make_conninfo(database.dsn, user=role_name(role))
    return psycopg.connect(dsn, autocommit=True, row_factory=dict_row)


@pytest.fixture(scope="module")
def whole_site(module_database: Database) -> Iterator[Site]:
    with ExitStack() as stack:
        admin = stack.enter_context(module_database.connect())
        trusted, foreign = (stack.enter_context(Endpoint()) for _ in range(2))
        stack.callback(drop_roles, admin)
        for role in ROLES:
            name = role_name(role)
            admin.execute(f"create role {name} login")
            admin.execute(f"grant usage on schema graphrag to {name}")
            admin.execute(f"grant execute on all functions in schema graphrag to {name}")
            for table in sql(admin, OPEN_TABLES):
                admin.execute(f"grant select on graphrag.{table['name']} to {name}")
            admin.execute(f"grant create on database {module_database.name} to {name}")
        admin.execute(
            "insert into graphrag.endpoint_location (base_url, api_key, owners) values (%s, %s, array[%s]::name[])",
            [trusted.url, KEY, role_name("owner")],
        )
        admin.execute(SEND)
        sessions = {role: stack.enter_context(connect(module_database, role)) for role in ROLES}
        make_the_realm(sessions["owner"], trusted)
        yield Site(admin, module_database, trusted, foreign, sessions)


#: Sends requests as functions of the extension do, with the rights of whoever calls it.
SEND = """
    create schema inside;
    grant usage on schema inside to public;
    create function inside.send(requests jsonb) returns jsonb language plpython3u as $python$
if 'graphrag' not in GD:
    plpy.execute('select graphrag._load_python()')
import json
from graphrag_pl.endpoints import send
return json.dumps(send(plpy, json.loads(requests), 4))
$python$
"""


def make_the_realm(owner: Connection, trusted: Endpoint) -> None:
    rows(owner, "create_realm", REALM, trusted.url, "vectors")
    rows(owner, "set_endpoint", "extraction", trusted.url, "scripted", realm=REALM)
    for role, rights in (("reader", "select"), ("writer", "select, insert, update, delete")):
        name = role_name(role)
        owner.execute(f"grant usage on schema {REALM} to {name}")
        owner.execute(f"grant {rights} on all tables in schema {REALM} to {name}")
        owner.execute(f"grant insert on {REALM}.usage to {name}")
        owner.execute(f"grant usage on all sequences in schema {REALM} to {name}")
    trusted.on_extraction = lambda text: founding(text.split(maxsplit=1)[0])


def drop_roles(admin: Connection) -> None:
    for role in ROLES:
        name = role_name(role)
        admin.execute(f"drop owned by {name} cascade; drop role {name}")


@pytest.fixture
def site(whole_site: Site) -> Site:
    for endpoint in (whole_site.trusted, whole_site.foreign):
        endpoint.heal()
        endpoint.requests.clear()
    whole_site.admin.execute("reset all")
    for session in whole_site.sessions.values():
        session.execute("reset all; reset role; discard temp")
    return whole_site


def request_to(url: str, realm: str | None = REALM, **body: Any) -> dict[str, Any]:
    return {
        "kind": "chat",
        "base_url": url,
        "models": ["scripted"],
        "body": {"messages": [{"role": "user", "content": "hello"}]} | body,
        "deadline": 5,
        "realm": realm,
    }


def call(session: Connection, url: str, realm: str | None = REALM, **body: Any) -> dict[str, Any]:
    """The answer of the function that uses keys, asked from inside the extension."""
    (answer,) = value(session, "select inside.send(%s)", [Jsonb([request_to(url, realm, **body)])])
    assert KEY not in json.dumps(answer)
    return dict(answer)


def denied(action: Callable[[], object], sqlstate: str = "42501") -> None:
    with pytest.raises(psycopg.Error) as caught:
        action()
    assert caught.value.sqlstate == sqlstate, caught.value
    assert KEY not in str(caught.value)


# ---------------------------------------------------------------- what the key is for
def test_those_who_may_have_the_key_used(site: Site) -> None:
    rows(site.sessions["owner"], "index", pages("Ann"), document="a", realm=REALM)
    rows(site.sessions["writer"], "index", pages("Bob"), document="b", realm=REALM)
    assert row(site.sessions["reader"], "query", "Who founded Acme?", realm=REALM)["answer"]
    assert founders(site.admin) == {"Ann", "Bob"}
    assert site.keys_seen(site.trusted) == {f"Bearer {KEY}"}


def test_those_who_may_not(site: Site) -> None:
    outsider = site.sessions["outsider"]
    for realm in (REALM, None, "", "public", "pg_catalog"):
        answer = call(outsider, site.trusted.url, realm)
        assert (answer["ok"], answer["code"]) == (False, "GR102")
    denied(lambda: rows(outsider, "set_endpoint", "extraction", site.trusted.url, "m", realm=REALM), "GR003")
    assert site.trusted.requests == []


def test_a_superusers_schema_gives_no_right(site: Site) -> None:
    """Nor one of its realms to a URL that it does not name; not even with tables made to look like a realm's."""
    admin, outsider = site.admin, site.sessions["outsider"]
    name = role_name("outsider")
    rows(admin, "create_realm", "admins", "builtin:hash", width=32)
    admin.execute(f"create schema shared; grant usage, create on schema shared to {name}")
    admin.execute(f"grant usage on schema admins to {name}")
    outsider.execute("create table shared.realm (); create table shared.usage ()")
    outsider.execute("create table shared.endpoint (base_url text)")
    outsider.execute("insert into shared.endpoint values (%s)", [site.trusted.url])
    try:
        for realm in ("admins", "shared"):
            assert call(outsider, site.trusted.url, realm)["code"] == "GR102"
        rows(admin, "set_endpoint", "synthesis", site.trusted.url, "m", realm="admins")
        assert call(outsider, site.trusted.url, "admins")["code"] == "GR102"
        admin.execute(f"grant insert on admins.usage to {name}")
        assert call(outsider, site.trusted.url, "admins")["ok"]
        assert call(outsider, site.trusted.url, "shared")["code"] == "GR102"
    finally:
        admin.execute("drop schema admins cascade; drop schema shared cascade")


def test_a_realm_of_ones_own_gives_no_right(site: Site) -> None:
    """Not to a URL that a superuser has not allowed to its owner, whatever its tables say."""
    outsider = site.sessions["outsider"]
    rows(outsider, "create_realm", "own", "builtin:hash", width=32)
    denied(lambda: rows(outsider, "set_endpoint", "extraction", site.trusted.url, "m", realm="own"))
    outsider.execute(
        "insert into own.endpoint (role, base_url, model) values ('extraction', %s, 'm'), ('synthesis', %s, 'm')",
        [site.trusted.url, site.trusted.url],
    )
    denied(lambda: rows(outsider, "index", pages("Ann"), document="a", realm="own"), "GR107")
    denied(lambda: rows(outsider, "query", "Who?", realm="own"), "GR102")
    assert site.trusted.requests == []
    outsider.execute("drop schema own cascade")


@pytest.mark.parametrize("role", [*ROLES, "superuser"])
def test_sql_calls_no_server_itself(site: Site, role: str) -> None:
    """The right to index and to ask is none to send anything else."""
    session = site.admin if role == "superuser" else site.sessions[role]
    requests = Jsonb([request_to(site.trusted.url)])
    denied(lambda: sql(session, "select graphrag._call(%s)", [requests]))
    denied(lambda: sql(session, "select graphrag._open_calls(%s, 1)", [requests]))
    denied(lambda: sql(session, "select graphrag._call(%s), graphrag._embed(array['Ann'])", [requests]))
    assert site.trusted.requests == []


#: What a role makes, and what a superuser then does with it: where it says `inside.send`, its maker is the caller.
DEPUTIES = {
    "a materialized view": (
        "create materialized view own.bait as select {ask} as answer with no data;"
        " create view own.loot as select answer from own.bait",
        "refresh materialized view own.bait",
    ),
    "a definer function": (
        "create table own.loot (answer jsonb);"
        " create function own.bait() returns void language sql security definer as"
        " $$ insert into own.loot select {ask} $$",
        "select own.bait()",
    ),
    "an index": (
        "create table own.loot (answer jsonb); create table own.bait (x text);"
        " create function own.take(x text) returns text language plpgsql as"
        " $$ begin insert into own.loot select {ask}; return x; end $$;"
        " create function own.key(x text) returns text immutable language plpgsql as"
        " $$ begin return (select own.take(x)); end $$;"
        " create index on own.bait (own.key(x)); insert into own.bait values ('x')",
        "reindex table own.bait",
    ),
}


@pytest.mark.parametrize(("bait", "bite"), DEPUTIES.values(), ids=DEPUTIES.keys())
def test_what_a_superuser_executes_for_others_has_their_rights(site: Site, bait: str, bite: str) -> None:
    """As autovacuum does with indexes, and pg_restore with materialized views."""
    outsider = site.sessions["outsider"]
    outsider.execute("create schema own")
    requests = psycopg.sql.Literal(json.dumps([request_to(site.trusted.url, None)])).as_string(outsider)
    try:
        outsider.execute(bait.format(ask=f"inside.send({requests})"))
        site.admin.execute(bite)
        answers = [found["answer"][0] for found in sql(outsider, "select answer from own.loot")]
        assert {(answer["ok"], answer["code"]) for answer in answers} == {(False, "GR102")}
        assert site.trusted.requests == []
    finally:
        outsider.execute("drop schema own cascade")


# ---------------------------------------------------------------- reading the key
READINGS = (
    "select * from graphrag.endpoint_location",
    "select count(*) from graphrag.endpoint_location where api_key like 'sk-%'",
    "copy graphrag.endpoint_location to stdout",
    "select * from graphrag.endpoint_key",
    "insert into graphrag.endpoint_key values ({url}, 'env:HOME')",
    "select * from graphrag.endpoint_default",
    "select * from graphrag._location({url}, 'kb', 'postgres')",
    "update graphrag.endpoint_location set owners = owners || current_user",
    "insert into graphrag.endpoint_location values ('http://127.0.0.1:1/v1', null, '{{}}')",
    "create view pg_temp.peek as select * from graphrag.endpoint_location; select * from pg_temp.peek",
    "alter table graphrag.endpoint_location disable row level security",
    "create trigger t before update on graphrag.endpoint_location for each row"
    " execute function suppress_redundant_updates_trigger()",
    "create rule r as on update to graphrag.endpoint_location do also notify x",
    "alter function graphrag._call(jsonb, integer) set search_path = public",
    "create or replace function graphrag._location(text, text) returns text language sql as 'select 1'",
    "create function graphrag.mine() returns text language sql as 'select 1'",
    "create function pg_temp.f() returns text language plpython3u as 'return GD'",
    "set role postgres",
    "set session authorization postgres",
    "set log_min_messages = debug5",
    "set local_preload_libraries = 'x'; select pg_read_file('postgresql.conf')",
    "alter extension graphrag drop table graphrag.endpoint_location",
)  # fmt: skip


@pytest.mark.parametrize("attempt", READINGS)
@pytest.mark.parametrize("role", ATTACKERS)
def test_nobody_reads_the_table(site: Site, role: str, attempt: str) -> None:
    session = site.sessions[role]
    statement = attempt.format(url=psycopg.sql.Literal(site.trusted.url).as_string(session))
    with pytest.raises(psycopg.Error) as caught, session.transaction():
        session.execute(statement)
    assert caught.value.sqlstate in ("42501", "22023", "42P17"), caught.value
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("role", ATTACKERS)
def test_no_function_or_view_shows_it(site: Site, role: str) -> None:
    """Whatever takes no argument, or one that makes it talk about endpoints."""
    session = site.sessions[role]
    shown = [
        sql(session, "select graphrag._default_endpoint('extraction')"),
        sql(session, "select graphrag._may_choose(%s, %s)", [site.trusted.url, role_name(role)]),
        sql(session, "select * from kb.endpoint"),
        sql(session, "select * from kb.usage"),
        rows(session, "doctor", realm=REALM),
        sql(session, "select name, setting from pg_settings"),
        sql(session, "select * from pg_stat_activity"),
        sql(session, "select * from pg_stats"),
        sql(session, "select * from pg_prepared_statements"),
    ]
    assert KEY not in str(shown)


# ---------------------------------------------------------------- sending the key elsewhere
def test_the_owner_may_not_choose_another_url(site: Site) -> None:
    owner = site.sessions["owner"]
    for url in (
        site.foreign.url,
        site.trusted.url.replace("/v1", "/v2"),
        site.trusted.url.replace("127.", "127.1."),
    ):
        denied(partial(rows, owner, "set_endpoint", "extraction", url, "m", realm=REALM))
        denied(partial(rows, owner, "create_realm", "second", url, "m"))
    denied(lambda: rows(owner, "set_endpoint", "extraction", site.trusted.url, "m", api_key="x", realm=REALM))
    denied(lambda: rows(owner, "set_endpoint", "extraction", site.trusted.url, "m", realm=None))


@pytest.mark.parametrize(
    "disguise",
    [
        "{foreign}",
        "{foreign}/",
        " {foreign}",
        "{trusted}@{host}",
        "{trusted}#@{host}",
        "{trusted}/../../@{host}",
        "{trusted}?@{host}",
        "http://{trusted_host}@{host}/v1",
        "http://{host}/{trusted}",
        "{trusted}\r\nHost: {host}",
        "{TRUSTED}",
    ],
)
@pytest.mark.parametrize("role", ATTACKERS)
def test_the_key_goes_to_its_own_url_only(site: Site, role: str, disguise: str) -> None:
    """Tried on the function that sends, past everything that checks URLs before."""
    url = disguise.format(
        trusted=site.trusted.url,
        foreign=site.foreign.url,
        host=site.foreign.url.removeprefix("http://").removesuffix("/v1"),
        trusted_host=site.trusted.url.removeprefix("http://").removesuffix("/v1"),
        TRUSTED=site.trusted.url.upper(),
    )
    assert call(site.sessions[role], url)["code"] == "GR102"
    assert (site.trusted.requests, site.foreign.requests) == ([], [])


def test_a_url_written_into_the_realms_table(site: Site) -> None:
    owner = site.sessions["owner"]
    owner.execute("update kb.endpoint set base_url = %s where role = 'extraction'", [site.foreign.url])
    try:
        denied(lambda: rows(owner, "index", pages("Ann"), document="elsewhere", realm=REALM), "GR107")
    finally:
        owner.execute("update kb.endpoint set base_url = %s where role = 'extraction'", [site.trusted.url])
    assert site.foreign.requests == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(site: Site, status: int) -> None:
    moved = Response({}, status=status, headers={"Location": f"{site.foreign.url}/chat/completions"})
    site.trusted.inject(lambda *_: moved)
    assert call(site.sessions["owner"], site.trusted.url)["code"] == "GR102"
    assert site.foreign.requests == []


def test_what_a_request_may_say_steers_nothing(site: Site) -> None:
    """These names mean something to the client library's own methods; in the body they are plain data."""
    headers = {"Host": "evil", "Authorization": "Bearer x"}
    answer = call(
        site.sessions["owner"], site.trusted.url,
        base_url=site.foreign.url, api_key="x", extra_headers=headers, extra_query={"a": "b"}, timeout=0.001,
    )  # fmt: skip
    assert answer["ok"]
    (request,) = site.trusted.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["extra_headers"] == headers
    assert site.foreign.requests == []


@pytest.mark.parametrize("role", ATTACKERS)
def test_objects_of_ones_own_are_not_taken_for_the_extensions(site: Site, role: str) -> None:
    """Temporary tables, functions, operators and casts in the way of every name that the call looks up."""
    session = site.sessions[role]
    session.execute(
        f"""
        create temporary table endpoint_location (base_url text, api_key text, owners name[]);
        insert into endpoint_location values ('{site.foreign.url}', 'x', array[current_user]);
        create temporary table endpoint_default as select * from endpoint_location;
        create temporary view pg_roles as select current_user::name as rolname, true as rolsuper, 1::oid as oid;
        create temporary view pg_namespace as select 'kb'::name as nspname, 1::oid as oid, 1::oid as nspowner;
        create function pg_temp._location(text, text) returns table (api_key text, may_use boolean)
            language sql as $$ select 'x'::text, true $$;
        create function pg_temp.has_schema_privilege(name, oid, text) returns boolean language sql as 'select true';
        create function pg_temp.always(text, text) returns boolean language sql as 'select true';
        create operator pg_temp.= (leftarg = text, rightarg = text, function = pg_temp.always);
        set search_path = pg_temp, pg_catalog
        """
    )
    assert call(session, site.foreign.url)["code"] == "GR102"
    assert call(session, site.trusted.url)["ok"]
    assert site.foreign.requests == []
    assert site.keys_seen(site.trusted) == {f"Bearer {KEY}"}


def test_set_role_takes_the_right_away(site: Site) -> None:
    """A session that has used the key remembers nothing of it: the role it acts as now decides."""
    admin = site.admin
    assert call(admin, site.trusted.url, None)["ok"]
    admin.execute(f"set role {role_name('outsider')}")
    assert call(admin, site.trusted.url, None)["code"] == "GR102"
    assert call(admin, site.trusted.url, REALM)["code"] == "GR102"
    admin.execute("reset role")
    assert len(site.trusted.requests) == 1


def test_a_definer_function_lends_its_owners_answers_not_the_key(site: Site) -> None:
    """So an application may offer query() to roles that have no right on the realm."""
    owner, outsider = site.sessions["owner"], site.sessions["outsider"]
    owner.execute(
        "create schema app; grant usage on schema app to public;"
        " create function app.ask(question text) returns text language sql security definer"
        " set search_path = pg_catalog, pg_temp"
        " as $$ select answer from graphrag.query(question, realm => 'kb') $$"
    )
    try:
        site.admin.execute(f"revoke execute on all functions in schema graphrag from {role_name('outsider')}")
        assert value(outsider, "select app.ask('Who founded Acme?')")
        denied(lambda: call(outsider, site.trusted.url))
    finally:
        site.admin.execute(f"grant execute on all functions in schema graphrag to {role_name('outsider')}")
        owner.execute("drop schema app cascade")


# ---------------------------------------------------------------- what is said, logged and counted
def echo(request: Request, response: Response) -> Response:
    """A server that quotes the request's headers in a good answer."""
    choice = response.payload["choices"][0]
    said = {**choice, "message": {"role": "assistant", "content": request.headers["authorization"]}}
    return replace(response, payload={**response.payload, "choices": [said], "debug": dict(request.headers)})


QUOTING = {
    "401": faults.status(401, message=f"Incorrect API key provided: {KEY}."),
    "500": faults.status(500, message=f"panic: key={KEY}"),
    "html": lambda *_: Response(raw=f"<p>{KEY}</p>".encode(), content_type="text/html"),
}


@pytest.mark.parametrize("fault", QUOTING.values(), ids=QUOTING.keys())
def test_a_server_that_quotes_the_key_in_an_error(site: Site, fault: faults.Fault) -> None:
    owner = site.sessions["owner"]
    rows(owner, "set_endpoint", "synthesis", site.trusted.url, "m", options={"deadline": 0.5}, realm=REALM)
    site.trusted.inject(fault, where=is_chat)
    with pytest.raises(psycopg.Error) as caught:
        row(owner, "query", "Who?", realm=REALM)
    said = caught.value.diag
    everything = [getattr(said, name) for name in dir(said) if not name.startswith("_")]
    assert KEY not in str(everything)
    assert "[key]" in str(everything)


def test_a_server_that_quotes_the_key_in_an_answer(site: Site) -> None:
    site.trusted.inject(echo, where=is_chat)
    result = row(site.sessions["reader"], "query", "Who founded Acme?", realm=REALM)
    assert result["answer"] == "Bearer [key]"


def log_file(admin: Connection) -> Path:
    """Where the server of these tests writes its log."""
    data = Path(value(admin, "show data_directory"))
    try:
        postmaster = (data / "postmaster.pid").read_text().split()[0]
        return Path(f"/proc/{postmaster}/fd/2").resolve(strict=True)
    except OSError as error:
        pytest.skip(f"the server's log cannot be read: {error}")


def read_from(log: Path, begin: int) -> str:
    return log.read_bytes()[begin:].decode(errors="replace")


def test_no_log_at_any_level_has_it(site: Site) -> None:
    admin, log = site.admin, log_file(site.admin)
    begin = log.stat().st_size
    loud = (
        "set log_min_messages = debug5; set log_min_error_statement = debug5; set log_error_verbosity = verbose;"
        " set log_statement = 'all'; set log_duration = on; set client_min_messages = debug5;"
        " set debug_print_parse = on; set debug_print_plan = on; set log_executor_stats = on;"
        " set log_parameter_max_length = -1; set log_parameter_max_length_on_error = -1"
    )
    notices: list[str] = []
    admin.add_notice_handler(lambda said: notices.append(f"{said.message_primary} {said.message_detail}"))
    admin.execute(loud)
    row(admin, "index", pages("Zoe"), document="loud", realm=REALM)
    row(admin, "query", "Who founded Acme?", realm=REALM)
    rows(admin, "doctor", realm=REALM)
    call(admin, site.trusted.url)
    for fault in QUOTING.values():
        site.trusted.inject(fault, times=1, where=is_chat)
        call(admin, site.trusted.url)
        site.trusted.heal()
    with pytest.raises(psycopg.Error):
        rows(admin, "set_endpoint", "nonsense", site.trusted.url, "m", realm=REALM)
    admin.execute("reset all")
    written = read_from(log, begin)
    assert "_call" in written, "the log was looked at"
    assert notices
    assert KEY not in written
    assert KEY not in "".join(notices)


def test_setting_a_key_by_parameter_leaves_no_trace(site: Site) -> None:
    """With the log as it is by default, where a failing statement is logged; the value is a parameter."""
    admin, log = site.admin, log_file(site.admin)
    begin = log.stat().st_size
    new = "sk-by-parameter-77"
    rows(admin, "set_endpoint", "auxiliary", site.foreign.url, "m", api_key=new, realm=None)
    assert new not in str(sql(admin, "select * from pg_stat_activity"))
    with pytest.raises(psycopg.Error):
        rows(admin, "set_endpoint", "nonsense", site.foreign.url, "m", api_key=new, realm=None)
    assert new not in read_from(log, begin)
    call(admin, site.foreign.url)
    assert site.keys_seen(site.foreign) == {f"Bearer {new}"}


#: Settings under which a server writes more into its log.
LOGS = {
    "default": "select 1",
    "every statement": "set log_statement = 'all'",
    "every change": "set log_statement = 'mod'",
    "every duration": "set log_min_duration_statement = 0",
    "slow statements": "set log_min_duration_statement = '5s'",
    "samples": "set log_min_duration_sample = 0; set log_statement_sample_rate = 1",
    "transactions": "set log_transaction_sample_rate = 1",
    "plans": "set debug_print_plan = on",
    "auto_explain": "load 'auto_explain'; set auto_explain.log_min_duration = 0;"
    " set auto_explain.log_nested_statements = on",
    "verbose plans": "load 'auto_explain'; set auto_explain.log_min_duration = 0;"
    " set auto_explain.log_nested_statements = on; set auto_explain.log_verbose = on",
    "parameters of errors": "set log_parameter_max_length_on_error = -1",
    "everything but parameters": "set log_statement = 'all'; set log_min_messages = debug5;"
    " set log_min_duration_statement = 0; set log_parameter_max_length = 0",
}
#: Under these, the values of parameters are in no log, whatever the statement.
QUIET = {"default", "auto_explain", "parameters of errors", "everything but parameters"}

LITERALS = {
    "an argument": "select graphrag.set_endpoint('auxiliary', '{url}', 'm', '{key}', realm => null)",
    "named": "select graphrag.set_endpoint('auxiliary', '{url}', 'm', api_key => $x${key}$x$, realm => null)",
    "in two parts": "select graphrag.set_endpoint('auxiliary', '{url}', 'm', 'sk-' || '{rest}', realm => null)",
    "continued": "select graphrag.set_endpoint('auxiliary', '{url}', 'm', 'sk-'\n'{rest}', realm => null)",
    "of a prepared statement": "prepare p (text) as select graphrag.set_endpoint('auxiliary', '{url}', 'm', $1,"
    " realm => null); execute p ('{key}')",
    "in a block": "do $do$ begin perform graphrag.set_endpoint('auxiliary', '{url}', 'm', '{key}', realm => null);"
    " end $do$",
    "of another statement": "select '{key}'; select graphrag.set_endpoint('auxiliary', '{url}', 'm',"
    " concat('sk', '-', '{rest}'), realm => null)",
    "inserted": "insert into graphrag.endpoint_location (base_url, api_key) values ('{url}', '{key}')",
    "updated": "insert into graphrag.endpoint_location (base_url) values ('{url}');"
    " update graphrag.endpoint_location set api_key = '{key}' where base_url = '{url}'",
}  # fmt: skip

PLACE = "http://kept.example/v1"


def stored(admin: Connection) -> set[str | None]:
    found = sql(admin, "select api_key from graphrag.endpoint_location where base_url = %s", [PLACE])
    return {place["api_key"] for place in found}


def forget(admin: Connection) -> None:
    admin.execute("reset all; deallocate all")
    admin.execute("delete from graphrag.endpoint_default where base_url = %s", [PLACE])
    admin.execute("delete from graphrag.endpoint_location where base_url = %s", [PLACE])


@pytest.mark.parametrize("statement", LITERALS.values(), ids=LITERALS.keys())
@pytest.mark.parametrize("key", ["sk-literal-1", "sk-it's\\\"one", "sk-abc"])
def test_a_key_that_a_statement_shows_is_refused(site: Site, statement: str, key: str) -> None:
    """So no key that is in use has ever been in pg_stat_activity, or in a log that has the text of statements."""
    admin, log = site.admin, log_file(site.admin)
    if key == "sk-abc" and "rest" in statement:
        pytest.skip("words of less than 8 characters are looked for in quotes only")
    begin = log.stat().st_size
    literal = key.replace("'", "''") if "$x$" not in statement else key
    try:
        with pytest.raises(psycopg.Error) as caught:
            admin.execute(statement.format(url=PLACE, key=literal, rest=literal.removeprefix("sk-")))
        said = caught.value.diag
        assert said.sqlstate == "GR009"
        assert PLACE in (said.message_primary or "")
        for way in ("env:NAME", "parameter", "COPY", "getenv"):
            assert way in (said.message_hint or "")
        assert key not in f"{said.message_primary} {said.message_detail} {said.message_hint}"
        assert stored(admin) <= {None}
    finally:
        forget(admin)
    written = read_from(log, begin)
    assert "can be read" in written, "the error itself is logged"
    assert key not in written
    assert value(admin, "show log_min_error_statement") == "error"


BEFORE = {
    "prepare": (
        "prepare p as select graphrag.set_endpoint('auxiliary', '{url}', 'm', '{key}', realm => null)",
        "execute p",
    ),
    "prepare an insert": (
        "prepare p as insert into graphrag.endpoint_location (base_url, api_key) values ('{url}', '{key}')",
        "execute p",
    ),
    "declare": (
        "declare c cursor with hold for"
        " select graphrag.set_endpoint('auxiliary', '{url}', 'm', '{key}', realm => null)",
        "fetch c",
    ),
}


def execute_each(admin: Connection, statements: list[str]) -> None:
    for statement in statements:
        admin.execute(statement)


@pytest.mark.parametrize("statements", BEFORE.values(), ids=BEFORE.keys())
def test_a_key_in_a_statement_that_is_executed_later(site: Site, statements: tuple[str, str]) -> None:
    admin, key = site.admin, "sk-of-an-earlier-one"
    try:
        with pytest.raises(psycopg.Error) as caught:
            execute_each(admin, [statement.format(url=PLACE, key=key) for statement in statements])
        assert caught.value.sqlstate == "GR009"
        assert stored(admin) <= {None}
    finally:
        forget(admin)


COPIES = {
    "a query": "copy (insert into graphrag.endpoint_location (base_url, api_key) values ('{url}', '{key}')"
    " returning base_url) to stdout",
    "a program": "copy graphrag.endpoint_location (base_url, api_key) from program 'echo {url},{key}' (delimiter ',')",
}  # fmt: skip


def copy_by(admin: Connection, statement: str) -> None:
    if "stdout" in statement:
        with admin.cursor().copy(statement) as stream:
            list(stream)
    else:
        admin.execute(statement)


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_a_copy_that_shows_the_key(site: Site, copy: str) -> None:
    admin, key = site.admin, "sk-of-a-copy"
    statement = copy.format(url=PLACE, key=key)
    try:
        with pytest.raises(psycopg.Error) as caught:
            copy_by(admin, statement)
        assert caught.value.sqlstate == "GR009"
        assert stored(admin) == set()
    finally:
        forget(admin)


def store(admin: Connection, by: str, key: str) -> None:
    if by == "set_endpoint":
        rows(admin, "set_endpoint", "auxiliary", PLACE, "m", api_key=key, realm=None)
    else:
        admin.execute("insert into graphrag.endpoint_location values (%s, %s)", [PLACE, key])


@pytest.mark.parametrize("log_setting", LOGS)
@pytest.mark.parametrize("by", ["set_endpoint", "insert"])
def test_a_key_is_in_use_only_if_nobody_could_read_it(site: Site, log_setting: str, by: str) -> None:
    """Given as a parameter of the protocol, as drivers do."""
    admin, log = site.admin, log_file(site.admin)
    key = f"sk-{by}-{log_setting.replace(' ', '-')}"
    quiet = QUIET | ({"every change"} if by == "set_endpoint" else set())
    if admin.info.server_version >= 160000:  # since then auto_explain logs parameters
        quiet -= {"auto_explain"}
    watching = "select query from pg_stat_activity"
    try:
        admin.execute(LOGS[log_setting])
        begin = log.stat().st_size
        if log_setting in quiet:
            store(admin, by, key)
        else:
            said = refused("GR009", (PLACE,), lambda: store(admin, by, key), hint="log_parameter_max_length")
            assert key not in f"{said.message_primary} {said.message_detail} {said.message_hint}"
        with site.database.connect() as watcher:
            assert key not in str(sql(watcher, watching))
        admin.execute("reset all")
        written = read_from(log, begin)
        assert stored(admin) == ({key} if log_setting in quiet else set())
        if log_setting in quiet:
            assert key not in written
    finally:
        forget(admin)


@pytest.mark.parametrize("by", ["set_endpoint", "insert"])
def test_a_key_is_taken_where_auto_explain_leaves_parameters_out(site: Site, by: str) -> None:
    admin, log = site.admin, log_file(site.admin)
    if admin.info.server_version < 160000:
        pytest.skip("auto_explain has no parameters before PostgreSQL 16")
    try:
        admin.execute(LOGS["auto_explain"] + "; set auto_explain.log_parameter_max_length = 0")
        begin = log.stat().st_size
        store(admin, by, f"sk-{by}-unexplained")
        admin.execute("reset all")
        assert stored(admin) == {f"sk-{by}-unexplained"}
        assert f"sk-{by}-unexplained" not in read_from(log, begin)
    finally:
        forget(admin)


@pytest.mark.parametrize("log_setting", LOGS)
def test_names_of_variables_and_rows_of_copy_are_always_taken(site: Site, log_setting: str) -> None:
    admin, log = site.admin, log_file(site.admin)
    try:
        admin.execute(LOGS[log_setting])
        begin = log.stat().st_size
        admin.execute(f"select graphrag.set_endpoint('auxiliary', '{PLACE}', 'm', 'env:NAME', realm => null)")
        assert stored(admin) == {"env:NAME"}
        admin.execute("delete from graphrag.endpoint_location where base_url = %s", [PLACE])
        with admin.cursor().copy("copy graphrag.endpoint_location (base_url, api_key) from stdin") as stream:
            stream.write_row((PLACE, "sk-by-copy-1"))
        admin.execute("reset all")
        assert stored(admin) == {"sk-by-copy-1"}
        assert "sk-by-copy-1" not in read_from(log, begin)
    finally:
        forget(admin)


@pytest.mark.parametrize("key", ["key", "EMPTY", "select", "m"])
def test_words_of_a_statement_are_no_sign(site: Site, key: str) -> None:
    """What servers without keys are given: it stands in the text as something else."""
    try:
        rows(site.admin, "set_endpoint", "auxiliary", PLACE, "m", api_key=key, realm=None)
        assert stored(site.admin) == {key}
    finally:
        forget(site.admin)


@pytest.mark.parametrize(
    "wrong", [("nonsense", PLACE, "m"), ("extraction", "h/v1", "m"), ("extraction", PLACE, "")]
)
@pytest.mark.parametrize("way", ["literal", "parameter"])
def test_a_failing_statement_with_a_key_is_not_logged(site: Site, way: str, wrong: tuple[str, ...]) -> None:
    """Nor its parameters, where those of errors are."""
    admin, log = site.admin, log_file(site.admin)
    begin = log.stat().st_size
    admin.execute("set log_parameter_max_length_on_error = -1" if way == "parameter" else "select 1")
    names = ", ".join(f"'{argument}'" for argument in wrong)
    literal = f"select graphrag.set_endpoint({names}, api_key => 'sk-failing-1', realm => null)"
    by_parameter = partial(rows, admin, "set_endpoint", *wrong, api_key="sk-failing-1", realm=None)
    with pytest.raises(psycopg.Error):
        partial(admin.execute, literal)() if way == "literal" else by_parameter()
    before = sql(admin, "select name, setting from pg_settings where name like 'log%' order by name")
    admin.execute("reset all")
    assert "sk-failing-1" not in read_from(log, begin)
    after = sql(admin, "select name, setting from pg_settings where name like 'log%' order by name")
    changed = {old["name"] for old, new in zip(before, after, strict=True) if old != new}
    assert changed <= {"log_parameter_max_length_on_error"}


def test_copy_leaves_no_trace_even_where_every_statement_is_logged(site: Site) -> None:
    admin, log = site.admin, log_file(site.admin)
    begin = log.stat().st_size
    admin.execute("set log_statement = 'all'; set log_min_messages = debug5")
    with admin.cursor().copy("copy graphrag.endpoint_location (base_url, api_key) from stdin") as stream:
        stream.write_row(("http://h.example/v1", "sk-by-copy-1"))
    admin.execute("reset all")
    written = read_from(log, begin)
    assert "copy graphrag.endpoint_location" in written
    assert "sk-by-copy-1" not in written
    admin.execute("delete from graphrag.endpoint_location where base_url like 'http://h.example%'")


def copy_key(admin: Connection, *lines: tuple[str, str | None]) -> None:
    with admin.cursor().copy("copy graphrag.endpoint_key (base_url, api_key) from stdin") as stream:
        for line in lines:
            stream.write_row(line)


@pytest.mark.parametrize("log_setting", LOGS)
def test_a_key_that_is_copied_takes_the_place_of_the_one_before(site: Site, log_setting: str) -> None:
    admin, log = site.admin, log_file(site.admin)
    try:
        rows(admin, "set_endpoint", "auxiliary", PLACE, "m", api_key="env:NAME", realm=None)
        admin.execute(
            f"update graphrag.endpoint_location set owners = '{{alice}}' where base_url = '{PLACE}'"
        )
        admin.execute(LOGS[log_setting] + "; set log_error_verbosity = verbose")
        begin = log.stat().st_size
        copy_key(admin, (PLACE + "/", "sk-by-copy-1"))
        copy_key(admin, (f" {PLACE}", "sk-by-copy-2"))
        with pytest.raises(psycopg.Error):
            copy_key(admin, (PLACE, "sk-by-copy-3"), ("no url", "sk-by-copy-4"))
        admin.execute("reset all")
        assert "sk-by-copy" not in read_from(log, begin)
        place = (
            "select owners from graphrag.endpoint_location where base_url = %s and api_key = 'sk-by-copy-2'"
        )
        assert sql(admin, place, [PLACE]) == [{"owners": ["alice"]}]
        assert sql(admin, "select * from graphrag.endpoint_key") == []
        with pytest.raises(psycopg.Error) as caught:
            admin.execute(f"insert into graphrag.endpoint_key values ('{PLACE}', 'sk-by-copy-5')")
        assert caught.value.sqlstate == "GR009"
    finally:
        forget(admin)


def test_a_key_of_the_servers_environment_is_named_only(site: Site) -> None:
    """env:NAME is what is stored; a variable that is not there is no key, and is told of."""
    admin = site.admin
    said: list[str] = []

    def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
        said.append(str(diagnostic.message_primary))

    admin.add_notice_handler(hear)
    rows(admin, "set_endpoint", "auxiliary", site.foreign.url, "m", api_key="env:NO_SUCH_KEY", realm=None)
    admin.remove_notice_handler(hear)
    assert said == ['the server\'s environment has no variable "NO_SUCH_KEY"']
    assert call(admin, site.foreign.url)["ok"]
    assert not any("NO_SUCH_KEY" in str(header) for header in site.keys_seen(site.foreign))


def test_statistics_of_statements_have_no_key(site: Site) -> None:
    admin = site.admin
    if "pg_stat_statements" not in value(admin, "show shared_preload_libraries"):
        pytest.skip("shared_preload_libraries has no pg_stat_statements")
    admin.execute("create extension if not exists pg_stat_statements")
    admin.execute("select pg_stat_statements_reset(); set pg_stat_statements.track = 'all'")
    with pytest.raises(psycopg.Error):
        admin.execute(
            "select graphrag.set_endpoint('auxiliary', 'http://h.example/v1', 'm', api_key => 'sk-literal-2',"
            " realm => null)"
        )
    rows(admin, "set_endpoint", "auxiliary", PLACE, "m", api_key="sk-parameter-2", realm=None)
    row(admin, "query", "Who founded Acme?", realm=REALM)
    counted = str(sql(admin, "select query from pg_stat_statements"))
    assert "set_endpoint" in counted
    for key in (KEY, "sk-literal-2", "sk-parameter-2"):
        assert key not in counted
    forget(admin)


def test_activity_shows_no_key_while_a_call_is_running(site: Site) -> None:
    release = threading.Event()
    site.trusted.inject(faults.held(release), where=is_chat)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(row, site.sessions["reader"], "query", "Who founded Acme?", realm=REALM)
        site.trusted.wait_for(1, is_chat)
        activity = str(sql(site.admin, "select * from pg_stat_activity"))
        locks = str(sql(site.admin, "select * from pg_locks"))
        release.set()
        running.result(timeout=10)
    assert "query" in activity
    assert KEY not in activity + locks


def test_a_dump_has_no_key(site: Site) -> None:
    directory = Path(value(site.admin, "select setting from pg_config where name = 'BINDIR'"))
    dump = subprocess.run([directory / "pg_dump", site.database.dsn], check=True, capture_output=True).stdout
    assert site.trusted.url.encode() in dump, "the realm's endpoints are dumped, without keys"
    assert KEY.encode() not in dump

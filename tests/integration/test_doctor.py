"""doctor() on set-ups that are sound, empty, broken in one place, or none of the caller's business."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql as compose
from psycopg.types.json import Jsonb

from graphrag_pl.turns import key_of
from tests.support import endpoint as faults
from tests.support.calls import row, rows
from tests.support.database import Connection, Database, Row, sql, view
from tests.support.endpoint import Endpoint, Fault, is_chat, is_embedding, says
from tests.support.reading import PEOPLE, REALM, founding, fresh, make_realm, pages

STATUSES = {"ok", "warning", "error", "skipped"}
KEY = "sk-of-the-doctor"


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    fresh(session, makes_realm)
    session.execute("set client_connection_check_interval = '1s'")
    return session


@pytest.fixture
def models(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A sound realm: what its chat model says to doctor's question is what was asked for."""
    make_realm(conn, endpoint)
    endpoint.on_other = lambda _: {"ok": True}
    endpoint.on_synthesis = lambda _: '{"ok": true}'
    return endpoint


def examine(conn: Connection, realm: str | None = REALM) -> dict[str, Row]:
    """The findings by their check; each is of the right form."""
    found = rows(conn, "doctor", realm=realm)
    by_check = {finding["check"]: finding for finding in found}
    assert len(by_check) == len(found), "one row a check"
    for finding in found:
        assert finding["status"] in STATUSES
        assert finding["detail"]
        assert finding["status"] not in ("warning", "error") or finding["advice"], finding
    return by_check


def troubles(conn: Connection, realm: str | None = REALM) -> dict[str, Row]:
    return {c: f for c, f in examine(conn, realm).items() if f["status"] in ("warning", "error")}


def only_trouble(conn: Connection) -> Row:
    (finding,) = troubles(conn).values()
    return finding


def set_role(conn: Connection, role: str, url: str, model: str, **options: Any) -> None:
    rows(conn, "set_endpoint", role, url, model, options=options, realm=REALM)


# ---------------------------------------------------------------- sound, and empty
def test_a_sound_set_up(conn: Connection, models: Endpoint) -> None:
    found = examine(conn)
    assert {f["status"] for f in found.values()} == {"ok", "skipped"}, troubles(conn)
    assert [c for c, f in found.items() if f["status"] == "skipped"] == ["omissions"]
    assert {"postgresql", "pgvector", "extension", "encoding", "realm", "vector width", "indexes"} <= set(
        found
    )
    for library in ("openai", "igraph", "leidenalg", "json_repair"):
        assert found[f"python {library}"]["detail"].startswith(f"{library} ")
    for role in ("embedding", "extraction", "synthesis", "community", "auxiliary"):
        assert models.url in found[f"endpoint {role}"]["detail"]
        assert role in found[f"endpoint {role}"]["detail"]
    assert "32" in found["vector width"]["detail"]
    assert "json_schema" in found["structured output"]["detail"]


def test_an_endpoint_is_asked_once_for_all_its_roles(conn: Connection, models: Endpoint) -> None:
    """The auxiliary endpoint is the extraction endpoint, and so on."""
    examine(conn)
    assert (len(models.chats), len(models.embeddings)) == (1, 1)
    roles = [call["role"] for call in sql(conn, "select role from kb.usage order by id")]
    assert roles == ["embedding", "extraction"], "its cost is noted"


def test_before_there_is_a_realm(conn: Connection) -> None:
    found = examine(conn, None)
    assert {f["status"] for c, f in found.items() if c.startswith("python")} == {"ok"}
    assert found["realm"]["status"] == "skipped"
    assert '"default"' in found["realm"]["detail"]
    assert "set_endpoint" in found["endpoint embedding"]["advice"]


def test_the_databases_defaults_are_examined_without_a_realm(conn: Connection, endpoint: Endpoint) -> None:
    for role in ("embedding", "extraction"):
        rows(conn, "set_endpoint", role, endpoint.url, "m", realm=None)
    endpoint.on_other = lambda _: {"ok": True}
    found = examine(conn, None)
    assert {f["status"] for c, f in found.items() if c.startswith("endpoint")} == {"ok"}
    assert "set by the database" in found["endpoint synthesis"]["detail"]


def test_builtin_vectors_need_no_server(conn: Connection) -> None:
    rows(conn, "create_realm", REALM, "builtin:hash", width=16)
    found = examine(conn)
    assert (found["endpoint embedding"]["status"], found["vector width"]["status"]) == ("ok", "ok")
    assert found["endpoint extraction"]["status"] == "warning"


@pytest.mark.parametrize("realm", ["Kb", "acme-eu.1/β", 'the "best" realm', "it's", "a.b", "a b"])
def test_a_realm_of_any_name(conn: Connection, endpoint: Endpoint, realm: str) -> None:
    rows(conn, "create_realm", "kb", "builtin:hash", width=16)  # whose indexes are none of the other's
    make_realm(conn, endpoint, realm)
    endpoint.on_other = lambda _: {"ok": True}
    assert troubles(conn, realm) == {}
    table = compose.Identifier(realm, "content_vec_chunk")
    conn.execute(compose.SQL("drop index {}").format(table))
    (found,) = troubles(conn, realm).values()
    assert found["check"] == "vector indexes"
    conn.execute(found["advice"])
    assert troubles(conn, realm) == {}


def test_advice_before_there_is_a_realm_can_be_followed(conn: Connection) -> None:
    found = troubles(conn, None)
    assert {"endpoint embedding", "endpoint extraction", "endpoint synthesis"} <= set(found)
    for role in ("embedding", "extraction", "synthesis"):
        conn.execute(found[f"endpoint {role}"]["advice"])
    assert {r["role"] for r in sql(conn, "select role from graphrag.endpoint_default")} == {
        "embedding",
        "extraction",
        "synthesis",
    }
    found = troubles(conn, "it's")
    assert found["realm"]["advice"] == "select graphrag.create_realm('it''s');"


def test_advice_for_a_realm_names_it(conn: Connection) -> None:
    rows(conn, "create_realm", "it's", "builtin:hash", width=16)
    found = troubles(conn, "it's")
    for role in ("extraction", "synthesis"):
        conn.execute(found[f"endpoint {role}"]["advice"])
        assert sql(conn, """select role from "it's".endpoint where role = %s""", [role])
    assert sql(conn, "select role from graphrag.endpoint_default") == []


# ---------------------------------------------------------------- broken in one place
@pytest.mark.usefixtures("models")
def test_a_realm_that_does_not_exist(conn: Connection) -> None:
    found = troubles(conn, "kbb")
    assert (found["realm"]["status"], found["realm"]["advice"]) == ("error", "Did you mean 'kb'?")


@pytest.mark.parametrize("url", [faults.refused_url(), faults.unresolvable_url()], ids=["refused", "unknown"])
@pytest.mark.usefixtures("models")
def test_nobody_at_the_url(conn: Connection, url: str) -> None:
    set_role(conn, "synthesis", url, "writer")
    found = only_trouble(conn)
    assert found["check"] == "endpoint synthesis"
    for mentioned in (url, "synthesis", "writer"):
        assert mentioned in found["detail"]


@pytest.mark.parametrize(
    ("fault", "mentioned", "advice"),
    [
        (faults.status(401, message=f"wrong key {KEY}"), "401", "api_key"),
        (faults.status(404, message="no model m"), "404", "model"),
        (faults.status(500), "500", ""),
        (faults.html(), "without JSON", ""),
        (faults.truncated(), "without JSON", ""),
        (faults.drop(), "broke off", ""),
    ],
    ids=["key", "model", "500", "html", "truncated", "dropped"],
)
def test_a_chat_endpoint_that_fails(
    conn: Connection, models: Endpoint, fault: Fault, mentioned: str, advice: str
) -> None:
    rows(conn, "set_endpoint", "extraction", models.url, "scripted", api_key=KEY, realm=REALM)
    models.inject(fault, where=is_chat)
    found = troubles(conn)
    assert set(found) == {f"endpoint {r}" for r in ("extraction", "synthesis", "community", "auxiliary")}
    for finding in found.values():
        assert finding["status"] == "error"
        assert mentioned in finding["detail"]
        assert advice in finding["advice"]
        assert KEY not in str(finding)


@pytest.mark.parametrize(
    "fault", [faults.status(403), faults.html(), faults.filled(0.0), faults.fewer_vectors(0)]
)
def test_an_embedding_endpoint_that_fails(conn: Connection, models: Endpoint, fault: Fault) -> None:
    models.inject(fault, where=is_embedding)
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("endpoint embedding", "error")
    assert models.url in found["detail"]


def test_an_endpoint_that_does_not_answer_in_time(conn: Connection, models: Endpoint) -> None:
    release = threading.Event()
    models.inject(faults.held(release), where=is_chat)
    begun = time.monotonic()
    found = troubles(conn)
    release.set()
    assert time.monotonic() - begun < 6
    assert {f["status"] for f in found.values()} == {"warning"}
    assert "3 s" in found["endpoint extraction"]["detail"]


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"choices": []},
        {"error": {"message": "overloaded"}},
        {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]},
        {"choices": [{"message": {"content": "<think>hm</think>"}}]},
    ],
)
def test_a_server_that_says_all_is_well_and_nothing_else(
    conn: Connection, models: Endpoint, payload: Any
) -> None:
    models.inject(lambda *_: faults.Response(payload), where=is_chat)
    found = troubles(conn)
    assert set(found) == {f"endpoint {r}" for r in ("extraction", "synthesis", "community", "auxiliary")}
    assert {finding["status"] for finding in found.values()} == {"error"}
    assert "synthesis" in found["endpoint synthesis"]["detail"]


def test_options_that_somebody_wrote_by_hand(conn: Connection, models: Endpoint) -> None:
    sql(conn, "update kb.endpoint set options = %s where role = 'extraction'", [Jsonb({"deadline": "x"})])
    trouble = only_trouble(conn)
    assert 'option "deadline" cannot be "x"' in trouble["detail"]
    assert models.requests == []


def test_a_server_that_other_sessions_keep_busy(conn: Connection, models: Endpoint) -> None:
    """Is no server that is down."""
    set_role(conn, "extraction", models.url, "scripted", concurrency=1)
    set_role(conn, "synthesis", models.url, "scripted", concurrency=1)
    with psycopg.connect(conn.info.dsn) as other:
        other.execute("select pg_advisory_lock(%s, 1)", [key_of(models.url)])
        found = troubles(conn)
    assert {finding["status"] for finding in found.values()} == {"warning"}
    assert all("other sessions" in finding["detail"] for finding in found.values())


def test_vectors_of_another_width(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.other_width(48), where=is_embedding)
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("vector width", "error")
    assert "48" in found["detail"]
    assert "32" in found["detail"]
    assert "graphrag.reembed()" in found["advice"]


@pytest.mark.parametrize("supported", ["json_object", "text"])
def test_no_structured_output(conn: Connection, models: Endpoint, supported: str) -> None:
    def refuses(request: faults.Request, response: faults.Response) -> faults.Response:
        kind = (request.body.get("response_format") or {"type": "text"})["type"]
        return response if kind in (supported, "text") else faults.status(400)(request, response)

    models.inject(refuses, where=is_chat)
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("structured output", "warning")
    assert f"supports {supported} only" in found["detail"]
    assert "structured_output" in found["advice"]
    set_role(conn, "extraction", models.url, "scripted", structured_output=supported)
    models.requests.clear()
    examine(conn)
    assert len(models.chats) == 1, "what is refused is not asked for"


def test_a_model_that_ignores_the_schema(conn: Connection, models: Endpoint) -> None:
    models.inject(faults.content("Certainly! All is well."), where=is_chat)
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("structured output", "warning")


@pytest.mark.usefixtures("models")
def test_an_index_that_is_not_valid(conn: Connection) -> None:
    conn.execute(
        "update pg_index set indisvalid = false where indexrelid = 'kb.content_vec_entity'::regclass"
    )
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("indexes", "error")
    assert "content_vec_entity" in found["detail"]
    conn.execute(found["advice"])
    assert troubles(conn) == {}


@pytest.mark.usefixtures("models")
def test_a_vector_index_that_is_gone(conn: Connection) -> None:
    conn.execute("drop index kb.content_vec_chunk")
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("vector indexes", "error")
    conn.execute(found["advice"])
    assert troubles(conn) == {}


@pytest.mark.parametrize(
    "index",
    [
        "hnsw (vec vector_l2_ops) where kind = 'chunk'",
        "hnsw (vec vector_cosine_ops) where kind = 'entity'",
        "hnsw (vec vector_cosine_ops)",
        "ivfflat (vec vector_cosine_ops) where kind = 'chunk'",
    ],
)
@pytest.mark.usefixtures("models")
def test_a_vector_index_that_no_search_can_use(conn: Connection, index: str) -> None:
    conn.execute("drop index kb.content_vec_chunk")
    conn.execute(f"create index content_vec_chunk on kb.content using {index}")
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("vector indexes", "error")
    conn.execute(found["advice"])
    assert troubles(conn) == {}


@pytest.mark.usefixtures("models")
def test_triggers_that_were_switched_off(conn: Connection) -> None:
    conn.execute("alter table kb.assertion disable trigger user; alter table kb.space disable trigger user")
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("triggers", "error")
    assert "assertion, space" in found["detail"]
    conn.execute(found["advice"])
    assert troubles(conn) == {}


@pytest.mark.parametrize("table", ["usage", "chunk", "content", "job", "term_stat"])
@pytest.mark.usefixtures("models")
def test_a_realm_that_lost_a_table(conn: Connection, table: str) -> None:
    conn.execute(f"drop table kb.{table} cascade")
    found = examine(conn)["realm"]
    assert found["status"] == "error"
    assert table in found["detail"]
    assert "backup" in found["advice"]


@pytest.mark.usefixtures("models")
def test_a_realm_of_another_version(conn: Connection) -> None:
    conn.execute("update kb.realm set version = '0.0.1'")
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("realm", "error")
    assert "0.0.1" in found["detail"]


@pytest.mark.usefixtures("models")
def test_a_realm_with_a_table_missing(conn: Connection) -> None:
    """A part that breaks is reported; the others are examined all the same."""
    conn.execute("drop table kb.endpoint")
    found = troubles(conn)
    assert (found["endpoints"]["status"], examine(conn)["indexes"]["status"]) == ("error", "ok")


@pytest.mark.usefixtures("models")
def test_lost_clients_go_unnoticed(conn: Connection) -> None:
    conn.execute("set client_connection_check_interval = 0")
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("lost clients", "warning")


@contextmanager
def hidden(database: Database, module: str) -> Iterator[Connection]:
    """A session in which a Python library cannot be imported."""
    with database.connect() as conn:
        conn.execute("set client_connection_check_interval = '1s'")
        hide = f"import sys; sys.modules['{module}'] = None"
        conn.execute(f"do language plpython3u $python$ {hide} $python$")
        yield conn


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("module", ["igraph", "leidenalg", "json_repair", "openai"])
def test_a_library_that_is_missing(module_database: Database, module: str) -> None:
    with hidden(module_database, module) as conn:
        found = troubles(conn)
    finding = found.pop(f"python {module}")
    assert finding["status"] == "error"
    assert module in finding["detail"]
    assert "make install" in finding["advice"]
    assert set(found) == {"openai": {"endpoints"}, "igraph": {"python leidenalg"}}.get(module, set())


def test_chunks_that_failed_and_answers_cut_off(conn: Connection, models: Endpoint) -> None:
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    models.inject(faults.status(400, message="too long"), where=says("Bob"))
    models.inject(faults.cut(260), where=says("Carla"))
    row(conn, "index", pages(*PEOPLE[:4]), document="a", realm=REALM)
    models.heal()
    found = troubles(conn)
    assert set(found) == {"extraction failures", "answers cut off"}
    assert "1 of 4" in found["extraction failures"]["detail"]
    assert "too long" in found["extraction failures"]["detail"]
    assert "1 of 4" in found["answers cut off"]["detail"]
    row(conn, "index", pages(*PEOPLE[:4]), document="a", realm=REALM)
    assert set(troubles(conn)) == {"answers cut off"}


def test_fields_that_a_model_never_fills(conn: Connection, models: Endpoint) -> None:
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    names = [f"Ann{number}" for number in range(49)]
    row(conn, "index", pages(*names), document="a", realm=REALM)
    assert examine(conn)["omissions"]["status"] == "skipped", "49 answers are too few to tell"
    row(conn, "index", pages("Bob"), document="b", realm=REALM)
    found = only_trouble(conn)
    assert (found["check"], found["status"]) == ("omissions: scripted", "warning")
    for field in ("aliases", "negated", "valid_from"):
        assert field in found["detail"]

    def complete(_: str) -> dict[str, Any]:
        said = founding("Carla")
        said["entities"][0]["aliases"] = ["Acme"]
        said["triples"][0] |= {"negated": True, "valid_from": "2001"}
        return said

    models.on_extraction = complete
    row(conn, "index", pages("Carla"), document="c", realm=REALM)
    assert "valid_from" not in str(troubles(conn).get("omissions: scripted"))
    assert "negated" not in str(troubles(conn).get("omissions: scripted"))


def test_models_are_told_apart(conn: Connection, models: Endpoint) -> None:
    """After a switch, what the first model filled does not speak for the second."""

    def complete(text: str) -> dict[str, Any]:
        said = founding(text.split(maxsplit=1)[0])
        said["entities"][0]["aliases"] = ["Acme"]
        said["triples"][0] |= {"negated": True, "valid_from": "2001"}
        return said

    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    scripts = {"scripted": complete, "other": lambda text: founding(text.split(maxsplit=1)[0])}
    for model, script in scripts.items():
        models.on_extraction = script
        rows(conn, "set_endpoint", "extraction", models.url, model, realm=REALM)
        people = [f"{model.title()}{number}" for number in range(50)]
        assert row(conn, "index", pages(*people), document=model, realm=REALM)["failed"] == 0
    found = examine(conn)
    assert found["omissions: scripted"]["status"] == "ok"
    assert found["omissions: other"]["status"] == "warning"
    assert "negated in 100 %" in found["omissions: scripted"]["detail"]
    assert "negated in 0.0 %" in found["omissions: other"]["detail"]


# ---------------------------------------------------------------- a role with few privileges
@pytest.fixture
def stranger(conn: Connection, module_database: Database) -> Iterator[Connection]:
    """A role that may call doctor() and nothing else."""
    conn.execute("create role graphrag_stranger")
    conn.execute("grant usage on schema graphrag to graphrag_stranger")
    with module_database.connect() as other:
        other.execute("set client_connection_check_interval = '1s'")
        other.execute("set role graphrag_stranger")
        yield other
    conn.execute("drop owned by graphrag_stranger; drop role graphrag_stranger")


def grant_functions(conn: Connection, pattern: str) -> None:
    """Execute on the extension's functions whose name is like the pattern."""
    found = sql(
        conn,
        "select oid::regprocedure::text as f from pg_proc"
        " where pronamespace = 'graphrag'::regnamespace and proname like %s",
        [pattern],
    )
    for function in found:
        conn.execute(f"grant execute on routine {function['f']} to graphrag_stranger")


def test_a_role_that_may_only_ask(conn: Connection, models: Endpoint, stranger: Connection) -> None:
    grant_functions(conn, "doctor")
    for helper in ("\\_default\\_realm", "\\_realm\\_exists", "\\_finding"):
        grant_functions(conn, helper)
    found = examine(stranger)
    assert {f["status"] for f in found.values()} == {"skipped"}
    assert models.requests == []


def test_a_role_that_may_not_use_the_realm(conn: Connection, models: Endpoint, stranger: Connection) -> None:
    grant_functions(conn, "%")
    found = examine(stranger)
    assert found["privileges: functions"]["status"] == "ok"
    assert found["privileges: realm"]["status"] == "warning"
    assert found["python openai"]["status"] == "ok"
    assert found["realm"]["status"] == "error"
    assert not any(check.startswith(("endpoint", "vector", "extraction")) for check in found)
    assert models.requests == []
    conn.execute(found["privileges: realm"]["advice"].partition(";")[0])
    found = examine(stranger)
    assert found["privileges: realm"] == {
        "check": "privileges: realm",
        "status": "ok",
        "detail": "Role graphrag_stranger may read kb, not write it.",
        "advice": None,
    }
    assert {f["status"] for f in found.values()} == {"ok", "skipped"}


def test_it_can_be_cancelled(conn: Connection, models: Endpoint) -> None:
    release = threading.Event()
    models.inject(faults.held(release), where=is_chat)
    conn.execute("set statement_timeout = '500ms'")
    begun = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled):
        examine(conn)
    assert time.monotonic() - begun < 2
    release.set()


def test_one_name_of_two_identifiers(conn: Connection) -> None:
    rows(conn, "create_realm", REALM, "builtin:hash", width=16)

    def read(document: str, name: str, *identifiers: str) -> Row:
        entity = {"name": name, "identifiers": list(identifiers)}
        rows(
            conn, "index", f"{name} paid.", document=document, extraction={"entities": [entity]}, realm=REALM
        )
        return examine(conn)["identifiers"]

    assert read("a", "Springer", "wikidata:Q1", "isni:1")["status"] == "ok"
    assert read("b", "Springer", "wikidata:Q1")["status"] == "ok"
    found = read("c", "SPRINGER", "wikidata:Q2")
    assert found["status"] == "warning"
    assert "(wikidata:Q1, wikidata:Q2)" in found["detail"]
    assert read("c", "Springer (publisher)", "wikidata:Q2")["status"] == "ok"
    assert [e["name"] for e in view(conn, REALM, "entities")] == ["Springer", "Springer (publisher)"]

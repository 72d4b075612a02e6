"""reembed(): all vectors of a realm by another model, beside the old ones, whatever happens meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
from psycopg.errors import QueryCanceled, SerializationFailure
from pytest_postgresql.executors import NoopExecutor

from tests.support import endpoint as faults
from tests.support.calls import eventually, refused, row, rows, set_models, waiting
from tests.support.circles import GROUPS, build, circle, make_realm, say
from tests.support.database import Connection, Database, new_database, one, sql, value
from tests.support.endpoint import Endpoint, is_chat, is_embedding
from tests.support.reading import REALM

KINDS = ["chunk", "entity", "relation", "report"]
QUESTION = "Who works with Beta Two?"


@pytest.fixture(scope="module")
def made(server: NoopExecutor) -> Iterator[Database]:
    """A database to copy, with the realm `kb`: circles of people, one document each, and reports on them."""
    with new_database(server, f"{server.dbname}_circles") as database, Endpoint() as endpoint:
        with database.connect() as conn:
            fill(conn, endpoint)
        yield database


@pytest.fixture
def database(made: Database, server: NoopExecutor) -> Iterator[Database]:
    with new_database(server, f"{server.dbname}_circles_copy", made.name) as copy:
        yield copy


@pytest.fixture
def world(conn: Connection, endpoint: Endpoint) -> Connection:
    """The realm, whose vectors have 32 dimensions, with the test's own endpoint."""
    set_models(conn, endpoint, "extraction", realm=REALM)
    sql(conn, "select set_config('graphrag.realm', %s, false)", [REALM])
    return conn


def fill(conn: Connection, endpoint: Endpoint, realm: str = REALM, **options: Any) -> None:
    if realm == REALM:
        make_realm(conn, endpoint)
    else:
        rows(conn, "create_realm", realm, "builtin:hash", **options)
        set_models(conn, endpoint, "extraction", realm=realm)
    for group in GROUPS:
        say(conn, circle(group), group, realm=realm)
    build(conn, realm=realm)


def call(conn: Connection, *arguments: Any, **named: Any) -> None:
    """CALL graphrag.reembed('kb', …)"""
    places = ["%s"] * (1 + len(arguments)) + [f"{name} => %s" for name in named]
    conn.execute(f"call graphrag.reembed({', '.join(places)})", [REALM, *arguments, *named.values()])


@contextmanager
def running(database: Database, *arguments: Any, **named: Any) -> Iterator[Callable[[], Exception | None]]:
    """reembed() in a session of its own; what is yielded waits for it, and returns the error that ended it."""
    ended: list[Exception | None] = []

    def run() -> None:
        try:
            with database.connect() as conn:
                call(conn, *arguments, **named)
            ended.append(None)
        except Exception as error:  # noqa: BLE001  the test looks at it
            ended.append(error)

    thread = threading.Thread(target=run, daemon=True)

    def join() -> Exception | None:
        thread.join(30)
        assert ended, "reembed() does not end"
        return ended[0]

    thread.start()
    yield join
    join()


def progress(conn: Connection) -> Any:
    return value(conn, "select sum(texts_done) from kb.reembedding")


def process(conn: Connection) -> Any:
    activity = "pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    return eventually(
        lambda: value(conn, f"select max(pid) from {activity} and query ~* 'call graphrag.reembed'")
    )


def found(conn: Connection, realm: str = REALM, **named: Any) -> list[tuple[Any, ...]]:
    evidence = rows(conn, "retrieve", QUESTION, realm=realm, **named)
    return [(e["kind"], e["text"], round(e["score"] or 0, 6)) for e in evidence]


def widths(conn: Connection) -> set[int]:
    return {r["n"] for r in sql(conn, "select distinct vector_dims(vec::vector) as n from kb.content")}


def is_as_before(conn: Connection) -> None:
    """Nothing of a re-embedding is there."""
    assert not sql(conn, "select from kb.reembedding")
    assert not sql(
        conn,
        "select from pg_attribute where attrelid = 'kb.content'::regclass and attname ~ 'vec_' and attnum > 0"
        " and not attisdropped",
    )


def test_all_vectors_are_those_of_a_realm_made_so(world: Connection, endpoint: Endpoint) -> None:
    """Of every kind, with the same indexes; and the same is found, in a session that had plans for the old ones."""
    fill(world, endpoint, "born", width=48)
    assert found(world) != found(world, "born")
    before = value(world, "select max(n) from kb.revision")
    call(world, width=48, batch_size=7)
    differ = """
        select a.kind, a.body from kb.content as a
        full join born.content as b on b.kind = a.kind and b.hash = a.hash
        where a.vec is distinct from b.vec
    """
    assert sql(world, differ) == []
    assert [r["kind"] for r in sql(world, "select distinct kind from kb.content order by 1")] == KINDS
    for rerank in ([], ["mmr"]):
        assert found(world, rerank=rerank) == found(world, "born", rerank=rerank)
    indexes = (
        "select replace(indexdef, '{0}.', '') as made from pg_indexes where schemaname = '{0}' order by 1"
    )
    assert sql(world, indexes.format("kb")) == sql(world, indexes.format("born"))
    assert one(world, "select model, width, vectors from kb.realm") == {
        "model": "hash", "width": 48, "vectors": 1,
    }  # fmt: skip
    assert value(world, "select max(n) from kb.revision") == before, "what is believed has not changed"
    assert rows(
        world, "index", "Alpha One met Zed.", document="later", extraction='[["Alpha One", "met", "Zed"]]'
    )
    assert widths(world) == {48}
    is_as_before(world)


def test_above_2000_dimensions_vectors_are_half(world: Connection) -> None:
    call(world, width=2001)
    assert value(world, "select format_type(atttypid, atttypmod) from pg_attribute"
                        " where attrelid = 'kb.content'::regclass and attname = 'vec'") == "halfvec(2001)"  # fmt: skip
    assert len(found(world, rerank=["mmr"])) > 5
    assert sql(world, "select * from kb.merge_candidates") is not None
    assert [r["status"] for r in rows(world, "doctor", REALM) if r["check"] == "vector indexes"] == ["ok"]
    refused("GR009", ("4001",), lambda: call(world, width=4001), hint="4000")
    call(world, width=40)
    assert widths(world) == {40}


def test_from_hash_to_a_model(world: Connection, endpoint: Endpoint) -> None:
    """Asked for its width; a width that is said must be the one it has. Equal texts are sent once."""
    refused(
        "GR105",
        ("32 dimensions", "64"),
        lambda: call(world, endpoint.url, "scripted", width=64),
        hint="realm",
    )
    is_as_before(world)
    endpoint.requests.clear()
    call(world, endpoint.url, "scripted", options='{"batch_size": 10}')
    sent = [text for request in endpoint.embeddings for text in request.body["input"]]
    assert len(sent) == len(set(sent)) == 1 + value(world, "select count(distinct body) from kb.content")
    assert one(world, "select base_url, model, options from kb.endpoint where role = 'embedding'") == {
        "base_url": endpoint.url, "model": "scripted", "options": {"batch_size": 10},
    }  # fmt: skip
    assert value(world, "select sum(input_tokens) from kb.usage where question = 'graphrag.reembed()'") > 0
    call(world)  # the same again, with nothing said
    assert value(world, "select vectors from kb.realm") == 2
    refused("GR105", ("scripted", "other"), lambda: rows(world, "set_endpoint", "embedding", endpoint.url, "other",
            realm=REALM), hint="CALL graphrag.reembed")  # fmt: skip


def test_a_server_that_fails_leaves_the_old_ones(world: Connection, endpoint: Endpoint) -> None:
    before = found(world)
    endpoint.inject(faults.status(401), where=is_embedding)
    refused("GR102", (endpoint.url,), lambda: call(world, endpoint.url, "scripted"))
    is_as_before(world)
    endpoint.heal()
    endpoint.inject(
        faults.other_width(5), times=1, where=lambda r: is_embedding(r) and r.body["input"] != ["width"]
    )
    refused("GR105", ("5", "32"), lambda: call(world, endpoint.url, "scripted", options='{"batch_size": 10}'))
    assert progress(world) == 0
    assert found(world) == before
    call(world)
    assert value(world, "select model from kb.realm") == "scripted"


@pytest.mark.parametrize("end", ["pg_terminate_backend", "pg_cancel_backend"])
def test_it_goes_on_where_it_was_stopped(
    world: Connection, database: Database, endpoint: Endpoint, end: str
) -> None:
    before = found(world)
    texts = value(world, "select count(*) from kb.content")
    hold = threading.Event()
    with running(database, endpoint.url, "scripted", batch_size=10) as join:
        eventually(lambda: progress(world) or 0 >= 20)
        endpoint.inject(faults.held(hold), where=is_embedding)
        refused("GR043", (REALM,), lambda: call(world), hint="kb.reembedding")
        refused("GR043", (REALM,), lambda: rows(world, "abandon_reembedding", REALM))
        doctor = {r["check"]: r for r in rows(world, "doctor", REALM)}
        assert doctor["re-embedding"]["status"] == "ok"
        assert found(world) == before
        pid = process(world)
        sql(world, f"select {end}(%s)", [pid])
        error = join()
        assert isinstance(error, psycopg.OperationalError)
        assert isinstance(error, QueryCanceled) == (end == "pg_cancel_backend")
    hold.set()
    endpoint.heal()
    done = progress(world)
    assert 0 < done < texts
    doctor = {r["check"]: r for r in rows(world, "doctor", REALM)}
    assert doctor["re-embedding"]["status"] == "warning"
    assert f"{done} of {texts}" in doctor["re-embedding"]["detail"]
    refused("GR043", ("scripted", "32"), lambda: call(world, width=64), hint="abandon_reembedding")
    endpoint.requests.clear()
    call(world)
    assert sum(len(r.body["input"]) for r in endpoint.embeddings) <= texts - done
    assert value(world, "select model from kb.realm") == "scripted"
    is_as_before(world)


def test_it_goes_on_with_the_options_that_are_given_now(world: Connection, endpoint: Endpoint) -> None:
    call(world, endpoint.url, "scripted", options='{"batch_size": 10}', max_seconds=0)
    call(world, endpoint.url, "scripted", options='{"batch_size": 3}')
    assert max(len(request.body["input"]) for request in endpoint.embeddings) == 3
    assert value(world, "select options from kb.endpoint where role = 'embedding'") == {"batch_size": 3}


def test_it_can_be_given_up(world: Connection) -> None:
    before = found(world)
    call(world, width=64, max_seconds=0)
    assert progress(world) == 0
    assert rows(world, "abandon_reembedding", REALM) == [{"abandon_reembedding": True}]
    notices: list[str] = []
    world.add_notice_handler(lambda said: notices.append(said.message_primary or ""))
    assert rows(world, "abandon_reembedding", REALM) == [{"abandon_reembedding": False}]
    assert notices == []
    is_as_before(world)
    assert found(world) == before


def test_documents_that_come_meanwhile_are_caught_up_with(
    world: Connection, database: Database, endpoint: Endpoint
) -> None:
    """Some while it is at it, one by a writer whom the swap has to wait for."""
    hold = threading.Event()
    with (
        database.connect(autocommit=False) as writer,
        running(database, endpoint.url, "scripted", batch_size=500) as join,
    ):
        endpoint.wait_for(1, is_embedding)
        endpoint.inject(faults.held(hold), where=is_embedding)
        for number in range(3):
            say(world, circle(f"New {number}"), f"new {number}", realm=REALM)
        assert ("chunk", "New 1 One") in [(k, t[:9]) for k, t, _ in _evidence(world, "New 1 One")]
        say(writer, circle("Late"), "late", realm=REALM)
        hold.set()
        endpoint.heal()
        eventually(lambda: waiting(world))
        assert value(world, "select model from kb.realm") == "hash"
        assert found(world), "readers do not wait for it"
        writer.commit()
        assert join() is None
    assert value(world, "select count(*) from kb.documents") == 8
    assert value(world, "select model from kb.realm") == "scripted"
    sent = {text for request in endpoint.embeddings for text in request.body["input"]}
    assert sql(world, "select body from kb.content where body <> all (%s)", [list(sent)]) == []


def _evidence(conn: Connection, question: str) -> list[tuple[str, str, float]]:
    return [(e["kind"], e["text"], e["score"]) for e in rows(conn, "retrieve", question, realm=REALM)]


def test_a_reader_in_a_transaction_is_waited_for(world: Connection, database: Database) -> None:
    """Who has searched goes on with the same vectors until he ends; others are not kept waiting for him."""
    before = found(world)
    call(world, width=64, max_seconds=0)
    with database.connect(autocommit=False) as reader, running(database) as join:
        assert found(reader) == before
        for _ in range(3):
            eventually(lambda: waiting(world))
            assert found(world) == before
            assert found(reader) == before
        reader.rollback()
        assert join() is None
        assert found(reader) != before


def test_it_begins_when_readers_let_it(world: Connection, database: Database) -> None:
    before = found(world)
    with database.connect(autocommit=False) as reader:
        assert found(reader) == before
        with running(database, width=64) as join:
            eventually(lambda: waiting(world))
            assert found(world) == before
            reader.rollback()
            assert join() is None
    assert widths(world) == {64}


def test_what_was_prepared_for_the_old_vectors_is_prepared_again(
    world: Connection, database: Database, endpoint: Endpoint
) -> None:
    """A job whose model thinks while the vectors are swapped, for others of the same width."""
    hold = threading.Event()
    endpoint.inject(faults.held(hold), times=1, where=is_chat)
    endpoint.on_extraction = lambda _: {
        "entities": [], "triples": [{"subject": "Ann", "predicate": "founded", "object": "Acme"}],
    }  # fmt: skip
    rows(world, "enqueue", "Ann founded Acme.", document="acme", realm=REALM)
    worker = threading.Thread(target=_work, args=(database,), daemon=True)
    worker.start()
    endpoint.wait_for(len(endpoint.chats) + 1, is_chat)
    call(world, endpoint.url, "scripted")
    hold.set()
    worker.join(30)
    assert [(r["status"], r["reason"]) for r in sql(world, "select * from kb.jobs")] == [("done", None)]
    bodies = [r["body"] for r in sql(world, "select body from kb.content where body ~ 'Ann founded|Ann --'")]
    sent = {text for request in endpoint.embeddings for text in request.body["input"]}
    assert bodies
    assert set(bodies) <= sent


def _work(database: Database) -> None:
    with database.connect() as conn:
        conn.execute("call graphrag.work('kb', retry_after => '0')")


def test_a_writer_with_an_old_snapshot_is_refused(world: Connection, database: Database) -> None:
    with database.connect(autocommit=False) as writer:
        writer.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        sql(writer, "select 1")
        call(world, width=64)
        with pytest.raises(SerializationFailure):
            say(writer, circle("Late"), "late", realm=REALM)
        writer.rollback()
        say(writer, circle("Late"), "late", realm=REALM)
        writer.commit()
    assert widths(world) == {64}


def test_whom_it_is_for(world: Connection, database: Database) -> None:
    """Grants outlive it; who may only read or write the realm may not, whatever functions he can execute."""
    sql(world, "create role reembed_writer login")
    try:
        rows(world, "grant_writer", "reembed_writer", REALM)
        call(world, width=64)
        with database.connect(user="reembed_writer") as writer:
            assert sql(writer, "select * from kb.merge_candidates") == []
            say(writer, circle("Theirs"), "theirs", realm=REALM)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                call(writer, width=32)
            sql(world, "grant execute on all functions in schema graphrag to reembed_writer")
            sql(world, "grant execute on all procedures in schema graphrag to reembed_writer")
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="owner"):
                call(writer, width=32)
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="owner"):
                rows(writer, "abandon_reembedding", REALM)
            sql(writer, "set graphrag.reembed = 'on'")
            with pytest.raises(psycopg.Error) as caught:
                sql(writer, "update kb.content set body = ''")
            assert caught.value.diag.sqlstate == "GR022"
    finally:
        sql(world, "drop owned by reembed_writer")
        sql(world, "drop role reembed_writer")


def test_mistakes(world: Connection, endpoint: Endpoint) -> None:
    refused("GR009", ("no model",), lambda: call(world, endpoint.url))
    refused("GR009", ("batch_size 0",), lambda: call(world, batch_size=0))
    refused("GR009", ("tempo",), lambda: call(world, options='{"tempo": 1}'))
    with world.transaction():
        refused("GR040", ("reembed()",), lambda: call(world, width=64))
    is_as_before(world)
    call(world, width=64)


def test_an_empty_realm(conn: Connection) -> None:
    rows(conn, "create_realm", "empty", "builtin:hash", width=32)
    conn.execute("call graphrag.reembed('empty', width => 3072)")
    assert row(conn, "index", "Ann founded Acme.", realm="empty")["chunks"] == 1
    assert value(conn, "select vector_dims(vec::vector) from empty.content limit 1") == 3072


# ---------------------------------------------------------------- what people have on the column
HANGS = {
    "a view": ("create view mine as select id, vec from kb.content", "view public.mine", "drop view mine"),
    "an index": (
        "create index own_part on kb.content (id) where vec is not null", "index own_part", "drop index kb.own_part",
    ),
    "a publication": (
        "create publication vectors for table kb.content (id, vec)", "publication vectors", "drop publication vectors",
    ),
    "a rule": (
        "create rule odd as on delete to kb.content where old.vec is null do also nothing",
        "rule odd",
        "drop rule odd on kb.content",
    ),
    "a constraint": (
        "alter table kb.content add constraint there check (vec is not null)",
        "constraint there",
        "alter table kb.content drop constraint there",
    ),
    "a function": (
        "create function ours() returns bigint language sql begin atomic select count(vec) from kb.content; end",
        "function public.ours()",
        "drop function ours()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HANGS)
def test_what_hangs_on_the_vectors_is_named_before_anything_is_paid(world: Connection, what: str) -> None:
    make, name, unmake = HANGS[what]
    sql(world, "set client_min_messages = error")
    sql(world, make)
    said = refused("2BP01", (REALM,), lambda: call(world, width=48), hint="make it again")
    assert name in (said.message_detail or "")
    assert "content_vec_" not in (said.message_detail or ""), "the realm's own are not named"
    is_as_before(world)
    sql(world, unmake)
    call(world, width=48)
    assert widths(world) == {48}


def test_what_comes_to_hang_there_meanwhile_stops_the_swap(world: Connection) -> None:
    call(world, width=48, max_seconds=0)
    sql(world, "create view mine as select vec from kb.content")
    refused("2BP01", (REALM,), lambda: call(world))
    assert widths(world) == {32}
    sql(world, "drop view mine")
    call(world)
    assert widths(world) == {48}
    is_as_before(world)


def test_grants_on_the_column_are_carried_over(world: Connection) -> None:
    sql(world, "create role reembed_column; grant select (vec), references (vec) on kb.content to reembed_column;"
        " grant select (vec) on kb.content to public")  # fmt: skip
    try:
        acl = "select attacl::text from pg_attribute where attrelid = 'kb.content'::regclass and attname = 'vec'"
        before = value(world, acl)
        assert before
        call(world, width=48)
        assert value(world, acl) == before
    finally:
        sql(world, "drop owned by reembed_column; drop role reembed_column")


# ---------------------------------------------------------------- widths
@pytest.mark.parametrize("width", [0, 4001])
def test_a_width_that_no_index_takes_is_refused_in_the_same_words_everywhere(
    world: Connection, width: int
) -> None:
    create = partial(rows, world, "create_realm", "other", "builtin:hash", width=width)
    for attempt in (
        create,
        partial(call, world, width=width),
        partial(call, world, "builtin:hash", width=width),
    ):
        refused("GR009", (f"a vector cannot have {width} dimensions",), attempt, hint="from 1 to 4000")
    is_as_before(world)


def test_any_other_width_will_do_for_vectors_without_a_model(world: Connection) -> None:
    for width in (1, 7):
        call(world, "builtin:hash", width=width)
        assert widths(world) == {width}
        assert value(world, "select options from kb.endpoint where role = 'embedding'") == {"width": width}

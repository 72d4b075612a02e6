"""The queue: documents are worked off by any number of sessions, each once, and what was paid for is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import eventually, row, rows
from tests.support.database import Connection, Database, Row, sql, value
from tests.support.endpoint import Endpoint, is_chat, is_embedding, says
from tests.support.reading import PEOPLE, REALM, founders, fresh, make_realm, pages


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def model(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A realm whose model is asked once a chunk, two at a time."""
    make_realm(conn, endpoint)
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    rows(conn, "configure", "max_concurrent_chunks", Jsonb(2), realm=REALM)
    return endpoint


def enqueue(conn: Connection, *names: str, document: str | None = "a", **named: Any) -> int:
    return int(row(conn, "enqueue", pages(*names), document=document, realm=REALM, **named)["enqueue"])


def work(conn: Connection, **named: Any) -> None:
    given = "".join(f", {name} => %s" for name in named)
    conn.execute(f"call graphrag.work('{REALM}'{given})", list(named.values()))


def jobs(conn: Connection) -> list[Row]:
    return sql(conn, "select * from kb.jobs order by job")


def job(conn: Connection, number: int) -> Row:
    (found,) = sql(conn, "select * from kb.jobs where job = %s", [number])
    return found


def statuses(conn: Connection) -> list[str]:
    return [job["status"] for job in jobs(conn)]


def asked(model: Endpoint) -> list[str]:
    """The people whose paragraphs the model was asked about since the last look."""
    found = [str(chat.text).split(maxsplit=1)[0] for chat in model.chats]
    model.requests.clear()
    return found


@contextmanager
def working(database: Database, **named: Any) -> Iterator[tuple[Connection, Future[None]]]:
    """A session that works meanwhile."""
    with ThreadPoolExecutor(1) as pool, database.connect() as worker:
        yield worker, pool.submit(work, worker, **named)


# ---------------------------------------------------------------- what becomes of a document
@pytest.mark.usefixtures("model")
def test_a_queued_document_is_the_one_that_index_makes(conn: Connection) -> None:
    says: dict[str, Any] = {
        "metadata": {"kind": "letter"},
        "published_at": "2021-03-04T12:00Z",
        "ordinal": 7,
        "source": "news",
    }
    enqueue(conn, "Ann", "Bob", **says)
    assert founders(conn) == set()
    work(conn)
    (done,) = jobs(conn)
    assert (done["status"], done["attempts"], done["chunks"], done["chunks_done"]) == ("done", 1, 2, 2)
    assert (done["result"]["relations_added"], done["result"]["llm_calls"]) == (2, 2)
    assert founders(conn) == {"Ann", "Bob"}
    assert row(conn, "index", pages("Ann", "Bob"), document="a", realm=REALM, **says)["unchanged"] == 2
    assert value(conn, "select revision from kb.space") == 1


@pytest.mark.usefixtures("model")
def test_an_extraction_may_be_brought(conn: Connection) -> None:
    row(
        conn,
        "enqueue",
        "Ann founded Acme.",
        document="a",
        extraction=Jsonb([["Ann", "founded", "Acme"]]),
        realm=REALM,
    )
    work(conn)
    assert statuses(conn) == ["done"]
    assert founders(conn) == {"Ann"}


@pytest.mark.usefixtures("model")
def test_a_bulk_load_builds_the_vector_indexes_after_the_rows(conn: Connection) -> None:
    kinds = "select count(*) from pg_indexes where schemaname = 'kb' and indexname ~ '^content_vec_'"
    filenodes = (
        "select sum(c.oid::bigint) from pg_class as c where c.relname ~ '^content_vec_' and c.relkind = 'i'"
    )
    enqueue(conn, "Ann")
    before = value(conn, filenodes)
    work(conn, bulk=True, max_jobs=1)
    assert founders(conn) == {"Ann"}
    built = value(conn, filenodes)
    assert (value(conn, kinds), built != before) == (4, True)
    work(conn, bulk=True)
    assert value(conn, filenodes) == built
    # as an interrupted call leaves it
    rows(conn, "drop_vector_indexes", REALM)
    work(conn, bulk=True)
    assert value(conn, kinds) == 4


def test_an_unchanged_document_costs_nothing(conn: Connection, model: Endpoint) -> None:
    row(conn, "index", pages("Ann"), document="a", realm=REALM)
    model.requests.clear()
    enqueue(conn, "Ann")
    work(conn)
    assert statuses(conn) == ["done"]
    assert model.requests == []
    assert value(conn, "select revision from kb.space") == 1


@pytest.mark.parametrize("text", [None, "", " \r\n", "\ufeff\r\n"])
@pytest.mark.usefixtures("model")
def test_an_empty_document_is_noted_and_the_queue_moves_on(conn: Connection, text: str | None) -> None:
    row(conn, "enqueue", text, document="empty", realm=REALM)
    enqueue(conn, "Ann")
    work(conn)
    assert [(job["status"], job["reason"]) for job in jobs(conn)] == [
        ("skipped", "the document is empty"),
        ("done", None),
    ]


@pytest.mark.usefixtures("model")
def test_what_is_rolled_back_was_never_queued(conn: Connection) -> None:
    with conn.transaction(force_rollback=True):
        enqueue(conn, "Ann")
    work(conn)
    assert jobs(conn) == []


def test_without_an_extraction_endpoint(conn: Connection) -> None:
    rows(conn, "create_realm", REALM, "builtin:hash", width=16)
    enqueue(conn, "Ann")
    work(conn)
    assert statuses(conn) == ["done"]
    assert value(conn, "select count(*) from kb.documents") == 1


@pytest.mark.usefixtures("model")
def test_limits(conn: Connection) -> None:
    for name in PEOPLE[:3]:
        enqueue(conn, name, document=name)
    work(conn, max_seconds=0)
    assert statuses(conn) == ["pending"] * 3
    work(conn, max_jobs=2)
    assert statuses(conn) == ["done", "done", "pending"]


def test_contradictions_are_looked_for_as_index_does(conn: Connection, model: Endpoint) -> None:
    row(conn, "index", pages("Ann"), document="first", realm=REALM)
    rows(conn, "configure", "contradiction_detection", Jsonb(True), realm=REALM)
    model.on_extraction = lambda _: {
        "entities": [{"name": "Ann"}, {"name": "Bexley"}],
        "triples": [{"subject": "Ann", "predicate": "founded", "object": "Bexley"}],
    }
    model.on_other = lambda _: {"contradictions": [{"statement": 1, "contradicts": 1}]}
    row(conn, "enqueue", "Ann founded Bexley.", document="second", realm=REALM)
    model.requests.clear()
    work(conn)
    assert statuses(conn) == ["done"]
    assert len(model.chats) == 2, "the chunk and the question"
    assert value(conn, "select count(*) from kb.contradiction") == 1
    assert jobs(conn)[0]["result"]["llm_calls"] == 2


# ---------------------------------------------------------------- while it runs
def test_progress_is_seen_and_no_snapshot_is_held(
    conn: Connection, model: Endpoint, module_database: Database
) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=says("Eve"))
    enqueue(conn, *PEOPLE[:6])
    activity = "select backend_xmin from pg_stat_activity where pid = %s"
    with working(module_database) as (worker, running):
        model.wait_for(6, is_chat)
        (seen,) = jobs(conn)
        assert (seen["status"], seen["chunks"], seen["chunks_done"]) == ("running", 6, 4)
        assert seen["worker"] == worker.info.backend_pid
        pid = [worker.info.backend_pid]
        eventually(lambda: value(conn, activity, pid) is None)
        horizon = value(conn, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        conn.execute("create table later (id integer); drop table later")
        newer = value(conn, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        assert newer > horizon, "the worker's transaction has no id that would hold others back"
        end, observed = time.monotonic() + 2, []
        while time.monotonic() < end:
            observed.append(value(conn, activity, pid))
        assert observed.count(None) > 0.8 * len(observed)
        release.set()
        running.result(timeout=20)
    assert statuses(conn) == ["done"]


def test_two_workers_share_the_queue(conn: Connection, model: Endpoint, module_database: Database) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=says("Ann"))
    for name in PEOPLE[:3]:
        enqueue(conn, name, document=name)
    with working(module_database) as (_, running):
        model.wait_for(1, is_chat)
        work(conn)
        assert statuses(conn) == ["running", "done", "done"]
        release.set()
        running.result(timeout=20)
    assert sorted(asked(model)) == sorted(PEOPLE[:3])
    assert statuses(conn) == ["done"] * 3


@pytest.mark.usefixtures("model")
def test_pause_and_resume(conn: Connection) -> None:
    enqueue(conn, "Ann")
    rows(conn, "pause", realm=REALM)
    work(conn)
    assert statuses(conn) == ["pending"]
    found = {row["check"]: row for row in rows(conn, "doctor", realm=REALM)}
    assert found["job workers"]["status"] == "warning"
    assert "paused" in found["job workers"]["detail"]
    assert row(conn, "resume", realm=REALM)["resume"] == 1
    work(conn)
    assert statuses(conn) == ["done"]


# ---------------------------------------------------------------- several changes of one document
def test_the_last_change_wins_and_only_it_is_paid_for(conn: Connection, model: Endpoint) -> None:
    for name in PEOPLE[:3]:
        enqueue(conn, name)
    enqueue(conn, "Dmitri", document="other")
    work(conn)
    assert statuses(conn) == ["skipped", "skipped", "done", "done"]
    assert jobs(conn)[0]["reason"] == "a later change took its place"
    assert asked(model) == ["Carla", "Dmitri"]
    assert founders(conn) == {"Carla", "Dmitri"}


def test_a_running_job_that_is_overtaken_stops_asking(
    conn: Connection, model: Endpoint, module_database: Database
) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=says("Ann"))
    enqueue(conn, *PEOPLE[:6])
    with working(module_database) as (_, running):
        model.wait_for(2, is_chat)
        enqueue(conn, "Gus")
        work(conn)
        assert statuses(conn) == ["running", "pending"], "changes of one document are not worked on at once"
        release.set()
        running.result(timeout=20)
    assert statuses(conn) == ["skipped", "done"]
    assert sorted(asked(model)) == ["Ann", "Bob", "Gus"]
    assert founders(conn) == {"Gus"}


@pytest.mark.usefixtures("model")
def test_a_change_that_comes_while_the_document_is_about_to_be_written(
    conn: Connection, module_database: Database
) -> None:
    row(conn, "index", pages("Zed"), document="other", realm=REALM)
    enqueue(conn, "Ann")
    with module_database.connect(autocommit=False) as blocker:
        blocker.execute("select from kb.space for update")
        with working(module_database) as (worker, running):
            eventually(lambda: is_waiting_for_a_lock(conn, worker))
            enqueue(conn, "Bob")
            blocker.commit()
            running.result(timeout=20)
    assert statuses(conn) == ["skipped", "done"]
    assert founders(conn) == {"Bob", "Zed"}


def is_waiting_for_a_lock(conn: Connection, session: Connection) -> bool:
    query = "select wait_event_type = 'Lock' as waits from pg_stat_activity where pid = %s"
    return value(conn, query, [session.info.backend_pid]) is True


# ---------------------------------------------------------------- failures
def test_a_failure_is_tried_again_later_and_then_rests(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.status(401, message="wrong key"), where=is_embedding)
    number = enqueue(conn, "Ann")
    enqueue(conn, "Bob", document="b")
    work(conn, max_attempts=2, retry_after="1 hour")
    assert statuses(conn) == ["pending", "pending"], "the failure of one job is not the next one's"
    waits = job(conn, number)
    assert "wrong key" in waits["reason"]
    assert value(conn, "select ready_at - now() > interval '29 minutes' from kb.job where id = %s", [number])
    work(conn, max_attempts=2)
    assert job(conn, number)["attempts"] == 1, "not before its time"
    conn.execute("update kb.job set ready_at = now()")
    assert asked(model) == ["Ann", "Bob"]
    work(conn, max_attempts=2)
    assert statuses(conn) == ["failed", "failed"]
    assert asked(model) == [], "what the model has answered is kept"
    found = {row["check"]: row for row in rows(conn, "doctor", realm=REALM)}
    assert found["jobs"]["status"] == "warning"
    assert "wrong key" in found["jobs"]["detail"]
    model.heal()
    assert row(conn, "resume", realm=REALM, retry_failed=True)["resume"] == 2
    work(conn)
    assert statuses(conn) == ["done", "done"]
    assert founders(conn) == {"Ann", "Bob"}


@pytest.mark.usefixtures("model")
def test_a_callers_mistake_is_not_tried_again(conn: Connection) -> None:
    number = int(
        row(conn, "enqueue", "Text.", document="a", extraction=Jsonb({"a": 1}), realm=REALM)["enqueue"]
    )
    work(conn)
    found = job(conn, number)
    assert (found["status"], found["attempts"]) == ("failed", 1)
    assert found["reason"].startswith("extraction is of no known shape")


def test_a_chunk_that_fails_is_listed_and_the_others_are_kept(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.status(400, message="too rude"), where=says("Carla"))
    enqueue(conn, *PEOPLE[:5])
    work(conn)
    (done,) = jobs(conn)
    assert done["status"] == "done"
    assert "1 of 5 chunks failed" in done["reason"]
    assert done["result"]["failures"][0]["chunk"] == 3
    assert founders(conn) == set(PEOPLE[:5]) - {"Carla"}


def test_a_server_that_goes_down_is_waited_for(conn: Connection, model: Endpoint) -> None:
    enqueue(conn, *PEOPLE[:5])
    model.inject(faults.status(401, message="expired"), where=says("Carla"))
    model.inject(faults.status(401, message="expired"), where=says("Dmitri"))
    work(conn)
    (waits,) = jobs(conn)
    assert (waits["status"], waits["chunks_done"]) == ("pending", 5)
    assert "expired" in waits["reason"]
    assert value(conn, "select count(*) from kb.document") == 0
    model.heal()
    asked(model)
    conn.execute("update kb.job set ready_at = now()")
    work(conn)
    assert sorted(asked(model)) == ["Carla", "Dmitri", "Eve"]
    assert founders(conn) == set(PEOPLE[:5])


def test_after_the_last_attempt_what_was_read_is_stored(conn: Connection, model: Endpoint) -> None:
    enqueue(conn, *PEOPLE[:4])
    model.inject(faults.status(401), where=says("Carla"))
    model.inject(faults.status(401), where=says("Dmitri"))
    work(conn, max_attempts=1)
    assert statuses(conn) == ["done"]
    assert founders(conn) == {"Ann", "Bob"}


# ---------------------------------------------------------------- workers that are stopped
def cancel(watch: Connection, victim: Connection) -> None:
    value(watch, "select pg_cancel_backend(%s)", [victim.info.backend_pid])


def terminate(watch: Connection, victim: Connection) -> None:
    value(watch, "select pg_terminate_backend(%s)", [victim.info.backend_pid])


@pytest.mark.parametrize("stop", [cancel, terminate])
def test_answers_that_were_paid_for_are_kept(
    conn: Connection,
    model: Endpoint,
    module_database: Database,
    stop: Callable[[Connection, Connection], None],
) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=says("Eve"))
    enqueue(conn, *PEOPLE[:6])
    with working(module_database, lease="1 second") as (worker, running):
        model.wait_for(6, is_chat)
        stop(conn, worker)
        with pytest.raises(psycopg.Error):
            running.result(timeout=10)
    release.set()
    model.heal()
    asked(model)
    assert value(conn, "select count(*) from kb.document") == 0
    if stop is cancel:
        assert [(job["status"], job["attempts"]) for job in jobs(conn)] == [("pending", 0)]
    else:
        eventually(lambda: statuses(conn) == ["stale"])
    work(conn)
    assert sorted(asked(model)) == ["Eve", "Fay"]
    (done,) = jobs(conn)
    assert (done["status"], done["result"]["cached"]) == ("done", 4)
    assert founders(conn) == set(PEOPLE[:6])


def test_a_cancelled_worker_goes_on_to_work(conn: Connection, model: Endpoint) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=is_chat)
    enqueue(conn, "Ann")
    conn.execute("set statement_timeout = '300ms'")
    with pytest.raises(psycopg.errors.QueryCanceled):
        work(conn)
    release.set()
    model.heal()
    conn.execute("set statement_timeout = '30s'")
    work(conn)
    assert statuses(conn) == ["done"]
    held = "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"
    assert value(conn, held) == 0


def test_a_lease_is_extended_while_the_worker_lives(
    conn: Connection, model: Endpoint, module_database: Database
) -> None:
    release = threading.Event()
    model.inject(faults.held(release), where=is_chat)
    enqueue(conn, "Ann")
    with working(module_database, lease="600 ms") as (_, running):
        model.wait_for(1, is_chat)
        first = jobs(conn)[0]["lease_until"]
        eventually(lambda: jobs(conn)[0]["lease_until"] > first)
        assert statuses(conn) == ["running"]
        release.set()
        running.result(timeout=20)
    assert jobs(conn)[0]["attempts"] == 1


def test_a_worker_that_lost_its_lease_writes_nothing(
    conn: Connection, model: Endpoint, module_database: Database
) -> None:
    release = threading.Event()
    model.inject(faults.held(release), times=1, where=is_chat)
    enqueue(conn, "Ann")
    with working(module_database) as (_, running):
        model.wait_for(1, is_chat)
        conn.execute("update kb.job set ready_at = now() - interval '1 second'")
        work(conn)
        assert [(job["status"], job["attempts"]) for job in jobs(conn)] == [("done", 2)]
        before = value(conn, "select revision from kb.space")
        release.set()
        running.result(timeout=20)
    assert value(conn, "select revision from kb.space") == before
    assert [(job["status"], job["attempts"]) for job in jobs(conn)] == [("done", 2)]


@pytest.mark.usefixtures("model")
def test_a_job_that_kills_its_workers_rests_at_last(conn: Connection) -> None:
    number = enqueue(conn, "Ann")
    conn.execute("update kb.job set status = 'running', attempts = 5, ready_at = now()")
    work(conn)
    assert (job(conn, number)["status"], job(conn, number)["reason"]) == ("failed", "its workers died")


# ---------------------------------------------------------------- where it is called
@pytest.mark.usefixtures("model")
def test_not_inside_a_transaction(conn: Connection) -> None:
    enqueue(conn, "Ann")
    with pytest.raises(psycopg.Error) as caught, conn.transaction():
        work(conn)
    assert caught.value.diag.sqlstate == "GR040"
    assert caught.value.diag.message_hint
    assert statuses(conn) == ["pending"]


@pytest.mark.usefixtures("model")
def test_an_unknown_realm(conn: Connection) -> None:
    with pytest.raises(psycopg.Error) as caught:
        conn.execute("call graphrag.work('kbb')")
    assert caught.value.diag.sqlstate == "GR003"


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
@pytest.mark.usefixtures("model")
def test_isolation_levels(conn: Connection, isolation: str) -> None:
    enqueue(conn, "Ann", "Bob")
    conn.execute(f"set default_transaction_isolation = '{isolation}'")
    work(conn)
    assert statuses(conn) == ["done"]


@pytest.mark.usefixtures("model")
def test_a_hostile_search_path_changes_nothing(conn: Connection) -> None:
    enqueue(conn, "Ann", "Bob")
    conn.execute("create schema trap")
    try:
        for function in ("set_config(text, text, boolean)", "current_setting(text, boolean)"):
            conn.execute(
                f"create function trap.{function} returns text language plpgsql as"
                " $$ begin raise exception 'trapped'; end $$"
            )
        conn.execute(
            "create function trap.equal(text, text) returns boolean language plpgsql as"
            " $$ begin raise exception 'trapped'; end $$;"
            "create operator trap.= (leftarg = text, rightarg = text, function = trap.equal);"
            "create table trap.job (id integer); create table trap.realm (version text)"
        )
        conn.execute("set search_path = trap, pg_catalog")
        work(conn)
        assert value(conn, "select pg_catalog.current_setting('search_path', true)") == "trap, pg_catalog"
    finally:
        conn.execute("reset search_path")
        conn.execute("drop schema trap cascade")
    assert statuses(conn) == ["done"]


@pytest.mark.usefixtures("model")
def test_a_writer_may_queue_and_work_and_another_role_only_queue(conn: Connection) -> None:
    try:
        conn.execute("create role jobs_writer; create role jobs_source")
        rows(conn, "grant_writer", "jobs_writer", realm=REALM)
        conn.execute("set role jobs_writer")
        enqueue(conn, "Ann")
        work(conn)
        assert statuses(conn) == ["done"]
        assert founders(conn) == {"Ann"}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            rows(conn, "pause", realm=REALM)
        conn.execute("reset role")
        conn.execute("grant usage on schema kb to jobs_source; grant insert on kb.job to jobs_source")
        conn.execute("set role jobs_source")
        conn.execute(
            "insert into kb.job (space, operation, document, content) values ('default', 'index', 'b', 'x')"
        )
        for refused in ("select * from kb.job", "call graphrag.work('kb')", "select graphrag.enqueue('x')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(refused)
    finally:
        conn.execute("reset role")
        for role in ("jobs_writer", "jobs_source"):
            conn.execute(f"drop owned by {role}; drop role {role}")


# ---------------------------------------------------------------- deletions
@pytest.mark.usefixtures("model")
def test_all_of_a_source_but_what_came_later(conn: Connection) -> None:
    """A truncated table, and a row inserted into it before the queue was looked at."""
    for name in PEOPLE[:3]:
        enqueue(conn, name, document=name, source="table")
    enqueue(conn, "Zed", document="Zed")
    work(conn)
    enqueue(conn, "Eve", document="Eve", source="table")
    clear = "insert into kb.job (space, operation, source) values ('default', 'clear', 'table')"
    conn.execute(clear)
    enqueue(conn, "Ann", "Fay", document="Ann", source="table")
    work(conn)
    assert [job["status"] for job in jobs(conn)][4:] == ["skipped", "done", "done", "skipped", "done", "done"]
    assert founders(conn) == {"Ann", "Fay", "Zed"}

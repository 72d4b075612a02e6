"""A backend that dies at any instant leaves each document wholly old or wholly new, and application rows with it.

GRAPHRAG_KILLS says how many deaths (`make nightly`: 1,000). Each strikes at a random instant of a run that brings 30
documents to their next version; the next run takes up what is left.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support.calls import eventually, row, rows
from tests.support.circles import WORLD, build, circle, make_realm, say, tree
from tests.support.corpus import as_json, differences
from tests.support.database import Connection, Database, Row, sql, value, view
from tests.support.endpoint import Endpoint, plain_report
from tests.support.model import Entity, Extraction, Triple

KILLS = int(os.environ.get("GRAPHRAG_KILLS", "30"))
REALM = "kb"
DOCUMENTS = range(30)
Fact = tuple[str, str, str]


def facts(number: int, version: int) -> list[Fact]:
    """What a document says in a version: of its own, about its neighbours, and what all say in every version."""
    here, there = f"Town {number}", f"Town {(number + version) % len(DOCUMENTS)}"
    own = [(f"Person {number}", "lives_in", here), (here, "reported_in", f"Gazette {number} of {version}")]
    border = [(here, "borders", there)] if here != there else []
    return [*own, *border, ("Ada", "founded", "Acme")]


def paragraphs(number: int, version: int) -> list[str]:
    """One a fact, each a chunk; half of them stay the same from version to version."""
    return [f"{' '.join(fact).replace('_', ' ')}. ".ljust(90, "·") for fact in facts(number, version)]


def extraction(number: int, version: int) -> dict[str, object]:
    chunks = []
    for no, (subject, predicate, object_) in enumerate(facts(number, version), 1):
        said = Extraction((Entity(subject), Entity(object_)), (Triple(subject, predicate, object_),))
        chunks.append({"no": no, **as_json(said)})
    return {"chunks": chunks}


def write(conn: Connection, numbers: Sequence[int], version: int) -> None:
    """One transaction: the application's rows and the documents."""
    with conn.transaction():
        for number in numbers:
            conn.execute("update article set version = %s where id = %s", [version, number])
            row(
                conn,
                "index",
                "\n\n".join(paragraphs(number, version)),
                document=f"doc {number}",
                ordinal=number,
                extraction=extraction(number, version),
                realm=REALM,
            )


class Run:
    """A client that brings the documents to a version, some of them a transaction, until it dies."""

    def __init__(self, database: Database, version: int, together: int) -> None:
        self.pid: int | None = None
        pool = ThreadPoolExecutor(1)
        self._done = pool.submit(self._work, database, version, together)
        pool.shutdown(wait=False)

    def _work(self, database: Database, version: int, together: int) -> None:
        with database.connect() as conn:
            self.pid = conn.info.backend_pid
            todo = sql(conn, "select id from article where version < %s order by id", [version])
            numbers = [int(article["id"]) for article in todo]
            for start in range(0, len(numbers), together):
                write(conn, numbers[start : start + together], version)

    def ends_in(self, seconds: float) -> bool:
        return bool(wait([self._done], seconds).done)

    def died(self) -> bool:
        """Whether its backend died under it, once it has ended. Another failure is raised."""
        try:
            self._done.result()
        except psycopg.OperationalError:
            return True
        return False


def check(conn: Connection) -> None:
    """Every document and its application row are of one version, and so is the graph."""
    versions = {article["id"]: article["version"] for article in sql(conn, "select id, version from article")}
    written = {number: version for number, version in versions.items() if version > 0}
    stored = sql(
        conn,
        """
        select d.name, array_agg(t.body order by c.no) as bodies
        from kb.document as d
        join kb.document_version as v on v.document = d.id and v.died is null
        join kb.document_chunk as c on c.version = v.id
        join kb.content as t on t.id = c.content
        group by d.name
        """,
    )
    assert {document["name"]: document["bodies"] for document in stored} == {
        f"doc {number}": paragraphs(number, version) for number, version in written.items()
    }
    found = {
        (fact["subject"], fact["predicate"], fact["object"]): fact for fact in view(conn, REALM, "facts")
    }
    assert set(found) == {fact for number, version in written.items() for fact in facts(number, version)}
    assert [fact["weight"] for fact in found.values() if fact["subject"] == "Ada"] == [len(written)][
        : len(written)
    ]
    assert not written or differences(conn, REALM, "default") == 0


@pytest.fixture
def articles(database: Database) -> Database:
    with database.connect() as conn:
        rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
        for name, size in (("chunk_size", 100), ("chunk_overlap", 0)):
            rows(conn, "configure", name, Jsonb(size), realm=REALM)
        rows(conn, "declare_predicate", "lives_in", is_functional=True, realm=REALM)
        conn.execute("create table article (id integer primary key, version integer not null default 0)")
        conn.execute("insert into article (id) select generate_series(0, %s)", [len(DOCUMENTS) - 1])
    return database


class Watch:
    """A connection that is made again when the server has lost it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.conn = self._connect()

    def renew(self) -> None:
        self.conn.close()
        self.conn = self._connect()

    def _connect(self) -> Connection:
        """Once the server lets one in again: after a crash it recovers first."""

        def attempt() -> Connection | None:
            try:
                return psycopg.connect(self.database.dsn, autocommit=True, row_factory=dict_row)
            except psycopg.OperationalError:
                return None

        connection: Connection = eventually(attempt, timeout=60)
        return connection


@pytest.fixture
def watch(articles: Database) -> Iterator[Watch]:
    found = Watch(articles)
    yield found
    found.conn.close()


def terminate(conn: Connection, pid: int) -> None:
    value(conn, "select pg_terminate_backend(%s)", [pid])


def kill(conn: Connection, pid: int) -> None:
    """The whole server restarts, because shared memory may be damaged: back when it has begun to."""
    try:
        os.kill(pid, signal.SIGKILL)
    except PermissionError:
        pytest.skip("this user may not send signals to the server")
    except ProcessLookupError:
        return  # it had just ended

    def is_lost() -> bool:
        try:
            conn.execute("select 1")
        except psycopg.OperationalError:
            return True
        return False

    eventually(is_lost)


@pytest.mark.parametrize(
    ("stop", "deaths"), [(terminate, KILLS - KILLS // 3), (kill, KILLS // 3)], ids=["terminated", "killed"]
)
def test_documents_are_wholly_old_or_wholly_new(
    articles: Database, watch: Watch, stop: Callable[[Connection, int], None], deaths: int
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # pytest shows it where the test fails
    chance = random.Random(seed)
    version, seconds, died = 1, 2.0, 0
    while died < deaths:
        began = time.monotonic()
        run = Run(articles, version, chance.choice((1, 1, 5, len(DOCUMENTS))))
        if not run.ends_in(chance.uniform(0, seconds)) and run.pid is not None:
            stop(watch.conn, run.pid)
        if run.died():
            died += 1
        else:
            seconds = 0.7 * seconds + 0.3 * (time.monotonic() - began)
            version += 1
        watch.renew()  # a kill takes this connection too, even one that came a moment after the run's end
        check(watch.conn)
    assert not Run(articles, version, 1).died()
    check(watch.conn)
    assert value(watch.conn, "select min(version) = max(version) from article") is True


# ---------------------------------------------------------------- communities
SOCIETY = "society"
NEWCOMERS = 6  # in the circle that changes: of a larger one the clustering would make two


def test_communities_are_those_of_before_or_of_after(database: Database, endpoint: Endpoint) -> None:
    """Each build is killed at a random instant; each time one circle has changed since the last."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    watch = Watch(database)
    endpoint.on_report = lambda text: plain_report(text) | {"rating": len(text) % 11}
    make_realm(watch.conn, endpoint, SOCIETY)
    rows(watch.conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
    say(watch.conn, WORLD, realm=SOCIETY)
    began = time.monotonic()
    build(watch.conn, realm=SOCIETY)
    seconds, died = time.monotonic() - began, 0
    for number in range(max(4, KILLS // 10)):
        newcomer = circle("Alpha", ("One", f"New {number}"))
        say(watch.conn, newcomer, f"more {number % NEWCOMERS}", realm=SOCIETY)
        size_before, size_after = (4 + min(came, NEWCOMERS) for came in (number, number + 1))
        before = shown(watch.conn)
        died += not survives(database, watch, chance.uniform(0, 1.2 * seconds))
        after = shown(watch.conn)
        is_old = [(r["community"], r["title"], r["size"]) for r in after] == [
            (r["community"], r["title"], r["size"]) for r in before
        ]
        assert [r["size"] for r in after] == [size_before if is_old else size_after] + [4] * 3
        assert value(watch.conn, "select graphrag.derive(realm => %s)", [SOCIETY]) == 0
        assert build(watch.conn, realm=SOCIETY)["communities"] == 4
        assert [r["size"] for r in shown(watch.conn)] == [size_after] + [4] * 3
    assert died > 0
    watch.conn.close()


def survives(database: Database, watch: Watch, seconds: float) -> bool:
    """Whether a build ended before its backend was killed. No process of it is left in any case."""
    with database.connect() as victim, ThreadPoolExecutor(1) as pool:
        pid = victim.info.backend_pid
        building = pool.submit(build, victim, realm=SOCIETY)
        was_over = bool(wait([building], seconds).done)
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        kill(watch.conn, pid)
        eventually(lambda: not any(map(runs, started)))
        watch.renew()
        try:
            building.result()
        except psycopg.OperationalError:
            assert not was_over
            return False
        return True


def runs(pid: str) -> bool:
    """Whether a process runs; one that nobody has collected yet does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def shown(conn: Connection) -> list[Row]:
    return tree(conn, realm=SOCIETY)

"""Workers that die at any instant: nothing is lost, nothing done twice, and what was paid for is kept.

GRAPHRAG_KILLS says how many deaths (`make nightly`: 1,000; by default 20). Two workers work off a queue of changes
while their backends are terminated at random instants; each that dies is replaced. Meanwhile an application changes
its table, which is attached.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import eventually, row, rows
from tests.support.corpus import differences
from tests.support.database import Connection, Database, sql, value
from tests.support.endpoint import Endpoint, is_chat
from tests.support.reading import PEOPLE, REALM, founders, make_realm, pages

KILLS = int(os.environ.get("GRAPHRAG_KILLS", "20"))
ROWS = 12
LATENCY = 0.02


class Crew:
    """Workers that are replaced when they die, until they are told to stop."""

    def __init__(self, database: Database, size: int) -> None:
        self.database = database
        self.stopping = threading.Event()
        self.pids: dict[int, int] = {}
        self.deaths = 0
        self.errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._work, args=(n,), daemon=True) for n in range(size)]
        for thread in self._threads:
            thread.start()

    def _work(self, number: int) -> None:
        try:
            while not self.stopping.is_set():
                self._until_it_dies(number)
        except BaseException as error:  # noqa: BLE001  the test's thread raises it
            self.errors.append(error)

    def _until_it_dies(self, number: int) -> None:
        try:
            with self.database.connect() as conn:
                self.pids[number] = conn.info.backend_pid
                while not self.stopping.is_set():
                    conn.execute(
                        "call graphrag.work('kb', max_attempts => 100000, retry_after => '0', lease => '500 ms')"
                    )
                    self.stopping.wait(0.02)
        except psycopg.OperationalError:
            self.deaths += 1

    def stop(self) -> None:
        self.stopping.set()
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
        assert self.errors == []


@pytest.fixture
def crew(articles: Connection, database: Database) -> Iterator[Crew]:
    assert articles
    found = Crew(database, 2)
    yield found
    found.stopping.set()


@pytest.fixture
def articles(conn: Connection, endpoint: Endpoint) -> Connection:
    """An attached table, a model that needs a moment, one chunk a person, two asked at a time."""
    make_realm(conn, endpoint)
    for name, setting in (("gleaning_passes", 0), ("max_concurrent_chunks", 2)):
        rows(conn, "configure", name, Jsonb(setting), realm=REALM)
    endpoint.inject(faults.slow(LATENCY))
    conn.execute("create table article (id integer primary key, body text, at timestamptz)")
    row(conn, "attach", "article", "id", "body", published_at="at", realm=REALM)
    return conn


def change(conn: Connection, chance: random.Random, clock: int) -> None:
    """What an application does: one statement, sometimes two that are rolled back."""
    number = chance.randrange(ROWS)
    body = pages(*(f"{name}{clock}" for name in chance.sample(PEOPLE, chance.randint(1, 5))))
    what = chance.random()
    if what < 0.7:
        conn.execute(
            "insert into article values (%s, %s, now()) on conflict (id) do update set body = excluded.body",
            [number, body],
        )
    elif what < 0.9:
        conn.execute("delete from article where id = %s", [number])
    elif what < 0.97:
        with conn.transaction(force_rollback=True):
            conn.execute("update article set body = %s", [body])
            conn.execute("truncate article")
    else:
        conn.execute("truncate article")


def test_nothing_is_lost_and_nothing_done_twice(articles: Connection, endpoint: Endpoint, crew: Crew) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # pytest shows it where the test fails
    chance = random.Random(seed)
    clock = 0
    while crew.deaths < KILLS:
        assert crew.errors == []
        for _ in range(chance.randint(0, 3)):
            clock += 1
            change(articles, chance, clock)
        time.sleep(chance.uniform(0, 0.4))  # the instant of the kill
        kill_one(articles, crew, chance)
    # Where each died before its first document, and the table was emptied, this makes a graph to check.
    articles.execute("insert into article values (%s, %s, now())", [ROWS, pages(*PEOPLE)])
    eventually(lambda: value(articles, "select count(*) = 0 from kb.job where ended_at is null"), timeout=60)
    crew.stop()
    check(articles, endpoint)
    assert row(articles, "derive", realm=REALM)["derive"] == 0
    assert differences(articles, REALM, "default") == 0


def kill_one(conn: Connection, crew: Crew, chance: random.Random) -> None:
    before = crew.deaths
    (pid,) = chance.sample(list(crew.pids.values()), 1)
    if value(conn, "select pg_terminate_backend(%s)", [pid]):
        eventually(lambda: crew.deaths > before, timeout=30)


def check(conn: Connection, endpoint: Endpoint) -> None:
    """Table and graph say the same; each job has ended once; no chunk was paid for twice."""
    assert set(sql_values(conn, "select distinct status from kb.job")) <= {"done", "skipped"}
    written = sql(
        conn,
        """
        select d.name, string_agg(t.body, E'\\n\\n' order by c.no) as body
        from kb.document as d
        join kb.document_version as v on v.document = d.id and v.died is null
        join kb.document_chunk as c on c.version = v.id
        join kb.content as t on t.id = c.content
        group by d.name
        """,
    )
    expected = sql(conn, "select id::text as name, body from article")
    assert {d["name"]: d["body"] for d in written} == {a["name"]: a["body"] for a in expected}
    names = {paragraph.split(maxsplit=1)[0] for a in expected for paragraph in a["body"].split("\n\n")}
    assert founders(conn) == names
    done = value(conn, "select count(*) from kb.job where status = 'done' and operation = 'index'")
    revisions = value(conn, "select count(*) from kb.revision where operation = 'index'")
    assert revisions <= done, "a job that is done wrote once"
    paid = Counter(str(chat.text).split(maxsplit=1)[0] for chat in endpoint.chats)
    twice = sum(count - 1 for count in paid.values())
    # A batch of two is lost with each death at most; all that was answered and committed is asked for once.
    assert twice <= 2 * (KILLS + 10), paid.most_common(5)


def sql_values(conn: Connection, query: str) -> list[str]:
    return [str(next(iter(found.values()))) for found in sql(conn, query)]


def test_the_kills_strike_while_models_are_asked(
    articles: Connection, endpoint: Endpoint, crew: Crew
) -> None:
    """The test above is about something: most of a worker's time is spent waiting."""
    articles.execute("insert into article values (1, %s)", [pages(*PEOPLE)])
    endpoint.wait_for(2, is_chat)
    eventually(lambda: value(articles, "select bool_or(status = 'running') from kb.job"))
    crew.stop()

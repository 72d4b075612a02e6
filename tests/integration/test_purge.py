"""purge() erases history and nothing else: the present stays, the past that is left stays, the rest is refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.support.calls import eventually, mistake, row, rows, waiting
from tests.support.corpus import differences
from tests.support.database import Connection, Database, sql, value, view
from tests.support.endpoint import Endpoint, held, is_embedding
from tests.support.feed import changes, drain
from tests.support.hand import assert_triple, chunk_of
from tests.support.model import Triple
from tests.support.reading import REALM


@pytest.fixture
def kb(conn: Connection) -> Connection:
    """Ada moves twice; what said so first is withdrawn, with two people whom only it knew."""
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
    conn.execute(f"set graphrag.realm = {REALM}")
    rows(conn, "declare_predicate", "lives_in", is_functional=True)
    index(conn, "a", 1, "Ada lives in London.", ("Ada", "lives_in", "London"))
    index(
        conn, "b", 2, "Ada lives in Paris. Eve Zorn met Bob Quill, who paid $77.",
        ("Ada", "lives_in", "Paris"), ("Eve Zorn", "met", "Bob Quill"), ("Bob Quill", "paid", "$77"),
    )  # fmt: skip
    index(conn, "c", 3, "Ada lives in Rome.", ("Ada", "lives_in", "Rome"))
    rows(conn, "retract_relation", "Eve Zorn", "met", "Bob Quill")
    rows(conn, "delete_document", "b")
    return conn


def index(conn: Connection, name: str, ordinal: int, text: str, *triples: tuple[str, str, str]) -> None:
    records = [dict(zip(("subject", "predicate", "object"), triple, strict=True)) for triple in triples]
    rows(conn, "index", text, document=name, ordinal=ordinal, extraction={"triples": records})


def purge(conn: Connection, **what: Any) -> dict[str, int]:
    return {found["what"]: found["rows"] for found in rows(conn, "purge", **what)}


def sizes(conn: Connection) -> dict[str, int]:
    tables = sql(conn, "select tablename as name from pg_tables where schemaname = 'kb'")
    return {t["name"]: value(conn, f"select count(*) from kb.{t['name']}") for t in tables}


def graph(conn: Connection) -> list[str]:
    return sorted(
        str(found) for name in ("facts", "entities", "documents") for found in view(conn, REALM, name)
    )


def answers(conn: Connection, at: int | None) -> list[dict[str, Any]]:
    """What was believed; a timeline also tells what had been withdrawn by then, which purge() may erase."""
    when = None if at is None else str(at)
    told = rows(conn, "timeline", "Ada", as_believed_at=when)
    return rows(conn, "retrieve", "Where does Ada live?", as_believed_at=when) + [
        fact for fact in told if fact["status"] != "withdrawn"
    ]


def traces(conn: Connection, *words: str) -> list[str]:
    """Tables in which a word stands anywhere, in any spelling."""
    found = []
    for table in sizes(conn):
        for word in words:
            query = f"select count(*) as n from kb.{table} as t where position(%s in lower(to_jsonb(t)::text)) > 0"
            found += [f"{table}: {word}"] * bool(value(conn, query, [word.lower()]))
    return found


def test_a_dry_run_counts_and_changes_nothing(kb: Connection) -> None:
    before, now = sizes(kb), graph(kb)
    counted = purge(kb, document="b")
    assert sizes(kb) == before
    assert graph(kb) == now
    assert answers(kb, 3)
    assert purge(kb, document="b", dry_run=False) == counted
    after = sizes(kb)
    gone = {name: before[name] - after[name] for name in before}
    expected = {
        "document_version": "document versions", "document_chunk": "places of chunks", "chunk": "chunks",
        "mention": "mentions", "assertion": "assertions", "entity_version": "entity versions",
        "entity_name": "entity names",
        "relation_version": "relation versions", "relation": "relations", "content": "texts", "document": "documents",
        "decision": "decisions", "usage": "usage", "term_stat": "counts of terms",
    }  # fmt: skip
    assert {name: gone[name] for name in expected} == {name: counted[what] for name, what in expected.items()}
    assert all(gone[name] == 0 for name in gone.keys() - expected.keys() - {"revision"})


def test_no_trace_of_a_document_is_left(kb: Connection) -> None:
    assert traces(kb, "eve zorn", "zorn", "quill", "$77", "paris")
    now = graph(kb)
    purge(kb, document="b", dry_run=False)
    assert traces(kb, "eve zorn", "evezorn", "zorn", "quill", "$77", "paris") == []
    assert graph(kb) == now
    assert differences(kb, REALM, "default") == 0
    assert view(kb, REALM, "revision")[-1]["operation"] == "purge"


def test_what_other_documents_say_too_stays(kb: Connection) -> None:
    index(kb, "d", 4, "Eve Zorn lives in Paris.", ("Eve Zorn", "lives_in", "Paris"))
    now, then = graph(kb), answers(kb, 6)
    purge(kb, document="b", dry_run=False)
    assert traces(kb, "quill", "$77") == []
    assert graph(kb) == now
    assert answers(kb, 6) == then


def test_the_past_after_it_is_whole_and_before_it_is_refused(kb: Connection) -> None:
    seen = {at: answers(kb, at) for at in (5, None)}
    stamp = value(kb, "select at::text from kb.revision where n = 3")
    purge(kb, document="b", dry_run=False)
    for at, found in seen.items():
        assert answers(kb, at) == found
    for past in ("4", "0", stamp):
        mistake(kb, REALM, "GR023", (past,), "retrieve", "Ada", as_believed_at=past)
        mistake(kb, REALM, "GR023", (past,), "timeline", "Ada", as_believed_at=past)


def test_history_before_a_watermark(kb: Connection) -> None:
    index(kb, "a", 1, "Ada lives in Oslo.", ("Ada", "lives_in", "Oslo"))
    now, seen = graph(kb), {at: answers(kb, at) for at in (5, 6, None)}
    purge(kb, before="5", dry_run=False)
    assert graph(kb) == now
    assert {at: answers(kb, at) for at in seen} == seen
    assert differences(kb, REALM, "default") == 0
    assert value(kb, "select count(*) from kb.relation_version where died <= 5") == 0
    assert traces(kb, "quill") == ["decision: quill"]  # what still stands is no history
    mistake(kb, REALM, "GR023", ("4",), "retrieve", "Ada", as_believed_at="4")
    assert set(purge(kb, before="5", dry_run=False).values()) == {0}
    assert value(kb, "select max(n) from kb.revision") == 7  # of the first purge: the second found nothing
    assert value(kb, "select purged from kb.space") == 5


def test_the_feed_is_begun_anew(kb: Connection) -> None:
    """What is left is told in pages of any size; a place from before the purge is none, whatever was seen there."""
    (first, *_) = rows(kb, "changes_since", None, page_size=1)
    purge(kb, before="5", dry_run=False)
    mistake(kb, REALM, "GR013", (first["position"],), "changes_since", first["position"])
    assert changes(drain(kb, size=1)) == changes(drain(kb))


def test_an_instant_for_every_space(kb: Connection) -> None:
    kb.execute("set graphrag.space = 'other'")
    index(kb, "x", 1, "Kim met Lea.", ("Kim", "met", "Lea"))
    rows(kb, "delete_document", "x")
    sql(kb, "insert into kb.usage (role, at) values ('extraction', '2001-01-01')")
    kb.execute("set graphrag.space = 'default'")
    purge(kb, before="2000-01-01", space="*", dry_run=False)
    assert traces(kb, "kim", "quill")
    counted = purge(kb, before=last_second(kb), space="*", dry_run=False)
    assert counted["usage"] == 1
    assert traces(kb, "kim", "quill") == ["decision: quill"]
    assert [s["purged"] for s in sorted(view(kb, REALM, "space"), key=lambda s: s["id"])] == [5, 2]


def test_a_decision_stays_unless_a_name_of_it_was_the_documents_alone(kb: Connection) -> None:
    """Nib goes by its age: what was decided of it is no trace of another document."""
    index(kb, "e", 4, "Nib met Ada.", ("Nib", "met", "Ada"))
    (merged,) = rows(kb, "merge_entities", "Ada", "Nib")
    rows(kb, "delete_document", "e")
    purge(kb, before=str(value(kb, "select max(n) from kb.revision")), dry_run=False)
    assert not sql(kb, "select from kb.mention where folded = 'nib'")
    standing = "select kind, payload ->> 'names' as names from kb.decision where died is null order by id"
    index(kb, "f", 5, "Uma Bree met Ada.", ("Uma Bree", "met", "Ada"))
    rows(kb, "retract_relation", "Uma Bree", "met", "Ada")
    rows(kb, "delete_document", "f")
    before = sql(kb, standing)
    purge(kb, document="f", dry_run=False)
    left = sql(kb, standing)
    assert [d for d in before if d not in left] == [d for d in before if "umabree" in d["names"]] != []
    assert traces(kb, "nib") == ["decision: nib"]
    rows(kb, "undo", next(iter(merged.values())))
    assert differences(kb, REALM, "default") == 0


def test_a_row_by_hand_into_a_past_chunk_is_not_in_its_way(database: Database, kb: Connection) -> None:
    """The row has its chunk and waits for the space, purge() has the space and wants the chunk: purge() gives way."""
    past = chunk_of(kb, REALM, "default", "a")
    assert_triple(kb, REALM, past, Triple("Ada", "admires", "London"))
    assert chunk_of(kb, REALM, "default", "a") != past
    with (
        database.connect() as blocker,
        database.connect() as purger,
        database.connect() as writer,
        ThreadPoolExecutor(2) as threads,
    ):
        for session in (purger, writer):
            session.execute(f"set graphrag.realm = {REALM}")
        with blocker.transaction():
            blocker.execute("select from kb.space for update")
            purged = threads.submit(purge, purger, before="6", dry_run=False)
            eventually(lambda: waiting(kb) == 1)
            row_of = (writer, REALM, past, Triple("Ada", "likes", "London"))
            written = threads.submit(assert_triple, *row_of)
            eventually(lambda: waiting(kb) == 2)
        assert written.result(60)
        assert purged.result(60)
    facts = sql(kb, "select predicate from kb.facts where subject = 'Ada' and object = 'London'")
    assert {f["predicate"] for f in facts} >= {"admires", "likes"}
    assert not sql(kb, "select from kb.chunk where id = %s", [past])
    assert differences(kb, REALM, "default") == 0


def last_second(conn: Connection) -> str:
    """An instant as as_believed_at takes it: to its end."""
    return str(value(conn, "select to_char(now() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS') || 'Z'"))


def test_one_space_is_not_another(kb: Connection) -> None:
    rows(kb, "index", "Kim met Lea.", document="b", extraction={"triples": []}, space="other")
    rows(kb, "delete_document", "b", space="other")
    purge(kb, document="b", dry_run=False)
    assert traces(kb, "kim met lea")


@pytest.mark.parametrize(
    ("code", "mentioned", "named"),
    [
        ("GR009", "purge", {}),
        ("GR009", "purge", {"before": "3", "document": "b"}),
        ("GR009", "a", {"document": "a"}),
        ("GR012", "zz", {"document": "zz"}),
        ("GR013", "soon", {"before": "soon"}),
        ("GR013", "99", {"before": "99"}),
        ("GR004", "nowhere", {"before": "1", "space": "nowhere"}),
        ("GR007", "*", {"document": "b", "space": "*"}),
    ],
)
def test_mistakes(kb: Connection, code: str, mentioned: str, named: dict[str, str]) -> None:
    mistake(kb, REALM, code, (mentioned,), "purge", dry_run=False, **named)


def test_only_the_owner_may(kb: Connection) -> None:
    role = "graphrag_test_purger"
    sql(kb, f"create role {role}")
    try:
        for grant in (
            "usage on schema graphrag, kb", "execute on all functions in schema graphrag",
            "all on all tables in schema kb",
            "select on all tables in schema graphrag",
        ):  # fmt: skip
            sql(kb, f"grant {grant} to {role}")
        sql(kb, f"set role {role}")
        for attempt in (
            "select graphrag.purge('4')",
            "set graphrag.purge = 'on'; delete from kb.relation_version",
        ):
            with pytest.raises(psycopg.Error) as caught:
                kb.execute(attempt)
            assert caught.value.sqlstate in ("42501", "GR022")
    finally:
        sql(kb, "reset role")
        sql(kb, f"drop owned by {role}")
        sql(kb, f"drop role {role}")


def test_a_writer_and_a_purge_take_turns(database: Database, kb: Connection) -> None:
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        first.execute(f"set graphrag.realm = {REALM}")
        index(first, "d", 4, "Ada lives in Bonn.", ("Ada", "lives_in", "Bonn"))

        def purger() -> dict[str, int]:
            with database.connect() as second:
                second.execute(f"set graphrag.realm = {REALM}")
                return purge(second, before="5", dry_run=False)

        second = pool.submit(purger)
        eventually(lambda: waiting(kb))
        first.commit()
        assert second.result(timeout=30)["texts"] > 0
    assert differences(kb, REALM, "default") == 0
    assert [f["object"] for f in rows(kb, "timeline", "Ada") if f["status"] == "current"] == ["Bonn"]


def test_a_purged_document_can_come_again(kb: Connection) -> None:
    purge(kb, document="b", dry_run=False)
    index(kb, "b", 2, "Eve Zorn met Bob Quill.", ("Eve Zorn", "met", "Bob Quill"))
    assert ("Eve Zorn", "Bob Quill") in {(f["subject"], f["object"]) for f in view(kb, REALM, "facts")}
    assert row(kb, "derive")["derive"] == 0


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_is_being_written_gets_back_what_a_purge_takes_meanwhile(
    database: Database, conn: Connection, endpoint: Endpoint, by_hand: bool
) -> None:
    """A text that was there when a write was prepared, and so was not embedded, may be gone when it is written."""
    rows(conn, "set_endpoint", "embedding", endpoint.url, "scripted", realm=None)
    rows(conn, "create_realm", REALM, endpoint.url, "scripted")
    conn.execute(f"set graphrag.realm = {REALM}")
    said = "Ann knows Bob."
    index(conn, "gone", 1, said, ("Ann", "knows", "Bob"))
    index(conn, "stays", 2, said + " Eve.")
    rows(conn, "delete_document", "gone")
    release = threading.Event()
    endpoint.inject(held(release), 1, is_embedding)
    before = len(endpoint.embeddings)

    def write() -> None:
        with database.connect() as other:
            other.execute(f"set graphrag.realm = {REALM}")
            if by_hand:
                sql(
                    other,
                    "insert into kb.assertion (chunk, subject, predicate, object) select max(id), x.s, 'knows', x.o"
                    " from kb.chunk, (values ('Ann', 'Bob'), ('Bob', 'Eve')) as x (s, o) group by x.s, x.o",
                )
            else:
                index(other, "new", 3, said, ("Ann", "knows", "Bob"), ("Bob", "knows", "Ann"))

    with ThreadPoolExecutor() as pool:
        written = pool.submit(write)
        endpoint.wait_for(before + 1, is_embedding)
        purge(conn, document="gone", dry_run=False)
        release.set()
        written.result(timeout=30)
    assert {(f["subject"], f["object"]) for f in view(conn, REALM, "facts")} == {
        ("Ann", "Bob"),
        ("Bob", "Eve") if by_hand else ("Bob", "Ann"),
    }
    assert {d["document"] for d in view(conn, REALM, "documents")} == (
        {"stays"} if by_hand else {"stays", "new"}
    )
    assert differences(conn, REALM, "default") == 0


@pytest.mark.parametrize(
    ("read", "blocked", "state"),
    [
        ("changes_since(%(at)s, space => '*')", "community_build", "GR013"),
        ("timeline('Ada', as_believed_at => '1')", "entity_name", "GR023"),
        ("retrieve('Where does Ada live?', as_believed_at => '1')", "content", "GR023"),
    ],
    ids=["feed", "timeline", "retrieve"],
)
def test_a_purge_in_the_middle_of_a_read_is_not_passed_over(
    database: Database, kb: Connection, read: str, blocked: str, state: str
) -> None:
    """A read is several statements: it has been let in, and waits, when what is to be read goes."""
    rows(kb, "index", "Ada.", document="a", ordinal=1, extraction={"triples": []}, space="a second one")
    at = value(kb, "select graphrag.watermark(space => '*')")
    for ordinal in (4, 5):
        for space in ("default", "a second one"):
            rows(
                kb,
                "index",
                f"Ada met Bob {ordinal}.",
                document="d",
                ordinal=ordinal,
                space=space,
                extraction={"triples": [{"subject": "Ada", "predicate": "met", "object": f"Bob {ordinal}"}]},
            )
    with ThreadPoolExecutor() as pool, database.connect() as reader:
        reader.execute(f"set graphrag.realm = {REALM}")
        with kb.transaction():
            kb.execute(f"lock table kb.{blocked} in access exclusive mode")
            reading = pool.submit(sql, reader, f"select * from graphrag.{read}", {"at": at})
            eventually(lambda: waiting(kb))
            purge(kb, before="7", dry_run=False, space="default")
            purge(kb, before="3", dry_run=False, space="a second one")
        with pytest.raises(psycopg.Error, match=r"position|purged") as caught:
            reading.result(timeout=30)
    assert caught.value.sqlstate == state

"""Evidence written by hand: the same gates, one batch of vectors, one revision, a past that stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.support.calls import eventually, row, rows, set_models, state, waiting
from tests.support.corpus import as_json, differences
from tests.support.database import Connection, Database, sql, value, view
from tests.support.endpoint import Endpoint, is_chat, status
from tests.support.hand import chunk_of, withdraw
from tests.support.model import Entity, Extraction
from tests.support.reading import REALM, make_realm

TEXT = "Ada Lovelace lived in London, later in Paris. Lord Byron employed Ada. She earned $5 million in 1840."
COLUMNS = "chunk, subject, predicate, object"


@pytest.fixture
def kb(conn: Connection) -> Connection:
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=32)
    rows(conn, "declare_predicate", "lives_in", is_functional=True, realm=REALM)
    rows(conn, "declare_predicate", "works_for", realm=REALM)
    rows(conn, "declare_predicate", "employs", inverse_of="works_for", realm=REALM)
    index(conn, "a", TEXT)
    conn.execute(f"set graphrag.realm = {REALM}")
    return conn


def index(conn: Connection, name: str, text: str, *triples: dict[str, Any]) -> dict[str, Any]:
    return row(
        conn, "index", text, document=name, ordinal=1, extraction={"triples": list(triples)}, realm=REALM
    )


def insert(conn: Connection, *triple: str, chunk: int = 1) -> int:
    return int(
        value(
            conn,
            f"insert into kb.assertion ({COLUMNS}) values (%s, %s, %s, %s) returning id",
            [chunk, *triple],
        )
    )


def facts(conn: Connection) -> set[tuple[str, str, str, str]]:
    return {(f["subject"], f["predicate"], f["object"], f["status"]) for f in view(conn, REALM, "facts")}


def test_rows_are_read_like_an_extraction(kb: Connection) -> None:
    insert(kb, "Ada Lovelace", "Lived in", "London")
    sql(
        kb,
        "insert into kb.mention (chunk, surface, type, aliases) values (1, 'Ada Lovelace', 'Person', '{Ada}')",
    )
    sql(
        kb,
        "insert into kb.assertion (chunk, subject, predicate, object, stated_from)"
        " values (1, 'Ada', 'lives in', 'Paris', '1841'), (1, 'Ada', 'earned', '$5 million', '1840'),"
        " (1, 'Lord Byron', 'employs', 'Ada', null)",
    )
    assert facts(kb) == {
        ("Ada Lovelace", "lives_in", "London", "superseded"),
        ("Ada Lovelace", "lives_in", "Paris", "current"),
        ("Ada Lovelace", "earned", "$5 million", "current"),
        ("Ada Lovelace", "works_for", "Lord Byron", "current"),
    }
    (earned,) = [f for f in view(kb, REALM, "facts") if f["predicate"] == "earned"]
    assert (earned["value_number"], earned["value_unit"]) == (5_000_000, "USD")
    assert {e["name"]: e["types"] for e in view(kb, REALM, "entities")}["Ada Lovelace"] == ["Person"]
    evidence = {a["predicate"]: a["evidence"] for a in view(kb, REALM, "assertions")}
    assert evidence["works_for"].startswith("Lord Byron employed Ada.")
    assert [r["operation"] for r in view(kb, REALM, "revision")] == ["index"] + ["insert"] * 3
    assert differences(kb, REALM, "default") == 0


def test_the_id_that_insert_returns_is_the_row_s(kb: Connection) -> None:
    number = insert(kb, "Ada Lovelace", "lived in", "London")
    assert [a["assertion"] for a in view(kb, REALM, "assertions")] == [number]


@pytest.mark.parametrize(
    ("columns", "given", "reason"),
    [
        (COLUMNS, [1, "Ada", "is related to", "Paris"], "vague_predicate"),
        (COLUMNS, [1, "She", "met", "Paris"], "pronominal_name"),
        (COLUMNS, [1, "Ada", "visited", "Mars"], "ungrounded_name"),
        (COLUMNS, [1, "Ada", "met", "ADA"], "self_loop"),
        (COLUMNS + ", stated_from", [1, "Ada", "visited", "Paris", "later"], "unparseable_period"),
        (
            COLUMNS + ", stated_from, stated_to",
            [1, "Ada", "visited", "Paris", "1850", "1840"],
            "inverted_period",
        ),
    ],
)
def test_what_a_gate_refuses_is_an_error(kb: Connection, columns: str, given: list[Any], reason: str) -> None:
    before = state(kb, REALM)
    with pytest.raises(psycopg.Error) as caught:
        sql(kb, f"insert into kb.assertion ({columns}) values ({', '.join(['%s'] * len(given))})", given)
    assert caught.value.sqlstate == "GR021"
    assert reason in str(caught.value.diag.message_primary)
    assert given[1] in str(caught.value.diag.message_detail)
    assert caught.value.diag.message_hint
    assert state(kb, REALM) == before


def test_one_bad_row_of_many_takes_all_back(kb: Connection) -> None:
    before = state(kb, REALM)
    with pytest.raises(psycopg.Error, match="ungrounded_name"):
        sql(
            kb,
            f"insert into kb.assertion ({COLUMNS})"
            " values (1, 'Ada', 'visited', 'Paris'), (1, 'Ada', 'visited', 'Mars')",
        )
    assert state(kb, REALM) == before


@pytest.mark.parametrize(
    ("column", "given"),
    [
        ("content", "1"),
        ("no", "1"),
        ("value_number", "1"),
        ("space", "1"),
        ("stated_predicate", "'saw'"),
        ("is_swapped", "true"),
        ("takes_slot", "false"),
    ],
)
def test_what_is_worked_out_is_not_to_be_given(kb: Connection, column: str, given: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        sql(
            kb,
            f"insert into kb.assertion ({COLUMNS}, {column}) values (1, 'Ada', 'visited', 'Paris', {given})",
        )
    assert caught.value.sqlstate == "GR021"
    assert column in str(caught.value)


def test_hostile_rows_are_text(kb: Connection) -> None:
    name = 'O\'Neil "Rex" \\ Co/β; drop table kb.assertion --'
    index(kb, "b", f"{name} met Ada.")
    insert(kb, name, "met'); select 1", "Ada", chunk=2)
    assert name in {e["name"] for e in view(kb, REALM, "entities")}
    for text in ("", "x" * 5000, "\u202e", "🙂"):
        with pytest.raises(psycopg.Error) as caught:
            insert(kb, text, "met", "Ada")
        assert caught.value.sqlstate == "GR021"


def test_a_chunk_of_the_past_takes_nothing(kb: Connection) -> None:
    insert(kb, "Ada", "lived in", "London")
    rows(kb, "delete_document", "a")
    with pytest.raises(psycopg.Error) as caught:
        insert(kb, "Ada", "lived in", "Paris")
    assert caught.value.sqlstate == "GR021"


def test_a_chunk_that_failed_is_to_be_read_first(conn: Connection, endpoint: Endpoint) -> None:
    make_realm(conn, endpoint)
    endpoint.on_extraction = lambda _: as_json(Extraction((Entity("Ann"),), ()))
    endpoint.inject(status(400), where=lambda request: is_chat(request) and "Bob met" in (request.text or ""))
    paragraph = (
        "The rest of this paragraph only makes it long enough to be a chunk of its own in this realm. " * 2
    )
    rows(conn, "index", f"Ann met Eve. {paragraph}\n\nBob met Eve. {paragraph}", document="a", realm=REALM)
    failed = value(conn, "select id from kb.chunk where failure is not null")
    with pytest.raises(psycopg.Error) as caught:
        insert(conn, "Bob", "met", "Eve", chunk=failed)
    assert caught.value.sqlstate == "GR021"


def test_a_later_extraction_does_not_undo_what_was_written(kb: Connection, endpoint: Endpoint) -> None:
    """A chunk that no model has read is read by hand then: a model set later is not asked about it."""
    rows(kb, "index", "Ada met Lord Byron.", document="b", realm=REALM)
    insert(kb, "Ada", "met", "Lord Byron", chunk=chunk_of(kb, REALM, "default", "b"))
    rows(kb, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
    set_models(kb, endpoint, realm=REALM)
    assert row(kb, "index", "Ada met Lord Byron.", document="b", realm=REALM)["llm_calls"] == 0
    assert ("Ada", "met", "Lord Byron", "current") in facts(kb)


def test_thousands_come_by_copy_in_one_revision_and_one_batch(conn: Connection, endpoint: Endpoint) -> None:
    make_realm(conn, endpoint)
    conn.execute(f"set graphrag.realm = {REALM}")
    people = [f"Person{n} Smith" for n in range(40)]
    for number in range(25):
        text = " ".join(f"{name} stayed." for name in people[:30])
        rows(
            conn, "index", f"Part {number}. {text}"[:290], document=f"d {number}", extraction={"triples": []}
        )
    chunks = [r["id"] for r in sql(conn, "select id from kb.chunk order by id")]
    endpoint.requests.clear()
    names = [
        name
        for name in people
        if f"{name} stayed." in f"Part 9. {' '.join(f'{n} stayed.' for n in people)}"[:280]
    ]
    pairs = [(a, b) for a in names for b in names if a != b]
    with conn.cursor().copy(f"copy kb.assertion ({COLUMNS}) from stdin") as copy:
        for chunk in chunks:
            for subject, object_ in pairs[: 2500 // len(chunks)]:
                copy.write_row((chunk, subject, "knows", object_))
    texts = [text for request in endpoint.requests for text in request.body["input"]]
    assert len(texts) == len(set(texts)) > 64
    assert len(endpoint.requests) == 2  # of at most as many texts as one request takes
    assert value(conn, "select count(*) from kb.assertions") == len(chunks) * min(
        len(pairs), 2500 // len(chunks)
    )
    assert [r["operation"] for r in view(conn, REALM, "revision")][-1] == "insert"
    assert value(conn, "select count(*) from kb.revision") == len(chunks) + 1
    sql(conn, f"insert into kb.assertion ({COLUMNS}) select id, %s, 'met', %s from kb.chunk where extractor is not null"
        " and id in (select chunk from kb.document_chunk where died is null)", names[:2])  # fmt: skip
    assert value(conn, "select weight from kb.facts where predicate = 'met'") == len(chunks)
    assert differences(conn, REALM, "default") == 0


def test_a_transaction_is_one_revision(kb: Connection) -> None:
    with kb.transaction():
        number = insert(kb, "Ada", "lived in", "London")
        insert(kb, "Ada", "lived in", "Paris")
        withdraw(kb, REALM, number)
        insert(kb, "Lord Byron", "employed", "Ada")
        assert differences(kb, REALM, "default") == 0
    assert facts(kb) == {
        ("Ada", "lives_in", "Paris", "current"),
        ("Ada", "works_for", "Lord Byron", "current"),
    }
    assert [r["n"] for r in view(kb, REALM, "revision")] == [1, 2]
    assert value(kb, "select count(*) from kb.document_chunk") == 2
    assert value(kb, "select count(*) from kb.assertion") == 2


def test_a_deleted_row_is_of_the_past(kb: Connection) -> None:
    number = insert(kb, "Ada", "lived in", "London")
    insert(kb, "Ada", "visited", "Paris")
    withdraw(kb, REALM, number)
    assert facts(kb) == {("Ada", "visited", "Paris", "current")}
    then = rows(kb, "timeline", "Ada", as_believed_at="3")
    assert [(f["object"], f["documents"]) for f in then] == [("London", ["a"]), ("Paris", ["a"])]
    withdraw(kb, REALM, number)  # once more is no mistake
    assert view(kb, REALM, "revision")[-1]["operation"] == "delete"
    assert value(kb, "select max(n) from kb.revision") == 4
    rows(kb, "delete_document", "a")
    with pytest.raises(psycopg.Error) as caught:
        withdraw(kb, REALM, number)
    assert caught.value.sqlstate == "GR022"


def test_deleting_many_rows_costs_by_their_number(kb: Connection) -> None:
    """Each is noted beside those before it; were those copied for it, the cost would grow as their square."""
    said = [{"subject": "Ada", "predicate": f"p{n}", "object": "Paris"} for n in range(2000)]
    index(kb, "many", "Ada lived in Paris.", *said)
    note = "current_setting(format('graphrag.deleted_%s_%s', tg_relid, pg_trigger_depth()), true)"
    kb.execute(
        "create function kb.look() returns trigger language plpgsql as $$ begin"
        " perform set_config('test.longest',"
        f" greatest(current_setting('test.longest')::integer, length({note}))::text, false);"
        " return old; end $$"
    )
    kb.execute("create trigger a_look before delete on kb.assertion for each row execute function kb.look()")
    kb.execute("set test.longest = 0")
    sql(kb, "delete from kb.assertion where chunk = %s and no > 1", [chunk_of(kb, REALM, "default", "many")])
    assert len([f for f in facts(kb) if f[1].startswith("p")]) == 1
    assert 4000 < int(value(kb, "select current_setting('test.longest')")) < 8100


def test_a_mention_that_an_assertion_needs_stays(kb: Connection) -> None:
    number = insert(kb, "Ada", "lived in", "London")
    with pytest.raises(psycopg.Error) as caught:
        sql(kb, "delete from kb.mention where surface = 'London'")
    assert caught.value.sqlstate == "GR022"
    withdraw(kb, REALM, number)
    sql(kb, "delete from kb.mention where surface = 'London' and chunk = (select max(id) from kb.chunk)")
    assert {e["name"] for e in view(kb, REALM, "entities")} == {"Ada"}


def test_a_successor_has_all_that_its_chunk_had(kb: Connection) -> None:
    """Every column of evidence is carried on, also those that are added to the tables some day."""
    sql(kb, "insert into kb.mention (chunk, surface, type, description, aliases, identifiers)"
        " values (1, 'Ada Lovelace', 'Person', 'A mathematician', '{Ada}', '{Q7259}')")  # fmt: skip
    sql(kb, f"insert into kb.assertion ({COLUMNS}, negated, confidence, stated_from, stated_to, description)"
        " values (1, 'Lord Byron', 'employs', 'Ada', true, 0.75, '1840', 'June 1841', 'As her clerk')")  # fmt: skip
    before = evidence_rows(kb)
    insert(kb, "Ada", "visited", "Paris")
    after = evidence_rows(kb)
    assert all(found in after for found in before)


def evidence_rows(conn: Connection) -> list[dict[str, Any]]:
    """Mentions and assertions of the newest chunk, whatever columns they have."""
    found = []
    for table in ("mention", "assertion"):
        found += sql(
            conn,
            f"select to_jsonb(e) - 'id' - 'chunk' - 'first_reading' as row from kb.{table} as e"
            " where chunk = (select max(id) from kb.chunk)",
        )
    return [r["row"] for r in found]


def test_two_sessions_at_once(database: Database, kb: Connection) -> None:
    with ThreadPoolExecutor() as pool, database.connect(autocommit=False) as first:
        insert(first, "Ada", "lived in", "London")

        def second_writer() -> None:
            with database.connect() as second:
                insert(second, "Ada", "visited", "Paris")

        second = pool.submit(second_writer)
        eventually(lambda: waiting(kb))
        first.commit()
        second.result(timeout=30)
    assert facts(kb) == {("Ada", "lives_in", "London", "current"), ("Ada", "visited", "Paris", "current")}
    assert differences(kb, REALM, "default") == 0


def test_one_statement_deletes_from_both_tables(kb: Connection) -> None:
    """The rows of each are its own, whatever ids they have."""
    number = insert(kb, "Ada", "lived in", "London")
    sql(kb, "insert into kb.mention (chunk, surface) values (1, 'Paris')")
    sql(
        kb,
        "with a as (delete from kb.assertion where id = %s), m as (delete from kb.mention where surface = 'Paris')"
        " select",
        [number],
    )
    assert facts(kb) == set()
    assert {e["name"] for e in view(kb, REALM, "entities")} == {"Ada", "London"}
    sql(
        kb,
        "with m as (delete from kb.mention where surface = 'London' returning 1)"
        f" insert into kb.assertion ({COLUMNS}) values (1, 'Ada', 'visited', 'Paris')",
    )
    assert facts(kb) == {("Ada", "visited", "Paris", "current")}
    assert {e["name"] for e in view(kb, REALM, "entities")} == {"Ada", "Paris"}
    assert differences(kb, REALM, "default") == 0


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        ("confidence", "7"),
        ("confidence", "-0.1"),
        ("confidence", "'NaN'"),
        ("start_at", "0"),
        ("end_at", "3"),
        ("start_at, end_at", "-1, 3"),
        ("start_at, end_at", "3, 3"),
        ("start_at, end_at", "0, 1000"),
    ],
)
def test_what_cannot_be_is_not_guessed_at(kb: Connection, columns: str, given: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        sql(
            kb,
            f"insert into kb.assertion ({COLUMNS}, {columns}) values (1, 'Ada', 'visited', 'Paris', {given})",
        )
    assert caught.value.sqlstate == "GR021"
    assert caught.value.diag.message_hint
    assert facts(kb) == set()


def test_the_span_given_is_kept_where_the_text_repeats_itself(kb: Connection) -> None:
    index(kb, "b", "Ada met Eve. Then Ada met Eve.")
    sql(
        kb,
        f"insert into kb.assertion ({COLUMNS}, start_at, end_at)"
        " select max(id), 'Ada', 'met', 'Eve', 18, 30 from kb.chunk",
    )
    (met,) = [a for a in view(kb, REALM, "assertions") if a["predicate"] == "met"]
    assert (met["start_at"], met["end_at"], met["evidence"]) == (18, 30, "Ada met Eve.")


def test_old_ids_lead_on_in_the_transaction_that_indexed(kb: Connection) -> None:
    with kb.transaction():
        index(kb, "b", "Ada met Eve. Eve knew Zoe.")
        chunk = value(kb, "select max(id) from kb.chunk")
        insert(kb, "Ada", "met", "Eve", chunk=chunk)
        number = insert(kb, "Eve", "knew", "Zoe", chunk=chunk)
        withdraw(kb, REALM, number)
        insert(kb, "Zoe", "knew", "Eve", chunk=chunk)
    assert facts(kb) == {("Ada", "met", "Eve", "current"), ("Zoe", "knew", "Eve", "current")}
    assert differences(kb, REALM, "default") == 0

"""Channels of retrieval: words, identifiers, selective filters, walks, and what explain columns say."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import mistake, rows
from tests.support.database import Connection, Row, one, sql, value


def tell(conn: Connection, document: str, text: str, *triples: tuple[str, str, str], **named: object) -> None:
    names = {name for subject, _, thing in triples for name in (subject, thing)}
    extraction = {
        "chunks": [
            {
                "no": 1,
                "entities": [{"name": name} for name in sorted(names)],
                "triples": [{"subject": s, "predicate": p, "object": o} for s, p, o in triples],
            }
        ]
    }
    rows(conn, "index", text, document=document, extraction=extraction, **named)


def of_kind(found: list[Row], kind: str) -> list[Row]:
    return [row for row in found if row["kind"] == kind]


@pytest.mark.usefixtures("realm")
def test_rare_words_count_for_more_than_common_ones(conn: Connection) -> None:
    for no in range(12):
        tell(conn, f"common {no}", f"The plant made steel again in year {no}, steel and more steel.")
    tell(conn, "rare", "A pangolin walked past the plant.")
    found = rows(conn, "retrieve", "Did the plant that makes steel see a pangolin?", top_k=13)
    by_text = {row["document"]: row["ranks"].get("text") for row in of_kind(found, "chunk")}
    assert by_text["rare"] == 1


@pytest.mark.usefixtures("realm")
def test_no_plan_takes_the_best_words_away(conn: Connection) -> None:
    """The candidates of BM25 are cut in their order, not in the one that a join happens to give."""
    rows(conn, "configure", "channel_depth", "1")
    for no in range(20):
        tell(conn, f"common {no}", f"A pangolin was seen by the people of house {no} that year.")
    tell(conn, "best", "A pangolin met an aardvark.")
    for method in ("nestloop", "mergejoin", "hashjoin"):
        with conn.transaction(force_rollback=True):
            conn.execute(f"set local enable_{method} = off")
            found = rows(conn, "retrieve", "pangolin, aardvark", top_k=1, walk="hops")
        assert "best" in [row["document"] for row in of_kind(found, "chunk") if row["ranks"].get("text") == 1]


@pytest.mark.usefixtures("realm")
def test_terms_that_nobody_has_counted(conn: Connection) -> None:
    """Rows that came past the functions: reads stay bounded, doctor says so, derive() counts."""
    rows(conn, "configure", "lexical_candidates", Jsonb(100))
    for no in range(120):
        tell(conn, f"common {no}", f"A pangolin was seen by the people of house {no} that year.")
    tell(conn, "best", "A pangolin met an aardvark.")
    sql(conn, 'truncate "default".term_watch')
    with conn.transaction():
        sql(conn, "set local session_replication_role = replica")
        sql(conn, 'delete from "default".term_total; delete from "default".term_stat')
    found = rows(conn, "retrieve", "pangolin, aardvark", top_k=1, walk="hops")
    assert "best" in [row["document"] for row in of_kind(found, "chunk") if row["ranks"].get("text") == 1]
    plan = (
        "select (graphrag._lexical_plan('pangolin, aardvark', 'chunk',"
        " graphrag._filter_of('default', null, null, false, null, null, null, null))).drivers::text"
    )
    sql(conn, 'set search_path = "default", public')
    assert "&" in value(conn, plan), "not every text with one of the words"
    sql(conn, "reset search_path")
    (finding,) = [f for f in rows(conn, "doctor") if f["check"] == "words"]
    assert finding["status"] == "warning"
    before = value(conn, "select graphrag.watermark()")
    assert [r["derive"] for r in sql(conn, finding["advice"])] == [0]
    assert value(conn, "select graphrag.watermark()") != before
    assert (
        value(conn, "select texts from \"default\".term_total where kind = 'chunk' and died is null") == 121
    )
    assert not [f for f in rows(conn, "doctor") if f["check"] == "words"]
    before = value(conn, "select graphrag.watermark()")
    rows(conn, "derive")
    assert value(conn, "select graphrag.watermark()") == before, "once"


@pytest.mark.usefixtures("realm")
def test_what_people_say_is_counted_too(conn: Connection) -> None:
    """A space of decisions alone, and rows by hand."""
    for no in range(40):
        rows(conn, "assert_relation", f"Ann {no}", "likes", f"Bob {no}")
    live = "select texts from \"default\".term_total where kind = 'relation' and died is null"
    assert one(conn, live)["texts"] >= 36
    counts = value(conn, "select count(*) from \"default\".term_total where kind = 'relation'")
    assert counts < 40, "not at each of them"
    tell(conn, "doc", "Carla met Dora.")
    chunk = value(conn, 'select max(id) from "default".chunk')
    for no in range(20):
        sql(
            conn,
            'insert into "default".assertion (chunk, subject, predicate, object) values (%s, %s, %s, %s)',
            [
                value(conn, 'select max(id) from "default".chunk') if no else chunk,
                "Carla",
                f"knows_{no}",
                "Dora",
            ],
        )
    assert one(conn, live)["texts"] > 50


@pytest.mark.usefixtures("realm")
def test_terms_are_counted_again_when_a_tenth_has_changed(conn: Connection) -> None:
    def counted() -> int:
        return int(
            value(conn, "select texts from \"default\".term_total where kind = 'chunk' and died is null")
        )

    for no in range(30):
        tell(conn, f"doc {no}", f"Paragraph number {no} about nothing.")
    before = counted()
    assert before >= 27
    rows(conn, "delete_document", "doc 0")
    rows(conn, "delete_document", "doc 1")
    rows(conn, "delete_document", "doc 2")
    rows(conn, "delete_document", "doc 3")
    assert counted() < 30
    spans = sql(conn, "select born, died from \"default\".term_total where kind = 'chunk' order by born")
    assert [span["died"] for span in spans] == [*(span["born"] for span in spans[1:]), None]
    assert value(conn, 'select count(*) from "default".term_stat where died <= born') == 0


@pytest.mark.usefixtures("realm")
def test_the_past_is_ranked_by_the_counts_of_then(conn: Connection) -> None:
    tell(conn, "one", "Alpha beta gamma.")
    tell(conn, "two", "Beta gamma delta.")
    then = str(value(conn, 'select revision from "default".space'))
    before = rows(conn, "retrieve", "alpha beta")
    for no in range(10):
        tell(conn, f"more {no}", f"Alpha alpha alpha {no}.")
    assert rows(conn, "retrieve", "alpha beta", as_believed_at=then) == before


@pytest.mark.usefixtures("realm")
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("東京電力は原子力発電所を運営しています。", "電力"),
        ("서울특별시는 대한민국의 수도이다.", "대한민국"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
    ],
)
def test_languages_without_spaces_are_found(conn: Connection, text: str, question: str) -> None:
    tell(conn, "other", "Nothing of the kind, nor 日本語 either.")
    tell(conn, "meant", text)
    found = of_kind(rows(conn, "retrieve", question), "chunk")
    assert {row["document"]: row["ranks"].get("text") for row in found}["meant"] == 1


@pytest.mark.usefixtures("realm")
@pytest.mark.parametrize("identifier", ["CVE-2024-12345", "v3.1.2", "/etc/fstab_2", "QX-77#b"])
def test_identifiers_are_found_exactly(conn: Connection, identifier: str) -> None:
    for no in range(8):
        tell(conn, f"near {no}", f"See CVE-2024-1234{no + 6}, v3.1.{no + 3} and /etc/fstab_{no + 3} there.")
    tell(conn, "exact", f"It was {identifier}, they said.")
    first = rows(conn, "retrieve", f"what about {identifier}?")[0]
    assert (first["document"], first["ranks"]["identifier"]) == ("exact", 1)


@pytest.mark.usefixtures("realm")
@pytest.mark.parametrize(
    "question", ['"', "|", "!", ":*", "$$", "a & b | !c:* <-> (", "\\", "'; drop table x"]
)
def test_operators_are_plain_text(conn: Connection, question: str) -> None:
    tell(conn, "one", "Alpha beta gamma.", ("Alpha", "meets", "Beta"))
    assert of_kind(rows(conn, "retrieve", question), "chunk")


@pytest.mark.usefixtures("realm")
def test_a_selective_filter_fills_its_places(conn: Connection) -> None:
    for no in range(60):
        tell(conn, f"doc {no}", f"Steel report number {no}.", metadata={"team": "a" if no % 20 == 0 else "b"})
    found = of_kind(rows(conn, "retrieve", "steel report", metadata_filter={"team": "a"}), "chunk")
    assert {row["document"] for row in found} == {"doc 0", "doc 20", "doc 40"}


@pytest.mark.usefixtures("realm")
def test_filters_that_mean_nothing_are_refused(conn: Connection) -> None:
    tell(conn, "one", "Alpha met Beta.", ("Alpha", "met", "Beta"))
    for confidence in (2.0, -0.1, float("nan"), 1e300):
        for call in (
            ("retrieve", "Alpha"),
            ("context", "Alpha"),
            ("neighborhood", "Alpha"),
            ("path", "Alpha", "Beta"),
        ):
            mistake(conn, "default", "GR009", ("min_confidence",), *call, min_confidence=confidence)
    for metadata in ([1], "team", 7):
        mistake(
            conn,
            "default",
            "GR009",
            ("metadata_filter",),
            "retrieve",
            "Alpha",
            metadata_filter=Jsonb(metadata),
        )
    for edge in (0.0, 1.0):
        assert of_kind(rows(conn, "retrieve", "Alpha", min_confidence=edge), "relation")
    assert of_kind(rows(conn, "retrieve", "Alpha", metadata_filter={}), "chunk")


@pytest.mark.usefixtures("realm")
def test_a_hub_that_was_cut_is_reported(conn: Connection) -> None:
    for no in range(6):
        tell(conn, f"doc {no}", f"Hub meets Guest {no}.", ("Hub", "meets", f"Guest {no}"))
    rows(conn, "configure", "max_relation_edges", "3")
    cut = rows(conn, "neighborhood", "Hub")
    assert [row["metadata"].get("truncated") for row in cut] == [True] * 3
    rows(conn, "configure", "max_relation_edges", "200")
    whole = rows(conn, "neighborhood", "Hub")
    assert [row["metadata"].get("truncated") for row in whole] == [None] * 6


@pytest.mark.usefixtures("realm")
@pytest.mark.parametrize("walk", ["ppr", "hops"])
def test_a_walk_that_was_cut_is_reported(conn: Connection, walk: str) -> None:
    for no in range(6):
        tell(conn, f"doc {no}", f"Hub meets Guest {no}.", ("Hub", "meets", f"Guest {no}"))

    def cut() -> set[bool]:
        found = of_kind(rows(conn, "retrieve", "Hub", walk=walk), "relation")
        assert len(found) == 6
        return {"truncated" in row["metadata"] for row in found if row["ranks"].get("walk")}

    said: list[str] = []
    conn.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    assert cut() == {False}
    rows(conn, "configure", "max_relation_edges", "3")
    assert True in cut()
    assert said == []
    rows(conn, "configure", "max_walk_edges", "2")
    assert True in cut()
    assert any("the walk ended before" in notice for notice in said)


FIRST, SECOND = (f"Project Alpha Bravo Charlie Delta {last}" for last in ("Echo", "Foxtrot"))


@pytest.mark.usefixtures("realm")
def test_pagerank_goes_on_from_near_duplicates(conn: Connection) -> None:
    """Of one space, as believed at the revision of the read, of the types that it asks for; not of what it names."""
    tell(conn, "first", f"Ann approved {FIRST}.", ("Ann", "approved", FIRST))
    then = value(conn, "select graphrag.watermark()")
    tell(conn, "second", f"Bob dropped {SECOND}.", ("Bob", "dropped", SECOND))
    tell(conn, "third", "Carla paints murals.", ("Carla", "paints", "murals"))
    tell(conn, "elsewhere", f"Dora keeps {SECOND}.", ("Dora", "keeps", SECOND), space="elsewhere")

    def reached(
        space: str = "default", at: str | None = None, types: list[str] | None = None, is_named: bool = False
    ) -> set[str]:
        with conn.transaction():
            conn.execute('set local search_path to "default", public')
            found = sql(
                conn,
                """
                select d.name
                from entity_version as v
                cross join lateral graphrag._spread(
                    array[row(v.entity, 1)::graphrag._mass],
                    case when %s then array[v.entity] else '{}' end,
                    array(select e.id from entity as e),
                    graphrag._filter_of(%s, null, %s, false, null, %s, null, null),
                    100
                ) as s
                join chunk as k on k.id = s.chunk
                join document as d on d.id = k.document
                where v.name = %s and v.died is null and v.space = (select id from space where name = 'default')
                """,
                [is_named, space, at, types, FIRST],
            )
        return {row["name"] for row in found}

    assert reached() == {"first", "second"}
    assert reached(is_named=True) == {"first"}
    assert reached("*") == {"first", "second"}
    assert reached(at=then) == {"first"}
    assert reached(types=["Person"]) == {"first"}
    rows(conn, "configure", "ppr_synonyms", "1")
    assert reached() == {"first"}


@pytest.mark.usefixtures("realm")
def test_paths_are_explained(conn: Connection) -> None:
    tell(conn, "one", "Ann founded Acme.", ("Ann", "founded", "Acme"))
    tell(conn, "two", "Acme owns Werk Nord.", ("Acme", "owns", "Werk Nord"))
    steps = rows(conn, "path", "Ann", "Werk Nord")
    assert [(row["predicate"], row["hop"], row["path"]) for row in steps] == [
        ("founded", 1, "Ann"),
        ("owns", 2, "Ann > Acme"),
    ]
    assert rows(conn, "path", "Ann", "Werk Nord", max_hops=1) == []
    owned = [row for row in rows(conn, "retrieve", "Ann", walk="hops", top_k=1) if row["predicate"] == "owns"]
    assert [row["path"] for row in owned] in (["Ann > Acme"], ["Acme"], ["Werk Nord"])


@pytest.mark.usefixtures("realm")
def test_ways_that_there_are_not(conn: Connection) -> None:
    tell(conn, "one", "Alpha beta gamma.")
    mistake(conn, "default", "GR009", ("run",), "retrieve", "Alpha", walk="run")
    mistake(conn, "default", "GR009", ("sum",), "retrieve", "Alpha", fusion="sum")
    mistake(conn, "default", "GR009", ("best",), "retrieve", "Alpha", rerank=["mmr", "best"])
    mistake(conn, "default", "GR002", ("mixed",), "retrieve", "Alpha", "mixed", hint="mix")
    mistake(conn, "default", "GR009", ("11",), "neighborhood", "Alpha", 11)
    mistake(conn, "default", "GR015", ("Omega",), "path", "Omega", "Alpha")


@pytest.mark.usefixtures("realm")
@pytest.mark.parametrize("mode", ["mix", "local", "global", "hybrid", "naive"])
def test_every_mode_works_without_a_graph(conn: Connection, mode: str) -> None:
    assert rows(conn, "retrieve", "anything", mode) == []
    tell(conn, "one", "Alpha beta gamma.")
    found = rows(conn, "retrieve", "Alpha", mode)
    assert {row["kind"] for row in found} <= {"chunk"}
    assert found, "passages are found without a graph too"


@pytest.mark.usefixtures("realm")
def test_documents_of_one_name_in_two_spaces_are_two_in_citations(conn: Connection) -> None:
    for space, person, source in (("u1", "Ann", None), ("u2", "Bob", None), ("u2", "Eve", "mail")):
        tell(
            conn, "session 1", f"{person} owns Acme.", (person, "owns", "Acme"), space=space, source=source,
            published_at="2020-01-01",
        )  # fmt: skip
    found = rows(conn, "retrieve", "Who owns Acme?", space="*")
    by_person = {
        person: {row["reference"] for row in found if row["kind"] != "entity" and person in row["text"]}
        for person in ("Ann", "Bob", "Eve")
    }
    assert sorted(by_person.values(), key=str) == [{1}, {2}, {3}]

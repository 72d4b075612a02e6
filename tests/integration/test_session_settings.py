"""Whatever a session is set to, what it writes is the same."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support.calls import row, rows
from tests.support.database import Connection, sql, view

REALM = "kb"
LIVES: dict[str, Any] = {
    "subject": "Ann O'Neil",
    "predicate": "lives in",
    "object": "Paris",
    "confidence": 0.1234567,
}
SAID = {
    "entities": [{"name": "Ann O'Neil", "type": "Person", "aliases": ['O\'Neil "x" \\']}, {"name": "Paris"}],
    "triples": [
        LIVES,
        {
            "subject": "Ann O'Neil",
            "predicate": "revenue",
            "object": "$1,234.5 million",
            "valid_from": "Q3 2021",
        },
    ],
}
PLAINLY: list[str] = []
SETTINGS = {
    "only nested loops": ["enable_hashjoin = off", "enable_mergejoin = off"],
    "no nested loops": ["enable_nestloop = off"],
    "no indexes": ["enable_indexscan = off", "enable_bitmapscan = off", "enable_indexonlyscan = off"],
    "joins as written": ["from_collapse_limit = 1", "geqo_threshold = 2"],
    "few digits": ["extra_float_digits = -15"],
    "German dates in Tokyo": ["datestyle = 'German, DMY'", "timezone = 'Asia/Tokyo'"],
    "arrays and nulls of old": ["array_nulls = off", "transform_null_equals = on", "bytea_output = 'escape'"],
    "backslashes": ["standard_conforming_strings = off", "backslash_quote = on"],
    "columns before variables": ["plpgsql.variable_conflict = 'use_column'"],
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_what_is_written_does_not_depend_on_the_session(conn: Connection, settings: list[str]) -> None:
    expected = life(conn, "plain", PLAINLY)
    assert life(conn, REALM, settings) == expected


def life(conn: Connection, realm: str, settings: list[str]) -> list[dict[str, Any]]:
    """The facts after a document, its next version, a row by hand, a decision and a job."""
    conn.execute("load 'plpgsql'")
    for setting in settings:
        conn.execute(f"set {setting}")
    rows(conn, "create_realm", realm, embedding_url="builtin:hash", width=16)
    rows(conn, "declare_predicate", "lives_in", is_functional=True, realm=realm)
    for text in ("Ann O'Neil lives in Paris.", "Ann O'Neil lives in Paris. Revenue was $1,234.5 million."):
        row(conn, "index", text, document="a", ordinal=1, extraction=SAID, realm=realm)
    sql(
        conn,
        f"insert into {realm}.assertion (chunk, subject, predicate, object, confidence)"
        f" select max(chunk), 'Ann O''Neil', 'visits', 'Paris', 0.765432 from {realm}.document_chunk",
    )
    rows(conn, "merge_entities", "Ann O'Neil", "Paris", realm=realm)
    rows(conn, "undo", 1, realm=realm)
    rows(
        conn, "enqueue", "Ann O'Neil lives in Rome.", document="b", ordinal=2, realm=realm,
        extraction=Jsonb([LIVES | {"object": "Rome"}]),
    )  # fmt: skip
    conn.execute("call graphrag.work(%s)", [realm])
    conn.execute("reset all")
    left_out = ("space", "relation", "subject_id", "object_id", "believed_since")
    return sorted(
        ({k: v for k, v in fact.items() if k not in left_out} for fact in view(conn, realm, "facts")), key=str
    )


def test_temporary_tables_named_as_types_do_not_stop_a_worker(conn: Connection) -> None:
    """Their row types stand before all others that are not qualified."""
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
    rows(
        conn, "enqueue", "Ann met Bob.", document="a", extraction=Jsonb([["Ann", "met", "Bob"]]), realm=REALM
    )
    for name in ("text", "jsonb", "integer", "bigint", "interval", "float8", "bool"):
        conn.execute(f'create temporary table "{name}" (a pg_catalog.int4)')
    conn.execute("call graphrag.work(%s)", [REALM])
    assert [fact["object"] for fact in view(conn, REALM, "facts")] == ["Bob"]


@pytest.mark.parametrize("is_bulk", [False, True], ids=["one", "bulk"])
@pytest.mark.parametrize("style", ["German", "SQL", "Postgres", "ISO"])
def test_a_job_keeps_the_instant_of_its_document(conn: Connection, style: str, is_bulk: bool) -> None:
    """Also where the abbreviation of the time zone is better known for another one."""
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
    for no, zone in enumerate(("Asia/Shanghai", "Asia/Kolkata", "America/St_Johns", "UTC")):
        conn.execute(f"set timezone = '{zone}'; set datestyle = '{style}'")
        for document, published_at in (
            (f"march {no}", "2021-03-04 10:00:00.25Z"),
            (f"BC {no}", "0044-03-15 12:00Z BC"),
        ):
            rows(
                conn, "enqueue", f"Ann met Bob, {document}.", document=document, published_at=published_at,
                extraction=Jsonb([["Ann", "met", "Bob"]]), realm=REALM,
            )  # fmt: skip
        conn.execute("call graphrag.work(%s, bulk => %s)", [REALM, is_bulk])
    conn.execute("set timezone = 'UTC'; set datestyle = 'ISO'")
    found = sql(conn, f"select distinct published_at::text from {REALM}.documents order by 1")
    assert [d["published_at"] for d in found] == ["0044-03-15 12:00:00+00 BC", "2021-03-04 10:00:00.25+00"]


def test_what_is_read_does_not_depend_on_the_time_zone(conn: Connection) -> None:
    """The dates in details of changes, and a bar that ends on a day of summer time."""
    conn.execute("set timezone = 'UTC'")
    rows(conn, "create_realm", REALM, embedding_url="builtin:hash", width=16)
    conn.execute(f"set graphrag.realm = {REALM}")
    rows(conn, "declare_predicate", "lives_in", is_functional=True)
    for city, start, published_at in (("Rome", "1990", "1990-01-01"), ("Oslo", "2010-09-07", "2010-09-08")):
        row(
            conn,
            "index",
            f"Ann lives in {city}.",
            document=city,
            published_at=published_at,
            extraction=Jsonb(
                [{"subject": "Ann", "predicate": "lives_in", "object": city, "valid_from": start}]
            ),
        )
    expected = told(conn)
    assert expected[0] == "1990-01-01T00:00:00+00:00"
    for zone in ("Africa/Casablanca", "America/St_Johns", "<+1430>-14:30"):
        conn.execute(f"set timezone = '{zone}'")
        assert told(conn) == expected, zone


def told(conn: Connection) -> list[str]:
    added = [c["details"]["published_at"] for c in rows(conn, "changes_since", kinds=["document_added"])]
    return added + [line["draw_timeline"] for line in rows(conn, "draw_timeline", "Ann", width=60)]

"""A graph of circles: groups of people who all work with each other, and what ties the groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.types.json import Jsonb

from tests.support.calls import row, rows, set_models
from tests.support.database import Connection, Row, sql
from tests.support.endpoint import Endpoint
from tests.support.reading import REALM, have_realm

GROUPS = ("Alpha", "Beta", "Gamma", "Delta")
MEMBERS = ("One", "Two", "Three", "Four")

Fact = dict[str, Any]


def fact(subject: str, predicate: str, object_: str, **more: Any) -> Fact:
    return {"subject": subject, "predicate": predicate, "object": object_, **more}


def circle(group: str, members: Sequence[str] = MEMBERS) -> list[Fact]:
    names = [f"{group} {member}" for member in members]
    return [fact(a, "works_with", b) for place, a in enumerate(names) for b in names[place + 1 :]]


TIES = [fact("Alpha One", "met", "Beta One"), fact("Gamma One", "met", "Delta One")]
WORLD = [*(one for group in GROUPS for one in circle(group)), *TIES]


def make_realm(conn: Connection, endpoint: Endpoint, realm: str = REALM) -> None:
    have_realm(conn, "builtin:hash", "hash", 32, realm)
    set_models(conn, endpoint, "extraction", realm=realm)
    sql(conn, "select set_config('graphrag.realm', %s, false)", [realm])


def say(conn: Connection, facts: Sequence[Fact], document: str = "world", **more: Any) -> Row:
    """Index a document that says the facts."""
    text = ". ".join(f"{f['subject']} {f['predicate']} {f['object']}" for f in facts) + "."
    names = dict.fromkeys(name for f in facts for name in (f["subject"], f["object"]))
    extraction = {"entities": [{"name": name} for name in names], "triples": list(facts)}
    result = row(conn, "index", text, document=document, extraction=extraction, **more)
    assert result["rejected"] == {}, result["rejected"]
    return result


def build(conn: Connection, **arguments: Any) -> Row:
    return row(conn, "build_communities", **arguments)


def tree(conn: Connection, **arguments: Any) -> list[Row]:
    return rows(conn, "community_tree", **arguments)


def circles(
    conn: Connection, level: int = 0, space: str = "default", realm: str = REALM
) -> set[frozenset[str]]:
    """The members of the live communities of a level, by name."""
    found = sql(
        conn,
        f"""
        select array_agg(n.name) as names
        from "{realm}".community as c
        join "{realm}".space as s on s.id = c.space
        join "{realm}".community_version as v on v.community = c.id and v.died is null
        join "{realm}".member as m on m.report = v.report
        join "{realm}".entity_name as n on n.entity = m.entity and n.role = 'canonical' and n.died is null
        where v.level = %s and s.name = %s
        group by v.community
        """,
        [level, space],
    )
    return {frozenset(one["names"]) for one in found}


@contextmanager
def heard(conn: Connection) -> Iterator[list[tuple[str, str]]]:
    """(severity, message) of what the server says meanwhile."""
    messages: list[tuple[str, str]] = []

    def hear(said: Any) -> None:
        messages.append((said.severity, said.message_primary))

    conn.add_notice_handler(hear)
    try:
        yield messages
    finally:
        conn.remove_notice_handler(hear)


def on(conn: Connection, setting: str, value: Any) -> None:
    rows(conn, "configure", setting, Jsonb(value))

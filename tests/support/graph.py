"""The current graph as SQL shows it, in the reference model's terms, so that the two compare with `==`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import inf
from typing import Any

from psycopg import sql as compose

from tests.support.database import Connection, Row
from tests.support.model import EntityState, Graph, Key, Predicate, Relation, fold, meaning
from tests.support.spans import Span, union


def read_graph(conn: Connection, realm: str, space: str, predicates: Mapping[str, Predicate]) -> Graph:
    """Entities and facts of one space, as the realm's views show them."""
    entities = {
        fold(row["name"]): EntityState(
            row["name"], frozenset(map(fold, [row["name"], *row["aliases"]])), frozenset(row["types"])
        )
        for row in _entities(conn, realm, space)
    }
    facts = _facts(conn, realm, space)
    keys = [_key(fact, predicates) for fact in facts]
    assert len(keys) == len(set(keys)), "one fact stands twice"
    said = {fact["relation"]: (key, _phrase(fact)) for fact, key in zip(facts, keys, strict=True)}
    for fact in facts:
        assert fact["superseded_by"] == (said[fact["successor"]][1] if fact["successor"] else None)
    relations = {
        key: Relation(
            weight=fact["weight"],
            confidence=round(fact["confidence"], 5),
            status=fact["status"],
            superseded_by=said[fact["successor"]][0] if fact["successor"] else None,
            effective=union(map(_span, fact["effective"])),
            value=fact["value"],
        )
        for fact, key in zip(facts, keys, strict=True)
    }
    return Graph(entities, relations)


def _entities(conn: Connection, realm: str, space: str) -> list[Row]:
    query = compose.SQL("select * from {} where space = %s").format(compose.Identifier(realm, "entities"))
    return conn.execute(query, [space]).fetchall()


def _facts(conn: Connection, realm: str, space: str) -> list[Row]:
    """The view's rows, each with the period that is part of a figure's identity."""
    query = compose.SQL(
        "select f.*, nullif(r.period, '') as period, v.superseded_by as successor from {} as f"
        " join {} as r on r.id = f.relation join {} as v on v.relation = r.id and v.died is null"
        " where f.space = %s"
    ).format(*(compose.Identifier(realm, name) for name in ("facts", "relation", "relation_version")))
    return conn.execute(query, [space]).fetchall()


def _phrase(fact: Row) -> str:
    """A fact in the words of the column superseded_by."""
    words = [fact["subject"], *["NOT"] * fact["negated"], fact["predicate"], fact["object"]]
    return " ".join(words)


def _key(fact: Row, predicates: Mapping[str, Predicate]) -> Key:
    subject, predicate = fold(fact["subject"]), fact["predicate"]
    if fact["value"] is not None:
        period = None if fact["period"] is None else _period(fact["period"])
        return Key(subject, predicate, None, meaning(fact["value"]), period, fact["negated"])
    object_ = fold(fact["object"])
    if predicate in predicates and predicates[predicate].symmetric:
        subject, object_ = sorted((subject, object_))
    return Key(subject, predicate, object_, None, None, fact["negated"])


def _period(stored: str) -> Span:
    """A figure's period as it is stored: `from/to` in epoch seconds, an open end empty."""
    low, high = stored.split("/")
    return (float(low) if low else -inf, float(high) if high else inf)


def _span(stated: Any) -> Span:
    """A tstzrange as epoch seconds."""
    low: datetime | None = stated.lower
    high: datetime | None = stated.upper
    return (-inf if low is None else low.timestamp(), inf if high is None else high.timestamp())

"""Evidence written by hand: rows for a realm's tables mention and assertion, as a person would give them."""

from __future__ import annotations

from psycopg import sql as compose

from tests.support.database import Connection, sql, value
from tests.support.model import Entity, Triple


def chunk_of(conn: Connection, realm: str, space: str, document: str, no: int = 1) -> int:
    """The live chunk at a place of a document."""
    query = compose.SQL(
        "select c.chunk from {realm}.document as d"
        " join {realm}.document_version as v on v.document = d.id and v.died is null"
        " join {realm}.document_chunk as c on c.version = v.id and c.died is null"
        " join {realm}.space as s on s.id = d.space"
        " where s.name = %s and d.key = %s and c.no = %s"
    ).format(realm=compose.Identifier(realm))
    return int(value(conn, query.as_string(conn), [space, document, no]))


def assert_triple(conn: Connection, realm: str, chunk: int, triple: Triple) -> int:
    """Insert one assertion; its id."""
    query = compose.SQL(
        "insert into {} (chunk, subject, predicate, {}, negated, confidence, stated_from, stated_to)"
        " values (%s, %s, %s, %s, %s, %s, %s, %s) returning id"
    ).format(
        compose.Identifier(realm, "assertion"), compose.Identifier("value" if triple.is_value else "object")
    )
    given = [chunk, triple.subject, triple.predicate, triple.object, triple.negated, triple.confidence]
    return int(value(conn, query.as_string(conn), [*given, triple.valid_from, triple.valid_to]))


def mention_entity(conn: Connection, realm: str, chunk: int, entity: Entity) -> int:
    """Insert one mention; its id."""
    query = compose.SQL(
        "insert into {} (chunk, surface, type, description, aliases) values (%s, %s, %s, %s, %s) returning id"
    ).format(compose.Identifier(realm, "mention"))
    given = [chunk, entity.name, entity.type, f"{entity.name} as told.", list(entity.aliases)]
    return int(value(conn, query.as_string(conn), given))


def withdraw(conn: Connection, realm: str, assertion: int) -> None:
    """Delete one assertion."""
    query = compose.SQL("delete from {} where id = %s").format(compose.Identifier(realm, "assertion"))
    sql(conn, query.as_string(conn), [assertion])

"""A realm in which a paragraph is a chunk and a scripted endpoint reads it: who founded Acme."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support.calls import rows, set_models
from tests.support.corpus import as_json
from tests.support.database import GUARD_MS, Connection, Kept, value, view
from tests.support.endpoint import Endpoint
from tests.support.model import Entity, Extraction, Triple

REALM = "kb"
FILLER = "The rest of this paragraph only makes it long enough to be a chunk of its own in this realm. " * 2
PEOPLE = ("Ann", "Bob", "Carla", "Dmitri", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea")


class Untouched(NamedTuple):
    """What have_realm() made in a session."""

    rows: Kept
    vectors: tuple[str, int]  # model and width
    shape: str


#: A new realm costs its tables, and each statement planned anew: more than most tests. So a session keeps one.
_kept: WeakKeyDictionary[Connection, Untouched] = WeakKeyDictionary()


def fresh(session: Connection, keeps_realm: bool = False) -> Connection:
    """The session without settings, realms, defaults and registered places. For who calls have_realm() next, the realm
    may stay, if its tables are as they were made."""
    session.execute("reset all")
    session.execute(f"set statement_timeout = {GUARD_MS}")
    for realm in value(session, "select graphrag._realms() as realms"):
        kept = _kept.get(session) if realm == REALM and keeps_realm else None
        if kept is None or shape(session) != kept.shape:
            session.execute(compose.SQL("drop schema {} cascade").format(compose.Identifier(realm)))
            if realm == REALM:
                _kept.pop(session, None)
    session.execute("delete from graphrag.endpoint_default")
    session.execute("delete from graphrag.endpoint_location")
    return session


def have_realm(conn: Connection, url: str, model: str, width: int, realm: str = REALM) -> None:
    """The realm without a document: a new one, or the one that fresh() left."""
    kept = _kept.get(conn) if realm == REALM else None
    if kept and kept.vectors == (model, width):
        kept.rows.restore()
        conn.execute(f"update {REALM}.endpoint set base_url = %s", [url])
        return
    if kept:
        rows(conn, "drop_realm", realm, confirm=realm)
    rows(conn, "create_realm", realm, url, model, width=width)
    if realm == REALM:
        _kept[conn] = Untouched(Kept(conn, realm), (model, width), shape(conn))


def shape(conn: Connection) -> str:
    """A fingerprint of what the catalogue says of the realm: any DDL or GRANT changes it."""
    return str(
        value(
            conn,
            """
            with class as (
                select c.oid, c.xmin from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = %s
            )
            select md5(string_agg(part, ' ' order by part))
            from (
                select format('class %%s %%s', c.oid, c.xmin) from class as c
                union all
                select format('column %%s %%s %%s', a.attrelid, a.attnum, a.xmin)
                from pg_attribute as a join class as c on c.oid = a.attrelid
                union all
                select format('trigger %%s %%s', t.oid, t.xmin)
                from pg_trigger as t join class as c on c.oid = t.tgrelid
                union all
                select format('constraint %%s %%s', k.oid, k.xmin)
                from pg_constraint as k join class as c on c.oid = k.conrelid
                union all
                select format('policy %%s %%s', p.oid, p.xmin)
                from pg_policy as p join class as c on c.oid = p.polrelid
                union all
                select format('function %%s %%s', f.oid, f.xmin)
                from pg_proc as f join pg_namespace as n on n.oid = f.pronamespace
                where n.nspname = %s
                union all
                select format('schema %%s %%s', n.oid, n.xmin) from pg_namespace as n where n.nspname = %s
            ) as parts (part)
            """,
            [REALM, REALM, REALM],
        )
    )


def paragraph(name: str) -> str:
    return f"{name} founded Acme. {FILLER}".strip()


def pages(*names: str) -> str:
    """A document of one chunk a name."""
    return "\n\n".join(map(paragraph, names))


def founding(name: str) -> dict[str, Any]:
    """What a model finds in the paragraph of a name."""
    return as_json(Extraction((Entity(name), Entity("Acme")), (Triple(name, "founded", "Acme"),)))


def make_realm(conn: Connection, endpoint: Endpoint, realm: str = REALM, **embedding_options: Any) -> None:
    """A realm whose three models are the scripted endpoint. A superuser's business."""
    rows(conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)  # registers the URL
    have_realm(conn, endpoint.url, "vectors", endpoint.width, realm)
    set_models(conn, endpoint, realm=realm)
    if embedding_options:
        rows(
            conn, "set_endpoint", "embedding", endpoint.url, "vectors", options=embedding_options, realm=realm
        )
    for name, size in (("chunk_size", 300), ("chunk_overlap", 0)):
        rows(conn, "configure", name, Jsonb(size), realm=realm)
    endpoint.on_extraction = lambda text: founding(text.split(maxsplit=1)[0])
    endpoint.requests.clear()


def founders(conn: Connection, realm: str = REALM) -> set[str]:
    """Who founded Acme, as the realm has it now."""
    return {fact["subject"] for fact in view(conn, realm, "facts")}

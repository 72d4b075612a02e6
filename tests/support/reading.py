"""A realm in which a paragraph is a chunk and a scripted endpoint reads it: who founded Acme."""

from __future__ import annotations

from typing import Any

from psycopg import sql as compose
from psycopg.types.json import Jsonb

from tests.support.calls import rows, set_models
from tests.support.corpus import as_json
from tests.support.database import GUARD_MS, Connection, value, view
from tests.support.endpoint import Endpoint
from tests.support.model import Entity, Extraction, Triple

REALM = "kb"
FILLER = "The rest of this paragraph only makes it long enough to be a chunk of its own in this realm. " * 2
PEOPLE = ("Ann", "Bob", "Carla", "Dmitri", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea")


def fresh(session: Connection) -> Connection:
    """The session without settings, realms, defaults and registered places."""
    session.execute("reset all")
    session.execute(f"set statement_timeout = {GUARD_MS}")
    for realm in value(session, "select graphrag._realms() as realms"):
        session.execute(compose.SQL("drop schema {} cascade").format(compose.Identifier(realm)))
    session.execute("delete from graphrag.endpoint_default")
    session.execute("delete from graphrag.endpoint_location")
    return session


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
    rows(conn, "create_realm", realm, endpoint.url, "vectors", width=endpoint.width)
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

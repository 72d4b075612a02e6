"""The change feed as a consumer reads it, and what it must tell, worked out from the raw version tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from psycopg import sql as compose

from tests.support.calls import rows
from tests.support.database import Connection, Row

#: What identifies a change: space, revision, kind, id.
Change = tuple[str, int, str, int]


def follow(
    conn: Connection, page: Callable[[], int], since: str | None = None, **where: Any
) -> Iterator[list[Row]]:
    """Pages from a position until there is nothing more at the moment."""
    while found := rows(conn, "changes_since", since, page_size=page(), **where):
        since = found[-1]["position"]
        yield found


def drain(conn: Connection, since: str | None = None, size: int = 1000, **where: Any) -> list[Row]:
    """All changes since a position, read in pages of one size."""
    return [change for page in follow(conn, lambda: size, since, **where) for change in page]


def changes(found: list[Row]) -> list[Change]:
    return [(row["space"], row["revision"], row["kind"], row["id"]) for row in found]


# ---------------------------------------------------------------- from the tables
def expected(conn: Connection, realm: str) -> list[Change]:
    """Every change of a realm in the order of the feed."""
    told = [
        *_documents(_table(conn, realm, "document_version", "document")),
        *_entities(conn, realm),
        *_relations(_table(conn, realm, "relation_version", "relation")),
    ]
    names = {row["id"]: row["name"] for row in _all(conn, realm, "space")}
    return [
        (names[space], revision, kind, id_)
        for space, revision, _, id_, kind in sorted(told, key=lambda change: change[:4])
    ]


_Told = tuple[int, int, int, int, str]


def _all(conn: Connection, realm: str, table: str) -> list[Row]:
    return conn.execute(compose.SQL("select * from {}").format(compose.Identifier(realm, table))).fetchall()


def _table(conn: Connection, realm: str, table: str, of: str) -> dict[int, list[Row]]:
    """Of each thing its versions in order."""
    versions: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(_all(conn, realm, table), key=lambda row: row["born"]):
        versions[row[of]].append(row)
    return versions


def _steps(versions: list[Row]) -> Iterator[tuple[int, Row | None, Row | None, bool]]:
    """(revision, before, after, was there ever one before) at each revision in which something changed."""
    for revision in sorted({r["born"] for r in versions} | {r["died"] for r in versions if r["died"]}):
        before = [r for r in versions if r["born"] < revision and (r["died"] or revision) >= revision]
        after = [r for r in versions if r["born"] <= revision and (r["died"] or revision + 1) > revision]
        assert len(before) <= 1, "two versions were live at once"
        assert len(after) <= 1, "two versions are live at once"
        ever = any(r["born"] < revision for r in versions)
        yield revision, next(iter(before), None), next(iter(after), None), ever


def _documents(versions: dict[int, list[Row]]) -> Iterator[_Told]:
    for id_, own in versions.items():
        for revision, before, after, _ in _steps(own):
            kind = "deleted" if after is None else "added" if before is None else "changed"
            yield own[0]["space"], revision, 1, id_, f"document_{kind}"


def _relations(versions: dict[int, list[Row]]) -> Iterator[_Told]:
    for id_, own in versions.items():
        for revision, before, after, ever in _steps(own):
            if after is None:
                kind = "withdrawn"
            elif not ever:
                kind = "added"
            elif before is not None and before["status"] == after["status"]:
                kind = "changed"
            else:
                kind = "reopened" if after["status"] == "current" else str(after["status"])
            yield own[0]["space"], revision, 3, id_, f"relation_{kind}"


def _entities(conn: Connection, realm: str) -> Iterator[_Told]:
    versions = _table(conn, realm, "entity_version", "entity")
    names = _all(conn, realm, "entity_name")
    renamed: dict[int, set[int]] = defaultdict(set)
    for name in names:
        renamed[name["entity"]] |= {name["born"], name["died"]} - {None}
    for id_, own in versions.items():
        space, changed = own[0]["space"], set()
        for revision, before, after, ever in _steps(own):
            changed.add(revision)
            if after is None:
                kind = "entity_merged" if _is_taken(names, id_, revision) else "entity_dormant"
            elif before is None:
                kind = "entity_revived" if ever else "entity_new"
            else:
                same = before["content"] == after["content"]
                kind = "entity_changed" if same else "description_changed"
            yield space, revision, 2, id_, kind
        yield from ((space, revision, 2, id_, "entity_changed") for revision in renamed[id_] - changed)


def _is_taken(names: list[Row], entity: int, revision: int) -> bool:
    """Whether another entity goes on under the canonical name that this one had when it ended."""
    lost = {
        (n["space"], n["folded"])
        for n in names
        if n["entity"] == entity and n["role"] == "canonical" and n["died"] == revision
    }
    return any(
        (n["space"], n["folded"]) in lost
        and n["entity"] != entity
        and n["role"] != "claimed"
        and n["born"] <= revision < (n["died"] or revision + 1)
        for n in names
    )

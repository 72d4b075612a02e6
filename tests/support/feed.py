"""The change feed as a consumer reads it, and what it must tell, worked out from the raw version tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
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


# ---------------------------------------------------------------- a copy
class Mirror:
    """What a consumer has who knows of a space only what the feed told: by class and id the last word on a thing."""

    def __init__(self) -> None:
        self.since: str | None = None
        self.things: dict[tuple[str, int], tuple[Any, ...]] = {}

    def follow(self, conn: Connection, size: int, **where: Any) -> None:
        for page in follow(conn, lambda: size, self.since, **where):
            for change in page:
                self._apply(change)
            self.since = page[-1]["position"]

    def _apply(self, change: Row) -> None:
        what, _, how = change["kind"].partition("_")
        of = "entity" if what == "description" else what
        if of == "communities":
            return  # they are stale: nothing to keep
        if how in ("deleted", "dormant", "merged", "withdrawn") or change["kind"] == "entity_archived":
            del self.things[of, change["id"]]
        else:
            self.things[of, change["id"]] = _copied(of, change["name"], change["details"])

    def check(self, conn: Connection, realm: str) -> None:
        """The copy is what the tables hold."""
        there = {
            (row["of"], row["id"]): _copied(row["of"], row["name"], row["details"])
            for row in conn.execute(compose.SQL(_PRESENT).format(realm=compose.Identifier(realm))).fetchall()
        }
        assert self.things == there


def _copied(of: str, name: str, details: Row) -> tuple[Any, ...]:
    """Names of other things are left out: when those change, it is they that change."""
    match of:
        case "document":
            return name, details.get("ordinal"), details["metadata"]
        case "entity":
            return name, details["types"], details["description"], sorted(details.get("aliases") or [])
    held = ("predicate", "negated", "status", "weight", "period")
    return *(details.get(key) for key in held), "superseded_by" in details


_PRESENT = """
select 'document' as of, d.id, d.key as name,
    jsonb_build_object('ordinal', v.ordinal, 'metadata', v.metadata) as details
from {realm}.document as d
join {realm}.document_version as v on v.document = d.id and v.died is null
union all
select 'entity', v.entity, v.name, jsonb_build_object('types', v.types, 'description', c.body, 'aliases', array(
    select distinct n.name
    from {realm}.entity_name as n
    where n.entity = v.entity and n.died is null and n.role <> 'canonical'
))
from {realm}.entity_version as v
join {realm}.content as c on c.id = v.content
where v.died is null
union all
select 'relation', v.relation, '', jsonb_strip_nulls(jsonb_build_object(
    'predicate', v.predicate, 'negated', v.negated, 'status', v.status, 'weight', v.weight,
    'period', graphrag._render_period(v.effective), 'superseded_by', v.superseded_by
))
from {realm}.relation_version as v
where v.died is null
"""


# ---------------------------------------------------------------- from the tables
def expected(conn: Connection, realm: str, spaces: Sequence[str] | None = None) -> list[Change]:
    """Every change of a realm, or of some of its spaces, in the order of the feed."""
    query = compose.SQL("select id, name from {} where name = any (%s) or %s").format(
        compose.Identifier(realm, "space")
    )
    found = conn.execute(query, [list(spaces or ()), spaces is None]).fetchall()
    names = {row["id"]: row["name"] for row in found}
    told = [
        *_documents(_table(conn, realm, names, "document_version", "document")),
        *_entities(conn, realm, names),
        *_relations(_table(conn, realm, names, "relation_version", "relation")),
    ]
    return [
        (names[space], revision, kind, id_)
        for space, revision, _, id_, kind in sorted(told, key=lambda change: change[:4])
    ]


_Told = tuple[int, int, int, int, str]


def _all(conn: Connection, realm: str, spaces: Collection[int], table: str) -> list[Row]:
    query = compose.SQL("select * from {} where space = any (%s)").format(compose.Identifier(realm, table))
    return conn.execute(query, [list(spaces)]).fetchall()


def _table(
    conn: Connection, realm: str, spaces: Collection[int], table: str, of: str
) -> dict[int, list[Row]]:
    """Of each thing its versions in order."""
    versions: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(_all(conn, realm, spaces, table), key=lambda row: row["born"]):
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


def _entities(conn: Connection, realm: str, spaces: Collection[int]) -> Iterator[_Told]:
    versions = _table(conn, realm, spaces, "entity_version", "entity")
    names = _all(conn, realm, spaces, "entity_name")
    renamed: dict[int, set[int]] = defaultdict(set)
    for name in names:
        renamed[name["entity"]] |= {name["born"], name["died"]} - {None}
    for id_, own in versions.items():
        space, changed = own[0]["space"], set()
        for revision, before, after, ever in _steps(own):
            changed.add(revision)
            if after is None:
                kind = _end(names, id_, revision)
            elif before is None:
                kind = "entity_revived" if ever else "entity_new"
            else:
                same = before["content"] == after["content"]
                kind = "entity_changed" if same else "description_changed"
            yield space, revision, 2, id_, kind
        for revision in renamed[id_] - changed:
            if any(v["born"] <= revision and (v["died"] or revision + 1) > revision for v in own):
                yield space, revision, 2, id_, "entity_changed"


def _end(names: list[Row], entity: int, revision: int) -> str:
    """What is archived keeps its name, what is merged leaves it to another."""
    kept = (n for n in names if n["entity"] == entity and n["role"] == "canonical")
    if any(n["born"] <= revision < (n["died"] or revision + 1) for n in kept):
        return "entity_archived"
    return "entity_merged" if _is_taken(names, entity, revision) else "entity_dormant"


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

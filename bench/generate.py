"""Graphs of any size, written straight into a realm's tables: what indexing would have left there, in a minute.

    python bench/generate.py --realm bench --entities 100000 --relations 400000

The graph is a function of the arguments. Degrees follow a power law up to about `--max-degree`; vectors lie in
clusters; documents came one a revision, so that there is a past to read: restated relations and superseded ones have
closed versions. `graphrag.derive()` finds nothing to change in it. Predicates `sole_…` have one object at a time.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

SCRIPT = Path(__file__).with_suffix(".sql")
Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class Size:
    """How large a graph, and how much of it changed its mind."""

    entities: int = 10_000
    relations: int = 40_000
    spaces: int = 1
    width: int = 384
    superseded: float = 0.1  # share of the relations
    dated: float = 0.2
    restated: float = 0.1  # share of those outside slots that a later document says again
    max_degree: int = 3_000
    seed: int = 1

    @property
    def clusters(self) -> int:
        """About two hundred entities each; each lies in one space."""
        return self.spaces * max(1, self.entities // 200 // self.spaces)

    @property
    def steepness(self) -> float:
        """Of n draws, index 0 gets the share n ** (-1 / steepness): the exponent that gives it max_degree edges."""
        share = min(self.max_degree / (2 * self.relations), 0.05)
        return max(1.0, math.log(self.entities) / -math.log(share))


class Question(NamedTuple):
    """A question about an entity that exists, and a vector near what is said of it."""

    text: str
    embedding: list[float]


def generate(conn: Connection, realm: str, size: Size) -> None:
    """Make the realm and fill it. The connection is a superuser's, in autocommit."""
    conn.execute("select graphrag.create_realm(%s, 'builtin:hash', width => %s)", [realm, size.width])
    pairs = int(size.relations * size.superseded)
    for no in range(pairs // size.entities + 1):
        conn.execute("select graphrag.declare_predicate(%s, is_functional => true, realm => %s)",
                     [f"sole_{no}", realm])  # fmt: skip
    with conn.transaction():
        _prepare_session(conn, realm, size)
        indexes = _drop_indexes(conn, realm)
        conn.execute(SCRIPT.read_text())
        for definition in indexes:
            conn.execute(definition)
        _count_terms(conn)
    conn.execute("reset search_path")
    for table in conn.execute("select tablename from pg_tables where schemaname = %s", [realm]).fetchall():
        conn.execute(sql.SQL("vacuum analyze {}").format(sql.Identifier(realm, next(iter(_values(table))))))


def questions(conn: Connection, realm: str, number: int, seed: int = 1) -> list[Question]:
    """Questions about random entities, alternately hubs and others, with vectors near one of their relations."""
    rows = conn.execute(
        sql.SQL(
            "select s.name as subject, o.name as object, c.vec::text from generate_series(1, %(number)s) as q"
            " cross join lateral (select 1 + (hashint8extended(q, %(seed)s) & 2147483647)"
            " %% (select max(id) from {relation}) as id) as k"
            " join {relation} as r on r.id = k.id"
            " join {version} as v on v.relation = r.id and v.died is null"
            " join {entity} as s on s.entity = r.subject and s.died is null"
            " join {entity} as o on o.entity = r.object and o.died is null"
            " join {content} as c on c.id = v.content order by q"
        ).format(
            relation=sql.Identifier(realm, "relation"),
            version=sql.Identifier(realm, "relation_version"),
            entity=sql.Identifier(realm, "entity_version"),
            content=sql.Identifier(realm, "content"),
        ),
        {"number": number, "seed": seed},
    ).fetchall()
    return [
        Question(f"What is known of {subject} and {other}?", [float(n) for n in vec.strip("[]").split(",")])
        for subject, other, vec in map(_values, rows)
    ]


def _values(row: Any) -> Sequence[Any]:
    """The columns of a row, whatever the connection's row factory makes of it."""
    return list(row.values()) if isinstance(row, dict) else list(row)


def _prepare_session(conn: Connection, realm: str, size: Size) -> None:
    path = "format('%%I, %%s, pg_temp', %s::text, current_setting('search_path'))"
    conn.execute(f"select set_config('search_path', {path}, true)", [realm])
    # Foreign keys hold by construction; checking two million of them takes longer than all the rest.
    conn.execute("set local session_replication_role = replica")
    conn.execute("set local maintenance_work_mem = '2GB'")
    conn.execute("set local work_mem = '256MB'")
    conn.execute("set local synchronous_commit = off")
    conn.execute(
        sql.SQL(
            "create function pg_temp.u(n bigint, salt integer) returns double precision language sql immutable as $$"
            " select (hashint8extended(n, {seed} * 100000::bigint + salt) & 4294967295)"
            " / 4294967296.0::double precision $$;"
            "create function pg_temp.hub(u double precision, n bigint) returns bigint language sql immutable as $$"
            " select least(floor(n * power(u, {steepness}))::bigint, n - 1) $$;"
            "create temp table p on commit drop as select {entities}::bigint as entities,"
            " {relations}::bigint as relations, {spaces}::bigint as spaces, {clusters}::bigint as clusters,"
            " {width} as width, {pairs}::bigint as superseded, {dated} as dated, {restated} as restated"
        ).format(
            seed=sql.Literal(size.seed),
            steepness=sql.Literal(size.steepness),
            entities=sql.Literal(size.entities - size.entities % size.clusters),
            relations=sql.Literal(size.relations),
            spaces=sql.Literal(size.spaces),
            clusters=sql.Literal(size.clusters),
            width=sql.Literal(size.width),
            pairs=sql.Literal(int(size.relations * size.superseded)),
            dated=sql.Literal(size.dated / max(1 - 2 * size.superseded, 0.01)),
            restated=sql.Literal(size.restated),
        )
    )


def _drop_indexes(conn: Connection, realm: str) -> list[Any]:
    """Indexes that no constraint needs are built once, at the end; their definitions."""
    rows = conn.execute(
        "select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index as i"
        " join pg_class as c on c.oid = i.indrelid where c.relnamespace = %s::text::regnamespace"
        " and not exists (select from pg_constraint as k where k.conindid = i.indexrelid) order by 1",
        [f'"{realm}"'],
    ).fetchall()
    for name, _ in map(_values, rows):
        conn.execute(sql.SQL("drop index {}").format(sql.SQL(name)))
    return [sql.SQL(definition) for _, definition in map(_values, rows)]


def _count_terms(conn: Connection) -> None:
    """What writers count with a revision: as if it had been so at every one."""
    conn.execute("select graphrag._count_all_terms(s.id, s.revision) from space as s")
    conn.execute("update term_total set born = 1")
    conn.execute("update term_stat set born = 1")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dsn", default=os.environ.get("GRAPHRAG_DSN"))
    parser.add_argument("--realm", default="bench")
    for name, default in asdict(Size()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    given = vars(parser.parse_args(arguments))
    dsn, realm = given.pop("dsn"), given.pop("realm")
    if dsn is None:
        parser.error("--dsn, or GRAPHRAG_DSN, names the database")
    start = time.monotonic()
    with psycopg.connect(dsn, autocommit=True) as conn:
        generate(conn, realm, Size(**given))
    print(f"realm {realm}: {Size(**given)} in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

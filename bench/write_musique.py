"""The write path on musique_train: 1,890 passages with recorded triples, beside the bare inserts of the same rows.

After each document, the rows that it left in the realm are inserted into a second realm with the same tables and
indexes, one statement a table in one transaction: what the database cannot do without. So the two are timed in turn, on
the same machine in the same state. Run by `make bench-write`.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import groupby
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from bench import datasets
from bench.measure import Connection, counts, database, publish, spread, value

#: Tables in the order of their references. The first group is the floor that the target speaks of: texts with their
#: vectors, entities, relations; the second is the rest of what a document leaves behind.
_DERIVED = ("content", "entity", "entity_name", "entity_version", "relation", "relation_version")
_EVIDENCE = ("document", "document_version", "chunk", "document_chunk", "mention", "assertion")
#: Those whose rows end.
_ENDING = ("document_version", "document_chunk", "entity_name", "entity_version", "relation_version")
_SLICES = ("start", "middle", "end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=0, help="only so many; 0: all")
    parser.add_argument("--width", type=int, default=384)
    arguments = parser.parse_args()
    passages = datasets.musique_train()[: arguments.passages or None]
    with database("graphrag_bench_write") as session:
        figures = {
            "one_by_one": one_by_one(session, passages, arguments.width),
            "again": again(session, passages),
            "bulk": bulk(session, passages, arguments.width),
        }
        settings = {"passages": len(passages), "embedding": "builtin:hash", "width": arguments.width}
        print(publish("write-musique", session, settings, figures))


def create_realm(session: Connection, realm: str, width: int) -> None:
    session.execute(
        "select graphrag.create_realm(%s, embedding_url => 'builtin:hash', width => %s)", [realm, width]
    )


def one_by_one(session: Connection, passages: list[datasets.Passage], width: int) -> dict[str, Any]:
    """Each passage by a call of its own, each followed by the bare insertion of the same rows."""
    create_realm(session, "kb", width)
    create_realm(session, "bare", width)
    session.execute("create extension if not exists pg_stat_statements")
    session.execute("set track_functions = 'pl'")
    floor = Floor(session)
    timings: list[dict[str, float]] = []
    rejected: Counter[str] = Counter()
    statements = []
    for no, passage in enumerate(passages):
        is_counted = no % 100 == 50
        if is_counted:
            session.execute("set pg_stat_statements.track = 'all'")
            session.execute("select pg_stat_statements_reset()")
        embedding = _embedding_time(session)
        start = time.perf_counter()
        refused = index(session, passage, no)
        whole = time.perf_counter() - start
        embedding = _embedding_time(session) - embedding
        if is_counted:
            statements.append(_statements(session))
            session.execute("set pg_stat_statements.track = 'top'")
        rejected.update(refused)
        bare = floor.follow()
        if not is_counted:
            timings.append({"index": 1000 * whole, "embedding": embedding, **bare})
    return {
        "ms_per_passage": {
            part: {name: spread([t[name] for t in slice_]) for name in timings[0]}
            for part, slice_ in _thirds(timings)
        },
        "seconds": {name: round(sum(t[name] for t in timings) / 1000, 2) for name in timings[0]},
        "ratio_to_bare": {
            part: ratios(slice_) for part, slice_ in [("all", timings), *_thirds(timings)]
        },
        "statements": {
            "how": "pg_stat_statements, track = all, every 100th passage: queries executed inside index(), each once"
            " however often (distinct) and every execution (executed)",
            "distinct": spread([s["distinct"] for s in statements]),
            "executed": spread([s["executed"] for s in statements]),
        },
        "functions_ms": _functions(session, len(passages)),
        "rejected": dict(rejected.most_common()),
        "rows": rows(session, "kb"),
        "bytes": sizes(session, "kb"),
        "bytes_bare": sizes(session, "bare"),
        "timings_ms": [{name: round(ms, 2) for name, ms in t.items()} for t in timings],
    }


def index(session: Connection, passage: datasets.Passage, no: int, realm: str = "kb") -> dict[str, int]:
    """Indexes a passage with its recorded extraction; what the gates refused."""
    return dict(
        value(
            session,
            "select rejected from graphrag.index(%s, document => %s, ordinal => %s, extraction => %s, realm => %s)",
            [passage.text, f"{no} {passage.title}", no, Jsonb(passage.extraction), realm],
        )
    )


class Floor:
    """The bare insertion of the rows that appeared in realm kb since the last time, into realm bare."""

    def __init__(self, session: Connection) -> None:
        self.session = session
        self.last = dict.fromkeys((*_DERIVED, *_EVIDENCE), 0)
        self.columns = {table: self._columns(table) for table in self.last}
        session.execute("insert into bare.space overriding system value values (1, 'default', 0)")

    def _columns(self, table: str) -> sql.Composed:
        rows = self.session.execute(
            "select attname from pg_attribute where attrelid = ('kb.' || quote_ident(%s))::regclass"
            " and attnum > 0 and not attisdropped order by attnum",
            [table],
        ).fetchall()
        return sql.SQL(", ").join(sql.Identifier(name) for (name,) in rows)

    def follow(self) -> dict[str, float]:
        """Milliseconds for the texts, entities and relations, and for all rows."""
        self._read()
        spent = {"bare": 0.0, "bare_all": 0.0}
        with self.session.transaction():
            for table in self.last:
                start = time.perf_counter()
                self.session.execute(
                    sql.SQL("insert into bare.{0} ({1}) overriding system value select {1} from new_{2}").format(
                        sql.Identifier(table), self.columns[table], sql.SQL(table)
                    )
                    if table != "document_chunk"
                    else sql.SQL("insert into bare.document_chunk select * from new_document_chunk")
                )
                spent["bare_all"] += 1000 * (time.perf_counter() - start)
                if table in _DERIVED:
                    spent["bare"] += 1000 * (time.perf_counter() - start)
        return spent

    def _read(self) -> None:
        """The new rows into temporary tables, and the ends of old rows: no part of the floor."""
        for table in _ENDING:
            self.session.execute(
                sql.SQL(
                    "update bare.{0} as b set died = k.died from kb.{0} as k where k.{1} = b.{1}"
                    " and k.died = (select max(n) from kb.revision) and b.died is null"
                ).format(sql.Identifier(table), sql.Identifier("version" if table == "document_chunk" else "id"))
            )
        for table in self.last:
            key = "version" if table == "document_chunk" else "id"
            temporary = sql.SQL("new_{}").format(sql.SQL(table))
            self.session.execute(sql.SQL("drop table if exists {}").format(temporary))
            self.session.execute(
                sql.SQL("create temporary table {} as select * from kb.{} where {} > {}").format(
                    temporary, sql.Identifier(table), sql.Identifier(key), sql.Literal(self.last[table])
                )
            )
            found = self.session.execute(
                sql.SQL("select max({}) from {}").format(sql.Identifier(key), temporary)
            ).fetchone()
            self.last[table] = (found and found[0]) or self.last[table]


def ratios(timings: list[dict[str, float]]) -> dict[str, float]:
    """index() against the bare inserts, with and without the time of making vectors."""
    whole, embedding, bare, bare_all = (
        sum(t[name] for t in timings) for name in ("index", "embedding", "bare", "bare_all")
    )
    return {
        "index": round(whole / bare, 2),
        "index_without_embedding": round((whole - embedding) / bare, 2),
        "index_without_embedding_to_all_rows": round((whole - embedding) / bare_all, 2),
    }


def again(session: Connection, passages: list[datasets.Passage]) -> dict[str, Any]:
    """The unchanged corpus once more: nothing may happen."""
    before = rows(session, "kb")
    start = time.perf_counter()
    for no, passage in enumerate(passages):
        index(session, passage, no)
    seconds = time.perf_counter() - start
    after = rows(session, "kb")
    return {
        "ms_per_passage": round(1000 * seconds / len(passages), 2),
        "new_rows": {table: after[table] - before[table] for table in after if after[table] != before[table]},
        "model_calls": value(session, "select count(*) from kb.usage"),
    }


def bulk(session: Connection, passages: list[datasets.Passage], width: int) -> dict[str, Any]:
    """The whole table by one statement."""
    create_realm(session, "bulk", width)
    session.execute("create temporary table passage (no integer, title text, body text, extraction jsonb)")
    with session.cursor().copy("copy passage from stdin") as copy:
        for no, passage in enumerate(passages):
            copy.write_row([no, passage.title, passage.text, Jsonb(passage.extraction)])
    session.execute("analyze passage")
    start = time.perf_counter()
    indexed = value(
        session,
        "select count(graphrag.index(body, document => no || ' ' || title, ordinal => no, extraction => extraction,"
        " realm => 'bulk')) from passage",
    )
    seconds = time.perf_counter() - start
    return {"passages": indexed, "seconds": round(seconds, 2), "same_rows": rows(session, "bulk") == rows(session, "kb")}


def rows(session: Connection, realm: str) -> dict[str, int]:
    """How many rows each table of a realm has."""
    return {
        table: session.execute(
            sql.SQL("select count(*) from {}.{}").format(sql.Identifier(realm), sql.Identifier(table))
        ).fetchall()[0][0]
        for table in (*_DERIVED, *_EVIDENCE, "revision")
    }


def sizes(session: Connection, realm: str) -> dict[str, int]:
    """Bytes of each table of a realm with its indexes, and of all."""
    found = counts(
        session,
        "select c.relname::text, pg_total_relation_size(c.oid) from pg_class as c"
        " where c.relnamespace = %s::regnamespace and c.relkind = 'r'"
        " and pg_total_relation_size(c.oid) > 100000 order by 2 desc",
        [realm],
    )
    return {"all": sum(found.values()), **found}


def _embedding_time(session: Connection) -> float:
    """Milliseconds that this session has spent in making vectors."""
    return float(
        value(
            session,
            "select coalesce(sum(pg_stat_get_xact_function_total_time(p.oid)), 0)"
            " + coalesce(sum(pg_stat_get_function_total_time(p.oid)), 0)"
            " from pg_proc as p where p.proname = '_embed' and p.pronamespace = 'graphrag'::regnamespace",
        )
    )


def _statements(session: Connection) -> dict[str, int]:
    distinct, executed = session.execute(
        "select count(*), sum(calls) from pg_stat_statements as s"
        " join pg_database as d on d.oid = s.dbid and d.datname = current_database()"
        " where not s.toplevel"
    ).fetchall()[0]
    return {"distinct": distinct, "executed": int(executed)}


def _functions(session: Connection, passages: int) -> dict[str, float]:
    """Milliseconds a passage spent in each PL function itself, and calls."""
    session.execute("select pg_stat_force_next_flush()")
    return {
        name: {"self": float(own), "total": float(total), "calls": float(calls)}
        for name, own, total, calls in session.execute(
            "select funcname, round((self_time / %(n)s)::numeric, 3), round((total_time / %(n)s)::numeric, 3),"
            " round(calls::numeric / %(n)s, 2)"
            " from pg_stat_user_functions where self_time > 0.02 * %(n)s order by self_time desc",
            {"n": passages},
        ).fetchall()
    }


def _thirds(timings: list[dict[str, float]]) -> list[tuple[str, list[dict[str, float]]]]:
    numbered = [(_SLICES[3 * no // len(timings)], t) for no, t in enumerate(timings)]
    return [(part, [t for _, t in slice_]) for part, slice_ in groupby(numbered, key=lambda item: item[0])]


if __name__ == "__main__":
    main()

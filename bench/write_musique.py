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
from bench.measure import Connection, counts, cpu_ms, database, publish, run_or_skip, spread, value

#: Tables in the order of their references but for `document`, which comes before all. The first group is the floor
#: that the target speaks of: texts with their vectors, entities, relations; the second is what else a document leaves.
_DERIVED = ("content", "entity", "entity_name", "entity_version", "relation", "relation_version")
_EVIDENCE = ("document", "document_version", "chunk", "document_chunk", "mention", "assertion")
_SLICES = ("start", "middle", "end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=0, help="only so many; 0: all")
    parser.add_argument("--width", type=int, default=384)
    arguments = parser.parse_args()
    passages = datasets.musique_train()[: arguments.passages or None]
    with database("graphrag_bench_write") as session:
        settings = {"passages": len(passages), "embedding": "builtin:hash", "width": arguments.width}
        figures = {
            "one_by_one": one_by_one(session, passages, arguments.width),
            "again": again(session, passages),
        }
        print(publish("write-musique", session, settings, figures))
        bare = figures["one_by_one"]["seconds"]
        print(publish("write-bulk", session, settings, bulk(session, passages, arguments.width, bare)))


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
        start, processor = time.perf_counter(), cpu_ms(session)
        refused = index(session, passage, no)
        whole, processor = time.perf_counter() - start, cpu_ms(session) - processor
        embedding = _embedding_time(session) - embedding
        if is_counted:
            statements.append(_statements(session))
            session.execute("set pg_stat_statements.track = 'top'")
        rejected.update(refused)
        bare = floor.follow()
        if not is_counted:
            # All that index() does here is computing, so its parts take the processor as they take time.
            of_embedding = embedding * processor / (1000 * whole)
            timings.append(
                {
                    "index": 1000 * whole,
                    "index_cpu": processor,
                    "embedding": embedding,
                    "embedding_cpu": of_embedding,
                    **bare,
                }
            )
    return {
        "ms_per_passage": {
            part: {name: spread([t[name] for t in slice_]) for name in timings[0]}
            for part, slice_ in _thirds(timings)
        },
        "seconds": {name: round(sum(t[name] for t in timings) / 1000, 2) for name in timings[0]},
        "ratio_to_bare": {part: ratios(slice_) for part, slice_ in [("all", timings), *_thirds(timings)]},
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
    """The bare insertion of the rows that appeared in realm kb since the last time, into realm bare.

    Rows are read by their keys, in order, and no trigger of the realm's looks at them. What ended since then is not
    ended here, so the indexes that allow one live version are plain ones.
    """

    def __init__(self, session: Connection) -> None:
        self.session = session
        self.last = dict.fromkeys(("document", *_DERIVED, *_EVIDENCE), 0)
        self.inserts = {table: self._insert(table) for table in self.last}
        for table in self.last:
            session.execute(sql.SQL("alter table bare.{} disable trigger user").format(sql.Identifier(table)))
        session.execute("insert into bare.space overriding system value values (1, 'default', 0)")
        for name, definition in session.execute(
            "select indexname, indexdef from pg_indexes"
            " where schemaname = 'bare' and indexdef like 'CREATE UNIQUE%died IS NULL%'"
        ).fetchall():
            session.execute(sql.SQL("drop index bare.{}").format(sql.Identifier(name)))
            session.execute(definition.replace("UNIQUE ", "").encode())

    def _insert(self, table: str) -> sql.Composed:
        columns = self.session.execute(
            "select attname from pg_attribute where attrelid = ('kb.' || quote_ident(%s))::regclass"
            " and attnum > 0 and not attisdropped order by attnum",
            [table],
        ).fetchall()
        return sql.SQL(
            "insert into bare.{0} ({1}) {2} select {1} from kb.{0} where {3} > %s order by {3}"
        ).format(
            sql.Identifier(table),
            sql.SQL(", ").join(sql.Identifier(name) for (name,) in columns),
            sql.SQL("" if table == "document_chunk" else "overriding system value"),
            sql.Identifier(_key(table)),
        )

    def follow(self) -> dict[str, float]:
        """Milliseconds for the texts, entities and relations, and for all rows."""
        spent = {"bare": 0.0, "bare_cpu": 0.0, "bare_all": 0.0}
        with self.session.transaction():
            for table, insert in self.inserts.items():
                start, processor = time.perf_counter(), cpu_ms(self.session)
                self.session.execute(insert, [self.last[table]])
                milliseconds = 1000 * (time.perf_counter() - start)
                spent["bare_all"] += milliseconds
                if table in _DERIVED:
                    spent["bare"] += milliseconds
                    spent["bare_cpu"] += cpu_ms(self.session) - processor
        for table in self.last:
            query = sql.SQL("select coalesce(max({}), 0) from kb.{}").format(
                sql.Identifier(_key(table)), sql.Identifier(table)
            )
            self.last[table] = self.session.execute(query).fetchall()[0][0]
        return spent


def _key(table: str) -> str:
    return "version" if table == "document_chunk" else "id"


def ratios(timings: list[dict[str, float]]) -> dict[str, float]:
    """index() against the bare inserts, with and without the time of making vectors."""
    names = ("index", "index_cpu", "embedding", "embedding_cpu", "bare", "bare_cpu", "bare_all")
    whole, processor, embedding, embedding_processor, bare, bare_processor, bare_all = (
        sum(t[name] for t in timings) for name in names
    )
    return {
        "index": round(whole / bare, 2),
        "index_without_embedding": round((whole - embedding) / bare, 2),
        "index_with_embedding_by_processor_time": round(processor / bare_processor, 2),
        "index_without_embedding_by_processor_time": round(
            (processor - embedding_processor) / bare_processor, 2
        ),
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


def bulk(
    session: Connection, passages: list[datasets.Passage], width: int, bare: dict[str, float]
) -> dict[str, Any]:
    """The whole table by one statement, then again by the queue, with the vector indexes built after the rows; beside
    the seconds that the bare rows took, one passage after another."""
    session.execute("create temporary table passage (no integer, title text, body text, extraction jsonb)")
    with session.cursor().copy("copy passage from stdin") as copy:
        for no, passage in enumerate(passages):
            copy.write_row([no, passage.title, passage.text, Jsonb(passage.extraction)])
    session.execute("analyze passage")
    session.execute("set maintenance_work_mem = '512MB'")
    create_realm(session, "bulk", width)
    one_statement = _timed(session, [_INDEX_ALL.format("bulk")])
    session.execute("drop schema bulk cascade")
    create_realm(session, "bulk", width)
    session.execute(
        "select count(graphrag.enqueue(body, document => no || ' ' || title, ordinal => no, extraction => extraction,"
        " realm => 'bulk')) from passage"
    )
    queued = _timed(session, ["call graphrag.work('bulk', bulk => true)"])
    failed = value(session, "select count(*) from bulk.jobs where status <> 'done'")
    session.execute("set search_path = bulk, pg_temp")
    vectors = _timed(session, ["select graphrag._embed(array(select body from content))"])
    session.execute("reset search_path")
    return {
        "one_statement": one_statement,
        "work_in_bulk": queued,
        "making_vectors": vectors,
        "ratio_to_bare": {
            "work_in_bulk": round(queued["seconds"] / bare["bare"], 2),
            "without_making_vectors": round((queued["seconds"] - vectors["seconds"]) / bare["bare"], 2),
            "without_making_vectors_by_processor_time": round(
                (queued["processor_seconds"] - vectors["processor_seconds"]) / bare["bare_cpu"], 2
            ),
        },
        "jobs_not_done": failed,
        "same_graph": graph(session, "bulk") == graph(session, "kb"),
    }


_INDEX_ALL = (
    "select count(graphrag.index(body, document => no || ' ' || title, ordinal => no, extraction => extraction,"
    " realm => '{}')) from passage"
)


def _timed(session: Connection, statements: list[str]) -> dict[str, Any]:
    """Seconds of each statement and of all, on the clock and of the processor."""
    seconds, processor = [], cpu_ms(session)
    for statement in statements:
        start = time.perf_counter()
        session.execute(statement.encode())
        seconds.append(round(time.perf_counter() - start, 2))
    return {
        "seconds": round(sum(seconds), 2),
        "of_each_statement": seconds,
        "processor_seconds": round((cpu_ms(session) - processor) / 1000, 2),
    }


def graph(session: Connection, realm: str) -> set[tuple[Any, ...]]:
    """The present relations of a realm, without its ids."""
    query = sql.SQL(
        "select s.name, v.predicate, o.name, v.value, r.period, v.negated, v.status, v.effective::text, v.weight"
        " from {0}.relation_version as v join {0}.relation as r on r.id = v.relation"
        " join {0}.entity_version as s on s.entity = v.subject and s.died is null"
        " left join {0}.entity_version as o on o.entity = v.object and o.died is null where v.died is null"
    ).format(sql.Identifier(realm))
    return set(session.execute(query).fetchall())


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


def _functions(session: Connection, passages: int) -> dict[str, dict[str, float]]:
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
    run_or_skip(main)

"""How much disk and memory vectors take: by width, as vector, halfvec and with a binary index, with what each finds.

make bench-size writes bench/results/size.json. Vectors are random points around centres, as bench/generate.py has
them, because independent random vectors have no neighbours worth the name. GRAPHRAG_ROWS (20,000) and
GRAPHRAG_WIDTHS (384,768,1536) change the size.
"""

from __future__ import annotations

import os
import time
from typing import Any

from psycopg import sql

from bench.measure import Connection, database, publish, value

ROWS = int(os.environ.get("GRAPHRAG_ROWS", "20000"))
WIDTHS = [int(width) for width in os.environ.get("GRAPHRAG_WIDTHS", "384,768,1536").split(",")]
QUERIES = 50
FOUND = 10
CENTRES = 200

FILL = """
    create unlogged table centre as
    select c, array(select random() - 0.5 from generate_series(1, %(width)s) as i where c = c) as at
    from generate_series(1, %(centres)s) as c;
    create table text as
    select n as id, (
        select array_agg(x + 0.6 * (random() - 0.5) order by i)
        from unnest(e.at) with ordinality as u (x, i)
        where n = n
    )::real[]::vector({width}) as vec
    from generate_series(1, %(rows)s) as n
    join centre as e on e.c = 1 + n %% %(centres)s;
    alter table text add primary key (id);
    create table question as select id, vec from text order by hashint4(id) limit %(queries)s;
    delete from text where id in (select id from question);
"""
EXACT = """
    create table truth as
    select q.id as question, array(select t.id from text as t order by t.vec <=> q.vec limit %(found)s) as ids
    from question as q
"""
WAYS: dict[str, tuple[str, str]] = {
    "vector": (
        "vec vector_cosine_ops",
        "select t.id from text as t order by t.vec <=> q.vec limit %(found)s",
    ),
    "halfvec": (
        "(vec::halfvec({width})) halfvec_cosine_ops",
        "select t.id from text as t order by t.vec::halfvec({width}) <=> q.vec::halfvec({width}) limit %(found)s",
    ),
    "binary": (
        "(binary_quantize(vec)::bit({width})) bit_hamming_ops",
        "select c.id from (select t.id, t.vec from text as t"
        " order by binary_quantize(t.vec)::bit({width}) <~> binary_quantize(q.vec) limit 10 * %(found)s) as c"
        " order by c.vec <=> q.vec limit %(found)s",
    ),
}


def measure(session: Connection, width: int) -> dict[str, Any]:
    """Sizes and recall of each kind of index over one set of vectors."""
    arguments = {"width": width, "centres": CENTRES, "rows": ROWS, "queries": QUERIES, "found": FOUND}
    run(session, "drop table if exists centre, text, question, truth", width, None)
    for statement in FILL.split(";"):
        if statement.strip():
            run(session, statement, width, arguments)
    run(session, EXACT, width, arguments)
    rows = value(session, "select count(*) from text")
    found: dict[str, Any] = {
        "rows": rows,
        "table_bytes_a_vector": round(value(session, "select pg_table_size('text')") / rows),
    }
    for name, (column, nearest) in WAYS.items():
        begun = time.monotonic()
        run(session, f"create index text_vec on text using hnsw ({column})", width, None)
        built = time.monotonic() - begun
        hits = (
            "select avg((select count(*) from unnest(w.ids) as i where i = any (f.ids))) / %(found)s"
            " from question as q join truth as w on w.question = q.id"
            f" cross join lateral (select array({nearest}) as ids) as f"
        )
        begun = time.monotonic()
        (recall,) = run(session, hits, width, arguments)
        asked = time.monotonic() - begun
        found[name] = {
            "index_bytes_a_vector": round(value(session, "select pg_relation_size('text_vec')") / rows),
            "recall_at_10": round(float(recall), 3),
            "build_s": round(built, 1),
            "ms_a_query": round(1000 * asked / QUERIES, 2),
        }
        run(session, "drop index text_vec", width, None)
    return found


def run(session: Connection, statement: str, width: int, arguments: dict[str, Any] | None) -> tuple[Any, ...]:
    """One statement with the width in its types; its first row, if it has any."""
    cursor = session.execute(
        sql.SQL(statement).format(width=sql.Literal(width)),
        arguments,
    )
    return (cursor.fetchone() or ()) if cursor.description else ()


def main() -> None:
    with database("graphrag_bench_size") as session:
        session.execute("set maintenance_work_mem = '1GB'; set enable_seqscan = off")
        session.execute("select setseed(0.5)")
        figures = {str(width): measure(session, width) for width in WIDTHS}
        settings = {"rows": ROWS, "queries": QUERIES, "centres": CENTRES, "ef_search": 40}
        publish("size", session, settings, figures)


if __name__ == "__main__":
    main()

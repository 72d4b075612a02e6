"""How long retrieval takes on a generated graph, beside the bare index scans it needs: run by `make bench-latency`.

The floor is one call that does three vector scans, one full-text search by a rare word and a two-hop expansion,
capped, with nothing else: no filter, no fusion, no rows. That of `naive` is one scan of the passages' vectors. Times
are taken inside the server, in one session, the question's vector given, after a warm-up, alternately, so that what
else the machine does falls on both. The server should be able to keep the graph in memory: `make` gives it 4 GB of
shared buffers, SHARED_BUFFERS= another number.

Environment: GRAPHRAG_DSN, the server (superuser).
"""

from __future__ import annotations

import argparse

import psycopg
from psycopg import sql

from bench import generate
from bench.measure import Connection, cpu_ms, elsewhere, make_database, publish, spread, value

FLOOR = """
create function pg_temp.floor_scans(question text, vec vector, hops integer) returns bigint language plpgsql as $$
declare
    _word text;
    _seeds bigint[];
    _near bigint[];
    _n bigint;
begin
    select count(*) into _n from (
        (select id from content where kind = 'chunk' order by content.vec <=> $2 limit 50)
        union all (select id from content where kind = 'relation' order by content.vec <=> $2 limit 50)
    ) as x;
    _seeds := array(
        select v.entity
        from (select id from content where kind = 'entity' order by content.vec <=> $2 limit 10) as c
        join entity_version as v on v.content = c.id and v.died is null
    );
    select s.term into _word
    from unnest(to_tsvector('english', question)) as l
    join term_stat as s on s.kind = 'relation' and s.term = l.lexeme and s.died is null
    order by s.texts limit 1;
    select _n + count(*) into _n from (
        select ts_rank(tsv, quote_literal(_word)::tsquery)
        from content where kind = 'relation' and tsv @@ quote_literal(_word)::tsquery limit 1000
    ) as x;
    for _hop in 1 .. hops loop
        _near := array(
            select distinct e.other
            from unnest(_seeds) as s (id)
            cross join lateral (
                (
                    select object as other from relation_version
                    where subject = s.id and died is null order by ord desc limit 50
                )
                union all
                (
                    select subject from relation_version
                    where object = s.id and died is null order by ord desc limit 50
                )
            ) as e
            where e.other is not null
            limit 200
        );
        _n := _n + cardinality(_near);
        _seeds := _near;
    end loop;
    return _n;
end $$
"""

TIMED = """
create function pg_temp.timed(statement text, question text, vec double precision[]) returns double precision
language plpgsql as $$
declare
    _start timestamptz := clock_timestamp();
begin
    execute statement using question, vec;
    return 1000 * extract(epoch from clock_timestamp() - _start);
end $$
"""


def statements(realm: str) -> dict[str, str]:
    def retrieve(*options: str) -> str:
        named = "".join(f", {option}" for option in options)
        return f"select count(*) from graphrag.retrieve($1, embedding => $2, realm => '{realm}'{named})"

    return {
        "floor": "select pg_temp.floor_scans($1, $2::vector, 2)",
        "mix, walk ppr": retrieve("walk => 'ppr'"),
        "mix, walk hops": retrieve("walk => 'hops'"),
        "mix, no walk": retrieve("max_hops => 0"),
        "passages by vector, bare": "select count(*) from (select from content where kind = 'chunk' and $1 <> ''"
                                    " order by vec <=> $2::vector limit 10) as x",
        "naive": retrieve("mode => 'naive'"),
        "global": retrieve("mode => 'global'"),
        "mix, as of 2010": retrieve("as_of => '2010'"),
        "mix, two predicates": retrieve("relation_types => (select array_agg(distinct p) from "
                                        f"(select predicate as p from {realm}.relation_version limit 2) as x)"),
    }  # fmt: skip


def measure(
    conn: Connection, realm: str, asked: list[generate.Question]
) -> dict[str, list[tuple[float, float]]]:
    """Of each statement and question the milliseconds on the clock and of the processor. All are asked once before:
    so what they read is in memory, as it is for who asks often."""
    conn.execute(sql.SQL("set search_path to {}, public").format(sql.Identifier(realm)))
    conn.execute("set enable_seqscan = off; set jit = off; set max_parallel_workers_per_gather = 0")
    conn.execute("set hnsw.ef_search = 100")
    conn.execute(FLOOR)
    conn.execute(TIMED)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in statements(realm)}
    for is_warm in (False, True):
        for question in asked:
            for name, statement in statements(realm).items():
                before = cpu_ms(conn)
                timed = value(
                    conn, "select pg_temp.timed(%s, %s, %s)", [statement, question.text, question.embedding]
                )
                if is_warm:
                    times[name].append((timed, cpu_ms(conn) - before))
    return times


def summary(times: dict[str, list[tuple[float, float]]]) -> dict[str, dict[str, float]]:
    """Medians, and how often the floor's they are; on the clock, and of the processor."""
    clock = {name: spread([timed for timed, _ in taken]) for name, taken in times.items()}
    processor = {name: spread([spent for _, spent in taken]) for name, taken in times.items()}
    return {
        name: {
            "p50": clock[name]["p50"],
            "p95": clock[name]["p95"],
            "over_floor": round(clock[name]["p50"] / clock["floor"]["p50"], 2),
            "processor_p50": processor[name]["p50"],
            "processor_over_floor": round(processor[name]["p50"] / processor["floor"]["p50"], 2),
        }
        for name in times
    }


def make(name: str, size: generate.Size) -> None:
    """A database with the graph, its words counted."""
    make_database(name)
    with psycopg.connect(elsewhere(name), autocommit=True) as conn:
        conn.execute("set client_min_messages = warning")
        conn.execute("create extension graphrag cascade")
        generate.generate(conn, "bench", size)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=400_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--keep", action="store_true", help="measure the graph that is there already")
    options = parser.parse_args()
    name = f"graphrag_bench_{options.relations}"
    if not options.keep:
        make(name, generate.Size(entities=options.entities, relations=options.relations))
    with psycopg.connect(elsewhere(name), autocommit=True) as conn:
        times = measure(conn, "bench", generate.questions(conn, "bench", options.questions))
        settings = {key: vars(options)[key] for key in ("entities", "relations", "questions")}
        figures = summary(times)
        for system, figure in figures.items():
            print(f"{system:22} {figure}")
        raw = {system: [[round(ms, 2) for ms in both] for both in taken] for system, taken in times.items()}
        print(publish(f"latency-{options.relations}", conn, settings, {"figures": figures, "raw": raw}))


if __name__ == "__main__":
    main()

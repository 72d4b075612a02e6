"""What communities cost: clustering beside plain igraph on the same edges in the same run, and the novel's reports,
paid for once. Run by `make bench-communities`; SIZES="10000 100000 1000000" takes some minutes more.

The novel's graph is that of recorded gpt-4o extractions. A community is reported on by the recorded gpt-4o report that
names most of its members, if one names half of them; else by the rules of bench/local_models, which are no model.
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench import datasets
from bench.local_models import answers
from bench.local_models.prompts import read_question
from bench.measure import Connection, database, publish, value
from bench.replay import replay
from bench.write_carol import create_realm, index, novel
from tests.support.endpoint import Endpoint, Request, is_report

SIZES = [int(size) for size in os.environ.get("SIZES", "10000 100000").split()]
RUNS = 3  # of sizes up to 100,000; three times as many of small ones, one of larger ones
QUESTION = "How does Scrooge change, and who brings it about?"

#: Four relations an entity: seven of ten inside a group of about a hundred, the ends of others by a power law;
#: one of ten is superseded and one of twenty a denial. Only what clustering reads is there.
FILL = """
insert into space (name, revision) values ('default', 1);
insert into revision (space, n, at, transaction, role, operation) values (1, 1, now(), 'bench', current_user, 'index');
select graphrag._store_contents(
    1, jsonb_build_array(jsonb_build_object('kind', 'relation', 'body', 'x', 'vec', '[1,0,0,0,0,0,0,0]'))
);
insert into entity (id, space) overriding system value select n, 1 from generate_series(1, {entities}) as n;
insert into entity_name (space, folded, name, entity, role, born)
select 1, md5(n::text), n::text, n, 'canonical', 1 from generate_series(1, {entities}) as n;
select setseed(0.5);
create temporary table drawn as
select n, a, case when random() < 0.7 then a / 100 * 100 + floor(random() * 100)::integer
    else floor({entities} * power(random(), 3))::integer end as b
from (select n, floor({entities} * random())::integer as a from generate_series(1, {relations}) as n) as d;
insert into relation (id, space, subject, predicate, object, negated) overriding system value
select n, 1, a + 1, 'p' || n, least(b, {entities} - 1) + 1, n % 20 = 0 from drawn;
insert into relation_version (
    relation, space, born, subject, predicate, object, negated, status, effective, ord, weight, confidence, content
)
select n, 1, 1, a + 1, 'p' || n, least(b, {entities} - 1) + 1, n % 20 = 0,
    case when n % 10 = 0 then 'superseded' else 'current' end, '{{(,)}}', n, 1 + n % 3, 1, (select id from content)
from drawn;
drop table drawn;
analyze entity, entity_name, relation, relation_version;
"""

#: A process of its own, as anyone would write it: so that its memory is its own too.
PLAIN = """
import json, random, struct, sys, time
import igraph
count = int(sys.argv[1])
edges = list(struct.iter_unpack(">qq", sys.stdin.buffer.read(16 * count)))
weights = [w for w, in struct.iter_unpack(">d", sys.stdin.buffer.read(8 * count))]
begun = time.monotonic()
graph = igraph.Graph(n=int(sys.argv[2]), edges=edges)
built = time.monotonic()
random.seed(20240229)
found = graph.community_leiden(objective_function="modularity", weights=weights, resolution=1.0, n_iterations=2)
done = time.monotonic()
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
print(json.dumps({
    "build_s": built - begun, "leiden_s": done - built, "clusters": len(found), "modularity": graph.modularity(
        found.membership, weights=weights), "peak_mib": peak}))
"""


def main() -> None:
    figures: dict[str, Any] = {"clustering": []}
    for size in SIZES:
        with database("graphrag_bench_clustering") as session:
            figures["clustering"].append(clustering(session, size))
    with database("graphrag_bench_communities") as session:
        try:
            figures["christmas_carol"] = carol(session)
        except datasets.MissingError as missing:
            print(f"skipped: {missing}", file=sys.stderr)
            figures["christmas_carol"] = {"skipped": str(missing)}
        print(publish("communities", session, {"runs": RUNS, "question": QUESTION}, figures))


# ---------------------------------------------------------------- clustering
def clustering(session: Connection, relations: int) -> dict[str, Any]:
    """One size: the best of some runs of either, taken in turns. `whole` is what build_communities() does before it
    asks for reports: reading the graph, clustering it here or in a process, and taking the clusters back."""
    realm = f"size_{relations}"
    fill(session, realm, relations)
    graph = "select g.entities, g.ends, g.weights, g.relations from graphrag._cluster_graph(1, %s) as g"
    revision = value(session, "select revision from space where id = 1")
    runs: list[dict[str, Any]] = []
    for _ in range(3 * RUNS if relations <= 10_000 else RUNS if relations <= 100_000 else 1):
        begun = time.perf_counter()
        nodes, ends, weights, clustered = session.execute(graph, [revision]).fetchall()[0]
        loaded = time.perf_counter()
        own = session.execute(
            "select c.membership, c.seconds, c.peak_kib from graphrag._cluster(%s, %s, %s, 'leiden', 1) as c",
            [nodes, ends, weights],
        ).fetchall()[0]
        whole_at = time.perf_counter()
        value(session, "select (graphrag._find_clusters(1, %s, 'leiden', 1)).used", [revision])
        done = time.perf_counter()
        runs.append(
            {
                "membership": own[0],
                "load_s": loaded - begun,
                "leiden_s": own[1],
                "peak_mib": own[2] and own[2] / 1024,
                "whole_s": done - whole_at,
                "plain": plain(nodes, *simple(nodes, ends, weights)),
            }
        )
    session.execute("reset search_path")
    ours = {name: min(run[name] for run in runs) for name in ("load_s", "leiden_s", "whole_s")}
    memory = {"peak_mib": runs[0]["peak_mib"]}  # None: in the backend
    theirs = {
        name: min(run["plain"][name] for run in runs)
        for name in ("build_s", "leiden_s", "process_s", "peak_mib")
    }
    return {
        "relations": clustered,
        "vertices": sum(cluster >= 0 for cluster in runs[0]["membership"]),
        "edges": len(simple(nodes, ends, weights)[0]) // 16,
        "clusters": len(set(runs[0]["membership"]) - {-1}),
        "is_deterministic": all(run["membership"] == runs[0]["membership"] for run in runs),
        "ours": rounded(ours | memory),
        "igraph_alone": rounded(theirs) | {"clusters": runs[0]["plain"]["clusters"]},
        "leiden_ratio": round(ours["leiden_s"] / theirs["leiden_s"], 2),
        "whole_ratio": round(ours["whole_s"] / theirs["leiden_s"], 2),
        "process_ratio": round(ours["whole_s"] / theirs["process_s"], 2),
        "modularity": round(runs[0]["plain"]["modularity"], 4),
        "raw": [{**rounded(run, "membership"), "plain": rounded(run["plain"])} for run in runs],
    }


def fill(session: Connection, realm: str, relations: int) -> None:
    """A realm with a graph of random groups; the search_path is left in it."""
    session.execute("select graphrag.create_realm(%s, 'builtin:hash', width => 8)", [realm])
    session.execute(f"set search_path = {realm}, pg_temp")
    session.execute("set session_replication_role = replica")  # foreign keys of a million rows, one by one
    session.execute(FILL.format(entities=relations // 4, relations=relations))
    session.execute("reset session_replication_role")


def simple(nodes: Sequence[int], ends: bytes, weights: bytes) -> tuple[bytes, bytes]:
    """The edges as anyone would give them to igraph: numbered, once each, with the sum of their weights."""
    place = {node: no for no, node in enumerate(nodes)}
    sums: Counter[tuple[int, int]] = Counter()
    for (a, b), (weight,) in zip(
        struct.iter_unpack(">qq", ends), struct.iter_unpack(">q", weights), strict=True
    ):
        sums[min(place[a], place[b]), max(place[a], place[b])] += weight
    edges = sorted(sums)
    return b"".join(struct.pack(">qq", *edge) for edge in edges), struct.pack(
        f">{len(edges)}d", *(sums[edge] / 10 for edge in edges)
    )


def plain(nodes: Sequence[int], edges: bytes, weights: bytes) -> dict[str, Any]:
    """Figures of the process, and `process_s`: all of it, its start and the import of igraph included."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, str(len(weights) // 8), str(len(nodes))],
        input=edges + weights,
        capture_output=True,
        check=True,
    )
    return {"process_s": time.perf_counter() - begun, **json.loads(done.stdout)}


def rounded(figures: dict[str, Any], *without: str) -> dict[str, Any]:
    return {
        name: round(figure, 3) if isinstance(figure, float) else figure
        for name, figure in figures.items()
        if name not in without and not isinstance(figure, dict)
    }


# ---------------------------------------------------------------- the novel
def carol(session: Connection) -> dict[str, Any]:
    chunks = datasets.christmas_carol()
    recorded = datasets.carol_reports()
    with Endpoint() as endpoint:
        replay(endpoint, chunks)
        written: Counter[str] = Counter()
        endpoint.on_report = lambda text: reported(text, recorded, written)
        endpoint.on_synthesis = answered
        create_realm(session, endpoint, "novel", "fiction")
        session.execute("set graphrag.realm = 'novel'")
        index(session, novel(chunks[:-1]), "novel")
        figures = {"largest_share": shares(session), "recorded_reports": len(recorded)}
        figures["first_build"] = build(session, endpoint)
        figures["reports_by"] = dict(written)
        figures["second_build"] = build(session, endpoint)
        index(session, novel(chunks), "novel")
        figures["one_more_chunk"] = build(session, endpoint)
        figures["two_levels"] = build(session, endpoint, levels=2)
        figures["global_question"] = ask(session)
        return figures


def shares(session: Connection) -> dict[str, Any]:
    """The largest community's share of the entities that have relations, by algorithm and resolution."""
    found = {}
    for algorithm, resolution in (("label_propagation", 1.0), ("leiden", 1.0), ("leiden", 2.0)):
        session.execute("select set_config('search_path', 'novel', false)")
        membership = value(
            session,
            "select c.membership from graphrag._cluster_graph(1, (select revision from space where id = 1)) as g,"
            " graphrag._cluster(g.entities, g.ends, g.weights, %s, %s) as c",
            [algorithm, resolution],
        )
        session.execute("reset search_path")
        sizes = Counter(membership)
        found[f"{algorithm} {resolution}"] = {
            "share": round(max(sizes.values()) / len(membership), 3),
            "clusters": len(sizes),
            "of_three_or_more": sum(size >= 3 for size in sizes.values()),
        }
    return found


def build(session: Connection, endpoint: Endpoint, levels: int = 1) -> dict[str, Any]:
    asked = sum(map(is_report, endpoint.requests))
    result = dict(
        value(session, "select to_jsonb(b) from graphrag.build_communities(levels => %s) as b", [levels])
    )
    keep = (
        "communities",
        "levels",
        "reused",
        "failed",
        "failures",
        "unknown_relations",
        "llm_calls",
        "elapsed",
    )
    return {
        **{name: result[name] for name in keep},
        "requests": sum(map(is_report, endpoint.requests)) - asked,
    }


def ask(session: Connection) -> dict[str, Any]:
    result = value(session, "select to_jsonb(q) from graphrag.query(%s, 'global') as q", [QUESTION])
    return {
        "question": QUESTION,
        "answer": result["answer"],
        "reports": [report["subject"] for report in result["communities"]],
        "relations": len(result["relations"]),
        "usage": result["usage"],
    }


def reported(text: str, recorded: Sequence[dict[str, Any]], written: Counter[str]) -> dict[str, Any]:
    """A recorded report that names at least half of the community, else one by rules."""
    names = [
        name.lower() for name in re.findall(r"^- ([^(:\n]+?)(?: \([^)\n]*\))?(?::|$)", text, re.MULTILINE)
    ]

    def share(report: dict[str, Any]) -> float:
        told = json.dumps(report, ensure_ascii=False).lower()
        return sum(name in told for name in names) / max(len(names), 1)

    best = max(recorded, key=share, default=None)
    if best is None or share(best) < 0.5:
        written["rules"] += 1
        return answers.report(text)
    written["recorded gpt-4o"] += 1
    findings = [{**finding, "relations": []} for finding in best["findings"]]
    return {name: best[name] for name in ("title", "summary", "rating")} | {"findings": findings}


def answered(request: Request) -> str:
    question = read_question(request.message("user"))
    return answers.answer(question) if question else answers.NO_ANSWER


if __name__ == "__main__":
    main()

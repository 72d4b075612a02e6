"""What each part of retrieval is worth: one thing less at a time, on the graph that `make bench-recall` made of
musique_train. Run by `make bench-ablations`.

A variant is the default with other arguments, or with a function of the extension replaced inside a transaction that
is rolled back: a channel that finds nothing. All variants read the same graph, so each question is paired: how often is
a variant better or worse than the default, and how likely is so uneven a split by chance (sign test). Compared are the
mean of R@2, R@5 and R@10 of passages; the share of gold passages that one of the relations was read in; and the share
of gold passages that stand in a context of 4,000 characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

from bench.corpora import Corpus, Question, musique_train
from bench.eval import compare
from bench.measure import Connection, publish, run_or_skip
from bench.recall import CUTS, MODEL, Vectors, embed, open_corpus, stands_in

BUDGET = 4000


@dataclass(frozen=True)
class Variant:
    options: dict[str, Any] = field(default_factory=dict)
    silent: tuple[str, ...] = ()  # functions that find nothing


VARIANTS: dict[str, Variant] = {
    "default": Variant(),
    "without passages by vector": Variant(silent=("_chunks_by_vector",)),
    "without passages by words": Variant(silent=("_chunks_by_text",)),
    "without relations by vector": Variant(silent=("_relations_by_vector",)),
    "without relations by words": Variant(silent=("_relations_by_text",)),
    "without entities by name": Variant(silent=("_entities_by_name",)),
    "without entities by vector": Variant(silent=("_entities_by_vector",)),
    "without entities by words": Variant(silent=("_entities_by_text",)),
    "without a walk": Variant({"max_hops": 0}),
    "fusion quota": Variant({"fusion": "quota"}),
    "mmr": Variant({"rerank": ["mmr"]}),
    "node distance": Variant({"rerank": ["node_distance"]}),
    "hops, 2": Variant({"walk": "hops", "max_hops": 2}),
    "hops, 1": Variant({"walk": "hops", "max_hops": 1}),
    "hops, 3": Variant({"walk": "hops", "max_hops": 3}),
    "hops, 2, quota": Variant({"walk": "hops", "max_hops": 2, "fusion": "quota"}),
    "hops, 2, without passages by mention": Variant(
        {"walk": "hops", "max_hops": 2}, silent=("_chunks_by_mention",)
    ),
}
MEASURES = ("recall", "relations", "context")
#: What a variant is compared with, where that is not the default.
BASES = {name: "hops, 2" for name in VARIANTS if name.startswith("hops, ") and name != "hops, 2"}

Scores = dict[str, list[float]]


@contextmanager
def varied(session: Connection, variant: Variant) -> Iterator[None]:
    with session.transaction(force_rollback=True):
        for name in variant.silent:
            ((arguments, result),) = session.execute(
                "select pg_get_function_arguments(p.oid), pg_get_function_result(p.oid) from pg_proc as p"
                " where p.pronamespace = 'graphrag'::regnamespace and p.proname = %s",
                [name],
            ).fetchall()
            session.execute(
                sql.SQL(
                    "create or replace function graphrag.{}({}) returns {} language sql stable as"
                    " 'select null::graphrag._hit where false'"
                ).format(sql.Identifier(name), sql.SQL(arguments), sql.SQL(result))
            )
        yield


def scores(session: Connection, corpus: Corpus, vectors: Vectors, variant: Variant) -> Scores:
    found: Scores = {name: [] for name in MEASURES}
    named = sql.SQL("").join(sql.SQL(", {} => %s").format(sql.Identifier(name)) for name in variant.options)
    ask = sql.SQL(
        "select array_agg(e.kind), array_agg(e.source), graphrag._context(array_agg(e), {})"
        " from graphrag.retrieve(%s, embedding => %s{}) as e"
    ).format(sql.Literal(BUDGET), named)
    with varied(session, variant):
        for question, vector in zip(corpus.questions, vectors, strict=True):
            ((kinds, sources, prompt),) = session.execute(
                ask, [question.text, vector, *variant.options.values()]
            ).fetchall()
            places = [
                (kind, int(source.split()[1])) for kind, source in zip(kinds, sources, strict=True) if source
            ]
            ranking = [no for kind, no in places if kind == "chunk"]
            stated = {no for kind, no in places if kind == "relation"}
            found["recall"].append(sum(share(question, set(ranking[:cut])) for cut in CUTS) / len(CUTS))
            found["relations"].append(share(question, stated))
            found["context"].append(stands_in(corpus, question, prompt))
    return found


def share(question: Question, found: set[int]) -> float:
    return len(question.gold & found) / len(question.gold)


def main() -> None:
    corpus = musique_train()
    vectors = embed([question.text for question in corpus.questions])
    results: dict[str, Any] = {}
    raw: dict[str, Scores] = {}
    with closing(open_corpus(corpus, keep=True)) as session:
        for name, variant in VARIANTS.items():
            raw[name] = scores(session, corpus, vectors, variant)
            base = raw[BASES.get(name, "default")]
            results[name] = {
                measure: {
                    "mean": round(100 * sum(raw[name][measure]) / len(corpus.questions), 1),
                    **({} if name == "default" else compare.paired(base[measure], raw[name][measure])),
                }
                for measure in MEASURES
            }
            print(f"{name:40} {results[name]}", flush=True)
        settings = {
            "corpus": corpus.name,
            "questions": len(corpus.questions),
            "embedding": MODEL,
            "budget": BUDGET,
            "compared with": {name: BASES.get(name, "default") for name in VARIANTS if name != "default"},
        }
        kept = {
            name: {measure: " ".join(f"{one:.3g}" for one in values) for measure, values in found.items()}
            for name, found in raw.items()
        }
        print(publish("ablations", session, settings, {"variants": results, "raw": kept}))


if __name__ == "__main__":
    run_or_skip(main)

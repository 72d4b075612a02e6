"""How much of the gold evidence retrieval finds: run by `make bench-recall`.

musique_train: 100 multi-hop questions over 1,890 passages, with triples that gpt-3.5 read in them (replayed, no model
is asked) and MiniLM vectors. A passage is a document of one chunk. Each system ranks passages; measured are the shares
of a question's gold passages among the first 2, 5 and 10, and of the questions that have all of theirs in 10.

Settings were chosen on the questions of even number; figures are for all, and for the odd ones, which chose nothing.

Environment: GRAPHRAG_DSN, the server (superuser); GRAPHRAG_MODELS_URL, the local model server; GRAPHRAG_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import time
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import bm25s
import numpy as np
import psycopg
import Stemmer
from psycopg import sql
from psycopg.types.json import Jsonb

from bench import datasets

MODEL = "all-minilm-l6-v2-int8"
CUTS = (2, 5, 10)
SEED = 1
#: Floors and goals of other systems on the same passages, triples and vectors, measured before this project began.
REACH = {"R@2": 50.0, "R@5": 72.0, "R@10": 84.0, "all@10": 65.0}

Connection = psycopg.Connection[Any]
Ranking = list[int]  # numbers of passages, best first


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[int]
    vector: list[float]


# ---------------------------------------------------------------- the corpus
def read_questions(passages: Sequence[datasets.Passage]) -> list[tuple[str, frozenset[int]]]:
    """Each question with the numbers of its gold passages."""
    number = {passage.text: no for no, passage in enumerate(passages)}
    path = datasets.folder("musique_train") / "musique_train.json"
    return [
        (
            record["question"],
            frozenset(
                number[f"{paragraph['title']}\n{paragraph['paragraph_text']}"]
                for paragraph in record["paragraphs"]
                if paragraph["is_supporting"]
            ),
        )
        for record in json.loads(path.read_text(encoding="utf-8"))
    ]


def embed(texts: Sequence[str]) -> list[list[float]]:
    request = urllib.request.Request(
        os.environ["GRAPHRAG_MODELS_URL"] + "/embeddings",
        json.dumps({"model": MODEL, "input": list(texts), "encoding_format": "float"}).encode(),
        {"Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=300) as answer:
        rows = json.load(answer)["data"]
    return [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]


def database_url(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def index_corpus(server: str, name: str, passages: Sequence[datasets.Passage]) -> None:
    """A fresh database with every passage in realm `default`."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    with psycopg.connect(database_url(server, name), autocommit=True) as conn:
        conn.execute("set client_min_messages = warning")
        conn.execute("create extension graphrag cascade")
        conn.execute(
            "select graphrag.create_realm('default', embedding_url => %s, embedding_model => %s)",
            [os.environ["GRAPHRAG_MODELS_URL"], MODEL],
        )
        conn.execute("select graphrag.configure('chunk_size', '10000')")
        for no, passage in enumerate(passages):
            triples = [
                dict(zip(("subject", "predicate", "object"), t, strict=True))
                for t in passage.triples
                if len(t) == 3
            ]
            extraction = {
                "chunks": [{"no": 1, "entities": [{"name": n} for n in passage.names], "triples": triples}]
            }
            conn.execute(
                "select from graphrag.index(%s, document => %s, source => %s, ordinal => %s, extraction => %s)",
                [passage.text, passage.title, f"passage {no}", no, Jsonb(extraction)],
            )
            if no % 200 == 0:
                print(f"  {no} of {len(passages)} passages indexed", flush=True)


# ---------------------------------------------------------------- systems
def retrieved(conn: Connection, question: Question, mode: str = "mix", **options: Any) -> Ranking:
    """Passages in the order in which retrieve() gives them."""
    named = sql.SQL("").join(sql.SQL(", {} => %s").format(sql.Identifier(name)) for name in options)
    rows = conn.execute(
        sql.SQL(
            "select source from graphrag.retrieve(%s, %s, embedding => %s{}) where kind = 'chunk' order by rank"
        ).format(named),
        [question.text, mode, question.vector, *options.values()],
    ).fetchall()
    return [int(source.split()[1]) for (source,) in rows]


def lexical(conn: Connection, question: Question) -> Ranking:
    """The lexical channel alone."""
    with conn.transaction():
        conn.execute('set local search_path to "default", public')
        rows = conn.execute(
            """
            select d.source
            from graphrag._chunks_by_text(
                %s, graphrag._filter_of(null, null, null, null, null, null, null, null), 10
            ) as h
            join chunk as k on k.id = h.id
            join document as d on d.id = k.document
            order by h.rank, h.id
            """,
            [question.text],
        ).fetchall()
    return [int(source.split()[1]) for (source,) in rows]


def library(passages: Sequence[datasets.Passage], questions: Sequence[Question]) -> list[Ranking]:
    """What the library bm25s finds: English stemmer and stop words, k1 1.2, b 0.75."""
    stemmer = Stemmer.Stemmer("english")
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    engine = bm25s.BM25(k1=1.2, b=0.75)
    engine.index(bm25s.tokenize([p.text for p in passages], **options), show_progress=False)
    found, _ = engine.retrieve(
        bm25s.tokenize([q.text for q in questions], **options), k=10, show_progress=False
    )
    return [[int(no) for no in row] for row in found]


# ---------------------------------------------------------------- measures
def measures(rankings: Sequence[Ranking], questions: Sequence[Question]) -> dict[str, list[float]]:
    """For each question what it contributes to each measure, in percent."""
    result = {
        f"R@{cut}": [
            100.0 * len(question.gold & set(ranking[:cut])) / len(question.gold)
            for ranking, question in zip(rankings, questions, strict=True)
        ]
        for cut in CUTS
    }
    result["all@10"] = [
        100.0 * (question.gold <= set(ranking[:10]))
        for ranking, question in zip(rankings, questions, strict=True)
    ]
    return result


def interval(differences: Sequence[float]) -> list[float]:
    """Paired bootstrap, 95 %."""
    chance = random.Random(SEED)
    n = len(differences)
    means = sorted(sum(chance.choices(differences, k=n)) / n for _ in range(2000))
    return [round(means[49], 1), round(means[1949], 1)]


def summary(values: dict[str, list[float]], plain: dict[str, list[float]]) -> dict[str, Any]:
    def mean(numbers: Sequence[float]) -> float:
        return round(sum(numbers) / len(numbers), 1)

    return {
        "all": {name: mean(v) for name, v in values.items()},
        "chosen on": {name: mean(v[::2]) for name, v in values.items()},
        "held out": {name: mean(v[1::2]) for name, v in values.items()},
        "gain over naive, 95 %": {
            name: interval([a - b for a, b in zip(v, plain[name], strict=True)]) for name, v in values.items()
        },
    }


def in_context(conn: Connection, question: Question, budget: int, texts: Sequence[str]) -> float:
    """Share of the gold passages that stand word for word in the assembled context."""
    (prompt,) = conn.execute(
        "select prompt from graphrag.context(%s, embedding => %s, budget => %s)",
        [question.text, question.vector, budget],
    ).fetchone() or ("",)
    return 100.0 * sum(texts[no] in prompt for no in question.gold) / len(question.gold)


SYSTEMS: dict[str, Callable[[Connection, Question], Ranking]] = {
    "naive": lambda c, q: retrieved(c, q, "naive"),
    "lexical channel": lexical,
    "mix, walk ppr": lambda c, q: retrieved(c, q, walk="ppr"),
    "mix, walk hops": lambda c, q: retrieved(c, q, walk="hops"),
    "mix, walk ppr, mmr": lambda c, q: retrieved(c, q, walk="ppr", rerank=["mmr"]),
    "local": lambda c, q: retrieved(c, q, "local"),
    "global": lambda c, q: retrieved(c, q, "global"),
    "hybrid": lambda c, q: retrieved(c, q, "hybrid"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="graphrag_bench_recall")
    parser.add_argument("--keep", action="store_true", help="measure what that database holds already")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results/recall.json")
    options = parser.parse_args()
    server = os.environ["GRAPHRAG_DSN"]
    try:
        passages = datasets.musique_train()
    except datasets.MissingError as missing:
        print(f"SKIPPED: {missing}")
        return
    if not options.keep:
        index_corpus(server, options.database, passages)
    read = read_questions(passages)
    vectors = embed([text for text, _ in read])
    questions = [Question(text, gold, vector) for (text, gold), vector in zip(read, vectors, strict=True)]
    with psycopg.connect(database_url(server, options.database), autocommit=True) as conn:
        results = {}
        plain = measures([retrieved(conn, q, "naive") for q in questions], questions)
        for name, ask in SYSTEMS.items():
            start = time.perf_counter()
            values = measures([ask(conn, q) for q in questions], questions)
            results[name] = summary(values, plain)
            results[name]["ms a question"] = round(10 * (time.perf_counter() - start), 1)
            show(name, results[name])
        results["bm25s"] = summary(measures(library(passages, questions), questions), plain)
        show("bm25s", results["bm25s"])
        texts = [passage.text for passage in passages]
        contexts = {
            str(budget): round(sum(in_context(conn, q, budget, texts) for q in questions) / len(questions), 1)
            for budget in (4000, 0)
        }
        print("gold passages in the context, by budget:", contexts)
        versions = conn.execute(
            "select version(), (select extversion from pg_extension where extname = 'vector')"
        ).fetchone()
    report = {
        "what": "musique_train: gold passages found, percent of 100 questions over 1,890 passages",
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.python_version()}",
        "versions": {
            "postgresql": versions and versions[0],
            "pgvector": versions and versions[1],
            "bm25s": bm25s.__version__,
            "numpy": np.__version__,
        },
        "model": MODEL,
        "seed": SEED,
        "reach": REACH,
        "systems": results,
        "share of gold passages in the context by budget of characters": contexts,
    }
    options.output.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written to {options.output}")


def show(name: str, result: dict[str, Any]) -> None:
    cells = "  ".join(f"{measure} {value:5.1f}" for measure, value in result["all"].items())
    held = "  ".join(f"{value:5.1f}" for value in result["held out"].values())
    print(f"{name:22} {cells}   held out {held}   {result.get('ms a question', '')}", flush=True)


if __name__ == "__main__":
    main()

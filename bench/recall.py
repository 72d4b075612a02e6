"""How much of the gold evidence retrieval finds: run by `make bench-recall`. No language model answers anything.

Each data set of bench/corpora.py that is on this machine is indexed through the queue into a database of its own, and
then given MiniLM's vectors by `reembed()`. Each system ranks passages; measured are the shares of a question's gold
passages among the first 2, 5 and 10, of the questions that have all of theirs in 10, and of those whose gold passages
all stand word for word in the context that `context()` makes for a budget of characters.

`chosen` is what did best on the questions of even number (mean of the three recalls); figures are for all questions and
for the odd ones, which chose nothing. A gold passage's rank in each system is kept in the result.

Environment: GRAPHRAG_DSN, the server (superuser); GRAPHRAG_MODELS_URL, the local model server; GRAPHRAG_DATA;
GRAPHRAG_TIMEQA_PAGES, how many of timeqa's 320 pages (40).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import bm25s
import psycopg
import Stemmer
from psycopg import sql
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from bench import datasets
from bench.corpora import CORPORA, RULES, Corpus, Question
from bench.measure import Connection, elsewhere, make_database, publish, value

MODEL = "all-minilm-l6-v2-int8"
CUTS = (2, 5, 10)
BUDGETS = (2000, 4000, 8000, 0)  # characters; 0: all of it
SEED = 1
DEFAULT = "mix"

Ranking = list[int]  # places of passages, best first
Vectors = Sequence[list[float]]


# ---------------------------------------------------------------- the corpus in a database
def embed(texts: Sequence[str]) -> Vectors:
    request = urllib.request.Request(
        models_url() + "/embeddings",
        json.dumps({"model": MODEL, "input": list(texts), "encoding_format": "float"}).encode(),
        {"Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=600) as answer:
        rows = json.load(answer)["data"]
    return [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]


def models_url() -> str:
    return os.environ["GRAPHRAG_MODELS_URL"].split("\n")[0]


def open_corpus(corpus: Corpus, *, keep: bool) -> Connection:
    """A session in the corpus's database with every passage in realm `default`: made anew, or as a kept one has it."""
    name = f"graphrag_bench_{corpus.name}"
    is_new = make_database(name, keep=keep)
    session = psycopg.connect(elsewhere(name), autocommit=True, row_factory=tuple_row)
    session.execute("set client_min_messages = warning")
    if is_new:
        session.execute("create extension graphrag cascade")
        session.execute("select graphrag.create_realm('default', 'builtin:hash', width => 384)")
        if corpus.asks_model:
            session.execute(
                "select graphrag.set_endpoint('extraction', %s, %s, realm => 'default')",
                [models_url(), RULES],
            )
        for setting, wanted in {"chunk_size": "100000", **corpus.settings}.items():
            session.execute("select graphrag.configure(%s, %s)", [setting, wanted])
        for no, passage in enumerate(corpus.passages):
            session.execute(
                "select graphrag.enqueue(%s, document => %s, source => %s, published_at => %s, ordinal => %s,"
                " extraction => %s, space => %s)",
                [
                    passage.text,
                    passage.title,
                    f"passage {no}",
                    passage.published_at,
                    no,
                    None if passage.extraction is None else Jsonb(passage.extraction),
                    passage.space,
                ],
            )
        session.execute("call graphrag.work('default', bulk => true)")
        # The same vectors as if they had been asked for document by document, in fewer and larger requests.
        session.execute(
            "call graphrag.reembed('default', %s, %s, options => '{\"deadline\": 900}')",
            [models_url(), MODEL],
        )
        session.execute("vacuum analyze")
    check_whole(session, corpus)
    return session


def check_whole(session: Connection, corpus: Corpus) -> None:
    """A passage that is missing, or that could not be read, makes every figure a wrong one."""
    indexed = value(
        session, "select count(*) from \"default\".documents where failed = 0 and source ~ '^passage '"
    )
    if indexed != len(corpus.passages):
        raise SystemExit(f"{corpus.name}: {indexed} of {len(corpus.passages)} passages indexed; not measured")
    model = value(session, 'select model from "default".realm')
    if model != MODEL:
        raise SystemExit(f"{corpus.name}: vectors are of {model}; not measured")


# ---------------------------------------------------------------- systems
def retrieved(session: Connection, question: Question, vector: list[float], **options: Any) -> Ranking:
    """Passages in the order in which retrieve() gives them."""
    options = {"space": question.space, "embedding": vector, **options}
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in options)
    rows = session.execute(
        sql.SQL("select source from graphrag.retrieve(%s, {}) where kind = 'chunk' order by rank").format(
            named
        ),
        [question.text, *options.values()],
    ).fetchall()
    return [int(source.split()[1]) for (source,) in rows]


def lexical(session: Connection, question: Question, _: list[float]) -> Ranking:
    """The lexical channel alone."""
    with session.transaction():
        session.execute('set local search_path to "default", public')
        rows = session.execute(
            """
            select d.source
            from graphrag._chunks_by_text(
                %s, graphrag._filter_of(%s, null, null, null, null, null, null, null), 10
            ) as h
            join chunk as k on k.id = h.id
            join document as d on d.id = k.document
            order by h.rank, h.id
            """,
            [question.text, question.space],
        ).fetchall()
    return [int(source.split()[1]) for (source,) in rows]


Ask = Callable[[Connection, Question, list[float]], Ranking]


def asking(*, dated: bool = False, **options: Any) -> Ask:
    return lambda session, question, vector: retrieved(
        session, question, vector, **options, **({"as_of": question.as_of} if dated else {})
    )


SYSTEMS: dict[str, Ask] = {
    "naive": asking(mode="naive"),
    "lexical channel": lexical,
    DEFAULT: asking(),
    "mix, walk hops": asking(walk="hops"),
    "mix, mmr": asking(rerank=["mmr"]),
    "mix, no walk": asking(max_hops=0),
    "local": asking(mode="local"),
    "global": asking(mode="global"),
    "hybrid": asking(mode="hybrid"),
}
DATED: dict[str, Ask] = {
    "naive, as_of": asking(mode="naive", dated=True),
    "mix, as_of": asking(dated=True),
    "mix, walk hops, as_of": asking(walk="hops", dated=True),
}
#: What may be chosen for a data set: the settings of its calls.
CHOICES = ("naive", DEFAULT, "mix, walk hops", "mix, mmr", "mix, no walk", "hybrid", *DATED)


def library(corpus: Corpus) -> list[Ranking]:
    """What the library bm25s finds in a question's space: English stemmer and stop words, k1 1.2, b 0.75."""
    stemmer = Stemmer.Stemmer("english")
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    found: dict[int, Ranking] = {}
    for space in sorted({passage.space for passage in corpus.passages}):
        places = [no for no, passage in enumerate(corpus.passages) if passage.space == space]
        asked = [no for no, question in enumerate(corpus.questions) if question.space == space]
        engine = bm25s.BM25(k1=1.2, b=0.75)
        engine.index(
            bm25s.tokenize([corpus.passages[no].text for no in places], **options), show_progress=False
        )
        best, scores = engine.retrieve(
            bm25s.tokenize([corpus.questions[no].text for no in asked], **options),
            k=min(10, len(places)),
            show_progress=False,
        )
        for question, numbers, given in zip(asked, best, scores, strict=True):
            found[question] = [places[no] for no, score in zip(numbers, given, strict=True) if score > 0]
    return [found[no] for no in range(len(corpus.questions))]


# ---------------------------------------------------------------- measures
Measures = dict[str, list[float]]


def measures(rankings: Sequence[Ranking], questions: Sequence[Question]) -> Measures:
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
    means = sorted(sum(chance.choices(differences, k=n)) / n for _ in range(1000))
    return [round(means[24], 1), round(means[974], 1)]


def mean(numbers: Sequence[float]) -> float:
    return round(sum(numbers) / len(numbers), 1)


def summary(values: Measures, plain: Measures) -> dict[str, Any]:
    return {
        "all": {name: mean(v) for name, v in values.items()},
        "chosen on": {name: mean(v[::2]) for name, v in values.items()},
        "held out": {name: mean(v[1::2]) for name, v in values.items()},
        "gain over naive, 95 %": {
            name: interval([a - b for a, b in zip(v, plain[name], strict=True)]) for name, v in values.items()
        },
    }


def places(rankings: Sequence[Ranking], questions: Sequence[Question]) -> str:
    """The raw result: of each question the places of its gold passages, 0 where one was not found."""
    return " ".join(
        ",".join(str(ranking.index(gold) + 1 if gold in ranking else 0) for gold in sorted(question.gold))
        for ranking, question in zip(rankings, questions, strict=True)
    )


def by_kind(values: Measures, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    kinds = sorted({question.kind for question in questions})
    return {
        kind: {
            "n": sum(q.kind == kind for q in questions),
            **{
                name: mean([one for one, q in zip(v, questions, strict=True) if q.kind == kind])
                for name, v in values.items()
            },
        }
        for kind in kinds
    }


def prompts(session: Connection, question: Question, vector: list[float], **options: Any) -> list[str]:
    """The evidence of one read as `context()` renders it under each budget; reading once is enough."""
    options = {"space": question.space, "embedding": vector, **options}
    named = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in options)
    ((found,),) = session.execute(
        sql.SQL(
            "select array(select graphrag._context(r.evidence, b.budget)"
            " from unnest(%s::integer[]) with ordinality as b (budget, no) order by b.no)"
            " from (select array_agg(e) as evidence from graphrag.retrieve(%s, {}) as e) as r"
        ).format(named),
        [list(BUDGETS), question.text, *options.values()],
    ).fetchall()
    return list(found)


def stands_in(corpus: Corpus, question: Question, prompt: str) -> float:
    """The share of a question's gold passages that stand word for word in a text; blanks are no words."""
    read = " ".join(prompt.split())
    return sum(" ".join(corpus.passages[no].text.split()) in read for no in question.gold) / len(
        question.gold
    )


def in_context(session: Connection, corpus: Corpus, vectors: Vectors, **options: Any) -> dict[str, Any]:
    """By budget: the share of gold passages in the context, and of the questions that have all of theirs."""
    shares: list[list[float]] = [[] for _ in BUDGETS]
    for question, vector in zip(corpus.questions, vectors, strict=True):
        for place, prompt in zip(shares, prompts(session, question, vector, **options), strict=True):
            place.append(stands_in(corpus, question, prompt))
    return {
        str(budget): {
            "passages": round(100 * sum(place) / len(place), 1),
            "questions with all": round(100 * sum(share == 1 for share in place) / len(place), 1),
        }
        for budget, place in zip(BUDGETS, shares, strict=True)
    }


# ---------------------------------------------------------------- a data set
def measure(session: Connection, corpus: Corpus) -> dict[str, Any]:
    vectors = [vector for batch in batches(corpus.questions) for vector in embed([q.text for q in batch])]
    systems = SYSTEMS | (DATED if corpus.is_dated else {})
    found: dict[str, Measures] = {}
    results: dict[str, Any] = {}
    raw: dict[str, str] = {}

    def note(name: str, rankings: Sequence[Ranking]) -> None:
        found[name] = measures(rankings, corpus.questions)
        raw[name] = places(rankings, corpus.questions)
        results[name] = summary(found[name], found["naive"])

    for name, ask in systems.items():
        start = time.perf_counter()
        rankings = [
            ask(session, question, vector) for question, vector in zip(corpus.questions, vectors, strict=True)
        ]
        note(name, rankings)
        results[name]["ms a question"] = round(
            1000 * (time.perf_counter() - start) / len(corpus.questions), 1
        )
        show(name, results[name])
    note("bm25s", library(corpus))
    show("bm25s", results["bm25s"])
    chosen = max(
        (name for name in CHOICES if name in results),
        key=lambda name: sum(results[name]["chosen on"][f"R@{cut}"] for cut in CUTS),
    )
    print(f"chosen on half of the questions: {chosen}")
    contexts = {mode: in_context(session, corpus, vectors, mode=mode) for mode in ("naive", "mix")}
    print("gold in the context, by budget:", json.dumps(contexts))
    return {
        "systems": results,
        "chosen": chosen,
        "lexical channel less bm25s": {
            name: round(results["lexical channel"]["all"][name] - results["bm25s"]["all"][name], 1)
            for name in results["bm25s"]["all"]
        },
        "by kind": {name: by_kind(found[name], corpus.questions) for name in ("naive", DEFAULT)},
        "context": contexts,
        "raw": raw,
    }


def batches(questions: Sequence[Question], size: int = 200) -> Iterator[Sequence[Question]]:
    for first in range(0, len(questions), size):
        yield questions[first : first + size]


def graph_size(session: Connection) -> dict[str, int]:
    return {
        "entities": value(session, 'select count(*) from "default".entities'),
        "facts": value(session, 'select count(*) from "default".facts'),
    }


def show(name: str, result: dict[str, Any]) -> None:
    cells = "  ".join(f"{measure} {number:5.1f}" for measure, number in result["all"].items())
    held = "  ".join(f"{number:5.1f}" for number in result["held out"].values())
    print(f"{name:22} {cells}   held out {held}   {result.get('ms a question', '')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "corpora", nargs="*", default=list(CORPORA), help=f"of {', '.join(CORPORA)}; all of them"
    )
    parser.add_argument("--keep", action="store_true", help="measure what the databases hold already")
    parser.add_argument("--questions", type=int, help="only so many of each data set, evenly spread")
    options = parser.parse_args()
    for name in options.corpora:
        try:
            corpus = CORPORA[name]()
        except datasets.MissingError as missing:
            print(f"skipped: {missing}")
            continue
        if options.questions and options.questions < (count := len(corpus.questions)):
            chosen = [corpus.questions[no * count // options.questions] for no in range(options.questions)]
            corpus = replace(corpus, questions=chosen)
        print(f"{name}: {len(corpus.passages)} passages, {len(corpus.questions)} questions", flush=True)
        start = time.perf_counter()
        with closing(open_corpus(corpus, keep=options.keep)) as session:
            print(f"  there after {time.perf_counter() - start:.0f} s", flush=True)
            settings = {
                "corpus": name,
                "what": corpus.what,
                "passages": len(corpus.passages),
                "questions": len(corpus.questions),
                "graph": {"read by": corpus.graph, **graph_size(session)},
                "embedding": MODEL,
                "bm25s": bm25s.__version__,
                "seed": SEED,
            }
            figures = measure(session, corpus)
            figures |= {"goal": corpus.goal, "others": corpus.floors}
            print(publish(f"recall-{name}", session, settings, figures))


if __name__ == "__main__":
    main()

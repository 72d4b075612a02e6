"""Other systems on the same passages, triples and vectors, in one run: `make bench-peers`, never part of the tests.

A part of musique_train: the passages of its first questions (--questions). LightRAG gets them as a custom graph, each
name and relation with all the passages it was read in; post-graph-rag through its function for external extraction. All
vectors come from one cache, filled before anything is timed, so a query costs what the system itself does: client and
database, or memory. Each question is asked of each system in turn, so that what else the machine does falls on all.

A system that is not installed, or fails, is left out and named in the result.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
import psycopg

from bench.corpora import Corpus, Question, musique_train
from bench.measure import Connection, elsewhere, make_database, publish, run_or_skip
from bench.recall import MODEL, embed, measures, open_corpus, retrieved

TOP_K = 10
WARM = 5
QUERIES = 60  # of each system, at least
Ask = Callable[[Question], Awaitable[list[int]]]


class Vectors:
    """Vectors by text; those that are not known yet are asked for."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def of(self, texts: Sequence[str]) -> list[list[float]]:
        missing = sorted({text for text in texts if text not in self._known}, key=len)
        for first in range(0, len(missing), 256):
            batch = missing[first : first + 256]
            self._known.update(zip(batch, embed([text or " " for text in batch]), strict=True))
        return [self._known[text] for text in texts]


def part(corpus: Corpus, questions: int) -> Corpus:
    """The first questions with their gold passages, and as many others as the published setting has: 20 a question."""
    asked = corpus.questions[:questions]
    gold = sorted({no for question in asked for no in question.gold})
    others = [no for no in range(len(corpus.passages)) if no not in set(gold)]
    wanted = min(max(20 * len(asked) - len(gold), 0), len(others))
    kept = sorted([*gold, *others[:: max(len(others) // max(wanted, 1), 1)][:wanted]])
    number = {no: place for place, no in enumerate(kept)}
    return replace(
        corpus,
        name="peers",
        passages=[corpus.passages[no] for no in kept],
        questions=[
            replace(question, gold=frozenset(number[no] for no in question.gold)) for question in asked
        ],
    )


def names_in(question: str) -> list[str]:
    """The capitalised names of a question, for the keywords that both other systems take."""
    found = re.findall(r"(?:[A-Z][\w'’.-]*)(?:\s+(?:of|the|and|de|la)?\s*[A-Z][\w'’.-]*)*", question)
    return [
        name for name in found if name.lower() not in ("who", "what", "when", "where", "which", "how", "in")
    ]


# ---------------------------------------------------------------- systems
def ours(session: Connection, vectors: Vectors) -> dict[str, Ask]:
    def asking(**options: Any) -> Ask:
        async def ask(question: Question) -> list[int]:
            (vector,) = vectors.of([question.text])
            return retrieved(session, question, vector, top_k=TOP_K, **options)

        return ask

    return {
        "graphrag mix": asking(),
        "graphrag mix, walk hops": asking(walk="hops"),
        "graphrag naive": asking(mode="naive"),
    }


async def light_rag(corpus: Corpus, vectors: Vectors, folder: str) -> dict[str, Ask]:
    from lightrag import LightRAG, QueryParam
    from lightrag.utils import EmbeddingFunc, Tokenizer

    class Words:
        """tiktoken's tables need a download."""

        def encode(self, content: str) -> list[int]:
            return [len(word) for word in content.split()]

        def decode(self, tokens: list[int]) -> str:
            return " ".join("x" * token for token in tokens)

    async def embedded(texts: list[str], **_: Any) -> Any:
        return np.array(vectors.of(texts), dtype=np.float32)

    async def no_model(*_: Any, **__: Any) -> str:
        raise RuntimeError("no language model is asked here")

    rag = LightRAG(
        working_dir=folder,
        llm_model_func=no_model,
        embedding_func=EmbeddingFunc(embedding_dim=384, max_token_size=8192, func=embedded),
        tokenizer=Tokenizer("words", Words()),
    )
    await rag.initialize_storages()
    await rag.ainsert_custom_kg(custom_graph(corpus))
    number = {" ".join(passage.text.split()): no for no, passage in enumerate(corpus.passages)}

    def asking(mode: str) -> Ask:
        async def ask(question: Question) -> list[int]:
            found = await rag.aquery_data(
                question.text,
                QueryParam(
                    mode=mode,
                    top_k=TOP_K,
                    chunk_top_k=TOP_K,
                    hl_keywords=[question.text],
                    ll_keywords=names_in(question.text) or [question.text],
                    enable_rerank=False,
                ),
            )
            return [number[" ".join(chunk["content"].split())] for chunk in found["data"]["chunks"]]

        return ask

    return {"LightRAG mix": asking("mix"), "LightRAG naive": asking("naive")}


def custom_graph(corpus: Corpus) -> dict[str, Any]:
    """What ainsert_custom_kg() takes; self-loops, and names of which it leaves nothing, are errors there."""
    from lightrag.utils import normalize_entity_name

    entities: dict[str, set[str]] = defaultdict(set)
    relations: dict[tuple[str, str], dict[str, Any]] = {}
    for no, passage in enumerate(corpus.passages):
        assert isinstance(passage.extraction, dict)
        for entity in passage.extraction["entities"]:
            entities[normalize_entity_name(entity["name"])].add(f"p{no}")
        for triple in passage.extraction["triples"]:
            ends = (normalize_entity_name(triple["subject"]), normalize_entity_name(triple["object"]))
            for end in ends:
                entities[end].add(f"p{no}")
            if ends[0] != ends[1] and all(ends):
                kept = relations.setdefault(ends, {"said": [], "sources": set()})
                kept["said"].append(triple["predicate"])
                kept["sources"].add(f"p{no}")
    separator = "<SEP>"
    return {
        "chunks": [
            {"content": passage.text, "source_id": f"p{no}", "file_path": f"p{no}.txt"}
            for no, passage in enumerate(corpus.passages)
        ],
        "entities": [
            {
                "entity_name": name,
                "entity_type": "concept",
                "description": name,
                "source_id": min(sources),
            }
            for name, sources in entities.items()
            if name
        ],
        "relationships": [
            {
                "src_id": ends[0],
                "tgt_id": ends[1],
                "description": separator.join(
                    f"{ends[0]} {said} {ends[1]}" for said in dict.fromkeys(kept["said"])
                ),
                "keywords": ", ".join(dict.fromkeys(kept["said"])),
                "source_id": min(kept["sources"]),
            }
            for ends, kept in relations.items()
        ],
    }


async def post_graph_rag(corpus: Corpus, vectors: Vectors, url: str) -> dict[str, Ask]:
    from post_graph_rag.config import RAGConfig
    from post_graph_rag.engine import GraphRAG
    from post_graph_rag.models import QueryParam

    class Model:
        async def get_embedding(self, text: str) -> list[float]:
            return vectors.of([text])[0]

        async def get_embeddings(self, texts: list[str]) -> list[list[float]]:
            return vectors.of(texts)

        async def chat_completion(self, *_: Any, **__: Any) -> str:
            raise RuntimeError("no language model is asked here")

    read = {passage.text: passage.extraction for passage in corpus.passages}
    number = {passage.text: no for no, passage in enumerate(corpus.passages)}

    def extracted(text: str, _: Any) -> dict[str, Any]:
        found = read[text]
        assert isinstance(found, dict)
        return {
            "entities": [
                {"name": e["name"], "type": "Concept", "description": ""} for e in found["entities"]
            ],
            "triples": found["triples"],
        }

    config = RAGConfig(
        db_uri=url, realm="bench", embedding_dim=384, gleaning_passes=0, extraction_fn=extracted
    )
    engine = GraphRAG(config=config, llm=Model())
    await engine.initialize()
    texts = [(passage.text, {"document": f"passage {no}"}) for no, passage in enumerate(corpus.passages)]
    await engine.index_documents(texts)

    def asking(mode: str) -> Ask:
        async def ask(question: Question) -> list[int]:
            found = await engine.query_data(
                question.text,
                QueryParam(mode=mode, top_k=TOP_K, ll_keywords=names_in(question.text) or [question.text]),
            )
            return [number[chunk["content"]] for chunk in found["data"]["chunks"]]

        return ask

    return {"post-graph-rag mix": asking("mix"), "post-graph-rag naive": asking("naive")}


# ---------------------------------------------------------------- a run
async def run(session: Connection, corpus: Corpus, folder: str, wanted: set[str]) -> dict[str, Any]:
    vectors = Vectors()
    vectors.of([question.text for question in corpus.questions])
    systems = ours(session, vectors)
    seconds: dict[str, float] = {}
    missing: dict[str, str] = {}
    makers: dict[str, Callable[[], Awaitable[dict[str, Ask]]]] = {
        "LightRAG": lambda: light_rag(corpus, vectors, folder),
        "post-graph-rag": lambda: post_graph_rag(
            corpus, vectors, empty_database("graphrag_bench_peers_other")
        ),
    }
    for name, make in makers.items():
        if name not in wanted:
            missing[name] = "not asked for"
            continue
        begun = time.perf_counter()
        try:
            made = await make()
            for ask in made.values():
                await ask(corpus.questions[0])
        except Exception as error:  # noqa: BLE001  of another system, whatever it is
            missing[name] = f"{type(error).__name__}: {error}"[:300]
            print(f"{name} is left out: {missing[name]}", flush=True)
            continue
        systems |= made
        seconds[name] = round(time.perf_counter() - begun, 1)
        print(f"{name}: ready after {seconds[name]} s, vectors included", flush=True)
    times: dict[str, list[float]] = {name: [] for name in systems}
    rankings: dict[str, list[list[int]]] = {name: [] for name in systems}
    rounds = -(-QUERIES // len(corpus.questions))
    warming = (list(corpus.questions) * WARM)[:WARM]  # also of fewer questions than that
    for question in [*warming, *(list(corpus.questions) * rounds)]:
        for name, ask in systems.items():
            begun = time.perf_counter()
            ranking = await ask(question)
            times[name].append(1000 * (time.perf_counter() - begun))
            rankings[name].append(list(dict.fromkeys(ranking)))
    base = statistics.median(times["graphrag mix"][WARM:])
    results: dict[str, Any] = {}
    for name in systems:
        found = measures(rankings[name][WARM : WARM + len(corpus.questions)], corpus.questions)
        timed = times[name][WARM:]
        results[name] = {measure: round(sum(v) / len(v), 1) for measure, v in found.items()} | {
            "p50 ms": round(statistics.median(timed), 1),
            "p95 ms": round(statistics.quantiles(timed, n=20)[-1], 1),
            "times ours": round(statistics.median(timed) / base, 2),
            "index s": seconds.get(next((peer for peer in seconds if name.startswith(peer)), "")),
        }
        print(f"{name:26} {results[name]}", flush=True)
    return {
        "what is timed": "one client, the question's vector given; rankings of ten passages",
        "systems": results,
        "missing": missing,
        "raw ms": {name: [round(value, 1) for value in timed] for name, timed in times.items()},
    }


def empty_database(name: str) -> str:
    make_database(name)
    with psycopg.connect(elsewhere(name), autocommit=True) as session:
        session.execute("create extension vector")
    return elsewhere(name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=25, help="of musique_train's 100, with their pool")
    parser.add_argument("--systems", default="LightRAG,post-graph-rag")
    parser.add_argument("--keep", action="store_true", help="our graph is there already")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    corpus = part(musique_train(), options.questions)
    begun = time.perf_counter()
    with closing(open_corpus(corpus, keep=options.keep)) as session, tempfile.TemporaryDirectory() as folder:
        print(f"graphrag: ready after {time.perf_counter() - begun:.1f} s, vectors included", flush=True)
        figures = asyncio.run(run(session, corpus, folder, set(options.systems.split(","))))
        settings = {
            "questions": len(corpus.questions),
            "passages": len(corpus.passages),
            "embedding": MODEL,
            "packages": {name: version(name) for name in ("lightrag-hku", "post-graph-rag")},
            "LightRAG": "custom graph; names of the question and the question itself as keywords; reranker off",
            "post-graph-rag": "index_documents(), extraction_fn, gates on; names of the question as keywords",
        }
        print(publish("peers", session, settings, figures))


if __name__ == "__main__":
    run_or_skip(main)

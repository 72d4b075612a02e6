"""Raw noisy answers of a small model (text2kgbench): how many of their well-formed triples are recovered, and what the
gates keep of them against the gold triples. Run by `make bench-write`.

Each raw answer, prose and all, becomes one answer in this project's protocol (bench/replay.py) and goes through the
product's own reading: the parser of model answers, the records, the gates in the realm.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import json_repair
from psycopg.types.json import Jsonb

from bench import datasets
from bench.measure import Connection, database, publish, run_or_skip, value
from bench.replay import Answer, read_calls
from graphrag_pl.parsing import find_json
from graphrag_pl.records import has_shape, read_records

Triple = tuple[str, ...]


def main() -> None:
    sentences = datasets.text2kgbench()
    answers = [read_calls(sentence.answer) for sentence in sentences]
    with database("graphrag_bench_text2kg") as session:
        figures = {"recovered": recovered(sentences, answers), "gates": gated(session, sentences, answers)}
        print(publish("write-text2kg", session, {"sentences": len(sentences)}, figures))


def recovered(sentences: Sequence[datasets.Sentence], answers: Sequence[Answer]) -> dict[str, Any]:
    """Well-formed triples that come out of the product's parser, beside the authors' own reading."""
    stated = read = 0
    same = Counter[str]()
    for sentence, answer in zip(sentences, answers, strict=True):
        wanted = {_key(t["subject"], t["predicate"], t["object"]) for t in answer.triples}
        found = find_json(answer.as_content(), has_shape, json_repair.loads)
        records = read_records(found.value).triples
        kept = {_key(t["subject"], t["predicate"], t["object"]) for t in records}
        stated += len(wanted)
        read += len(wanted & kept)
        theirs = {_key(*t) for t in sentence.read if all(re.search(r"\w", part) for part in t)}
        same.update(
            both=len(wanted & theirs), only_here=len(wanted - theirs), only_theirs=len(theirs - wanted)
        )
    return {
        "stated": stated,
        "read": read,
        "share": round(read / stated, 4),
        "against_the_authors_reading": dict(same),
    }


def gated(
    session: Connection, sentences: Sequence[datasets.Sentence], answers: Sequence[Answer]
) -> dict[str, Any]:
    """Of the stated triples and of those that the gates kept: the share that is gold, by subject and object."""
    session.execute("select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32)")
    session.execute("set search_path = kb, public")
    rejected: Counter[str] = Counter()
    before, after, lost = Counter[str](), Counter[str](), Counter[str]()
    spent = 0.0
    for sentence, answer in zip(sentences, answers, strict=True):
        start = time.perf_counter()
        found = value(
            session, "select graphrag._gate(%s, %s)", [Jsonb({"triples": answer.triples}), sentence.text]
        )
        spent += time.perf_counter() - start
        rejected.update(found["rejected"])
        gold = {_ends(subject, object_) for subject, _, object_ in sentence.gold}
        stated = {_ends(t["subject"], t["object"]) for t in answer.triples}
        refused = {
            _ends(r["record"]["subject"], r["record"]["object"])
            for r in found["rejects"]
            if r["reason"] != "duplicate_triple"
        }
        before.update(of(stated, gold))
        after.update(of(stated - refused, gold))
        for reject in found["rejects"]:
            if _ends(reject["record"]["subject"], reject["record"]["object"]) in gold:
                lost[reject["reason"]] += 1
    return {
        "ms_a_sentence": round(1000 * spent / len(sentences), 2),
        "rejected": dict(rejected.most_common()),
        "gold_refused_by_reason": dict(lost.most_common()),
        "without_gates": _rates(before),
        "with_gates": _rates(after),
    }


def of(pairs: set[Triple], gold: set[Triple]) -> dict[str, int]:
    return {"stated": len(pairs), "right": len(pairs & gold), "gold": len(gold)}


def _rates(count: Counter[str]) -> dict[str, Any]:
    return {
        **count,
        "precision": round(count["right"] / count["stated"], 4),
        "recall": round(count["right"] / count["gold"], 4),
    }


def _key(*parts: str) -> Triple:
    return tuple(" ".join(part.replace("_", " ").split()) for part in parts)


def _ends(*names: str) -> Triple:
    """Names without case, accents, blanks and punctuation: the gold triples are tokenised (Ghost : Innocence)."""
    return tuple(_letters(name) for name in names)


def _letters(name: str) -> str:
    decomposed: Iterable[str] = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in decomposed if c.isalnum())


if __name__ == "__main__":
    run_or_skip(main)

"""What any endpoint extracts against gold facts: text2kgbench (sentences of five ontologies) and atom_nyt (dated news).

    python -m bench.eval.extraction --model MODEL@URL [--sentences 100] [--entries 50]

Each text is a document, indexed through the queue; what the gates kept is compared with the gold facts:
`ends` subject and object, `loose` also the predicate by a word in common, `start` and `end` the days of facts whose
ends are right. Names are compared by their letters; a name that contains the other counts as the same (Ryan, Dr. Ryan).
Chunks that failed are part of the result: they cost recall.
"""

from __future__ import annotations

import argparse
import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.types.json import Jsonb

from bench import datasets
from bench.corpora import RULES
from bench.eval.harness import Model, local_model, spread_over
from bench.eval.scoring import f1
from bench.measure import Connection, counts, database, publish, run_or_skip, value

#: Words of predicates that say nothing.
_EMPTY = frozenset("is was are were be been has have had of in at by to from for the a an on as with".split())


@dataclass(frozen=True)
class Fact:
    subject: str
    predicate: str
    object: str
    start: str | None = None
    end: str | None = None


# ---------------------------------------------------------------- comparison
def same_name(one: str, other: str) -> bool:
    """By letters, or one's words are among the other's."""
    if _letters(one) == _letters(other):
        return True
    a, b = _words(one), _words(other)
    return bool(a and b) and (a <= b or b <= a)


def same_predicate(one: str, other: str) -> bool:
    """A word in common, by its first five letters: directed_by, director."""
    return bool({w[:5] for w in _words(one)} & {w[:5] for w in _words(other)})


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if c.isalnum())


def _words(text: str) -> frozenset[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    found = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain))
    return frozenset(word.casefold() for word in found) - _EMPTY


def compare(found: Sequence[Fact], gold: Sequence[Fact]) -> Counter[str]:
    """Counts of one text: given, gold and right ones of each measure; a gold fact is met once."""
    tally = Counter[str](given=len(found), gold=len(gold))
    left = list(found)
    for wanted in gold:
        hits = [f for f in left if _same_ends(f, wanted)]
        if not hits:
            tally.update(gold_start=wanted.start is not None, gold_end=wanted.end is not None)
            continue
        hit = max(
            hits, key=lambda f: (same_predicate(f.predicate, wanted.predicate), f.start == wanted.start)
        )
        left.remove(hit)
        tally.update(ends=1, loose=same_predicate(hit.predicate, wanted.predicate))
        for bound in ("start", "end"):
            theirs, ours = getattr(wanted, bound), getattr(hit, bound)
            tally[f"gold_{bound}"] += theirs is not None
            tally[f"given_{bound}"] += ours is not None
            tally[bound] += theirs is not None and theirs == ours
    return tally


def _same_ends(one: Fact, other: Fact) -> bool:
    """In either direction: X directed_by Y is Y directed X."""
    return (same_name(one.subject, other.subject) and same_name(one.object, other.object)) or (
        same_name(one.subject, other.object) and same_name(one.object, other.subject)
    )


def rates(tally: Counter[str]) -> dict[str, Any]:
    """Precision, recall and F1 of each measure. Days: over facts whose ends are right, what was missed counts."""
    result: dict[str, Any] = {"given": tally["given"], "gold": tally["gold"]}
    for name in ("ends", "loose", "start", "end"):
        given = tally["given"] if name in ("ends", "loose") else tally[f"given_{name}"]
        gold = tally["gold"] if name in ("ends", "loose") else tally[f"gold_{name}"]
        result[name] = {
            "precision": round(tally[name] / given, 4) if given else None,
            "recall": round(tally[name] / gold, 4) if gold else None,
            "f1": round(f1(tally[name], given, gold), 4) if gold else None,
        }
    return result


# ---------------------------------------------------------------- runs
def read(
    session: Connection,
    realm: str,
    model: Model,
    texts: Sequence[tuple[str, str | None]],
    predicates: Sequence[str],
) -> dict[str, Any]:
    """Indexes the texts through the queue; what it took."""
    session.execute("select graphrag.create_realm(%s, embedding_url => 'builtin:hash', width => 32)", [realm])
    session.execute(
        "select graphrag.set_endpoint('extraction', %s, %s, api_key => %s, realm => %s, options => %s)",
        [model.url, model.name, os.environ.get("GRAPHRAG_EVAL_KEY"), realm, Jsonb({"deadline": 120})],
    )
    for predicate in predicates:
        session.execute("select graphrag.declare_predicate(%s, realm => %s)", [predicate, realm])
    for no, (text, day) in enumerate(texts):
        session.execute(
            "select graphrag.enqueue(%s, document => %s, published_at => %s, realm => %s)",
            [text, str(no), day, realm],
        )
    start = time.perf_counter()
    session.execute("call graphrag.work(%s, max_attempts => 1)", [realm])
    session.execute("select set_config('search_path', %s, false)", [realm])
    try:
        return {
            "seconds a text": round((time.perf_counter() - start) / len(texts), 3),
            "texts": len(texts),
            "failed texts": value(session, "select count(*) from job where status <> 'done'"),
            "why": counts(
                session,
                "select left(reason, 160), count(*) from job where status <> 'done' group by 1 order by 2 desc limit 3",
            ),
            "calls": value(session, "select count(*) from usage where role = 'extraction'"),
            "tokens": int(
                value(
                    session,
                    "select coalesce(sum(input_tokens + output_tokens), 0) from usage where role = 'extraction'",
                )
            ),
        }
    finally:
        session.execute("reset search_path")


def facts(session: Connection, realm: str) -> dict[int, list[Fact]]:
    """What was kept, by text, as the model stated it: before inverses were exchanged and periods closed."""
    session.execute("select set_config('search_path', %s, false)", [realm])
    rows = session.execute(
        "select v.document::integer, v.subject, v.predicate, coalesce(v.object, v.value),"
        " to_char(lower(a.claim) at time zone 'UTC', 'YYYY-MM-DD'),"
        # A bound that names a day includes it; the interval ends after it.
        " to_char((upper(a.claim) - interval '1 second') at time zone 'UTC', 'YYYY-MM-DD')"
        " from assertions as v join assertion as a on a.id = v.assertion where not v.negated order by a.id"
    ).fetchall()
    session.execute("reset search_path")
    result: dict[int, list[Fact]] = {}
    for no, *fields in rows:
        result.setdefault(no, []).append(Fact(*fields))
    return result


def score(
    session: Connection,
    realm: str,
    model: Model,
    texts: Sequence[tuple[str, str | None]],
    golds: Sequence[Sequence[Fact]],
    predicates: Sequence[str] = (),
) -> dict[str, Any]:
    taken = read(session, realm, model, texts, predicates)
    found = facts(session, realm)
    tally: Counter[str] = Counter()
    for no, gold in enumerate(golds):
        tally.update(compare(found.get(no, []), gold))
    return taken | rates(tally)


def text2kg(session: Connection, model: Model, wanted: int) -> dict[str, Any]:
    sentences = spread_over(datasets.text2kgbench(), wanted)
    golds = [[Fact(*triple) for triple in sentence.gold] for sentence in sentences]
    # The benchmark gives a model its ontology's relations; here they are the declared predicates.
    names = sorted({_snake(f.predicate) for gold in golds for f in gold})
    return score(session, "text2kg", model, [(s.text, None) for s in sentences], golds, names)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def atom(session: Connection, model: Model, wanted: int) -> dict[str, Any]:
    entries = spread_over(datasets.atom_nyt(), wanted)
    golds = [
        [Fact(t.subject, t.predicate, t.object, _iso(t.start), _iso(t.end)) for t in entry.gold]
        for entry in entries
    ]
    return score(session, "atom", model, [(e.text, e.date) for e in entries], golds)


def _iso(bound: str | None) -> str | None:
    """The data set writes 2020-01-24 and 24-01-2020."""
    found = re.fullmatch(r"(\d\d)-(\d\d)-(\d{4})", bound or "")
    return f"{found[3]}-{found[2]}-{found[1]}" if found else bound


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    rules = local_model(RULES)
    parser.add_argument(
        "--model",
        type=Model.of,
        default=rules,
        required=rules is None,
        help="MODEL@URL (default: the local rules)",
    )
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--entries", type=int, default=50)
    parser.add_argument("--output", help="name of the file in bench/results (default: eval-extraction-MODEL)")
    options = parser.parse_args()
    with database("graphrag_eval_extraction") as session:
        figures = {
            "text2kgbench": text2kg(session, options.model, options.sentences),
            "atom_nyt": atom(session, options.model, options.entries),
        }
        name = options.output or "eval-extraction-" + re.sub(r"\W+", "-", options.model.name).lower()
        print(publish(name, session, {"model": asdict(options.model)}, figures))


if __name__ == "__main__":
    run_or_skip(main)

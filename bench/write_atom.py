"""Dated news (atom_nyt): do periods survive the parser, and how stable is the graph from run to run of one model?

Facts of the second recorded run are indexed over the first: the graph may grow by no more than the share of facts that
the first run really lacked. Run by `make bench-write`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from bench import datasets
from bench.measure import Connection, database, publish, run_or_skip, value

Bound = tuple[str, str]


def main() -> None:
    entries = datasets.atom_nyt()
    with database("graphrag_bench_atom") as session:
        figures = {
            "periods": {"gold": periods(session, [entry.gold for entry in entries])}
            | {f"run_{no + 1}": periods(session, [entry.runs[no] for entry in entries]) for no in range(3)},
            "second_run_over_first": second_run(session, entries),
        }
        print(publish("write-atom", session, {"entries": len(entries), "grounding": False}, figures))


def periods(session: Connection, recorded: Sequence[Iterable[datasets.DatedTriple]]) -> dict[str, Any]:
    """Bounds as the parser reads them against the days that were meant: exact matches of stated bounds."""
    meant = read = right = 0
    unread: list[str] = []
    for triple in (triple for triples in recorded for triple in triples):
        for bound in (triple.start, triple.end):
            day = _day(bound or "")
            found = day and value(
                session,
                "select to_char(lower(graphrag.parse_period(%s)) at time zone 'UTC', 'YYYY-MM-DD')",
                [bound],
            )
            meant += day is not None
            read += found is not None
            right += found is not None and found == day
            if found != day:
                unread.append(str(bound))
    precision, recall = right / max(read, 1), right / max(meant, 1)
    return {
        "stated": meant,
        "read": read,
        "right": right,
        "f1": round(2 * precision * recall / max(precision + recall, 1e-9), 4),
        "misread": unread[:20],
    }


def _day(bound: str) -> str | None:
    """The day meant: the data set writes 2020-01-24 and 24-01-2020."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", bound):
        return bound
    if found := re.fullmatch(r"(\d\d)-(\d\d)-(\d{4})", bound):
        return f"{found[3]}-{found[2]}-{found[1]}"
    return None


def second_run(session: Connection, entries: Sequence[datasets.NewsEntry]) -> dict[str, Any]:
    """The facts of two runs of one model over the same text, one as documents beside the other."""
    session.execute("select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 64)")
    # The recorded names are canonical ones: the text need not have them.
    session.execute("select graphrag.configure('grounding', 'false', realm => 'kb')")
    facts = "select count(*) from kb.relation_version as v where v.died is null"
    triples = (
        "select coalesce(array_agg(distinct (a.subject, a.predicate, coalesce(a.object, a.value), a.negated,"
        " case when a.object is null then a.claim end)::text), '{}')"
        " from kb.assertion as a join kb.chunk as c on c.id = a.chunk join kb.document as d on d.id = c.document"
        " where d.source = %s"
    )
    counts = []
    for run in (0, 1):
        for no, entry in enumerate(entries):
            session.execute(
                "select graphrag.index(%s, document => %s, source => %s, published_at => %s, extraction => %s,"
                " realm => 'kb')",
                [
                    entry.text,
                    str(no),
                    f"run {run + 1}",
                    entry.date,
                    Jsonb({"triples": [triple.record for triple in entry.runs[run]]}),
                ],
            )
        counts.append(value(session, facts))
    first, second = (set(value(session, triples, [f"run {run}"])) for run in (1, 2))
    return {
        "facts_after_first": counts[0],
        "facts_after_second": counts[1],
        "growth": round(counts[1] / counts[0] - 1, 4),
        "stated_by_first": len(first),
        "stated_by_second": len(second),
        "lacking_in_first": len(second - first),
        "share_lacking": round(len(second - first) / len(first), 4),
    }


if __name__ == "__main__":
    run_or_skip(main)

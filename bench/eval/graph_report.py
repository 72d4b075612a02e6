"""Figures of graphs, by graph_report.sql: A Christmas Carol as gpt-4o read it, and the graph that another system made
of the same novel, brought as triples. Run by `make eval-graph`.

Each chunk of either system is a document of one chunk here, so a link across documents is one across chunks. Neither
format has predicates: the verb of each description stands for one (bench/replay.py), in both alike.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from bench import datasets
from bench.measure import Connection, database, publish, run_or_skip
from bench.replay import read_tuples, stated_relation

QUERY = (Path(__file__).parent / "graph_report.sql").read_text(encoding="utf-8")
SETTING = 'set search_path to :"realm", public;'  # psql's; the rest is one statement
Unit = tuple[str, str, dict[str, Any]]  # key, text, extraction


def main() -> None:
    with database("graphrag_eval_graph") as session:
        figures = {
            name: {"indexed": bring(session, name, units, grounding=grounding), **report(session, name)}
            for name, units, grounding in (
                ("recorded", recorded(), True),
                ("imported", imported(), True),
                ("imported_as_given", imported(), False),
            )
        }
        settings = {
            "recorded": "gpt-4o, extraction and one gleaning pass, nano-graphrag's prompts",
            "imported": "entities, relations and dated claims of Microsoft GraphRAG; names must stand in the text",
            "imported_as_given": "the same with the setting grounding off",
            "embedding": "builtin:hash",
        }
        print(publish("eval-graph", session, settings, figures))


def report(session: Connection, realm: str) -> dict[str, Any]:
    """The figures of a realm by name, and the lists."""
    session.execute(sql.SQL("set search_path to {}, public").format(sql.Identifier(realm)))
    rows = session.execute(QUERY.partition(SETTING)[2].encode()).fetchall()
    session.execute("reset search_path")
    return {
        "figures": {name: float(value) if value is not None else None for _, name, value, _ in rows},
        "lists": {name: details for _, name, _, details in rows if details is not None},
    }


def bring(session: Connection, realm: str, units: Iterable[Unit], *, grounding: bool) -> dict[str, Any]:
    """Indexes units with their extraction; no model is asked. What index() says of them, summed."""
    session.execute("select graphrag.create_realm(%s, embedding_url => 'builtin:hash', width => 64)", [realm])
    for name, value in (("chunk_size", 100000), ("grounding", grounding)):
        session.execute("select graphrag.configure(%s, %s, realm => %s)", [name, Jsonb(value), realm])
    rejected: dict[str, int] = defaultdict(int)
    brought = 0
    for key, text, extraction in units:
        ((refused,),) = session.execute(
            "select rejected from graphrag.index(%s, document => %s, extraction => %s, realm => %s)",
            [text, key, Jsonb(extraction), realm],
        ).fetchall()
        brought += len(extraction["entities"]) + len(extraction["triples"])
        for reason, number in refused.items():
            rejected[reason] += number
    return {"records": brought, "rejected": dict(sorted(rejected.items(), key=lambda r: -r[1]))}


def recorded() -> Iterable[Unit]:
    for chunk in datasets.christmas_carol():
        answers = [read_tuples(chunk.extracted), read_tuples(chunk.gleaned)]
        yield (
            f"chunk {chunk.no:02}",
            chunk.text,
            {
                "entities": [record for answer in answers for record in answer.entities],
                "triples": [record for answer in answers for record in answer.triples],
            },
        )


def imported() -> Iterable[Unit]:
    """The other system's graph, each entity, relation and claim in the text units that it names. A claim without an
    object is a value, which is its description."""
    root = datasets.folder("ms_graphrag_carol")

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (root / name).read_text(encoding="utf-8").splitlines()]

    entities: dict[str, list[dict[str, Any]]] = defaultdict(list)
    triples: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entity in rows("entities.jsonl"):
        for unit in entity["text_unit_ids"]:
            entities[unit].append(
                {"name": entity["title"], "type": entity["type"], "description": entity["description"]}
            )
    for relation in rows("relationships.jsonl"):
        stated = stated_relation(relation["source"], relation["target"], relation["description"])
        record = dict(zip(("subject", "predicate", "object"), stated, strict=True))
        for unit in relation["text_unit_ids"]:
            triples[unit].append(record | {"description": relation["description"]})
    for claim in rows("covariates.jsonl"):
        if not _names(claim["subject_id"]) or not _names(claim["type"]):
            continue
        has_object = _names(claim["object_id"])
        triples[claim["text_unit_id"]].append(
            {
                "subject": claim["subject_id"],
                "predicate": re.sub(r"\W+", "_", claim["type"]).strip("_").lower(),
                "object": claim["object_id"] if has_object else claim["description"],
                "object_is_value": not has_object,
                "negated": claim["status"] == "FALSE",
                "valid_from": _day(claim["start_date"]),
                "valid_to": _day(claim["end_date"]),
                "description": claim["description"],
            }
        )
    for unit in rows("text_units.jsonl"):
        key = unit["id"]
        yield (
            f"unit {unit['human_readable_id']}",
            unit["text"],
            {"entities": entities[key], "triples": triples[key]},
        )


def _names(part: Any) -> bool:
    """Whether a claim says something there: NONE and NaN stand for what it does not know."""
    return isinstance(part, str) and part not in ("", "NONE")


def _day(stamp: Any) -> str | None:
    return stamp[:10] if _names(stamp) else None


if __name__ == "__main__":
    run_or_skip(main)

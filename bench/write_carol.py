"""The graph that recorded gpt-4o answers about A Christmas Carol become: replayed through an HTTP endpoint into
graphrag.index(), without a vocabulary and with the preset for fiction. Run by `make bench-write`.

The recorded format (nano-graphrag's) has no predicates; the verb of each description stands for one, so the counts of
predicates are as much of the adapter (bench/replay.py) as of the gates.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

from bench import datasets
from bench.measure import Connection, counts, database, publish, run_or_skip, value
from bench.replay import read_tuples, replay
from tests.support.endpoint import Endpoint

CHUNK_SIZE = 5800

#: The ten main characters, and under which forms of one name the answers speak of each.
CHARACTERS = {
    "Ebenezer Scrooge": ("Scrooge", "Mr. Scrooge", "Ebenezer", "Uncle Scrooge", "Master Scrooge"),
    "Bob Cratchit": ("Bob", "Mr. Cratchit", "Cratchit"),
    "Jacob Marley": ("Marley", "Mr. Marley", "Jacob", "Old Marley"),
    "Tim Cratchit": ("Tiny Tim", "Tim"),
    "Peter Cratchit": ("Peter", "Master Peter", "Master Peter Cratchit"),
    "Martha Cratchit": ("Martha",),
    "Mrs. Cratchit": (),
    "Mr. Fezziwig": ("Fezziwig", "Old Fezziwig"),
    "Mr. Topper": ("Topper",),
    "Dick Wilkins": ("Dick",),
}


def main() -> None:
    chunks = datasets.christmas_carol()
    with database("graphrag_bench_carol") as session, Endpoint() as endpoint:
        replay(endpoint, chunks)
        figures = {
            "records": recorded(chunks),
            "without_preset": run(session, endpoint, chunks, "plain", None),
            "with_preset": run(session, endpoint, chunks, "fiction", "fiction"),
            "again": again(session, endpoint, chunks, "plain"),
        }
        settings = {
            "embedding": "builtin:hash",
            "chunk_size": CHUNK_SIZE,
            "chunk_overlap": 0,
            "gleaning_passes": 1,
        }
        print(publish("write-carol", session, settings, figures))


def recorded(chunks: Sequence[datasets.RecordedChunk]) -> dict[str, int]:
    """Records that the answers begin, and those that were read."""
    answers = [read_tuples(raw) for chunk in chunks for raw in (chunk.extracted, chunk.gleaned)]
    return {
        "begun": sum(answer.begun for answer in answers),
        "entities": sum(len(answer.entities) for answer in answers),
        "relations": sum(len(answer.triples) for answer in answers),
    }


def create_realm(session: Connection, endpoint: Endpoint, realm: str, preset: str | None) -> None:
    """A realm in which each recorded chunk is one chunk, asked of the replaying endpoint."""
    session.execute(
        "select graphrag.create_realm(%s, embedding_url => 'builtin:hash', width => 256)", [realm]
    )
    session.execute(
        "select graphrag.configure('chunk_size', %s, realm => %s),"
        " graphrag.configure('chunk_overlap', '0', realm => %s)",
        [str(CHUNK_SIZE), realm, realm],
    )
    session.execute(
        "select graphrag.set_endpoint('extraction', %s, 'recorded-gpt-4o', realm => %s)",
        [endpoint.url, realm],
    )
    if preset:
        session.execute("select graphrag.use_preset(%s, realm => %s)", [preset, realm])


def novel(chunks: Sequence[datasets.RecordedChunk]) -> str:
    """One text whose chunks will be the recorded ones: each is a paragraph, and no two fit into CHUNK_SIZE."""
    return "\n\n".join(re.sub(r"\s*\n\s*", "\n", chunk.text.strip()) for chunk in chunks)


def index(session: Connection, text: str, realm: str) -> dict[str, Any]:
    """Indexes the novel; what index() says of it."""
    return dict(
        value(
            session,
            "select to_jsonb(i) from graphrag.index(%s, document => 'A Christmas Carol', realm => %s) as i",
            [text, realm],
        )
    )


def run(
    session: Connection,
    endpoint: Endpoint,
    chunks: Sequence[datasets.RecordedChunk],
    realm: str,
    preset: str | None,
) -> dict[str, Any]:
    create_realm(session, endpoint, realm, preset)
    start = time.perf_counter()
    result = index(session, novel(chunks), realm)
    seconds = time.perf_counter() - start
    return {
        "seconds": round(seconds, 2),
        **{name: result[name] for name in ("chunks", "failed", "llm_calls", "rejected")},
        **graph(session, realm),
    }


def graph(session: Connection, realm: str) -> dict[str, Any]:
    """Figures of the current graph of a realm."""
    session.execute("select set_config('search_path', %s, false)", [realm])
    try:
        return {
            **counts(session, _FIGURES),
            "pronouns": [name for (name,) in session.execute(_PRONOUNS).fetchall()],
            "fragments": fragments(session),
            "most_mentioned": counts(session, _MOST_MENTIONED),
        }
    finally:
        session.execute("reset search_path")


_FIGURES = """
select 'entities', (select count(*) from entity_version as v where v.died is null)
union all
select 'relations', (select count(*) from relation_version as v where v.died is null)
union all
select 'distinct_predicates', (select count(distinct v.predicate) from relation_version as v where v.died is null)
union all
select 'aliases_merged', (select count(*) from entity_name as e where e.died is null and e.role = 'alias')
union all
select 'aliases_unresolved', (select count(*) from entity_name as e where e.died is null and e.role = 'claimed')
union all
select 'orphans', (
    select count(*)
    from entity_version as v
    where v.died is null
        and not exists (
            select from relation_version as r where r.died is null and v.entity in (r.subject, r.object)
        )
)
union all
select 'duplicate_entities', (
    select count(*) - count(distinct graphrag._fold_name(v.name)) from entity_version as v where v.died is null
)
union all
select 'duplicate_relations', (
    select count(*) - count(distinct (v.subject, v.predicate, v.object, r.value, r.period, v.negated))
    from relation_version as v
    join relation as r on r.id = v.relation
    where v.died is null
)
"""
_PRONOUNS = """
select v.name
from entity_version as v
where v.died is null
    and exists (
        select
        from graphrag.gate_word as w
        where w.kind in ('pronoun', 'lower_pronoun') and w.language = 'en' and w.word = lower(v.name)
    )
"""
_MOST_MENTIONED = """
select v.name, count(*) as mentions
from entity_version as v
join entity_name as e on e.entity = v.entity and e.died is null and e.role <> 'claimed'
join mention as m on m.space = e.space and m.folded = e.folded
where v.died is null
group by v.entity, v.name
order by mentions desc, v.name
limit 15
"""


def fragments(session: Connection) -> dict[str, Any]:
    """Of each main character, the entities beside the first that bear a form of the name; asked: none."""
    found = {}
    for character, forms in CHARACTERS.items():
        names = session.execute(
            "select distinct e.entity, v.name from entity_name as e"
            " join entity_version as v on v.entity = e.entity and v.died is null"
            " where e.died is null and e.role <> 'claimed'"
            " and e.folded in (select graphrag._fold_name(f) from unnest(%s::text[]) as f)"
            " order by e.entity",
            [[character, *forms]],
        ).fetchall()
        if len(names) > 1:
            found[character] = [name for _, name in names]
    return {"count": sum(len(names) - 1 for names in found.values()), "by_character": found}


def again(
    session: Connection, endpoint: Endpoint, chunks: Sequence[datasets.RecordedChunk], realm: str
) -> dict[str, int]:
    """The unchanged corpus once more: no request to the model and no new row."""
    watermark = "select revision from plain.space"
    requests, revision = len(endpoint.requests), value(session, watermark)
    index(session, novel(chunks), realm)
    return {
        "model_calls": len(endpoint.requests) - requests,
        "revisions": value(session, watermark) - revision,
    }


if __name__ == "__main__":
    run_or_skip(main)

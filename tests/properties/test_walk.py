"""P7, P6 and P10: walks obey their filters, stay in their space, and answer the same each time.

The reference walks are plain Python over the rows of the graph: breadth first over dicts, and personalised PageRank as
sums over dicts. Both must find exactly what the ones in SQL find, with filters drawn at random.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.properties.test_graph import Spaces
from tests.support.calls import rows
from tests.support.corpus import PREDICATES, REALM, Draft, collections, index
from tests.support.database import Connection, Row, sql

QUESTIONS = ("Where does Ada Lovelace live?", "Who is Babbage to Augusta Ada King?", "DataHub 東京電力")
YEARS = {"2003": ("2003-01-01", "2004-01-01"), "2008": ("2008-01-01", "2009-01-01")}


@dataclass(frozen=True)
class Filter:
    as_of: str | None
    include_superseded: bool
    relation_types: tuple[str, ...] | None
    entity_types: tuple[str, ...] | None
    min_confidence: float | None

    @property
    def arguments(self) -> dict[str, object]:
        return {
            "as_of": self.as_of,
            "include_superseded": self.include_superseded,
            "relation_types": None if self.relation_types is None else list(self.relation_types),
            "entity_types": None if self.entity_types is None else list(self.entity_types),
            "min_confidence": self.min_confidence,
        }

    def lets_in(self, edge: Row) -> bool:
        if self.as_of:
            held = bool(edge["held_" + self.as_of])
        else:
            held = edge["status"] == "current" or self.include_superseded
        return (
            held
            and (self.relation_types is None or edge["predicate"] in self.relation_types)
            and (self.min_confidence is None or edge["confidence"] >= self.min_confidence)
        )

    def lets_be(self, types: list[str]) -> bool:
        return self.entity_types is None or bool(set(self.entity_types) & set(types))


filters = st.builds(
    Filter,
    st.sampled_from((None, None, *YEARS)),
    st.booleans(),
    st.none()
    | st.sets(st.sampled_from([p.name for p in PREDICATES if not p.inverse_of]), min_size=1).map(tuple),
    st.sampled_from((None, None, ("Person",), ("Person", "Organization"))),
    st.sampled_from((None, None, 0.5, 0.95)),
)


class Graph:
    """What a filter leaves of a space's live graph."""

    def __init__(self, conn: Connection, space: str, chosen: Filter) -> None:
        held = ", ".join(
            f"v.effective && tstzrange('{start}Z', '{end}Z') as held_{year}"
            for year, (start, end) in YEARS.items()
        )
        edges = sql(
            conn,
            f"""
            select v.id, v.subject, v.object, v.predicate, v.status, v.confidence, v.weight, {held}
            from {REALM}.relation_version as v
            join {REALM}.relation as r on r.id = v.relation
            join {REALM}.space as s on s.id = r.space
            where v.died is null and s.name = %s
            order by v.id
            """,
            [space],
        )
        entities = sql(
            conn,
            f"""
            select v.entity, v.name, v.types, (
                select count(distinct n.entity)
                from {REALM}.entity_name as n
                where n.space = s.id and n.died is null and n.folded = graphrag._fold_name(v.name)
            ) as meanings
            from {REALM}.entity_version as v
            join {REALM}.entity as e on e.id = v.entity
            join {REALM}.space as s on s.id = e.space
            where v.died is null and s.name = %s
            order by v.entity
            """,
            [space],
        )
        self.names = {row["entity"]: row["name"] for row in entities}
        #: Those whose name means them alone.
        self.callable = [row["entity"] for row in entities if row["meanings"] == 1]
        self.seen = {row["entity"] for row in entities if chosen.lets_be(row["types"])}
        self.edges = [edge for edge in edges if chosen.lets_in(edge)]

    def around(self, node: int) -> list[tuple[Row, int | None]]:
        """The edges at an entity with the entity each leads to, if that may be seen; a value leads nowhere."""
        found: list[tuple[Row, int | None]] = []
        for edge in self.edges:
            if edge["subject"] == node and (edge["object"] is None or edge["object"] in self.seen):
                found.append((edge, edge["object"]))
            if edge["object"] == node and edge["subject"] in self.seen:
                found.append((edge, edge["subject"]))
        return found

    def reachable(self, seed: int, hops: int) -> dict[int, int]:
        """Each relation within so many hops, with its hop."""
        found: dict[int, int] = {}
        frontier, visited = {seed}, {seed}
        for hop in range(1, hops + 1):
            reached = set()
            for node in frontier:
                for edge, other in self.around(node):
                    found.setdefault(edge["id"], hop)
                    if other is not None:
                        reached.add(other)
            frontier = reached - visited
            visited |= frontier
        return found


def fill(conn: Connection, space: str, drafts: list[Draft]) -> None:
    for draft in drafts:
        index(conn, REALM, space, draft)


@given(
    drafts=collections(min_size=1, max_size=4),
    chosen=filters,
    hops=st.integers(1, 3),
    pick=st.integers(0, 99),
)
def test_the_walk_finds_what_a_plain_one_finds(
    world: Connection, new_space: Spaces, drafts: list[Draft], chosen: Filter, hops: int, pick: int
) -> None:
    space = new_space()
    fill(world, space, drafts)
    graph = Graph(world, space, chosen)
    assume(graph.callable)
    seed = graph.callable[pick % len(graph.callable)]
    found = rows(world, "neighborhood", graph.names[seed], hops, **chosen.arguments, space=space, realm=REALM)
    walked = {row["id"]: row["hop"] for row in found if row["kind"] == "relation"}
    assert walked == graph.reachable(seed, hops)
    assert len(found) == len(walked), "a relation came twice"
    assert all(row["path"].startswith(graph.names[seed]) for row in found)
    assert [row["hop"] for row in found] == sorted(row["hop"] for row in found)


@given(drafts=collections(min_size=1, max_size=4), chosen=filters, pick=st.integers(0, 99))
def test_pagerank_is_what_plain_sums_give(
    world: Connection, new_space: Spaces, drafts: list[Draft], chosen: Filter, pick: int
) -> None:
    space = new_space()
    fill(world, space, drafts)
    graph = Graph(world, space, chosen)
    seed = sorted(graph.names)[pick % len(graph.names)]
    mentions = mention_edges(world, space, chosen)
    mentions[seed] |= synonyms(world, space, seed, graph)
    relations, passages = reference_pagerank(graph, mentions, {seed: 1.0})
    with world.transaction():
        world.execute(f"set local search_path to {REALM}, public")
        found = sql(
            world,
            """
            select s.version, s.chunk, s.score
            from graphrag._spread(
                array[row(%(seed)s::bigint, 1)::graphrag._mass],
                '{}',
                array(select e.id from entity as e),
                graphrag._filter_of(
                    %(space)s::text, %(as_of)s::text, null, %(include_superseded)s, %(relation_types)s::text[],
                    %(entity_types)s::text[], null,
                    %(min_confidence)s
                ),
                100000
            ) as s
            """,
            {"seed": seed, "space": space, **chosen.arguments},
        )
    # Mass is counted in units of 2 ** -38 of all there is.
    assert {row["version"]: row["score"] for row in found if row["version"]} == pytest.approx(
        relations, abs=1e-9
    )
    assert {row["chunk"]: row["score"] for row in found if row["chunk"]} == pytest.approx(passages, abs=1e-9)


def mention_edges(conn: Connection, space: str, chosen: Filter) -> dict[int, set[int]]:
    """Entities with the live passages that name them (as negative numbers), and the other way round."""
    start, end = YEARS.get(chosen.as_of or "", ("2000-01-01", "2001-01-01"))
    pairs = sql(
        conn,
        f"""
        select distinct n.entity, k.chunk
        from {REALM}.entity_name as n
        join {REALM}.space as s on s.id = n.space
        join {REALM}.mention as m on m.space = n.space and m.folded = n.folded
        join {REALM}.document_chunk as k on k.chunk = m.chunk and k.died is null
        join {REALM}.chunk as c on c.id = m.chunk
        where s.name = %s and n.died is null and n.role <> 'claimed'
            and (
                n.document = c.document
                or n.document is null and not exists (
                    select from {REALM}.entity_name as o
                    where o.space = n.space and o.folded = n.folded and o.document = c.document and o.died is null
                )
            )
            and (
                not %s
                or not exists (select from {REALM}.assertion as a where a.chunk = k.chunk and a.claim is not null)
                or exists (
                    select from {REALM}.assertion as a
                    where a.chunk = k.chunk and a.claim && tstzrange('{start}Z', '{end}Z')
                )
            )
        """,
        [space, chosen.as_of is not None],
    )
    edges: dict[int, set[int]] = defaultdict(set)
    for pair in pairs:
        edges[pair["entity"]].add(-pair["chunk"])
        edges[-pair["chunk"]].add(pair["entity"])
    return edges


def synonyms(conn: Connection, space: str, seed: int, graph: Graph, most: int = 3) -> set[int]:
    """The entities that may be seen and whose texts are nearest to the seed's, from a cosine of 0.8."""
    found = sql(
        conn,
        f"""
        select b.entity
        from {REALM}.entity_version as a
        join {REALM}.space as s on s.id = a.space
        join {REALM}.content as x on x.id = a.content
        join {REALM}.entity_version as b on b.space = s.id and b.died is null and b.entity <> a.entity
        join {REALM}.content as y on y.id = b.content
        where s.name = %s and a.entity = %s and a.died is null and x.vec <=> y.vec <= 1 - 0.8::float8
        order by x.vec <=> y.vec, b.entity
        """,
        [space, seed],
    )
    return {row["entity"] for row in [row for row in found if row["entity"] in graph.seen][:most]}


def reference_pagerank(
    graph: Graph,
    mentions: dict[int, set[int]],
    start: dict[int, float],
    damping: float = 0.85,
    steps: int = 4,
    width: int = 40,
) -> tuple[dict[int, float], dict[int, float]]:
    """Mass that crossed each relation, and mass that stayed at each passage."""
    crossed: dict[int, float] = defaultdict(float)
    stayed: dict[int, float] = defaultdict(float)
    here = start
    for _ in range(steps):
        after: dict[int, float] = defaultdict(float)
        for node, mass in here.items():
            stayed[node] += (1 - damping) * mass
            facts = graph.around(node) if node > 0 else []
            leading = sum(edge["weight"] for edge, other in facts if other is not None)
            whole = leading + len(mentions.get(node, ())) or sum(edge["weight"] for edge, _ in facts)
            for edge, other in facts:
                crossed[edge["id"]] += mass * edge["weight"] / whole
                if other is not None:
                    after[other] += damping * mass * edge["weight"] / whole
            for other in mentions.get(node, ()):
                # What may not be seen takes its share, and leads nowhere.
                if other < 0 or other in graph.seen:
                    after[other] += damping * mass / whole
        enough = [node for node, mass in after.items() if mass >= sum(start.values()) / (20 * width)]
        followed = sorted(enough, key=lambda node: (-round(after[node] * 2**38), node))[:width]
        for node in after.keys() - set(followed):
            stayed[node] += after[node]
        here = {node: after[node] for node in followed}
    for node, mass in here.items():
        stayed[node] += mass
    return dict(crossed), {-node: mass for node, mass in stayed.items() if node < 0}


@given(mine=collections(min_size=1, max_size=3), other=collections(min_size=1, max_size=3))
def test_another_space_changes_nothing(
    world: Connection, new_space: Spaces, mine: list[Draft], other: list[Draft]
) -> None:
    space = new_space()
    fill(world, space, mine)
    before = evidence(world, space)
    fill(world, new_space(), other)
    assert evidence(world, space) == before
    documents = {draft.name for draft in mine}
    assert {row["document"] for row in before if row["document"]} <= documents


@given(drafts=collections(min_size=1, max_size=3), chosen=filters)
def test_the_same_question_is_answered_the_same(
    world: Connection, new_space: Spaces, drafts: list[Draft], chosen: Filter
) -> None:
    space = new_space()
    fill(world, space, drafts)
    graph = Graph(world, space, chosen)
    allowed = {edge["id"] for edge in graph.edges}
    first = evidence(world, space, **chosen.arguments)
    assert evidence(world, space, **chosen.arguments) == first
    assert {row["id"] for row in first if row["kind"] == "relation"} <= allowed
    assert {row["id"] for row in first if row["kind"] == "entity"} <= graph.seen | {
        end for edge in graph.edges for end in (edge["subject"], edge["object"])
    }


def evidence(conn: Connection, space: str, **arguments: object) -> list[Row]:
    """What each mode and walk finds for a few questions, so little that the cut of every channel matters."""
    ways: tuple[dict[str, object], ...] = (
        {"walk": "ppr"},
        {"walk": "hops", "fusion": "quota"},
        {"mode": "local"},
        {"mode": "global"},
        {"mode": "hybrid", "rerank": ["mmr", "node_distance"]},
    )
    return [
        row
        for question in QUESTIONS
        for way in ways
        for row in rows(conn, "retrieve", question, top_k=2, space=space, realm=REALM, **way, **arguments)
    ]


@given(drafts=collections(min_size=2, max_size=4))
def test_a_path_leads_from_one_to_the_other(
    world: Connection, new_space: Spaces, drafts: list[Draft]
) -> None:
    space = new_space()
    fill(world, space, drafts)
    everything = Filter(None, True, None, None, None)
    graph = Graph(world, space, everything)
    assume(graph.callable)
    start, *others = graph.callable
    nearest: dict[int, int] = {}
    frontier, visited = {start}, {start}
    for hop in range(1, 5):
        frontier = {o for node in frontier for _, o in graph.around(node) if o is not None} - visited
        visited |= frontier
        nearest |= dict.fromkeys(frontier, hop)
    for other in others:
        found = rows(
            world,
            "path",
            graph.names[start],
            graph.names[other],
            include_superseded=True,
            space=space,
            realm=REALM,
        )
        assert len(found) == nearest.get(other, 0)

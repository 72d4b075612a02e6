"""Communities: what is clustered, what is asked and paid for, what stands when something fails."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.errors import QueryCanceled

from tests.support import endpoint as faults
from tests.support.calls import mistake, refused, row, rows, state
from tests.support.circles import (
    GROUPS,
    MEMBERS,
    WORLD,
    build,
    circle,
    circles,
    fact,
    heard,
    make_realm,
    on,
    say,
    tree,
)
from tests.support.database import Connection, Database, Row, one, sql, value
from tests.support.endpoint import Endpoint, is_report, plain_report
from tests.support.reading import REALM, fresh

FOUR = {frozenset(f"{group} {member}" for member in MEMBERS) for group in GROUPS}
LIMIT = 1.5


@pytest.fixture
def world(session: Connection, endpoint: Endpoint) -> Connection:
    """Four circles in the default space; every report is rated otherwise."""
    conn = fresh(session, keeps_realm=True)
    rows(conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
    make_realm(conn, endpoint)
    endpoint.on_report = lambda text: plain_report(text) | {"rating": len(text) % 11}
    say(conn, WORLD)
    endpoint.requests.clear()
    return conn


def reports(endpoint: Endpoint) -> list[str]:
    """The communities that reports were asked on."""
    return [request.community or "" for request in endpoint.requests if is_report(request)]


# ---------------------------------------------------------------- what is found
def test_clusters_are_reported_on(world: Connection, endpoint: Endpoint) -> None:
    result = build(world)
    assert circles(world) == FOUR
    assert (result["communities"], result["levels"], result["failed"]) == (4, 1, 0)
    assert (result["entities"], result["relations"]) == (16, len(WORLD))
    assert result["llm_calls"] == len(reports(endpoint)) == 4
    titles = [community["title"] for community in tree(world)]
    assert len(set(titles)) == 4


def test_findings_name_relations_of_the_community(world: Connection) -> None:
    build(world)
    strays = sql(
        world,
        f"""
        select f.*
        from {REALM}.finding as f
        cross join unnest(f.relations) as r (relation)
        left join {REALM}.relation_version as v on v.relation = r.relation and v.died is null
        left join {REALM}.member as m on m.report = f.report and m.entity = v.subject
        where m.entity is null
        """,
    )
    assert strays == []
    assert value(world, f"select min(cardinality(relations)) from {REALM}.finding") == 1


def test_numbers_that_were_not_shown_are_dropped_and_counted(world: Connection, endpoint: Endpoint) -> None:
    finding = {"summary": "s", "explanation": "e", "relations": [1, 77]}
    endpoint.on_report = lambda text: plain_report(text) | {"findings": [finding]}
    assert build(world)["unknown_relations"] == 4
    assert sql(world, f"select relations from {REALM}.finding where cardinality(relations) <> 1") == []


def test_an_empty_graph_is_a_success(world: Connection, endpoint: Endpoint) -> None:
    rows(world, "create_realm", "empty", "builtin:hash", width=8)
    assert build(world, realm="empty")["communities"] == 0
    rows(
        world,
        "index",
        "Nobody knows anybody.",
        document="d",
        extraction={"entities": [{"name": "Nobody"}], "triples": []},
        space="lonely",
    )
    assert build(world, space="lonely")["communities"] == 0
    assert reports(endpoint) == []


def test_superseded_and_denied_relations(world: Connection, endpoint: Endpoint) -> None:
    """The former do not count and are not shown; the latter count for less and are shown as denials."""
    rows(world, "declare_predicate", "lives_in", is_functional=True)
    say(world, [fact("Alpha One", "lives_in", "Paris")], "old", ordinal=1)
    say(world, [fact("Alpha One", "lives_in", "Berlin")], "new", ordinal=2)
    say(world, [fact("Alpha Two", "trusts", "Alpha Three", negated=True)], "denial")
    build(world)
    shown = "\n".join(reports(endpoint))
    assert "(Alpha One) --[lives_in]--> (Berlin)" in shown
    assert "Paris" not in shown
    assert "(Alpha Two) --[NOT trusts]--> (Alpha Three)" in shown


def test_a_denial_binds_less_than_an_assertion(world: Connection) -> None:
    """Echo stands between two circles: tied to one by three denials, to the other by one assertion."""
    say(
        world,
        [
            *(fact("Echo", "knows", f"Alpha {member}", negated=True) for member in ("One", "Two", "Three")),
            fact("Echo", "knows", "Beta One"),
        ],
        "echo",
    )
    build(world)
    assert frozenset(f"Beta {member}" for member in MEMBERS) | {"Echo"} in circles(world)


def test_small_clusters_are_dropped_and_the_largest_reported(world: Connection) -> None:
    say(world, [fact("Left", "met", "Right")], "pair")
    say(world, circle("Omega", (*MEMBERS, "Five")), "large")
    on(world, "max_communities", 2)
    build(world)
    found = circles(world)
    assert len(found) == 2
    assert max(map(len, found)) == 5
    assert all("Left" not in members for members in found)


def test_titles_are_unique(world: Connection, endpoint: Endpoint) -> None:
    endpoint.on_report = lambda text: plain_report(text) | {"title": "People"}
    build(world, levels=2)
    titles = [community["title"] for community in tree(world)]
    assert len(set(map(str.casefold, titles))) == len(titles) == 6


def test_flat_ratings_are_told(world: Connection, endpoint: Endpoint) -> None:
    endpoint.on_report = lambda text: plain_report(text) | {"rating": 5}
    with heard(world) as said:
        build(world)
    assert ("WARNING", "all 4 communities are rated 5") in said


@pytest.mark.parametrize("algorithm", ["leiden", "leidenalg", "leidenalg:rber"])
def test_other_algorithms(world: Connection, algorithm: str) -> None:
    assert build(world, algorithm=algorithm)["algorithm"] == algorithm
    assert circles(world) == FOUR


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "mentions"),
    [
        ({"algorithm": "louvain"}, "GR009", "louvain"),
        ({"levels": 0}, "GR009", "0"),
        ({"resolution": -1}, "GR009", "-1"),
        ({"space": "*"}, "GR007", "*"),
        ({"space": "nowhere"}, "GR004", "nowhere"),
    ],
)
def test_bad_arguments(world: Connection, arguments: dict[str, Any], sqlstate: str, mentions: str) -> None:
    mistake(world, REALM, sqlstate, (mentions,), "build_communities", **arguments)


@pytest.fixture
def crowd(world: Connection) -> Connection:
    """20,000 entities more, each of which knows the next."""
    with world.transaction():
        sql(world, "set local session_replication_role = replica")
        sql(
            world,
            f"""
            with place as (select id as space, revision as born from {REALM}.space),
            text as (select min(id) filter (where kind = 'entity') as entity,
                min(id) filter (where kind = 'relation') as relation from {REALM}.content),
            made as (
                insert into {REALM}.entity (space) select space from place, generate_series(1, 20000) returning id
            ),
            version as (
                insert into {REALM}.entity_version (entity, space, born, name, content)
                select m.id, p.space, p.born, 'Node ' || m.id, t.entity from made as m, place as p, text as t
            )
            insert into {REALM}.relation_version (relation, space, born, subject, predicate, object, negated, status,
                effective, ord, weight, confidence, content)
            select -m.id, p.space, p.born, m.id, 'knows', m.id + 1, false, 'current', '{{(,)}}', 1, 1, 1, t.relation
            from made as m, place as p, text as t
            """,
        )
    sql(world, f"analyze {REALM}.entity_version, {REALM}.relation_version, {REALM}.content")
    sql(world, f"set search_path = {REALM}, public")
    sql(world, "drop table if exists pg_temp.crowd")
    sql(
        world,
        """
        create temporary table crowd as
        select
            max(born) as now,
            array[jsonb_populate_record(null::graphrag._community_plan, jsonb_build_object(
                'no', 1, 'level', 0, 'children', '[]'::jsonb, 'members', jsonb_agg(entity order by entity)
            ))] as plans
        from entity_version
        where name like 'Node %'
        """,
    )
    return world


# In time and space that grow with a community: were its members joined pair by pair, or copied for each, these would
# take minutes and gigabytes.
@pytest.mark.parametrize("plan", ["force_custom_plan", "force_generic_plan"])
def test_a_community_of_20_000_is_described(crowd: Connection, plan: str) -> None:
    """A session takes the generic plan from its sixth description on."""
    sql(crowd, f"set plan_cache_mode = {plan}")
    described = one(
        crowd,
        """
        select length(d.text) as shown, cardinality(d.relations) as relations
        from crowd as c, unnest(graphrag._describe_communities(c.now, c.plans, '{}', 24000)) as d
        """,
    )
    assert described["shown"] <= 24_100
    assert described["relations"] > 100


def test_a_community_of_20_000_is_known_again(crowd: Connection) -> None:
    with crowd.transaction():
        sql(crowd, "set local session_replication_role = replica")
        sql(crowd, "insert into community (space) select id from space")
        sql(
            crowd,
            "insert into report (level, hash, title, summary, rating, size, content)"
            " select 0, '', 'Crowd', 'They know each other.', 5, 20000, min(id) from content",
        )
        sql(
            crowd,
            "insert into member select r.id, m from report r, crowd c, unnest(c.plans) p, unnest(p.members) m",
        )
        sql(
            crowd,
            "insert into community_version (community, report, level, born)"
            " select c.id, r.id, 0, 1 from community c, report r",
        )
    sql(crowd, "set temp_file_limit = '100MB'")
    known = one(
        crowd,
        "select m.community, m.report"
        " from crowd as c, unnest(graphrag._match_reports((select id from space), c.plans, '{}')) as m",
    )
    assert known == {"community": value(crowd, "select id from community"), "report": None}


# ---------------------------------------------------------------- what is paid for
def test_a_second_build_costs_and_writes_nothing(world: Connection, endpoint: Endpoint) -> None:
    first = build(world, levels=2)
    before = state(world, REALM)
    endpoint.requests.clear()
    second = build(world, levels=2)
    assert endpoint.requests == []
    assert state(world, REALM) == before
    assert (second["reused"], second["revision"]) == (first["communities"], first["revision"])


def test_only_changed_reports_are_paid_for(world: Connection, endpoint: Endpoint) -> None:
    build(world)
    before = {community["title"]: community for community in tree(world)}
    say(world, [fact("Alpha One", "likes", "Alpha Two")], "more")
    endpoint.requests.clear()
    result = build(world)
    (asked,) = reports(endpoint)
    assert "Alpha" in asked
    assert (result["reused"], result["llm_calls"]) == (3, 1)
    after = tree(world)
    assert {community["community"] for community in after} == {c["community"] for c in before.values()}


def test_a_report_that_fits_again_is_not_asked_for_again(world: Connection, endpoint: Endpoint) -> None:
    build(world)
    before = tree(world)
    say(world, [fact("Alpha One", "likes", "Alpha Two")], "more")
    build(world)
    rows(world, "delete_document", "more")
    endpoint.requests.clear()
    assert build(world)["llm_calls"] == 0
    assert [c["title"] for c in tree(world)] == [c["title"] for c in before]


def test_as_many_at_a_time_as_is_set(world: Connection, endpoint: Endpoint) -> None:
    on(world, "max_concurrent_reports", 2)
    endpoint.inject(faults.slow(0.2))
    build(world)
    assert endpoint.most_at_once == 2


# ---------------------------------------------------------------- what fails
def is_about(name: str) -> faults.Condition:
    return lambda request: is_report(request) and name in (request.community or "")


def test_one_failed_report_is_listed_and_the_rest_stands(world: Connection, endpoint: Endpoint) -> None:
    endpoint.inject(faults.content("no report at all"), where=is_about("Gamma"))
    result = build(world)
    assert (result["communities"], result["failed"]) == (3, 1)
    (failure,) = result["failures"]
    assert failure["names"][0].startswith("Gamma")
    assert failure["reason"]
    endpoint.on_synthesis = lambda _: "Alpha people do."
    assert row(world, "query", "Who works together?", "global")["answer"] == "Alpha people do."
    endpoint.heal()
    endpoint.requests.clear()
    assert build(world)["communities"] == 4
    assert len(reports(endpoint)) == 1


def test_a_failed_build_leaves_the_old_one(world: Connection, endpoint: Endpoint) -> None:
    build(world)
    say(world, [fact(f"{group} One", "likes", f"{group} Two") for group in GROUPS], "more")
    before = state(world, REALM)
    endpoint.inject(faults.status(401), where=is_report)
    refused("GR108", (), lambda: build(world))
    assert state(world, REALM) == before
    assert circles(world) == FOUR


def test_who_may_only_read_pays_no_report(world: Connection, endpoint: Endpoint) -> None:
    sql(world, "set default_transaction_read_only = on")
    try:
        refused("25006", ("no communities can be built",), lambda: build(world))
    finally:
        sql(world, "reset default_transaction_read_only")
    assert reports(endpoint) == []


@pytest.mark.parametrize(
    "report", [{"rating": 10**400}, {"summary": "".join(map(chr, range(0x3400, 0xD7FF))) * 60}]
)
def test_one_mad_report_does_not_fail_the_build(
    world: Connection, endpoint: Endpoint, report: dict[str, Any]
) -> None:
    endpoint.on_report = lambda text: plain_report(text) | (report if "Gamma" in text else {})
    result = build(world)
    assert result["communities"] + result["failed"] == 4
    assert result["failed"] <= 1


def test_levels_are_those_that_stand(world: Connection, endpoint: Endpoint) -> None:
    endpoint.inject(faults.content("no report at all"), where=is_about("# Reports"))
    result = build(world, levels=3)
    assert (result["communities"], result["failed"], result["levels"]) == (4, 2, 1)
    assert {community["parent"] for community in tree(world)} == {None}


def test_without_an_endpoint_it_says_what_is_missing(world: Connection) -> None:
    rows(world, "create_realm", "mute", "builtin:hash", width=8)
    say(world, WORLD, realm="mute")
    refused("GR010", ("community",), lambda: build(world, realm="mute"))


def test_vectors_that_fail_leave_the_old_ones(session: Connection, endpoint: Endpoint) -> None:
    conn = fresh(session)
    rows(conn, "set_endpoint", "auxiliary", endpoint.url, "scripted", realm=None)
    rows(conn, "create_realm", REALM, endpoint.url, "vectors")
    rows(conn, "set_endpoint", "extraction", endpoint.url, "scripted", realm=REALM)
    sql(conn, f"set graphrag.realm = '{REALM}'")
    say(conn, WORLD)
    before = state(conn, REALM)
    endpoint.inject(faults.filled(0.0), where=faults.is_embedding)
    refused("GR106", (), lambda: build(conn))
    assert state(conn, REALM) == before


# ---------------------------------------------------------------- while it runs
@pytest.fixture
def other(module_database: Database, world: Connection) -> Iterator[Connection]:  # noqa: ARG001  made first
    """Another session in the same realm."""
    with module_database.connect() as conn:
        sql(conn, f"set graphrag.realm = '{REALM}'")
        yield conn


def test_nothing_is_locked_while_models_write(
    world: Connection, other: Connection, endpoint: Endpoint
) -> None:
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_report)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(build, world)
        try:
            endpoint.wait_for(1, is_report)
            say(other, [fact("Alpha One", "likes", "Alpha Two")], "meanwhile")
        finally:
            release.set()
        assert building.result(timeout=20)["communities"] == 4
    with heard(other) as said:
        rows(other, "retrieve", "Alpha", "global")
    assert any("behind the graph" in message for _, message in said)


def test_two_builds_at_once(world: Connection, other: Connection, endpoint: Endpoint) -> None:
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_report)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(build, conn) for conn in (world, other)]
        try:
            endpoint.wait_for(8, is_report)
        finally:
            release.set()
        assert [one.result(timeout=20)["communities"] for one in both] == [4, 4]
    assert circles(world) == FOUR
    assert len(tree(world)) == 4


@pytest.mark.parametrize("arguments", [{"document": "secret"}, {"before": "9999-01-01"}])
def test_what_is_purged_meanwhile_is_in_no_report(
    world: Connection, other: Connection, endpoint: Endpoint, arguments: dict[str, Any]
) -> None:
    say(world, [*circle("Secret"), fact("Secret One", "met", "Alpha One")], "secret")
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_report)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(refused, "40001", ('"default"', "purged"), lambda: build(world))
        try:
            endpoint.wait_for(4, is_report)
            rows(other, "delete_document", "secret")
            rows(other, "purge", **arguments, dry_run=False)
        finally:
            release.set()
        building.result(timeout=20)
    assert value(world, f"select count(*) from {REALM}.content where body like '%%Secret%%'") == 0
    assert build(world)["communities"] == 4


def test_a_report_that_is_purged_meanwhile_is_not_kept(
    world: Connection, other: Connection, endpoint: Endpoint
) -> None:
    """It was replaced, and would fit again."""
    build(world)
    say(world, [fact("Alpha One", "likes", "Alpha Two")], "more")
    build(world)
    rows(world, "delete_document", "more")
    say(world, [fact("Beta One", "likes", "Beta Two")], "beta")
    endpoint.requests.clear()
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_report)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(refused, "40001", ("purged",), lambda: build(world))
        try:
            endpoint.wait_for(1, is_report)
            rows(
                other, "purge", before=str(value(other, f"select revision from {REALM}.space")), dry_run=False
            )
        finally:
            release.set()
        building.result(timeout=20)
    assert build(world)["communities"] == 4


def test_a_cancel_while_models_write(world: Connection, other: Connection, endpoint: Endpoint) -> None:
    build(world)
    say(world, [fact("Alpha One", "likes", "Alpha Two")], "more")
    before = state(world, REALM)
    release = threading.Event()
    endpoint.inject(faults.held(release), where=is_report)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(build, world)
        try:
            endpoint.wait_for(5, is_report)
            begun = time.monotonic()
            assert value(other, "select pg_cancel_backend(%s)", [world.info.backend_pid])
            with pytest.raises(QueryCanceled):
                building.result(timeout=10)
            assert time.monotonic() - begun < LIMIT
        finally:
            release.set()
    assert state(world, REALM) == before


def children(pid: int) -> str:
    """The processes that a backend has started and that still run."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").strip()


LARGE = """
    create temporary table large as
    select string_agg(int8send(e.a) || int8send(e.b), '') as ends, string_agg(int8send(10), '') as weights,
        array(select generate_series(0, 99999)) as nodes
    from (
        select n * 7919 % 100000 as a, (n * 7919 + 1 + n * n % 99991) % 100000 as b
        from generate_series(1::bigint, 400000) as n
    ) as e
    where e.a <> e.b
"""
CLUSTER = "select (graphrag._cluster(l.nodes, l.ends, l.weights, 'leidenalg', 1)).used from large as l"


def is_alive(pid: str) -> bool:
    """Whether a process runs; one that nobody has collected yet does not."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def computing(pid: int) -> str:
    """The child process of a backend, once it has computed for more than a second."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if child := children(pid):
            spent = Path(f"/proc/{child}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[11]
            if int(spent) > os.sysconf("SC_CLK_TCK"):
                return child
        time.sleep(0.02)
    raise AssertionError("the child process does not compute")


@pytest.mark.parametrize("stop", ["timeout", "cancel"])
def test_clustering_100_000_vertices_is_stopped(world: Connection, other: Connection, stop: str) -> None:
    """leidenalg takes most of a minute for them, and holds its interpreter all the while."""
    sql(other, LARGE)
    pid = other.info.backend_pid
    if stop == "timeout":
        sql(other, "set statement_timeout = 8000")
    with ThreadPoolExecutor(1) as pool:
        stopped_at = time.monotonic() + 8
        running = pool.submit(sql, other, CLUSTER)
        computing(pid)
        if stop == "cancel":
            stopped_at = time.monotonic()
            value(world, "select pg_cancel_backend(%s)", [pid])
        with pytest.raises(QueryCanceled):
            running.result(timeout=20)
        assert time.monotonic() - stopped_at < LIMIT
    assert children(pid) == ""
    sql(other, "set statement_timeout = 0")
    assert build(other)["communities"] == 4


def test_a_terminated_backend_leaves_no_child(world: Connection, module_database: Database) -> None:
    with module_database.connect() as victim, ThreadPoolExecutor(1) as pool:
        sql(victim, LARGE)
        running = pool.submit(sql, victim, CLUSTER)
        child = computing(victim.info.backend_pid)
        stopped_at = time.monotonic()
        value(world, "select pg_terminate_backend(%s)", [victim.info.backend_pid])
        with pytest.raises(psycopg.OperationalError):
            running.result(timeout=20)
        while is_alive(child):
            assert time.monotonic() - stopped_at < LIMIT
            time.sleep(0.02)


# ---------------------------------------------------------------- levels
def test_parents_are_made_from_their_children(world: Connection, endpoint: Endpoint) -> None:
    build(world, levels=2)
    pairs = {
        frozenset(f"{group} {member}" for group in two for member in MEMBERS)
        for two in (("Alpha", "Beta"), ("Gamma", "Delta"))
    }
    assert circles(world, 0) == FOUR
    assert circles(world, 1) == pairs
    found = tree(world)
    by_id = {community["community"]: community for community in found}
    assert len(by_id) == len(found) == 6
    for community in found:
        below = [c for c in found if c["parent"] == community["community"]]
        if below:
            assert community["size"] == sum(c["size"] for c in below)
            assert community["rating"] == max(c["rating"] for c in below)
            assert community["depth"] == 0
        else:
            assert community["depth"] == 1
    asked = [text for text in reports(endpoint) if text.startswith("# Reports")]
    assert len(asked) == 2
    assert any("(Alpha One) --[met]--> (Beta One)" in text for text in asked)


def test_a_parent_is_reported_on_from_reports_only(world: Connection, endpoint: Endpoint) -> None:
    """Also where its children have, as numbers of the build, the ids of entities in them."""
    rows(world, "delete_document", "world")
    rows(world, "purge", document="world", dry_run=False)
    sql(world, f"select setval('{REALM}.entity_id_seq', 1, false)")
    say(world, WORLD)
    build(world, levels=2)
    for text in (text for text in reports(endpoint) if text.startswith("# Reports")):
        shown, _, _ = text.partition("\n\n")
        assert len(shown.splitlines()) == 3, text


def test_a_community_without_a_parent_is_in_the_tree(world: Connection) -> None:
    say(world, circle("Omega"), "apart")
    build(world, levels=3)
    found = tree(world)
    (omega,) = [c for c in found if "Omega" in c["title"]]
    assert omega["parent"] is None
    assert len(found) == 7


def test_levels_are_filtered_inside_the_scan(world: Connection) -> None:
    """The tree is cut at a level, and the quota is filled there."""
    say(world, circle("Omega"), "apart")
    build(world, levels=2)
    ask = "What do the Alpha people do?"
    levels = {
        level: [
            found["metadata"]["level"]
            for found in rows(world, "retrieve", ask, "global", community_level=level, top_k=3)
            if found["kind"] == "report"
        ]
        for level in (0, 1)
    }
    assert levels[0] == [0, 0, 0]
    assert sorted(levels[1]) == [0, 1, 1]


# ---------------------------------------------------------------- reads
def found_reports(conn: Connection, question: str, **arguments: object) -> list[Row]:
    return [r for r in rows(conn, "retrieve", question, "global", **arguments) if r["kind"] == "report"]


def test_ranking_blends_similarity_rating_and_size(world: Connection) -> None:
    say(world, circle("Omega", (*MEMBERS, "Five", "Six")), "large")
    build(world)
    question = "Who works with Alpha One and Omega Two?"
    vector = [0.0] * 31 + [1.0]
    got = {r["id"]: r["score"] for r in found_reports(world, question, embedding=vector)}
    wanted = sql(
        world,
        f"""
        select v.community, 1 - (t.vec <=> %s::float8[]::vector) as alike, r.rating, r.size
        from {REALM}.community_version as v
        join {REALM}.report as r on r.id = v.report
        join {REALM}.content as t on t.id = r.content
        where v.died is null
        """,
        [vector],
    )
    largest = max(w["size"] for w in wanted)
    assert largest == 6
    for w in wanted:
        score = w["alike"] + w["rating"] / 10 * 0.25 + math.log(1 + w["size"]) / math.log(1 + largest) * 0.15
        assert got[w["community"]] == pytest.approx(score)
    assert list(got.values()) == sorted(got.values(), reverse=True)


def test_global_without_communities_ranks_relations(world: Connection) -> None:
    with heard(world) as said:
        found = rows(world, "retrieve", "Who met Beta One?", "global")
    assert {r["kind"] for r in found} == {"relation", "entity", "chunk"}
    assert all(r["ranks"].keys() <= {"statement"} for r in found if r["kind"] == "chunk")
    assert ("NOTICE", "there are no community reports") in said


def test_hybrid_is_both(world: Connection) -> None:
    build(world)
    kinds = {r["kind"] for r in rows(world, "retrieve", "Who met Beta One?", "hybrid")}
    assert kinds == {"report", "relation", "entity", "chunk"}


def test_the_change_feed_tells_of_builds_and_when_they_are_stale(world: Connection) -> None:
    kinds = ["communities_built", "communities_stale"]

    def told() -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        since = None
        while page := rows(world, "changes_since", since, kinds, 1):
            found += [(change["kind"], change["revision"]) for change in page]
            since = page[-1]["position"]
        return found

    build(world)
    built = value(world, f'select revision from "{REALM}".space')
    assert told() == [("communities_built", built)]
    say(world, [fact("Newt", "met", "Olga")], "more")
    say(world, [fact("Olga", "met", "Piet")], "most")
    assert told() == [("communities_built", built), ("communities_stale", built + 1)]
    build(world)
    assert told()[2:] == [("communities_built", built + 3)]
    summary = {change["kind"]: change["changes"] for change in rows(world, "changes_summary")}
    assert {kind: summary[kind] for kind in kinds} == {"communities_built": 2, "communities_stale": 1}


def test_stale_reports_are_told_with_their_age(world: Connection) -> None:
    build(world)
    with heard(world) as said:
        rows(world, "retrieve", "Alpha", "global")
    assert said == []
    rows(world, "delete_document", "world")
    with heard(world) as said:
        rows(world, "retrieve", "Alpha", "global")
    ((severity, message),) = said
    assert severity == "WARNING"
    for part in ("second", 'space "default"', "1 revision behind"):
        assert part in message
    assert build(world)["communities"] == 0
    assert found_reports(world, "Alpha") == []


@pytest.mark.parametrize("steps", ["build say", "say build say", "say build"])
def test_staleness_inside_one_transaction(world: Connection, steps: str) -> None:
    """A transaction has one revision, whatever it does in it."""
    build(world)
    is_stale = steps.endswith("say")
    at = str(row(world, "watermark")["watermark"])
    with world.transaction():
        for no, step in enumerate(steps.split()):
            if step == "say":
                say(world, circle(f"Later{no} "), f"later {no}")
            else:
                build(world)
    with heard(world) as said:
        found_reports(world, "Alpha")
    assert any("behind the graph" in message for _, message in said) == is_stale
    told = [c["kind"] for c in rows(world, "changes_since", at) if c["kind"].startswith("communities")]
    assert told[-1:] == (["communities_stale"] if is_stale else ["communities_built"])
    build(world)
    with heard(world) as said:
        found_reports(world, "Alpha")
    assert said == []


def test_reports_of_then(world: Connection) -> None:
    build(world)
    then = value(world, f"select revision from {REALM}.space")
    question = "What do the Alpha people do?"
    before = rows(world, "retrieve", question, "global")
    say(world, [fact("Alpha One", "likes", "Alpha Two")], "more")
    build(world, levels=2)
    rows(world, "delete_document", "world")
    build(world)
    assert rows(world, "retrieve", question, "global", as_believed_at=str(then)) == before
    assert len(tree(world, as_believed_at=str(then))) == 4
    assert tree(world) == []


def test_spaces_do_not_mix(world: Connection) -> None:
    say(world, circle("Omega"), space="apart")
    build(world)
    build(world, space="apart")
    assert {r["subject"].split()[0] for r in found_reports(world, "Omega")} == set(GROUPS)
    assert {r["subject"].split()[0] for r in found_reports(world, "Omega", space="apart")} == {"Omega"}
    assert len(found_reports(world, "Omega", space="*")) == 5


def test_reports_over_the_budget_are_mapped_and_reduced(world: Connection, endpoint: Endpoint) -> None:
    endpoint.on_report = lambda text: plain_report(text) | {"summary": "They work together. " * 40}
    build(world)
    on(world, "map_budget", 1000)
    endpoint.requests.clear()
    endpoint.on_synthesis = lambda request: (
        "All is told."
        if "Notes from" in (request.evidence or "")
        else f"Note {(request.evidence or '')[11:20]}"
    )
    result = row(world, "query", "What do people do?", "global")
    assert result["answer"] == "All is told."
    assert len(endpoint.chats) == 5, "four parts, the answer"
    last = endpoint.chats[-1].evidence or ""
    assert last.count("\nNote ") == 4
    assert "They work together" not in last
    assert len(result["communities"]) == 4


def test_context_says_that_reports_are_mapped(world: Connection, endpoint: Endpoint) -> None:
    endpoint.on_report = lambda text: plain_report(text) | {"summary": "They work together. " * 40}
    build(world)
    with heard(world) as said:
        row(world, "context", "What do people do?", "global")
    assert said == []
    on(world, "map_budget", 1000)
    with heard(world) as said:
        shown = row(world, "context", "What do people do?", "global")
    assert ("NOTICE", "query() reads the reports in 4 parts first") in said
    assert shown["prompt"].count("They work together") > 4


def test_reports_are_cited(world: Connection, endpoint: Endpoint) -> None:
    build(world)
    (alpha,) = (r for r in found_reports(world, "Alpha") if r["subject"].startswith("Alpha"))
    documents = {r["reference"] for r in rows(world, "retrieve", "Alpha", "global") if r["document"]}
    endpoint.on_synthesis = lambda _: f"They meet [{alpha['reference']}], or so it is said [99]."
    result = row(world, "query", "Alpha", "global")
    assert alpha["reference"] not in documents
    assert f"## [{alpha['reference']}] {alpha['subject']} (" in (endpoint.chats[-1].evidence or "")
    assert result["answer"] == f"They meet [{alpha['reference']}], or so it is said."
    assert result["citations"] == [
        {
            "reference": alpha["reference"],
            "report": alpha["subject"],
            "community": alpha["id"],
            "relations": alpha["metadata"]["relations"],
        }
    ]
    assert result["usage"]["citations_removed"] == 1


def test_a_part_that_cannot_be_read_is_told(world: Connection, endpoint: Endpoint) -> None:
    endpoint.on_report = lambda text: plain_report(text) | {"summary": "They work together. " * 40}
    build(world)
    on(world, "map_budget", 1000)
    endpoint.inject(
        faults.status(400),
        where=lambda r: "] Gamma" in (r.evidence or "") and "Notes" not in (r.evidence or ""),
    )
    with heard(world) as said:
        assert row(world, "query", "What do people do?", "global")["answer"]
    assert ("WARNING", "1 of 4 parts of the reports could not be read") in said


def test_names_that_look_like_syntax(world: Connection) -> None:
    odd = ['O\'Neil "Rex" \\ Co/β', "東京 電力", "Eve </community-00000000>", "Null $$ %s"]
    say(world, [fact(a, "works_with", b) for place, a in enumerate(odd) for b in odd[place + 1 :]], "odd")
    build(world)
    assert frozenset(odd) in circles(world)
    assert one(world, f"select count(*) as n from {REALM}.report where summary <> ''")["n"] == 5

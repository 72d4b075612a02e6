"""What graphrag does, on a small corpus that changes its mind: run by `make demo`.

Environment: GRAPHRAG_DSN, the server (superuser); GRAPHRAG_MODELS_URL, the local model server.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from bench.measure import elsewhere, make_database

CORPUS = Path(__file__).parent / "demo_corpus"
REALM = "demo"
EMBEDDING_MODEL = "all-minilm-l6-v2-int8"
RULES_MODEL = "rules-spacy-not-an-llm"
WIDTH = 110

Connection = psycopg.Connection[tuple[Any, ...]]


def main() -> None:
    # A database for the demo alone, so that nobody's realms and keys are touched.
    make_database("graphrag_demo")
    demo = elsewhere("graphrag_demo")
    with psycopg.connect(demo, autocommit=True) as connection:
        models = os.environ["GRAPHRAG_MODELS_URL"]
        install(connection, models)
        declare_vocabulary(connection)
        index_corpus(connection)
        show_facts(connection)
        ask_questions(connection)
        show_cost(connection)
        how_to_go_on(demo)


def install(connection: Connection, models: str) -> None:
    """The extension, and a realm whose endpoints are the local models."""
    connection.execute("set client_min_messages = warning")
    connection.execute("create extension graphrag cascade")
    connection.execute(
        "select graphrag.create_realm(%s, embedding_url => %s, embedding_model => %s)",
        [REALM, models, EMBEDDING_MODEL],
    )
    connection.execute(
        "select graphrag.set_endpoint('extraction', %s, %s, realm => %s)", [models, RULES_MODEL, REALM]
    )
    connection.execute("select set_config('graphrag.realm', %s, false)", [REALM])
    heading("Installed")
    rows = connection.execute(
        """
        select 'PostgreSQL', current_setting('server_version')
        union all
        select extname, extversion from pg_extension where extname in ('graphrag', 'vector', 'plpython3u')
        union all
        select role || ' endpoint', model || ' at ' || base_url from demo.endpoint
        """
    ).fetchall()
    table(("what", "version"), rows)
    say(
        f"The endpoints are local stand-ins that need no network: MiniLM vectors, and {RULES_MODEL}, which is a set of "
        "grammar rules and not a language model. Its facts are simple on purpose."
    )


def declare_vocabulary(connection: Connection) -> None:
    """Which predicates exclude each other: all that supersession needs to know."""
    heading("Declared: which facts exclude each other")
    for name in ("lives_in", "owned_by", "led_by", "works_for", "located_in"):
        connection.execute("select graphrag.declare_predicate(%s, is_functional => true)", [name])
    connection.execute("select graphrag.declare_predicate('owns', inverse_of => 'owned_by')")
    connection.execute("select graphrag.declare_predicate('chief_executive_of', inverse_of => 'led_by')")
    for name in ("rival_of", "partner_of"):
        connection.execute(
            "select graphrag.declare_predicate(%s, is_symmetric => true, exclusive_groups => '{stance}')",
            [name],
        )
    connection.execute("select graphrag.declare_predicate('worked_with', is_symmetric => true)")
    connection.execute("select graphrag.declare_predicate('reported_revenue', is_value => true)")
    rows = connection.execute(
        """
        select name, concat_ws(', ', case when is_functional then 'one object at a time' end,
            'inverse of ' || inverse_of, case when is_symmetric then 'symmetric' end,
            'one ' || nullif(array_to_string(exclusive_groups, ', '), '') || ' at a time',
            case when is_value then 'takes values' end)
        from demo.predicate
        order by is_functional desc, name
        """
    ).fetchall()
    table(("predicate", "declared as"), rows)


def index_corpus(connection: Connection) -> None:
    heading("Indexed, one call a document")
    rows = []
    for path in sorted(CORPUS.glob("*.txt")):
        date, _, title = path.stem.partition(" ")
        row = connection.execute(
            """
            select r.chunks, r.entities_added, r.relations_added, r.superseded, nullif(r.rejected, '{}')::text,
                extract(milliseconds from r.elapsed)::integer || ' ms'
            from graphrag.index(%(content)s, document => %(title)s, published_at => %(date)s::timestamptz) as r
            """,
            {"content": path.read_text(encoding="utf-8"), "title": title, "date": date},
        ).fetchone()
        assert row is not None
        rows.append((title, date, *row))
    table(
        ("document", "published", "chunks", "entities", "relations", "superseded", "rejected", "time"), rows
    )


def show_facts(connection: Connection) -> None:
    for entity in ("Calder plant", "Mira Voss", "Northwind Steel"):
        heading(f"graphrag.timeline('{entity}')")
        rows = connection.execute(
            """
            select concat(t.subject, case when t.negated then ' NOT' end, ' ', t.predicate, ' ', t.object),
                coalesce(t.period, 'always'), t.status, t.superseded_by
            from graphrag.timeline(%s) as t
            """,
            [entity],
        ).fetchall()
        table(("fact", "held", "status", "superseded by"), rows)


def ask_questions(connection: Connection) -> None:
    heading("Questions")
    ask(connection, "Who owns the Calder plant?", "")
    ask(connection, "Where does Mira Voss live?", "")
    ask(connection, "Who owned the Calder plant?", ", as_of => '2020'")
    say("as_believed_at => '2' is what the database knew after its second document:")
    ask(connection, "Where does Mira Voss live?", ", as_believed_at => '2'")


def ask(connection: Connection, question: str, more: LiteralString) -> None:
    row = connection.execute(
        f"select answer, citations from graphrag.query(%s{more})",
        [question],
    ).fetchone()
    assert row is not None
    answer, citations = row
    print(f"\n  graphrag.query('{question}'{more})")
    print(textwrap.indent(textwrap.fill(str(answer), WIDTH - 4), "    "))
    for citation in citations:
        print(f"      [{citation['reference']}] {citation['document']}, {citation['published_at'][:10]}")


def show_cost(connection: Connection) -> None:
    heading("What it cost")
    rows = connection.execute(
        """
        select role, model, count(*), sum(input_tokens), sum(output_tokens), sum(latency_ms) || ' ms'
        from demo.usage
        group by role, model
        order by role
        """
    ).fetchall()
    table(("role", "model", "calls", "tokens in", "tokens out", "time"), rows)


def how_to_go_on(demo: str) -> None:
    heading("Go on")
    print(f"  psql {demo}")
    print("    set graphrag.realm = 'demo';")
    print("    select subject, predicate, object, status, valid_from, valid_to, documents from demo.facts;")
    print("  With a real model, for every realm you make from then on:")
    print(
        "    select graphrag.set_endpoint('embedding', 'https://api.example.com/v1', 'text-embedding-3-small',"
    )
    print("        api_key => 'env:API_KEY', realm => null);  -- of the server's environment; this server's")
    print("        -- is empty: docs/endpoints.md#keys has a way to give it a key all the same")
    print(
        "    select graphrag.set_endpoint('extraction', 'https://api.example.com/v1', 'gpt-4o-mini', realm => null);"
    )
    print("  make stop ends the server, make stop-models the local models.\n")


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * len(text)}")


def say(text: str) -> None:
    print("\n" + textwrap.indent(textwrap.fill(text, WIDTH - 4), "  "))


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows in columns as wide as their widest cell."""
    cells = [list(names), *(["" if cell is None else str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()

"""export(): every format holds the graph, whole or as asked for, whatever its names are made of."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import igraph
import pytest
from psycopg.types.json import Jsonb

from bench import generate
from tests.support.browser import dump, needs_browser
from tests.support.calls import refused, rows
from tests.support.circles import heard
from tests.support.database import Connection, Database, one, sql, value, view

REALM = "kb"
HOSTILE = [
    "</script><script>document.title='pwned'</script>",
    '"><img src=x onerror="document.title=\'pwned\'">',
    "abc\u202egnp.exe",
    '=HYPERLINK("http://x","y")',
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    'end"]; click A "javascript:alert(1)"',
    "日本語 🎉 مرحبا",
    'O\'Neil "Rex" \\ Co/β',
    "<!-- --> ]]> &amp; --%>",
    "${1+1} @GRAPH@ {{file:x}}",
    "%%{init: {}}%% subgraph #quot;",
]


def fact(subject: str, predicate: str, object_: str, **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, **more}


def say(
    conn: Connection, document: str, date: str, *facts: dict[str, Any], realm: str = REALM, **more: Any
) -> None:
    names = dict.fromkeys(n for f in facts for n in (f["subject"], f["object"]) if not n[0].isdigit())
    entities = [{"name": n, "type": more.get("type", "Thing")} for n in names]
    rows(
        conn,
        "index",
        ". ".join(f"{f['subject']} {f['predicate']} {f['object']}" for f in facts),
        document=document,
        source=more.get("source"),
        published_at=date,
        extraction={"entities": entities, "triples": list(facts)},
        realm=realm,
    )


@pytest.fixture(scope="module")
def kb(module_database: Database) -> Iterator[Connection]:
    """A chain of people, a job that changed, a figure, a denial, and names that mean harm."""
    with module_database.connect() as conn:
        rows(conn, "create_realm", REALM, "builtin:hash", width=32)
        rows(conn, "declare_predicate", "works_at", is_functional=True, realm=REALM)
        say(conn, "old", "2019-01-01", fact("Ann", "works_at", "Acme", valid_from="2015"))
        say(conn, "new", "2022-01-01", fact("Ann", "works_at", "Beta", valid_from="2021"), source="press")
        say(conn, "figures", "2022-02-01", fact("Acme", "has_revenue", "7 million euros", valid_from="2020"),
            fact("Acme", "is_owned_by", "Cleo", negated=True))  # fmt: skip
        say(conn, "chain", "2022-03-01", *[fact(f"Link {n}", "leads_to", f"Link {n + 1}") for n in range(4)],
            fact("Ann", "knows", "Link 0"), fact("Link 0", "leads_to", "Link 1"))  # fmt: skip
        say(
            conn, "</script> & co", "2022-04-01", *[fact(name, "met", "Ann") for name in HOSTILE], type="<b>x"
        )
        yield conn


def export(conn: Connection, format_: str, **named: Any) -> str:
    return str(rows(conn, "export", format_, realm=REALM, **named)[0]["export"])


def graph(conn: Connection, **named: Any) -> dict[str, Any]:
    """The node-link JSON, which NetworkX reads with node_link_graph(…, edges="edges")."""
    found: dict[str, Any] = json.loads(export(conn, "json", **named))
    assert (found["directed"], found["multigraph"]) == (True, True)
    ids = {node["id"] for node in found["nodes"]}
    assert len(ids) == len(found["nodes"])
    assert len({edge["key"] for edge in found["edges"]}) == len(found["edges"])
    assert ids >= {edge[end] for edge in found["edges"] for end in ("source", "target")}
    return found


def names(found: dict[str, Any]) -> list[str]:
    return [n["name"] for n in found["nodes"] if n["kind"] == "entity"]


def triples(found: dict[str, Any]) -> set[tuple[str, str, str]]:
    name = {n["id"]: n["name"] for n in found["nodes"]}
    return {(name[e["source"]], e["predicate"], name[e["target"]]) for e in found["edges"]}


# ---------------------------------------------------------------- what is exported
def test_json_is_the_graph(kb: Connection) -> None:
    found = graph(kb, include_superseded=True)
    entities, facts = view(kb, REALM, "entities"), view(kb, REALM, "facts")
    assert sorted(names(found)) == sorted(e["name"] for e in entities)
    assert set(HOSTILE) <= set(names(found))
    assert triples(found) == {(f["subject"], f["predicate"], f["object"]) for f in facts}
    edges = {int(e["key"][1:]): e for e in found["edges"]}
    for f in facts:
        edge = edges[f["relation"]]
        assert sorted(edge["documents"]) == sorted(f["documents"])
        for same in ("status", "negated", "weight", "confidence", "superseded_by"):
            assert edge[same] == f[same]
        assert (edge["valid_from"] is None) == (f["valid_from"] is None)
    (left,) = [e for e in found["edges"] if e["status"] == "superseded"]
    assert left["period"] == "2015 to 2020"
    assert left["superseded_by"] == "Ann works_at Beta"
    assert left["valid_from"].startswith("2015-01-01T00:00:00")
    assert left["evidence"] == "Ann works_at Acme"
    (figure,) = [n for n in found["nodes"] if n["kind"] == "value"]
    assert figure["name"] == "7 million euros"


def test_graphml_opens_in_igraph(kb: Connection, tmp_path: Path) -> None:
    text = export(kb, "graphml", include_superseded=True)
    file = tmp_path / "kb.graphml"
    file.write_text(text, encoding="utf-8")
    read, wanted = igraph.Graph.Read_GraphML(str(file)), graph(kb, include_superseded=True)
    assert read.is_directed()
    assert read.vs["name"] == [n["name"] for n in wanted["nodes"]]
    assert read.vs["id"] == [n["id"] for n in wanted["nodes"]]
    found = {(read.vs[e.source]["name"], e["predicate"], read.vs[e.target]["name"]) for e in read.es}
    assert found == triples(wanted)
    assert sum(e["negated"] for e in read.es) == 1
    assert {e["weight"] for e in read.es} == {e["weight"] for e in wanted["edges"]}
    again = tmp_path / "again.graphml"
    del read.vs["id"], read.es["id"]  # which it would not read again beside its own
    read.write_graphml(str(again))
    assert igraph.Graph.Read_GraphML(str(again)).vs["name"] == read.vs["name"]
    assert read["entities_left_out"] == 0


def test_graphml_is_valid(kb: Connection) -> None:
    """As its schema says: keys first, each datum of a key that is declared for its element, ids once."""
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(export(kb, "graphml"))
    kinds = [child.tag for child in root]
    assert kinds == sorted(kinds, key=lambda tag: tag != f"{space}key")
    keys = {k.attrib["id"]: (k.attrib["for"], k.attrib["attr.type"]) for k in root.iter(f"{space}key")}
    ids = [e.attrib["id"] for tag in ("node", "edge") for e in root.iter(f"{space}{tag}")]
    assert len(ids) == len(set(ids))
    parse: dict[str, Callable[[str], object]] = {
        "string": str,
        "long": int,
        "int": int,
        "double": float,
        "boolean": {"true": 1, "false": 0}.__getitem__,
    }
    for tag in ("graph", "node", "edge"):
        for owner in root.iter(f"{space}{tag}"):
            for datum in owner.findall(f"{space}data"):
                of, type_ = keys[datum.attrib["key"]]
                assert of == tag
                parse[type_](datum.text or "")


def test_csv_pair(kb: Connection) -> None:
    """As COPY writes it: ids join, spreadsheets run nothing, and names come back when that is not wanted."""

    def read(query: str) -> list[dict[str, str]]:
        with kb.cursor().copy(f"copy ({query}) to stdout with (format csv, header)") as copy:
            text = b"".join(copy).decode()
        return list(csv.DictReader(io.StringIO(text, newline="")))

    entities = read("select * from graphrag.export_entities(realm => 'kb')")
    relations = read("select * from graphrag.export_relations(realm => 'kb')")
    wanted = graph(kb)
    assert [(e["id"], e["kind"]) for e in entities] == [(n["id"], n["kind"]) for n in wanted["nodes"]]
    assert {(r["id"], r["source"], r["target"]) for r in relations} == {
        (e["key"], e["source"], e["target"]) for e in wanted["edges"]
    }
    cells = [cell for line in entities + relations for cell in line.values()]
    assert [cell for cell in cells if re.match(r"\s*[=+\-@\t\r]", cell)] == []
    assert "'" + HOSTILE[3] in cells
    raw = "select label from graphrag.export_entities(realm => 'kb', spreadsheet_safe => false) where kind = 'entity'"
    assert [e["label"] for e in read(raw)] == names(wanted)


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("-5", "-5"),
        ("+3.5 %", "+3.5 %"),
        ("-1+1", "'-1+1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_cells(kb: Connection, cell: str, safe: str) -> None:
    assert value(kb, "select graphrag._spreadsheet_text(%s, true)", [cell]) == safe


def test_mermaid_has_nothing_but_its_own_marks(kb: Connection) -> None:
    """What names bring is letters, harmless marks and numbers of characters; Mermaid 11 draws it so."""
    text = export(kb, "mermaid", include_superseded=True)
    label = r"\"[\w .,'/:+=?!#;\u0080-\U0010ffff-]*\""
    line = re.compile(
        rf"flowchart LR|    (e\d+\[{label}\]|v\d+\(\[{label}\]\)|e\d+ -(-|\.-)>\|{label}\| [ev]\d+)"
    )
    lines = text.splitlines()
    assert [one for one in lines if not line.fullmatch(one)] == []
    numbered = re.compile(r"#(\d+);")
    shown = numbered.sub(lambda m: chr(int(m[1])), text)
    for name in HOSTILE:
        assert f'["{name}"]' in shown or "\u202e" in name
    assert "\u202e" not in text
    assert sum("-.->" in one for one in lines) == 1


def test_control_characters(kb: Connection) -> None:
    """Names cannot have them; should one all the same, XML says so instead of breaking."""
    assert (
        value(kb, "select graphrag._xml_text(E'a\\x01\\x0b\\uffff\\t<\\n\\r')")
        == "a\ufffd\ufffd\ufffd\t&lt;\n&#13;"
    )
    assert value(kb, "select graphrag._mermaid_text(E'a\\n\\x07\\u2028b', 9)") == "a b"
    assert value(kb, "select graphrag._script_text(E'\\u2028</Script>')") == "\\u2028\\u003c/Script\\u003e"


# ---------------------------------------------------------------- which part of it
def test_around_an_entity(kb: Connection) -> None:
    assert set(names(graph(kb, entity="Link 2", max_hops=0))) == {"Link 2"}
    assert set(names(graph(kb, entity="link 2"))) == {"Link 1", "Link 2", "Link 3"}
    assert set(names(graph(kb, entity="Link 4", max_hops=5))) == {"Ann", *(f"Link {n}" for n in range(5))}
    near = graph(kb, entity="Ann", max_hops=2, entity_types=["Thing"])
    assert set(names(near)) == {"Ann", "Beta", "Link 0", "Link 1"}, "not through what is filtered out"
    assert near["graph"]["request"] == {"entity": "Ann", "max_hops": 2, "entity_types": ["Thing"]}
    refused("GR015", ("Nobody",), lambda: export(kb, "json", entity="Nobody"))


def test_as_of_and_filters(kb: Connection) -> None:
    def jobs(**named: Any) -> set[str]:
        return {o for _, p, o in triples(graph(kb, **named)) if p == "works_at"}

    assert jobs() == {"Beta"}
    assert jobs(as_of="2016") == {"Acme"}
    assert jobs(include_superseded=True) == {"Acme", "Beta"}
    assert jobs(relation_types=["met"]) == set()
    assert triples(graph(kb, include_values=False, relation_types=["revenue"])) == set()
    assert len(triples(graph(kb, relation_types=["revenue"]))) == 1


def test_what_is_left_out_is_said(kb: Connection) -> None:
    whole = graph(kb)
    with heard(kb) as said:
        part = graph(kb, max_entities=3)
    assert names(part) == names(whole)[:3]
    assert names(part)[0] == "Ann", "most facts"
    left = len(names(whole)) - 3
    assert part["graph"]["entities_left_out"] == left
    assert part["graph"]["relations_left_out"] == len(whole["edges"]) - len(part["edges"])
    assert [text for _, text in said if f"{left} of {len(names(whole))} entities" in text]
    assert f"{left} entities" in export(kb, "mermaid", max_entities=3).splitlines()[1]
    assert graph(kb, max_entities=1000)["graph"]["entities_left_out"] == 0


def test_the_past_is_exported_as_it_was(kb: Connection) -> None:
    before = graph(kb)
    watermark = str(value(kb, "select graphrag.watermark(realm => 'kb')"))
    with kb.transaction(force_rollback=True):
        say(kb, "later", "2023-01-01", fact("Ann", "works_at", "Gamma", valid_from="2023"))
        rows(kb, "delete_document", "chain", realm=REALM)
        assert graph(kb)["edges"] != before["edges"]
        past = graph(kb, as_believed_at=watermark)
        assert past["nodes"] == before["nodes"]
        assert sorted(past["edges"], key=str) == sorted(before["edges"], key=str)


def test_mistakes(kb: Connection) -> None:
    refused("GR009", ("grapml",), lambda: export(kb, "grapml"), hint="graphml")
    refused("GR009", ("csv",), lambda: export(kb, "csv"), hint="COPY")
    refused("GR009", ("max_entities 0",), lambda: export(kb, "json", max_entities=0))
    refused("GR009", ("min_confidence",), lambda: export(kb, "json", min_confidence=1e300))
    refused("GR009", ("max_hops 11",), lambda: export(kb, "json", entity="Ann", max_hops=11))


def test_an_empty_realm_and_two_spaces(kb: Connection) -> None:
    rows(kb, "create_realm", "void", "builtin:hash", width=32)
    for format_ in ("graphml", "json", "mermaid", "html"):
        assert rows(kb, "export", format_, realm="void")
    say(kb, "x", "2020-01-01", fact("Ann", "met", "Bo"), realm="void")
    extraction = Jsonb([["Ann", "met", "Cy"]])
    rows(kb, "index", "Ann met Cy.", document="y", space="other", realm="void", extraction=extraction)
    both = json.loads(rows(kb, "export", "json", realm="void", space="*")[0]["export"])
    assert sorted((n["name"], n["space"]) for n in both["nodes"]) == [
        ("Ann", "default"), ("Ann", "other"), ("Bo", "default"), ("Cy", "other"),
    ]  # fmt: skip


def test_it_only_reads(kb: Connection) -> None:
    with kb.transaction(force_rollback=True):
        sql(kb, "set transaction read only")
        assert export(kb, "html")
        assert len(sql(kb, "select * from graphrag.export_relations(realm => 'kb')")) > 10


# ---------------------------------------------------------------- the page
class Parts(HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.bodies: list[tuple[str, dict[str, str | None], str]] = []
        self._open: tuple[str, dict[str, str | None]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._open:
            self.bodies.append((*self._open, data))

    def handle_endtag(self, _tag: str) -> None:
        self._open = None


@pytest.fixture(scope="module")
def page(kb: Connection) -> str:
    return export(kb, "html")


def test_the_page_stands_alone(page: str) -> None:
    """Nothing is fetched, nothing runs but what the build put in, and the library's licence is in it."""
    parts = Parts(page)
    assert [a for _, a in parts.tags if {"src", "href", "srcset", "style"} & set(a)] == []
    assert [k for _, a in parts.tags for k in a if k.startswith("on")] == []
    assert not {tag for tag, _ in parts.tags} & {
        "img",
        "link",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "b",
    }
    scripts = [(a, text) for tag, a, text in parts.bodies if tag == "script"]
    assert [a.get("type") for a, _ in scripts] == [None, "application/json", None]
    (policy,) = [str(a["content"]) for _, a in parts.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    for attributes, text in [(a, t) for tag, a, t in parts.bodies if tag == "style"] + [
        scripts[0],
        scripts[2],
    ]:
        assert not attributes
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert "Copyright 2010-2026 Mike Bostock" in page
    assert "Permission to use, copy, modify" in page
    assert "Robert Penner" in page


def test_the_page_has_the_graph(kb: Connection, page: str) -> None:
    (text,) = [t for _, a, t in Parts(page).bodies if a.get("id") == "data"]
    assert not re.search("[<>&\u2028\u2029]", text)
    found = json.loads(text)
    assert [e["name"] for e in found["entities"]] == names(graph(kb, include_superseded=True))
    assert len(found["facts"]) == len(graph(kb, include_superseded=True)["edges"])


@needs_browser
def test_the_page_in_a_browser(kb: Connection, page: str, tmp_path: Path) -> None:
    """From a file: an entity's panel, with a superseded fact struck through, at a moment; and nobody's script."""
    file = tmp_path / "kb.html"
    file.write_text(page, encoding="utf-8")
    ann = one(kb, "select 'e' || entity as id from kb.entities where name = 'Ann'")["id"]
    shown = dump(file, f"{ann}@2016")
    parts = Parts(shown)
    assert "<title>kb · graphrag</title>" in shown
    assert "img" not in {tag for tag, _ in parts.tags}
    panel = shown[shown.index('id="panel"') : shown.index("</aside>")]
    words = re.sub(r"<(?!/?s>)[^>]*>", "", panel)
    assert re.search(r"<s>Ann works at Acme</s>2015 to 2020 · superseded by Ann works at Beta", words)
    assert "in 2016" in words
    off = re.findall(r'<li class="fact off">(.*?)</li>', panel, re.DOTALL)
    assert [re.sub("<[^>]*>", "", one)[:17] for one in off] == ["Ann works at Beta"]
    assert "“" not in words
    assert "&lt;/script&gt;&lt;script&gt;" in panel
    assert "&lt;/script&gt; &amp; co" in panel, "the document's name, as a source"
    assert "new (2022-01-01, press)" in words
    assert 'data-laid-out=""' in shown


@needs_browser
def test_a_page_of_2000_entities_is_ready_in_five_seconds_of_its_own_clock(
    conn: Connection, tmp_path: Path
) -> None:
    """Laid out, with the panel of the entity of most facts; what is left out is told."""
    size = generate.Size(entities=2200, relations=7000, width=16)
    generate.generate(conn, "large", size)
    (hub,) = sql(
        conn,
        "select 'e' || e.entity as id, e.name, count(*) as facts from large.entities as e"
        " join large.relation_version as v on e.entity in (v.subject, v.object) and v.died is null"
        " group by e.entity, e.name order by 3 desc, 1 limit 1",
    )
    file = tmp_path / "large.html"
    file.write_text(rows(conn, "export", "html", realm="large")[0]["export"], encoding="utf-8")
    (data,) = [t for _, a, t in Parts(file.read_text(encoding="utf-8")).bodies if a.get("id") == "data"]
    assert len(json.loads(data)["entities"]) == 2000
    shown = dump(file, hub["id"], milliseconds=5000)
    assert 'data-laid-out=""' in shown
    panel = shown[shown.index('id="panel"') : shown.index("</aside>")]
    assert hub["name"] in panel
    assert panel.count('<li class="fact') > 20
    assert "200 entities" in re.sub("<[^>]*>", "", shown), "how many are not shown"

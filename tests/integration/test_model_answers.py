"""What models answer in place of what they were asked for, from the request to the rows of the realm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tests.support import endpoint as faults
from tests.support.calls import refused, row, rows, set_models, state
from tests.support.database import Connection, Row, value, view
from tests.support.endpoint import Endpoint, Request, Response, is_chat, says
from tests.support.reading import PEOPLE, REALM, founders, founding, fresh, make_realm, pages

ANN = json.dumps(founding("Ann"))


@pytest.fixture
def conn(session: Connection, makes_realm: bool) -> Connection:
    return fresh(session, makes_realm)


@pytest.fixture
def model(conn: Connection, endpoint: Endpoint) -> Endpoint:
    """A realm whose chat model says what a test puts into its queue, asked once a chunk."""
    make_realm(conn, endpoint)
    rows(conn, "configure", "gleaning_passes", Jsonb(0), realm=REALM)
    return endpoint


def index(conn: Connection, *names: str, document: str = "a") -> Row:
    return row(conn, "index", pages(*names), document=document, realm=REALM)


def names(conn: Connection) -> set[str]:
    return {entity["name"] for entity in view(conn, REALM, "entities")}


def facts(conn: Connection) -> set[tuple[str, str, str]]:
    return {(f["subject"], f["predicate"], f["object"]) for f in view(conn, REALM, "facts")}


def formats(endpoint: Endpoint) -> list[str]:
    """The answer formats that were asked for, in order."""
    return [(chat.body.get("response_format") or {"type": "text"})["type"] for chat in endpoint.chats]


def entity(name: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "Person", "description": None, "aliases": [], **more}


def triple(subject: str, predicate: str, object_: str, **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, **more}


# ---------------------------------------------------------------- around the JSON
FENCE = "```"
WITH_FENCE_INSIDE = json.dumps(
    {
        "entities": [
            entity("Ann", description=f"Ann, who wrote {FENCE}json\n{{}}\n{FENCE} once"),
            entity("Acme"),
        ],
        "triples": [triple("Ann", "founded", "Acme")],
    }
)
AROUND = {
    "prose before a fence": f"Sure! Here is the JSON:\n\n{FENCE}json\n{ANN}\n{FENCE}\nLet me know.",
    "a fence without a language": f"{FENCE}\n{ANN}\n{FENCE}",
    "a fence that never closes": f"{FENCE}json\n{ANN}",
    "a fence inside a string": f"{FENCE}json\n{WITH_FENCE_INSIDE}\n{FENCE}",
    "prose with braces": f"For {{Ann}} and [1] I found: {ANN}",
    "a trailing comma": ANN[:-1].rstrip("]") + ",]}",
    "a comma after a record": ANN.replace("}]", "},]"),
    "single quotes": ANN.replace('"', "'"),
    "no quotes around keys": ANN.replace('"name"', "name").replace('"subject"', "subject"),
    "a comment": ANN.replace('"triples"', '/* facts */ "triples"'),
    "Python's constants": ANN.replace("null", "None").replace("false", "False"),
    "only a closing tag": f"Let me see. Ann founded it, so {{...}}.\n</think>\n\n{ANN}",
    "both tags": f'<think>\nMaybe {{"entities": []}}?\n</think>{ANN}',
    "two thoughts": f"<think>a</think>hm<think>b</think>{ANN}",
    "tags in capitals": f"<THINK>a</THINK>{ANN}",
    "a byte order mark": "\ufeff" + ANN,
    "in an envelope": json.dumps({"result": founding("Ann")}),
}


@pytest.mark.parametrize("content", AROUND.values(), ids=AROUND.keys())
def test_json_is_found_in_what_surrounds_it(conn: Connection, model: Endpoint, content: str) -> None:
    model.queue.append(content)
    result = index(conn, "Ann")
    assert (result["failed"], result["llm_calls"]) == (0, 1), result["failures"]
    assert facts(conn) == {("Ann", "founded", "Acme")}
    assert value(conn, "select bool_or(is_partial) from kb.chunk") is False


@pytest.mark.parametrize("content", ["[]", "{}", f"{FENCE}json\n[]\n{FENCE}", json.dumps(faults.NOTHING)])
def test_nothing_found_is_a_success(conn: Connection, model: Endpoint, content: str) -> None:
    model.queue.append(content)
    result = index(conn, "Ann")
    assert (result["failed"], result["llm_calls"], result["entities_added"]) == (0, 1, 0)
    assert value(conn, "select failure from kb.chunk") is None


# ---------------------------------------------------------------- other shapes
SHAPES = {
    "a bare list of triples": [triple("Ann", "founded", "Acme")],
    "a bare list of both": [entity("Ann"), entity("Acme"), triple("Ann", "founded", "Acme")],
    "lists of three": [["Ann", "founded", "Acme"]],
    "entity_name": {
        "entities": [{"entity_name": "Ann", "entity_type": "Person"}, {"entity": "Acme"}],
        "relationships": [{"source": "Ann", "target": "Acme", "relationship": "founded"}],
    },
    "head and tail": {
        "nodes": ["Ann", "Acme"],
        "edges": [{"head": "Ann", "tail": "Acme", "relation": "founded"}],
    },
    "objects for names": {
        "entities": [entity("Ann")],
        "triples": [{"subject": {"name": "Ann"}, "predicate": "founded", "object": {"name": "Acme"}}],
    },
}


@pytest.mark.parametrize("content", SHAPES.values(), ids=SHAPES.keys())
def test_common_shapes_are_repaired(conn: Connection, model: Endpoint, content: Any) -> None:
    model.queue.append(json.dumps(content))
    result = index(conn, "Ann")
    assert (result["failed"], result["llm_calls"]) == (0, 1), result["failures"]
    assert facts(conn) == {("Ann", "founded", "Acme")}


ECHO = {
    "type": "object",
    "properties": {"entities": {"type": "array"}, "triples": {"type": "array"}},
    "required": ["entities", "triples"],
}
NO_SHAPES = {
    "the schema itself": json.dumps(ECHO),
    "the schema in its envelope": json.dumps({"name": "graphrag_extraction", "schema": ECHO}),
    "another object": '{"answer": "Ann founded Acme."}',
    "a string": '"Ann founded Acme."',
    "a number": "42",
    "a list of strings": '["Ann", "Acme"]',
    "prose": "Ann is the founder of Acme [1].",
    "a thought without end": f"<think>{ANN}",
    "nothing after the thought": f"<think>{ANN}</think>",
}


@pytest.mark.parametrize("content", NO_SHAPES.values(), ids=NO_SHAPES.keys())
def test_what_is_no_extraction_fails_its_chunk_with_the_reason(
    conn: Connection, model: Endpoint, content: str
) -> None:
    """After it was asked for in each of the three formats."""
    model.inject(faults.content(content), where=says("Bob"))
    result = index(conn, "Ann", "Bob")
    (failure,) = result["failures"]
    assert failure["chunk"] == 2
    for mentioned in (model.url, "extraction", "scripted"):
        assert mentioned in failure["reason"]
    assert founders(conn) == {"Ann"}
    stored = value(conn, "select failure from kb.chunk where failure is not null")
    assert stored == failure["reason"]
    assert [r for r in formats(model) if r != "json_schema"] == ["json_object", "text"]


# ---------------------------------------------------------------- records
def test_nested_attributes_do_not_cost_the_record(conn: Connection, model: Endpoint) -> None:
    nested = {
        "entities": [
            entity("Ann", attributes={"born": {"year": 1980, "place": ["Paris"]}}),
            entity("Acme", description={"text": "a company"}),
        ],
        "triples": [triple("Ann", "founded", "Acme", properties={"since": {"year": 2001}})],
    }
    model.queue.append(json.dumps(nested))
    result = index(conn, "Ann")
    assert (result["failed"], result["rejected"]) == (0, {})
    assert facts(conn) == {("Ann", "founded", "Acme")}


def test_names_of_nobody_and_mr_null(conn: Connection, model: Endpoint) -> None:
    text = "Christopher Null founded Acme. Null was proud of it."
    nobody = ["", "   ", None, "null", "\u200b", 7, ["Ann"]]
    said = {
        "entities": [entity(name) for name in (*nobody, "Null", "Acme")],
        "triples": [
            triple("Null", "founded", "Acme"),
            triple("", "founded", "Acme"),
            triple("Null", "", "Acme"),
        ],
    }
    model.queue.append(json.dumps(said))
    result = row(conn, "index", text, document="a", realm=REALM)
    assert names(conn) == {"Null", "Acme"}
    assert facts(conn) == {("Null", "founded", "Acme")}
    assert sum(result["rejected"].values()) == len(nobody) + 2, result["rejected"]


@pytest.mark.parametrize("name", ["Ann (no, Bob)", "Ann? or rather Acme Ltd", "Ann -> unclear", "Zed"])
def test_deliberation_inside_a_name_is_not_in_the_text(conn: Connection, model: Endpoint, name: str) -> None:
    said = {"entities": [entity(name), entity("Acme")], "triples": [triple(name, "founded", "Acme")]}
    model.queue.append(json.dumps(said))
    result = index(conn, "Ann")
    assert names(conn) == {"Acme"}
    assert result["rejected"].get("ungrounded_name", 0) >= 1, result["rejected"]


def test_records_of_no_kind_are_counted_and_their_neighbours_kept(conn: Connection, model: Endpoint) -> None:
    said = founding("Ann")
    said["entities"] += [3, None, {"type": "Person"}, []]
    said["triples"] += [
        "Ann founded Acme",
        {"subject": "Ann"},
        triple("Ann", "founded", "Acme", confidence="high"),
    ]
    model.queue.append(json.dumps(said))
    result = index(conn, "Ann")
    assert result["failed"] == 0
    assert result["rejected"]["malformed"] == 6
    assert facts(conn) == {("Ann", "founded", "Acme")}


def test_an_owner_that_only_an_instruction_names(conn: Connection, model: Endpoint) -> None:
    """The text's own instruction is obeyed by this model; the gates let nothing in that no sentence states."""
    said = {"entities": [entity("Mallory"), entity("Acme")], "triples": [triple("Mallory", "owns", "Acme")]}
    model.queue.append(json.dumps(said))
    index(conn, "Ann")
    assert names(conn) == {"Acme"}
    assert facts(conn) == set()


@pytest.mark.parametrize("reference", [99, 0, 123456])
def test_a_citation_of_what_was_not_offered_is_left_out(
    conn: Connection, model: Endpoint, reference: int
) -> None:
    for name in PEOPLE[:5]:
        model.queue.append(json.dumps(founding(name)))
        index(conn, name, document=name)
    model.queue.append(f"Ann founded it [1], says [{reference}] too.")
    result = row(conn, "query", "Who founded Acme?", realm=REALM)
    assert result["answer"] == "Ann founded it [1], says too."
    assert [citation["reference"] for citation in result["citations"]] == [1]
    assert result["usage"]["citations_removed"] == 1


# ---------------------------------------------------------------- cut off, empty
def test_an_answer_cut_mid_string_keeps_what_is_complete(conn: Connection, model: Endpoint) -> None:
    said = founding("Ann")
    said["triples"].append(triple("Ann", "founded", "Acme Subsidiary with a long name"))
    model.on_extraction = lambda text: said if "Ann" in text else founding("Bob")
    model.inject(faults.cut(json.dumps(said).index("with a long")), where=says("Ann"))
    result = index(conn, "Ann", "Bob")
    assert (result["failed"], result["llm_calls"]) == (0, 2)
    assert facts(conn) == {("Ann", "founded", "Acme"), ("Bob", "founded", "Acme")}
    partial = "select array_agg(is_partial order by id) from kb.chunk"
    assert value(conn, partial) == [True, False]


@pytest.mark.parametrize("characters", [1, 30])
def test_an_answer_cut_before_its_first_record_is_a_failure(
    conn: Connection, model: Endpoint, characters: int
) -> None:
    model.inject(faults.cut(characters), where=says("Bob"))
    result = index(conn, "Ann", "Bob")
    (failure,) = result["failures"]
    assert "length limit" in failure["reason"]
    assert len(model.chats) == 2, "another format would be cut off too"


def test_an_empty_answer_at_the_length_limit_is_a_failure(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.empty(), where=says("Carla"))
    result = index(conn, *PEOPLE[:5])
    (failure,) = result["failures"]
    assert failure["chunk"] == 3
    assert "finish_reason length" in failure["reason"]
    assert founders(conn) == set(PEOPLE[:5]) - {"Carla"}
    assert len(model.chats) == 5


def test_only_empty_answers_store_nothing(conn: Connection, model: Endpoint) -> None:
    before = state(conn, REALM)
    model.inject(faults.empty(), where=is_chat)
    said = refused("GR107", ('"a"',), lambda: index(conn, "Ann", "Bob"))
    assert "finish_reason length" in (said.message_detail or "")
    assert state(conn, REALM) == before


def test_a_model_that_refuses_to_answer(conn: Connection, model: Endpoint) -> None:
    def declines(_: Request, response: Response) -> Response:
        message = {"role": "assistant", "content": None, "refusal": "I must not read this."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Response({**response.payload, "choices": [choice]})

    model.inject(declines, where=says("Bob"))
    (failure,) = index(conn, "Ann", "Bob")["failures"]
    assert "I must not read this." in failure["reason"]


# ---------------------------------------------------------------- three formats
def refuses(*kinds: str, status: int = 400) -> faults.Fault:
    """A server that knows nothing of these formats."""

    def apply(request: Request, response: Response) -> Response:
        kind = (request.body.get("response_format") or {}).get("type")
        if kind not in kinds:
            return response
        return faults.status(status, message=f"response_format {kind} is not supported")(request, response)

    return apply


@pytest.mark.parametrize("status", [400, 422, 501])
@pytest.mark.parametrize(
    ("refused_kinds", "asked"),
    [
        ((), ["json_schema"]),
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", "text"]),
    ],
)
def test_formats_step_down_and_the_step_is_remembered(
    conn: Connection, model: Endpoint, refused_kinds: tuple[str, ...], asked: list[str], status: int
) -> None:
    model.inject(refuses(*refused_kinds, status=status), where=is_chat)
    assert index(conn, "Ann")["failed"] == 0
    assert facts(conn) == {("Ann", "founded", "Acme")}
    assert list(dict.fromkeys(formats(model))) == asked
    model.requests.clear()
    assert index(conn, "Bob", document="b")["failed"] == 0
    assert formats(model) == asked[-1:], "what a server refused is not asked of it again"


def test_the_first_format_is_an_option(conn: Connection, model: Endpoint) -> None:
    set_models(conn, model, "extraction", realm=REALM, structured_output="text")
    assert index(conn, "Ann")["failed"] == 0
    assert formats(model) == ["text"]


def test_a_schema_that_the_model_ignores_is_asked_for_otherwise(conn: Connection, model: Endpoint) -> None:
    """One chunk's prose says nothing about the server: the next chunk is asked with the schema again."""
    model.inject(faults.content("I would rather talk."), times=1, where=is_chat)
    assert index(conn, "Ann")["failed"] == 0
    assert index(conn, "Bob", document="b")["failed"] == 0
    assert formats(model) == ["json_schema", "json_object", "json_schema"]


# ---------------------------------------------------------------- five chunks
def test_the_third_of_five_fails_and_is_listed_with_why(conn: Connection, model: Endpoint) -> None:
    model.inject(faults.status(400, message="prompt too long"), where=says("Carla"))
    result = index(conn, *PEOPLE[:5])
    (failure,) = result["failures"]
    assert (result["chunks"], result["failed"], failure["chunk"]) == (5, 1, 3)
    assert "prompt too long" in failure["reason"]
    assert founders(conn) == set(PEOPLE[:5]) - {"Carla"}
    again = index(conn, *PEOPLE[:5])
    assert (again["failed"], again["unchanged"]) == (1, 4)
    model.heal()
    assert index(conn, *PEOPLE[:5])["failed"] == 0
    assert founders(conn) == set(PEOPLE[:5])

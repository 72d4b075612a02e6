"""What models write around, inside and instead of JSON."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import json_repair
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_pl.parsing import Found, UnusableError, find_all_json, find_json, without_thoughts
from graphrag_pl.records import has_shape, read_records

EMPTY: dict[str, Any] = {"entities": [], "triples": []}
WHOLE: dict[str, Any] = {
    "entities": [
        {
            "name": "Ada",
            "type": "Person",
            "description": 'Wrote "Notes", with ``` and {braces} [in] it.',
            "aliases": [],
        },
        {"name": "Bob", "type": "Person", "description": "", "aliases": ["Robert"]},
    ],
    "triples": [
        {"subject": "Ada", "predicate": "met", "object": "Bob", "negated": False},
        {"subject": "Bob", "predicate": "left", "object": "Paris", "negated": True},
    ],
}
TEXT = json.dumps(WHOLE)


def repair(broken: str) -> Any:
    return json_repair.loads(broken, skip_json_loads=True)


def find(text: str) -> Found:
    return find_json(text, has_shape, repair)


def find_records(text: str) -> tuple[list[str], list[str], bool]:
    """Names and objects in all parts of an answer, and whether one was cut off."""
    found = find_all_json(text, has_shape, repair)
    records = [read_records(part.value) for part in found]
    names = [entity["name"] for part in records for entity in part.entities]
    objects = [triple["object"] for part in records for triple in part.triples]
    return names, objects, any(part.is_partial for part in found)


@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "  {}\n",
        "```json\n{}\n```",
        "```\n{}```",
        "Sure! Here is what I found:\n\n```json\n{}\n```\nLet me know if [you] need {{more}}.",
        "As [1] and [see below] say: {} and that is all",
        '<think>Perhaps {{"entities": []}}? No.</think>{}',
        'Perhaps {{"entities": []}}? No.\n</think>\n\n{}',
        "<think></think>\n```json\n{}\n```",
    ],
)
def test_whatever_stands_around(wrapped: str) -> None:
    assert find(wrapped.format(TEXT)) == (WHOLE, False)


@pytest.mark.parametrize(
    "broken",
    [
        TEXT.replace("]}", "],}"),
        TEXT.replace('"Bob", "type"', '"Bob",, "type"'),
        TEXT.replace("false", "False").replace("true", "True"),
        "Prose first.\n```json\n" + TEXT.replace('"negated": true}', '"negated": true,}') + "\n```",
        TEXT.replace('{"entities":', "{entities:"),
    ],
)
def test_mistakes_are_repaired(broken: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    found = find(broken)
    assert found.value["triples"] == WHOLE["triples"]
    assert found.value["entities"] == WHOLE["entities"]
    assert not found.is_partial


ENTITIES, TRIPLES = ({key: WHOLE[key]} for key in ("entities", "triples"))
NEWLINE = "\n"
LINES = NEWLINE.join(json.dumps(record) for records in WHOLE.values() for record in records)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(ENTITIES)}\n```\nand\n```json\n{json.dumps(TRIPLES)}\n```",
        f"{json.dumps(ENTITIES)}\n{json.dumps(TRIPLES)}",
        f"Entities: {json.dumps(WHOLE['entities'])}\nTriples: {json.dumps(WHOLE['triples'])[:-1]},]",
        f"No figures: []. The rest: {TEXT}",
        TEXT.replace("{", "{ // what I found\n", 1),
        json.dumps(TEXT),
        '{"entities": [], ' + TEXT[1:],
        TEXT[:-1] + ', "triples": []}',
        LINES,
        f"Here they are, one a line: [\n{LINES.replace(NEWLINE, ',' + NEWLINE)}\n]",
        f"```jsonl\n{LINES.replace('}', ',}')}\n```",
    ],
)
def test_an_answer_in_parts_loses_none(text: str) -> None:
    assert find_records(text) == (["Ada", "Bob"], ["Bob", "Paris"], False)


def test_an_answer_in_parts_the_last_cut_off() -> None:
    text = f"{json.dumps(ENTITIES)}\n{json.dumps(TRIPLES)}"
    assert find_records(text[:-40]) == (["Ada", "Bob"], ["Bob"], True)
    assert find_records(text[: text.index("triples") + 20]) == (["Ada", "Bob"], [], True)
    assert find_records(LINES[:-1]) == (["Ada", "Bob"], ["Bob"], True)


def test_an_answer_in_a_thousand_parts_loses_none() -> None:
    lines = [json.dumps({"subject": "Ada", "predicate": "met", "object": f"Bob {no}"}) for no in range(1000)]
    assert find_records("\n".join(lines)) == ([], [f"Bob {no}" for no in range(1000)], False)


@pytest.mark.parametrize("text", ["[]", "{}", '{"entities": []}', "```json\n[]\n```", "None found: []"])
def test_nothing_found_is_success(text: str) -> None:
    assert not find(text).is_partial


@pytest.mark.parametrize(
    "around",
    [
        "{} That is all: `{{}}`.",
        "Without any I would say [] or {{}}. But:\n```json\n{}\n```",
        '{{"entities": []}}\n{}',
    ],
)
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("]}", "],}")])
def test_nothing_is_not_taken_for_something_else(around: str, text: str) -> None:
    assert find(around.format(text)).value == WHOLE


@pytest.mark.parametrize("between", ["\n", "\n```\nAnd the triples:\n```json\n", "\n[] is not it.\n"])
@pytest.mark.parametrize("keys", [("entities", "triples"), ("triples", "entities")])
def test_lists_in_objects_of_their_own_are_one_answer(keys: tuple[str, str], between: str) -> None:
    first, second = (json.dumps({key: WHOLE[key]}) for key in keys)
    assert find_records(first + between + second) == (["Ada", "Bob"], ["Bob", "Paris"], False)
    assert find_records(first + between + second[:-20])[2]
    more = TEXT + between + json.dumps({"triples": [["Eve", "met", "Bob"]]})
    assert find_records(more) == (["Ada", "Bob"], ["Bob", "Paris", "Bob"], False)


@pytest.mark.parametrize("length", range(len(TEXT)))
def test_cut_anywhere_keeps_complete_items(length: int) -> None:
    """No cut gives an incomplete record, and none gives fewer than are complete."""
    cut = TEXT[:length]
    complete = [item for items in WHOLE.values() for item in items if json.dumps(item) in cut]
    if not complete:
        with pytest.raises(UnusableError):
            find(cut)
        return
    found = find(cut)
    assert [item for items in found.value.values() for item in items] == complete
    assert found.is_partial


@pytest.mark.parametrize(
    "lists", ["{}", '{{"triples": {}', '{{"entities": [{{"name": "Ada", "aliases": [["x"]]}}], "triples": {}']
)
def test_cut_lists_of_triples_keep_complete_ones(lists: str) -> None:
    found = find(lists.format('[["Ada", "met", "Bob"], ["Bob", "left"'))
    triples = found.value if isinstance(found.value, list) else found.value["triples"]
    assert triples == [["Ada", "met", "Bob"]]
    assert found.is_partial


def test_cut_inside_a_fence() -> None:
    found = find("Here:\n```json\n" + TEXT[: TEXT.index('"Bob", "predicate"') + 8])
    assert len(found.value["triples"]) == 1
    assert found.is_partial


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "<think>I wonder",
        "<think>I wonder</think>",
        "I cannot help with that.",
        "[1, 2, 3]",
        '"text"',
        "null",
        '{"error": "overloaded"}',
        '{"type": "object", "properties": {"entities": {"type": "array"}, "triples": {"type": "array"}}}',
        '{"$schema": "x", "entities": []}',
        '{"subject": "A", "predicate": "b", "aliases": []}',
        '{"name": "A", "aliases": []}',
    ],
)
def test_unusable(text: str) -> None:
    with pytest.raises(UnusableError):
        find(text)


@given(st.text(alphabet='{}[]":,ab \\\n`<>/think1', max_size=60))
def test_noise_neither_hangs_nor_crashes(text: str) -> None:
    with suppress(UnusableError):
        assert has_shape(find(text).value)


@pytest.mark.parametrize(
    "noise",
    [
        "[" * 100_000,
        "{" * 100_000,
        '{"a":' * 30_000,
        '"' * 100_001,
        '[{"' * 30_000,
        '{"a":' * 400 + "{}" + "}" * 400,
        '{"a":' * 900 + "{}" + "}" * 900,
        '{"entities": [{"name": "A", "x": ' + "[" * 400 + "]" * 400 + '}], "triples": []}',
        '{"entities": [{"name": "A", "x": ' + "[" * 900 + "]" * 900 + '}], "triples": [],}',
    ],
)
def test_pathological_nesting_is_unusable(noise: str) -> None:
    with pytest.raises(UnusableError):
        find(noise)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("answer", "answer"),
        ("<think>a</think> answer", "answer"),
        ("a</think>b</think>\nanswer", "answer"),
        ("<THINK>a", ""),
        ("not <think> at the front", "not <think> at the front"),
    ],
)
def test_thoughts(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest

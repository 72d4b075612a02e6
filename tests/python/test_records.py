"""JSON into records: bounded repair, nothing made up, every loss counted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_pl.extraction import parse_extraction
from graphrag_pl.records import Records, has_shape, merge, read_records
from graphrag_pl.text import from_json, to_json
from tests.python.fakes import FakePlpy, SqlError

TRIPLE = {"subject": "A", "predicate": "p", "object": "B"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "entities",
                    "triples",
                    "name",
                    "subject",
                    "predicate",
                    "object",
                    "aliases",
                    "confidence",
                    "x",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def entity(**fields: Any) -> dict[str, Any]:
    (found,) = read_records({"entities": [fields]}).entities
    return found


def triple(**fields: Any) -> dict[str, Any]:
    (found,) = read_records({"triples": [TRIPLE | fields]}).triples
    return found


def test_complete_records() -> None:
    assert entity(name=" Ada \n King ", type="Person", description="d", aliases=["Ada", "Ada", ""]) == {
        "name": "Ada King",
        "type": "Person",
        "description": "d",
        "aliases": ["Ada"],
        "identifiers": [],
        "metadata": {},
    }
    assert triple(negated=True, confidence=0.5, valid_from="1815", evidence="q", description="d") == {
        **TRIPLE,
        "object_is_value": False,
        "description": "d",
        "negated": True,
        "confidence": 0.5,
        "valid_from": "1815",
        "valid_to": None,
        "evidence": "q",
        "metadata": {},
    }


@pytest.mark.parametrize("key", ["name", "entity_name", "entity"])
def test_other_spellings_of_a_name(key: str) -> None:
    assert entity(**{key: "Ada"})["name"] == "Ada"


@pytest.mark.parametrize("keys", [("source", "relation", "target"), ("head", "relationship", "tail")])
def test_other_spellings_of_a_triple(keys: tuple[str, str, str]) -> None:
    found = read_records({"relationships": [dict(zip(keys, ("A", "p", "B"), strict=True))]}).triples
    assert [(t["subject"], t["predicate"], t["object"]) for t in found] == [("A", "p", "B")]


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "A"}, {"name": "B"}, TRIPLE],
        {"entities": [{"name": "A"}, {"name": "B"}], "triples": [["A", "p", "B"]]},
        {"nodes": ["A", "B"], "edges": [TRIPLE]},
        {"result": {"entities": [{"name": "A"}, {"name": "B"}], "relations": [TRIPLE]}},
        {"entities": [{"name": "A"}, {"name": "B"}], "triples": [{**TRIPLE, "subject": {"name": "A"}}]},
        {"response": {"graph": {"entities": [{"name": "A"}, {"name": "B"}], "relations": [TRIPLE]}}},
        {"entities": [{"name": "A"}], "nodes": ["B"], "triples": [], "relations": [TRIPLE]},
        [{"entities": [{"name": "A"}, {"name": "B"}], "triples": [TRIPLE]}],
        [{"entities": [{"name": "A"}]}, {"nodes": ["B"]}, {"triples": [["A", "p", "B"]]}],
    ],
)
def test_shapes_of_the_whole(value: Any) -> None:
    assert has_shape(value)
    records = read_records(value)
    assert [e["name"] for e in records.entities] == ["A", "B"]
    assert [(t["subject"], t["predicate"], t["object"]) for t in records.triples] == [("A", "p", "B")]
    assert records.malformed == 0


@pytest.mark.parametrize("record", [TRIPLE, {"triple": TRIPLE}, {"name": "A", "type": "Person"}])
def test_a_record_alone(record: Any) -> None:
    assert has_shape(record)
    records = read_records(record)
    assert (len(records.entities) + len(records.triples), records.malformed) == (1, 0)


@pytest.mark.parametrize(
    "value", [{"name": "A", "type": "Person", "entities": ["B"]}, {"entities": ["B"], **TRIPLE}]
)
def test_lists_count_before_what_stands_beside_them(value: Any) -> None:
    assert [e["name"] for e in read_records(value).entities] == ["B"]


@pytest.mark.parametrize("other", ["A p B", {"1": TRIPLE}, 5, True])
def test_what_is_no_list_in_the_place_of_one_counts(other: Any) -> None:
    records = read_records({"entities": [{"name": "A"}], "triples": other})
    assert (len(records.entities), records.malformed) == (1, 1)


@pytest.mark.parametrize("nothing", [None, [], {}, "", "none", "N/A"])
def test_no_list_where_nothing_is_to_say(nothing: Any) -> None:
    assert read_records({"entities": [{"name": "A"}], "triples": nothing}).malformed == 0


@pytest.mark.parametrize("name", ["", "  ", None, 5, ["A"], {"x": 1}, True])
def test_what_is_no_name_costs_its_record_only(name: Any) -> None:
    records = read_records(
        {"entities": [{"name": name}, {"name": "Null"}], "triples": [{**TRIPLE, "subject": name}, TRIPLE]}
    )
    assert [e["name"] for e in records.entities] == ["Null"]
    assert len(records.triples) == 1
    assert records.malformed == len(records.notes) == 2


@pytest.mark.parametrize("item", [["A", "p"], ["A", "p", None], [], 7, None, ["A", "p", "B", "C"]])
def test_what_is_no_record_costs_itself_only(item: Any) -> None:
    value = [TRIPLE, item, {"name": "A"}]
    assert has_shape(value)
    records = read_records(value)
    assert (len(records.triples), len(records.entities), records.malformed) == (1, 1, 1)


def test_the_first_of_several_types_is_the_type() -> None:
    found = entity(name="Ada", type=["Person", "Author"])
    assert (found["type"], found["metadata"]) == ("Person", {"types": ["Person", "Author"]})
    assert entity(name="Ada", type=[None, ""])["type"] is None


def test_lists_that_are_none_are_counted() -> None:
    records = read_records({"entities": {"A": {"type": "Person"}}, "triples": [TRIPLE]})
    assert (len(records.triples), records.malformed) == (1, 1)
    assert read_records({"entities": None, "triples": [TRIPLE]}).malformed == 0


@pytest.mark.parametrize(("stated", "value"), [(5, "5"), (66.5, "66.5"), (True, "true")])
def test_bare_objects_are_values(stated: Any, value: str) -> None:
    found = triple(object=stated)
    assert (found["object"], found["object_is_value"]) == (value, True)


@pytest.mark.parametrize(
    "number", ["66.50", "1e400", "-1e400", "12345678901.123456789", "1e-5", "9" * 5000, "-0"]
)
def test_numbers_stay_as_stated(number: str) -> None:
    said = f'[{{"subject": "A", "predicate": "p", "object": {number}, "extra": {number}}}]'
    (found,) = json.loads(parse_extraction(FakePlpy(), said))["triples"]
    assert (found["object"], found["object_is_value"]) == (number if number != "-0" else "0", True)
    (answered,) = read_records(from_json(said)).triples
    assert (answered["object"], answered["object_is_value"]) == (found["object"], True)
    assert json.loads(to_json(answered)) == answered


@pytest.mark.parametrize(
    "date", [None, "", "null", "None", "N/A", "unknown", "-", "present", "Ongoing", [], {}]
)
def test_dates_that_are_none(date: Any) -> None:
    assert triple(valid_from=date)["valid_from"] is None


@pytest.mark.parametrize(("date", "text"), [(2010, "2010"), (" 2010-05 ", "2010-05"), ("Q3 2021", "Q3 2021")])
def test_dates_stay_as_stated(date: Any, text: str) -> None:
    assert triple(valid_to=date)["valid_to"] == text


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("start_date", "end_date"),
        ("since", "until"),
        ("valid_since", "valid_until"),
        ("valid_at", "invalid_at"),
    ],
)
def test_periods_under_the_names_of_others(start: str, end: str) -> None:
    found = triple(**{start: "2015", end: "2019"})
    assert (found["valid_from"], found["valid_to"], found["metadata"]) == ("2015", "2019", {})


@pytest.mark.parametrize(
    ("stated", "confidence"),
    [
        (2, 1.0),
        (-1, 0.0),
        ("0.25", 0.25),
        ("high", 1.0),
        (None, 1.0),
        (True, 1.0),
        (float("nan"), 1.0),
        (10**400, 1.0),
        (-(10**400), 0.0),
    ],
)
def test_confidence_is_between_0_and_1(stated: Any, confidence: float) -> None:
    assert triple(confidence=stated)["confidence"] == confidence


@pytest.mark.parametrize(
    ("stated", "flag"), [("yes", True), ("True", True), (1, True), ("no", False), (None, False)]
)
def test_flags(stated: Any, flag: bool) -> None:
    assert triple(negated=stated)["negated"] is flag


def test_nested_attributes_are_metadata() -> None:
    attributes = {"born": {"year": 1815}, "roles": ["author"]}
    assert entity(name="Ada", attributes=attributes, rank=3)["metadata"] == {
        "attributes": attributes,
        "rank": 3,
    }


def test_unstorable_characters_are_cleaned() -> None:
    found = entity(name="A\x00da", description="\ud83dx", extra={"\x00k": float("inf")})
    assert json.loads(to_json(found)) == found
    assert (found["name"], found["description"], found["metadata"]) == ("Ada", "x", {"extra": {"k": "inf"}})


def test_merge_adds_and_fills_but_never_overwrites() -> None:
    first = read_records({"entities": [{"name": "Ada", "aliases": ["AL"]}], "triples": [TRIPLE]})
    second = read_records(
        {
            "entities": [{"name": "ADA", "type": "Person", "aliases": ["Countess"]}, {"name": "Bob"}],
            "triples": [TRIPLE | {"evidence": "q", "confidence": 0.1}, TRIPLE | {"negated": True}],
        }
    )
    merged = merge(first, second)
    assert [(e["name"], e["type"], e["aliases"]) for e in merged.entities] == [
        ("Ada", "Person", ["AL", "Countess"]),
        ("Bob", None, []),
    ]
    assert [(t["negated"], t["evidence"], t["confidence"]) for t in merged.triples] == [
        (False, "q", 1.0),
        (True, None, 1.0),
    ]
    assert first.entities[0]["type"] is None


@given(JSON)
def test_any_json_is_read_or_refused(value: Any) -> None:
    if has_shape(value):
        records = read_records(value)
        assert isinstance(records, Records)
        assert "\\u0000" not in json.dumps(records.as_json())
        for found in records.entities:
            assert found["name"].strip()
        for found in records.triples:
            assert all(found[name].strip() for name in ("subject", "predicate", "object"))
            assert 0 <= found["confidence"] <= 1


# ---------------------------------------------------------------- what a caller brings
def parsed(value: Any) -> Any:
    return json.loads(parse_extraction(FakePlpy(), json.dumps(value)))


def test_callers_extraction() -> None:
    assert parsed([TRIPLE])["triples"][0]["subject"] == "A"
    assert parsed({"triples": [TRIPLE, {"subject": "A"}]})["malformed"] == 1
    assert parsed({}) == {"entities": [], "triples": [], "malformed": 0, "notes": []}
    chunks = parsed({"chunks": [{"no": 2, "triples": [TRIPLE]}, {"no": 1, "entities": [{"name": "A"}]}]})[
        "chunks"
    ]
    assert [(c["no"], len(c["entities"]), len(c["triples"])) for c in chunks] == [(2, 0, 1), (1, 1, 0)]


@pytest.mark.parametrize(
    "value",
    [
        {"chunks": [{"no": 1, "triples": []}], "triples": ["A p B"]},
        "text",
        5,
        None,
        {"x": 1},
        [1],
        {"chunks": [{"triples": []}]},
        {"chunks": [{"no": "1"}]},
    ],
)
def test_callers_extraction_of_no_known_shape(value: Any) -> None:
    with pytest.raises(SqlError) as caught:
        parsed(value)
    assert caught.value.sqlstate == "GR009"
    assert json.dumps(value) in str(caught.value.detail)

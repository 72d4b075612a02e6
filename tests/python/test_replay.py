"""Adapters of other projects' answer formats: what a record is, and what stands around it."""

from __future__ import annotations

import pytest

from bench.replay import read_calls, read_tuples, stated_relation


def test_tuples_are_read_with_numbers_in_front_and_prose_around() -> None:
    answer = read_tuples(
        "**Entities:**\n"
        '1. ("entity"<|>"Mira Voss"<|>"person"<|>"Mira Voss is a smith (and a founder).")##\n'
        '("relationship"<|>"Mira Voss"<|>"Calder"<|>"Mira Voss founded Calder."<|>9)<|COMPLETE|>'
    )
    assert answer.entities == [
        {"name": "Mira Voss", "type": "person", "description": "Mira Voss is a smith (and a founder)."}
    ]
    assert [(t["subject"], t["predicate"], t["object"]) for t in answer.triples] == [
        ("Mira Voss", "founded", "Calder")
    ]
    assert answer.begun == 2


def test_a_tuple_without_its_fields_is_begun_but_not_read() -> None:
    answer = read_tuples('("entity"<|>"Mira Voss")##\n("entity"<|>"Calder"<|>"plant"<|>"A plant.")')
    assert answer.begun == 2
    assert [entity["name"] for entity in answer.entities] == ["Calder"]


@pytest.mark.parametrize(
    ("description", "relation"),
    [
        ("Calder is owned by Harlan since 2021.", ("Calder", "is_owned_by", "Harlan")),
        ("Harlan bought the Calder plant.", ("Harlan", "bought", "Calder")),
        ("Calder and Harlan trade with each other.", ("Calder", "trade_with", "Harlan")),
        ("Calder's smiths work there.", ("Calder", "interacts_with", "Harlan")),
    ],
)
def test_the_verb_of_a_description_is_the_predicate(description: str, relation: tuple[str, str, str]) -> None:
    assert stated_relation("Calder", "Harlan", description) == relation


def test_calls_are_found_anywhere_with_parentheses_inside() -> None:
    answer = read_calls(
        "Here they are: founded\\_by(Calder,Mira Voss), award(Calder, Prize of Linz (gold))\n"
        "cost(Calder,)\nperson(Mira Voss)"
    )
    assert [(t["subject"], t["predicate"], t["object"]) for t in answer.triples] == [
        ("Calder", "founded_by", "Mira Voss"),
        ("Calder", "award", "Prize of Linz (gold)"),
    ]
    assert "Here they are" in answer.prose[0]

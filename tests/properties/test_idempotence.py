"""Indexing what has not changed does nothing at all (property P2)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given

from tests.support.calls import row, rows, set_models, state
from tests.support.corpus import REALM, Draft, as_json, collections, index
from tests.support.database import Connection, Kept
from tests.support.endpoint import Endpoint

Spaces = Callable[[], str]
MARK = re.compile(r"Part (\d+) of (doc \d+)\.")


@pytest.fixture(scope="module")
def empty(world: Connection) -> Kept:
    """The realm before the first example: what is looked at whole must not grow with each."""
    return Kept(world, REALM)


@given(documents=collections(max_size=3))
def test_indexing_again_changes_nothing(
    world: Connection, empty: Kept, new_space: Spaces, documents: list[Draft]
) -> None:
    empty.restore()
    space = new_space()
    results = [index(world, REALM, space, draft) for draft in documents]
    before = state(world, REALM)
    for draft in documents:
        again = index(world, REALM, space, draft)
        assert again["unchanged"] == again["chunks"] == len(draft.chunks)
        assert (again["entities_added"], again["relations_added"], again["superseded"]) == (0, 0, 0)
        assert again["revision"] == results[-1]["revision"]
    assert state(world, REALM) == before


@given(documents=collections(max_size=2))
def test_indexing_again_asks_no_model(
    world: Connection, empty: Kept, new_space: Spaces, endpoint: Endpoint, documents: list[Draft]
) -> None:
    empty.restore()
    space = new_space()
    said = {
        (draft.name, no): as_json(chunk) for draft in documents for no, chunk in enumerate(draft.chunks, 1)
    }

    def answer(text: str) -> object:
        mark = MARK.search(text)
        assert mark
        return said[mark[2], int(mark[1])]

    endpoint.on_extraction = answer
    set_models(world, endpoint, realm=REALM)
    endpoint.requests.clear()
    for draft in documents:
        first = index(world, REALM, space, draft, supply=False)
        assert first["llm_calls"] == 2 * len(draft.chunks)  # each is extracted, and gleaned once
    calls, before = len(endpoint.requests), state(world, REALM)
    assert calls == 2 * sum(len(draft.chunks) for draft in documents)
    for draft in documents:
        again = index(world, REALM, space, draft, supply=False)
        assert (again["llm_calls"], again["unchanged"]) == (0, len(draft.chunks))
    assert len(endpoint.requests) == calls
    assert state(world, REALM) == before


@given(documents=collections(min_size=1, max_size=1))
def test_a_changed_paragraph_is_the_only_one_read_again(
    world: Connection, new_space: Spaces, endpoint: Endpoint, documents: list[Draft]
) -> None:
    (draft,) = documents
    space = new_space()
    set_models(world, endpoint, realm=REALM)
    rows(world, "index", draft.text, document="a", space=space, realm=REALM)
    endpoint.requests.clear()
    longer = f"{draft.text}\n\n{'A new paragraph with new words. ' * 25}".strip()
    changed = row(world, "index", longer, document="a", space=space, realm=REALM)
    assert changed["unchanged"] == len(draft.chunks)
    assert {request.text for request in endpoint.chats} == {longer.rpartition("\n\n")[2]}

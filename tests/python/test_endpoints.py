"""The server's environment as an endpoint, and errors."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from graphrag_pl import errors
from graphrag_pl.endpoints import ROLES, environment_endpoint, location
from tests.python.fakes import CALLER, FakePlpy, SqlError


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "GRAPHRAG_")):
            monkeypatch.delenv(name)


def from_environment(monkeypatch: pytest.MonkeyPatch, role: str, **variables: str) -> dict[str, Any] | None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = environment_endpoint(FakePlpy(), role)
    assert "sk-" not in (found or "")
    return json.loads(found) if found else None


@pytest.mark.parametrize("role", ROLES)
def test_no_environment_no_endpoint(monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    assert from_environment(monkeypatch, role) is None


@pytest.mark.parametrize(
    ("role", "model"), [("embedding", "text-embedding-3-small"), ("synthesis", "gpt-4.1-mini")]
)
def test_a_key_alone_means_openai(monkeypatch: pytest.MonkeyPatch, role: str, model: str) -> None:
    assert from_environment(monkeypatch, role, OPENAI_API_KEY="sk-x") == {
        "role": role,
        "base_url": "https://api.openai.com/v1",
        "model": model,
        "fallback_models": [],
        "options": {},
        "source": "environment",
    }


def test_another_server_has_no_default_models(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_environment(monkeypatch, "embedding", OPENAI_BASE_URL="http://local/v1") is None


def test_models_of_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "OPENAI_BASE_URL": "http://local/v1/",
        "GRAPHRAG_EXTRACTION_MODEL": "big",
        "GRAPHRAG_COMMUNITY_MODEL": "small",
        "GRAPHRAG_EMBEDDING_MODEL": "vectors",
    }
    found = {role: from_environment(monkeypatch, role, **variables) for role in ROLES}
    assert {role: endpoint and endpoint["model"] for role, endpoint in found.items()} == {
        "embedding": "vectors",
        "extraction": "big",
        "synthesis": "big",
        "community": "small",
        "auxiliary": "big",
        "rerank": None,
    }, "no chat model reranks unless it is named"
    assert {endpoint["base_url"] for endpoint in found.values() if endpoint} == {"http://local/v1"}
    named = from_environment(monkeypatch, "rerank", **variables, GRAPHRAG_RERANK_MODEL="cross")
    assert named
    assert named["model"] == "cross"


def test_unknown_role(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_environment(monkeypatch, "x", OPENAI_API_KEY="sk-x") is None


@pytest.mark.parametrize(
    "url", ["http://me:pw-1@host/v1", "http://host/v1?key=pw-1", "http://host/v1#pw-1", "http://pw-1@host"]
)
def test_a_url_that_holds_a_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    with pytest.raises(SqlError) as caught:
        from_environment(monkeypatch, "extraction", OPENAI_BASE_URL=url, GRAPHRAG_EXTRACTION_MODEL="m")
    assert caught.value.sqlstate == "GR009"
    assert "OPENAI_BASE_URL" in str(caught.value)
    assert "pw-1" not in f"{caught.value}{caught.value.detail}{caught.value.hint}"
    assert location(FakePlpy(), url, None, CALLER).refusal, "nor is it asked for who knows it"


def test_missing_library() -> None:
    with pytest.raises(SqlError) as caught:
        raise AssertionError(errors.library(FakePlpy(), "no_such_library"))
    assert caught.value.sqlstate == "GR201"
    assert "no_such_library" in str(caught.value)
    assert "make install" in str(caught.value.hint)
    assert "no-such-library" in str(caught.value.hint)

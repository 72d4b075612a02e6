"""Findings about libraries and endpoints, from scripted answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphrag_pl import doctor
from tests.python.fakes import Answer, FakePlpy, failed, said

URL = "http://x/v1"


class Plpy(FakePlpy):
    """Answers by the format that is asked for; others are refused."""

    def __init__(self, **by_format: Answer) -> None:
        super().__init__()
        self.by_format = by_format
        self.call = self.answer
        for role in ("embedding", "extraction"):
            self.set_endpoint(role, "builtin:hash" if role == "embedding" else URL, source="realm")

    def answer(self, request: dict[str, Any]) -> Answer:
        form = (request["body"].get("response_format") or {"type": "text"})["type"]
        return self.by_format.get(form, failed("GR102", 400, detail=f"no {form}"))


def examine(plpy: FakePlpy, width: int | None = 256) -> dict[str, dict[str, Any]]:
    found = json.loads(doctor.examine_endpoints(plpy, "kb", "model", width))
    return {finding["check"]: finding for finding in found}


@pytest.mark.parametrize(
    ("supported", "status"), [("json_schema", "ok"), ("json_object", "warning"), ("text", "warning")]
)
def test_structured_output_is_found_by_asking(supported: str, status: str) -> None:
    plpy = Plpy(**{supported: said('{"ok": true}')})
    found = examine(plpy)
    assert found["endpoint extraction"]["status"] == "ok"
    assert found["structured output"]["status"] == status
    assert supported in found["structured output"]["detail"]
    assert len(plpy.requests) == 1 + ["json_schema", "json_object", "text"].index(supported)


@pytest.mark.parametrize("text", ["", None, "<think>hm</think>"])
def test_an_answer_that_is_none(text: str | None) -> None:
    found = examine(Plpy(json_schema=said(text)))
    assert found["endpoint extraction"]["status"] == "error"
    assert "structured output" not in found


@pytest.mark.parametrize("text", ["All is well.", "{", "<think>hm</think>Yes."])
def test_an_answer_that_is_no_json(text: str | None) -> None:
    found = examine(Plpy(json_schema=said(text)))
    assert found["structured output"]["status"] == "warning"
    assert found["structured output"]["advice"]


def test_a_server_that_refuses_every_format() -> None:
    found = examine(Plpy())
    assert found["endpoint extraction"]["status"] == "error"
    assert "no text" in found["endpoint extraction"]["detail"]
    assert "structured output" not in found


@pytest.mark.parametrize(("code", "http", "status"), [("GR104", None, "warning"), ("GR104", 503, "error"),
                                                      ("GR101", None, "error"), ("GR102", 401, "error")])  # fmt: skip
def test_slow_is_a_warning_and_refused_an_error(code: str, http: int | None, status: str) -> None:
    found = examine(Plpy(json_schema=failed(code, http)))
    assert found["endpoint extraction"]["status"] == status
    assert found["endpoint extraction"]["advice"]


def test_the_deadline_is_short_whatever_the_endpoints_own() -> None:
    plpy = Plpy(json_schema=said('{"ok": true}'))
    plpy.endpoints["extraction"]["options"] = {"deadline": 600, "temperature": 0.1}
    examine(plpy)
    assert [request["deadline"] for request in plpy.requests] == [doctor.DEADLINE]
    plpy.endpoints["extraction"]["options"] = {"deadline": 1}
    examine(plpy)
    assert plpy.requests[-1]["deadline"] == 1


def test_roles_without_an_endpoint() -> None:
    plpy = Plpy()
    del plpy.endpoints["extraction"]
    found = examine(plpy)
    statuses = {check: finding["status"] for check, finding in found.items()}
    assert statuses["endpoint extraction"] == statuses["endpoint synthesis"] == "warning"
    assert statuses["endpoint community"] == statuses["endpoint auxiliary"] == "skipped"


@pytest.mark.parametrize(("width", "status"), [(256, "ok"), (255, "error"), (None, "skipped")])
def test_width(width: int | None, status: str) -> None:
    assert examine(Plpy(), width)["vector width"]["status"] == status


def test_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {f["check"]: f for f in json.loads(doctor.examine_libraries(FakePlpy()))}
    assert found["python"]["detail"].startswith("Python 3.")
    assert found["python openai"]["status"] == "ok"
    monkeypatch.setitem(__import__("sys").modules, "igraph", None)
    found = {f["check"]: f for f in json.loads(doctor.examine_libraries(FakePlpy()))}
    assert found["python igraph"]["status"] == "error"
    assert "make install" in found["python igraph"]["advice"]

"""Which endpoint serves a role, how to ask it from a realm, and where its secret is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from graphrag_pl import errors
from graphrag_pl.database import Database, OwnCaller, breathing, rows, scalar
from graphrag_pl.retry import CallError
from graphrag_pl.text import to_json

ROLES = ("embedding", "extraction", "synthesis", "community", "auxiliary", "rerank")
#: Those that a chat model serves: one for them all, unless they have their own.
CHAT_ROLES = ROLES[1:5]

_SENDABLE = re.compile("[!-~]+")
#: What set_endpoint() refuses in a URL.
_HOLDS_SECRET = re.compile("[?#]|//[^/]*@")
_OPENAI_URL = "https://api.openai.com/v1"
_OPENAI_MODELS = {"embedding": "text-embedding-3-small", "extraction": "gpt-4.1-mini"}


def normalise_url(url: str) -> str:
    """One spelling for one place: without blanks around and slashes at the end."""
    return url.strip().rstrip("/")


# ---------------------------------------------------------------- what a role is served by
@dataclass
class Endpoint:
    """An endpoint as a realm knows it: everything but the secret. docs of the options: see set_endpoint()."""

    role: str
    base_url: str
    model: str
    fallback_models: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    realm: str | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any], realm: str | None = None) -> Endpoint:
        return cls(
            value.get("role") or "embedding",
            normalise_url(value["base_url"]),
            value["model"],
            list(value.get("fallback_models") or []),
            dict(value.get("options") or {}),
            realm,
        )

    def __str__(self) -> str:
        return f"{self.role} endpoint {self.base_url} (model {self.model})"

    def deadline(self, default: float = 120.0) -> float:
        return float(self.options.get("deadline") or default)

    def request(
        self, kind: str, body: Mapping[str, Any], default_deadline: float = 120.0, spent: float = 0.0
    ) -> dict[str, Any]:
        """An element of `_call`'s argument. Option `extra` is merged into the body, for what only some
        servers know. `spent` are the seconds of the deadline that are gone already."""
        return {
            "kind": kind,
            "base_url": self.base_url,
            "models": [self.model, *self.fallback_models],
            "body": {**body, **(self.options.get("extra") or {})},
            "deadline": self.deadline(default_deadline),
            "spent": spent,
            "limit": self.options.get("concurrency"),
            "realm": self.realm,
        }

    def concurrency(self, default: int = 4) -> int:
        return int(self.options.get("concurrency") or default)


def for_role(plpy: Database, role: str) -> Endpoint:
    """The endpoint of a role in the current realm; GR010 when there is none."""
    found = rows(
        plpy,
        "select graphrag._endpoint($1)::text as endpoint, current_schema()::text as realm",
        role=("text", role),
    )[0]
    if found["endpoint"] is None:
        companion = "OPENAI_API_KEY, OPENAI_BASE_URL"
        raise errors.sql_error(
            plpy,
            errors.NO_ENDPOINT,
            f"no endpoint for the role {role}",
            f"Neither the realm nor the database has one, nor does the server's environment ({companion}).",
            f"select {call_to_set(role, found['realm'])};"
            + (" or with 'builtin:hash' as the URL to try things out." if role == "embedding" else ""),
        )
    return Endpoint.from_json(json.loads(found["endpoint"]), found["realm"])


def call_to_set(role: str, realm: str | None, model: str = "model") -> str:
    """A call of set_endpoint() as an example; `realm` None is for the database's default."""
    arguments = ", ".join(_literal(text) for text in (role, "https://api.example.com/v1", model))
    return f"graphrag.set_endpoint({arguments}, realm => {_literal(realm) if realm else 'NULL'})"


def _literal(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


def send(plpy: Database, requests: list[dict[str, Any]], concurrency: int) -> list[dict[str, Any]]:
    """Let `graphrag._call` answer the requests; same length and order. The answers come one by one, each
    quickly read."""
    scalar(plpy, "select graphrag._check_may_spend()")
    breathe = breathing(plpy)
    if isinstance(plpy, OwnCaller):
        return plpy.call(to_json(requests, breathe), concurrency)
    with as_caller(plpy):
        found = rows(
            plpy,
            "select a.answer::text from jsonb_array_elements(graphrag._call($1, $2)) with ordinality as a (answer, no)"
            " order by a.no",
            requests=("jsonb", to_json(requests, breathe)),
            concurrency=("integer", concurrency),
        )
    answers = []
    for row in found:
        breathe()
        answers.append(json.loads(row["answer"]))
    return answers


def message_of(endpoint: Endpoint, answer: Mapping[str, Any]) -> str:
    """What a failed answer of `_call` says, with role and model; the URL is in it."""
    return f"{answer['message']} (role {endpoint.role}, model {endpoint.model})"


def sql_error(plpy: Database, endpoint: Endpoint, answer: Mapping[str, Any]) -> Exception:
    """The error of a failed answer of `_call`, naming role, URL and model."""
    detail = f"{answer['detail'].rstrip('.')}. " if answer.get("detail") else ""
    return errors.sql_error(
        plpy,
        answer["code"],
        message_of(endpoint, answer),
        f"{detail}Attempts: {answer.get('attempts') or 0}.",
        hint_of(answer),
    )


def hint_of(answer: Mapping[str, Any]) -> str:
    """What to do about a failed answer of `_call`."""
    status = answer.get("status")
    if answer.get("hint"):
        return str(answer["hint"])
    if answer["code"] == errors.UNREACHABLE:
        return (
            "Check that the server runs and that this host may connect to it; set_endpoint() changes the URL."
        )
    if status in (401, 403):
        return "A superuser stores another key: graphrag.set_endpoint(…, api_key => …)."
    if status == 402:
        return "The account at the server has nothing left to spend: see to that, or set another endpoint."
    if status == 404:
        return "Check the model's name and that the base URL ends as the server expects, mostly in /v1."
    if status == 429:
        return "The server limits the rate or the quota is used up: wait, or name fallback_models."
    if answer["code"] == errors.DEADLINE:
        return "Option deadline of set_endpoint() gives a slow model more seconds."
    return "See what the server says in DETAIL; set_endpoint() changes URL, model and options."


def record_usage(
    plpy: Database,
    endpoint: Endpoint,
    answers: list[dict[str, Any]],
    document: str | None = None,
    question: str | None = None,
) -> None:
    """Note what each call cost in the realm's table `usage`, and for which document or question it was."""
    if answers:
        records = to_json(usage_records(endpoint, answers, document, question))
        scalar(plpy, "select graphrag._record_usage($1)", records=("jsonb", records))


def usage_records(
    endpoint: Endpoint,
    answers: list[dict[str, Any]],
    document: str | None = None,
    question: str | None = None,
) -> list[dict[str, Any]]:
    """What `graphrag._record_usage` takes, of answers of `_call`."""
    return [
        {
            "role": endpoint.role,
            "model": answer.get("model"),
            "document": document,
            "question": question,
            "input_tokens": answer.get("input_tokens"),
            "output_tokens": answer.get("output_tokens"),
            "latency_ms": answer.get("latency_ms"),
            "attempts": answer.get("attempts", 1),
            "failure": None if answer["ok"] else f"{answer['code']}: {answer['message']}",
        }
        for answer in answers
    ]


# ---------------------------------------------------------------- for whom `_call` is executed
#: The role for which the package is about to execute `_call` or `_open_calls`. Those run as the extension's owner and
#: cannot see who called them; and whose session it is says little: what an index, a view or a definer function
#: executes acts for its owner. SQL cannot write here.
_CALLERS: list[str] = []


@contextmanager
def as_caller(plpy: Database) -> Iterator[None]:
    """Around the statement that executes `_call` or `_open_calls`, with the rights of its caller."""
    _CALLERS.append(scalar(plpy, "select current_user::text"))
    try:
        yield
    finally:
        _CALLERS.clear()


def taken_caller(plpy: Database) -> str:
    """In `_call`: for whom it is. Raises 42501 where it is called from elsewhere than this package."""
    if _CALLERS:
        return _CALLERS.pop()
    raise errors.sql_error(
        plpy,
        errors.NO_PRIVILEGE,
        "model servers are called by functions of the extension only",
        "Who calls them is checked by their caller's rights, which cannot be told of a call from elsewhere.",
        "Use index(), retrieve() or query().",
    )


# ---------------------------------------------------------------- where secrets are: only `_call` comes here
@dataclass(frozen=True)
class Location:
    """A base URL that this server may connect to, or why it may not."""

    key: str | None = field(default=None, repr=False)
    refusal: CallError | None = None
    lacks_key: bool = False  # it should have one, but the server's environment has not


def location(plpy: Database, base_url: str, realm: str | None, caller: str) -> Location:
    """Look a base URL up, for a role and the realm whose schema is named `realm`."""
    found = rows(
        plpy,
        "select api_key, may_use from graphrag._location($1, $2, $3)",
        base_url=("text", base_url),
        realm=("text", realm),
        caller=("name", caller),
    )
    if found and found[0]["may_use"]:
        key = _secret(found[0]["api_key"])
        return replace(_with_key(key), lacks_key=found[0]["api_key"] is not None and not key)
    if base_url == _environment_url() and not _HOLDS_SECRET.search(base_url):
        return _with_key(os.environ.get("OPENAI_API_KEY"))
    return Location(refusal=_not_allowed() if found else _not_registered(base_url))


def _with_key(key: str | None) -> Location:
    """Refused here, because a library that refuses a key may quote it, in a spelling that nobody can hide."""
    if key and not _SENDABLE.fullmatch(key):
        return Location(
            refusal=CallError(
                errors.REFUSED,
                "has a key that cannot be sent",
                "A key is visible ASCII without blanks; the one stored or in the server's environment is not.",
                "Store the key itself, without line breaks and ellipses: graphrag.set_endpoint(…, api_key => …).",
                is_of_server=True,
            )
        )
    return Location(key)


def _secret(stored: str | None) -> str | None:
    """A stored key, or with `env:NAME` the server's environment variable of that name."""
    if stored is not None and stored.startswith("env:"):
        return os.environ.get(stored.removeprefix("env:"))
    return stored


def _not_registered(base_url: str) -> CallError:
    return CallError(
        errors.REFUSED,
        "is not registered in this database",
        "The server connects only to places that a superuser has registered.",
        f"A superuser registers {base_url} with INSERT INTO graphrag.endpoint_location (base_url, api_key); "
        "the key is env:NAME, or NULL where the server wants none.",
        is_of_server=True,
    )


def _not_allowed() -> CallError:
    return CallError(
        errors.REFUSED,
        "may not be used from here",
        "It is neither a default of the database nor allowed to this role or to the owner of the realm.",
        "A superuser adds the realm's owner to graphrag.endpoint_location.owners.",
        is_of_server=True,
    )


# ---------------------------------------------------------------- the server's environment
@errors.relaying
def environment_endpoint(plpy: Database, role: str) -> str | None:
    """The endpoint of a role that the server's environment names, as JSON, or None. Raises GR009 for a URL that
    may hold a secret.

    OPENAI_API_KEY, OPENAI_BASE_URL   where; the URL is OpenAI's own unless given
    GRAPHRAG_<ROLE>_MODEL             GRAPHRAG_EMBEDDING_MODEL, GRAPHRAG_EXTRACTION_MODEL and so on; chat roles
                                      fall back to the extraction model. Only OpenAI's URL has default models.
                                      A rerank model has to be named.
    """
    base_url = _environment_url()
    if base_url is None or role not in ROLES:
        return None
    if _HOLDS_SECRET.search(base_url):
        raise errors.sql_error(
            plpy,
            errors.INVALID_ARGUMENT,
            "OPENAI_BASE_URL in the server's environment has a user name, a question mark or a fragment",
            "A base URL is shown to everybody who uses it, so it is not repeated here: it may hold a secret.",
            "Put the secret into OPENAI_API_KEY, and the bare URL into OPENAI_BASE_URL; restart the server.",
        )
    named = "extraction" if role in CHAT_ROLES else role
    model = (
        os.environ.get(f"GRAPHRAG_{role.upper()}_MODEL")
        or os.environ.get(f"GRAPHRAG_{named.upper()}_MODEL")
        or (_OPENAI_MODELS.get(named) if base_url == _OPENAI_URL else None)
    )
    if model is None:
        return None
    return to_json(
        {
            "role": role,
            "base_url": base_url,
            "model": model,
            "fallback_models": [],
            "options": {},
            "source": "environment",
        }
    )


def _environment_url() -> str | None:
    base_url = os.environ.get("OPENAI_BASE_URL")
    if base_url:
        return normalise_url(base_url)
    return _OPENAI_URL if os.environ.get("OPENAI_API_KEY") else None

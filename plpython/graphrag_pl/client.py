"""One OpenAI-compatible server, through the openai package."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from types import ModuleType, TracebackType
from typing import Any, Protocol, Self

from graphrag_pl import errors
from graphrag_pl.database import Database
from graphrag_pl.retry import CallError, error_of_status

PATHS = {"chat": "/chat/completions", "embeddings": "/embeddings"}

#: The SDK insists on a key; servers without keys ignore it.
_NO_KEY = "none"


class Client(Protocol):
    """Makes single attempts; every failure is a CallError."""

    async def send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]: ...


#: Opens a client for (base URL, key or None); used as `async with` inside the event loop that it serves.
ClientFactory = Callable[[str, "str | None"], AbstractAsyncContextManager[Client]]


def openai_factory(plpy: Database) -> ClientFactory:
    """Import the openai package (GR201 if it is missing) and return the factory of its clients."""
    for name in ("pydantic", "httpx2"):  # the larger half of the import, with looks at a cancel in between
        errors.library(plpy, name)
        plpy.execute("select 1")
    openai, httpx = errors.library(plpy, "openai"), errors.library(plpy, "httpx2")
    for name in (
        "openai",
        "httpx2",
        "httpcore2",
    ):  # OPENAI_LOG=debug would write documents into the server's log
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return lambda base_url, key: OpenAIClient(openai, httpx, base_url, key)


class OpenAIClient:
    """AsyncOpenAI without its retries, its environment variables and its redirects: a key goes to the URL
    that it is stored with and nowhere else."""

    def __init__(self, openai: ModuleType, httpx: ModuleType, base_url: str, key: str | None) -> None:
        self._openai = openai
        self._httpx = httpx
        self._key = key
        omit = openai.Omit()
        self._client = openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=base_url,
            max_retries=0,
            timeout=None,  # the caller bounds the whole call
            default_headers={"OpenAI-Organization": omit, "OpenAI-Project": omit},
            http_client=httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=None),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST one request. Raises CallError; cancellation passes through."""
        try:
            response = await self._client.post(PATHS[kind], body=dict(body), cast_to=self._httpx.Response)
        except self._openai.APIStatusError as error:
            raise self._of_status(error) from None
        except self._openai.APIConnectionError as error:
            raise self._of_transport(error) from None
        except (self._httpx.HTTPError, OSError) as error:
            raise CallError(
                errors.UNREACHABLE, "broke off its answer", self._hide(error), may_retry=True
            ) from None
        except Exception as error:  # noqa: BLE001  the library's list of errors is open
            raise unexpected(error, self._key) from None
        return self._decode(response)

    def _decode(self, response: Any) -> dict[str, Any]:
        content = response.content
        if self._key:  # a server may echo what it was sent
            content = content.replace(self._key.encode(), b"[key]")
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            beginning = self._hide(response.text)[:200].strip()
            raise CallError(
                errors.ANSWER_INVALID,
                f"answered HTTP {response.status_code} without JSON",
                f"The answer begins with: {beginning}" if beginning else "The answer is empty.",
                status=response.status_code,
            ) from None
        if not isinstance(answer, dict):
            raise CallError(
                errors.ANSWER_INVALID, "answered JSON that is no object", status=response.status_code
            )
        return answer

    def _of_status(self, error: Any) -> CallError:
        body = error.body if isinstance(error.body, dict) else {}
        reason = body.get("message") or body.get("detail") or error.response.text or ""
        code = next(
            (str(body[name]) for name in ("code", "type") if body.get(name) == "insufficient_quota"),
            error.code,
        )
        return error_of_status(error.status_code, self._hide(reason), code, error.response.headers)

    def _of_transport(self, error: Any) -> CallError:
        cause = error.__cause__ or error
        if cause is not error and not isinstance(cause, (self._httpx.HTTPError, OSError)):
            return unexpected(cause, self._key)
        nobody_there = isinstance(
            cause, (self._httpx.ConnectError, self._httpx.ConnectTimeout, self._httpx.UnsupportedProtocol)
        )
        return CallError(
            errors.UNREACHABLE,
            "cannot be reached" if nobody_there else "broke off the connection",
            self._hide(f"{type(cause).__name__}: {cause}".removesuffix(": ")),
            may_retry=not isinstance(cause, self._httpx.UnsupportedProtocol),
            may_fail_over=not nobody_there,
            is_of_server=nobody_there,
        )

    def _hide(self, text: object) -> str:
        """A server may quote the key that it refuses."""
        return hide(text, self._key)


def hide(text: object, key: str | None) -> str:
    """The text with [key] in the key's place."""
    return str(text).replace(key, "[key]") if key else str(text)


def unexpected(error: BaseException, key: str | None) -> CallError:
    """What the HTTP library raises for a URL, a key or a body that it cannot send: no request would fare better."""
    return CallError(
        errors.REFUSED,
        "cannot be asked",
        hide(f"{type(error).__name__}: {error}".removesuffix(": "), key),
        "Check the URL, the key and the options with which the endpoint was set.",
    )

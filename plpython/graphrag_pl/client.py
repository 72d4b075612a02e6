"""One OpenAI-compatible server, through the openai package."""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from functools import cache
from types import ModuleType, TracebackType
from typing import Any, Protocol, Self

from graphrag_pl import errors
from graphrag_pl.database import Database
from graphrag_pl.retry import CallError, error_of_status

PATHS = {"chat": "/chat/completions", "embeddings": "/embeddings", "rerank": "/rerank"}

#: The SDK insists on a key; servers without keys ignore it.
_NO_KEY = "none"

#: Seconds to connect; the caller bounds the whole call.
_CONNECT = 10.0
#: Bytes that an answer may have, unpacked: more than any model says, and 4,000 numbers a text.
_LONGEST_ANSWER = 16 * 2**20
_LONGEST_VECTOR = 2**17
_longest_answer: ContextVar[int] = ContextVar("longest_answer", default=_LONGEST_ANSWER)


class Client(Protocol):
    """Makes single attempts; every failure is a CallError."""

    async def send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]: ...


#: Opens a client for (base URL, key or None); used as `async with` inside the event loop that it serves.
ClientFactory = Callable[[str, "str | None"], AbstractAsyncContextManager[Client]]


def openai_factory(plpy: Database) -> ClientFactory:
    """Import the openai package (GR201 if it is missing) and return the factory of its clients."""
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
            timeout=httpx.Timeout(None, connect=_CONNECT),
            default_headers={"OpenAI-Organization": omit, "OpenAI-Project": omit},
            http_client=_bounded(httpx)(
                verify=_certificates(httpx) if base_url.lower().startswith("https:") else _no_certificates(),
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(None, connect=_CONNECT),
                headers={"Accept-Encoding": "gzip, deflate"},
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def send(self, kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST one request. Raises CallError; cancellation passes through."""
        texts = body.get("input") if kind == "embeddings" else None
        _longest_answer.set(
            _LONGEST_ANSWER + _LONGEST_VECTOR * (len(texts) if isinstance(texts, list) else 1)
        )
        try:
            response = await self._client.post(PATHS[kind], body=dict(body), cast_to=self._httpx.Response)
        except CallError:
            raise
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
        return self._decode(kind, response)

    def _decode(self, kind: str, response: Any) -> dict[str, Any]:
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
        if kind == "rerank" and isinstance(answer, list):
            answer = {"results": answer}  # as text-embeddings-inference says it
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
        if isinstance(cause, self._httpx.DecodingError):
            raise CallError(
                errors.ANSWER_INVALID, "answered what cannot be unpacked", self._hide(cause)
            ) from None
        if cause is not error and not isinstance(cause, (self._httpx.HTTPError, OSError)):
            return unexpected(cause, self._key)
        nobody_there = isinstance(
            cause, (self._httpx.ConnectError, self._httpx.ConnectTimeout, self._httpx.UnsupportedProtocol)
        )
        return CallError(
            errors.UNREACHABLE,
            "cannot be reached" if nobody_there else "broke off the connection",
            self._hide(_deepest(cause)),
            may_retry=not isinstance(cause, self._httpx.UnsupportedProtocol),
            may_fail_over=not nobody_there,
            is_of_server=nobody_there,
        )

    def _hide(self, text: object) -> str:
        """A server may quote the key that it refuses."""
        return hide(text, self._key)


@cache
def _certificates(httpx: ModuleType) -> ssl.SSLContext:
    """The authorities that are trusted. To read them takes longer than many a call: once a session is enough."""
    context: ssl.SSLContext = httpx.create_ssl_context(trust_env=False)
    return context


@cache
def _no_certificates() -> ssl.SSLContext:
    """For servers without TLS, to which no redirect leads: trusts nobody."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@cache
def _bounded(httpx: ModuleType) -> Any:
    """httpx's client, but for answers without end: they are given up where nobody needs more of them."""
    base: Any = httpx.AsyncClient

    class BoundedClient(base):  # type: ignore[misc]  # known where the library is
        async def send(self, request: Any, **options: Any) -> Any:
            response = await super().send(request, **{**options, "stream": True})
            try:
                content = await _read(response)
            finally:
                await response.aclose()
            told = [
                (name, value)
                for name, value in response.headers.raw  # bytes: they may be in any encoding
                if name.lower() not in (b"content-encoding", b"content-length", b"transfer-encoding")
            ]
            return httpx.Response(response.status_code, headers=told, content=content, request=request)

    return BoundedClient


async def _read(response: Any) -> bytes:
    longest, content = _longest_answer.get(), bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > longest:
            raise CallError(
                errors.ANSWER_INVALID,
                f"answered HTTP {response.status_code} with more than {longest >> 20} MiB",
                "No answer is that long; the rest of it was not read.",
                status=response.status_code,
            )
    return bytes(content)


def _deepest(error: BaseException) -> str:
    """What the operating system says, under what libraries say about it."""
    while error.__cause__ is not None:
        error = error.__cause__
        if isinstance(error, BaseExceptionGroup):  # an attempt for each address of a host
            error = error.exceptions[-1]
    return f"{type(error).__name__}: {error}".removesuffix(": ")


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

"""A scripted OpenAI-compatible HTTP server: the tests decide what the model says, and how the network fails.

    with Endpoint() as endpoint:
        endpoint.on_extraction = lambda text: {"entities": [...], "triples": [...]}
        endpoint.inject(status(429, retry_after="1"), times=2, where=is_chat)
        ...                                  # point the extension at endpoint.url
        assert len(endpoint.chats) == 3

Every request is recorded before it is answered. A fault rewrites one answer; faults are tried in the order in
which they were injected, and the first that matches and still has a use left applies.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

FENCED = re.compile(r"<text-([0-9a-f]{8})>\n(.*)\n</text-\1>", re.DOTALL)
EVIDENCE = re.compile(r"<evidence-([0-9a-f]{8})>\n(.*)\n</evidence-\1>", re.DOTALL)
PASSAGES = re.compile(r"<passages-([0-9a-f]{8})>\n(.*)\n</passages-\1>", re.DOTALL)
COMMUNITY = re.compile(r"<community-([0-9a-f]{8})>\n(.*)\n</community-\1>", re.DOTALL)
NOTHING: dict[str, Any] = {"entities": [], "triples": []}


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Any
    at: float  # time.monotonic()

    @property
    def schema(self) -> str | None:
        """Name of the JSON schema that the request asks its answer to follow."""
        wanted = (self.body.get("response_format") or {}).get("json_schema") or {}
        name = wanted.get("name")
        return None if name is None else str(name)

    def message(self, role: str, index: int = 0) -> str:
        """Content of the index-th message of a role."""
        return str([m["content"] for m in self.body["messages"] if m["role"] == role][index])

    @property
    def text(self) -> str | None:
        """The document's text of an extraction or gleaning request; None for any other request."""
        found = FENCED.search(self.message("user"))
        return found and found[2]

    @property
    def evidence(self) -> str | None:
        """What a synthesis request offers as evidence; None for any other request."""
        found = EVIDENCE.search(self.message("user"))
        return found and found[2]

    @property
    def asks_keywords(self) -> bool:
        """Whether keywords or smaller questions are asked for, in whatever answer format."""
        first = self.body["messages"][0]
        return first["role"] == "system" and "search in a knowledge graph" in first["content"]

    @property
    def passages(self) -> list[str]:
        """What a chat model is to put into order."""
        found = PASSAGES.search(self.message("user"))
        return re.findall(r"^\[\d+\] (.*)$", found[2], re.MULTILINE) if found else []

    @property
    def community(self) -> str | None:
        """The community that a report is asked on; None for any other request."""
        found = COMMUNITY.search(self.message("user"))
        return found and found[2]


@dataclass(frozen=True)
class Response:
    """What goes back: `payload` as JSON, or `raw` bytes in its place."""

    payload: Any = None
    raw: bytes | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay: float = 0.0  # seconds before the first byte
    drip: float = 0.0  # seconds after each byte
    endless: bool = False  # the same bytes over and over, without a length
    dropped: bool = False  # close the connection and say nothing
    held: threading.Event | None = None  # say nothing until the test sets it

    @property
    def bytes(self) -> bytes:
        return self.raw if self.raw is not None else json.dumps(self.payload).encode()


Fault = Callable[[Request, Response], Response]
Condition = Callable[[Request], bool]


# ---------------------------------------------------------------- which requests a fault is for
def is_any(_: Request) -> bool:
    return True


def is_chat(request: Request) -> bool:
    return request.path.endswith("/chat/completions")


def is_embedding(request: Request) -> bool:
    return request.path.endswith("/embeddings")


def is_keywords(request: Request) -> bool:
    return is_chat(request) and request.asks_keywords


def is_rerank(request: Request) -> bool:
    return request.path.endswith("/rerank")


def is_report(request: Request) -> bool:
    return is_chat(request) and request.community is not None


def says(fragment: str) -> Condition:
    """Chat requests whose document text holds the fragment."""
    return lambda request: is_chat(request) and fragment in (request.text or "")


# ---------------------------------------------------------------- faults of the network
def slow(seconds: float) -> Fault:
    return lambda _, response: replace(response, delay=seconds)


def drip(seconds: float) -> Fault:
    """A byte at a time: each read succeeds, the whole call does not end."""
    return lambda _, response: replace(response, drip=seconds)


def drop() -> Fault:
    return lambda _, response: replace(response, dropped=True)


def held(release: threading.Event) -> Fault:
    """An answer that waits for the test: a condition where a sleep would be a guess."""
    return lambda _, response: replace(response, held=release)


def status(code: int, retry_after: str | None = None, message: str = "scripted failure") -> Fault:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    payload = {"error": {"message": message, "type": "scripted", "code": code}}
    return lambda *_: Response(payload, status=code, headers=headers)


def html() -> Fault:
    """A proxy's page in place of an answer, with status 200."""
    page = b"<!doctype html><title>Welcome</title><p>Please log in."
    return lambda *_: Response(raw=page, content_type="text/html")


def truncated() -> Fault:
    """A complete HTTP body that ends in the middle of its JSON."""
    return lambda _, response: replace(response, raw=response.bytes[: len(response.bytes) // 2])


def without_usage() -> Fault:
    return lambda _, response: replace(
        response, payload={key: value for key, value in response.payload.items() if key != "usage"}
    )


# ---------------------------------------------------------------- faults of a chat model
def _with_choice(response: Response, content: str | None, finish_reason: str) -> Response:
    choice = response.payload["choices"][0]
    choice = {**choice, "message": {**choice["message"], "content": content}, "finish_reason": finish_reason}
    return replace(response, payload={**response.payload, "choices": [choice]})


def content(text: str) -> Fault:
    """Exactly this content, whatever the script would have said."""
    return lambda _, response: _with_choice(response, text, "stop")


def cut(characters: int) -> Fault:
    """The answer ended at its token limit after so many characters."""

    def apply(_: Request, response: Response) -> Response:
        whole = response.payload["choices"][0]["message"]["content"]
        return _with_choice(response, whole[:characters], "length")

    return apply


def empty() -> Fault:
    """A model that spent its whole budget on thinking."""
    return lambda _, response: _with_choice(response, "", "length")


def only_plain_text() -> Fault:
    """An endpoint that refuses response_format altogether."""

    def apply(request: Request, response: Response) -> Response:
        if "response_format" not in request.body:
            return response
        return status(400, message="response_format is not supported")(request, response)

    return apply


# ---------------------------------------------------------------- faults of an embedding model
def _with_data(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Fault:
    return lambda _, response: replace(
        response, payload={**response.payload, "data": change(response.payload["data"])}
    )


def fewer_vectors(count: int) -> Fault:
    return _with_data(lambda data: data[:count])


def shuffled() -> Fault:
    """Every vector under its right `index`, the list in reverse."""
    return _with_data(lambda data: data[::-1])


def filled(value: float) -> Fault:
    """Every component the same: 0 for a zero vector, nan or inf for one that is no vector at all."""
    return _with_data(lambda data: [{**row, "embedding": [value] * len(row["embedding"])} for row in data])


def other_width(width: int) -> Fault:
    return _with_data(lambda data: [{**row, "embedding": [1.0] * width} for row in data])


def base64_refused() -> Fault:
    def apply(request: Request, response: Response) -> Response:
        if request.body.get("encoding_format") == "float":
            return response
        return status(400, message="encoding_format must be float")(request, response)

    return apply


# ---------------------------------------------------------------- the server
@dataclass
class _Planned:
    fault: Fault
    where: Condition
    left: int | None  # None: for ever


class Endpoint:
    """The server and its script. `url` is the base URL to configure; a context manager stops it."""

    def __init__(self, width: int = 32) -> None:
        self.width = width
        self.on_extraction: Callable[[str], Any] = lambda _: NOTHING
        self.on_gleaning: Callable[[str], Any] = lambda _: NOTHING
        self.on_synthesis: Callable[[Request], str] = lambda _: "The evidence does not say."
        self.on_report: Callable[[str], Any] = plain_report
        self.on_keywords: Callable[[Request], Any] = lambda _: {"low": [], "high": [], "questions": []}
        self.on_ranking: Callable[[list[str]], Any] = lambda passages: {
            "ranking": list(range(1, len(passages) + 1))
        }
        self.on_rerank: Callable[[Request], Any] = in_given_order
        self.on_other: Callable[[Request], Any] = lambda _: {}
        self.queue: deque[str] = deque()  # contents of the next chat answers, before any script
        self.requests: list[Request] = []
        self.most_at_once = 0  # requests that were on their way at one time
        self._on_their_way = 0
        self._faults: list[_Planned] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[Request]:
        return [request for request in list(self.requests) if is_chat(request)]

    @property
    def asked_keywords(self) -> list[Request]:
        return [request for request in list(self.requests) if is_keywords(request)]

    @property
    def reranks(self) -> list[Request]:
        return [request for request in list(self.requests) if is_rerank(request)]

    @property
    def embeddings(self) -> list[Request]:
        return [request for request in list(self.requests) if is_embedding(request)]

    def inject(self, fault: Fault, times: int | None = None, where: Condition = is_any) -> None:
        """Apply the fault to the next `times` matching requests; None: to all of them."""
        with self._changed:
            self._faults.append(_Planned(fault, where, times))

    def heal(self) -> None:
        with self._changed:
            self._faults.clear()

    def wait_for(self, count: int, where: Condition = is_any, timeout: float = 10.0) -> None:
        """Block until so many matching requests have arrived."""

        def arrived() -> int:
            return sum(map(where, self.requests))

        with self._changed:
            if not self._changed.wait_for(lambda: arrived() >= count, timeout):
                raise TimeoutError(f"{arrived()} of {count} requests after {timeout} s")

    # ------------------------------------------------------------ answering
    def respond(self, request: Request) -> Response:
        """Record the request and say what goes back."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            fault = self._next_fault(request)
        if is_chat(request):
            response = Response(self._chat(request))
        elif is_embedding(request):
            response = Response(self._embed(request))
        elif is_rerank(request):
            response = Response(self.on_rerank(request))
        else:
            response = Response({"error": {"message": f"no such path {request.path}"}}, status=404)
        return fault(request, response) if fault else response

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While a request is on its way."""
        with self._changed:
            self._on_their_way += 1
            self.most_at_once = max(self.most_at_once, self._on_their_way)
        try:
            yield
        finally:
            with self._changed:
                self._on_their_way -= 1

    def _next_fault(self, request: Request) -> Fault | None:
        for planned in self._faults:
            if planned.left != 0 and planned.where(request):
                if planned.left is not None:
                    planned.left -= 1
                return planned.fault
        return None

    def _chat(self, request: Request) -> dict[str, Any]:
        answer = self._script(request)
        answer = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return {
            "id": f"chat-{len(self.requests)}",
            "object": "chat.completion",
            "created": 0,
            "model": request.body["model"],
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": answer}, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }

    def _script(self, request: Request) -> Any:
        if self.queue:
            return self.queue.popleft()
        if request.text is not None:
            gleaning = any(message["role"] == "assistant" for message in request.body["messages"])
            return self.on_gleaning(request.text) if gleaning else self.on_extraction(request.text)
        if request.community is not None:
            return self.on_report(request.community)
        if request.asks_keywords:
            return self.on_keywords(request)
        if request.passages:
            return self.on_ranking(request.passages)
        if request.evidence is not None or "response_format" not in request.body:
            return self.on_synthesis(request)
        return self.on_other(request)

    def _embed(self, request: Request) -> dict[str, Any]:
        texts = request.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        width = request.body.get("dimensions") or self.width
        data = [
            {"object": "embedding", "index": index, "embedding": hashed_vector(text, width)}
            for index, text in enumerate(texts)
        ]
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": request.body["model"], "data": data, "usage": usage}

    def pause(self, response: Response) -> None:
        """Wait as the response says, unless the server is being stopped."""
        if response.held is not None:
            while not response.held.wait(0.05) and not self._closing.is_set():
                pass
        self._closing.wait(response.delay)

    def trickle(self) -> Callable[[float], bool]:
        return self._closing.wait


def in_given_order(request: Request) -> Any:
    """What a rerank server says that likes the passages as they come."""
    count = len(request.body["documents"])
    results = [{"index": n, "relevance_score": 1 - n / count} for n in range(count)]
    return {"results": results[: request.body["top_n"]], "usage": {"total_tokens": 10 * count}}


def plain_report(community: str) -> dict[str, Any]:
    """A report that says what the community's lines say."""
    lines = [line[2:] for line in community.splitlines() if line.startswith("- ")]
    relations = [line for line in lines if line.startswith("(")]
    return {
        "title": lines[0].partition(":")[0],
        "summary": f"{len(lines) - len(relations)} parts and {len(relations)} relations.",
        "rating": min(10, len(relations)),
        "findings": [
            {"summary": line, "explanation": "It is said so.", "relations": [number]}
            for number, line in enumerate(relations[:3], 1)
        ],
    }


def hashed_vector(text: str, width: int) -> list[float]:
    """A vector that depends on the words of the text only: shared words make texts similar. Never zero."""
    vector = [0.0] * width
    vector[0] = 0.1
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4]) % width] += 1.0 if digest[4] & 1 else -1.0
    return vector


class _Server(ThreadingHTTPServer):
    request_queue_size = 256  # the default of 5 stalls a burst of connections for a second
    daemon_threads = True
    block_on_close = False

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what several tests are about: nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one packet

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.endpoint.counted():
            self._answer(headers, body)

    def _answer(self, headers: Mapping[str, str], body: Any) -> None:
        endpoint = self.server.endpoint
        response = endpoint.respond(Request(self.path, headers, body, time.monotonic()))
        endpoint.pause(response)
        if response.dropped:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(response, endpoint.trickle())

    def _send(self, response: Response, wait: Callable[[float], bool]) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", response.content_type)
        if response.endless:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(response.bytes)))
        self.end_headers()
        while response.endless and not wait(0):
            self.wfile.write(response.bytes)  # until the client closes
        if not response.drip:
            self.wfile.write(response.bytes)
            return
        for byte in response.bytes:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if wait(response.drip):
                return

    def log_message(self, *_: Any) -> None:
        """The record is `endpoint.requests`."""


# ---------------------------------------------------------------- places where nobody answers
def refused_url() -> str:
    """A base URL on this machine where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def unresolvable_url() -> str:
    """A base URL whose host name can never resolve (RFC 6761)."""
    return "http://nowhere.invalid/v1"

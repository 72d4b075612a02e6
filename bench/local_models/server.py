"""OpenAI-compatible HTTP around the embeddings and the rules, on 127.0.0.1 only.

    python -m local_models.server --port 18384 --url-file STATE/models.url

Takes the first free port from ``--port`` on, and writes its base URL to the file once it answers.
"""

from __future__ import annotations

import argparse
import base64
import errno
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from . import chat, embeddings
from .chat import BadRequest
from .rules import Parser
from .urls import write_url

_MAX_BODY = 64 * 2**20
_MAX_INPUTS = 2048
_PORTS_TRIED = 100


class _Refused(Exception):
    """An error answer in OpenAI's shape."""

    def __init__(self, status: int, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.param = status, code, param


class Server(ThreadingHTTPServer):
    """A burst of connections waits instead of being reset."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, port: int, embedder: embeddings.Embedder, parser: Parser) -> None:
        self.embedder, self.parser = embedder, parser
        super().__init__(("127.0.0.1", port), Handler)


class Handler(BaseHTTPRequestHandler):
    """One connection; kept open between requests."""

    protocol_version = "HTTP/1.1"
    server_version = "graphrag-local-models"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        self._answer({"/health": self._health, "/v1/models": self._models})

    def do_POST(self) -> None:
        self._answer({"/v1/embeddings": self._embeddings, "/v1/chat/completions": self._chat})

    def _answer(self, routes: Mapping[str, Callable[[], dict[str, Any]]]) -> None:
        try:
            route = routes.get(self.path.partition("?")[0].rstrip("/"))
            if route is None:
                raise _Refused(404, f"no such path for {self.command}: {self.path}", "not_found")
            self._send(200, route())
        except BadRequest as error:
            self._send_error(_Refused(400, str(error), "invalid_value", error.param))
        except _Refused as error:
            self._send_error(error)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception as error:  # noqa: BLE001 - one bad request must not end the server
            self.log_error("%s", repr(error))
            self._send_error(_Refused(500, f"{type(error).__name__}: {error}", "internal_error"))

    # -- routes --

    def _health(self) -> dict[str, Any]:
        return {"status": "ok", "models": [embeddings.MODEL, chat.MODEL]}

    def _models(self) -> dict[str, Any]:
        models = [
            {"id": model, "object": "model", "owned_by": "local"} for model in (embeddings.MODEL, chat.MODEL)
        ]
        return {"object": "list", "data": models}

    def _embeddings(self) -> dict[str, Any]:
        body = self._body(embeddings.MODEL)
        texts, encoding = _embedding_request(body)
        vectors, tokens = self.server.embedder.embed(texts)
        encode = (lambda row: base64.b64encode(row.tobytes()).decode()) if encoding == "base64" else _floats
        data = [
            {"object": "embedding", "index": place, "embedding": encode(row)}
            for place, row in enumerate(vectors)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": embeddings.MODEL, "data": data, "usage": usage}

    def _chat(self) -> dict[str, Any]:
        body = self._body(chat.MODEL)
        content, prompt = chat.reply(body, self.server.parser)
        read, written = (self.server.embedder.count(text) for text in (prompt, content))
        message = {"role": "assistant", "content": content, "refusal": None}
        return {
            "id": "chatcmpl-" + hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()[:24],
            "object": "chat.completion",
            "created": int(time.time()),
            "model": chat.MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        }

    # -- HTTP --

    def _body(self, model: str) -> dict[str, Any]:
        """The JSON object of a request that asks for ``model``."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _MAX_BODY:
            self.close_connection = True
            raise _Refused(
                413 if length.isdigit() else 411, f"the body needs a Content-Length of at most {_MAX_BODY}"
            )
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError as error:
            raise _Refused(400, f"the body is not JSON: {error}", "invalid_json") from None
        if not isinstance(body, dict):
            raise _Refused(400, "the body must be a JSON object", "invalid_json")
        if body.get("model") != model:
            asked = body.get("model")
            raise _Refused(
                404,
                f"the model {asked!r} does not exist here; this path serves {model!r}",
                "model_not_found",
                "model",
            )
        return body

    def _send(self, status: int, answer: Mapping[str, Any]) -> None:
        content = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _send_error(self, error: _Refused) -> None:
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        answer = {"message": str(error), "type": kind, "param": error.param, "code": error.code}
        self._send(error.status, {"error": answer})

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Errors of the HTTP layer (an unknown method, a malformed line) in the same shape."""
        self.close_connection = True
        self._send_error(_Refused(code, message or explain or "bad request"))

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Only failures are logged: a request's text is nobody's business."""
        if int(code) >= 400:
            super().log_request(code, size)


def _embedding_request(body: Mapping[str, Any]) -> tuple[list[str], str]:
    """(texts, encoding); raises BadRequest."""
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise BadRequest(
            "input must be a non-empty string or a list of them; token ids are not read", "input"
        )
    if len(texts) > _MAX_INPUTS:
        raise BadRequest(f"at most {_MAX_INPUTS} inputs a request, not {len(texts)}", "input")
    if body.get("dimensions", embeddings.DIMENSIONS) not in (embeddings.DIMENSIONS, None):
        raise BadRequest(
            f"{embeddings.MODEL} gives {embeddings.DIMENSIONS} dimensions and no others", "dimensions"
        )
    encoding = body.get("encoding_format", "float")
    if encoding not in ("float", "base64"):
        raise BadRequest(f"encoding_format must be float or base64, not {encoding!r}", "encoding_format")
    return texts, encoding


def _floats(row: Any) -> list[float]:
    numbers: list[float] = row.tolist()
    return numbers


def _listen(first: int) -> Server:
    """On the first free port from ``first`` on; the models load before, so a server that listens answers."""
    embedder, parser = embeddings.Embedder(), Parser()
    for port in range(first, first + _PORTS_TRIED):
        try:
            return Server(port, embedder, parser)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise SystemExit(f"no free port from {first} to {first + _PORTS_TRIED - 1}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--port", type=int, default=18384)
    arguments.add_argument("--url-file", type=Path, required=True)
    options = arguments.parse_args()
    server = _listen(options.port)
    write_url(options.url_file, server.server_address[1])
    server.serve_forever()


if __name__ == "__main__":
    main()

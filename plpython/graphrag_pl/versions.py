"""What is installed beside the extension."""

from __future__ import annotations

import importlib.metadata
import platform

from graphrag_pl.text import to_json

_DISTRIBUTIONS = {
    "openai": "openai",
    "igraph": "igraph",
    "leidenalg": "leidenalg",
    "json_repair": "json-repair",
}


def python_versions() -> str:
    """JSON object: interpreter and libraries with their versions, null where one is missing."""
    return to_json(
        {"python": platform.python_version()} | {n: _version(d) for n, d in _DISTRIBUTIONS.items()}
    )


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None

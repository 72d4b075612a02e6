"""Errors that carry an SQLSTATE of the extension, a DETAIL and a HINT."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Concatenate, ParamSpec, TypeVar

from graphrag_pl import loader
from graphrag_pl.database import Breathe, Database, breathing

NO_ENDPOINT = "GR010"
INVALID_ARGUMENT = "GR009"
SPLITTER_FAILED = "GR017"
INSIDE_TRANSACTION = "GR040"
NO_PRIVILEGE = "42501"
UNREACHABLE = "GR101"
REFUSED = "GR102"
ANSWER_INVALID = "GR103"
DEADLINE = "GR104"
WIDTH_MISMATCH = "GR105"
INVALID_VECTOR = "GR106"
MISSING_LIBRARY = "GR201"
CLUSTERING_FAILED = "GR203"

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound=Database)

#: What PL/Python puts in front of the messages of sql_error().
_PREFIX = "graphrag: "

#: Everything PL/Python looks for on an error; an attribute that is absent would confuse it.
_FIELDS = (
    "detail",
    "hint",
    "sqlstate",
    "schema_name",
    "table_name",
    "column_name",
    "datatype_name",
    "constraint_name",
)


def sql_error(plpy: Database, sqlstate: str, message: str, detail: str, hint: str) -> Exception:
    """An error to raise, which PL/Python turns into an SQL error.

    PL/Python puts the exception's type in front of its message; a type of this name makes that prefix
    "graphrag: " where plpy.error() would make it "plpy.Error: ".
    """
    error: Exception = type("graphrag", (plpy.Error,), {"__module__": "builtins"})(message)
    for name in _FIELDS:
        setattr(error, name, None)
    vars(error).update(sqlstate=sqlstate, detail=detail, hint=hint)
    return error


def sqlstate_of(error: BaseException) -> str | None:
    """The SQLSTATE of an error that SQL raised, or this package; None of any other. Of codes that PL/Python does
    not know, such as the extension's own, it only passes on PostgreSQL's number: five characters of six bits."""
    known = getattr(error, "sqlstate", None)
    packed = getattr(error, "spidata", None)
    if known or not packed:
        return known
    return "".join(chr((packed[0] >> 6 * place & 0x3F) + ord("0")) for place in range(5))


def message_of(error: BaseException) -> str:
    """The message of an error that SQL raised, or this package, without PL/Python's prefix."""
    return str(error).removeprefix(_PREFIX)


def detail_of(error: BaseException) -> str | None:
    """The DETAIL of an error that SQL raised, or this package."""
    packed = getattr(error, "spidata", None)
    return packed[1] if packed else getattr(error, "detail", None)


def relaying(function: Callable[Concatenate[D, P], R]) -> Callable[Concatenate[D, P], R]:
    """For what SQL calls: an error that SQL raised inside goes out as it was, with no name of a Python class before it
    but the package's own."""

    @wraps(function)
    def call(plpy: D, /, *arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(plpy, *arguments, **named)
        except Exception as error:
            packed = getattr(error, "spidata", None)
            if not packed:
                raise
            known = sql_error(plpy, sqlstate_of(error) or "XX000", message_of(error), packed[1], packed[2])
            vars(known).update(zip(_FIELDS[3:], packed[5:], strict=False))
            raise known from error

    return call


def library(plpy: Database, name: str) -> ModuleType:
    """Import a third-party library on first use; one that is missing or broken is GR201 with the remedy."""
    try:
        with _looking_up(plpy):
            return importlib.import_module(name)
    except ImportError as error:
        python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
        directory = loader.library_directory()
        raise sql_error(
            plpy,
            MISSING_LIBRARY,
            f'the Python library "{name}" cannot be loaded in the server',
            f"{error}. The server looks for it in {directory or 'its own sys.path'}.",
            f"Run make install in the extension's source directory, or: {python} -m pip install"
            f" --target {directory or 'DIRECTORY'} {name.replace('_', '-')}",
        ) from error


class _LookUp:
    """Finds nothing, but is asked before each module that an import needs: there a cancel is seen. The modules
    that were complete by then stay; the others are imported anew by the next call."""

    def __init__(self, breathe: Breathe) -> None:
        self._breathe = breathe

    def find_spec(self, *_: object) -> None:
        self._breathe()


@contextmanager
def _looking_up(plpy: Database) -> Iterator[None]:
    """A large library takes longer to import than a cancel may take."""
    finder = _LookUp(breathing(plpy))
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)

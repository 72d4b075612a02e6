"""Make the package importable from the sources that the extension script carries.

`graphrag._load_python()` executes this file first and calls install(). From then on `import graphrag_pl.x`
is answered by a finder from a dictionary: no file of the package is read from disk, so the code that runs
is the code of the installed extension version.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import linecache
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

PACKAGE = "graphrag_pl"

_library: str | None = None


def library_directory() -> str | None:
    """The directory of the third-party libraries, or None outside a server."""
    return _library


class EmbeddedFinder:
    """Serves modules from `sources` (module name to text), with lines for tracebacks.

    A finder and loader by its methods: to import the classes of importlib.abc would load a dozen modules first."""

    def __init__(self, sources: Mapping[str, str], version: str) -> None:
        self.sources = sources
        self.version = version

    def file_name(self, name: str) -> str:
        return f"<graphrag {self.version}: {name}>"

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.sources:
            return None
        is_package = any(name.startswith(fullname + ".") for name in self.sources)
        return ModuleSpec(fullname, self, origin=self.file_name(fullname), is_package=is_package)

    def create_module(self, _spec: ModuleSpec) -> None:
        """The usual module."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        source, file = self.sources[name], self.file_name(name)
        module.__file__ = file
        # mtime None: linecache.checkcache() leaves an entry alone that has no file to compare with
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), vars(module))  # noqa: S102  what a loader does


def add_library(directory: str) -> None:
    """Put the third-party directory behind the standard library but before the distribution's own packages,
    whose versions of the same libraries may be too old."""
    if directory in sys.path:
        return
    site = (i for i, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages")))
    sys.path.insert(next(site, len(sys.path)), directory)


def install(sources: Mapping[str, str], version: str, directory: str) -> None:
    """Serve this version's modules from now on and forget those of any other."""
    add_library(directory)
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if type(finder).__name__ != EmbeddedFinder.__name__
    ]
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
    sys.meta_path.insert(0, EmbeddedFinder(sources, version))
    vars(importlib.import_module(f"{PACKAGE}.loader"))["_library"] = directory

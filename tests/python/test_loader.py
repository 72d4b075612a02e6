"""The package served from embedded sources, as in the server: in a fresh interpreter, because it changes
sys.modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from extension.build import ROOT, python_modules

TAG = str(sys.implementation.cache_tag)
SCRIPT = f"""
import sys, types, traceback
def load(sources, version, directory):
    loader = types.ModuleType("graphrag_pl.loader")
    exec(compile(sources["graphrag_pl.loader"], "loader", "exec"), vars(loader))
    loader.install(sources, version, directory)
sources = {python_modules(ROOT / "plpython" / "graphrag_pl")}
"""


def run(code: str, *arguments: str) -> str:
    """Run code in an isolated interpreter without the package's directory on its path."""
    command = [sys.executable, "-I", "-", *arguments]
    return subprocess.run(command, input=SCRIPT + code, capture_output=True, check=True, text=True).stdout


def test_modules_come_from_the_sources() -> None:
    code = """
load(sources, "1", "/nowhere")
from graphrag_pl.splitting import split
import graphrag_pl
print(split("Some text.")[0].body, graphrag_pl.__file__, graphrag_pl.loader.library_directory())
"""
    assert run(code) == f"Some text. <graphrag 1: graphrag_pl> /nowhere/{TAG}\n"


def test_tracebacks_show_lines() -> None:
    code = """
sources["graphrag_pl.broken"] = "def f():\\n    return 1 / 0  # here\\n"
load(sources, "1", "/nowhere")
from graphrag_pl.broken import f
try:
    f()
except ZeroDivisionError:
    print(traceback.format_exc())
"""
    output = run(code)
    assert "<graphrag 1: graphrag_pl.broken>" in output
    assert "return 1 / 0  # here" in output


def test_another_version_replaces_all_modules() -> None:
    code = """
sources["graphrag_pl.answer"] = "value = 1"
load(sources, "1", "/nowhere")
from graphrag_pl import answer
load(sources | {"graphrag_pl.answer": "value = 2"}, "2", "/nowhere")
from graphrag_pl.answer import value
finders = [f for f in sys.meta_path if type(f).__name__ == "EmbeddedFinder"]
print(value, len(finders), sys.path.count("/nowhere/" + sys.implementation.cache_tag))
"""
    assert run(code) == "2 1 1\n"


def test_unknown_modules_are_not_found() -> None:
    code = """
load(sources, "1", "/nowhere")
try:
    import graphrag_pl.nothing
except ModuleNotFoundError as error:
    print(error)
"""
    assert run(code) == "No module named 'graphrag_pl.nothing'\n"


def test_libraries_stand_behind_the_standard_library_and_before_the_distributions(tmp_path: Path) -> None:
    (tmp_path / TAG).mkdir()
    (tmp_path / TAG / "json.py").write_text("raise SystemExit('shadowed the standard library')")
    code = """
sys.path[:] = [p for p in sys.path if "-packages" not in p] + ["/usr/lib/python3/dist-packages"]
load(sources, "1", sys.argv[1])
import json
print(sys.path[-2:] == [sys.argv[2], "/usr/lib/python3/dist-packages"])
"""
    assert run(code, str(tmp_path), str(tmp_path / TAG)) == "True\n"

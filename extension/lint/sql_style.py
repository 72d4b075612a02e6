#!/usr/bin/env python3
"""Check the house style of SQL, and the labels of functions, with PostgreSQL's own scanner and parser.

    sql_style.py FILE...            layout and the case of keywords, inside function bodies too
    sql_style.py --labels SCRIPT    every function of the script says its volatility and parallel safety

No formatter is used: those that know PL/pgSQL rewrite bodies and comments, the others leave bodies alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from pglast import ast, parse_sql, parser
from pglast.enums import FunctionParameterMode

MAX_COLUMNS = 120
# A line that is one string or the last of a COMMENT ON cannot be made shorter without cutting the string.
ONE_STRING = re.compile(r"\s*(comment on .*|\S+ (=>?|:=) )?\'.*\'[,;)]*$")
BODY = re.compile(r"(\$\w*\$)(.*)\1", re.DOTALL)
DIRECTIVE = re.compile(r"\{\{.*?\}\}")
NOT_SQL = re.compile(r"language\s+plpython3u|\$(python|py|plpython)\$", re.IGNORECASE)


def layout(text: str) -> Iterator[tuple[int, str]]:
    """Line number and complaint for each breach of the layout rules."""
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "trailing white space"
        if len(line) > MAX_COLUMNS and not ONE_STRING.match(line):
            yield number, f"{len(line)} columns, {MAX_COLUMNS} at most"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield text.count("\n") + 1, "a file ends with one newline"


def shouted_keywords(text: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """Line number and complaint for each keyword that is not in lower case, in bodies too."""
    for token in parser.scan(text):
        word = text[token.start : token.end + 1]
        line = first_line + text.count("\n", 0, token.start)
        if token.kind != "NO_KEYWORD" and word != word.lower():
            yield line, f"keyword {word} in lower case, please"
        body = BODY.fullmatch(word) if token.name == "SCONST" else None
        if body and not NOT_SQL.match(word):
            yield from shouted_keywords(body[2], line)


def check_style(path: Path) -> Iterator[str]:
    """Complaints about one file, each with its place."""
    text = path.read_text(encoding="utf-8")
    scannable = DIRECTIVE.sub("", text)
    if re.search(r"language\s+plpython3u", text):  # its body is Python's business
        scannable = BODY.sub("''", scannable)
    for line, complaint in [*layout(text), *shouted_keywords(scannable)]:
        yield f"{path}:{line}: {complaint}"


def check_labels(path: Path) -> Iterator[str]:
    """Complaints about functions whose labels are left to the defaults."""
    text = path.read_text(encoding="utf-8")
    script = "\n".join("" if line.startswith("\\") else line for line in text.split("\n"))
    for statement in parse_sql(script):
        create = statement.stmt
        if not isinstance(create, ast.CreateFunctionStmt) or create.is_procedure:
            continue
        given = {option.defname for option in create.options or ()}
        missing = sorted({"volatility", "parallel"} - given)
        if missing:
            name = ".".join(part.sval for part in create.funcname)
            inputs = (FunctionParameterMode.FUNC_PARAM_OUT, FunctionParameterMode.FUNC_PARAM_TABLE)
            count = sum(parameter.mode not in inputs for parameter in create.parameters or ())
            yield f"{path}: function {name} with {count} arguments does not say its {' and '.join(missing)}"


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--labels"]:
        complaints = [c for name in arguments[1:] for c in check_labels(Path(name))]
    else:
        complaints = [c for name in arguments for c in check_style(Path(name))]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

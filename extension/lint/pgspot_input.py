#!/usr/bin/env python3
"""Print extension scripts as pgspot can read them: without the functions whose body is BEGIN ATOMIC.

pgspot 0.9 stops at them. They have nothing to check: their names are bound when the extension is created.

    pgspot_input.py SCRIPT... | pgspot ...
"""

from __future__ import annotations

import sys
from pathlib import Path

from pglast import ast, parse_sql


def readable(script: str) -> str:
    """The script without psql's commands and without functions that have an SQL-standard body."""
    text = "\n".join("" if line.startswith("\\") else line for line in script.split("\n"))
    kept = []
    for statement in parse_sql(text):
        create = statement.stmt
        if isinstance(create, ast.CreateFunctionStmt) and create.sql_body is not None:
            continue
        start = statement.stmt_location
        kept.append(text[start : start + statement.stmt_len].strip())
    return ";\n".join(kept) + ";\n"


if __name__ == "__main__":
    for script in sys.argv[1:]:
        print(readable(Path(script).read_text(encoding="utf-8")))

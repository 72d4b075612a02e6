#!/usr/bin/env python3
"""Print extension scripts as pgspot can read them: functions whose body is BEGIN ATOMIC without that body.

pgspot 0.9 stops at them. They have nothing to check: their names are bound when the extension is created. That they
are there it must know: an update may replace them.

    pgspot_input.py SCRIPT... | pgspot ...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pglast import ast, parse_sql


def readable(script: str) -> str:
    """The script without psql's commands and without SQL-standard bodies."""
    text = "\n".join("" if line.startswith("\\") else line for line in script.split("\n"))
    kept = []
    for statement in parse_sql(text):
        start = statement.stmt_location
        kept.append(text[start : start + statement.stmt_len].strip())
        if isinstance(statement.stmt, ast.CreateFunctionStmt) and statement.stmt.sql_body is not None:
            head = re.split(r"\b(?:begin\s+atomic|return)\b", kept[-1], maxsplit=1, flags=re.IGNORECASE)[0]
            kept[-1] = head + "as 'select null'"
    return ";\n".join(kept) + ";\n"


if __name__ == "__main__":
    for script in sys.argv[1:]:
        print(readable(Path(script).read_text(encoding="utf-8")))

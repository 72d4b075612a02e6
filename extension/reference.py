"""What docs/reference.md says of the catalogue: signatures, and what each thing is, from its COMMENT.

`make reference` writes them anew; a test says whether they are up to date. The rest of the page is written by hand.
"""

from __future__ import annotations

import os
import re
import textwrap
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import tuple_row

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"
BEGIN = "<!-- from the catalogue, by `make reference`: do not edit -->"
END = "<!-- end -->"
REALM = "reference_of_a_realm"
WIDTH = 120

Connection = psycopg.Connection[Any]

FUNCTIONS = """
select
    p.proname,
    pg_get_function_arguments(p.oid),
    case when p.prokind = 'p' then '' else pg_get_function_result(p.oid) end,
    obj_description(p.oid, 'pg_proc')
from pg_proc as p
where p.pronamespace = 'graphrag'::regnamespace and not starts_with(p.proname, '_')
order by p.proname collate "C"
"""
#: Views of a realm, or tables of `graphrag`.
RELATIONS = """
select c.relname, obj_description(c.oid, 'pg_class')
from pg_class as c
where c.relnamespace = %s::regnamespace and c.relkind = %s and not starts_with(c.relname, '_')
order by c.relname collate "C"
"""
#: What public functions return.
TYPES = """
select t.typname, obj_description(t.oid, 'pg_type')
from pg_type as t
where t.typnamespace = 'graphrag'::regnamespace
    and t.typtype = 'c'
    and not starts_with(t.typname, '_')
    and exists (select from pg_proc as p where p.prorettype = t.oid and not starts_with(p.proname, '_'))
order by t.typname collate "C"
"""


def page(conn: Connection, text: str) -> str:
    """The page as the catalogue has it; `conn` is a superuser's in a database with the extension."""
    cursor = conn.cursor(row_factory=tuple_row)
    functions = cursor.execute(FUNCTIONS).fetchall()
    types = cursor.execute(TYPES).fetchall()
    tables = cursor.execute(RELATIONS, ["graphrag", "r"]).fetchall()
    with conn.transaction(force_rollback=True):
        cursor.execute("set local client_min_messages = warning")
        cursor.execute("select graphrag.create_realm(%s, 'builtin:hash', width => 8)", [REALM])
        views = cursor.execute(RELATIONS, [REALM, "v"]).fetchall()
    for name, arguments, result, _ in functions:
        shown = signature(name, arguments, result).replace("\\", r"\\")
        text, found = re.subn(rf"(?m)(?<=^### {name}\n\n)(?:    .*\n)+", shown, text)
        if found != 1:
            raise SystemExit(f"docs/reference.md has no entry with a signature for {name}: write it")
    lines = [BEGIN, "", "| function | |", "|---|---|"]
    lines += [f"| [`{name}`](#{name}) | {comment} |" for name, *_, comment in functions]
    for what, there in (("view of a realm", views), ("type", types), ("table", tables)):
        lines += ["", f"| {what} | |", "|---|---|"]
        lines += [f"| {linked(name, text)} | {comment or ''} |" for name, comment in there]
    block = "\n".join([*lines, "", END])
    text, found = re.subn(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: block, text, flags=re.DOTALL)
    if found != 1:
        raise SystemExit("docs/reference.md has lost the place of the catalogue")
    return text


def linked(name: str, text: str) -> str:
    return f"[`{name}`](#{name})" if re.search(rf"^### {name}$", text, re.MULTILINE) else f"`{name}`"


def signature(name: str, arguments: str, result: str) -> str:
    """As the page shows it: the inputs with their defaults, and what comes back."""
    inputs = []
    outputs = [argument[4:] for argument in split(arguments) if argument.startswith("OUT ")]
    if len(outputs) > 1:
        result = f"TABLE({', '.join(outputs)})" if result.startswith("SETOF ") else f"({', '.join(outputs)})"
    for argument in split(arguments):
        if not argument.startswith("OUT "):
            shown = re.sub(r"^IN ", "", argument)
            inputs.append(re.sub(r" DEFAULT (.*?)(::[\w\[\] ]+)?$", r" = \1", brief(shown)))
    head = f"    {name}("
    # An argument is not broken: its blanks are no places to break a line at.
    kept = ", ".join(inputs).replace(" ", "\0").replace(",\0", ", ")
    lines = textwrap.wrap(head + kept + ")", WIDTH, subsequent_indent=" " * len(head), drop_whitespace=True)
    lines[0] = head + lines[0].lstrip()[len(head.lstrip()) :] if lines else head + ")"
    if result:
        back = "→ " + returned(result)
        if len(lines[-1]) + 1 + len(back.replace("\0", " ")) <= WIDTH:
            lines[-1] += " " + back
        else:
            lines += textwrap.wrap(
                back, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * (9 + back.find("("))
            )
    return "".join(line.replace("\0", " ") + "\n" for line in lines)


def returned(result: str) -> str:
    columns = re.fullmatch(r"(?:TABLE)?\((.*)\)", result)
    if columns:
        kept = brief(columns[1]).replace(" ", "\0").replace(",\0", ", ").replace('"', "")
        return f"{'table ' if result.startswith('TABLE') else ''}({kept})"
    return brief(result.replace("SETOF ", "setof "))


def brief(text: str) -> str:
    text = text.replace("timestamp with time zone", "timestamptz")
    return re.sub(r"\bgraphrag\.(?=[a-z])", "", text)


def split(arguments: str) -> list[str]:
    """The arguments of a list whose defaults may have commas in quotes."""
    return [part for part in re.split(r", (?=(?:IN |OUT |INOUT |VARIADIC )?\w+ [a-z])", arguments) if part]


def main() -> None:
    with psycopg.connect(os.environ["GRAPHRAG_DSN"], autocommit=True) as conn:
        conn.execute("set client_min_messages = warning")
        with conn.transaction(force_rollback=True):
            conn.execute("create extension if not exists graphrag cascade")
            made = page(conn, PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(made, encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()

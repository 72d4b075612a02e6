"""The update script: what brings an installed release to the present version, made of the two install scripts.

The two are compared statement by statement: what keeps its arguments and its result is replaced in place, so that
grants and users' views stay; see update_script().
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"--[^\n]*|'(?:[^']|'')*'|(\$\w*\$).*?\1|\"[^\"]*\"|[;(),]|\bbegin\s+atomic\b|\bend\b|\bcase\b", re.DOTALL
)
OBJECT = re.compile(r"create (function|procedure|aggregate|type|table|trigger) (\w+(?:\.\w+)?)")
ROUTINES = ("function", "procedure", "aggregate")


class UpdateError(Exception):
    """The scripts differ in a way that has to be said in extension/updates/; the message names the object."""


def statements(script: str) -> list[str]:
    """The statements of an extension script, without the comments before them."""
    found, start, atomic = [], script.index("\\quit\n") + len("\\quit\n"), 0
    for token in TOKEN.finditer(script, start):
        word = token[0]
        if word.startswith("begin") or (atomic and word == "case"):
            atomic += 1
        elif atomic and word == "end":
            atomic -= 1
        elif word == ";" and not atomic:
            found.append(re.sub(r"\A(?:\s|--[^\n]*\n)*", "", script[start : token.end()]))
            start = token.end()
    return found


def arguments_of(statement: str) -> tuple[list[str], str]:
    """What stands between the first parenthesis of a statement and its partner, cut at commas; and the rest."""
    parts, depth, start = [], 0, statement.index("(") + 1
    for token in TOKEN.finditer(statement, start - 1):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if (token[0] == "," and depth == 1) or depth == 0:
            parts.append(" ".join(re.sub(r"--[^\n]*", "", statement[start : token.start()]).split()))
            start = token.end()
        if depth == 0:
            break
    return [part for part in parts if part], statement[start:]


@dataclass(frozen=True)
class Object:
    """A function, procedure, aggregate, type, table or trigger of a script."""

    statement: str
    kind: str
    name: str
    parts: tuple[str, ...]  # arguments without defaults, or attributes
    has_default: tuple[bool, ...]
    result: str
    bound: str  # what follows its name and PostgreSQL resolves when it is created: all but a body in quotes

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from others of its kind."""
        parts = self.parts if self.kind in ROUTINES else ()
        return (self.kind, self.name, *parts)

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(self.parts)})"


def object_of(statement: str) -> Object | None:
    """The object that a statement creates, if it creates one of those with a name."""
    made = OBJECT.match(statement)
    if not made:
        return None
    parts, rest = arguments_of(statement) if made[1] != "trigger" else ([], "")
    names = [re.split(r" (?:default|=) ", part)[0] for part in parts]
    returns = re.match(r"\s*returns\s+(.*?)\s+language\b", rest, re.DOTALL)
    return Object(
        statement=statement,
        kind=made[1],
        name=made[2],
        parts=tuple(names if made[1] in ROUTINES else parts),
        has_default=tuple(name != part for name, part in zip(names, parts, strict=True)),
        result=" ".join(returns[1].split()) if returns else "",
        bound=re.sub(r"(\$\w*\$).*?\1", "", statement[made.end() :], flags=re.DOTALL),
    )


def objects(script: str) -> dict[tuple[str, ...], Object]:
    return {found.key: found for found in map(object_of, statements(script)) if found}


def fits(old: Object, new: Object) -> bool:
    """Whether `old` becomes `new` without being dropped, so that what depends on it and its grants stay."""
    if old.kind == "type":
        return new.parts[: len(old.parts)] == old.parts
    keeps_defaults = all(
        now or not before for before, now in zip(old.has_default, new.has_default, strict=True)
    )
    return old.result == new.result and keeps_defaults


def dropped(old: dict[tuple[str, ...], Object], new: dict[tuple[str, ...], Object]) -> list[Object]:
    """Routines and types that go, or have to be made anew, with those that are bound to one of them."""
    left = [found for found in old.values() if found.kind in (*ROUTINES, "type")]
    gone = [found for found in left if found.key not in new or not fits(found, new[found.key])]
    more = gone
    while more:
        left = [found for found in left if found not in more]
        names = re.compile("|".join(rf"\b{re.escape(found.name)}\b" for found in more))
        more = [found for found in left if names.search(found.bound)]
        gone = gone + more
    return gone


def updated(statement: str, old: dict[tuple[str, ...], Object], by_hand: str, again: set[Object]) -> str:
    """What an update does in place of one statement of the new script; nothing if the old one has done it."""
    made = object_of(statement)
    if made is None:
        return statement
    before = old.get(made.key)
    if made.kind == "table" and before:
        if before.statement != statement and f"alter table {made.name}" not in by_hand:
            raise UpdateError(f"table {made.name} has changed: alter it in extension/updates/")
        return ""
    if made.kind == "type" and before and before not in again:
        return "".join(
            f"alter type {made.name} add attribute {part};\n" for part in made.parts[len(before.parts) :]
        ).rstrip()
    if made.kind == "trigger" or (made.kind in ROUTINES and before and before not in again):
        return statement.replace("create ", "create or replace ", 1)
    if made.kind in ROUTINES:
        return f"{statement}\nrevoke all on routine {made.signature} from public;"
    return statement


def update_script(
    extension: str, old_version: str, old_script: str, new_version: str, new_script: str, by_hand: str
) -> str:
    """The update from one version's install script to another's, which leaves what installing the new one does.

    Routines that keep their arguments and result are replaced in place, types with more attributes are altered: so
    grants on them, and what users have built on them, stay. Others are dropped first, which PostgreSQL refuses while
    something of a user's depends on them. Tables that carry the extension's own words are filled anew. What is said
    of all functions at once is said of new ones only: in an extension script it would make the grants that a user
    has given part of the extension, and pg_dump would leave them out.
    """
    old, new = objects(old_script), objects(new_script)
    for found in old.values():
        if (
            found.kind in ("table", "trigger")
            and found.key not in new
            and f"drop {found.kind} " not in by_hand
        ):
            raise UpdateError(f"{found.kind} {found.name} is gone: drop it in extension/updates/")
    gone = dropped(old, new)
    done = set(statements(old_script))
    parts = [
        f"-- {extension} {old_version} to {new_version}. Generated by extension/build.py: do not edit.\n"
        f"\\echo Use \"ALTER EXTENSION {extension} UPDATE TO '{new_version}'\" to load this file. \\quit",
        by_hand.strip(),
    ]
    for kind, kinds in (("routine", ROUTINES), ("type", ("type",))):
        names = [
            found.signature if kind == "routine" else found.name for found in gone if found.kind in kinds
        ]
        parts.append(f"drop {kind} {', '.join(names)};" if names else "")
    filled: set[str] = set()
    for statement in statements(new_script):
        verb = statement.split(None, 1)[0]
        if verb not in ("create", "comment", "insert", "revoke", "select"):
            raise UpdateError(f"an update does not know what to do about: {statement[:60]}")
        if verb in ("revoke", "select") and (statement in done or " on all " in statement):
            continue
        table = statement.split()[2] if verb == "insert" else ""
        if table and table not in filled:
            filled.add(table)
            parts.append(f"delete from {table};")  # noqa: S608  a name of the script's own
        parts.append(updated(statement, old, by_hand, set(gone)))
    return "\n\n".join(part for part in parts if part) + "\n"

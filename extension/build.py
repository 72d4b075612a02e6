#!/usr/bin/env python3
"""Build the extension script: one SQL file out of sql/, with the Python package embedded.

    build.py                                      write extension/graphrag--VERSION.sql and the update from the
                                                  release before it (both committed)
    build.py --check                              fail if those files are not what the sources give, or if a
                                                  frozen one has changed
    build.py --freeze                             note VERSION as released: its scripts never change again
    build.py --output DIR --python-library PATH   also write installable copies of it and of the frozen
                                                  scripts of earlier versions to DIR, and META.json
    build.py --tle --python-library PATH          also write extension/graphrag--VERSION.tle.sql for pg_tle
    build.py --dist DIR                           write DIR/graphrag-VERSION.zip as PGXN wants it

Order: the areas sql/NN_name/ by number, the files of an area by name, then the files directly in sql/.
Only an area's own files are concatenated; files in its subfolders are there to be included.

What is released stands in extension/frozen.sha256, oldest first, and stays as it is. The update script is made of
the released script and the present one (see update_script()); what a machine cannot know, above all how a table of
the extension changes, stands in extension/updates/OLD--NEW.sql and is done first.

Directives in SQL files:
    @VERSION@            the version in graphrag.control, its only home
    @PYTHON_LIBRARY@     the directory of the third-party Python packages. It stays a token in the committed
                         script, and becomes a path in the installable copies: fixed when the extension is
                         installed, because a path that a session could set would run that session's code
    {{file:PATH}}        the text of PATH (relative to the including file) as it is, directives included
    {{sha256:PATH}}      the base64 of the SHA-256 of what {{file:PATH}} gives, for a page's security policy
    {{python_modules}}   plpython/graphrag_pl as a Python literal on one line: {module name: source}. On one
                         line, because PL/Python indents every line of a function body, strings included
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = "graphrag"
FROZEN = ROOT / "extension" / "frozen.sha256"
PYTHON_LIBRARY_TOKEN = "@PYTHON_LIBRARY@"
DIRECTIVE = re.compile(
    r"\{\{(?:file:(?P<file>[^}]+)|sha256:(?P<hashed>[^}]+)|(?P<modules>python_modules))\}\}"
)


class BuildError(Exception):
    """A source is not as the build expects it; the message names the file."""


def control_value(name: str) -> str:
    """The quoted value of one setting of graphrag.control."""
    control = (ROOT / f"{EXTENSION}.control").read_text(encoding="utf-8")
    found = re.search(rf"^{name} = '(.*)'$", control, re.MULTILINE)
    if not found:
        raise BuildError(f"graphrag.control: no setting {name} = '...'")
    return found[1]


def python_modules(package: Path) -> str:
    """`package` and its subpackages as the literal of a dict from module name to source, on one line.

    `$` and `@` are escaped, so that no dollar quote around the literal can end inside it, and no token in
    a Python source is taken for one of this script or of CREATE EXTENSION.
    """
    items = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        source = ascii(path.read_text(encoding="utf-8"))
        items.append(f"'{name}': " + source.replace("$", r"\x24").replace("@", r"\x40"))
    if not items:
        raise BuildError(f"{package}: no Python modules")
    return "{" + ", ".join(items) + "}"


def expand(path: Path, including: tuple[Path, ...] = ()) -> str:
    """The text of one SQL source with its directives (except the tokens) carried out."""
    if path in including:
        raise BuildError(f"{path}: includes itself")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BuildError(f"{including[-1]}: no file {path} to include") from error

    def directive(match: re.Match[str]) -> str:
        if match["modules"]:
            return python_modules(ROOT / "plpython" / f"{EXTENSION}_pl")
        included = expand((path.parent / (match["file"] or match["hashed"])).resolve(), (*including, path))
        text = included.rstrip("\n")
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() if match["hashed"] else text

    return DIRECTIVE.sub(directive, text)


def sources() -> list[Path]:
    """The SQL files that make up the script, in order."""
    areas = sorted(path for path in (ROOT / "sql").iterdir() if path.is_dir())
    return [file for area in [*areas, ROOT / "sql"] for file in sorted(area.glob("*.sql"))]


def build_script(version: str) -> str:
    """The whole extension script, with @PYTHON_LIBRARY@ left in.

    CREATE EXTENSION itself turns check_function_bodies off, so the order of functions does not matter
    as long as their bodies are strings.
    """
    head = (
        f"-- {EXTENSION} {version}. Generated by extension/build.py from sql/ and plpython/: do not edit.\n"
        f'\\echo Use "CREATE EXTENSION {EXTENSION}" to load this file. \\quit\n'
    )
    parts = [f"\n-- {path.relative_to(ROOT)}\n\n{expand(path).strip()}\n" for path in sources()]
    return "".join([head, *parts]).replace("@VERSION@", version)


# ---------------------------------------------------------------- updates
TOKEN = re.compile(
    r"--[^\n]*|'(?:[^']|'')*'|(\$\w*\$).*?\1|\"[^\"]*\"|[;(),]|\bbegin\s+atomic\b|\bend\b|\bcase\b", re.DOTALL
)
OBJECT = re.compile(r"create (function|procedure|aggregate|type|table|trigger) (\w+(?:\.\w+)?)")
ROUTINES = ("function", "procedure", "aggregate")


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
            raise BuildError(f"table {made.name} has changed: alter it in extension/updates/")
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


def update_script(old_version: str, old_script: str, new_version: str, new_script: str, by_hand: str) -> str:
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
            raise BuildError(f"{found.kind} {found.name} is gone: drop it in extension/updates/")
    gone = dropped(old, new)
    done = set(statements(old_script))
    parts = [
        f"-- {EXTENSION} {old_version} to {new_version}. Generated by extension/build.py: do not edit.\n"
        f"\\echo Use \"ALTER EXTENSION {EXTENSION} UPDATE TO '{new_version}'\" to load this file. \\quit",
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
            raise BuildError(f"an update does not know what to do about: {statement[:60]}")
        if verb in ("revoke", "select") and (statement in done or " on all " in statement):
            continue
        table = statement.split()[2] if verb == "insert" else ""
        if table and table not in filled:
            filled.add(table)
            parts.append(f"delete from {table};")  # noqa: S608  a name of the script's own
        parts.append(updated(statement, old, by_hand, set(gone)))
    return "\n\n".join(part for part in parts if part) + "\n"


def releases() -> dict[str, str]:
    """The frozen scripts, oldest first: name and SHA-256."""
    if not FROZEN.exists():
        return {}
    return {
        name: known
        for known, name in (line.split() for line in FROZEN.read_text(encoding="ascii").splitlines())
    }


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_frozen() -> None:
    """Raise if a released script is not as it was released."""
    for name, known in releases().items():
        path = ROOT / "extension" / name
        if not path.exists() or sha256(path) != known:
            raise BuildError(f"extension/{name} has changed, but is released: raise default_version")


def previous_version(version: str) -> str | None:
    """The newest release other than `version`."""
    installs = [re.fullmatch(rf"{EXTENSION}--([^-]+)\.sql", name) for name in releases()]
    versions = [found[1] for found in installs if found and found[1] != version]
    return versions[-1] if versions else None


def generated(version: str) -> dict[Path, str]:
    """The scripts that are made of the present sources."""
    script = build_script(version)
    made = {ROOT / "extension" / f"{EXTENSION}--{version}.sql": script}
    if previous := previous_version(version):
        path = ROOT / "extension" / f"{EXTENSION}--{previous}.sql"
        by_hand = ROOT / "extension" / "updates" / f"{previous}--{version}.sql"
        made[ROOT / "extension" / f"{EXTENSION}--{previous}--{version}.sql"] = update_script(
            previous,
            path.read_text(encoding="utf-8"),
            version,
            script,
            by_hand.read_text(encoding="utf-8") if by_hand.exists() else "",
        )
    return made


def freeze(scripts: list[Path]) -> None:
    """Note scripts as released."""
    known = releases()
    lines = [f"{sha256(path)}  {path.name}\n" for path in scripts if path.name not in known]
    with FROZEN.open("a", encoding="ascii") as file:
        file.writelines(lines)


# ---------------------------------------------------------------- what is written
def located(script: str, python_library: str) -> str:
    """`script` for a server that has the third-party Python packages in the directory `python_library`."""
    if not re.fullmatch(r"/[\w./+-]+", python_library):
        raise BuildError(f"the path {python_library!r} cannot stand in SQL and Python strings unquoted")
    return script.replace(PYTHON_LIBRARY_TOKEN, python_library)


def write_if_changed(path: Path, text: str) -> None:
    """Write a file, but leave one alone that is as it should be, and its time stamp with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def committed_scripts() -> list[Path]:
    """The scripts in extension/: the current version's, frozen ones and the update paths between them."""
    return [p for p in sorted((ROOT / "extension").glob(f"{EXTENSION}--*.sql")) if ".tle." not in p.name]


def dollar_quote(text: str) -> str:
    """`text` as a dollar-quoted SQL literal, with a tag that does not occur in it."""
    number = 0
    while f"$tle{number}$" in text:
        number += 1
    return f"$tle{number}${text}$tle{number}$"


def tle_script(version: str, python_library: str) -> str:
    """One script that registers the current version and all update paths with pg_tle. A second run changes nothing.

    pg_tle knows no fixed schema: the script makes it, and says how to create the extension in it.
    """
    needed = [name.strip() for name in control_value("requires").split(",")]
    requires = ", ".join(f"'{name}'" for name in needed)
    comment = control_value("comment").replace("'", "''")
    parts = [
        f"-- Registers {EXTENSION} {version} with pg_tle. Run it as a superuser, then:\n"
        + "".join(f"--     CREATE EXTENSION IF NOT EXISTS {name};\n" for name in needed)
        + f"--     CREATE EXTENSION {EXTENSION} SCHEMA {EXTENSION};\n"
        f"-- or, where an older version is: ALTER EXTENSION {EXTENSION} UPDATE;\n"
        f"-- Its Python packages are expected in {python_library}\n"
        f"create schema if not exists {EXTENSION};\n"
    ]
    for path in committed_scripts():
        text = dollar_quote(located(path.read_text(encoding="utf-8"), python_library))
        match path.stem.split("--")[1:]:
            case [target] if target == version:
                parts.append(
                    f"""select case
    when exists (select from pgtle.available_extensions() as e where e.name = '{EXTENSION}')
    then pgtle.install_extension_version_sql('{EXTENSION}', s.version, s.script)
    else pgtle.install_extension('{EXTENSION}', s.version, '{comment}', s.script, array[{requires}])
end
from (values ('{version}', {text})) as s (version, script)
where not exists (
    select from pgtle.available_extension_versions() as v where v.name = '{EXTENSION}' and v.version = s.version
);
"""  # noqa: S608  a script of our own, without input from outside
                )
            case [old, new]:
                parts.append(
                    f"""select pgtle.install_update_path('{EXTENSION}', '{old}', '{new}', {text})
where not exists (
    select from pgtle.extension_update_paths('{EXTENSION}') as p where p.path = '{old}--{new}'
);
"""  # noqa: S608  likewise
                )
    return "".join([*parts, f"select pgtle.set_default_version('{EXTENSION}', '{version}');\n"])


def write_dist(directory: Path, version: str) -> Path:
    """Zip the committed files, and META.json, under graphrag-VERSION/; equal sources give equal bytes."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = sorted({*listing.stdout.decode().split("\0"), "META.json"} - {""})
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{EXTENSION}-{version}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            member = zipfile.ZipInfo(f"{EXTENSION}-{version}/{name}", (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = ((ROOT / name).stat().st_mode & 0o777) << 16
            archive.writestr(member, (ROOT / name).read_bytes())
    return target


def keep(path: Path, script: str, *, check_only: bool) -> None:
    """Write a generated script, or raise if it has to be what it is and is not."""
    if (check_only or path.name in releases()) and (
        not path.exists() or path.read_text(encoding="utf-8") != script
    ):
        remedy = "run make, and commit it" if check_only else "it is released: raise default_version"
        raise BuildError(f"{path.relative_to(ROOT)} is stale: {remedy}")
    write_if_changed(path, script)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Build the extension script.")
    parser.add_argument(
        "--check", action="store_true", help="fail if a committed script is stale or was frozen"
    )
    parser.add_argument("--freeze", action="store_true", help="note this version's scripts as released")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where installable scripts go")
    parser.add_argument("--python-library", metavar="PATH", help="where the server finds Python packages")
    parser.add_argument("--tle", action="store_true", help="write the script for pg_tle")
    parser.add_argument("--dist", type=Path, metavar="DIR", help="where the PGXN archive goes")
    arguments = parser.parse_args()
    if (arguments.output or arguments.tle) and not arguments.python_library:
        parser.error("--output and --tle need --python-library")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    version = control_value("default_version")
    check_frozen()
    scripts = generated(version)
    for path, script in scripts.items():
        keep(path, script, check_only=arguments.check)
    if arguments.check:
        return
    if arguments.freeze:
        freeze(list(scripts))
    template = (ROOT / "extension" / "META.json.in").read_text(encoding="utf-8")
    write_if_changed(ROOT / "META.json", template.replace("@VERSION@", version))
    if arguments.output:
        for path in committed_scripts():
            text = located(path.read_text(encoding="utf-8"), arguments.python_library)
            write_if_changed(arguments.output / path.name, text)
    if arguments.tle:
        tle = tle_script(version, arguments.python_library)
        write_if_changed(ROOT / "extension" / f"{EXTENSION}--{version}.tle.sql", tle)
    if arguments.dist:
        print(write_dist(arguments.dist, version))


if __name__ == "__main__":
    try:
        main()
    except BuildError as error:
        sys.exit(f"build.py: {error}")

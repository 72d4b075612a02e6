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
the released script and the present one (see extension/update.py); what a machine cannot know, above all how a table of
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # this is run as a program
from extension.update import UpdateError, update_script  # noqa: E402

EXTENSION = "graphrag"
FROZEN = ROOT / "extension" / "frozen.sha256"
PYTHON_LIBRARY_TOKEN = "@PYTHON_LIBRARY@"
# Releases that look for the packages in the directory itself, not in their Python's own there.
FLAT = ("0.1.0",)
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


# ---------------------------------------------------------------- releases
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
            EXTENSION,
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
    for release in FLAT:
        before = f"'{release}', '{PYTHON_LIBRARY_TOKEN}"
        script = script.replace(before, f"{before}/{sys.implementation.cache_tag}")
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

    Before its release 1.5 pg_tle knows no fixed schema: the script makes it, and says how to create the extension
    in it.
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
                # PL/pgSQL looks up a function when it first calls it: that of the other releases need not be there.
                body = f"""
declare
    script text := {text};
    has_schema boolean := to_regprocedure(
        'pgtle.install_extension(text, text, text, text, text[], text)'
    ) is not null;
begin
    if exists (
        select from pgtle.available_extension_versions() as v where v.name = '{EXTENSION}' and v.version = '{version}'
    ) then
        return;
    elsif exists (select from pgtle.available_extensions() as e where e.name = '{EXTENSION}') then
        perform pgtle.install_extension_version_sql('{EXTENSION}', '{version}', script);
    elsif has_schema then
        perform pgtle.install_extension(
            '{EXTENSION}', '{version}', '{comment}', script, array[{requires}], '{EXTENSION}'
        );
    else
        perform pgtle.install_extension('{EXTENSION}', '{version}', '{comment}', script, array[{requires}]);
    end if;
end
"""  # noqa: S608  a script of our own, without input from outside
                parts.append(f"do {dollar_quote(body)};\n")
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
    except (BuildError, UpdateError) as error:
        sys.exit(f"build.py: {error}")

#!/usr/bin/env bash
# The checks that need no server; those of the installed extension are tests/integration/test_lint.py.
# Usage: lint.sh [--if-changed]     with --if-changed nothing is done on a tree that passed before
set -uo pipefail
. "$(dirname "$0")/paths.sh"
cd "$ROOT" || exit
STAMP=$STATE/lint.sha256
BIN=$VENV/bin
VERSION=$(sed -n "s/^default_version = '\(.*\)'/\1/p" graphrag.control)
SCRIPT=extension/graphrag--$VERSION.sql

# What pgspot cannot know: an inner function has no search_path of its own on purpose. It is reached only through an
# entry point that pinned the path and entered a realm (its tables are then found unqualified), and EXECUTE on it is
# never PUBLIC's. So what it says of such bodies is left out:
#   PS001 unqualified operator      PS005 function without search_path    PS009 simple CASE (an unqualified =)
#   PS016 unqualified function      PS017 unqualified object
# PL/pgSQL bodies are left out whole: its parser has no catalog and stops at variables of the extension's own types.
# On the installed extension plpgsql_check reads them, and a test sees that each entry point pins its path.
PGSPOT=(--ignore PS001 --ignore PS005 --ignore PS009 --ignore PS016 --ignore PS017
    --ignore-lang plpython3u --no-plpgsql)
pgspot() {
    "$BIN/python" extension/lint/pgspot_input.py "$@" | "$BIN/pgspot" "${PGSPOT[@]}"
}

# What an update replaces must be the extension's own already: so it is read after the release that it starts from.
pgspot_updates() {
    local update old
    for update in extension/graphrag--*--"$VERSION".sql; do
        [ -e "$update" ] || continue
        old=${update#extension/graphrag--}
        pgspot "extension/graphrag--${old%%--*}.sql" "$update" || return
    done
}

tree() {
    find graphrag.control pyproject.toml sql plpython extension bench tests -type f -not -name '*.pyc' \
        -not -name '*.tle.sql' -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}

failed=0
check() {
    local name=$1 output
    shift
    if ! output=$("$@" 2>&1); then
        say "lint: $name failed:"
        printf '%s\n' "$output" >&2
        failed=1
    fi
}

python_directories=()
for directory in plpython/graphrag_pl extension bench tests; do
    [ -z "$(find "$directory" -name '*.py' -print -quit 2>/dev/null)" ] || python_directories+=("$directory")
done

now=$(tree)
if [ "${1:-}" = --if-changed ] && [ "$(cat "$STAMP" 2>/dev/null)" = "$now" ]; then exit; fi
check "build (stale script)" "$PYTHON" extension/build.py --check
check "ruff" "$BIN/ruff" check -q --output-format concise --cache-dir "$STATE/ruff" "${python_directories[@]}"
check "ruff format" "$BIN/ruff" format --check --cache-dir "$STATE/ruff" "${python_directories[@]}"
check "mypy" "$BIN/mypy" --cache-dir "$STATE/mypy" "${python_directories[@]}"
check "SQL style" find sql tests -name '*.sql' -exec "$BIN/python" extension/lint/sql_style.py {} +
check "SQL labels" "$BIN/python" extension/lint/sql_style.py --labels "$SCRIPT"
check "pgspot" pgspot "$SCRIPT"
check "pgspot (update)" pgspot_updates
[ "$failed" = 0 ] || exit 1
echo "$now" >"$STAMP"
say "lint: clean"

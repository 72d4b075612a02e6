#!/usr/bin/env bash
# Installs the third-party Python packages that the extension imports in the server, into a directory of this Python's
# own in DIRECTORY: servers of several major versions share it, and a server that pg_upgrade moved finds its own there.
# Usage: install_python.sh DIRECTORY PLPYTHON_LIBRARY
# Owned by whoever runs it, so by root in a system directory: who can write there runs code in the server.
set -euo pipefail
. "$(dirname "$0")/paths.sh"
DIRECTORY=$1/$("$PYTHON" -c 'import sys; print(sys.implementation.cache_tag)')
PLPYTHON=$2
REQUIREMENTS=$ROOT/extension/requirements-server.txt

version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
wanted="python $version, requirements $(sha256sum <"$REQUIREMENTS" | cut -c 1-64)"
if [ "$(cat "$DIRECTORY/.installed" 2>/dev/null)" = "$wanted" ]; then exit; fi

# PL/Python embeds one interpreter; packages compiled for another would not load in the server.
[[ "$(ldd "$PLPYTHON")" == *"libpython$version.so"* ]] ||
    die "PL/Python does not embed $PYTHON (Python $version)" \
        "See ldd $PLPYTHON; name the interpreter with PYTHON=/path/to/python3"

# Beside the old one and exchanged when complete, so that a broken-off install leaves nothing half new.
rm -rf "$DIRECTORY.new"
mkdir -p "$DIRECTORY.new"
"$PYTHON" -m pip install -q --disable-pip-version-check --no-warn-script-location --root-user-action=ignore \
    --only-binary=:all: --no-deps --target "$DIRECTORY.new" -r "$REQUIREMENTS"
"$PYTHON" -m compileall -q "$DIRECTORY.new" >/dev/null || true # a package may carry files for newer Pythons
chmod -R a+rX "$DIRECTORY.new"
echo "$wanted" >"$DIRECTORY.new/.installed"
rm -rf "$DIRECTORY"
mv "$DIRECTORY.new" "$DIRECTORY"

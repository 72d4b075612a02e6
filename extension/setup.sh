#!/usr/bin/env bash
# Installs what a fresh Debian 12 or 13 lacks: PostgreSQL with the extensions used here, and a Python
# environment for tests and tools in the state directory. Does nothing, and needs no network, when all is there.
# Usage: setup.sh [packages]     `packages` leaves the Python environment out; only that part needs root
set -euo pipefail
. "$(dirname "$0")/paths.sh"

[ -n "$PG_MAJOR" ] || die "this set-up knows Debian 12 and 13 only" \
    "Elsewhere install PostgreSQL with PL/Python and pgvector yourself, then: make install PG_CONFIG=..."
SHARE=/usr/share/postgresql/$PG_MAJOR/extension
LIB=/usr/lib/postgresql/$PG_MAJOR/lib

# One line a requirement: a file that proves it is there, and the package that brings it.
requirements() {
    cat <<EOF
$PG_BIN/initdb postgresql-$PG_MAJOR
$LIB/plpython3.so postgresql-plpython3-$PG_MAJOR
$SHARE/pgtap.control postgresql-$PG_MAJOR-pgtap
$SHARE/pg_cron.control postgresql-$PG_MAJOR-cron
$SHARE/plpgsql_check.control postgresql-$PG_MAJOR-plpgsql-check
/usr/bin/pg_prove libtap-parser-sourcehandler-pgtap-perl
/usr/bin/python3 python3
/usr/lib/python3/dist-packages/pip/__init__.py python3-pip
/usr/share/doc/python3-venv python3-venv
/usr/share/doc/libgomp1 libgomp1
/usr/bin/make make
EOF
    if [ "$PG_MAJOR" = 15 ]; then # pgvector is built from source here
        echo "/usr/include/postgresql/15/server/postgres.h postgresql-server-dev-15"
        echo "/usr/bin/dpkg-source dpkg-dev"
        echo "/usr/bin/gcc gcc"
    else
        echo "$SHARE/vector.control postgresql-$PG_MAJOR-pgvector"
    fi
}

missing_packages() {
    local proof package
    requirements | while read -r proof package; do
        [ -e "$proof" ] || echo "$package"
    done
}

apt_install() {
    # Debian would start a cluster of its own, which nobody here asked for. The file is gone afterwards, so
    # that a PostgreSQL installed later by hand behaves as usual; a cluster that exists is left alone.
    local no_cluster=/etc/postgresql-common/createcluster.d/graphrag-setup.conf
    trap "rm -f $no_cluster" EXIT
    mkdir -p "${no_cluster%/*}"
    echo "create_main_cluster = false" >"$no_cluster"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq -o DPkg::Lock::Timeout=300 update
    apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
    rm -f "$no_cluster"
    trap - EXIT
}

# Debian 12 has no pgvector package: build the source package of Debian 13, fetched from the machine's own
# mirror through a private apt configuration, so that no trixie package can ever be installed from it.
build_pgvector() {
    local work mirror apt
    work=$(mktemp -d)
    trap "rm -rf '$work'" EXIT
    mkdir -p "$work"/{lists,archives}/partial
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "bookworm" { print $2; exit }')
    [ -n "$mirror" ] || die "apt has no bookworm mirror to fetch pgvector's source from"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" \
        >"$work/sources.list"
    apt=(apt-get -qq
        -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache::Archives=$work/archives"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
        -o APT::Sandbox::User=root -o Acquire::Languages=none)
    (
        cd "$work"
        "${apt[@]}" update
        "${apt[@]}" source pgvector
        cd pgvector-*/
        # No -march=native (the default of OPTFLAGS): the machine may be an image that moves.
        make -j"$(nproc)" OPTFLAGS= with_llvm=no PG_CONFIG="$PG_BIN/pg_config"
        make install with_llvm=no PG_CONFIG="$PG_BIN/pg_config"
    )
    rm -rf "$work"
    trap - EXIT
}

setup_packages() {
    local missing
    missing=$(missing_packages)
    if [ -z "$missing" ] && [ -e "$SHARE/vector.control" ]; then return; fi
    [ "$(id -u)" = 0 ] || die "these packages are missing: ${missing//$'\n'/ }$(
        [ -e "$SHARE/vector.control" ] || echo ' pgvector')" "Run once as root: $ROOT/extension/setup.sh packages"
    # shellcheck disable=SC2086 # one word a package
    [ -z "$missing" ] || apt_install $missing
    [ -e "$SHARE/vector.control" ] || build_pgvector
}

setup_venv() {
    local stamp=$VENV/requirements.sha256 wanted
    local files=("$ROOT/tests/requirements.txt" "$ROOT/extension/requirements-server.txt")
    wanted=$(cat "${files[@]}" | sha256sum)
    if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return; fi
    make_state
    "$PYTHON" -m venv "$VENV"
    "$VENV/bin/pip" install -q --disable-pip-version-check --only-binary=:all: \
        -r "${files[0]}" -r "${files[1]}"
    echo "$wanted" >"$stamp" # last: a broken-off install starts over
}

setup_packages
[ "${1:-}" = packages ] || setup_venv

# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts and asked by the Makefile: where things are on this machine.
#   ROOT      the checkout                      PG_MAJOR  PostgreSQL's major version on this Debian release
#   STATE     everything this checkout makes    PG_BIN    that version's programs
#   VENV      the client-side Python            PYTHON    the interpreter that PL/Python embeds
# STATE may be set by the caller. Its default lies outside the checkout, because a checkout may be under a
# directory that the server's user cannot enter, and is short, because a socket's path has at most 107 bytes.

umask 022 # the server's user must be able to read what root makes
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
STATE=$(realpath -m "${STATE:-/var/tmp/graphrag-$(printf '%s' "$ROOT" | sha256sum | cut -c 1-8)}")
VENV=$STATE/venv
PYTHON=${PYTHON:-/usr/bin/python3}

# From the release and not from PATH: an upgraded machine may carry an older PostgreSQL as well.
case "$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")" in
    debian-12) PG_MAJOR=15 ;;
    debian-13) PG_MAJOR=17 ;;
    *) PG_MAJOR= ;;
esac
PG_BIN=/usr/lib/postgresql/$PG_MAJOR/bin

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $1"; shift; for hint; do say "hint: $hint"; done; exit 1; }

# Makes STATE, and refuses one that another user made: its contents would be run as this user.
make_state() {
    mkdir -p "$STATE" || die "cannot make the state directory $STATE" "Choose another one with STATE=."
    [ -O "$STATE" ] || die "the state directory $STATE belongs to $(stat -c %U "$STATE")" \
        "Run as that user, or choose another directory with STATE=."
    chmod 755 "$STATE"
}

#!/usr/bin/env bash
# The private PostgreSQL cluster of this checkout: for development, tests and the demo, never for data you keep
# (no fsync, no passwords; reachable from this machine only). Never run as root: root hands over to `postgres`.
# Usage: [CLUSTER=name] cluster.sh start|stop|status|dsn|reset
# CLUSTER is another than the usual one, of the same checkout: each worker of a parallel test run has its own, because
# some tests kill servers.
set -euo pipefail
. "$(dirname "$0")/paths.sh"

DATABASE=graphrag
BASE=$STATE/${CLUSTER:-cluster}
DATA=$BASE/data
LOG=$BASE/log
CONFIG=$DATA/graphrag.conf
BASE_HASH=$(printf '%s' "$BASE" | sha256sum | cut -c 1-8)
SOCKETS=$BASE
if [ $((${#SOCKETS} + 20)) -gt 100 ]; then SOCKETS=/tmp/graphrag-$BASE_HASH; fi

as_server() {
    # A clean environment: what the server does must not hang on what the caller had exported.
    local clean=(env -i "PATH=$PG_BIN:/usr/bin:/bin" LANG=C.UTF-8 "HOME=$BASE" "$@")
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=postgres --regid=postgres --init-groups "${clean[@]}"
    else
        "${clean[@]}"
    fi
}

# The postmaster of *this* data directory lives: its working directory is the data directory. A process
# number alone would be fooled by a stale pid file after a restart of the machine.
running() {
    local pid
    pid=$(head -n 1 "$DATA/postmaster.pid" 2>/dev/null) && [ "$(readlink "/proc/$pid/cwd")" = "$DATA" ]
}

port() { sed -n 4p "$DATA/postmaster.pid"; }

# Ports from a start that belongs to this cluster, so that a restart usually finds its old one again.
free_ports() {
    "$PYTHON" - "$((16#$BASE_HASH % 10000))" <<'EOF'
import socket
import sys

for i in range(200):
    port = 20000 + (int(sys.argv[1]) + i) % 10000
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
EOF
}

make_directories() {
    local directory
    make_state
    for directory in "$BASE" "$SOCKETS"; do
        mkdir -p "$directory"
        [ "$(id -u)" != 0 ] || chown postgres:postgres "$directory"
    done
}

# Made under another name and renamed when complete: a broken-off initdb is never taken for a cluster.
make_data() {
    if [ -e "$DATA" ]; then
        [ "$(cat "$DATA/PG_VERSION")" = "$PG_MAJOR" ] ||
            die "$DATA was made by PostgreSQL $(cat "$DATA/PG_VERSION"), this machine has $PG_MAJOR" \
                "Throw it away and begin anew: $0 reset"
        return
    fi
    rm -rf "$DATA.new"
    as_server initdb -D "$DATA.new" -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N >"$BASE/initdb.log" ||
        die "initdb failed" "See $BASE/initdb.log"
    echo "include_if_exists 'graphrag.conf'" >>"$DATA.new/postgresql.conf"
    as_server postgres --single -D "$DATA.new" postgres <<<"create database $DATABASE" >>"$BASE/initdb.log" 2>&1
    mv "$DATA.new" "$DATA"
}

config() {
    cat <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$SOCKETS'
extension_destdir = '$STATE/root'
max_connections = 100
shared_buffers = ${SHARED_BUFFERS:-256MB}
max_worker_processes = 20
fsync = off
full_page_writes = off
timezone = 'UTC'
client_connection_check_interval = '1s'
log_line_prefix = '%m [%p] %d '
EOF
    if [ -e "$PG_BIN/../lib/pg_cron.so" ]; then
        cat <<EOF
shared_preload_libraries = 'pg_cron, pg_stat_statements'
cron.database_name = '$DATABASE'
cron.use_background_workers = on
EOF
    fi
}

start() {
    local port attempts=5
    [ -x "$PG_BIN/initdb" ] || die "PostgreSQL ${PG_MAJOR:-for this release} is not installed" \
        "Run as root: $ROOT/extension/setup.sh packages"
    [ -e /proc/self ] || die "/proc is not mounted" "mount -t proc proc /proc"
    make_directories
    exec 9>"$BASE.lock"
    flock 9 # two starts at once
    make_data
    if running; then
        if [ "$(cat "$CONFIG")" = "$(config)" ]; then
            wait_ready
            return
        fi
        stop
    fi
    wait_orphans
    # Nothing runs here: what a killed server left is stale, even if its process number lives on in another process.
    rm -f "$DATA/postmaster.pid" "$SOCKETS"/.s.PGSQL.*
    config >"$CONFIG"
    for port in $(free_ports); do
        if as_server pg_ctl -D "$DATA" -l "$LOG" -o "-p $port" -w -t 60 start >/dev/null 9>&-; then return; fi
        # Another checkout may have taken the port since it was found free; all else would fail again.
        if [[ "$(tail -n 20 "$LOG")" != *"could not create any TCP/IP sockets"* ]]; then break; fi
        if [ $((attempts -= 1)) = 0 ]; then break; fi
    done
    tail -n 20 "$LOG" >&2
    die "the cluster in $DATA does not start" "Its log is $LOG; to throw the cluster away: $0 reset"
}

# A running server may be recovering from the death of one of its processes.
wait_ready() {
    local deadline=$((SECONDS + 60))
    until as_server pg_isready -q -h 127.0.0.1 -p "$(port)"; do
        [ "$SECONDS" -lt "$deadline" ] || die "the cluster in $DATA does not answer" "See $LOG"
        sleep 0.1
    done
}

# Backends outlive a killed postmaster by a moment, and keep its shared memory.
wait_orphans() {
    local deadline=$((SECONDS + 60))
    while [ -n "$(find /proc -maxdepth 2 -name cwd -lname "$DATA" 2>/dev/null)" ]; do
        [ "$SECONDS" -lt "$deadline" ] || die "processes of a killed server still run in $DATA"
        sleep 0.1
    done
}

stop() {
    if running; then as_server pg_ctl -D "$DATA" -m fast -w -t 60 stop >/dev/null; fi
}

dsn() {
    running || die "the cluster is not running" "make start"
    echo "postgresql://postgres@127.0.0.1:$(port)/$DATABASE"
}

case "${1:-}" in
    start | stop | dsn) "$1" ;;
    status) if running; then dsn; else echo stopped; exit 3; fi ;;
    reset) stop; rm -rf "$BASE" "$SOCKETS" ;;
    *) die "usage: $0 start|stop|status|dsn|reset" ;;
esac

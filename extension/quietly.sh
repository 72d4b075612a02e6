#!/usr/bin/env bash
# Runs one step of a make target with its output in a log file; shows the log's end if the step fails.
# Usage: quietly.sh NAME COMMAND [ARGUMENT...]
set -euo pipefail
. "$(dirname "$0")/paths.sh"
NAME=$1
shift
make_state
mkdir -p "$STATE/log"
LOG=$STATE/log/$NAME.log

if "$@" >"$LOG" 2>&1 </dev/null; then
    if [ "$SECONDS" -ge 2 ]; then say "$NAME: done in $SECONDS s"; fi
else
    status=$?
    tail -n 30 "$LOG" >&2
    say "error: $NAME failed after $SECONDS s; the whole log: $LOG"
    exit "$status"
fi

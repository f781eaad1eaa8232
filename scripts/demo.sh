#!/usr/bin/env bash
# make demo: the Python example server, and the client on the official Python SDK talking to it.
# On a terminal the person answers; without one the scenario is played from its script.
. "$(dirname "$0")/lib.sh"
setup_python

out="$BUILD/log/demo-server.out"
log="$BUILD/log/demo-server.log"
server=''
stop() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
}
trap stop EXIT

: >"$out"
MCP_ELICIT_KEYS="$("$VENV/bin/python" -c 'import secrets; print(secrets.token_hex(32))')" PORT=0 PYTHONUNBUFFERED=1 \
    "$VENV/bin/python" bindings-python/examples/billing_server.py >"$out" 2>"$log" </dev/null &
server=$!
url=
for _ in $(seq 300); do
    url="$(sed -n 's/^listening on //p' "$out" | head -n 1)"
    [ -z "$url" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if [ -z "$url" ]; then
    cat "$log" >&2
    die "the example server did not start"
fi
say "the example server listens on $url"

client=("$VENV/bin/python" bindings-python/examples/client.py "$url")
if [ -t 0 ] && [ -t 1 ]; then
    "${client[@]}" --user ada
    say "demo: done; the same without a terminal plays tests/scenario/scenario.json (make demo </dev/null)"
else
    "${client[@]}" --script tests/scenario/scenario.json
    say "demo: the official Python client played the whole scenario against the Python example server"
fi

#!/usr/bin/env bash
# Measures sealed state and claims, in one run: sealing and opening 1 KB with its claims, beside
# cipher, base64 and random bytes of the same build, and beside what the official SDKs do; a claim
# beside the operation of the store that it needs. Medians in nanoseconds; the aims are printed
# beside them and judged by nobody.
. "$(dirname "$0")/lib.sh"
need_cargo
need_node
make_venv "$VENV" tests/requirements/test.txt
[ -d "$NODE_DIR/node_modules" ] || npm --prefix "$NODE_DIR" ci --silent --ignore-scripts

bench="$BUILD/bench/state"
mkdir -p "$bench"
features=(--features "mcp-elicit/sqlite mcp-elicit/redis")
say "building what is measured, optimized"
cargo test --locked --quiet --release -p mcp-elicit "${features[@]}" --lib --no-run
cargo bench --locked --quiet -p mcp-elicit "${features[@]}" --bench claims --no-run

if have redis-server; then
    start_redis
    export MCP_ELICIT_BENCH_REDIS="$REDIS/0"
else
    say "without Redis: redis-server is not on the path"
fi
{
    cargo test --locked --quiet --release -p mcp-elicit "${features[@]}" --lib seal::bench -- --ignored --nocapture --test-threads 1 | grep '^state_'
    "$VENV/bin/python" tests/bench/state.py
    node tests/bench/state.mjs "$NODE_DIR"
    cargo bench --locked --quiet -p mcp-elicit "${features[@]}" --bench claims
} | tee "$bench/raw.txt" | awk '
    { ns[$1] = $2 }
    END {
        printf "a state of 1 KB sealed and opened; medians in ns\n"
        row("me1", ns["state_me1"], sprintf("%.2f x its parts (aim: 1.5)", ns["state_me1"] / ns["state_raw"]))
        row("ms1", ns["state_ms1"], "signed")
        row("parts", ns["state_raw"], "random bytes, XAES-256-GCM and base64, both ways")
        row("mcp", ns["state_mcp"], sprintf("the boundary of the Python SDK: %.0f x", ns["state_mcp"] / ns["state_me1"]))
        row("typescript", ns["state_typescript"], sprintf("the codec of the TypeScript SDK, which signs: %.0f x", ns["state_typescript"] / ns["state_me1"]))
        printf "a claim, beside its operation of the store; medians in ns\n"
        store("memory", "aim: 500 in all")
        store("sqlite", "aim: 1.2")
        if ("claim_redis" in ns) store("redis", "aim: 1.2")
    }
    function store(name, aim) { row(name, ns["claim_" name], sprintf("%.2f x %d (%s); %d without the store", ns["claim_" name] / ns["claim_" name "_raw"], ns["claim_" name "_raw"], aim, ns["claim_" name "_alone"])) }
    function row(name, value, words) { printf "  %-11s %8d  %s\n", name, value, words }'
say "bench: raw numbers in build/bench/state/raw.txt"

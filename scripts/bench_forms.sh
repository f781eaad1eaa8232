#!/usr/bin/env bash
# Measures a form of five fields beside other validators, in one run: compiling its schema, and
# judging its answer from the answer's bytes. Medians in nanoseconds; the aims are printed beside
# them and judged by nobody.
. "$(dirname "$0")/lib.sh"
need_cargo
need_node

bench="$BUILD/bench/forms"
mkdir -p "$bench"
say "building what is measured, optimized"
cargo build --locked --quiet --release --manifest-path tests/differential/Cargo.toml \
    --target-dir "$CARGO_TARGET_DIR/differential"
need_python
[ -x "$bench/venv/bin/python" ] || "$PYTHON" -m venv "$bench/venv"
"$bench/venv/bin/pip" install --quiet --disable-pip-version-check "pydantic==2.14.4"
[ -f "$bench/package.json" ] || echo '{"private":true}' >"$bench/package.json"
npm --prefix "$bench" install --silent --no-audit --no-fund ajv@8 ajv-formats@3 zod@4
{
    "$CARGO_TARGET_DIR/differential/release/mcp-elicit-differential"
    "$bench/venv/bin/python" tests/bench/forms.py
    (cd "$bench" && node "$ROOT/tests/bench/forms.mjs")
} | tee "$bench/raw.txt" | awk '
    { ns[$1] = $2 }
    END {
        printf "a form of five fields; medians in ns\n"
        row("compile", "mcp-elicit", ns["rust_compile"], sprintf("%.2f of jsonschema (aim: 0.20)", ns["rust_compile"] / ns["jsonschema_compile"]))
        row("compile", "normalize", ns["rust_normalize"], "from what type libraries print")
        row("compile", "jsonschema", ns["jsonschema_compile"], "")
        row("compile", "ajv", ns["ajv_compile"], "")
        row("answer", "mcp-elicit", ns["rust_validate_bytes"], sprintf("%.2f of parse and jsonschema (aim: at most 500 ns, and below 1)", ns["rust_validate_bytes"] / ns["jsonschema_validate_bytes"]))
        row("answer", "jsonschema", ns["jsonschema_validate_bytes"], "")
        row("answer", "pydantic", ns["pydantic_validate_bytes"], "")
        row("answer", "ajv", ns["ajv_validate_bytes"], "")
        row("answer", "zod", ns["zod_validate_bytes"], "")
        row("judging", "mcp-elicit", ns["rust_validate"], "what is parsed already; the content is kept")
        row("judging", "jsonschema", ns["jsonschema_validate"], "yes or no")
    }
    function row(what, who, value, words) { printf "  %-8s %-11s %8d  %s\n", what, who, value, words }'
say "bench: raw numbers in build/bench/forms/raw.txt"

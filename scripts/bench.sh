#!/usr/bin/env bash
# make bench: one middle round in each language, beside the floor of the same build: 1.2 KB in, an
# answered form validated, the next question asked. All languages are handed the same bytes.
# Medians in nanoseconds; the aims are printed beside them and judged by nobody.
. "$(dirname "$0")/lib.sh"
need_cargo
need_node
need_system cc=gcc
make_venv "$VENV" tests/requirements/test.txt

bench="$BUILD/bench"
release="$CARGO_TARGET_DIR/release"
rm -rf "$bench"
mkdir -p "$bench/wheel" "$bench/node_modules/mcp-elicit"

say "building what is measured, optimized"
cargo build --locked --quiet --release -p mcp-elicit-capi
scripts/install_c.sh "$release" "$bench/c"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -O2 tests/bench/round.c -o "$bench/round-c" \
    -I"$bench/c/include" -L"$bench/c/lib" -lmcp_elicit -Wl,-rpath,"$bench/c/lib"
quietly maturin-bench "$VENV/bin/maturin" build --release --locked --compatibility linux \
    --manifest-path bindings-python/Cargo.toml --interpreter "$VENV/bin/python" --out "$bench/wheel"
need_python
"$PYTHON" -m venv "$bench/venv"
"$bench/venv/bin/pip" install --quiet --no-deps --no-index "$bench"/wheel/*.whl
for file in package.json index.js index.mjs lib; do
    cp -r "$NODE_DIR/$file" "$bench/node_modules/mcp-elicit/"
done
quietly addon-bench node "$NODE_DIR/scripts/build.mjs" --out "$bench/node_modules/mcp-elicit/native"
cp tests/bench/round.mjs "$bench/"

schema="$ROOT/core/benches/target.json"
request="$bench/request.json"
cargo bench --locked --quiet -p mcp-elicit --bench round -- --request >"$request"
{
    cargo bench --locked --quiet -p mcp-elicit --bench round
    "$bench/round-c" "$request" "$schema"
    "$bench/venv/bin/python" tests/bench/round.py "$request" "$schema"
    (cd "$bench" && node round.mjs "$request" "$schema")
} | tee "$bench/raw.txt" | awk '
    { ns[$1] = $2 }
    END {
        printf "request: %d bytes; medians in ns\n", ns["request_bytes"]
        row("floor", ns["floor"], "scan, random bytes, seal and open, base64 both ways")
        row("Rust", ns["rust_round"], sprintf("%.2f x the floor (aim: 3)", ns["rust_round"] / ns["floor"]))
        row("C", ns["c_round"], sprintf("%.2f x Rust", ns["c_round"] / ns["rust_round"]))
        row("Python", ns["python_round"], sprintf("%.2f x C (aim: 1.15)", ns["python_round"] / ns["c_round"]))
        row("Node.js", ns["node_round"], sprintf("%+.2f us on C (aim: 3)", (ns["node_round"] - ns["c_round"]) / 1000))
        row("open alone", ns["rust_open"], "parse, check, unseal")
        row("a form", ns["rust_form_parse"], "checked and compiled; each language does it once")
    }
    function row(name, value, words) { printf "  %-11s %8d  %s\n", name, value, words }'
say "bench: measured one middle round in four languages; raw numbers in build/bench/raw.txt"

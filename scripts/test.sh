#!/usr/bin/env bash
# make test: runs the parts named, or all of them, cheap ones first. A part that fails does not stop
# the others; the last lines say how each ended. Each part runs in a shell of its own, so that its
# first failing command ends it.
. "$(dirname "$0")/lib.sh"

ALL=(style rust forms independent lint python node c readme scenario adapters fleet conformance package)

# Formatting, the rules of the house, and the tests of the tools that check them.
part_style() {
    need_cargo
    need_python
    cargo fmt --all --check
    "$PYTHON" tests/tools/check_style.py
    [ ! -f tests/protocol-coverage.md ] || "$PYTHON" tests/tools/check_coverage.py
    for folder in tests/tools tests/scenario; do
        "$PYTHON" -m unittest discover --quiet --start-directory "$folder"
    done
    for script in scripts/*.sh .ci/run; do bash -n "$script"; done
    if have shellcheck; then
        shellcheck --external-sources --source-path=scripts scripts/*.sh .ci/run
    fi
}

# The core and the C ABI, from Rust: unit tests, vectors, doc tests.
part_rust() {
    need_cargo
    # The tests of the Redis driver start a server of their own, and say so where they cannot.
    (need_system redis-server=redis-server) || [ -z "${CI:-}" ] || return 1
    local what=(--locked --workspace --features "$FEATURES" --no-fail-fast)
    if cargo nextest --version >/dev/null 2>&1; then
        cargo nextest run "${what[@]}" --status-level fail --final-status-level fail
    else
        cargo test "${what[@]}" --quiet --lib --bins --tests
    fi
    cargo test --locked --workspace --features "$FEATURES" --quiet --doc
}

# Our verdict on answers beside that of another validator.
part_forms() {
    need_cargo
    cargo test --locked --quiet --manifest-path tests/differential/Cargo.toml \
        --target-dir "$CARGO_TARGET_DIR/differential"
}

# The sealed state, read by an implementation that shares no code with the library.
part_independent() {
    make_venv "$VENV" tests/requirements/test.txt
    "$VENV/bin/python" -m unittest discover --quiet --start-directory tests/independent
}

# Linters and type checkers of all languages, the documentation, the header alone.
part_lint() {
    need_cargo
    local clippy=(cargo clippy --locked --workspace --features "$FEATURES" --quiet)
    local strict=(-D warnings -D clippy::undocumented_unsafe_blocks)
    "${clippy[@]}" --lib -- "${strict[@]}"
    # Tests may panic, and share helpers by `pub`; clippy.toml knows test functions, not their helpers.
    "${clippy[@]}" --tests --benches -- "${strict[@]}" -A clippy::unwrap_used -A clippy::expect_used \
        -A clippy::panic -A clippy::print_stdout -A clippy::print_stderr -A unreachable_pub -A missing_docs
    scripts/docs.sh
    scripts/header.sh
    setup_python
    "$VENV/bin/ruff" format --check --quiet bindings-python tests
    "$VENV/bin/ruff" check --quiet bindings-python tests
    (cd bindings-python && "$VENV/bin/mypy" --strict --cache-dir "$BUILD/cache/mypy")
    local folder
    for folder in tools scenario readme package independent fleet; do
        (cd "tests/$folder" && MYPYPATH="$ROOT/tests/readme:$ROOT/tests/adapters:$ROOT/tests/scenario" "$VENV/bin/mypy" --strict --exclude frame.py \
            --cache-dir "$BUILD/cache/mypy" .)
    done
    setup_node
    npm --prefix bindings-node run --silent types
    say "lint: clippy, rustdoc, header, ruff, mypy --strict and tsc --strict found nothing"
}

# The C ABI from C.
part_c() {
    need_cargo
    need_system cc=gcc pkg-config=pkg-config pc:libmicrohttpd=libmicrohttpd-dev pc:libcjson=libcjson-dev valgrind=valgrind
    scripts/test_c.sh
}

part_python() {
    # The tests of stores start a server of their own, and say so where they cannot.
    (need_system redis-server=redis-server) || [ -z "${CI:-}" ] || return 1
    setup_python
    (cd bindings-python && "$VENV/bin/python" -m pytest -q -p no:cacheprovider tests)
}

# Node's runner prints a block a test; the whole of it is kept in build/log.
part_node() {
    setup_node
    local log="$BUILD/log/node.log" status=0
    npm --prefix bindings-node test --silent >"$log" 2>&1 || status=$?
    [ "$status" = 0 ] || grep -A 30 -E '^ *(not ok|✖)' "$log" | head -n 300 || tail -n 50 "$log"
    grep -E '^(#|ℹ) (tests|suites|pass|fail|cancelled|skipped|todo)' "$log"
    return "$status"
}

# The examples of the README, as they stand there.
part_readme() {
    setup_python
    setup_node
    need_system cc=gcc
    scripts/build_c.sh
    "$VENV/bin/python" tests/readme/run.py
}

# Every server with every official client.
part_scenario() {
    setup_python
    setup_node
    local servers=python,node,c
    if ! need_system cc=gcc pkg-config=pkg-config pc:libmicrohttpd=libmicrohttpd-dev pc:libcjson=libcjson-dev; then
        [ -z "${CI:-}" ] || return 1
        servers=python,node
    else
        scripts/build_c.sh examples
    fi
    "$VENV/bin/python" tests/scenario/run.py --servers "$servers"
}

# Fleets of the official SDKs' servers with our adapters, and without.
part_adapters() {
    setup_python
    setup_node
    "$VENV/bin/python" tests/adapters/run.py
}

# Servers that share keys and a Redis: the short form of make fleet.
part_fleet() {
    scripts/fleet.sh "${FLEET_FLOWS:-200}"
}

# The protocol's own conformance suite.
part_conformance() {
    scripts/conformance.sh
}

# What is shipped, made and installed in empty environments.
part_package() {
    need_python
    scripts/package.sh
    "$PYTHON" tests/package/run.py
}

if [ "${1:-}" = --part ]; then
    "part_$2"
    exit
fi

[ "$#" -gt 0 ] || set -- "${ALL[@]}"
for part in "$@"; do
    declare -F "part_$part" >/dev/null || die "there is no part '$part'; parts: ${ALL[*]}"
done

passed=0 failed=0 skipped=0 report=()
for part in "$@"; do
    say "== $part"
    started=$SECONDS status=0
    "$0" --part "$part" </dev/null || status=$?
    took="$((SECONDS - started)) s"
    case "$status" in
        0) passed=$((passed + 1)) word=passed ;;
        "$SKIPPED") skipped=$((skipped + 1)) word=SKIPPED ;;
        *) failed=$((failed + 1)) word=FAILED ;;
    esac
    report+=("$(printf '%-11s %-8s %6s' "$part" "$word" "$took")")
    say "== $part: $word ($took)"
done

say ""
printf '%s\n' "${report[@]}"
say "parts: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

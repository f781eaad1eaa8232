#!/usr/bin/env bash
# The C tests and the C example servers under AddressSanitizer and LeakSanitizer, both sides of the
# ABI: the Rust side needs a nightly toolchain, without which it is linked as it is.
. "$(dirname "$0")/lib.sh"
need_cargo
need_python
need_system cc=gcc pkg-config=pkg-config pc:libmicrohttpd=libmicrohttpd-dev pc:libcjson=libcjson-dev redis-server=redis-server

OUT="$BUILD/c/sanitized"
TESTS=(handles calls asks threads vectors forms flows stores claims fields)
mkdir -p "$OUT"
host="$(rustc -vV | sed -n 's/^host: //p')"
export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1"

if cargo +nightly --version >/dev/null 2>&1; then
    say "sanitize: building the Rust side with AddressSanitizer"
    RUSTFLAGS=-Zsanitizer=address cargo +nightly build --locked --quiet --target "$host" \
        --target-dir "$CARGO_TARGET_DIR/sanitized" -p mcp-elicit-capi --features redis
    library="$CARGO_TARGET_DIR/sanitized/$host/debug/libmcp_elicit_capi.a"
else
    [ -z "${CI:-}" ] || die "sanitize: in CI a nightly toolchain is needed"
    say "sanitize: no nightly toolchain, the Rust side goes as it is"
    cargo build --locked --quiet -p mcp-elicit-capi --features redis
    library="$CARGO_TARGET_DIR/debug/libmcp_elicit_capi.a"
fi

# build NAME PACKAGE... -- SOURCE...
build() {
    local name="$1" packages=() libraries
    shift
    while [ "$1" != -- ]; do packages+=("$1") && shift; done
    shift
    read -ra libraries < <(pkg-config --cflags --libs "${packages[@]}")
    "${CC:-cc}" -std=gnu11 -pthread -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
        -fno-sanitize-recover=undefined -Iinclude "$@" "$library" "${libraries[@]}" -ldl -lm -o "$OUT/$name"
}

start_redis
for test in "${TESTS[@]}"; do
    build "$test" libcjson -- "tests/c/test_$test.c" tests/c/world.c
    with_redis "$OUT/$test" tests/vectors
done

say "sanitize: the example servers"
build deploy_stdio libcjson -- ffi/examples/deploy_stdio.c ffi/examples/serve.c
build billing_server libmicrohttpd libcjson -- ffi/examples/billing_server.c ffi/examples/http.c ffi/examples/serve.c ffi/examples/signin.c
"$PYTHON" tests/c/drive_examples.py "$OUT/deploy_stdio" "$OUT/billing_server"
say "sanitize: no error and no leak"

#!/usr/bin/env bash
# Builds the C library of this tree, installs it under build/c, and with `examples` builds the C
# examples beside it: build/c/billing_server, build/c/pay_server and build/c/deploy_stdio.
. "$(dirname "$0")/lib.sh"
need_cargo
prefix="$BUILD/c"
if ! fresh c-library "${CORE_SOURCES[@]}" ffi/Cargo.toml ffi/build.rs ffi/src include; then
    say "building the C library"
    begin c-library
    cargo build --locked --quiet -p mcp-elicit-capi --features redis
    scripts/install_c.sh "$CARGO_TARGET_DIR/debug" "$prefix"
    finish c-library
fi
[ "${1:-}" = examples ] || exit 0

need_system cc=gcc pkg-config=pkg-config pc:libmicrohttpd=libmicrohttpd-dev pc:libcjson=libcjson-dev
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"

# example NAME SOURCE... -- LIBRARY...
example() {
    local name="$1" sources=() flags
    shift
    while [ "$1" != -- ]; do
        sources+=("ffi/examples/$1")
        shift
    done
    shift
    flags="$(pkg-config --cflags --libs "$@")"
    # shellcheck disable=SC2086 # flags are words
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -g -O1 "${sources[@]}" -o "$prefix/$name" $flags -Wl,-rpath,"$prefix/lib"
}

if ! fresh c-examples ffi/examples "$BUILD/stamps/c-library"; then
    say "building the C examples"
    begin c-examples
    example billing_server billing_server.c http.c serve.c signin.c -- mcp_elicit libmicrohttpd libcjson
    example pay_server pay_server.c http.c serve.c -- mcp_elicit libmicrohttpd libcjson
    example deploy_stdio deploy_stdio.c serve.c -- mcp_elicit libcjson
    finish c-examples
fi

#!/usr/bin/env bash
# make install: builds the C library and installs it under PREFIX (and DESTDIR, for packagers).
. "$(dirname "$0")/lib.sh"
need_cargo
prefix="${PREFIX:-/usr/local}"
cargo build --locked --quiet --release -p mcp-elicit-capi
scripts/install_c.sh "$CARGO_TARGET_DIR/release" "$prefix"
say "install: libmcp_elicit, mcp_elicit.h and mcp_elicit.pc are under ${DESTDIR:-}$prefix"

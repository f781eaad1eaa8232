#!/usr/bin/env bash
# make docs: the documentation of the Rust crates; a broken link or a missing comment is an error.
. "$(dirname "$0")/lib.sh"
need_cargo
RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --no-deps --features "$FEATURES" \
    -p mcp-elicit -p mcp-elicit-capi
say "docs: written to ${CARGO_TARGET_DIR#"$ROOT"/}/doc/mcp_elicit/index.html"

#!/usr/bin/env bash
# The C header: is include/mcp_elicit.h what ffi/src says, and does it stand alone?
#
#     scripts/header.sh [--check]   compares, then compiles it alone as C11 and C++17
#     scripts/header.sh --write     writes it anew
. "$(dirname "$0")/lib.sh"
CBINDGEN_VERSION=0.29.4

header="$ROOT/include/mcp_elicit.h"
cbindgen="$BUILD/tools/bin/cbindgen"

# Generates the header into the file $1. Anything that cbindgen warns of is an error: it would be
# missing from the header.
generate() {
    local version rest config="$BUILD/cbindgen.toml" log="$BUILD/log/cbindgen.log"
    if [ "$("$cbindgen" --version 2>/dev/null || true)" != "cbindgen $CBINDGEN_VERSION" ]; then
        say "installing cbindgen $CBINDGEN_VERSION into build/tools"
        cargo install --quiet --locked --version "$CBINDGEN_VERSION" --root "$BUILD/tools" cbindgen
    fi
    version="$(cargo pkgid --quiet -p mcp-elicit-capi)"
    version="${version##*[#@]}"
    rest="${version#*.}"
    sed -e "s/@VERSION@/$version/g" -e "s/@MAJOR@/${version%%.*}/g" -e "s/@MINOR@/${rest%%.*}/g" \
        -e "s/@PATCH@/${rest#*.}/g" ffi/cbindgen.toml >"$config"
    "$cbindgen" --quiet --config "$config" --crate mcp-elicit-capi --output "$1" ffi 2>"$log" >/dev/null \
        || { cat "$log" >&2; die "cbindgen failed"; }
    [ ! -s "$log" ] || { cat "$log" >&2; die "cbindgen left something out"; }
}

# Every declaration is preceded by a comment: the header is the manual.
documented() {
    awk '
        /^\/\*\*/ { inside = 1 }
        inside { if (/\*\//) { inside = 0; documented = 1 } next }
        /^(typedef|enum|struct|#define MCP_ELICIT_KEY_SIZE|MCP_ELICIT_MUST_USE|void mcp_elicit_|[a-z].* \**mcp_elicit_[a-z_]+\()/ {
            if (!documented && !/^typedef (uint32_t|enum) mcp_elicit_/ && !after_attribute) { print FILENAME ":" FNR ": no comment: " $0; bad = 1 }
            after_attribute = /^MCP_ELICIT_MUST_USE$/
            documented = 0
        }
        END { exit bad }
    ' "$1"
}

need_cargo
case "${1:---check}" in
    --write)
        mkdir -p "$(dirname "$header")"
        generate "$header"
        say "header: wrote include/mcp_elicit.h"
        ;;
    --check)
        need_system cc=gcc c++=g++
        generate "$BUILD/mcp_elicit.h"
        diff -u "$header" "$BUILD/mcp_elicit.h" \
            || die "include/mcp_elicit.h is not what ffi/src says: run scripts/header.sh --write"
        documented "$header" || die "the header is the manual: say what these do"
        flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)
        cc -std=c11 "${flags[@]}" -x c "$header"
        c++ -std=c++17 "${flags[@]}" -x c++ "$header"
        say "header: as generated, documented, clean alone as C11 and C++17"
        ;;
    *) die "usage: scripts/header.sh [--check | --write]" ;;
esac

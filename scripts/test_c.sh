#!/usr/bin/env bash
# The C ABI, from C: the symbols, the header, and every program of tests/c, linked against the shared
# and the static library as they are installed; then under valgrind, and with sanitizers.
. "$(dirname "$0")/lib.sh"
need_cargo
need_system cc=gcc c++=g++ pkg-config=pkg-config pc:libcjson=libcjson-dev valgrind=valgrind redis-server=redis-server

OUT="$BUILD/c/tests"
TESTS=(handles calls asks threads vectors forms flows stores claims fields)
VECTORS="$ROOT/tests/vectors"
FLAGS=(-std=gnu11 -pthread -g -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror)

scripts/build_c.sh examples
scripts/header.sh --check
prefix="$BUILD/c"
mkdir -p "$OUT"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
read -ra cjson < <(pkg-config --cflags --libs libcjson)
read -ra cflags < <(pkg-config --cflags mcp_elicit)
read -ra shared < <(pkg-config --libs mcp_elicit)
read -ra private < <(pkg-config --static --libs-only-l mcp_elicit | sed 's/-lmcp_elicit//')
static=("$prefix/lib/libmcp_elicit.a" "${private[@]}")

say "c: symbols"
# What the shared library exports is what the header declares, and nothing else.
library="$prefix/lib/libmcp_elicit.so"
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$OUT/exported"
grep -oE '\bmcp_elicit_[a-z0-9_]+\(' "$prefix/include/mcp_elicit.h" | tr -d '(' | sort -u >"$OUT/declared"
diff "$OUT/declared" "$OUT/exported" || die "the header declares (<) other functions than the library exports (>)"
readelf -d "$library" | grep -q 'SONAME.*\[libmcp_elicit\.so\.0\]' || die "the SONAME is not libmcp_elicit.so.0"

# build NAME COMMAND...: one program of tests/c.
build() {
    local program="$1"
    shift
    "${CC:-cc}" "${FLAGS[@]}" "${cflags[@]}" -o "$OUT/$program" "$@"
}

start_redis

say "c: plain, with the shared and with the static library"
for test in "${TESTS[@]}"; do
    sources=("tests/c/test_$test.c" tests/c/world.c)
    build "$test" "${sources[@]}" "${shared[@]}" "-Wl,-rpath,$prefix/lib" "${cjson[@]}"
    build "$test-static" "${sources[@]}" "${static[@]}" "${cjson[@]}"
    with_redis "$OUT/$test" "$VECTORS"
    with_redis "$OUT/$test-static" "$VECTORS" >/dev/null
done
"${CXX:-c++}" -std=c++17 -g -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" tests/c/test_cpp.cpp \
    -o "$OUT/cpp" "${shared[@]}" "-Wl,-rpath,$prefix/lib"
"$OUT/cpp"

say "c: panics on purpose, in a build that is not shipped"
# The products of both builds have one name: take this one away and bring back the other.
cargo build --locked --quiet -p mcp-elicit-capi --features panic-test
cp "$CARGO_TARGET_DIR/debug/libmcp_elicit_capi.a" "$OUT/libmcp_elicit_panic.a"
cargo build --locked --quiet -p mcp-elicit-capi
build panic tests/c/test_panic.c tests/c/world.c "$OUT/libmcp_elicit_panic.a" "${private[@]}"
"$OUT/panic"
"$OUT/panic" --list | sort >"$OUT/covered"
diff "$OUT/exported" "$OUT/covered" || die "exports (<) that no panic was tried on, or tried names (>) that there are not"
if nm -D --defined-only "$library" | grep -q panic_test; then die "the shipped library panics on purpose"; fi

say "c: valgrind"
for test in "${TESTS[@]}" panic; do
    with_redis valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
        "$OUT/$test" "$VECTORS" >"$BUILD/log/valgrind-$test.log" 2>&1 \
        || { tail -n 60 "$BUILD/log/valgrind-$test.log" >&2; die "valgrind: $test"; }
done

scripts/sanitize.sh
say "c: all of it passed"

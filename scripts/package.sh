#!/usr/bin/env bash
# make package: everything that is shipped, into build/dist.
#
#   wheel (manylinux2014) and sdist, npm tarball, crate, C install tree
#
# On Linux the binaries are linked by zig against an old glibc, so that they run on old systems.
# No binary holds a path of the machine that built it. tests/package/run.py installs all of it.
. "$(dirname "$0")/lib.sh"
need_cargo
need_node
make_venv "$BUILD/venv-package" tests/requirements/package.txt
PATH="$BUILD/venv-package/bin:$PATH"

GLIBC=2.17
DIST="$BUILD/dist"
host="$(rustc -vV | sed -n 's/^host: //p')"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export ZIG_GLOBAL_CACHE_DIR="$BUILD/cache/zig" CARGO_ZIGBUILD_CACHE_DIR="$BUILD/cache/zigbuild"

# These builds have flags of their own; in a folder of their own they do not undo the others.
export CARGO_TARGET_DIR="$CARGO_TARGET_DIR/shipped"
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
rustflags=() cflags=()
for place in "$HOME=home" "$cargo_home=cargo" "$CARGO_TARGET_DIR=target" "$ROOT=mcp-elicit"; do
    rustflags+=("--remap-path-prefix=$place")
    cflags+=("-ffile-prefix-map=$place")
done
CARGO_ENCODED_RUSTFLAGS="$(printf '%s\x1f' "${rustflags[@]}")"
export CARGO_ENCODED_RUSTFLAGS="${CARGO_ENCODED_RUSTFLAGS%$'\x1f'}"
# The C that a crate brings with it, SQLite among it.
export CFLAGS="${CFLAGS:+$CFLAGS }${cflags[*]}"

case "$host" in
    *-linux-gnu)
        cargo_build=(cargo zigbuild --target "$host.$GLIBC")
        maturin_build=(--zig --compatibility manylinux2014)
        products="$CARGO_TARGET_DIR/$host/release"
        ;;
    *)
        cargo_build=(cargo build --target "$host")
        maturin_build=()
        products="$CARGO_TARGET_DIR/$host/release"
        ;;
esac

rm -rf "$DIST" "$BUILD/stage"
mkdir -p "$DIST" "$BUILD/stage"

say "package: wheel and sdist"
quietly wheel maturin build --release --locked --manifest-path bindings-python/Cargo.toml \
    --target "$host" ${maturin_build[@]+"${maturin_build[@]}"} --out "$DIST"
quietly sdist maturin sdist --manifest-path bindings-python/Cargo.toml --out "$DIST"

say "package: C library and Node addon"
"${cargo_build[@]}" --quiet --release --locked -p mcp-elicit-capi
"${cargo_build[@]}" --quiet --release --locked -p mcp-elicit-node

version="$(cargo pkgid --quiet -p mcp-elicit)"
version="${version##*[#@]}"
tree="mcp-elicit-c-$version-$host"
scripts/install_c.sh "$products" "$BUILD/stage/$tree" --relocatable
install -d "$BUILD/stage/$tree/share/doc/mcp-elicit"
install -m 644 README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT "$BUILD/stage/$tree/share/doc/mcp-elicit/"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --directory "$BUILD/stage" "$tree" | gzip --no-name >"$DIST/$tree.tar.gz"

say "package: npm tarball"
scripts/package_npm.sh "$products" "$DIST"

say "package: crate"
# Built by the install test, from what is in it.
cargo package --quiet --locked --allow-dirty --no-verify -p mcp-elicit
cp "$CARGO_TARGET_DIR/package/mcp-elicit-$version.crate" "$DIST/"

for product in "$DIST"/*; do
    say "  $(du -h "$product" | cut -f1)  ${product#"$ROOT"/}"
done
say "package: $(find "$DIST" -type f | wc -l) packages are in build/dist"

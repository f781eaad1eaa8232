#!/usr/bin/env bash
# The npm tarball: the package as it lies in bindings-node, the addon built here, and the sources
# that scripts/build.mjs makes an addon from on platforms that we build none for.
#
#     scripts/package_npm.sh PRODUCTS OUT      PRODUCTS is the folder of cargo's products
. "$(dirname "$0")/lib.sh"
products="${1:?the folder of the built addon}"
out="${2:?where the tarball goes}"
stage="$BUILD/stage/npm"

rm -rf "$stage"
mkdir -p "$stage/native" "$stage/rust/bindings-node"
git -C "$ROOT" ls-files -z --cached --others --exclude-standard -- bindings-node | while IFS= read -r -d '' file; do
    case "$file" in
        bindings-node/src/* | bindings-node/Cargo.toml | bindings-node/build.rs) to="$stage/rust/$file" ;;
        *) to="$stage/${file#bindings-node/}" ;;
    esac
    install -D -m 644 "$file" "$to"
done
cp CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT "$stage/"

# The workspace with the two crates that the addon is made of.
mkdir -p "$stage/rust/core"
# Without its tests and benchmarks, which stay where they are.
awk '/^\[/ { skipped = /^\[\[(test|bench)\]\]|^\[dev-dependencies\]/ } !skipped' core/Cargo.toml >"$stage/rust/core/Cargo.toml"
cp -r core/src "$stage/rust/core/src"
cp README.md LICENSE-APACHE LICENSE-MIT Cargo.lock "$stage/rust/"
sed -E -e 's/^members = .*/members = ["core", "bindings-node"]/' -e '/^default-members/d' Cargo.toml >"$stage/rust/Cargo.toml"

case "$(uname -s)" in Darwin) library=libmcp_elicit_node.dylib ;; *) library=libmcp_elicit_node.so ;; esac
# shellcheck disable=SC2016 # JavaScript's variables
name="$(node -e '
    const libc = process.platform !== "linux" ? "" : process.report.getReport().header.glibcVersionRuntime ? "-gnu" : "-musl";
    console.log(`${process.platform}-${process.arch}${libc}`)')"
install -m 644 "$products/$library" "$stage/native/mcp_elicit.$name.node"
(cd "$stage" && npm pack --silent --ignore-scripts --pack-destination "$out" >/dev/null)

#!/usr/bin/env bash
# make clean: removes what the other targets made.
. "$(dirname "$0")/lib.sh"
rm -rf "$BUILD" "$ROOT/target" "$NODE_DIR/node_modules"
find bindings-node bindings-python \( -name '*.node' -o -name '*.so' \) -delete
find . -path ./.git -prune -o -name __pycache__ -type d -exec rm -rf {} +
say "clean: build, target and what was built into the source folders are gone"

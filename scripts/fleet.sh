#!/usr/bin/env bash
# make fleet: servers in every language that share keys and a Redis, through three phases.
#     scripts/fleet.sh [FLOWS]     flows a phase, 2000 where nothing else is said
. "$(dirname "$0")/lib.sh"
need_system redis-server=redis-server
setup_python
setup_node
servers=python,python,node,c
if need_system cc=gcc pkg-config=pkg-config pc:libmicrohttpd=libmicrohttpd-dev pc:libcjson=libcjson-dev; then
    scripts/build_c.sh examples
else
    [ -z "${CI:-}" ] || exit 1
    servers=python,python,node,node
fi
"$VENV/bin/python" tests/fleet/run.py "${1:-2000}" --servers "$servers"

#!/usr/bin/env bash
# make fleet: servers in every language that share keys and a Redis, through three phases.
#     scripts/fleet.sh [FLOWS]     flows a phase, 2000 where nothing else is said
. "$(dirname "$0")/lib.sh"
need_system redis-server=redis-server
setup_python
setup_node
"$VENV/bin/python" tests/fleet/run.py "${1:-2000}"

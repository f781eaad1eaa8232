"""A server over stdio for the tests of the test host: `deploy`, and tools that misbehave."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from mcp_elicit import Call, Engine, Principal
from support import TARGET, text

engine = Engine(keys=os.environ["KEYS"], audience="stdio")


def deploy(call: Call) -> dict[str, Any]:
    target = call.elicit_form("target", "Which environment?", TARGET)
    if target.action != "accept":
        return text("Nothing was deployed.")
    return text(f"Deployed to {target.content['environment']} by process {os.getpid()}.")


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    name = request["params"]["name"]
    if name == "exit":
        sys.exit(3)
    if name == "print":
        print("Now I deploy.", flush=True)
    if name == "silent":
        continue
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}})
    reply = engine.run(line, deploy, principal=Principal.single_user())
    sys.stdout.write(reply.text + "\n")
    sys.stdout.flush()

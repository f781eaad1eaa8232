"""The middle round of core/benches/round.rs through Python.

python round.py REQUEST SCHEMA     prints `python_round NANOSECONDS`
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from mcp_elicit import Call, Engine, Form, Principal

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
CONFIRM = (
    '{"type":"object","properties":{"sure":{"type":"boolean","title":"Are you sure?"}},'
    '"required":["sure"]}'
)
BATCH, BATCHES = 200, 301

request = Path(sys.argv[1]).read_bytes().strip()
target_form = Form(Path(sys.argv[2]).read_text(encoding="utf-8").strip())
confirm_form = Form(CONFIRM)
engine = Engine(keys=[KEY], audience="bench")
principal = Principal.single_user()


def handler(call: Call) -> dict[str, object]:
    """Takes the first answer and asks the second question."""
    target = call.elicit_form("target", "Where shall it go?", target_form)
    if target.action != "accept":
        return {"content": []}
    confirm = call.elicit_form("confirm", "Deploy now?", confirm_form)
    return {"content": [{"type": "text", "text": confirm.action}]}


reply = engine.run(request, handler, principal=principal)
if list(reply.dict["result"]["inputRequests"]) != ["confirm"]:
    sys.exit(f"not the middle round: {reply.body!r}")

times = []
for _ in range(BATCHES):
    start = time.perf_counter_ns()
    for _ in range(BATCH):
        engine.run(request, handler, principal=principal)
    times.append((time.perf_counter_ns() - start) / BATCH)
print(f"python_round {statistics.median(times):.0f}")

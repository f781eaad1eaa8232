"""What the boundary of the official Python SDK takes for a `requestState` of 1 KB.

python state.py     prints `state_mcp NANOSECONDS`: one round, the state opened and sealed again
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass
from typing import Any

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
STATE = "7" * 1024
BATCH, BATCHES = 100, 101


@dataclass
class Context:
    """What the boundary reads of a request."""

    method: str
    params: dict[str, Any]


security = RequestStateSecurity(keys=[KEY], bind_principal=lambda _: "alice")
boundary = RequestStateBoundary(security, default_audience="deployer")
params: dict[str, Any] = {"name": "deploy", "arguments": {"app": "shop", "n": 1}}


async def handler(context: Any) -> Any:
    """Asks, and carries the same state on."""
    state = context.params.get("requestState", STATE)
    return {"resultType": "input_required", "inputRequests": {}, "requestState": state}


def play(context: Context) -> Any:
    """The boundary awaits nothing but the handler: one step ends it."""
    try:
        boundary(context, handler).send(None)  # type: ignore[arg-type]
    except StopIteration as stop:
        return stop.value
    sys.exit("the boundary waits for something")


sealed = play(Context("tools/call", params))["requestState"]
if sealed == STATE:
    sys.exit("the boundary did not seal")
context = Context("tools/call", {**params, "requestState": sealed})
times = []
for _ in range(BATCHES):
    start = time.perf_counter_ns()
    for _ in range(BATCH):
        play(context)
    times.append((time.perf_counter_ns() - start) / BATCH)
print(f"state_mcp {statistics.median(times):.0f}")

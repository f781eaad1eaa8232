"""One middle round from Python: bytes in, an answered form, the next question, bytes out.

    cargo bench -p mcp-elicit --bench round -- --request | python bindings-python/benches/round.py

The same request as in every language. Prints `name median_ns`, a line each.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp_elicit import Call, Engine, Form, Principal

KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
BATCH = 200
HERE = Path(__file__).resolve()

engine = Engine(keys=KEY, audience="bench")
user = Principal.single_user()
target_form = Form((HERE.parents[2] / "core/benches/target.json").read_text(encoding="utf-8"))
confirm_form = Form(
    '{"type":"object","properties":{"sure":{"type":"boolean","title":"Are you sure?"}},'
    '"required":["sure"]}'
)


def by_hand(message: bytes) -> bytes:
    """The calls that the C bench makes."""
    call = engine.open(message, principal=user)
    target = call.elicit_form("target", "Where shall it go?", target_form)
    if target.action != "accept":
        return call.complete({"content": []}).body
    confirm = call.elicit_form("confirm", "Deploy now?", confirm_form)
    return call.suspend().body if confirm.is_pending else b""


def handler(call: Call) -> dict[str, Any]:
    """The same as a handler."""
    target = call.elicit_form("target", "Where shall it go?", target_form)
    if target.action == "accept":
        assert call.elicit_form("confirm", "Deploy now?", confirm_form).action
    return {"content": []}


def by_run(message: bytes) -> bytes:
    """The same through `run`."""
    return engine.run(message, handler, principal=user).body


def by_run_with_content(message: bytes) -> bytes:
    """The same, the answer read as a dict."""
    return engine.run(message, reading_handler, principal=user).body


def reading_handler(call: Call) -> dict[str, Any]:
    """A handler that looks at the answer."""
    target = call.elicit_form("target", "Where shall it go?", target_form)
    if target.action == "accept" and target.content["environment"]:
        assert call.elicit_form("confirm", "Deploy now?", confirm_form).action
    return {"content": []}


def median(work: Callable[[bytes], bytes], message: bytes) -> float:
    """Median of the time that one run takes, in nanoseconds."""
    times = []
    for _ in range(301):
        start = time.perf_counter_ns()
        for _ in range(BATCH):
            work(message)
        times.append((time.perf_counter_ns() - start) / BATCH)
    return statistics.median(times)


def main() -> None:
    """Measures each way."""
    message = sys.stdin.buffer.read().strip()
    gc.disable()
    for name, work in (
        ("python_round", by_hand),
        ("python_run", by_run),
        ("python_run_content", by_run_with_content),
    ):
        assert b"input_required" in work(message)
        print(f"{name} {median(work, message):.0f}")


if __name__ == "__main__":
    main()

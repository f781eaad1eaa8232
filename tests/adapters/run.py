"""Two workers of an SDK's server behind a round-robin proxy; how many flows the fleet loses.

    python tests/adapters/run.py [FLOWS]      200 where nothing else is said

For the Python and the TypeScript SDK. The workers are processes that share `MCP_ELICIT_KEYS` and
nothing else. The official client, over HTTP, calls a tool that asks, answers, and goes on: two
requests, which the proxy gives to different workers. Then the same with the same tool as the SDK
alone has it, each process with a key of its own: the default of the Python SDK; the TypeScript SDK
has a codec for states, which wants a key. Fails where one of ours is lost, or where a worker was
idle.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, TextContent
from round_robin import RoundRobin

HERE = Path(__file__).resolve().parent
SDKS = {
    "Python": [sys.executable, str(HERE / "worker.py")],
    "TypeScript": ["node", str(HERE / "worker.mjs")],
}
WORKERS = 2


def start(sdk: str, kind: str, stack: AsyncExitStack) -> int:
    """Starts a worker; its port."""
    worker = subprocess.Popen([*SDKS[sdk], kind], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    stack.callback(worker.wait)
    stack.callback(worker.terminate)
    assert worker.stdout is not None
    stack.callback(worker.stdout.close)
    line = worker.stdout.readline().decode()
    if not line.startswith("listening on "):
        raise RuntimeError(f"a worker ({sdk}, {kind}) did not start")
    return int(line.split()[-1])


async def answer(context: Any, params: Any) -> ElicitResult:  # noqa: ARG001 - the SDK gives it
    """Plays the user."""
    return ElicitResult(action="accept", content={"environment": "staging"})


async def flow(client: Client, number: int) -> str:
    """One flow; how it ended."""
    try:
        result = await client.call_tool("deploy", {"app": f"app-{number}"})
    except MCPError as error:
        return f"{error.code} {error.message}"
    wanted = f"Deployed app-{number} to staging."
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    return "done" if texts == [wanted] and not result.is_error else str(texts)


async def fleet(sdk: str, kind: str, flows: int) -> tuple[Counter[str], dict[int, int]]:
    """Runs the flows through two workers: how they ended, and what each worker was sent."""
    async with AsyncExitStack() as stack:
        ports = [start(sdk, kind, stack) for _ in range(WORKERS)]
        proxy = await stack.enter_async_context(RoundRobin(ports))
        http = httpx2.AsyncClient(headers={"authorization": "Bearer demo-ada"}, timeout=60)
        await stack.enter_async_context(http)
        transport = streamable_http_client(f"http://127.0.0.1:{proxy.port}/mcp", http_client=http)
        client = Client(transport, elicitation_callback=answer)
        await stack.enter_async_context(client)
        ends = Counter([await flow(client, number) for number in range(flows)])
        return ends, proxy.sent


def report(title: str, flows: int, ends: Counter[str], sent: dict[int, int]) -> None:
    """Prints how a fleet did."""
    requests = " and ".join(str(count) for count in sent.values())
    lost = flows - ends["done"]
    print(f"{title}: {flows} flows, {ends['done']} completed, {lost} lost ({requests} requests)")
    for end, count in ends.items():
        if end != "done":
            print(f"  {count} x {end}")


def compare(sdk: str, flows: int) -> bool:
    """Runs both fleets of an SDK; whether ours lost nothing."""
    ours, sent = asyncio.run(fleet(sdk, "adapter", flows))
    report(f"{sdk}: with mcp_elicit", flows, ours, sent)
    theirs, their_sent = asyncio.run(fleet(sdk, "sdk", flows))
    report(f"{sdk}: the SDK alone, a key for each process", flows, theirs, their_sent)
    if ours["done"] != flows or min(sent.values()) < flows:
        print(f"FAILED: {sdk}: a flow was lost, or a worker was left out", file=sys.stderr)
        return False
    if theirs["done"] == flows:
        print(
            f"FAILED: {sdk}: the proxy proves nothing: the SDK alone lost no flow", file=sys.stderr
        )
        return False
    return True


def main() -> int:
    """Runs every fleet; the exit status."""
    flows = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    os.environ["MCP_ELICIT_KEYS"] = secrets.token_hex(32)
    held = [compare(sdk, flows) for sdk in SDKS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())

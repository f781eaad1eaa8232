"""The tools of policy_server.py on the official Python SDK, by `mcp_elicit.adapters.mcp`."""

from __future__ import annotations

import os
import socket
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp_elicit import Principal
from mcp_elicit.adapters.mcp import Ask, Question, elicits
from policy_server import TOOLS, Asker, ask, describe, engine, ran

mcp = MCPServer("policies", log_level="ERROR")


def register(name: str) -> None:
    """Registers a tool."""
    tool = TOOLS[name]

    async def said(asking: Ask) -> str:
        asker: Asker[Question[Any]] = Asker(asking.form, asking.url, asking.message, asking.roots)
        question = ask(name, asker)
        return describe(await question)

    async def run(asking: Ask, environment: Any = None, replicas: Any = None) -> str:  # noqa: ARG001
        data = asking.app_data or b""
        if asking.round < tool.get("retry_until_round", 0):
            asking.app_data = data + str(asking.round).encode()
            asking.retry_later()
        if tool["ask"] == "nothing":
            return f"done in round {asking.round} after {data.decode()}"
        if not tool.get("step"):
            return await said(asking)

        def work() -> int:
            ran[asking.flow_id] += 1
            return asking.round

        first = await asking.step("work", work)
        times = f"{ran[asking.flow_id]} times in {asking.round} rounds"
        return f"{await said(asking)}, step of round {first} ran {times}"

    mcp.add_tool(elicits(engine, principal=Principal.single_user())(run), name=name)


for tool_name in TOOLS:
    register(tool_name)

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    app = mcp.streamable_http_app(stateless_http=True, json_response=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])

"""One worker: the example server on the official SDK, with or without us, on a free port.

    python worker.py adapter    a tool that asks through mcp_elicit; keys from MCP_ELICIT_KEYS
    python worker.py sdk        the same tool with what the SDK brings

Prints `listening on PORT`.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp_elicit import Engine
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings-python" / "examples"))
import sdk_server


class Target(BaseModel):
    """What the form asks for."""

    environment: str


async def ask_target() -> Elicit[Target]:
    """The question of the tool."""
    return Elicit("Which environment?", Target)


def without_us() -> MCPServer:
    """The SDK's own way to ask, as its documentation shows it."""
    mcp = MCPServer("deployer", log_level="ERROR")

    @mcp.tool()
    async def deploy(app: str, target: Annotated[Target, Resolve(ask_target)]) -> str:
        """Deploys an app to an environment that the user chooses."""
        return f"Deployed {app} to {target.environment}."

    return mcp


def main() -> None:
    """Serves until it is stopped."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    if sys.argv[1] == "adapter":
        app = sdk_server.app(
            Engine.from_env(audience="deployer", log=sdk_server.log), f"http://127.0.0.1:{port}"
        )
    else:
        app = without_us().streamable_http_app(stateless_http=True)
    print(f"listening on {port}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listener])


if __name__ == "__main__":
    main()

"""What stands around the example of README.md on the official Python SDK: a server over stdio."""

from dataclasses import dataclass
from typing import Literal

from mcp.server.mcpserver import MCPServer
from mcp_elicit import Engine, Principal
from mcp_elicit.adapters.mcp import Ask, elicits

engine = Engine.from_env(audience="readme")


@dataclass
class Target:
    environment: Literal["dev", "staging", "prod"]


# README
mcp.run("stdio")

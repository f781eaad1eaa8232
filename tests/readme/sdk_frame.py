"""What stands around the example of README.md on the official Python SDK: a server over stdio."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_elicit import Engine, Form, Principal
from mcp_elicit.adapters.mcp import Ask, elicits

engine = Engine.from_env(audience="readme")
form = Form(Path("form.json").read_text(encoding="utf-8"))

# README
mcp.run("stdio")

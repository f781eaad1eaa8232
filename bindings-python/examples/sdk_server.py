"""A server on the official Python SDK whose tools ask their user.

    pip install mcp-elicit "mcp>=2.3"
    export MCP_ELICIT_KEYS=$(python -c 'import mcp_elicit; print(mcp_elicit.keygen())')
    PORT=8000 python sdk_server.py       over HTTP, for whoever has a token
    python sdk_server.py --stdio         for the one person who started it

A tool takes `ask` and awaits it. The SDK runs it again for every round of a call; what was asked
and answered travels in the sealed `requestState`, so that any worker with the same key can serve
the next round. `examples/client.py` is a client for it. The tokens are a demo's: they believe any
name.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp_elicit import Engine, Event, Form, Principal
from mcp_elicit.adapters.mcp import Ask, elicits
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

ISSUER = "https://login.example"  # whoever vouches for the users

TARGET = Form(
    {
        "type": "object",
        "properties": {
            "environment": {
                "type": "string",
                "title": "Environment",
                "enum": ["dev", "staging", "prod"],
            },
            "notify": {"type": "boolean", "title": "Notify the team", "default": False},
        },
        "required": ["environment"],
    }
)
SURE = Form(
    {
        "type": "object",
        "properties": {"sure": {"type": "boolean", "title": "Yes, drop it"}},
        "required": ["sure"],
    }
)
REASON = Form(
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "title": "Reason", "minLength": 3}},
        "required": ["reason"],
    }
)


def log(event: Event) -> None:
    """What the operator should know and the client must not, such as why a state was refused."""
    line = {"level": event.level, "name": event.name, "reason": event.reason}
    print(json.dumps({**line, "flowId": event.flow_id}), file=sys.stderr, flush=True)


class DemoTokens:
    """A stand-in for checking real tokens: `demo-NAME` is NAME's."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose token it is; None for one that is none."""
        name = re.fullmatch(r"demo-([a-z0-9-]+)", token)
        if not name:
            return None
        return AccessToken(
            token=token,
            client_id="demo-client",
            scopes=[],
            subject=name[1],
            claims={"iss": ISSUER},
        )


def serve(engine: Engine, base: str | None) -> MCPServer:
    """The server: at `base` for users with tokens, or over stdio for one person."""
    if base is None:
        mcp = MCPServer("deployer", version="1.0.0", log_level="WARNING")
    else:
        mcp = MCPServer(
            "deployer",
            version="1.0.0",
            log_level="WARNING",
            token_verifier=DemoTokens(),
            auth=AuthSettings(
                issuer_url=AnyHttpUrl(ISSUER),
                resource_server_url=AnyHttpUrl(f"{base}/mcp"),
                validate_token_resource=False,  # a real verifier checks what a token is for
            ),
        )
    # Who asks is told by the access token; over stdio there is none, and one person only.
    asking = elicits(engine, principal=None if base else Principal.single_user())

    @mcp.tool()
    @asking
    async def deploy(app: str, ask: Ask) -> str:
        """Deploys an app to an environment that the user chooses."""
        target = await ask.form("target", "Which environment?", TARGET)
        if target.action != "accept":  # decline and cancel are normal
            return "Nothing was deployed."
        notified = " and notified the team" if target.content.get("notify") else ""
        return f"Deployed {app} to {target.content['environment']}{notified}."

    @mcp.tool()
    @asking
    async def drop_database(name: str, ask: Ask) -> str:
        """Drops a database, if the user is sure and says why."""
        sure, why = await ask.gather(
            ask.form("sure", f"Drop the database {name} for good?", SURE, human_only=True),
            ask.form("why", "Why? It goes into the log.", REASON),
        )
        if sure.action != "accept" or not sure.content["sure"] or why.action != "accept":
            return "Nothing was dropped."
        return f"Dropped {name}: {why.content['reason']}"

    return mcp


def app(engine: Engine, base: str) -> Starlette:
    """The server as an ASGI application, for uvicorn or any other."""
    return serve(engine, base).streamable_http_app(stateless_http=True)


if __name__ == "__main__":
    engine = Engine.from_env(audience="deployer", log=log)
    if "--stdio" in sys.argv[1:]:
        serve(engine, None).run("stdio")
    else:
        listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        print(f"listening on {base}/mcp", flush=True)
        uvicorn.Server(uvicorn.Config(app(engine, base), log_level="warning")).run([listener])

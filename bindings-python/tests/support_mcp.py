"""What the tests of the adapter for the official SDK share: servers, clients, a tool."""
# Tools and callbacks have the parameters that the SDK gives them.
# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer
from mcp_elicit import Principal
from mcp_elicit.adapters.mcp import Ask, elicits
from mcp_types import (
    CallToolResult,
    CreateMessageResult,
    ElicitResult,
    InputRequiredResult,
    ListRootsResult,
    Root,
    TextContent,
)
from pydantic import FileUrl
from support import TARGET, Bench

ONE = Principal.single_user()
REFUSED = (-32602, "Invalid or expired requestState", {"reason": "invalid_request_state"})
ACCEPT = {"action": "accept", "content": {"environment": "staging"}}
Answers = dict[str, Any]


def served(
    bench: Bench, *tools: Callable[..., Any], principal: Any = ONE, **settings: Any
) -> MCPServer:
    """A worker: a server of the SDK with its own key, as it is by default."""
    server = MCPServer("deployer", log_level="CRITICAL", **settings)
    for tool in tools:
        server.add_tool(elicits(bench.engine, principal=principal)(tool))
    return server


def runs(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Runs a test that awaits."""

    def run() -> None:
        anyio.run(test)

    run.__name__ = test.__name__
    return run


def says(result: Any) -> str:
    """The one text of a complete result."""
    assert isinstance(result, CallToolResult), result
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


class Asker:
    """A client with every capability, which answers by key and keeps what it was asked."""

    def __init__(self, answers: Answers | None = None) -> None:
        self.answers = answers or {}
        self.asked: list[str] = []

    async def elicit(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult.model_validate(self.answers[context.request_id])

    async def message(self, context: Any, params: Any) -> CreateMessageResult:
        self.asked.append(params.messages[0].content.text)
        content = TextContent(type="text", text="Paris")
        return CreateMessageResult(role="assistant", content=content, model="m")

    async def roots(self, context: Any) -> ListRootsResult:
        self.asked.append("roots")
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///home/ada"))])

    def client(self, server: Any, **settings: Any) -> Client:
        return Client(
            server,
            elicitation_callback=self.elicit,
            sampling_callback=self.message,
            list_roots_callback=self.roots,
            **settings,
        )


async def one_round(
    server: Any,
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    answers: Answers | None = None,
    state: str | None = None,
) -> CallToolResult | InputRequiredResult:
    """One tools/call, by a client that leaves the rounds to the test."""
    given = {key: ElicitResult.model_validate(answer) for key, answer in (answers or {}).items()}
    async with Asker().client(server) as client:
        try:
            return await client.session.call_tool(
                name,
                arguments or {},
                input_responses=given or None,  # type: ignore[arg-type]
                request_state=state,
                allow_input_required=True,
            )
        except MCPError as error:
            refused = error  # raised out here, the client's task group would wrap it
    raise refused


def open_state(result: Any) -> str:
    """The state of a round that is not the last."""
    assert isinstance(result, InputRequiredResult), result
    assert result.request_state is not None
    return result.request_state


# --- the tools ------------------------------------------------------------------------------


async def deploy(app: str, ask: Ask) -> str:
    """Deploys an app."""
    target = await ask.form("target", "Which environment?", TARGET)
    if target.action != "accept":
        return "Nothing was deployed."
    return f"Deployed {app} to {target.content['environment']}."

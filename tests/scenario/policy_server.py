"""A server over HTTP with a tool for each policy, of policy_tools.json; a test plays policies.json.

    PORT=8000 MCP_ELICIT_KEYS=... python policy_server.py

Prints `listening on URL`. The tool of a policy asks one question and says what became of it.
"""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import uvicorn
from mcp_elicit import Call, Engine, Form, NotACallError, Outcome, Principal, Reply, RequestError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TOOLS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parent / "policy_tools.json").read_text(encoding="utf-8")
)
FIELDS = {
    "environment": {"type": "string", "enum": ["dev", "staging", "prod"]},
    "replicas": {"type": "integer", "minimum": 1, "maximum": 9},
    "notify": {"type": "boolean", "default": False},
}
FORMS = {
    name: Form(
        {
            "type": "object",
            "properties": FIELDS,
            "required": tool.get("required", ["environment", "replicas"]),
        }
    )
    for name, tool in TOOLS.items()
}
MESSAGES = [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}]
COMMON = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        **COMMON,
    },
    "tools/list": {
        "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS],
        **COMMON,
    },
}

T = TypeVar("T")


@dataclass
class Asker(Generic[T]):
    """The functions that ask."""

    form: Callable[..., T]
    url: Callable[..., T]
    model: Callable[..., T]
    roots: Callable[..., T]


engine = Engine.from_env(audience="policies")
ran: Counter[str] = Counter()  # how often the step of a flow did its work


def ask(name: str, asker: Asker[T]) -> T:
    """The question of a tool, under the key `target`."""
    options = TOOLS[name].get("options", {})
    match TOOLS[name]["ask"]:
        case "form":
            return asker.form("target", "Where to?", FORMS[name], **options)
        case "url":
            return asker.url("target", "Go there", "https://a.example", False, **options)
        case "model":
            params = {"messages": MESSAGES, "maxTokens": 10}
            return asker.model("target", params, **options)
        case _:
            return asker.roots("target", **options)


def describe(outcome: Outcome[Any]) -> str:
    """What became of a question, in words that are the same in every language."""
    match outcome.action:
        case "accept":
            return f"accept {outcome.source} {outcome.content_json}"
        case "answer" if "roots" in outcome.content:
            return " ".join(["answer", *(root["uri"] for root in outcome.content["roots"])])
        case "answer":
            return f"answer {outcome.content['content']['text']}"
        case "invalid":
            faults = ", ".join(f"{fault.path} {fault.rule}" for fault in outcome.faults)
            return f"invalid {faults}"
        case "unavailable":
            return f"unavailable {outcome.reason}"
        case action:
            return action


def call_tool(call: Call) -> dict[str, Any] | Reply:
    """Runs a tool."""
    tool = TOOLS.get(call.target)
    if tool is None:
        return call.fail(-32602, f"Unknown tool: {call.target}")
    asker: Asker[Outcome[Any]] = Asker(
        call.elicit_form, call.elicit_url, call.create_message, call.list_roots
    )
    if call.round < tool.get("retry_until_round", 0):
        call.app_data = (call.app_data or b"") + str(call.round).encode()
        return call.retry_later()
    if tool["ask"] == "nothing":
        words = f"done in round {call.round} after {(call.app_data or b'').decode()}"
    elif tool.get("step"):

        def work() -> int:
            ran[call.flow_id] += 1
            return call.round

        first = call.step("work", work)
        words = describe(ask(call.target, asker))
        words += f", step of round {first} ran {ran[call.flow_id]} times in {call.round} rounds"
    else:
        words = describe(ask(call.target, asker))
    return {"content": [{"type": "text", "text": words}]}


async def mcp(request: Request) -> Response:
    """One message in, one out. A test's server: it believes that the user is who they say."""
    principal = Principal("https://login.example", request.headers["authorization"], "test")
    body, headers = await request.body(), request.headers.raw
    try:
        reply = engine.run(body, call_tool, principal=principal, headers=headers)
    except NotACallError:
        try:
            message = engine.check(body, headers=headers)
        except RequestError as wrong:
            reply = wrong.reply
        else:
            result = json.dumps(RESULTS[message.method])
            text = f'{{"jsonrpc":"2.0","id":{message.id_json},"result":{result}}}'
            return Response(text, media_type="application/json")
    return Response(reply.body, reply.status, reply.headers)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    app = Starlette(routes=[Route("/mcp", mcp, methods=["POST"])])
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])

"""The server that the conformance suite talks to: Starlette, uvicorn, mcp_elicit, no SDK.

    PORT=8000 python tests/conformance/server.py

Has the tools and the prompt that the suite calls by name; each does what the suite's scenario says
it does, no more. Whatever the protocol demands of a message is left to the engine: this file
routes. First line on stdout: `listening on URL`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp_elicit import Call, Engine, Form, NotACallError, Principal, Reply, RequestError, keygen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SERVER_INFO = {"name": "mcp-elicit-conformance", "version": "1.0.0"}
MAX_BODY = 4 * 1024 * 1024


def form(name: str, kind: str = "string") -> Form:
    """A form of one required field."""
    properties = {name: {"type": kind}}
    return Form({"type": "object", "properties": properties, "required": [name]})


NAME, COLOR, CONTEXT = form("name"), form("color"), form("context")
OK = form("ok", "boolean")


def turn(words: str, tokens: int) -> dict[str, Any]:
    """What a model is asked."""
    message = {"role": "user", "content": {"type": "text", "text": words}}
    return {"messages": [message], "maxTokens": tokens}


def text(words: str) -> dict[str, Any]:
    """A tool's result that is one text."""
    return {"content": [{"type": "text", "text": words}]}


# --- the tools and the prompt ---------------------------------------------------------------


def elicitation(call: Call) -> dict[str, Any]:
    """One form. Also taken when it comes with the first request: one scenario begins so."""
    who = call.elicit_form("user_name", "What is your name?", NAME, accept_unasked=True)
    return text(f"Hello, {who.content['name']}!" if who.action == "accept" else "Hello!")


def sampling(call: Call) -> dict[str, Any]:
    """One turn of the client's model."""
    said = call.create_message("capital_question", turn("What is the capital of France?", 100))
    return text(said.content["content"]["text"])


def list_roots(call: Call) -> dict[str, Any]:
    """The client's roots."""
    roots = call.list_roots("client_roots").content["roots"]
    return text("Roots: " + ", ".join(root["uri"] for root in roots))


def request_state(call: Call) -> dict[str, Any]:
    """A form whose answer only counts with the state."""
    confirmed = call.elicit_form("confirm", "Please confirm", OK)
    return text("state-ok" if confirmed.action == "accept" else "not confirmed")


def multiple_inputs(call: Call) -> dict[str, Any]:
    """Three kinds of question in one round."""
    who = call.elicit_form("user_name", "What is your name?", NAME)
    greeting = call.create_message("greeting", turn("Generate a greeting", 50))
    roots = call.list_roots("client_roots")
    name = who.content["name"] if who.action == "accept" else "somebody"
    return text(
        f"{greeting.content['content']['text']} {name}, {len(roots.content['roots'])} roots"
    )


def multi_round(call: Call) -> dict[str, Any]:
    """A question that follows from another."""
    who = call.elicit_form("step1", "Step 1: What is your name?", NAME)
    if who.action != "accept":
        return text("No name.")
    color = call.elicit_form("step2", "Step 2: What is your favorite color?", COLOR)
    if color.action != "accept":
        return text(f"{who.content['name']} has no color.")
    return text(f"{who.content['name']} likes {color.content['color']}.")


def capabilities(call: Call) -> dict[str, Any]:
    """Asks what the client can be asked."""
    can = call.client_capabilities
    asked = []
    if "sampling" in can:
        asked.append(call.create_message("greeting", turn("Generate a greeting", 50)))
    if call.can_elicit("form"):
        asked.append(call.elicit_form("user_name", "What is your name?", NAME))
    return text(" ".join(outcome.action for outcome in asked))


def streaming(call: Call) -> dict[str, Any]:
    """A question, which goes out in the reply and not as a request of its own."""
    return text(call.elicit_form("user_name", "What is your name?", NAME).action)


def logging(call: Call) -> dict[str, Any]:  # noqa: ARG001 - as all tools
    """Would log; nobody set a level for it."""
    return text("Nothing was logged.")


def prompt(call: Call) -> dict[str, Any]:
    """A prompt that needs to know something first."""
    about = call.elicit_form("user_context", "What context should the prompt use?", CONTEXT)
    words = about.content["context"] if about.action == "accept" else "nothing in particular"
    content = {"type": "text", "text": f"Write about {words}."}
    return {"messages": [{"role": "user", "content": content}]}


Handler = Callable[[Call], dict[str, Any]]
TOOLS: dict[str, Handler] = {
    "test_input_required_result_elicitation": elicitation,
    "test_input_required_result_sampling": sampling,
    "test_input_required_result_list_roots": list_roots,
    "test_input_required_result_request_state": request_state,
    "test_input_required_result_multiple_inputs": multiple_inputs,
    "test_input_required_result_multi_round": multi_round,
    "test_input_required_result_tampered_state": request_state,
    "test_input_required_result_capabilities": capabilities,
    "test_missing_capability": sampling,
    "test_streaming_elicitation": streaming,
    "test_logging_tool": logging,
}
PROMPTS: dict[str, Handler] = {"test_input_required_result_prompt": prompt}
HANDLERS = {"tools/call": ("tool", TOOLS), "prompts/get": ("prompt", PROMPTS)}


def handle(call: Call) -> dict[str, Any] | Reply:
    """Runs what the call is for."""
    kind, known = HANDLERS.get(call.method, ("resource", {}))
    handler = known.get(call.target)
    return handler(call) if handler else call.fail(-32602, f"Unknown {kind}: {call.target}")


# --- the endpoint ---------------------------------------------------------------------------

engine = Engine(keys=[keygen()], audience="conformance", server_info=SERVER_INFO)

LIST = {
    "resultType": "complete",
    "ttlMs": 60_000,
    "cacheScope": "public",
    "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
}
RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "prompts": {}},
        **LIST,
    },
    "tools/list": {
        "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS],
        **LIST,
    },
    "prompts/list": {"prompts": [{"name": name} for name in PROMPTS], **LIST},
}


async def mcp(request: Request) -> Response:
    """POST /mcp: one message in, one out."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return Response(status_code=413)
    headers = request.headers.raw
    try:
        reply = engine.run(body, handle, principal=Principal.none(), headers=headers)
        return Response(reply.body, reply.status, reply.headers)
    except NotACallError:
        pass
    try:
        message = engine.check(body, headers=headers)
    except RequestError as wrong:
        return Response(wrong.reply.body, wrong.reply.status, wrong.reply.headers)
    if message.id is None:
        return Response(status_code=202)
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id}
    if message.method in RESULTS:
        return JSONResponse({**answer, "result": RESULTS[message.method]})
    error = {"code": -32601, "message": f"Method not found: {message.method}"}
    return JSONResponse({**answer, "error": error}, 404)


app = Starlette(routes=[Route("/mcp", mcp, methods=["POST"])])

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])

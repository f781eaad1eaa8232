"""A billing server that asks its user: Starlette, uvicorn and mcp_elicit, no MCP SDK.

    pip install mcp-elicit starlette uvicorn
    export MCP_ELICIT_KEYS=$(python -c 'import mcp_elicit; print(mcp_elicit.keygen())')
    PORT=8000 python billing_server.py

Two tools over Streamable HTTP, revision 2026-07-28. `deploy` asks with a form. `list_invoices`
sends the user to a page of ours to connect the billing account, and goes on when that is done.
Any instance with the same key can serve the next round: the rounds of a call live in the sealed
`requestState`. What this process keeps is what a real one keeps elsewhere: who is signed in, and
who has connected. The tokens and the sign-in are a demo's: they believe any name.
"""

from __future__ import annotations

import html
import json
import os
import re
import secrets
import socket
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, quote

import uvicorn
from mcp_elicit import (
    Call,
    Engine,
    Event,
    Form,
    Limits,
    NotACallError,
    Principal,
    Reply,
    RequestError,
)
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

SERVER_INFO = {"name": "billing", "version": "1.0.0"}
ISSUER = "https://login.example"  # whoever vouches for the users
MAX_BODY = 4 * 1024 * 1024

# --- the tools ------------------------------------------------------------------------------

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


def text(words: str) -> dict[str, Any]:
    """A tool's result that is one text."""
    return {"content": [{"type": "text", "text": words}]}


def deploy(call: Call) -> dict[str, Any]:
    """Asks which environment. Runs again on every round; answered questions return at once."""
    target = call.elicit_form("target", "Which environment?", TARGET)
    if target.action != "accept":  # reading it while nobody has answered ends this run
        return text("Nothing was deployed.")
    notified = " and notified the team" if target.content.get("notify") else ""
    return text(f"Deployed to {target.content['environment']}{notified}.")


def list_invoices(call: Call) -> dict[str, Any]:
    """Sends the user to connect the billing account, then reads the invoices."""
    user = str(call.principal.subject)
    if user not in connected:
        # The link says which flow it is for. Whoever opens it must prove to be the same user.
        remember(flows, call.flow_id, user)
    login = call.elicit_url(
        "login",
        "Sign in to the billing account to read your invoices.",
        f"{base}/connect?flow={call.flow_id}",
        user in connected,  # accepted and not yet done asks again, with the same link
    )
    if login.action != "accept":
        return text("The billing account isn't connected, so no invoices were read.")
    return text("2 open invoices.")


TOOLS: dict[str, Callable[[Call], dict[str, Any]]] = {
    "deploy": deploy,
    "list_invoices": list_invoices,
}
TOOL_LIST = [
    {
        "name": "deploy",
        "description": "Deploys an app to an environment that the user chooses.",
        "inputSchema": {"type": "object", "properties": {"app": {"type": "string"}}},
    },
    {
        "name": "list_invoices",
        "description": "Lists the open invoices of the user's billing account.",
        "inputSchema": {"type": "object", "properties": {"account": {"type": "string"}}},
    },
]


def call_tool(call: Call) -> dict[str, Any] | Reply:
    """Runs the tool that the call is for."""
    tool = TOOLS.get(call.target)
    return tool(call) if tool else call.fail(-32602, f"Unknown tool: {call.target}")


# --- the MCP endpoint -----------------------------------------------------------------------


def log(event: Event) -> None:
    """What the operator should know and the client must not, such as why a state was refused."""
    line = {
        "level": event.level,
        "name": event.name,
        "reason": event.reason,
        "message": event.message,
        "flowId": event.flow_id,
    }
    print(json.dumps(line), file=sys.stderr, flush=True)


engine = Engine.from_env(
    audience="billing",
    server_info=SERVER_INFO,
    limits=Limits(round_ttl_ms=int(os.environ.get("STATE_TTL_MS", "600000"))),
    log=log,
)


async def mcp(request: Request) -> Response:
    """POST /mcp: one JSON-RPC message in, one out."""
    # Who it is comes from verified credentials, never from the message. Here: a demo's token.
    token = re.fullmatch(r"Bearer demo-([a-z0-9-]+)", request.headers.get("authorization", ""))
    if not token:
        return Response(status_code=401, headers={"www-authenticate": "Bearer"})
    principal = Principal(ISSUER, token[1], "demo-client")
    body = await read_body(request)
    if body is None:
        return Response(status_code=413)
    headers = request.headers.raw
    try:
        reply = await engine.arun(body, call_tool, principal=principal, headers=headers)
    except NotACallError:
        return answer(body, headers)
    return Response(reply.body, reply.status, reply.headers)


def answer(body: bytes, headers: list[tuple[bytes, bytes]]) -> Response:
    """Answers what is no call. The engine checks the message; what it says is up to us."""
    try:
        message = engine.check(body, headers=headers)
    except RequestError as wrong:
        reply = wrong.reply
        return Response(reply.body, reply.status, reply.headers)
    if message.id_json is None:
        return Response(status_code=202)  # a notification: nothing to do, nothing to say
    result = RESULTS.get(message.method)
    if result is None:
        error = {"code": -32601, "message": f"Method not found: {message.method}"}
        return said(message.id_json, "error", error, 404)
    return said(message.id_json, "result", result, 200)


def said(id_json: str, member: str, value: dict[str, Any], status: int) -> Response:
    """A JSON-RPC message under the id as it came: JSON has ids that no number here can hold."""
    body = f'{{"jsonrpc":"2.0","id":{id_json},"{member}":{json.dumps(value)}}}'
    return Response(body, status, media_type="application/json")


COMMON = {
    "resultType": "complete",
    "ttlMs": 300_000,
    "cacheScope": "public",
    "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
}
RESULTS: dict[str, dict[str, Any]] = {
    "server/discover": {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        **COMMON,
    },
    "tools/list": {"tools": TOOL_LIST, **COMMON},
}


async def read_body(request: Request) -> bytes | None:
    """The body, or None where it is larger than any message may be."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return body


# --- the page to connect the billing account ------------------------------------------------

flows: OrderedDict[str, str] = OrderedDict()  # flow id: the user whose call asked
sessions: OrderedDict[str, str] = OrderedDict()  # cookie: the user who signed in here
connected: OrderedDict[str, str] = OrderedDict()  # the users who connected their account


def remember(table: OrderedDict[str, str], key: str, value: str) -> None:
    """Keeps the last ten thousand: what a client can fill must have an end."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > 10_000:
        table.popitem(last=False)


async def connect_page(request: Request) -> Response:
    """GET /connect: signs in whoever opened the link, then offers to connect."""
    flow = request.query_params.get("flow", "")
    if flow not in flows:
        return page("This link is not known, or no longer valid.", 404)
    user = sessions.get(request.cookies.get("session", ""))
    hidden = f'<input type="hidden" name="flow" value="{html.escape(flow)}">'
    if user is None:
        return page(
            f'<form method="post" action="/login">{hidden}'
            '<label>User <input name="user" required></label> <button>Sign in</button></form>'
        )
    return page(
        f"<p>Signed in as {html.escape(user)}.</p>"
        f'<form method="post" action="/connect">{hidden}<button>Connect</button></form>'
    )


async def login(request: Request) -> Response:
    """POST /login: a stand-in for a real sign-in; it believes any name."""
    form = await read_form(request)
    if form.get("flow", "") not in flows:
        return page("This link is not known, or no longer valid.", 404)
    if not re.fullmatch(r"[a-z0-9-]+", form.get("user", "")):
        return page("A user's name is lower-case letters, digits and hyphens.", 400)
    session = secrets.token_urlsafe(32)
    remember(sessions, session, form["user"])
    response = RedirectResponse(f"/connect?flow={quote(form['flow'], safe='')}", 303)
    response.set_cookie("session", session, httponly=True, samesite="lax")
    return response


async def connect(request: Request) -> Response:
    """POST /connect: connects, if the one who signed in here is the one whose call asked."""
    form = await read_form(request)
    asked = flows.get(form.get("flow", ""))
    if asked is None:
        return page("This link is not known, or no longer valid.", 404)
    # The link may have been sent on to somebody else (elicitation, "Phishing").
    if sessions.get(request.cookies.get("session", "")) != asked:
        return page("This link was made for somebody else.", 403)
    remember(connected, asked, "")
    return page("Connected. You can close this page.")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a submitted form."""
    return dict(parse_qsl((await read_body(request) or b"").decode(errors="replace")))


def page(body: str, status: int = 200) -> HTMLResponse:
    """A plain page that nobody can frame and that runs no script."""
    policy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'"
    markup = f'<!doctype html><meta charset="utf-8"><title>Billing</title>{body}'
    return HTMLResponse(markup, status, {"content-security-policy": policy})


# --- the process ----------------------------------------------------------------------------


class OnlyLocal:
    """Refuses pages of other origins (streamable-http, "Security & Endpoint")."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what comes from this machine, or from no page at all."""
        origins = Headers(scope=scope).getlist("origin") if scope["type"] == "http" else []
        local = re.compile(r"https?://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")
        if all(local.fullmatch(origin) for origin in origins):
            await self._app(scope, receive, send)
        else:
            await Response(status_code=403)(scope, receive, send)


app = Starlette(
    routes=[
        Route("/mcp", mcp, methods=["POST"]),  # GET and DELETE: 405
        Route("/connect", connect_page, methods=["GET"]),
        Route("/connect", connect, methods=["POST"]),
        Route("/login", login, methods=["POST"]),
    ],
    middleware=[Middleware(OnlyLocal)],
)
base = ""  # where the pages are; known when the port is

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    print(f"listening on {base}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])

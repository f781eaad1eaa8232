"""A server that pays at most once: it asks twice, claims, and then pays. Starlette and uvicorn.

    pip install mcp-elicit redis starlette uvicorn
    export MCP_ELICIT_KEYS=$(python -c 'import mcp_elicit; print(mcp_elicit.keygen())')
    STORE=redis://127.0.0.1:6379/0 LEDGER=payments.jsonl PORT=8000 python pay_server.py

A call of `pay` takes three rounds: how much and to whom, whether to, and then the payment. Any
process with the same keys and the same store can serve the next round, and a request that is sent
twice pays once: the second gets the first one's result. STORE is a `redis://` or `rediss://` URL,
or else the path of a SQLite file that the processes of one machine share. The payment is a
stand-in: a line in the file LEDGER. The tokens are a demo's: they believe any name.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
from typing import Any

import uvicorn
from mcp_elicit import (
    Call,
    Engine,
    Event,
    Form,
    Limits,
    NotACallError,
    Principal,
    RedisStore,
    Reply,
    RequestError,
    SqliteStore,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

SERVER_INFO = {"name": "payments", "version": "1.0.0"}
ISSUER = "https://login.example"  # whoever vouches for the users
LEDGER = os.environ.get("LEDGER", "payments.jsonl")
MAX_BODY = 4 * 1024 * 1024

# --- the tool -------------------------------------------------------------------------------

ORDER = Form(
    {
        "type": "object",
        "properties": {
            "payee": {"type": "string", "title": "To whom", "minLength": 1, "maxLength": 80},
            "cents": {"type": "integer", "title": "Cents", "minimum": 1, "maximum": 100_000},
        },
        "required": ["payee", "cents"],
    }
)
SURE = Form(
    {
        "type": "object",
        "properties": {"sure": {"type": "boolean", "title": "Yes, pay"}},
        "required": ["sure"],
    }
)


def text(words: str, **members: Any) -> dict[str, Any]:
    """A tool's result that is one text."""
    return {"content": [{"type": "text", "text": words}], **members}


async def pay(call: Call) -> dict[str, Any] | Reply:
    """Runs again on every round; what was answered returns at once."""
    order = call.elicit_form("order", "How much do you want to pay, and to whom?", ORDER)
    if order.action != "accept":  # reading it while nobody has answered ends this run
        return text("Nothing was paid.")
    payee, cents = order.content["payee"], int(order.content["cents"])
    sure = call.elicit_form("sure", f"Pay {cents} cents to {payee}?", SURE, human_only=True)
    if sure.action != "accept" or not sure.content["sure"]:
        return text("Nothing was paid.")

    # The client may send this round twice, and to two processes. The first claim of the flow
    # wins; `remember` keeps the result for whoever lost it on the way.
    claimed = await call.aclaim(remember=True)
    if claimed.status == "recorded":
        return claimed.result or {}
    if claimed.status == "in_progress":
        await asyncio.sleep(0.05)
        return call.retry_later()  # the client comes back by itself
    if claimed.status != "won":
        # The process that paid, or was about to, has died. A real server would ask its provider
        # for the payment of this key.
        key = call.idempotency_key
        return text(f"Whether this was paid is not known. Its key is {key}.", isError=True)
    await transfer(call.idempotency_key, payee, cents)
    return text(f"Paid {cents} cents to {payee}.")


async def transfer(key: str, payee: str, cents: int) -> None:
    """A stand-in for the provider: one line in one write, on the disk before it counts."""
    line = json.dumps({"key": key, "payee": payee, "cents": cents, "pid": os.getpid()}) + "\n"

    def write() -> None:
        ledger = os.open(LEDGER, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(ledger, line.encode())
            os.fsync(ledger)
        finally:
            os.close(ledger)

    await asyncio.to_thread(write)


TOOL_LIST = [
    {
        "name": "pay",
        "description": "Pays somebody, when the user has said whom and how much, and confirmed.",
        "inputSchema": {"type": "object", "properties": {}},
    },
]


async def call_tool(call: Call) -> dict[str, Any] | Reply:
    """Runs the tool that the call is for."""
    return await pay(call) if call.target == "pay" else call.fail(-32602, "Unknown tool")


# --- the engine -----------------------------------------------------------------------------


def log(event: Event) -> None:
    """What the operator should know and the client must not, such as a store that failed."""
    line = {"level": event.level, "name": event.name, "reason": event.reason}
    print(json.dumps({**line, "flowId": event.flow_id}), file=sys.stderr, flush=True)


def store(place: str, limit_ms: int) -> RedisStore | SqliteStore:
    """Where claims are kept: shared by all processes of the service."""
    if re.match(r"rediss?://", place):
        import redis.asyncio

        return RedisStore(redis.asyncio.from_url(place), time_limit_ms=limit_ms)
    return SqliteStore(place, time_limit_ms=limit_ms)


engine = Engine.from_env(
    audience="payments",
    server_info=SERVER_INFO,
    limits=Limits(claim_wait_ms=int(os.environ.get("CLAIM_WAIT_MS", "60000"))),
    log=log,
    store=store(
        os.environ.get("STORE", "claims.db"), int(os.environ.get("STORE_TIME_LIMIT_MS", "2000"))
    ),
)

# --- the MCP endpoint -----------------------------------------------------------------------


async def mcp(request: Request) -> Response:
    """POST /mcp: one JSON-RPC message in, one out."""
    # Who it is comes from verified credentials, never from the message. Here: a demo's token.
    token = re.fullmatch(r"Bearer demo-([a-z0-9-]+)", request.headers.get("authorization", ""))
    if not token:
        return Response(status_code=401, headers={"www-authenticate": "Bearer"})
    principal = Principal(ISSUER, token[1], "demo-client")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return Response(status_code=413)
    headers = request.headers.raw
    try:
        reply = await engine.arun(body, call_tool, principal=principal, headers=headers)
    except NotACallError:
        return answer(body, headers)
    return Response(reply.body, reply.status, reply.headers)


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


def answer(body: bytes, headers: list[tuple[bytes, bytes]]) -> Response:
    """Answers what is no call. The engine checks the message; what it says is up to us."""
    try:
        message = engine.check(body, headers=headers)
    except RequestError as wrong:
        return Response(wrong.reply.body, wrong.reply.status, wrong.reply.headers)
    if message.id_json is None:
        return Response(status_code=202)  # a notification: nothing to do, nothing to say
    result, status = RESULTS.get(message.method), 200
    said = f'"result":{json.dumps(result)}'
    if result is None:
        error = {"code": -32601, "message": f"Method not found: {message.method}"}
        said, status = f'"error":{json.dumps(error)}', 404
    # The id as it came: JSON has ids that no number here can hold.
    body = f'{{"jsonrpc":"2.0","id":{message.id_json},{said}}}'.encode()
    return Response(body, status, media_type="application/json")


app = Starlette(routes=[Route("/mcp", mcp, methods=["POST"])])

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "0"))))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])

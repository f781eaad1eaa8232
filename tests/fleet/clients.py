"""Plays flows with the official Python client. `clients.mjs` does the same with the TypeScript one.

    python clients.py URL

Reads a line a flow, `{"worker": 3, "flow": "first-17"}`, and plays the flows of different workers
at a time: a call of `pay`, whose questions it answers with the flow's name as payee. The request
that carries the last answer is sent twice: by the client, and at the same time by plain HTTP, to
its end. A request whose connection breaks is sent again as it was, as a host would. Prints a line a
flow: `{"flow", "end", "again", "ms"}`, where `end` is what the client was told and `again` what the
second sending was told: "paid", "unknown", or else whatever it was.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, TextContent

FINAL = b'"sure":'
ROUNDS = 400  # a claim whose winner died is waited for by rounds without a question
SENDINGS = 50
TIMEOUT = 120


def told(flow: str, words: str) -> str:
    """What a text of the server means for a flow."""
    if words == f"Paid 100 cents to {flow}.":
        return "paid"
    return "unknown" if words.startswith("Whether this was paid is not known.") else words


class Insistent(httpx2.AsyncBaseTransport):
    """Sends a request again while connections break; tells of the one that has the last answer."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, worker: Worker | None = None) -> None:
        self._inner, self._worker = inner, worker

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One request, sent until it is answered."""
        body = await request.aread()
        if self._worker is not None and FINAL in body:
            self._worker.send_beside(request.headers, body)
        for sending in range(SENDINGS):
            try:
                response = await self._inner.handle_async_request(request)
                assert isinstance(response.stream, httpx2.AsyncByteStream)
                content = b"".join([chunk async for chunk in response.stream])
                await response.aclose()
            except httpx2.TransportError:
                if sending == SENDINGS - 1:
                    raise
                await asyncio.sleep(0.05)
            else:
                return httpx2.Response(
                    response.status_code, headers=response.headers, content=content
                )
        raise AssertionError

    async def aclose(self) -> None:
        """Closes what is below."""
        await self._inner.aclose()


class Worker:
    """One user with one official client, who plays one flow at a time."""

    def __init__(self, name: str, url: str) -> None:
        self._name, self._url = name, url
        self._flow = ""
        self._beside: asyncio.Task[str] | None = None

    async def answer(self, context: Any, params: Any) -> ElicitResult:  # noqa: ARG002 - the SDK gives it
        """Plays the user."""
        if "payee" in params.requested_schema["properties"]:
            return ElicitResult(action="accept", content={"payee": self._flow, "cents": 100})
        return ElicitResult(action="accept", content={"sure": True})

    def send_beside(self, headers: httpx2.Headers, body: bytes) -> None:
        """Sends the last round a second time."""
        self._beside = asyncio.ensure_future(self._play(headers, body))

    async def _play(self, headers: httpx2.Headers, body: bytes) -> str:
        """The last round by plain HTTP, and the rounds that it is sent into."""
        message = json.loads(body)
        sent = {name: headers[name] for name in headers if name != "content-length"}
        for number in range(ROUNDS):
            message["id"] = f"beside-{number}"
            response = await self._plain.post(self._url, headers=sent, json=message)
            said = response.json()
            result = said.get("result")
            if result is None or result.get("inputRequests"):
                return f"HTTP {response.status_code} {json.dumps(said)}"
            if result["resultType"] != "input_required":
                return told(self._flow, result["content"][0]["text"])
            await asyncio.sleep(0.1)
            message["params"]["requestState"] = result["requestState"]
            message["params"].pop("inputResponses", None)
        return "no end"

    async def run(self, flows: asyncio.Queue[str]) -> None:
        """Plays flows for ever."""
        async with AsyncExitStack() as stack:
            below = [httpx2.AsyncHTTPTransport() for _ in range(2)]
            self._plain = httpx2.AsyncClient(transport=Insistent(below[0]), timeout=TIMEOUT)
            http = httpx2.AsyncClient(
                headers={"authorization": f"Bearer demo-{self._name}"},
                transport=Insistent(below[1], self),
                timeout=TIMEOUT,
            )
            for client in (self._plain, http):
                await stack.enter_async_context(client)
            official = await stack.enter_async_context(
                Client(
                    streamable_http_client(self._url, http_client=http),
                    elicitation_callback=self.answer,
                    input_required_max_rounds=ROUNDS,
                )
            )
            while True:
                self._flow = await flows.get()
                started = time.monotonic()
                end = await self._call(official)
                took = time.monotonic() - started
                again = await self._beside if self._beside else "the last round was not reached"
                self._beside = None
                line = {"flow": self._flow, "end": end, "again": again, "ms": took * 1000}
                print(json.dumps(line), flush=True)

    async def _call(self, client: Client) -> str:
        try:
            result = await client.call_tool("pay", {})
        except Exception as error:  # whatever the SDK raises is the flow's end
            return repr(error)
        texts = [part.text for part in result.content if isinstance(part, TextContent)]
        return told(self._flow, " ".join(texts))


async def main() -> None:
    """Serves the lines of the standard input, until it ends."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    queues: dict[int, asyncio.Queue[str]] = {}
    async with anyio.create_task_group() as workers:
        while line := await lines.readline():
            wanted = json.loads(line)
            number = wanted["worker"]
            if number not in queues:
                queues[number] = asyncio.Queue()
                workers.start_soon(Worker(f"py-{number}", sys.argv[1]).run, queues[number])
            queues[number].put_nowait(wanted["flow"])
        workers.cancel_scope.cancel()


if __name__ == "__main__":
    asyncio.run(main())

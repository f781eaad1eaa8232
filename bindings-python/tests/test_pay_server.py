"""The example that pays: processes that share a store, the official client, and one killed."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from store_support import RedisServer
from support import CAPABILITIES, EXAMPLES, KEY, VERSION

ADA = {"authorization": "Bearer demo-ada"}
ANSWERS: dict[str, Any] = {"order": {"payee": "Ada", "cents": 7}, "sure": {"sure": True}}


class Fleet:
    """Two processes of the example, with one store and one ledger."""

    def __init__(self, folder: Path, store: str) -> None:
        self.ledger = folder / "payments.jsonl"
        self._environment = {
            **os.environ,
            "MCP_ELICIT_KEYS": KEY,
            "STORE": store,
            "LEDGER": str(self.ledger),
            # Longer than any payment may take on a machine that is busy.
            "CLAIM_WAIT_MS": "600000",
        }
        self.processes: list[subprocess.Popen[str]] = []
        self.urls: list[str] = []

    def start(self, **environment: str) -> str:
        process = subprocess.Popen(
            [sys.executable, str(EXAMPLES / "pay_server.py")],
            env={**self._environment, **environment},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), line
        self.urls.append(line.removeprefix("listening on ").strip())
        return self.urls[-1]

    def paid(self) -> list[dict[str, Any]]:
        if not self.ledger.exists():
            return []
        return [json.loads(line) for line in self.ledger.read_text().splitlines()]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


@pytest.fixture(params=["sqlite", "redis"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    server = RedisServer()
    store = str(tmp_path / "claims.db")
    if request.param == "redis":
        server.start()
        store = server.url
    made = Fleet(tmp_path, store)
    try:
        made.start()
        made.start()
        yield made
    finally:
        made.close()
        server.kill()


def post(url: str, **params: Any) -> dict[str, Any]:
    """One round, by hand."""
    capabilities: dict[str, Any] = {"elicitation": {"form": {}}}
    params = {"name": "pay", "_meta": {VERSION: "2026-07-28", CAPABILITIES: capabilities}, **params}
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "pay"}
    with httpx2.Client(headers={**ADA, **headers}, timeout=60) as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answered: dict[str, Any] = client.post(url, json=body).json()
    return answered


def answers(key: str, state: str) -> dict[str, Any]:
    response = {key: {"action": "accept", "content": ANSWERS[key]}}
    return {"inputResponses": response, "requestState": state}


def before_the_payment(fleet: Fleet) -> dict[str, Any]:
    """The parameters of the round that pays; each round by another process."""
    first = post(fleet.urls[0])["result"]
    assert list(first["inputRequests"]) == ["order"]
    second = post(fleet.urls[1], **answers("order", first["requestState"]))["result"]
    assert second["inputRequests"]["sure"]["params"]["message"] == "Pay 7 cents to Ada?"
    return answers("sure", second["requestState"])


def said(reply: dict[str, Any]) -> str:
    words: str = reply["result"]["content"][0]["text"]
    return words


def test_the_round_that_pays_sent_to_every_process_at_once_pays_once(fleet: Fleet) -> None:
    for flow in range(1, 6):
        last = before_the_payment(fleet)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            sent = [pool.submit(post, fleet.urls[at % 2], **last) for at in range(8)]
            replies = [reply.result() for reply in sent]
        for reply in replies:
            while reply["result"]["resultType"] == "input_required":  # the other is at it
                reply = post(fleet.urls[0], requestState=reply["result"]["requestState"])
            assert said(reply) == "Paid 7 cents to Ada."
        assert len(fleet.paid()) == flow
    assert len({payment["key"] for payment in fleet.paid()}) == 5


def test_the_official_client_pays(fleet: Fleet) -> None:
    async def answer(context: ClientRequestContext, params: Any) -> ElicitResult:
        del params
        return ElicitResult(action="accept", content=ANSWERS[str(context.request_id)])

    async def play() -> None:
        async with (
            httpx2.AsyncClient(headers=ADA) as http,
            Client(
                streamable_http_client(fleet.urls[0], http_client=http), elicitation_callback=answer
            ) as client,
        ):
            assert [tool.name for tool in (await client.list_tools()).tools] == ["pay"]
            result = await client.call_tool("pay", {})
            assert result.content[0].model_dump()["text"] == "Paid 7 cents to Ada."

    anyio.run(play)
    assert len(fleet.paid()) == 1


def test_no_to_the_second_question_pays_nothing(fleet: Fleet) -> None:
    last = before_the_payment(fleet)
    last["inputResponses"]["sure"]["content"] = {"sure": False}
    assert said(post(fleet.urls[0], **last)) == "Nothing was paid."
    assert fleet.paid() == []


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="sees by /proc what a process does")
def test_a_process_that_is_killed_while_it_pays_leaves_an_unknown_outcome(fleet: Fleet) -> None:
    """Its ledger is a pipe that is full, so that the payment hangs; then the process dies."""
    pipe = fleet.ledger.with_name("pipe")
    os.mkfifo(pipe)
    full = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(full, bytes(4096))
    dying = fleet.start(LEDGER=str(pipe))
    impatient = fleet.start(CLAIM_WAIT_MS="100")
    last = before_the_payment(fleet)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        lost = pool.submit(post, dying, **last)
        while not has_open(fleet.processes[2].pid, pipe):
            time.sleep(0.01)
        reply = post(fleet.urls[0], **last)
        assert reply["result"]["resultType"] == "input_required", "another is at it"
        fleet.processes[2].kill()
        with pytest.raises(httpx2.HTTPError):
            lost.result()
    os.close(full)
    while reply["result"]["resultType"] == "input_required":
        time.sleep(0.05)
        reply = post(impatient, requestState=reply["result"]["requestState"])
    assert reply["result"]["isError"] is True
    assert "not known" in said(reply)
    assert fleet.paid() == []


def has_open(process: int, path: Path) -> bool:
    """Whether a process has a file open."""
    links = []
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            links.append(link.readlink())
    return path in links

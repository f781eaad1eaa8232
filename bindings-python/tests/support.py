"""What the tests share: engines that repeat themselves, requests, the vectors."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from mcp_elicit import Engine, Event, Form, Limits, Principal

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors"
EXAMPLES = ROOT / "bindings-python" / "examples"
KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
USER = Principal("https://login.example", "alice", "client-1")
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

SCHEMA: dict[str, Any] = {
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
TARGET = Form(SCHEMA)


class Counter:
    """Randomness that repeats: successive bytes 0 to 255, over the life of an engine."""

    def __init__(self) -> None:
        self._bytes = itertools.cycle(range(256))

    def __call__(self, count: int) -> bytes:
        return bytes(itertools.islice(self._bytes, count))


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class Bench:
    """An engine with its clock and what it logged."""

    def __init__(
        self,
        *,
        keys: Any = KEY,
        audience: str = "deployer",
        limits: Limits | None = None,
        server_info: dict[str, Any] | None = None,
        now: int = 1_800_000_000_000,
    ) -> None:
        self.clock = Clock(now)
        self.log: list[Event] = []
        self.engine = Engine(
            keys=keys,
            audience=audience,
            limits=limits,
            server_info=server_info,
            clock=self.clock,
            random=Counter(),
            log=self.log.append,
        )

    @property
    def logged(self) -> list[tuple[str, str]]:
        """Name and reason of what was logged."""
        return [(event.name, event.reason) for event in self.log]


def meta(**capabilities: Any) -> dict[str, Any]:
    """The `_meta` of a request."""
    return {VERSION: "2026-07-28", CAPABILITIES: capabilities}


def request(
    arguments: dict[str, Any] | None = None,
    *,
    name: str = "deploy",
    capabilities: dict[str, Any] | None = None,
    **params: Any,
) -> dict[str, Any]:
    """A tools/call by a client that can show forms and links."""
    if capabilities is None:
        capabilities = {"elicitation": {"form": {}, "url": {}}}
    params = {"name": name, "_meta": meta(**capabilities), **params}
    if arguments is not None:
        params["arguments"] = arguments
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def answered(reply: Any, **answers: Any) -> dict[str, Any]:
    """The request that comes back with answers to a reply."""
    return request(inputResponses=answers, requestState=reply.dict["result"]["requestState"])


def accept(**content: Any) -> dict[str, Any]:
    """An accepted form."""
    return {"action": "accept", "content": content}


def text(words: str) -> dict[str, Any]:
    """A result that is one text."""
    return {"content": [{"type": "text", "text": words}]}


def vectors(name: str) -> Any:
    """A file of the shared vectors."""
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def exact(name: str) -> Any:
    """The same, with fractions as they are written."""
    return json.loads((VECTORS / name).read_text(encoding="utf-8"), parse_float=str)


def printed(value: Any) -> str:
    """A value as JSON without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined(value: Any) -> bytes:
    """A text or bytes of a vector: a string, or parts."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return b"".join(joined(part) for part in value)
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    return joined(value["repeat"]) * int(value["times"])

"""What the tests of stores share: servers, a network that fails, stores of one's own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import redis
import redis.asyncio
from mcp_elicit import MemoryStore
from redis.backoff import NoBackoff
from redis.retry import Retry

HOUR = 3_600_000


class RedisServer:
    """A server on a free loopback port, without a disk."""

    def __init__(self, *options: str, **connection: Any) -> None:
        self.port = free_port()
        self._options = options or ("--port", str(self.port))
        self._connection = {"host": "127.0.0.1", "port": self.port, **connection}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        if not shutil.which("redis-server"):
            # On a user's machine a visible skip, in CI a failure.
            assert not os.environ.get("CI"), "CI must have redis-server"
            pytest.skip("redis-server is not on the path")
        self._process = subprocess.Popen(
            [
                *("redis-server", *self._options),
                *("--bind", "127.0.0.1", "--appendonly", "no"),
                *("--save", "", "--dir", tempfile.gettempdir()),
            ],
            stdout=subprocess.DEVNULL,
        )
        for _ in range(1000):
            with contextlib.suppress(redis.RedisError):
                self.run("PING")
                return
            time.sleep(0.02)
        pytest.fail("redis-server did not come up")

    def kill(self) -> None:
        """SIGKILL, to the process that was started here."""
        if self._process:
            self._process.kill()
            self._process.wait()

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> Any:
        """A client that blocks."""
        return redis.Redis(**self._connection, retry=Retry(NoBackoff(), 0))

    def run(self, *command: Any) -> Any:
        """What the server says to a command."""
        with self.client() as client:
            return client.execute_command(*command)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Proxy:
    """Stands before a server; each new connection fails in the next of the ways, the last stays.

    connect: closes at once. request: takes an operation, and closes. answer: passes it on, and
    closes without the answer. silence: takes it and says nothing. pass: fails in no way.
    """

    def __init__(self, server: int, *ways: str) -> None:
        self._server = server
        self._ways = list(ways)
        self.operations = 0
        self._end = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                way = self._ways.pop(0) if len(self._ways) > 1 else self._ways[0]
                threading.Thread(target=self._serve, args=(client, way), daemon=True).start()

    def _serve(self, client: socket.socket, way: str) -> None:
        with client, contextlib.suppress(OSError):
            if way == "connect":
                return
            with socket.create_connection(("127.0.0.1", self._server)) as server:
                while request := client.recv(1 << 16):
                    # The client's greeting goes through: what fails is the operation.
                    operation = b"EVAL" in request or b"\nGET" in request
                    self.operations += operation
                    if operation and way == "request":
                        return
                    if operation and way == "silence":
                        self._end.wait()
                        return
                    server.sendall(request)
                    answer = server.recv(1 << 16)
                    if operation and way == "answer":
                        return
                    client.sendall(answer)

    def close(self) -> None:
        """Ends it."""
        self._end.set()
        self._listener.close()


@contextlib.contextmanager
def proxy(server: RedisServer, *ways: str) -> Iterator[Proxy]:
    """A proxy for the time of a test."""
    made = Proxy(server.port, *ways)
    try:
        yield made
    finally:
        made.close()


class Own:
    """A store of one's own whose methods block: a dict, and whatever a test does before it."""

    def __init__(self, before: Callable[[str], Any] = lambda _: None) -> None:
        self._store = MemoryStore()
        self.before = before
        self.asked: list[str] = []
        self.put: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        self._say("get")
        return self._store.get(key)

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        self._say("put_if_absent")
        return self._store.put_if_absent(key, value, ttl_ms)

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int) -> bool:
        self._say("compare_and_set")
        self.put[key] = value
        return self._store.compare_and_set(key, expected, value, ttl_ms)

    def compare_and_delete(self, key: str, expected: bytes) -> bool:
        self._say("compare_and_delete")
        return self._store.compare_and_delete(key, expected)

    def _say(self, name: str) -> None:
        self.asked.append(name)
        self.before(name)


class OwnAsync:
    """The same, with methods that await."""

    def __init__(self, before: Callable[[str], Awaitable[Any]] | None = None) -> None:
        self._store = MemoryStore()
        self.before = before
        self.asked: list[str] = []

    async def get(self, key: str) -> bytes | None:
        await self._say("get")
        return self._store.get(key)

    async def put_if_absent(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        await self._say("put_if_absent")
        return self._store.put_if_absent(key, value, ttl_ms)

    async def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int) -> bool:
        await self._say("compare_and_set")
        return self._store.compare_and_set(key, expected, value, ttl_ms)

    async def compare_and_delete(self, key: str, expected: bytes) -> bool:
        await self._say("compare_and_delete")
        return self._store.compare_and_delete(key, expected)

    async def _say(self, name: str) -> None:
        self.asked.append(name)
        await asyncio.sleep(0)
        if self.before:
            await self.before(name)

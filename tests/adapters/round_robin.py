"""A proxy that sends every request to the next server in turn. Python standard library only.

One request a connection: what an honest load balancer without sticky sessions does, at its worst.
HTTP/1.1 with `Content-Length`, which is what MCP clients send.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_HEAD = 64 * 1024


class RoundRobin:
    """Listens on a free port of this machine; `async with` it."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = itertools.cycle(ports)
        self._serving: set[asyncio.Task[None]] = set()
        self.sent = dict.fromkeys(ports, 0)
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        # A client may hold connections open on which it never sent anything.
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = [line for line in head.split(b"\r\n") if line]
            fields = [line.split(b":", 1) for line in lines[1:]]
            length = sum(int(value) for name, value in fields if name.lower() == b"content-length")
            body = await reader.readexactly(length)
            await self._answer(lines, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # one side went away; the other sees it
        finally:
            writer.close()

    async def _answer(self, head: list[bytes], body: bytes, writer: asyncio.StreamWriter) -> None:
        """Chooses a server for a request, and gives back what it says."""
        port = next(self._ports)
        self.sent[port] += 1
        back, forth = await asyncio.open_connection("127.0.0.1", port)
        await exchange(head, body, back, forth, writer)


async def exchange(
    head: list[bytes],
    body: bytes,
    back: asyncio.StreamReader,
    forth: asyncio.StreamWriter,
    writer: asyncio.StreamWriter,
) -> None:
    """Sends a request to a server, and what the server says to the client, to its end."""
    kept = [line for line in head if not line.lower().startswith(b"connection:")]
    try:
        forth.write(b"\r\n".join([*kept, b"Connection: close", b"", body]))
        await forth.drain()
        while chunk := await back.read(65536):
            writer.write(chunk)
            await writer.drain()
    finally:
        forth.close()

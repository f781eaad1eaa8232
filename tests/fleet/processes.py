"""The processes of the fleet: Redis and the pay servers of the examples, each ended by its id."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "scenario"))
from servers import clean_environment

if TYPE_CHECKING:
    from proxy import Proxy, Slot
    from typing_extensions import Self

COMMANDS: dict[str, list[str]] = {
    "python": [sys.executable, "bindings-python/examples/pay_server.py"],
    "node": ["node", "bindings-node/examples/pay-server.mjs"],
    "c": ["build/c/pay_server"],
}
START_SECONDS = 60


class DidNotStart(Exception):
    """A process that ended, or said nothing, before it listened."""


async def stop(process: asyncio.subprocess.Process) -> None:
    """Ends a process, gently."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), 20)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()


class Redis:
    """A Redis server of our own, on a free port, that keeps nothing; `async with` it."""

    async def __aenter__(self) -> Self:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process = await asyncio.create_subprocess_exec(
            *f"redis-server --port {self.port} --bind 127.0.0.1 --appendonly no".split(),
            "--save",
            "",
            stdout=asyncio.subprocess.DEVNULL,
        )
        for _ in range(START_SECONDS * 20):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            await asyncio.sleep(0.05)
        await stop(self._process)
        raise DidNotStart("redis-server")

    async def __aexit__(self, *exc: object) -> None:
        await stop(self._process)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://127.0.0.1:{self.port}/0"


class PayServer:
    """One pay server: started, drained, killed and started again, in its place at the proxy."""

    def __init__(self, kind: str, slot: Slot, log: Path) -> None:
        self._kind, self.slot, self._log = kind, slot, log
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, settings: dict[str, str]) -> None:
        """Starts it with these variables; the proxy has it once it listens."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *COMMANDS[self._kind],
                env=clean_environment(**settings, PORT="0"),
                cwd=ROOT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        line = b""
        with contextlib.suppress(asyncio.TimeoutError):
            line = await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        found = re.fullmatch(rb"listening on http://127\.0\.0\.1:(\d+)/mcp\n", line)
        if not found:
            raise DidNotStart(f"{self.slot.name}: see {self._log.relative_to(ROOT)}")
        self.slot.port = int(found[1])

    async def stop(self) -> None:
        """Ends it, if it runs."""
        self.slot.port = None
        if self._process is not None:
            await stop(self._process)
            self._process = None

    async def kill(self) -> None:
        """Ends it with SIGKILL, whatever it is doing. The proxy is not told."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()
        self._process = None


async def roll(servers: list[PayServer], proxy: Proxy, settings: dict[str, str]) -> None:
    """Gives all servers new settings, one after the other, without a call that notices."""
    for server in servers:
        await proxy.drain(server.slot)
        await server.stop()
        await server.start(settings)

"""The proxy of the fleet: no two requests of a client in a row go to the same process.

Round-robin over the processes that are up and not draining. A process that refuses a connection
was never given the request, so the next one gets it, and the dead one none until it is back. One
that dies while it answers breaks the client's connection too: what to do then is the client's part.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "adapters"))
from round_robin import RoundRobin, exchange

#: What the last round of a flow answers, as both official clients write it.
FINAL = b'"sure":'


@dataclass(eq=False)
class Slot:
    """The place of one process: where it listens while it is up, and what it has to do."""

    name: str
    port: int | None = None
    in_flight: int = 0
    sent: int = 0


class Proxy(RoundRobin):
    """Tells clients apart by their `Authorization`: each plays one flow at a time."""

    def __init__(self, slots: list[Slot]) -> None:
        super().__init__([])
        self._slots = list(slots)
        self._last: dict[bytes, Slot] = {}
        self._final: dict[Slot, asyncio.Event] = {slot: asyncio.Event() for slot in slots}
        self._answered = asyncio.Condition()
        #: Requests that went where the one before them went, for want of another process.
        self.stayed = 0

    async def drain(self, slot: Slot) -> None:
        """Sends nothing more to a process, and waits until it has answered everything."""
        slot.port = None
        async with self._answered:
            await self._answered.wait_for(lambda: slot.in_flight == 0)

    async def final_at(self, slot: Slot) -> None:
        """Waits until a process is given the last round of a flow."""
        self._final[slot].clear()
        await self._final[slot].wait()

    def _choose(self, client: bytes) -> Slot | None:
        last = self._last.get(client)
        up = [slot for slot in self._slots if slot.port is not None]
        chosen = next((slot for slot in up if slot is not last), up[0] if up else None)
        if chosen is not None:
            self._slots.remove(chosen)
            self._slots.append(chosen)
            self.stayed += chosen is last
            self._last[client] = chosen
        return chosen

    async def _answer(self, head: list[bytes], body: bytes, writer: asyncio.StreamWriter) -> None:
        client = next((line for line in head if line.lower().startswith(b"authorization:")), b"")
        while (slot := self._choose(client)) is not None:
            port = slot.port
            assert port is not None
            slot.in_flight += 1
            try:
                try:
                    back, forth = await asyncio.open_connection("127.0.0.1", port)
                except ConnectionRefusedError:
                    if slot.port == port:
                        slot.port = None
                    continue
                slot.sent += 1
                if FINAL in body:
                    self._final[slot].set()
                await exchange(head, body, back, forth, writer)
                return
            finally:
                slot.in_flight -= 1
                async with self._answered:
                    self._answered.notify_all()
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

"""Four servers in three languages, one keyring, one Redis: what is paid, and how often.

    python tests/fleet/run.py [FLOWS] [--servers python,python,node,c]

2,000 flows a phase where nothing else is said. See README.md for what a phase does, and what its
line says. Fails where a flow failed, was paid twice, or was told something that is not so.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

from phases import Phase, Players
from processes import ROOT, PayServer, Redis, roll
from proxy import Proxy, Slot

FLEET = "python,python,node,c"
CLAIM_WAIT_MS = 60_000
#: While processes are killed: so long others wait for a claim whose winner may be dead.
SHORT_WAIT_MS = 5_000
#: Two seconds are usual. How fast the machine is, is no question here.
STORE_TIME_LIMIT_MS = 30_000


class World:
    """What all phases share: the servers, the proxy, the clients, the ledger."""

    def __init__(self, redis: Redis, servers: list[PayServer], proxy: Proxy, folder: Path) -> None:
        self.servers, self.proxy, self.ledger = servers, proxy, folder / "payments.jsonl"
        self.old, self.new = secrets.token_hex(32), secrets.token_hex(32)
        self.settings = {
            "STORE": redis.url,
            "LEDGER": str(self.ledger),
            "CLAIM_WAIT_MS": str(CLAIM_WAIT_MS),
            "STORE_TIME_LIMIT_MS": str(STORE_TIME_LIMIT_MS),
            "MCP_ELICIT_KEYS": self.old,
        }

    async def roll(self, **changed: str) -> None:
        """Gives the servers new settings, one after the other."""
        self.settings |= changed
        await roll(self.servers, self.proxy, self.settings)

    async def rotate(self, phase: Phase) -> None:
        """Rotates the keys while flows are played."""
        for step, ring in enumerate([(self.old, self.new), (self.new, self.old), (self.new,)], 1):
            await phase.ended(phase.flows * step // 4)
            if self.old not in ring:
                # An operator waits for the life of a flow here; these flows are shorter.
                await phase.begun_have_ended()
            await self.roll(MCP_ELICIT_KEYS=",".join(ring))
            print(f"  keys: {len(ring)}, the {'new' if ring[0] == self.new else 'old'} one seals")

    async def kill(self, phase: Phase) -> None:
        """Kills a process as it is given the last round of a flow, and starts it again."""
        kills = max(len(self.servers), phase.flows // 100)
        for number in range(kills):
            await phase.ended(phase.flows * number // kills)
            server = self.servers[number % len(self.servers)]
            await self.proxy.final_at(server.slot)
            await asyncio.sleep(secrets.randbelow(20) / 1000)
            await server.kill()
            await server.start(self.settings)
        print(f"  killed: {kills} times, each server at least once")


async def play(flows: int, kinds: list[str], folder: Path) -> list[str]:
    """Plays all phases; what went wrong."""
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(Redis())
        slots = [Slot(f"{kind}-{at}") for at, kind in enumerate(kinds, 1)]
        servers = []
        for kind, slot in zip(kinds, slots, strict=True):
            server = PayServer(kind, slot, folder / f"{slot.name}.log")
            stack.push_async_callback(server.stop)
            servers.append(server)
        proxy = await stack.enter_async_context(Proxy(slots))
        world = World(redis, servers, proxy, folder)
        await world.roll()
        players = await stack.enter_async_context(Players(proxy.port))
        wrong = []

        first = Phase("1, all well", flows, players, world.ledger)
        wrong += await first.play()
        wrong += [f"{slot.name} was left out" for slot in slots if slot.sent < flows // 4]
        if proxy.stayed:
            wrong.append(f"{proxy.stayed} rounds went where the one before them went")

        second = Phase("2, keys rotate", flows, players, world.ledger)
        wrong += await second.play(world.rotate)

        await world.roll(CLAIM_WAIT_MS=str(SHORT_WAIT_MS))
        third = Phase("3, kill -9", flows, players, world.ledger, may_be_unknown=True)
        wrong += await third.play(world.kill)

        # The proof that this would be seen: servers that do not share their claims pay twice.
        print("  requests: " + ", ".join(f"{slot.name} {slot.sent}" for slot in slots))
        for server in servers:
            own = folder / f"{server.slot.name}.db"
            await roll([server], proxy, {**world.settings, "STORE": str(own)})
        control = Phase("control, a store each", min(flows, 200), players, world.ledger)
        await control.play()
        if control.doubles == 0:
            wrong.append(
                "the control proves nothing: without a common store nothing was paid twice"
            )
        return wrong


def main() -> int:
    """Reads the command line; the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("flows", nargs="?", type=int, default=2000)
    parser.add_argument("--servers", default=FLEET)
    given = parser.parse_args()
    folder = ROOT / "build" / "fleet" / f"{os.getpid()}"
    folder.mkdir(parents=True)
    started = time.monotonic()
    kinds = given.servers.split(",")
    wrong = asyncio.run(play(given.flows, kinds, folder))
    for line in wrong[:20]:
        print(f"FAILED: {line}", file=sys.stderr)
    took = time.monotonic() - started
    print(
        f"fleet: {len(kinds)} servers ({given.servers}), 3 phases of {given.flows} flows or more, "
        f"{len(wrong)} faults, {took:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

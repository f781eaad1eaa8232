"""A phase: flows played through the official clients, 64 at a time, and what became of them."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from processes import stop

if TYPE_CHECKING:
    from typing_extensions import Self

HERE = Path(__file__).resolve().parent
CLIENTS = [
    [sys.executable, str(HERE / "clients.py")],
    ["node", str(HERE / "clients.mjs")],
]
WORKERS = 64
#: More flows than asked for are played until the keys are rotated, or the last server is killed.
MOST = 50


class End(TypedDict):
    """What a client prints of a flow: see clients.py."""

    flow: str
    end: str
    again: str
    ms: float


class Players:
    """The two client processes; `async with` it."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/mcp"
        self._waiting: dict[str, asyncio.Future[End]] = {}

    async def __aenter__(self) -> Self:
        self._processes = [
            await asyncio.create_subprocess_exec(
                *command, self._url, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            for command in CLIENTS
        ]
        self._readers = [asyncio.ensure_future(self._read(each)) for each in self._processes]
        return self

    async def __aexit__(self, *exc: object) -> None:
        for process in self._processes:
            await stop(process)
        await asyncio.gather(*self._readers)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            end: End = json.loads(line)
            self._waiting.pop(end["flow"]).set_result(end)
        for waiting in self._waiting.values():
            waiting.set_exception(ConnectionError("a client process ended"))
        self._waiting.clear()

    async def play(self, worker: int, flow: str) -> End:
        """Plays a flow; half of the workers are in each client."""
        into = self._processes[worker % len(self._processes)].stdin
        assert into is not None
        self._waiting[flow] = asyncio.get_running_loop().create_future()
        into.write(json.dumps({"worker": worker, "flow": flow}).encode() + b"\n")
        return await self._waiting[flow]


class Phase:
    """Flows, what their clients were told, and what the ledger says."""

    def __init__(
        self,
        name: str,
        flows: int,
        players: Players,
        ledger: Path,
        *,
        may_be_unknown: bool = False,
    ) -> None:
        self.name, self.flows = name, flows
        self._players, self._ledger = players, ledger
        self._may_be_unknown = may_be_unknown
        self._begun: set[str] = set()
        self._ends: dict[str, End] = {}
        self._moved = asyncio.Condition()
        self.doubles = 0

    async def ended(self, count: int) -> None:
        """Waits until so many flows have ended."""
        async with self._moved:
            await self._moved.wait_for(lambda: len(self._ends) >= count)

    async def begun_have_ended(self) -> None:
        """Waits until every flow that has begun by now has ended."""
        begun = set(self._begun)
        async with self._moved:
            await self._moved.wait_for(lambda: begun <= self._ends.keys())

    async def play(self, meanwhile: Callable[[Phase], Awaitable[None]] | None = None) -> list[str]:
        """Plays the flows, and more while what goes on meanwhile is not done; what went wrong."""
        task = asyncio.ensure_future(meanwhile(self)) if meanwhile else None
        workers = [asyncio.ensure_future(self._work(worker, task)) for worker in range(WORKERS)]
        try:
            await asyncio.gather(*workers)
            if task and not task.done():
                return [*self._judge(), f"phase {self.name}: what went on meanwhile came to no end"]
            if task:
                await task
        finally:
            for each in [*workers, *([task] if task else [])]:
                each.cancel()
        return self._judge()

    async def _work(self, worker: int, meanwhile: asyncio.Task[None] | None) -> None:
        while len(self._begun) < self.flows or (
            meanwhile and not meanwhile.done() and len(self._begun) < self.flows * MOST
        ):
            flow = f"{self.name.split(',')[0]}-{len(self._begun) + 1}"
            self._begun.add(flow)
            end = await self._players.play(worker, flow)
            async with self._moved:
                self._ends[flow] = end
                self._moved.notify_all()

    def _judge(self) -> list[str]:
        """Compares what was told with what was done, prints the phase's line."""
        lines = self._ledger.read_text(encoding="utf-8").splitlines()
        paid = Counter(str(json.loads(line)["payee"]) for line in lines)
        fine = {"paid", "unknown"} if self._may_be_unknown else {"paid"}
        failures, unknowns, wrong = 0, Counter[int](), []
        for flow, end in self._ends.items():
            tolds, times = {end["end"], end["again"]}, paid[flow]
            if times > 1:
                self.doubles += 1
                wrong.append(f"{flow} was paid {times} times")
            elif not tolds <= fine or ("paid" in tolds and times == 0):
                failures += 1
                wrong.append(f"{flow} was paid {times} times and told {tolds}")
            elif end["end"] == "unknown":
                unknowns[times] += 1
        cuts = statistics.quantiles([end["ms"] for end in self._ends.values()], n=100)
        told = f"{unknowns.total()} unknowns"
        if unknowns:
            told += f" ({unknowns[1]} of them paid)"
        print(
            f"phase {self.name}: {len(self._ends)} flows, {failures} failures, "
            f"{self.doubles} doubles, {told}, p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms",
            flush=True,
        )
        return wrong

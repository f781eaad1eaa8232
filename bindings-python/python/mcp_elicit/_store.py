"""How a store is awaited: its methods on the loop or on threads of ours, inside a time limit.

Owns nothing but that. Which operation is needed, and what its answer means, is the core's. What
does not await runs on threads of the store's own: those of the loop are few, and the
application's.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from inspect import isawaitable, iscoroutinefunction
from typing import TYPE_CHECKING, Any

from mcp_elicit._native import MemoryStore, SqliteStore, _time_limit
from mcp_elicit._threads import Threads

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_elicit._native import Need

_METHODS = ("get", "put_if_absent", "compare_and_set", "compare_and_delete")

# Operations whose task nobody holds on to; the loop itself keeps only weak references.
_running: set[asyncio.Future[Any]] = set()


class Driver:
    """Carries out operations of one engine's store, for handlers that await."""

    __slots__ = ("_limit", "_store", "_threads", "awaits")

    def __init__(self, store: Any) -> None:
        self._store = store
        #: Whether its methods await: such a store cannot block.
        self.awaits = any(iscoroutinefunction(getattr(store, name)) for name in _METHODS)
        self._limit = _time_limit(getattr(store, "time_limit_ms", None)) / 1000
        # SQLite has one connection: more threads would only wait for one another.
        self._threads = Threads(1 if isinstance(store, SqliteStore) else 32)

    async def execute(self, need: Need, *, keep: bool = False) -> Any:
        """What the store's method for an operation returns. Raises what it raises.

        `keep` lets the operation come to its end where the task that waits for it is cancelled.
        """
        method: Callable[..., Any] = getattr(self._store, need.name)
        arguments = need.arguments
        if isinstance(self._store, MemoryStore):
            return method(*arguments)  # never waits
        if not _has_loop():
            # Another loop than asyncio's: the store keeps time by itself.
            returned = method(*arguments)
            return await returned if isawaitable(returned) else returned
        if iscoroutinefunction(method):
            return await self._within_limit(asyncio.ensure_future(method(*arguments)), keep)
        return await self._on_thread(method, arguments, keep)

    async def _on_thread(
        self, method: Callable[..., Any], arguments: tuple[Any, ...], keep: bool
    ) -> Any:
        work: Future[Any] = self._threads.submit(method, arguments)
        returned = await self._within_limit(asyncio.wrap_future(work), keep)
        if isawaitable(returned):
            return await self._within_limit(asyncio.ensure_future(_awaited(returned)), keep)
        return returned

    async def _within_limit(self, work: asyncio.Future[Any], keep: bool) -> Any:
        """The result of `work`; `TimeoutError` past the limit, whatever `work` makes of that."""
        _running.add(work)
        work.add_done_callback(_let_go)
        try:
            done, _ = await asyncio.wait({work}, timeout=self._limit)
        except asyncio.CancelledError:
            if not keep:
                work.cancel()
            raise
        if not done:
            work.cancel()
            raise TimeoutError
        if work.cancelled():
            # By whoever runs the store: nobody cancelled the handler, which may go on.
            raise ConnectionAbortedError("the operation was cancelled")
        return work.result()


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _let_go(work: asyncio.Future[Any]) -> None:
    """Forgets an operation, and what it raised when nobody waited any more."""
    _running.discard(work)
    if not work.cancelled():
        work.exception()

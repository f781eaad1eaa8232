"""An event loop on a thread of its own, for tests that do not await. One for all hosts."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run"]

_T = TypeVar("_T")

_lock = threading.Lock()
_shared: list[_LoopThread] = []


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine to its end, on the thread, which lives as long as the process."""
    with _lock:
        if not _shared:
            _shared.append(_LoopThread())
            atexit.register(_shared[0].close)
    return _shared[0].run(coroutine)


class _LoopThread:
    """Runs coroutines for threads that have no loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="mcp_elicit.testing", daemon=True
        )
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Runs a coroutine to its end."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:  # KeyboardInterrupt among them
            future.cancel()
            raise

    def close(self) -> None:
        """Ends what still runs, and the thread."""

        async def end() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._loop.shutdown_asyncgens()

        self.run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

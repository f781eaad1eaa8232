"""Threads for stores that block. They end with the program, whatever they are waiting for."""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

# After so many seconds without work a thread ends.
_IDLE = 10.0


class Threads:
    """At most so many threads, made when they are needed.

    The standard library's pool would hold up the end of the program until each of its threads is
    done, and a store that hangs never is. What waits in the queue and is cancelled is not run.
    """

    __slots__ = ("_condition", "_idle", "_most", "_process", "_queue", "_threads")

    def __init__(self, most: int) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._condition = threading.Condition()
        self._queue: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._threads = self._idle = 0
        self._process = os.getpid()

    def submit(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Future[Any]:
        """Has one of the threads call `work`."""
        if self._process != os.getpid():
            self._begin()  # a child has none of its parent's threads
        future: Future[Any] = Future()
        with self._condition:
            self._queue.append((future, work, arguments))
            if self._idle >= len(self._queue):
                self._condition.notify()
            elif self._threads < self._most:
                thread = threading.Thread(target=self._run, name="mcp-elicit-store", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system has no more
                    if not self._threads:
                        self._queue.pop()
                        raise
                else:
                    self._threads += 1
        return future

    def _run(self) -> None:
        while True:
            with self._condition:
                self._idle += 1
                while not self._queue:
                    if not self._condition.wait(_IDLE) and not self._queue:
                        self._idle -= 1
                        self._threads -= 1
                        return
                self._idle -= 1
                future, work, arguments = self._queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work(*arguments)
            except BaseException as raised:  # it is the waiting task's
                future.set_exception(raised)
            else:
                future.set_result(result)
            del future, work, arguments

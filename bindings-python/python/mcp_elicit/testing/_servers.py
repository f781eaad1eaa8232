"""The servers that a host can talk to: how a request gets there and the reply back.

Each feeds what comes into the `Play`, which knows what it means.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import queue
import subprocess
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import client as http_client
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from mcp_elicit.testing import _asgi, _loop
from mcp_elicit.testing._request import Request, Response, deliver

if TYPE_CHECKING:
    from mcp_elicit._native import Engine
    from mcp_elicit.testing._play import Play
    from mcp_elicit.types import AsyncHandler, Handler

__all__ = ["AsgiServer", "CallableServer", "CommandServer", "Server", "UrlServer", "engine_server"]

_T = TypeVar("_T")

#: No message is longer (the core refuses it, too).
_LONGEST = 17 * 1024 * 1024


class Server:
    """Where requests go."""

    #: Whether requests have headers from the start.
    http = False

    def exchange(self, request: Request, play: Play) -> None:
        """Sends a request; gives what comes back to `play`."""
        raise NotImplementedError

    async def aexchange(self, request: Request, play: Play) -> None:
        """`exchange` for a test that awaits."""
        await asyncio.to_thread(self.exchange, request, play)

    def reset(self) -> None:
        """The last flow failed: whatever it left behind is of no use."""

    def open(self) -> None:
        """Gets ready; otherwise the first request does."""

    async def aopen(self) -> None:
        """`open` in the loop of the test."""
        await asyncio.to_thread(self.open)

    def close(self) -> None:
        """Ends what was started."""

    async def aclose(self) -> None:
        """`close` for a test that awaits."""
        await asyncio.to_thread(self.close)


async def _of(awaitable: Awaitable[_T]) -> _T:
    return await awaitable


class CallableServer(Server):
    """A function of the test's."""

    def __init__(self, function: Callable[[Request], Response | Awaitable[Response]]) -> None:
        self._function = function

    def exchange(self, request: Request, play: Play) -> None:
        """Calls it; where it awaits, in a loop on a thread of its own."""
        response = self._function(request)
        if inspect.isawaitable(response):
            response = _loop.run(_of(response))
        deliver(response, request, play)

    async def aexchange(self, request: Request, play: Play) -> None:
        """Calls it in the loop of the test."""
        response = self._function(request)
        if inspect.isawaitable(response):
            response = await response
        deliver(response, request, play)


def engine_server(engine: Engine, handler: Handler | AsyncHandler) -> CallableServer:
    """An engine and the handler that it runs."""
    awaits = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
        getattr(handler, "__call__", None)  # noqa: B004 - an object whose call awaits
    )

    def run(request: Request) -> Response | Awaitable[Response]:
        if awaits:
            return engine.arun(request.body, handler, **request.caller)
        return engine.run(request.body, cast("Handler", handler), **request.caller)

    return CallableServer(run)


class AsgiServer(Server):
    """An ASGI app in this process.

    It lives in the loop of the test between `async with`, and otherwise in a loop on a thread of
    its own, from the first request to `close`.
    """

    http = True

    def __init__(self, app: _asgi.AsgiApp, url: str) -> None:
        self._app = app
        self._url = url
        self._lifespan: _asgi.Lifespan | None = None
        self._at_home = False

    async def _start(self) -> None:
        if self._lifespan is None:
            lifespan = _asgi.Lifespan(self._app)
            await lifespan.start()
            self._lifespan = lifespan

    async def _stop(self) -> None:
        lifespan, self._lifespan = self._lifespan, None
        if lifespan is not None:
            await lifespan.stop()

    async def _post(self, request: Request, play: Play) -> None:
        await self._start()
        state = self._lifespan.state if self._lifespan else {}
        await _asgi.post(self._app, self._url, request, play, state)

    def exchange(self, request: Request, play: Play) -> None:
        """Calls the app on the thread."""
        if self._at_home:
            raise RuntimeError("this host is used with `async with`: await acall and its like")
        _loop.run(self._post(request, play))

    async def aexchange(self, request: Request, play: Play) -> None:
        """Calls the app in the loop of the test, or on the thread."""
        if self._at_home:
            await self._post(request, play)
        else:
            await asyncio.to_thread(self.exchange, request, play)

    def open(self) -> None:
        _loop.run(self._start())

    async def aopen(self) -> None:
        self._at_home = True
        await self._start()

    def close(self) -> None:
        if self._lifespan is not None:
            _loop.run(self._stop())

    async def aclose(self) -> None:
        if self._at_home:
            self._at_home = False
            await self._stop()
        else:
            await super().aclose()


class UrlServer(Server):
    """An MCP endpoint over HTTP. Follows no redirect, uses no proxy."""

    http = True

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the URL of an MCP endpoint is absolute, http or https")
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._parts = parts
        self._timeout = timeout

    def _connect(self) -> http_client.HTTPConnection:
        host, port = cast("str", self._parts.hostname), self._parts.port
        secure = self._parts.scheme == "https"
        kind = http_client.HTTPSConnection if secure else http_client.HTTPConnection
        return kind(host, port, timeout=self._timeout)

    def exchange(self, request: Request, play: Play) -> None:
        """POSTs the message on a connection of its own."""
        connection = self._connect()
        try:
            connection.putrequest("POST", self._target)
            for name, value in request.headers:
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(request.body)))
            connection.endheaders(request.body)
            response = connection.getresponse()
            play.begin_response(response.status, response.headers.get("content-type"))
            while piece := response.read1(65_536):
                if play.push(piece):
                    return
            play.finish()
        except (OSError, http_client.HTTPException) as error:
            play.give_up(f"{type(error).__name__}: {error}")
        finally:
            connection.close()


class CommandServer(Server):
    """A command that speaks stdio: started for the first request, and anew after a failure."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        timeout: float,
    ) -> None:
        self._command = list(command)
        self._options: dict[str, Any] = {"env": env, "cwd": cwd}
        self._timeout = timeout
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[[subprocess.Popen[bytes]], Any] | None = None
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def open(self) -> None:
        if self._process is not None:
            return
        self._process = subprocess.Popen(  # noqa: S603 - the command is the test's own
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **self._options
        )
        # A host that nobody closes ends its command when it goes, or when the process ends.
        self._end = weakref.finalize(self, _stop, self._process)
        self._lines = queue.SimpleQueue()
        out = cast("IO[bytes]", self._process.stdout)
        reader = threading.Thread(target=_read, args=(out, self._lines), daemon=True)
        reader.start()

    def exchange(self, request: Request, play: Play) -> None:
        """Writes the message as a line, and reads lines until the reply is there."""
        with self._lock:
            try:
                self.open()
                process = cast("subprocess.Popen[bytes]", self._process)
                stdin = cast("IO[bytes]", process.stdin)
                stdin.write(request.body + b"\n")
                stdin.flush()
            except OSError as error:
                play.give_up(f"the command does not run: {error}")
                return
            deadline = time.monotonic() + self._timeout
            while True:
                try:
                    line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
                except queue.Empty:
                    play.give_up(f"the command did not reply within {self._timeout} seconds")
                    return
                if line is None:
                    status = process.wait(self._timeout)
                    play.give_up(f"the command ended (status {status}) before it replied")
                    return
                if play.receive(line):
                    return

    def reset(self) -> None:
        self.close()

    def close(self) -> None:
        end, self._end, self._process = self._end, None, None
        if end is not None:
            end()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Closes its input, waits, and insists (stdio, "Shutdown")."""
    with contextlib.suppress(OSError):
        cast("IO[bytes]", process.stdin).close()
    for insist in (process.terminate, process.kill):
        try:
            process.wait(5)
            break
        except subprocess.TimeoutExpired:
            insist()
    process.wait()
    cast("IO[bytes]", process.stdout).close()


def _read(out: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    """Reads what a command writes, line by line, to its end."""
    with contextlib.suppress(OSError, ValueError):
        while line := out.readline(_LONGEST):
            lines.put(line.rstrip(b"\r\n"))
    lines.put(None)

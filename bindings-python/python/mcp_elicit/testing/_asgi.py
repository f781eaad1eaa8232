"""ASGI apps, called in this process: no socket, no server.

Protocol: ASGI 3.0, its HTTP and lifespan parts.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from mcp_elicit.testing._play import Play
    from mcp_elicit.testing._request import Request

__all__ = ["AsgiApp", "Lifespan", "post"]

_Event: TypeAlias = MutableMapping[str, Any]
AsgiApp: TypeAlias = Callable[
    [Any, Callable[[], Awaitable[_Event]], Callable[[_Event], Awaitable[None]]], Awaitable[None]
]
"""An ASGI 3 application: `await app(scope, receive, send)`."""

_VERSIONS = {"version": "3.0", "spec_version": "2.3"}

#: How long an app may go on after its client has what it wanted.
_GRACE_SECONDS = 5.0


class Lifespan:
    """The life of an app around its requests, in the loop in which it was begun."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app
        self._inbox: asyncio.Queue[_Event] = asyncio.Queue()
        self._heard: asyncio.Queue[_Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        #: What the app shares with its requests.
        self.state: dict[str, Any] = {}

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": _VERSIONS, "state": self.state}
        try:
            await self._app(scope, self._inbox.get, self._heard.put)
        finally:
            await self._heard.put({"type": "ended"})

    async def start(self) -> None:
        """Starts the app; one that knows no lifespan is fine."""
        self._task = asyncio.create_task(self._run())
        await self._inbox.put({"type": "lifespan.startup"})
        event = await self._heard.get()
        if event["type"] == "lifespan.startup.failed":
            with contextlib.suppress(Exception):
                await self._task
            self._task = None
            raise RuntimeError(f"the app did not start: {event.get('message', '')}")
        if event["type"] == "ended":
            # It raised on a scope that it does not know, or had nothing to do.
            with contextlib.suppress(Exception):
                await self._task
            self._task = None

    async def stop(self) -> None:
        """Shuts the app down."""
        task, self._task = self._task, None
        if task is None:
            return
        await self._inbox.put({"type": "lifespan.shutdown"})
        event = await self._heard.get()
        await task
        if event["type"] == "lifespan.shutdown.failed":
            raise RuntimeError(f"the app did not shut down: {event.get('message', '')}")


async def post(app: AsgiApp, url: str, request: Request, play: Play, state: dict[str, Any]) -> None:
    """Sends one request to the app and reads the response as it comes.

    What the app raises goes to the test.
    """
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    headers = [(b"host", parts.netloc.encode()), (b"content-length", b"%d" % len(request.body))]
    headers += [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers
    ]
    scope = {
        "type": "http",
        "asgi": _VERSIONS,
        "http_version": "1.1",
        "method": "POST",
        "scheme": parts.scheme,
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 50_000),
        "server": (parts.hostname, port),
        "state": state.copy(),
    }
    body: list[_Event] = [{"type": "http.request", "body": request.body, "more_body": False}]
    over = asyncio.Event()
    begun = False

    async def receive() -> _Event:
        if body:
            return body.pop()
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(event: _Event) -> None:
        nonlocal begun
        if over.is_set():
            return  # the client has left
        if event["type"] == "http.response.start":
            begun = True
            types = [value for name, value in event.get("headers", []) if name == b"content-type"]
            content_type = types[0].decode("latin-1") if types else None
            play.begin_response(event["status"], content_type)
        elif event["type"] == "http.response.body":
            if play.push(bytes(event.get("body", b""))):
                over.set()
            elif not event.get("more_body", False):
                play.finish()
                over.set()

    running = asyncio.ensure_future(app(scope, receive, send))
    left = asyncio.create_task(over.wait())
    try:
        await asyncio.wait({running, left}, return_when=asyncio.FIRST_COMPLETED)
        # The client leaves; the app may need a moment to see it.
        await asyncio.wait({running}, timeout=_GRACE_SECONDS)
        if running.done():
            await running  # what it raised
    finally:
        left.cancel()
        running.cancel()
        await asyncio.gather(left, running, return_exceptions=True)
    if not begun:
        raise RuntimeError("the app sent no response")
    if not over.is_set():
        play.finish()

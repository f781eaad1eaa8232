"""A request on its way to a server that is called, and what comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mcp_elicit._native import Reply

if TYPE_CHECKING:
    from mcp_elicit._native import Principal
    from mcp_elicit.testing._play import Play
    from mcp_elicit.types import ParamHeaders

__all__ = ["Request", "Response", "deliver"]


@dataclass(frozen=True, repr=False)
class Request:
    """A request on its way to a server that is called."""

    body: bytes
    """The JSON-RPC message."""

    headers: list[tuple[str, str]]
    """The headers that the protocol wants where the host speaks HTTP, then those of the test."""

    principal: Principal
    """Who sends it, as the test says."""

    http: bool
    """Whether the host speaks HTTP."""

    param_headers: ParamHeaders
    """Which argument a header mirrors."""

    @property
    def message(self) -> dict[str, Any]:
        """The message as a dict, made anew each time."""
        return cast("dict[str, Any]", json.loads(self.body))

    @property
    def caller(self) -> dict[str, Any]:
        """What `Engine.run` wants to know beside the message.

        `engine.run(request.body, handler, **request.caller)`
        """
        return {
            "principal": self.principal,
            "headers": self.headers if self.http else None,
            "param_headers": self.param_headers,
        }


Response: TypeAlias = (
    "Reply | bytes | str | dict[str, Any] | tuple[int, str | None, bytes | str | dict[str, Any]]"
)
"""What a callable returns: a `Reply`, a message, or status, `Content-Type` and body of HTTP."""


def deliver(response: Response, request: Request, play: Play) -> None:
    """Gives what a server returned to the flow."""
    if isinstance(response, Reply) and request.http:
        response = (response.status, response.headers.get("content-type"), response.body)
    if isinstance(response, tuple):
        status, content_type, body = response
        play.begin_response(status, content_type)
        if not play.push(_bytes(body)):
            play.finish()
    elif not play.receive(response.body if isinstance(response, Reply) else _bytes(response)):
        play.give_up("the server returned a notification and no reply")


def _bytes(body: bytes | str | dict[str, Any]) -> bytes:
    if isinstance(body, dict):
        body = json.dumps(body)
    if not isinstance(body, (str, bytes)):
        wanted = "a server returns a Reply, bytes, str, dict or (status, content type, body)"
        raise TypeError(f"{wanted}, not {type(body).__name__}")
    return body.encode() if isinstance(body, str) else body

"""Names for the shapes of values that go in, for annotations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from mcp_elicit._native import Call, Reply

__all__ = [
    "Action",
    "AsyncHandler",
    "ErrorKind",
    "Handler",
    "Headers",
    "Json",
    "Message",
    "Mode",
    "ParamHeaders",
    "Source",
]

Message: TypeAlias = bytes | bytearray | str | dict[str, Any]
"""A JSON-RPC message: its bytes, its text, or the dict that somebody made of it.

Bytes and text are read by the core, which refuses what two readers could read differently, such
as a repeated key. A dict no longer shows it.
"""

Headers: TypeAlias = Mapping[str, str] | Iterable[Sequence[str | bytes]]
"""HTTP headers as frameworks have them: a mapping, or pairs of name and value, str or bytes."""

ParamHeaders: TypeAlias = dict[str, str | list[str]]
"""Which argument a header mirrors, for tools whose schema has `x-mcp-header`:
`{"Region": "region"}` for `Mcp-Param-Region`, a list of keys for an argument further in."""

Json: TypeAlias = dict[str, Any] | str
"""A JSON object: a dict, or its text."""

Mode: TypeAlias = Literal["form", "url"]
"""How a question reaches the user."""

Action: TypeAlias = Literal["accept", "decline", "cancel", "invalid", "unavailable"]
"""What became of a question."""

Source: TypeAlias = Literal["user", "argument", "default", "grant"]
"""Where an accepted answer came from."""

ErrorKind: TypeAlias = Literal[
    "parse_error",
    "invalid_request",
    "not_a_call",
    "invalid_params",
    "invalid_meta",
    "invalid_state",
    "header_mismatch",
    "missing_capability",
    "unsupported_version",
    "schema",
    "invalid_ask",
    "conflict",
    "question_open",
    "nothing_asked",
    "finished",
    "invalid_result",
    "limit",
    "config",
    "invalid_argument",
    "internal",
    "application",
]
"""What kind of error it is: the same names in every language."""

Handler: TypeAlias = "Callable[[Call], Json | Reply]"
"""What `Engine.run` runs."""

AsyncHandler: TypeAlias = "Callable[[Call], Awaitable[Json | Reply] | Json | Reply]"
"""What `Engine.arun` runs."""

"""Names for the shapes of values that go in, for annotations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

if TYPE_CHECKING:
    from mcp_elicit._native import Call, Reply

__all__ = [
    "Action",
    "AskOptions",
    "AsyncHandler",
    "AsyncStore",
    "ClaimStatus",
    "ErrorKind",
    "Fate",
    "FieldKind",
    "Handler",
    "Headers",
    "Json",
    "Message",
    "Mode",
    "ParamHeaders",
    "Policy",
    "Revision",
    "Source",
    "StateFormat",
    "Store",
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

Action: TypeAlias = Literal["accept", "decline", "cancel", "invalid", "unavailable", "answer"]
"""What became of a question."""

Source: TypeAlias = Literal["user", "argument", "default", "grant"]
"""Where an accepted answer came from."""

FieldKind: TypeAlias = Literal["string", "integer", "number", "boolean", "choice", "choices"]
"""What kind of answer a field takes; `choice` is one of some options, `choices` any of them."""

Fate: TypeAlias = Literal["wire", "enforced", "dropped", "refused"]
"""What became of a keyword of a schema that was normalized."""

Revision: TypeAlias = Literal["2025-11-25", "2025-06-18"]
"""An older revision of the protocol that forms can be downgraded to."""

StateFormat: TypeAlias = Literal["encrypted", "signed"]
"""Whether a client can read its state."""

Policy: TypeAlias = Literal["error", "tool_error", "defaults", "outcome"]
"""What to do where nobody can be asked.

error: reply -32021 and name the capability that is missing. tool_error: complete the tool call
with `isError` and a text that names the argument to give. defaults: take the schema's, where they
make a valid answer. outcome: give the handler the action `unavailable`.
"""


class AskOptions(TypedDict, total=False):
    """How a question is asked, where the usual way will not do: keyword arguments of every ask."""

    allow_insecure_http: bool
    """Lets a link be http to a host other than this machine. For development."""

    accept_unasked: bool
    """Takes an answer that came with the first request, before the question was ever asked."""

    unavailable: Policy
    """What to do where the client cannot be asked this kind of question. Usually `error`."""

    on_cancel: Literal["tool_error", "defaults", "outcome"] | None
    """What to do where the answer is cancel, for hosts without a person that cancel everything.
    Usually a cancel is a cancel."""

    arguments: Sequence[str]
    """The fields of a form that the model may give as arguments of the call, under the same
    names. What it gives and the form accepts is not asked again."""

    human_only: bool
    """Takes nothing but the user's own answer to this question. The way to guard anything
    dangerous."""

    reask_invalid_only: bool
    """After an invalid answer asks for the wrong fields alone. Usually the whole form goes out
    again."""

    messages: dict[str, str]
    """The texts that tell a person what was wrong with an answer, by the keys of
    `Form.messages()`."""


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
    "invalid_reply",
    "limit",
    "store",
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

ClaimStatus: TypeAlias = Literal["won", "already", "recorded", "in_progress", "unknown"]
"""What became of a claim."""


class Store(Protocol):
    """A place of your own for claims: what `Engine(store=...)` takes.

    Each method is one operation, atomic, on one key. Keys are 1 to 128 characters of
    `a-z A-Z 0-9 : - _`; values are sealed bytes of at most 16 MiB; a value is gone `ttl_ms`
    milliseconds after it was put. Raise anything where the store does not answer: the call gets an
    `ElicitError` of kind `store`, which is retryable (`TimeoutError`: it did not answer in time;
    `OSError` with `errno.ENOSPC`: it takes no more). Nothing of the exception but its type's name
    gets into messages; it is the `__cause__`.

    An attribute `time_limit_ms` says how long an operation may take, 2000 where there is none.
    Under `arun` that is enforced: methods that do not await run on threads of ours and are given
    up, not stopped. Under `run` they block their caller, and keep time themselves.
    """

    def get(self, key: str, /) -> bytes | None:
        """The value under a key, or None."""

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> bytes | None:
        """Puts a value where there is none, and gives None; otherwise gives what is there."""

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int, /) -> bool:
        """Puts a value in place of another, compared byte for byte; whether that one was there."""

    def compare_and_delete(self, key: str, expected: bytes, /) -> bool:
        """Deletes a value where it is the expected one; whether it was."""


class AsyncStore(Protocol):
    """A `Store` whose methods are `async def`, for `arun`; past the time limit cancelled."""

    async def get(self, key: str, /) -> bytes | None:
        """See `Store.get`."""

    async def put_if_absent(self, key: str, value: bytes, ttl_ms: int, /) -> bytes | None:
        """See `Store.put_if_absent`."""

    async def compare_and_set(
        self, key: str, expected: bytes, value: bytes, ttl_ms: int, /
    ) -> bool:
        """See `Store.compare_and_set`."""

    async def compare_and_delete(self, key: str, expected: bytes, /) -> bool:
        """See `Store.compare_and_delete`."""

"""Exceptions: one base, and the signal that ends a handler's run.

Messages are safe to show to whoever may see the server's log. What the client sees is `reply`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from mcp_elicit import _native

if TYPE_CHECKING:
    from mcp_elicit._native import Fault, Reply
    from mcp_elicit.types import ErrorKind

_Raised = TypeVar("_Raised", bound=BaseException)

__all__ = [
    "ConfigError",
    "ElicitError",
    "NotACallError",
    "RequestError",
    "SchemaError",
    "Suspended",
]


class Suspended(BaseException):
    """A question is pending: this run of the handler is over.

    Raised by reading an outcome that is not there yet, caught by `run` and `arun`. The handler
    runs again when the client comes back with the answer. Not an `Exception`, so that
    `except Exception` lets it pass. Do not catch it; use `finally` to clean up.
    """

    def __init__(self) -> None:
        super().__init__("a question is pending; the handler runs again when it is answered")

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle` and `copy`."""
        return _remade, (type(self), self.args), vars(self)


class ElicitError(Exception):
    """What went wrong, in a form that programs can tell apart: compare `kind`, never messages.

    Raise it in a handler to end the call with an error of your own:
    `raise ElicitError("No such account", code=4004, data={"account": "acme"})`. The client gets
    code, message and data; the codes -32020 to -32099 and -32002 are the protocol's own. Can be
    pickled and copied, subclasses too.
    """

    _error: _native.ErrorInfo

    def __init__(self, message: str, *, code: int, data: Any = None) -> None:
        super().__init__(message)
        self._error = _native.ErrorInfo(message, code, data)

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle` and `copy`: whatever a subclass's `__init__` takes."""
        return _remade, (type(self), self.args), vars(self)

    @property
    def kind(self) -> ErrorKind:
        """What kind of error it is: a stable name, the same in every language."""
        return self._error.kind

    @property
    def code(self) -> int:
        """The JSON-RPC code on the wire."""
        return self._error.code

    @property
    def http_status(self) -> int:
        """The HTTP status of a reply with this error."""
        return self._error.http_status

    @property
    def data(self) -> Any:
        """The `data` member on the wire, or None."""
        return self._error.data

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Each place at fault, where the error is about places."""
        return self._error.faults

    @property
    def is_for_peer(self) -> bool:
        """Whether the client is told message and data, or only "Internal error"."""
        return self._error.is_for_peer

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self._error.is_retryable

    @property
    def reply(self) -> Reply | None:
        """The wire form; None for `not_a_call`, which is for whoever routed the request.

        The server's own faults say no more than "Internal error".
        """
        return self._error.reply


class RequestError(ElicitError):
    """The client's mistake, or a limit: `reply` says it to the client.

    Kinds: parse_error, invalid_request, invalid_params, invalid_meta, invalid_state,
    header_mismatch, missing_capability, unsupported_version, limit, store.
    """

    @property
    def reply(self) -> Reply:
        """The wire form: what the client must be told."""
        return cast("Reply", super().reply)  # only `not_a_call` has none


class NotACallError(ElicitError):
    """The method cannot carry input: only tools/call, prompts/get and resources/read can.

    Answer the request yourself; `Engine.check` checks it first. Kind: not_a_call.
    """


class SchemaError(ElicitError):
    """A form cannot be asked; `faults` says everything that is wrong with its schema.

    Kind: schema.
    """


class ConfigError(ElicitError):
    """The engine cannot be built like this: keys, audience, limits. Kind: config."""


def _remade(cls: type[_Raised], args: tuple[Any, ...]) -> _Raised:
    """Makes an exception anew, whose attributes are given to it afterwards."""
    return cls.__new__(cls, *args)


_CLASSES: dict[str, type[ElicitError]] = {
    "config": ConfigError,
    "not_a_call": NotACallError,
    "schema": SchemaError,
    "application": ElicitError,
}


def _from_native(error: _native.ErrorInfo) -> ElicitError:
    """Makes the exception for an error of the core's. Called from there."""
    usual = RequestError if error.is_for_peer else ElicitError
    cls = _CLASSES.get(error.kind, usual)
    exception = cls.__new__(cls, error.message)
    exception._error = error  # noqa: SLF001 - it is the class above
    return exception

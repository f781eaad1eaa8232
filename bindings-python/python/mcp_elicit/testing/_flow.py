"""What became of a flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mcp_elicit.errors import ElicitError

if TYPE_CHECKING:
    from mcp_elicit.testing._play import Play

__all__ = ["Attacked", "Flow", "FlowError", "Message", "PeerError", "Question"]


@dataclass(frozen=True)
class Question:
    """One question of a round."""

    key: str
    """The key that its answer goes under."""

    kind: Literal["form", "url", "sampling", "roots"]
    """What kind of question it is."""

    round: int
    """The round whose reply asked it; the first is 1."""

    message: str | None
    """Why it is asked; None for a model's turn and for roots."""

    url: str | None
    """The link, as it came and unchecked."""

    schema: dict[str, Any] | None
    """The `requestedSchema` of a form."""

    request: dict[str, Any]
    """The whole question, as it came: method and parameters."""


@dataclass(frozen=True)
class Message:
    """One message that crossed the wire."""

    sent: bool
    """Whether the host sent it; otherwise it came from the server."""

    text: str
    """The message as it was; empty for an HTTP response without one."""

    status: int | None
    """The HTTP status of a reply that came over HTTP."""

    headers: list[tuple[str, str]]
    """The headers that the protocol wants of a request over HTTP."""


@dataclass(frozen=True)
class PeerError:
    """An error that the server replied."""

    code: int
    """The JSON-RPC code."""

    message: str
    """The server's text."""

    data: Any
    """What it said beside it, or None."""


class FlowError(ElicitError, AssertionError):
    """A flow did not come to what the test wanted of it. Its text ends with the whole transcript.

    `kind` says why: `application` (the server replied an error; `code` and `data` are its own),
    `invalid_reply` (the server broke the protocol, or did not answer; `faults` says where),
    `invalid_argument` (the server asked what the test has no answer to, the person never answered,
    or what the test gave cannot be sent), and the server's own faults, such as `schema`.
    """

    flow: Flow
    """The flow as far as it came. Not in another process, where the text has the transcript."""

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`: a flow belongs to its process."""
        make, made_of, state = super().__reduce__()
        return make, made_of, {name: value for name, value in state.items() if name != "flow"}

    def __copy__(self) -> FlowError:
        copied = FlowError.__new__(FlowError, *self.args)
        vars(copied).update(vars(self))
        return copied

    def __deepcopy__(self, _memo: dict[int, Any]) -> FlowError:
        return self.__copy__()  # what it holds never changes


def flow_error(error: ElicitError, flow: Flow) -> FlowError:
    """The exception for a flow that did not come to a result."""
    exception = FlowError.__new__(FlowError, f"{error}\n{flow.transcript}")
    exception._error = error._error  # noqa: SLF001 - one class
    exception.flow = flow
    return exception


class Flow:
    """A flow that was played, whole or in part."""

    __slots__ = ("_play",)

    def __init__(self, play: Play) -> None:
        """Made by `Host`."""
        self._play = play

    @property
    def end(self) -> Literal["complete", "error", "abandoned", "first_round", "failed"]:
        """How it ended.

        With a result, with an error that the server replied, because the person never answered,
        after the first round where no more was wanted, or because it could not go on.
        """
        return self._play.end

    @property
    def is_complete(self) -> bool:
        """Whether it ended with a result."""
        return self._play.end == "complete"

    @property
    def result(self) -> dict[str, Any]:
        """The result. Raises `FlowError` where there is none."""
        why = self._play.why_not
        if why is not None:
            raise flow_error(why, self)
        return self._play.result or {}

    @property
    def text(self) -> str:
        """The text of the result. Raises `FlowError` where there is none.

        The texts of a tool's content, a prompt's messages or a resource's contents, joined by
        newlines.
        """
        text = self._play.text()
        if isinstance(text, str):
            return text
        raise flow_error(text, self)

    @property
    def is_tool_error(self) -> bool:
        """Whether the result is a tool's error (`isError`), which a model is meant to read."""
        return self._play.is_tool_error

    @property
    def error(self) -> PeerError | None:
        """The error that the server replied, where it did."""
        error = self._play.error
        return None if error is None else PeerError(*error)

    @property
    def rounds(self) -> int:
        """How many requests were sent."""
        return self._play.rounds

    @property
    def questions(self) -> list[Question]:
        """Everything that was asked, in order; what was asked twice stands there twice."""
        return [Question(**question) for question in self._play.questions]

    def question(self, key: str) -> Question | None:
        """The question under `key` as it was asked last; None where it was not."""
        return next((asked for asked in reversed(self.questions) if asked.key == key), None)

    @property
    def messages(self) -> list[Message]:
        """Every message, in order."""
        return [Message(*message) for message in self._play.messages]

    @property
    def reply(self) -> str:
        """The last message that came from the server; empty where none came."""
        return next((each.text for each in reversed(self.messages) if not each.sent), "")

    @property
    def status(self) -> int | None:
        """The HTTP status of the last reply; None where the flow did not go over HTTP."""
        found = (each.status for each in reversed(self.messages) if each.status is not None)
        return next(found, None)

    @property
    def transcript(self) -> str:
        """All messages, one a line: `-> {...}` was sent, `<- HTTP 200 {...}` or `<- {...}` came."""
        return self._play.transcript

    def __repr__(self) -> str:
        """Says how it ended, never what was in it."""
        return f"<Flow {self.end}, {self.rounds} rounds>"


@dataclass(frozen=True)
class Attacked:
    """An attack that was made, and what came of it."""

    name: str
    """What was done."""

    flow: Flow
    """One round: what was sent and what came back."""

    held: bool
    """Whether the server held; true where the protocol leaves it open (`replay`)."""

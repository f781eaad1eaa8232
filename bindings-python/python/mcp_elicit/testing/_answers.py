"""What the person of a test says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from mcp_elicit.testing._flow import Question

__all__ = ["Answer", "Decision", "accept", "cancel", "decline", "never", "result"]


class Answer:
    """What the person says to a question. Make it with `accept`, `decline`, `cancel`, `never`."""

    __slots__ = ("_response",)

    def __init__(self, response: dict[str, Any] | str | None) -> None:
        self._response = response

    def __repr__(self) -> str:
        """Never shows what a person says."""
        if self._response is None:
            return "<Answer never>"
        action = self._response.get("action") if isinstance(self._response, dict) else None
        return f"<Answer {action}>" if isinstance(action, str) else "<Answer>"


Decision: TypeAlias = "Callable[[Question], Answer | Awaitable[Answer]]"
"""Looks at the question and says what the person says. May await where `acall` plays the flow."""


def accept(content: dict[str, Any] | str | None = None) -> Answer:
    """The person agrees; `content` is what they fill in: a dict, or JSON.

    Without it for a link, and for a form without fields.
    """
    if isinstance(content, str):  # as it is, digits and all
        return Answer(f'{{"action":"accept","content":{content}}}')
    if content is None:
        return Answer({"action": "accept"})
    return Answer({"action": "accept", "content": content})


def decline() -> Answer:
    """The person says no."""
    return Answer({"action": "decline"})


def cancel() -> Answer:
    """The person closes the dialog without choosing."""
    return Answer({"action": "cancel"})


def never() -> Answer:
    """The person never answers: the key is left out of the next request.

    Where no question of a round gets an answer, there is no next request.
    """
    return Answer(None)


def result(result: dict[str, Any] | str) -> Answer:
    """Any object as the response, as dict or JSON.

    The CreateMessageResult of a model's turn, a ListRootsResult, or what no honest host sends.
    """
    return Answer(result)

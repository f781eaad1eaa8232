# The native part of the test host. What it does at run time is in ../../../src/testing.rs.
from typing import Any, Literal, final

from mcp_elicit.errors import ElicitError
from mcp_elicit.types import Json

@final
class Play:
    """One flow of a test host, for `mcp_elicit.testing`.

    Answers are None (never), the place of a function in a list, or the JSON of a response.
    """

    def __new__(
        cls,
        method: str,
        params: Json,
        *,
        first_id: int,
        client_info: Json | None,
        capabilities: Json | None,
        http: bool,
        param_headers: list[tuple[str, list[str]]],
        first_round_only: bool,
        rounds: int | None,
        answers: list[tuple[str, Json | int | None]],
        otherwise: list[Json | int | None] | None,
    ) -> Play:
        """Starts a flow.

        None stands for the usual `client_info` and `capabilities`, "null" for no `client_info`.
        `otherwise` is a list of one, since None is an answer, too.
        """

    def step(
        self,
    ) -> (
        tuple[Literal["send"], int, bytes, list[tuple[str, str]]]
        | tuple[Literal["decide"], int, dict[str, Any]]
        | None
    ):
        """What is needed: to send a message (id, body, headers), or to call a function.

        None: the flow has ended.
        """

    def receive(self, message: bytes, /) -> bool:
        """Takes one message; says whether it was the reply."""

    def begin_response(self, status: int, content_type: str | None, /) -> None:
        """An HTTP response begins."""

    def push(self, piece: bytes, /) -> bool:
        """Takes a piece of its body; says whether the reply was in it."""

    def finish(self) -> None:
        """Its body is over."""

    def give_up(self, why: str, /) -> None:
        """No reply will come."""

    def decide(self, given: Json | None, /) -> None:
        """Takes what a function said."""

    @property
    def end(self) -> Literal["complete", "error", "abandoned", "first_round", "failed"]: ...
    @property
    def result(self) -> dict[str, Any] | None: ...
    @property
    def error(self) -> tuple[int, str, Any] | None: ...
    @property
    def why_not(self) -> ElicitError | None: ...
    def text(self) -> str | ElicitError: ...
    @property
    def is_tool_error(self) -> bool: ...
    @property
    def rounds(self) -> int: ...
    @property
    def questions(self) -> list[dict[str, Any]]: ...
    @property
    def messages(self) -> list[tuple[bool, str, int | None, list[tuple[str, str]]]]: ...
    @property
    def transcript(self) -> str: ...
    def usual_attacks(self) -> list[tuple[str, str | None]]:
        """The attacks that need nothing beside the flow, and the arguments where one has them."""

    def attack(self, name: str, with_: str | None, id: int, /) -> Play:  # noqa: A002
        """The one round of an attack."""

    def held(self, name: str, with_: str | None, /) -> bool | None:
        """Whether the server held against the attack of which this is the round."""

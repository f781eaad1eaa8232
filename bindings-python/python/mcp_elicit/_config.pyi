# What an engine is configured with, of the native part. What it does at run time is in ../../src.
# Import from mcp_elicit.
from typing import ClassVar, Literal, final

@final
class Principal:
    """Who makes a request, told by the server from credentials that it has verified.

    State is bound to it: what one principal began, no other can go on with. Equal where kind,
    issuer, subject and client are.
    """

    def __new__(cls, issuer: str, subject: str, client: str) -> Principal:
        """A user at an OAuth client.

        `issuer` and `subject` say who it is (`iss` and `sub` of a verified token), `client` which
        client acts (`client_id` or `azp`). Where credentials know no issuer or no client, give a
        constant of your own. Raises `ElicitError` (invalid_argument) where one of them is empty.
        """

    @staticmethod
    def single_user() -> Principal:
        """The one person whom the server is for, as over stdio."""

    @staticmethod
    def none() -> Principal:
        """Nobody in particular: state is bound to no one, whoever holds it can go on with it."""

    @property
    def kind(self) -> Literal["user", "single_user", "none"]:
        """What kind of principal this is."""

    @property
    def issuer(self) -> str | None:
        """Who vouches for the user; None where this is no user."""

    @property
    def subject(self) -> str | None:
        """The user, to that issuer; None where this is no user."""

    @property
    def client(self) -> str | None:
        """The OAuth client that acts; None where this is no user."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Limits:
    """Bounds on what a peer, or a handler gone wrong, can make the engine do.

    Lengths are in bytes, times in milliseconds. What is left out is the usual.
    """

    def __new__(
        cls,
        *,
        request_bytes: int | None = None,
        token_bytes: int | None = None,
        depth: int | None = None,
        schema_properties: int | None = None,
        schema_options: int | None = None,
        question_rounds: int | None = None,
        reasks: int | None = None,
        round_ttl_ms: int | None = None,
        flow_ttl_ms: int | None = None,
        claim_wait_ms: int | None = None,
        clock_skew_ms: int | None = None,
    ) -> Limits: ...
    @property
    def request_bytes(self) -> int:
        """Length of a request. Usually 4 MiB."""

    @property
    def token_bytes(self) -> int:
        """Length of a `requestState`. Usually 64 KiB."""

    @property
    def depth(self) -> int:
        """Arrays and objects inside one another in any JSON. Usually 64."""

    @property
    def schema_properties(self) -> int:
        """Properties of a form. Usually 64."""

    @property
    def schema_options(self) -> int:
        """Choices of a form, all its fields together. Usually 1000."""

    @property
    def question_rounds(self) -> int:
        """Rounds of a flow that bring a new question. Usually 16."""

    @property
    def reasks(self) -> int:
        """Times that a question is asked again after an invalid answer. Usually 3."""

    @property
    def round_ttl_ms(self) -> int:
        """How long a person may take over a round. Usually 10 minutes."""

    @property
    def flow_ttl_ms(self) -> int:
        """How long a flow may take. Usually 1 hour."""

    @property
    def claim_wait_ms(self) -> int:
        """How long the winner of a claim may be at work. Usually 1 minute; below `flow_ttl_ms`.

        After that its outcome counts as unknown.
        """

    @property
    def clock_skew_ms(self) -> int:
        """How far the clocks of a fleet may stand apart. Usually 1 minute."""

    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

@final
class Event:
    """Something that the operator should know and the peer must not.

    Holds no secret and nothing that a person answered.
    """

    @property
    def level(self) -> Literal["info", "warning"]:
        """How much it matters."""

    @property
    def name(self) -> str:
        """Stable name, such as `state_refused`."""

    @property
    def reason(self) -> str:
        """Stable name of the cause, such as `forged`; empty where there is one only."""

    @property
    def message(self) -> str:
        """A sentence for a person."""

    @property
    def flow_id(self) -> str:
        """The flow it is about; empty where there is none."""

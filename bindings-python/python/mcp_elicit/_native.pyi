# The native part. What it does at run time is in ../../src; this says what it is.
# Import from mcp_elicit.
from collections.abc import Awaitable, Callable, Sequence
from types import GenericAlias
from typing import Any, ClassVar, Final, Generic, Literal, TypeAlias, final

from typing_extensions import TypeVar, Unpack

from mcp_elicit.testing._play import Play as _Play
from mcp_elicit.types import (
    Action,
    AskOptions,
    AsyncHandler,
    ErrorKind,
    Handler,
    Headers,
    Json,
    Message,
    Mode,
    ParamHeaders,
    Source,
    StateFormat,
)

__all__ = [
    "PROTOCOL_VERSION",
    "Answer",
    "Call",
    "Engine",
    "Envelope",
    "ErrorInfo",
    "Event",
    "Fault",
    "Form",
    "Limits",
    "Outcome",
    "Principal",
    "Reply",
    "_Play",
    "__version__",
    "keygen",
]

# Names that `Reply.dict` does not hide.
_Object: TypeAlias = dict[str, Any]
_Strings: TypeAlias = dict[str, str]

_T_co = TypeVar("_T_co", covariant=True, default=dict[str, Any])

PROTOCOL_VERSION: Final[str]
"""The revision of the protocol that is spoken, as it stands in `_meta`."""

__version__: Final[str]

def keygen() -> str:
    """Makes a key for `MCP_ELICIT_KEYS`: 32 random bytes as text."""

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
class Fault:
    """A place that is at fault, and the rule against which it is."""

    __match_args__ = ("path", "rule", "message")

    @property
    def path(self) -> str:
        """JSON pointer to the place; empty for the whole."""

    @property
    def rule(self) -> str:
        """Stable id of the rule, such as `minLength`."""

    @property
    def message(self) -> str:
        """A sentence for a person: what is wrong and what to do instead."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ErrorInfo:
    # What an ElicitError is made of.
    def __new__(cls, message: str, code: int, data: Any = None) -> ErrorInfo: ...
    @property
    def kind(self) -> ErrorKind: ...
    @property
    def code(self) -> int: ...
    @property
    def http_status(self) -> int: ...
    @property
    def message(self) -> str: ...
    @property
    def is_for_peer(self) -> bool: ...
    @property
    def is_retryable(self) -> bool: ...
    @property
    def data(self) -> Any: ...
    @property
    def faults(self) -> tuple[Fault, ...]: ...
    @property
    def reply(self) -> Reply | None: ...

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

@final
class Answer:
    """What a form makes of an answer."""

    @property
    def content(self) -> dict[str, Any] | None:
        """The members that the form has, as they were given; None where there are faults."""

    @property
    def content_json(self) -> str | None:
        """The same as JSON, with every digit as it was given."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of members that the form does not have."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that is wrong with the answer; empty where it is accepted."""

@final
class Form:
    """A form: a requestedSchema, checked and compiled. Make it once, use it on every call.

    Immutable, shared by threads.
    """

    def __new__(
        cls,
        schema: Json,
        *,
        allow_sensitive_name: str | None = None,
        limits: Limits | None = None,
    ) -> Form:
        """Checks a schema.

        `allow_sensitive_name` is the reason why a field whose name looks like a secret is none.
        Raises `SchemaError` with everything that is wrong in `faults`.
        """

    @property
    def wire(self) -> str:
        """The schema as it goes on the wire, as JSON on one line."""

    @property
    def source(self) -> str:
        """The whole schema as JSON: also the rules that are enforced off the wire."""

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What is allowed, and what a person or a host may stumble over."""

    def validate(self, content: Json, *, unknown: Literal["drop", "refuse"] = "drop") -> Answer:
        """Checks an answer as the engine does: nothing is converted and nothing filled in.

        `unknown` says what happens to members that the form does not have.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Reply:
    """What goes back to the client."""

    @property
    def body(self) -> bytes:
        """The JSON as UTF-8, without a raw newline."""

    @property
    def text(self) -> str:
        """The JSON as text."""

    @property
    def dict(self) -> _Object:
        """The JSON as a dict, made anew each time."""

    @property
    def status(self) -> int:
        """The HTTP status to send it with."""

    @property
    def headers(self) -> _Strings:
        """The HTTP headers to send it with, names in lower case."""

    @property
    def kind(self) -> Literal["complete", "input_required", "error"]:
        """What kind of message it is."""

    @property
    def error_kind(self) -> ErrorKind | None:
        """What kind of error it is, where it is one."""

@final
class Outcome(Generic[_T_co]):
    """What became of a question: one class, told apart by `action`.

    Reading anything but `is_pending` while nobody has answered raises `Suspended`, which ends
    this run of the handler. To put several questions into one round, ask them all before reading
    any.
    """

    __match_args__ = ("action", "content")

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @property
    def is_pending(self) -> bool:
        """Whether nobody has answered yet."""

    @property
    def action(self) -> Action:
        """What happened.

        accept: the person said yes. decline: the person said no. cancel: the person closed it
        without choosing. invalid: what came back was still wrong after the last time of asking.
        unavailable: nobody can be asked, where the ask says that it wants to know. answer: what
        came back for a model's turn or for the roots, which know no yes and no.
        """

    @property
    def content(self) -> _T_co:
        """The answer of an accepted form, of a model, or the roots.

        None for a link, and for every action but accept and answer: look at `action` first.
        """

    @property
    def content_json(self) -> str | None:
        """The same as JSON, with every digit as it was sent."""

    @property
    def source(self) -> Source | None:
        """Where an accepted answer came from; None unless accepted."""

    @property
    def reason(self) -> Literal["capability", "cancelled"] | None:
        """Why nobody can be asked; None unless `unavailable`."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What was wrong with the last answer; empty unless `invalid`."""

@final
class Call:
    """One client request passing through the engine: one round of a flow.

    Belongs to one thread at a time. Finished once: by `suspend`, `complete` or `fail`, or by `run`.
    """

    @property
    def method(self) -> Literal["tools/call", "prompts/get", "resources/read"]:
        """The method of the request."""

    @property
    def target(self) -> str:
        """The name of the tool or prompt, or the URI of the resource."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as the engine read them; empty where there are none.

        Bind and run these, not what another reader made of the body.
        """

    @property
    def arguments_json(self) -> str:
        """The arguments as JSON; `{}` where there are none."""

    @property
    def flow_id(self) -> str:
        """The name of the flow: the same in all its rounds, unguessable, no secret.

        22 characters of the base64url alphabet.
        """

    @property
    def round(self) -> int:
        """Which round of the flow this is; the first is 1."""

    @property
    def principal(self) -> Principal:
        """Who makes the request, as the server said."""

    @property
    def client_info(self) -> dict[str, Any] | None:
        """What the client says of itself; nobody has verified it."""

    @property
    def client_capabilities(self) -> dict[str, Any]:
        """What the client declared that it can do."""

    @property
    def protocol_version(self) -> str:
        """The protocol version of the request."""

    @property
    def is_pending(self) -> bool:
        """Whether a question of this round is open: the call can then only be suspended."""

    def can_elicit(self, mode: Mode, /) -> bool:
        """Whether the client declared that it can show this kind of question."""

    def elicit_form(
        self, key: str, message: str, form: Form | Json, **options: Unpack[AskOptions]
    ) -> Outcome:
        """Asks with a form, or gives the outcome when it was answered.

        `key` names the question: the same on every round. `message` says why it is asked. A
        schema given as dict or JSON is compiled each time; make a `Form` once.

        Raises `ElicitError`: invalid_ask for a key, message or option that cannot be used,
        conflict where the key stands for another question in this round; `SchemaError` for the
        schema.
        """

    def elicit_url(
        self, key: str, message: str, url: str, done: bool, **options: Unpack[AskOptions]
    ) -> Outcome[None]:
        """Asks for a visit to a link, or gives the outcome when it was made.

        `done` is your word whether the visit is done, from your own records: a client's accept
        only means that the person agreed to go. Accepted and not done asks again with the very
        link that was given first. Done without having been asked is accepted, with source
        `grant`. Links are https, or http to this machine.

        Raises `ElicitError`: invalid_ask, conflict.
        """

    def elicit(
        self, key: str, request: Json, *, done: bool = False, **options: Unpack[AskOptions]
    ) -> Outcome:
        """Asks an `elicitation/create` request, or its `params`, as the protocol writes it.

        Raises as `elicit_form` and `elicit_url`.
        """

    def create_message(self, key: str, params: Json, **options: Unpack[AskOptions]) -> Outcome:
        """Asks the client's model for a turn.

        `params` are those of `sampling/createMessage`. The outcome's action is `answer`, its
        content the CreateMessageResult. The revision deprecates this, and advises to talk to a
        provider of models.

        Raises `ElicitError`: invalid_ask with everything that is wrong in `faults`, conflict.
        """

    def list_roots(self, key: str, **options: Unpack[AskOptions]) -> Outcome:
        """Asks for the folders that the client works in.

        The outcome's action is `answer`, its content the ListRootsResult. The revision deprecates
        this, and advises arguments or configuration.

        Raises `ElicitError`: invalid_ask, conflict.
        """

    def step(self, key: str, work: Callable[[], Any], *, readable: bool = False) -> Any:
        """Runs `work` once a flow: later rounds get its result, as JSON, from the sealed state.

        What raises is not recorded. No promise that an effect happens at most once: a client that
        presents an older state runs `work` again. `readable`: the client may read the result;
        only such results can stand in a signed state.

        Raises `ElicitError` (invalid_ask) for a key that cannot be used, and what `work` raises.
        """

    async def astep(
        self, key: str, work: Callable[[], Awaitable[Any]], *, readable: bool = False
    ) -> Any:
        """`step` for work that awaits."""

    @property
    def app_data(self) -> bytes | None:
        """Data of your own in the state, from an earlier round or this one.

        Setting it puts other data in its place, None takes it out. Raises `ElicitError` (limit)
        where it alone is over the limit of a state.
        """

    @app_data.setter
    def app_data(self, data: bytes | None) -> None: ...
    def suspend(self) -> Reply:
        """Replies input_required: the open questions and the sealed state.

        Where the client lacks a capability, the reply is -32021 with everything that it lacks.
        Raises `ElicitError`: nothing_asked, limit, finished.
        """

    def retry_later(self) -> Reply:
        """Replies with the sealed state alone: the client comes back by itself.

        For work that goes on elsewhere. Clients may come back at once, so wait a little before.
        Raises `ElicitError`: limit, finished.
        """

    def complete(self, result: Json, /) -> Reply:
        """Replies with the result, to which `resultType` is added.

        A CallToolResult (with `content`), GetPromptResult (`messages`) or ReadResourceResult
        (`contents`), as the method wants it.

        Raises `ElicitError`: question_open while a question is open, invalid_result, finished.
        """

    def fail(self, code: int, message: str, data: Any = None) -> Reply:
        """Replies with an error of the application's own; message and data go to the client.

        Raises `ElicitError`: invalid_result for a code that is the protocol's own, finished.
        """

    def _step_result(self, key: str, /) -> tuple[Any] | None: ...
    def _record_step(self, key: str, result: Any, readable: bool, /) -> Any: ...
    def _end_to_retry(self) -> None: ...
    def _settle(self, returned: Any, /) -> Reply: ...
    def _settle_raised(self, raised: BaseException, /) -> Reply | None: ...

@final
class Envelope:
    """A message of any method whose envelope, `_meta` and headers are sound.

    What the method wants of its parameters is not looked at.
    """

    @property
    def method(self) -> str:
        """The method's name."""

    @property
    def id(self) -> int | str | None:
        """The id to answer under; None for a notification, which gets no answer (HTTP 202)."""

    @property
    def id_json(self) -> str | None:
        """The id as JSON, as it was sent: what to write into an answer.

        An id of very many digits, or with an exponent, is no number that Python's `json` writes
        back as it was. None for a notification.
        """

    @property
    def params(self) -> dict[str, Any] | None:
        """The parameters; None where a notification has none."""

    @property
    def client_info(self) -> dict[str, Any] | None:
        """What the client says of itself; nobody has verified it."""

    def can_elicit(self, mode: Mode, /) -> bool:
        """Whether the client declared that it can show this kind of question."""

@final
class Engine:
    """Opens calls. Configured once, immutable, shared by threads."""

    def __new__(
        cls,
        *,
        audience: str,
        keys: str | Sequence[str] | Sequence[bytes] | None = None,
        ephemeral: bool = False,
        state_format: StateFormat = "encrypted",
        limits: Limits | None = None,
        server_info: Json | None = None,
        clock: Callable[[], int] | None = None,
        random: Callable[[int], bytes] | None = None,
        log: Callable[[Event], object] | None = None,
    ) -> Engine:
        """Configures an engine.

        `audience` names the service: state sealed for one does not open for another. `keys`: the
        first seals, all open; bytes are secrets of 32 bytes or more, str spells them in hex or
        base64url (see `keygen`). `ephemeral` makes a key that is never written down: no state
        survives a restart, or opens in another instance. `state_format` signed: whoever holds a
        state can read all of it, and change nothing. `server_info` (name, version) goes into
        the `_meta` of results. `log` hears what the operator should know; what it raises goes to
        `sys.unraisablehook`. `clock` (milliseconds since 1970) and `random` (that many bytes) are
        for tests; what they raise, the call raises.

        Raises `ConfigError`.
        """

    @staticmethod
    def from_env(
        *,
        audience: str,
        state_format: StateFormat = "encrypted",
        limits: Limits | None = None,
        server_info: Json | None = None,
        clock: Callable[[], int] | None = None,
        random: Callable[[int], bytes] | None = None,
        log: Callable[[Event], object] | None = None,
    ) -> Engine:
        """An engine with the keys in `MCP_ELICIT_KEYS`, separated by commas.

        Raises `ConfigError`, also where the variable is not set.
        """

    @property
    def audience(self) -> str:
        """The audience it was configured with."""

    @property
    def limits(self) -> Limits:
        """The limits it was configured with."""

    def run(
        self,
        request: Message,
        handler: Handler,
        *,
        principal: Principal,
        headers: Headers | None = None,
        param_headers: ParamHeaders | None = None,
    ) -> Reply:
        """Opens the call, runs the handler, and turns whatever happened into a reply.

        The handler gets the `Call` and returns the result as dict or JSON, or what `complete`,
        `suspend` or `fail` gave. `headers` None means a transport without headers, as stdio; on
        HTTP give them, even where there are none. Everything that the client must be told is a
        reply. Where the handler swallows `Suspended`, the reply is input_required all the same
        and the log hook hears of it.

        Raises `NotACallError` for a method that cannot carry input, `ElicitError` for the
        server's own faults, and the handler's own exceptions as they are.
        """

    async def arun(
        self,
        request: Message,
        handler: AsyncHandler,
        *,
        principal: Principal,
        headers: Headers | None = None,
        param_headers: ParamHeaders | None = None,
    ) -> Reply:
        """`run` for a handler that may await, on any event loop.

        `Suspended` passes through task groups; a cancellation passes through `arun`.
        """

    def open(
        self,
        request: Message,
        *,
        principal: Principal,
        headers: Headers | None = None,
        param_headers: ParamHeaders | None = None,
    ) -> Call:
        """Opens a call, for those who write their own loop.

        Raises `RequestError`, whose `reply` is what the client must be told, or `NotACallError`.
        """

    def open_params(
        self,
        method: str,
        params: Message,
        *,
        principal: Principal,
        headers: Headers | None = None,
        param_headers: ParamHeaders | None = None,
    ) -> Call:
        """Opens a call from the `params` of a request, for SDKs that have parsed the message.

        Replies are then the result or the error object alone. Raises as `open`.
        """

    def check(self, request: Message, *, headers: Headers | None = None) -> Envelope:
        """Checks the envelope of a message of any method: JSON, `_meta`, version, headers.

        Raises `RequestError`, whose `reply` is what the client must be told.
        """

    def _begin(
        self,
        request: Message,
        principal: Principal,
        headers: Headers | None,
        param_headers: ParamHeaders | None,
        /,
    ) -> Call | Reply: ...

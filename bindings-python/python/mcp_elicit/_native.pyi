# The native part. What it does at run time is in ../../src; this says what it is.
# Import from mcp_elicit.
from collections.abc import Awaitable, Callable, Sequence
from types import GenericAlias
from typing import Any, Final, Generic, Literal, TypeAlias, final, overload

from typing_extensions import TypeVar, Unpack

from mcp_elicit._claims import (
    Claimed,
    MemoryStore,
    Need,
    SqliteStore,
    _claim_next,
    _claim_start,
    _complete_end,
    _complete_start,
    _invalid,
    _release_end,
    _release_start,
    _store_failed,
    _store_key,
    _time_limit,
)
from mcp_elicit._config import Event, Limits, Principal
from mcp_elicit._forms import (
    Answer,
    Choice,
    Coerced,
    Downgraded,
    Field,
    Form,
    FormBuilder,
    Normalized,
    Note,
)
from mcp_elicit._store import Driver
from mcp_elicit.testing._play import Play as _Play
from mcp_elicit.types import (
    Action,
    AskOptions,
    AsyncHandler,
    AsyncStore,
    ErrorKind,
    Handler,
    Headers,
    Json,
    Message,
    Mode,
    ParamHeaders,
    Source,
    StateFormat,
    Store,
)

__all__ = [
    "PROTOCOL_VERSION",
    "Answer",
    "Call",
    "Choice",
    "Claimed",
    "Coerced",
    "Downgraded",
    "Engine",
    "Envelope",
    "ErrorInfo",
    "Event",
    "Fault",
    "Field",
    "Form",
    "FormBuilder",
    "Limits",
    "MemoryStore",
    "Need",
    "Normalized",
    "Note",
    "Outcome",
    "Principal",
    "Reply",
    "SqliteStore",
    "_Play",
    "__version__",
    "_claim_next",
    "_claim_start",
    "_complete_end",
    "_complete_start",
    "_error_info",
    "_fault",
    "_invalid",
    "_release_end",
    "_release_start",
    "_schema_error",
    "_store_failed",
    "_store_key",
    "_time_limit",
    "keygen",
]

# Names that `Reply.dict` does not hide.
_Object: TypeAlias = dict[str, Any]
_Strings: TypeAlias = dict[str, str]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True, default=dict[str, Any])

PROTOCOL_VERSION: Final[str]
"""The revision of the protocol that is spoken, as it stands in `_meta`."""

__version__: Final[str]

def keygen() -> str:
    """Makes a key for `MCP_ELICIT_KEYS`: 32 random bytes as text."""

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

def _fault(path: str, rule: str, message: str, /) -> Fault: ...
def _error_info(
    kind: str,
    code: int,
    message: str,
    data: str | None,
    id: str | None,  # noqa: A002 - the member's name
    bare: bool,
    faults: list[Fault] | tuple[Fault, ...],
    /,
) -> ErrorInfo: ...
def _schema_error(refused: list[tuple[str, str]], faults: list[Fault], /) -> Exception: ...

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

        A value of the type where one was asked for (see `Form.of`), otherwise a dict. None for a
        link, and for every action but accept and answer: look at `action` first.
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
    While it is at work nobody else can use it, nor a validator or hook that it calls: they get an
    `ElicitError` (invalid_argument), and nothing is done.
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

    @overload
    def elicit_form(
        self,
        key: str,
        message: str,
        form: Form[_T] | type[_T],
        *,
        allow_sensitive_name: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Outcome[_T]:
        """Asks with a form, or gives the outcome when it was answered.

        `key` names the question: the same on every round. `message` says why it is asked. `form`
        is a `Form`; a type, as `Form.of` takes it, whose value the content of the outcome is; or
        a schema of the protocol's grammar. A type is compiled once, a schema given as dict or
        JSON each time: make a `Form` of it once. `allow_sensitive_name`, for a type or a schema, is
        the reason why a field whose name looks like a secret is none; see `Form`.

        What the type refuses beyond its schema is asked again like any invalid answer. What it
        raises besides, this raises.

        Raises `ElicitError`: invalid_ask for a key, message or option that cannot be used,
        conflict where the key stands for another question in this round; `SchemaError` for the
        schema or the type.
        """

    @overload
    def elicit_form(
        self,
        key: str,
        message: str,
        form: Json,
        *,
        allow_sensitive_name: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Outcome:
        """Asks with a form whose schema is given as dict or JSON."""

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

    def complete(self, result: Json, /, remember: bool = False) -> Reply:
        """Replies with the result, to which `resultType` is added.

        A CallToolResult (with `content`), GetPromptResult (`messages`) or ReadResourceResult
        (`contents`), as the method wants it. Where this call has won a claim its record is finished
        first, with the result in it where `remember` says so: a client that lost the reply gets it
        again. Where the store fails then, the reply goes out all the same: the effect has happened.

        Raises `ElicitError`: question_open while a question is open, invalid_result, finished.
        """

    async def acomplete(self, result: Json, /, remember: bool = False) -> Reply:
        """`complete` with a store that is awaited."""

    def claim(
        self, *, wait_ms: int | None = None, lease_ms: int | None = None, remember: bool = False
    ) -> Claimed:
        """Claims the effect of this flow; call it just before the effect.

        The first claim wins, across threads, processes and languages that share a store. Asked
        again in the same call it gives the same answer. Blocks while the store works.

        `wait_ms`: how long another call may be at work before its outcome is `unknown`; usually
        `Limits.claim_wait_ms`. `lease_ms`: frees the claim of a winner that has not finished after
        so long, so that the effect can happen more than once: for effects that bear it, or whose
        provider honours `idempotency_key`. `remember`: records the result of the call, so that a
        client that lost the reply gets it again.

        Raises `ElicitError`: store where the store did not answer (retryable: nothing is claimed
        twice); config where the engine has no store, or one that must be awaited (`aclaim`); limit
        past the flow's deadline; invalid_argument.
        """

    async def aclaim(
        self, *, wait_ms: int | None = None, lease_ms: int | None = None, remember: bool = False
    ) -> Claimed:
        """`claim` with a store that is awaited, any of them; no event loop is blocked.

        Cancelled while the store works, the claim may be taken all the same: later calls then
        find it `in_progress` and `unknown`, and nothing happens twice.
        """

    def release_claim(self) -> None:
        """Gives the claim back where the effect certainly did not happen: a later call can win it.

        Nothing where this call has none. Raises `ElicitError` (store); the claim then stays, and
        can be given back again.
        """

    async def arelease_claim(self) -> None:
        """`release_claim` with a store that is awaited."""

    @property
    def has_claim(self) -> bool:
        """Whether this call has won a claim that is not finished."""

    @property
    def idempotency_key(self) -> str:
        """A name for the effect of this flow, for the provider behind it.

        The same in every call of the flow, whoever wins the claim, and of no other flow. 43
        characters of the base64url alphabet; not a secret, and does not tell the flow id.
        """

    def fail(self, code: int, message: str, data: Any = None) -> Reply:
        """Replies with an error of the application's own; message and data go to the client.

        Raises `ElicitError`: invalid_result for a code that is the protocol's own, finished.
        """

    def _step_result(self, key: str, /) -> tuple[Any] | None: ...
    def _record_step(self, key: str, result: Any, readable: bool, /) -> Any: ...
    def _end_to_retry(self) -> None: ...
    @property
    def _driver(self) -> Driver | None: ...
    def _settle(self, returned: Any, /) -> Reply: ...
    def _settle_start(self, returned: Any, /) -> Need | Reply: ...
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
        store: Store | AsyncStore | None = None,
    ) -> Engine:
        """Configures an engine.

        `audience` names the service: state sealed for one does not open for another. `keys`: the
        first seals, all open; bytes are secrets of 32 bytes or more, str spells them in hex or
        base64url (see `keygen`). `ephemeral` makes a key that is never written down: no state
        survives a restart, or opens in another instance. `state_format` signed: whoever holds a
        state can read all of it, and change nothing. `server_info` (name, version) goes into
        the `_meta` of results. `log` hears what the operator should know; what it raises goes to
        `sys.unraisablehook`. `clock` (milliseconds since 1970) and `random` (that many bytes) are
        for tests; what they raise, the call raises. `store` is where claims are kept, shared by all
        instances of the service: `MemoryStore`, `SqliteStore`, `RedisStore`, or your own (see
        `mcp_elicit.types.Store`).

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
        store: Store | AsyncStore | None = None,
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

        A result that ends a call with a claim finishes the claim first; where the store fails then,
        the result goes out all the same and the log hook hears `claim_not_finished`.

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

        `Suspended` passes through task groups; a cancellation passes through `arun`. The store, if
        there is one, is awaited, and given up past its time limit; on a loop that is not asyncio's
        it keeps time itself.
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

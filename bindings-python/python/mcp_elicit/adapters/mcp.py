"""Tools of the official Python SDK (`mcp` 2.x, `MCPServer`) that ask their user.

    from mcp.server.mcpserver import MCPServer
    from mcp_elicit import Engine, Form
    from mcp_elicit.adapters.mcp import Ask, elicits

    engine = Engine.from_env(audience="deployer")  # MCP_ELICIT_KEYS
    mcp = MCPServer("deployer", ...)

    @mcp.tool()
    @elicits(engine)
    async def deploy(app: str, ask: Ask) -> str:
        target = await ask.form("target", "Which environment?", TARGET)
        if target.action != "accept":
            return "Nothing was deployed."
        return f"Deployed {app} to {target.content['environment']}."

The tool runs again on every round; answered questions return at once. Awaiting a question that
nobody has answered ends the run with `mcp_elicit.Suspended`, and the client is asked.

Owns how a tool of the SDK becomes a call of the engine, and how the reply goes back. What a round
is, and what may be asked, is the core's. The SDK keeps its part: it reads and checks arguments,
checks HTTP headers, and shapes results.

How the state stays ours: every `MCPServer` seals `requestState` itself, by a middleware with a key
that each process makes for itself unless it is given one, so that no other worker could open what
this one sealed. Registering a tool of ours therefore puts a middleware before the SDK's (see
`install`): it takes states of ours off a request before the SDK looks, and puts ours on the reply
after it. Every other tool's state is left to the SDK.

Protocol: basic/patterns/mrtr; client/elicitation.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Generic, NoReturn, TypeVar, cast, overload

from mcp import MCPError
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import principal_components
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateBoundary
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import BaseModel

from mcp_elicit import (
    PROTOCOL_VERSION,
    Claimed,
    Engine,
    Form,
    Outcome,
    Principal,
    RequestError,
    Suspended,
)
from mcp_elicit._claim import finish
from mcp_elicit._native import Call, Reply

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from typing_extensions import Unpack

    from mcp_elicit.types import AskOptions, Json, Mode

__all__ = ["Ask", "Question", "elicits", "install"]

_R = TypeVar("_R")
_T = TypeVar("_T")
_T1 = TypeVar("_T1")
_T2 = TypeVar("_T2")
_T3 = TypeVar("_T3")
_T_co = TypeVar("_T_co", covariant=True)

_META = "io.modelcontextprotocol/"
_VERSION = _META + "protocolVersion"
_CAPABILITIES = _META + "clientCapabilities"
_MISSING_CAPABILITY = -32021

# How a state of the engine's begins (core/docs/state-token.md); the SDK's own begin otherwise.
_STATES = ("me1.", "ms1.")

# The parameter through which a tool that asks for no `Context` of its own is given one.
_CONTEXT = "mcp_elicit_context"


# --- what a tool is given -------------------------------------------------------------------


class Question(Generic[_T_co]):
    """A question that was asked; await it for its outcome.

    Awaiting it while nobody has answered ends this run of the tool. It is asked as soon as it is
    made: questions made before the first is awaited go out in one round.
    """

    __slots__ = ("_outcome",)

    def __init__(self, outcome: Outcome[_T_co]) -> None:
        self._outcome = outcome

    @property
    def is_pending(self) -> bool:
        """Whether nobody has answered yet."""
        return self._outcome.is_pending

    def __await__(self) -> Generator[None, None, Outcome[_T_co]]:
        _ = self._outcome.action  # raises Suspended while it is pending
        return self._outcome
        yield  # what makes this a generator; nothing is waited for


class Ask:
    """What a tool asks its user with; one for each call of the tool.

    Annotate one parameter of the tool with it: it is no argument of the tool's. Belongs to the
    task of the call and the tasks that it starts. Options of every question: see
    `mcp_elicit.types.AskOptions`.
    """

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> NoReturn:
        """Asked for where a tool is registered as it is, as if a client could give an `Ask`."""
        raise TypeError(
            "a tool that takes Ask is registered without @elicits: write @mcp.tool() above "
            "@elicits(engine), and both above the function"
        )

    @overload
    def form(
        self,
        key: str,
        message: str,
        form: Form[_T] | type[_T],
        *,
        allow_sensitive_name: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Question[_T]: ...
    @overload
    def form(
        self,
        key: str,
        message: str,
        form: Json,
        *,
        allow_sensitive_name: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Question[dict[str, Any]]: ...
    def form(self, key: str, message: str, form: Any, **options: Any) -> Question[Any]:
        """Asks with a form, or for a value of a type: see `Call.elicit_form`, `Form.of`."""
        return Question(self._call.elicit_form(key, message, form, **options))

    def url(
        self, key: str, message: str, url: str, done: bool, **options: Unpack[AskOptions]
    ) -> Question[None]:
        """Asks for a visit to a link; `done` is your word whether it was made.

        See `Call.elicit_url`. `flow_id` is there to build the link with.
        """
        return Question(self._call.elicit_url(key, message, url, done, **options))

    def message(
        self, key: str, params: Json, **options: Unpack[AskOptions]
    ) -> Question[dict[str, Any]]:
        """Asks the client's model for a turn. See `Call.create_message`."""
        return Question(self._call.create_message(key, params, **options))

    def roots(self, key: str, **options: Unpack[AskOptions]) -> Question[dict[str, Any]]:
        """Asks for the folders that the client works in. See `Call.list_roots`."""
        return Question(self._call.list_roots(key, **options))

    @overload
    async def gather(self, first: Question[_T1], /) -> tuple[Outcome[_T1]]: ...
    @overload
    async def gather(
        self, first: Question[_T1], second: Question[_T2], /
    ) -> tuple[Outcome[_T1], Outcome[_T2]]: ...
    @overload
    async def gather(
        self, first: Question[_T1], second: Question[_T2], third: Question[_T3], /
    ) -> tuple[Outcome[_T1], Outcome[_T2], Outcome[_T3]]: ...
    @overload
    async def gather(self, *questions: Question[_T]) -> tuple[Outcome[_T], ...]: ...
    async def gather(self, *questions: Question[Any]) -> tuple[Outcome[Any], ...]:
        """The outcomes of several questions, asked in one round."""
        return tuple([await question for question in questions])

    @overload
    async def step(
        self, key: str, work: Callable[[], Awaitable[_T]], *, readable: bool = False
    ) -> _T: ...
    @overload
    async def step(self, key: str, work: Callable[[], _T], *, readable: bool = False) -> _T: ...
    async def step(self, key: str, work: Callable[[], Any], *, readable: bool = False) -> Any:
        """Runs `work` once a flow; later rounds get its result, as JSON, from the sealed state.

        `work` may await. No promise that an effect happens at most once: see `Call.step`, also for
        `readable`.
        """

        async def awaited() -> Any:
            result = work()
            return await result if inspect.isawaitable(result) else result

        return await self._call.astep(key, awaited, readable=readable)

    def retry_later(self) -> NoReturn:
        """Ends this run of the tool: the client gets the sealed state alone and comes back.

        It comes back by itself, perhaps at once, and the tool runs again. For work that goes on
        elsewhere; questions that are open go out with it. Raises `mcp_elicit.Suspended`.
        """
        self._call._end_to_retry()  # noqa: SLF001 - as `Engine.arun`
        raise Suspended

    async def claim(
        self, *, wait_ms: int | None = None, lease_ms: int | None = None, remember: bool = False
    ) -> Claimed:
        """Claims the effect of this flow, just before the effect: the first claim wins.

        See `Call.claim`; the engine needs a store. The claim is finished when the tool returns,
        with `remember` with what the SDK makes of the result: a later call is `recorded` then, and
        the tool returns `ask.recorded(claimed)`. A tool that raises leaves the claim, and later
        calls find the outcome unknown.
        """
        return await self._call.aclaim(wait_ms=wait_ms, lease_ms=lease_ms, remember=remember)

    def recorded(self, claimed: Claimed) -> _T:  # type: ignore[type-var] # the tool's own type
        """The result that was recorded, for a tool to return in place of its own.

        Raises `ValueError` where the claim is not `recorded`.
        """
        if claimed.result is None:
            raise ValueError(f"nothing is recorded: the claim is {claimed.status}")
        return cast("_T", CallToolResult.model_validate(claimed.result))

    async def release_claim(self) -> None:
        """Gives the claim back where the effect certainly did not happen."""
        await self._call.arelease_claim()

    @property
    def idempotency_key(self) -> str:
        """A name for the effect of this flow, for the provider behind it."""
        return self._call.idempotency_key

    @property
    def app_data(self) -> bytes | None:
        """Data of your own in the state, from an earlier round or this one. See `Call.app_data`."""
        return self._call.app_data

    @app_data.setter
    def app_data(self, data: bytes | None) -> None:
        self._call.app_data = data

    def can_elicit(self, mode: Mode, /) -> bool:
        """Whether the client declared that it can show this kind of question: form or url."""
        return self._call.can_elicit(mode)

    @property
    def flow_id(self) -> str:
        """The name of the flow: the same in all its rounds, unguessable, no secret."""
        return self._call.flow_id

    @property
    def round(self) -> int:
        """Which round of the flow this is; the first is 1."""
        return self._call.round

    @property
    def principal(self) -> Principal:
        """Who makes the call."""
        return self._call.principal


# --- the decorator --------------------------------------------------------------------------


def elicits(
    engine: Engine, *, principal: Principal | Callable[[Context[Any, Any]], Principal] | None = None
) -> Callable[[Callable[..., Coroutine[Any, Any, _R]]], Callable[..., Coroutine[Any, Any, _R]]]:
    """Lets a tool of an `MCPServer` ask: goes between `@mcp.tool()` and the function.

    The function is async and has one parameter annotated `Ask`, which the tool's input schema
    does not show. It may take the SDK's `Context` too.

    State is bound to the principal: issuer, subject and client of the access token that the SDK
    has verified (`iss` in its claims, otherwise the issuer of the server's `AuthSettings`). Where
    there is no access token, as over stdio, it is `principal`: `Principal.single_user()`, or
    `Principal.none()`. Where your tokens do not name their user, give a function that tells it
    from the `Context`; it is then asked for every call. With neither, the call fails and the
    server's log says why.

    Clients of the revisions before 2026-07-28, which the SDK serves too, cannot be asked: for
    them every question does what its `unavailable` says.

    Raises `TypeError`, when it decorates, for what could not work, and says what to write instead.
    """
    _check_engine(engine)
    _check_principal(principal)

    def decorate(tool: Callable[..., Coroutine[Any, Any, _R]]) -> Callable[..., Any]:
        signature, asks, context = _read_signature(tool)

        @functools.wraps(tool)
        async def run(**arguments: Any) -> Any:
            # A tool that did not ask for the SDK's context is not given it.
            take = arguments.pop if context == _CONTEXT else arguments.__getitem__
            ctx: Context[Any, Any] = take(context)
            exchange = _begin()
            who = _principal(ctx, principal)
            call = _open(engine, ctx, exchange, who)
            try:
                result = await tool(**arguments, **{asks: Ask(call)})
            except BaseException as raised:
                reply = call._settle_raised(raised)  # noqa: SLF001 - as `Engine.arun`
                if reply is None:
                    raise
                return _answer(reply, ctx, exchange)
            if isinstance(result, InputRequiredResult):
                raise TypeError("a tool that takes Ask asks with it, and returns its own result")
            if call.has_claim:
                # Finished by the middleware, which sees the result that may be recorded.
                exchange.claimed = call
                return result
            # The SDK shapes the result. The core says whether there may be one yet: what the
            # tool returned while a question is open does not go out.
            was_open = call.is_pending
            reply = call._settle({"content": []})  # noqa: SLF001
            if reply.kind == "complete" and not was_open:
                return result
            return _answer(reply, ctx, exchange)

        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {
            name: parameter.annotation
            for name, parameter in signature.parameters.items()
            if parameter.annotation is not inspect.Parameter.empty
        }
        if signature.return_annotation is not inspect.Signature.empty:
            run.__annotations__["return"] = signature.return_annotation
        del run.__wrapped__  # whoever follows it would find `ask`
        run.__mcp_elicit__ = True  # type: ignore[attr-defined]
        return run

    return decorate


def _check_engine(engine: Any) -> None:
    if isinstance(engine, Engine):
        return
    if inspect.isroutine(engine):
        raise TypeError(
            f"@elicits is given the engine: write @elicits(engine) above {_name(engine)}"
        )
    what = "the class Engine" if engine is Engine else _name(type(engine))
    raise TypeError(f"elicits takes an engine, as Engine.from_env(...) makes one, not {what}")


def _check_principal(principal: Any) -> None:
    if principal is None or isinstance(principal, Principal):
        return
    for name in ("single_user", "none"):
        if principal == getattr(Principal, name):
            raise TypeError(f"principal is a Principal: call it, Principal.{name}()")
    wanted = "principal is Principal.single_user(), Principal.none(), or a function of the Context"
    if inspect.isclass(principal) or not callable(principal):
        what = f"the class {_name(principal)}" if inspect.isclass(principal) else repr(principal)
        raise TypeError(f"{wanted}, not {what}")
    if inspect.iscoroutinefunction(principal):
        raise TypeError(f"{_name(principal)} must not be async: {wanted} that returns a Principal")
    try:
        inspect.signature(principal).bind(None)
    except TypeError:
        raise TypeError(f"{_name(principal)} must take the Context, and nothing else") from None
    except ValueError:
        pass  # one of those built in that do not say what they take


def _read_signature(tool: Callable[..., Any]) -> tuple[inspect.Signature, str, str]:
    """The signature that the SDK is shown, and the names of the parameters for `Ask`, `Context`."""
    name = _name(tool)
    if getattr(tool, "__mcp_elicit__", False):
        raise TypeError(f"{name} is decorated with @elicits already")
    if not inspect.iscoroutinefunction(tool):
        if not inspect.isroutine(tool):
            raise TypeError(f"@elicits stands above an async def function, not above {name}")
        raise TypeError(f"{name} must be async def: a tool awaits what it asks")
    try:
        hints = typing.get_type_hints(tool, include_extras=True)
        signature = inspect.signature(tool)
    except NameError as unknown:
        raise TypeError(
            f"an annotation of {name} cannot be evaluated: {unknown}. Import or define it at the "
            "top of the module: not under TYPE_CHECKING, nor inside a function"
        ) from unknown
    except Exception as unknown:
        raise TypeError(f"the annotations of {name} cannot be read: {unknown}") from unknown
    asks = _find_ask(name, signature, hints)
    parameters = [
        parameter.replace(annotation=hints.get(parameter.name, inspect.Parameter.empty))
        for parameter in signature.parameters.values()
        if parameter.name != asks
    ]
    context = next((each.name for each in parameters if _is_context(each.annotation)), None)
    if context is None:
        context = _CONTEXT
        at = len(parameters)
        if at and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
            at -= 1
        given = inspect.Parameter(context, inspect.Parameter.KEYWORD_ONLY, annotation=Context)
        parameters.insert(at, given)
    returns = hints.get("return", inspect.Signature.empty)
    return signature.replace(parameters=parameters, return_annotation=returns), asks, context


def _find_ask(name: str, signature: inspect.Signature, hints: dict[str, Any]) -> str:
    """The one parameter for `Ask`."""
    found = [parameter for parameter in signature.parameters if _is_ask(hints.get(parameter))]
    if not found:
        for parameter in signature.parameters:
            if _mentions_ask(hints.get(parameter)):
                raise TypeError(f"{name} takes Ask by itself: write {parameter}: Ask")
    if len(found) != 1:
        raise TypeError(
            f"{name} must have one parameter annotated with Ask, as in ask: Ask, and has "
            f"{len(found)}"
        )
    kind = signature.parameters[found[0]].kind
    if kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
        raise TypeError(f"{name} is given Ask by name: write {found[0]}: Ask, without * or /")
    return found[0]


def _is_ask(hint: Any) -> bool:
    """Whether it is `Ask`, which may be `Annotated` or `| None`: a tool is always given one."""
    if typing.get_origin(hint) is Annotated:
        return _is_ask(typing.get_args(hint)[0])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(hint) if member is not type(None)]
        return len(members) == 1 and _is_ask(members[0])
    return hint is Ask


def _mentions_ask(hint: Any) -> bool:
    members = hint if isinstance(hint, list) else typing.get_args(hint)  # a list: of a Callable
    return hint is Ask or any(_mentions_ask(member) for member in members)


def _is_context(hint: Any) -> bool:
    """Whether the SDK gives its context for such a parameter: also where it may be None."""
    return any(
        inspect.isclass(each) and issubclass(each, Context)
        for each in (hint, *typing.get_args(hint))
    )


def _name(thing: Any) -> str:
    """What something is called in a message."""
    name = getattr(thing, "__qualname__", None)
    return name if isinstance(name, str) else type(thing).__qualname__


def _principal(
    ctx: Context[Any, Any], given: Principal | Callable[[Context[Any, Any]], Principal] | None
) -> Principal:
    """Who makes the call: never what the message says, only what the SDK has verified."""
    if given is not None and not isinstance(given, Principal):
        told = given(ctx)
        if not isinstance(told, Principal):
            what = type(told).__name__
            raise TypeError(f"{_name(given)} must return a Principal, and returned {what}")
        return told
    token = get_access_token()
    if token is None:
        if given is None:
            raise RuntimeError(
                "the request has no access token to tell the principal from: say "
                "@elicits(engine, principal=Principal.single_user()) on a server for one person, "
                "as over stdio, or principal=Principal.none() to bind state to nobody"
            )
        return given
    client, issuer, subject = principal_components(token)
    auth = ctx.mcp_server.settings.auth
    issuer = issuer or (str(auth.issuer_url) if auth else None)
    if not (issuer and subject and client):
        raise RuntimeError(
            "the access token does not say whose it is (issuer, subject and client): have the "
            "token verifier fill them in, or give @elicits a function that tells the principal"
        )
    return Principal(issuer, subject, client)


# --- from the SDK to the engine and back ----------------------------------------------------


class _Exchange:
    """One request on its way through the server: its state, and the reply to it, where ours."""

    __slots__ = ("begun", "claimed", "reply", "state")

    def __init__(self, state: str | None) -> None:
        self.state = state
        self.reply: dict[str, Any] | None = None
        self.begun = False
        self.claimed: Call | None = None


_exchange: ContextVar[_Exchange | None] = ContextVar("mcp_elicit_exchange", default=None)


def _begin() -> _Exchange:
    """The exchange that a tool's run belongs to."""
    exchange = _exchange.get()
    if exchange is None:
        raise RuntimeError(
            "a tool that asks runs for a client's tools/call, on a server that mcp_elicit is "
            "installed on: call mcp_elicit.adapters.mcp.install(server) where tools were "
            "registered in another way than by add_tool or @tool"
        )
    if exchange.begun:
        raise RuntimeError("one tools/call runs one tool that asks: tools of ours do not nest")
    exchange.begun = True
    return exchange


def _open(
    engine: Engine, ctx: Context[Any, Any], exchange: _Exchange, principal: Principal
) -> Call:
    """Opens the call from what the SDK has read, which is also what the tool is run with."""
    request = ctx.request_context
    params = dict(request.params or {})
    headers = None
    if request.protocol_version == PROTOCOL_VERSION:
        if exchange.state is not None:
            params["requestState"] = exchange.state
        headers = getattr(ctx.headers, "raw", ctx.headers)
    else:
        # Nobody can be asked: the client is one that declares nothing. What it might send of
        # rounds, which it does not know, is nothing of ours.
        params = {name: params[name] for name in ("name", "arguments") if name in params}
        params["_meta"] = {_VERSION: PROTOCOL_VERSION, _CAPABILITIES: {}}
    try:
        return engine.open_params(request.method, params, principal=principal, headers=headers)
    except RequestError as refused:
        raise _error(refused.reply, request.protocol_version) from None


def _answer(
    reply: Reply, ctx: Context[Any, Any], exchange: _Exchange
) -> CallToolResult | InputRequiredResult:
    """What the SDK makes a reply of."""
    if reply.kind == "error":
        raise _error(reply, ctx.request_context.protocol_version)
    result = reply.dict
    if reply.kind == "complete":
        return CallToolResult.model_validate(result)
    exchange.reply = result
    # The state goes on by the middleware, past the SDK's. Without questions there must be one.
    questions = result.get("inputRequests")
    shown = {"inputRequests": questions} if questions else {"requestState": ""}
    return InputRequiredResult.model_validate(shown)


async def _finish(call: Call, result: HandlerResult, version: str) -> HandlerResult:
    """The result of a tool that has a claim, when the claim is finished with it."""
    if isinstance(result, BaseModel):
        shaped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    else:
        shaped = dict(result or {})
    was_open = call.is_pending
    reply = await finish(call, call._settle_start(shaped))  # noqa: SLF001 - as `Engine.arun`
    if reply.kind == "error":
        raise _error(reply, version)
    return result if reply.kind == "complete" and not was_open else reply.dict


def _error(reply: Reply, version: str) -> MCPError:
    """The exception by which the SDK sends an error."""
    error = reply.dict
    message = error["message"]
    if error["code"] == _MISSING_CAPABILITY and version != PROTOCOL_VERSION:
        message = (
            f"This tool must ask the user, which this server does by MCP {PROTOCOL_VERSION}; "
            f"the client speaks {version}. {message}"
        )
    return MCPError(code=error["code"], message=message, data=error.get("data"))


class _Middleware:
    """Keeps states of ours from the SDK's own sealing. Stands before it."""

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Takes the state off the request, and puts that of the reply on."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        params = ctx.params or {}
        state = params.get("requestState")
        if isinstance(state, str) and state.startswith(_STATES):
            # A tool that is not ours sees a first round, as if the client had sent no state.
            rest = {name: value for name, value in params.items() if name != "requestState"}
            ctx = replace(ctx, params=rest)
        else:
            state = None  # the SDK's to refuse or to open
        exchange = _Exchange(state)
        token = _exchange.set(exchange)
        try:
            result = await call_next(ctx)
        finally:
            _exchange.reset(token)
        if exchange.claimed:
            return await _finish(exchange.claimed, result, ctx.protocol_version)
        ours = exchange.reply
        if ours is None or not isinstance(result, Mapping):
            return result
        if result.get("resultType") != "input_required":
            return result  # a middleware of the application's answered otherwise
        shown: dict[str, Any] = dict(result)
        shown.update(
            (name, ours[name]) for name in ("inputRequests", "requestState") if name in ours
        )
        return shown


_ServerT = TypeVar("_ServerT", bound="MCPServer[Any]")


def install(server: _ServerT) -> _ServerT:
    """Keeps the SDK from sealing our states a second time, with keys that workers do not share.

    Registering a tool by `@server.tool()` or `add_tool` does it. Only a server that was given
    `Tool` objects, as by `MCPServer(tools=[...])`, needs it. Does nothing the second time. Gives
    the server.
    """
    chain = server.middleware
    if not any(isinstance(part, _Middleware) for part in chain):
        kinds = [isinstance(part, RequestStateBoundary) for part in chain]
        chain.insert(kinds.index(True) if True in kinds else 0, _Middleware())
    return server


def _watch_registration() -> None:
    """Has `MCPServer.add_tool` install us where it is given a tool of ours.

    The SDK tells a function nothing of the server that it is registered on, and no middleware can
    be added from inside a call: the first thing that a worker sees of a flow may be its state.
    """
    add_tool = MCPServer.add_tool

    @functools.wraps(add_tool)
    def added(self: MCPServer[Any], fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        if getattr(fn, "__mcp_elicit__", False):
            install(self)
        add_tool(self, fn, *args, **kwargs)

    MCPServer.add_tool = added  # type: ignore[method-assign]


_watch_registration()

"""`Host`: plays the client of a server, and the person from a script."""

from __future__ import annotations

import inspect
import json
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mcp_elicit._native import Principal
from mcp_elicit.testing import _servers
from mcp_elicit.testing._answers import Answer, Decision
from mcp_elicit.testing._flow import Attacked, Flow, Question, flow_error
from mcp_elicit.testing._play import Play
from mcp_elicit.testing._request import Request, Response

if TYPE_CHECKING:
    from mcp_elicit._native import Engine
    from mcp_elicit.testing._asgi import AsgiApp
    from mcp_elicit.testing._clock import Clock
    from mcp_elicit.types import AsyncHandler, Handler, Json

__all__ = ["AttackName", "Host"]

AttackName: TypeAlias = Literal[
    "tamper_first",
    "tamper_middle",
    "tamper_last",
    "tamper_cut",
    "tamper_appended",
    "tamper_padded",
    "tamper_spaced",
    "tamper_doubled",
    "tamper_emptied",
    "replay",
    "unasked",
    "other_target",
    "other_arguments",
    "other_principal",
    "expired",
]
"""What a client can do with a flow that it took part in.

`tamper_*` presents the state changed; `replay` presents it and the answers once more; `unasked`
begins anew and gives the answers at once; `other_target`, `other_arguments` and `other_principal`
present them on another tool, with other arguments, as somebody else; `expired` presents them when
their time is over."""

_ISSUER = "https://login.test"
_ALICE = Principal(_ISSUER, "alice", "test-host")
_MALLORY = Principal(_ISSUER, "mallory", "test-host")

#: Past every life that a state can have.
_LONG_AFTER_MS = 400 * 24 * 3_600_000

_ROUNDS = 32

_Headers: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True)
class _Settings:
    """What a test says of host and person."""

    http: bool
    answers: tuple[tuple[str, Answer | Decision], ...] = ()
    otherwise: Answer | Decision | None = None
    capabilities: Json | None = None
    client_info: Json | None = None
    headers: _Headers = ()
    param_headers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    principal: Principal = _ALICE
    other: Principal | None = None
    other_headers: _Headers = ()
    other_target: str | None = None
    clock: Clock | None = None
    first_round_only: bool = False
    rounds: int | None = None


@dataclass
class _Shared:
    """What a host and those made from it have in common."""

    server: _servers.Server
    next_id: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ids(self, count: int) -> int:
        """Sets ids aside, so that flows that are played at once have their own; the first one."""
        with self.lock:
            first = self.next_id
            self.next_id += count
            return first


class Host:
    """Plays the client of a server, and the person from a script.

    `answer`, `capabilities` and their like return a new host that talks to the same server and
    leave this one as it was, so that a host can be shared by tests. `call` and its like play a
    flow to its end; `acall` and its like do so for tests that await.

    Use it with `with` (or `async with`) where the server has something to end: an ASGI app's
    lifespan, a command. For one thread at a time, unless the server is good for more.
    """

    __slots__ = ("_settings", "_shared")

    _shared: _Shared
    _settings: _Settings

    def __init__(self, engine: Engine, handler: Handler | AsyncHandler, /) -> None:
        """A host for an engine and the handler that it runs, which may await.

        The principal is a user `alice` unless `principal` says otherwise; requests have no headers
        unless `http` says so.
        """
        self._shared = _Shared(_servers.engine_server(engine, handler))
        self._settings = _Settings(http=False, other=_MALLORY)

    @classmethod
    def _over(cls, server: _servers.Server) -> Host:
        return cls._made(_Shared(server), _Settings(http=server.http))

    @classmethod
    def _made(cls, shared: _Shared, settings: _Settings) -> Host:
        host = cls.__new__(cls)
        host._shared, host._settings = shared, settings  # noqa: SLF001 - its own
        return host

    @classmethod
    def callable(cls, server: Callable[[Request], Response | Awaitable[Response]], /) -> Host:
        """A host for anything that takes a request and returns what came back.

        `Host.callable(lambda request: engine.run(request.body, handler, **request.caller))`
        """
        return cls._over(_servers.CallableServer(server))

    @classmethod
    def asgi(cls, app: AsgiApp, url: str = "http://127.0.0.1:8000/mcp", /) -> Host:
        """A host for an ASGI app in this process; `url` is what the app takes its address for.

        Between `async with` the app lives in the loop of the test; otherwise in a loop on a thread
        of its own, from the first request to `close`. Its lifespan is run. What it raises goes to
        the test.
        """
        return cls._over(_servers.AsgiServer(app, url))

    @classmethod
    def url(cls, url: str, /, *, timeout: float = 30.0) -> Host:
        """A host for an MCP endpoint over HTTP. `timeout`: seconds for a server that is silent."""
        return cls._over(_servers.UrlServer(url, timeout))

    @classmethod
    def command(
        cls,
        command: Sequence[str],
        /,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
    ) -> Host:
        """A host for a command that speaks stdio, a message a line.

        It is started for the first request, and anew after a flow that failed; `close` ends it.
        What it writes to its error stream goes to the test's. `timeout`: seconds for a reply.
        """
        return cls._over(_servers.CommandServer(command, env, cwd, timeout))

    def _with(self, **changes: Any) -> Host:
        return self._made(self._shared, replace(self._settings, **changes))

    def answer(self, key: str, answer: Answer | Decision, /) -> Host:
        """What the person says to the question under `key`: an answer, or a function of it.

        Given more than once for a key, the answers are said in turn, and the last one stays. A
        question without an answer fails the flow.
        """
        return self._with(answers=(*self._settings.answers, (key, answer)))

    def otherwise(self, answer: Answer | Decision, /) -> Host:
        """What the person says to every question whose key has no answer of its own."""
        return self._with(otherwise=answer)

    def capabilities(self, capabilities: Json, /) -> Host:
        """What the client declares that it can be asked. Else forms and links; `{}` is nothing."""
        return self._with(capabilities=capabilities)

    def client_info(self, info: Json | None, /) -> Host:
        """What the client says of itself: an object with name and version, or nothing (None)."""
        return self._with(client_info="null" if info is None else info)

    def http(self, http: bool = True, /) -> Host:
        """Whether requests have the headers of HTTP. Else they do for an app and a URL."""
        return self._with(http=http)

    def header(self, name: str, value: str, /) -> Host:
        """Adds a header to every request, such as `Authorization`."""
        return self._with(headers=(*self._settings.headers, (name, value)))

    def param_header(self, name: str, path: str | Sequence[str], /) -> Host:
        """Mirrors an argument in `Mcp-Param-{name}`, where the tool has `x-mcp-header`.

        `path`: the argument's name, or the keys that lead to it.
        """
        keys = (path,) if isinstance(path, str) else tuple(path)
        return self._with(param_headers=(*self._settings.param_headers, (name, keys)))

    def principal(self, principal: Principal, /) -> Host:
        """Who makes the requests, for servers that are called."""
        return self._with(principal=principal)

    def other_principal(self, principal: Principal, /) -> Host:
        """Who somebody else is, for the attack `other_principal`."""
        return self._with(other=principal)

    def other_header(self, name: str, value: str, /) -> Host:
        """A header by which somebody else is known, in place of the one of this name."""
        other = self._settings.other or _MALLORY
        headers = (*self._settings.other_headers, (name, value))
        return self._with(other=other, other_headers=headers)

    def other_target(self, target: str, /) -> Host:
        """Another tool, prompt or resource of the server, for `attack_all`."""
        return self._with(other_target=target)

    def clock(self, clock: Clock, /) -> Host:
        """The clock that the engine was made with, for the attack `expired`."""
        return self._with(clock=clock)

    def first_round_only(self) -> Host:
        """Ends each flow with the first reply, whatever it is."""
        return self._with(first_round_only=True)

    def rounds(self, most: int, /) -> Host:
        """How many requests a flow may have. Else 32."""
        return self._with(rounds=most)

    # --- flows ------------------------------------------------------------------------------

    def call(self, tool: str, arguments: Json | None = None, /) -> Flow:
        """Calls a tool, and plays the flow to its end.

        Raises `FlowError` where it could not go on; how else it ended, the flow says.
        """
        return self.request("tools/call", _params("name", tool, arguments))

    def prompt(self, prompt: str, arguments: Json | None = None, /) -> Flow:
        """Gets a prompt, as `call` does."""
        return self.request("prompts/get", _params("name", prompt, arguments))

    def read(self, uri: str, /) -> Flow:
        """Reads a resource, as `call` does."""
        return self.request("resources/read", {"uri": uri})

    def request(self, method: str, params: Json, /) -> Flow:
        """Sends any request, as `call` does. `params`: without what the host adds."""
        play, functions = self._begin(method, params)
        return self._check(self._play(play, functions, self._request_of))

    async def acall(self, tool: str, arguments: Json | None = None, /) -> Flow:
        """`call` for a test that awaits."""
        return await self.arequest("tools/call", _params("name", tool, arguments))

    async def aprompt(self, prompt: str, arguments: Json | None = None, /) -> Flow:
        """`prompt` for a test that awaits."""
        return await self.arequest("prompts/get", _params("name", prompt, arguments))

    async def aread(self, uri: str, /) -> Flow:
        """`read` for a test that awaits."""
        return await self.arequest("resources/read", {"uri": uri})

    async def arequest(self, method: str, params: Json, /) -> Flow:
        """`request` for a test that awaits."""
        play, functions = self._begin(method, params)
        return self._check(await self._aplay(play, functions, self._request_of))

    def _begin(self, method: str, params: Json) -> tuple[Play, list[Decision]]:
        settings = self._settings
        functions: list[Decision] = []

        def given(answer: Answer | Decision) -> Any:
            if isinstance(answer, Answer):
                return answer._response  # noqa: SLF001 - of the same package
            functions.append(answer)
            return len(functions) - 1

        play = Play(
            method,
            params,
            first_id=self._shared.ids(_ROUNDS if settings.rounds is None else settings.rounds),
            client_info=settings.client_info,
            capabilities=settings.capabilities,
            http=settings.http,
            param_headers=[(name, list(path)) for name, path in settings.param_headers],
            first_round_only=settings.first_round_only,
            rounds=settings.rounds,
            answers=[(key, given(answer)) for key, answer in settings.answers],
            otherwise=None if settings.otherwise is None else [given(settings.otherwise)],
        )
        return play, functions

    def _request_of(self, body: bytes, headers: list[tuple[str, str]]) -> Request:
        settings = self._settings
        return Request(
            body=body,
            headers=[*headers, *settings.headers],
            principal=settings.principal,
            http=settings.http,
            param_headers={name: list(path) for name, path in settings.param_headers},
        )

    def _request_of_other(self, body: bytes, headers: list[tuple[str, str]]) -> Request:
        own, other = self._request_of(body, headers), self._settings.other_headers
        replaced = {name.lower() for name, _ in other}
        kept = [(name, value) for name, value in own.headers if name.lower() not in replaced]
        principal = self._settings.other or _MALLORY
        return replace(own, headers=[*kept, *other], principal=principal)

    def _play(
        self,
        play: Play,
        functions: list[Decision],
        request_of: Callable[[bytes, list[tuple[str, str]]], Request],
    ) -> Flow:
        server = self._shared.server
        while (step := play.step()) is not None:
            if step[0] == "send":
                server.exchange(request_of(step[2], step[3]), play)
            else:
                said = functions[step[1]](Question(**step[2]))
                if not isinstance(said, Answer):
                    if inspect.iscoroutine(said):
                        said.close()
                    raise TypeError("a function of the script returns an Answer; acall may await")
                play.decide(said._response)  # noqa: SLF001 - of the same package
        if play.end == "failed":
            server.reset()
        return Flow(play)

    async def _aplay(
        self,
        play: Play,
        functions: list[Decision],
        request_of: Callable[[bytes, list[tuple[str, str]]], Request],
    ) -> Flow:
        server = self._shared.server
        while (step := play.step()) is not None:
            if step[0] == "send":
                await server.aexchange(request_of(step[2], step[3]), play)
            else:
                said = functions[step[1]](Question(**step[2]))
                answer = await said if inspect.isawaitable(said) else said
                if not isinstance(answer, Answer):
                    raise TypeError("a function of the script returns an Answer")
                play.decide(answer._response)  # noqa: SLF001 - of the same package
        if play.end == "failed":
            server.reset()
        return Flow(play)

    def _check(self, flow: Flow) -> Flow:
        if flow.end == "failed":
            why = flow._play.why_not  # noqa: SLF001 - of the same package
            if why is not None:
                raise flow_error(why, flow)
        return flow

    # --- attacks ----------------------------------------------------------------------------

    def attack(self, flow: Flow, name: AttackName, what: str | None = None, /) -> Flow:
        """Attacks the server with a flow that this host played: one request, one reply.

        `what`: the other target, or the JSON of the other arguments. Raises `ElicitError`
        (invalid_argument) where the flow does not hold what the attack needs, or the host lacks
        it: a clock, somebody else.
        """
        return self._attack(flow, name, what)[0]

    def attack_all(self, flow: Flow, /) -> list[Attacked]:
        """Makes every attack that this host can with a flow that it played.

        All that `AttackName` names but `replay`, which nothing but the server's own purpose can
        judge; those with somebody else, another target and a clock as far as the host knows them.

        `assert all(attacked.held for attacked in host.attack_all(flow))`
        """
        attacks = self._attacks(flow)
        return [_judge(*self._attack(flow, name, what)) for name, what in attacks]

    async def aattack(self, flow: Flow, name: AttackName, what: str | None = None, /) -> Flow:
        """`attack` for a test that awaits."""
        return (await self._aattack(flow, name, what))[0]

    async def aattack_all(self, flow: Flow, /) -> list[Attacked]:
        """`attack_all` for a test that awaits."""
        attacks = self._attacks(flow)
        return [_judge(*await self._aattack(flow, name, what)) for name, what in attacks]

    def _attacks(self, flow: Flow) -> list[tuple[str, str | None]]:
        attacks = flow._play.usual_attacks()  # noqa: SLF001 - of the same package
        if self._settings.other_target is not None:
            attacks.append(("other_target", self._settings.other_target))
        if self._settings.other is not None:
            attacks.append(("other_principal", None))
        if self._settings.clock is not None:
            attacks.append(("expired", None))
        return attacks

    def _prepare(
        self, flow: Flow, name: str, what: str | None
    ) -> tuple[Play, Callable[[bytes, list[tuple[str, str]]], Request]]:
        play = flow._play.attack(name, what, self._shared.ids(1))  # noqa: SLF001 - of the same package
        if name == "expired" and self._settings.clock is None:
            raise ValueError("the host has no clock to move: give it the engine's (`clock`)")
        if name == "other_principal":
            if self._settings.other is None:
                raise ValueError("the host knows of nobody else: give it `other_principal`")
            return play, self._request_of_other
        return play, self._request_of

    def _attack(self, flow: Flow, name: str, what: str | None) -> tuple[Flow, str, str | None]:
        play, request_of = self._prepare(flow, name, what)
        with _later(self._settings.clock if name == "expired" else None):
            return self._play(play, [], request_of), name, what

    async def _aattack(
        self, flow: Flow, name: str, what: str | None
    ) -> tuple[Flow, str, str | None]:
        play, request_of = self._prepare(flow, name, what)
        with _later(self._settings.clock if name == "expired" else None):
            return await self._aplay(play, [], request_of), name, what

    # --- the server's life ------------------------------------------------------------------

    def close(self) -> None:
        """Ends what was started: an app's lifespan, a command. The next request starts it anew."""
        self._shared.server.close()

    async def aclose(self) -> None:
        """`close` for a test that awaits."""
        await self._shared.server.aclose()

    def __enter__(self) -> Host:  # noqa: PYI034 - Self needs Python 3.11
        self._shared.server.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Host:  # noqa: PYI034 - Self needs Python 3.11
        await self._shared.server.aopen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _later:  # noqa: N801 - read as a verb
    """Moves a clock past every life of a state, and back."""

    def __init__(self, clock: Clock | None) -> None:
        self._clock = clock

    def __enter__(self) -> None:
        if self._clock is not None:
            self._clock.advance(_LONG_AFTER_MS)

    def __exit__(self, *_: object) -> None:
        if self._clock is not None:
            self._clock.advance(-_LONG_AFTER_MS)


def _judge(flow: Flow, name: str, what: str | None) -> Attacked:
    held = flow._play.held(name, what)  # noqa: SLF001 - of the same package
    return Attacked(name, flow, held is not False)


def _params(member: str, name: str, arguments: Json | None) -> Json:
    """Parameters of a request; arguments that are JSON stay as they are."""
    if arguments is None:
        return {member: name}
    if isinstance(arguments, str):
        return f'{{{json.dumps(member)}:{json.dumps(name)},"arguments":{arguments}}}'
    return {member: name, "arguments": arguments}

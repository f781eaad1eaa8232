"""`mcp_elicit.testing`: one script, every kind of server."""

from __future__ import annotations

import asyncio
import gc
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import ModuleType
from typing import Annotated, Any

import pytest
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp_elicit import Call, ElicitError, Engine, Outcome, Principal, Reply
from mcp_elicit.testing import (
    Answer,
    Attacked,
    Clock,
    Flow,
    FlowError,
    Host,
    Question,
    Request,
    accept,
    cancel,
    decline,
    never,
    result,
)
from pydantic import BaseModel
from support import EXAMPLES, KEY, ROOT, TARGET, text


def said(target: Outcome[dict[str, Any]]) -> dict[str, Any]:
    if target.action != "accept":
        return text(f"Nothing was deployed ({target.action}).")
    return text(f"Deployed to {target.content['environment']}.")


def deploy(call: Call) -> dict[str, Any]:
    return said(call.elicit_form("target", "Which environment?", TARGET))


async def deploy_async(call: Call) -> dict[str, Any]:
    await asyncio.sleep(0)
    return deploy(call)


DEV = accept({"environment": "dev"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Engine:
    return Engine(keys=KEY, audience="deployer", clock=clock)


def awaited(make: Callable[[], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await make()

    return asyncio.run(run())


# --- the person ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (DEV, "Deployed to dev."),
        (accept('{"environment":"prod"}'), "Deployed to prod."),
        (decline(), "Nothing was deployed (decline)."),
        (cancel(), "Nothing was deployed (cancel)."),
        (result({"action": "decline"}), "Nothing was deployed (decline)."),
        (result('{"action":"decline"}'), "Nothing was deployed (decline)."),
        (lambda question: DEV if question.key == "target" else never(), "Deployed to dev."),
    ],
)
def test_one_line_tests_a_tool(engine: Engine, answer: Any, words: str) -> None:
    assert Host(engine, deploy).answer("target", answer).call("deploy").text == words


def test_a_function_sees_the_question(engine: Engine) -> None:
    seen: list[Question] = []

    def decide(question: Question) -> Answer:
        seen.append(question)
        return decline()

    Host(engine, deploy).answer("target", decide).call("deploy")
    (question,) = seen
    assert (question.key, question.kind, question.round) == ("target", "form", 1)
    assert question.message == "Which environment?"
    assert question.url is None
    assert question.schema is not None
    assert question.schema["required"] == ["environment"]
    assert question.request["method"] == "elicitation/create"


def test_functions_that_say_nothing(engine: Engine) -> None:
    for wrong in (lambda _: None, lambda _: {"action": "decline"}):
        with pytest.raises(TypeError, match="Answer"):
            Host(engine, deploy).answer("target", wrong).call("deploy")  # type: ignore[arg-type]

    async def late(_: Question) -> Answer:
        return decline()

    host = Host(engine, deploy).answer("target", late)
    with pytest.raises(TypeError, match="acall"):
        host.call("deploy")
    assert awaited(lambda: host.acall("deploy")).text == "Nothing was deployed (decline)."


def test_a_person_who_never_answers(engine: Engine) -> None:
    flow = Host(engine, deploy).otherwise(never()).call("deploy")
    assert (flow.end, flow.rounds) == ("abandoned", 1)
    with pytest.raises(FlowError, match="never answered") as raised:
        _ = flow.text
    assert raised.value.kind == "invalid_argument"
    assert raised.value.flow is flow


def test_answers_under_one_key_are_said_in_turn(engine: Engine) -> None:
    moon = accept({"environment": "moon"})
    host = Host(engine, deploy).answer("target", moon).answer("target", DEV)
    for _ in range(2):
        flow = host.call("deploy")
        assert flow.text == "Deployed to dev."
        assert [(asked.key, asked.round) for asked in flow.questions] == [
            ("target", 1),
            ("target", 2),
        ]
        assert flow.question("target") == flow.questions[1]
        assert flow.question("other") is None


def test_an_unexpected_question_fails_the_test(engine: Engine) -> None:
    with pytest.raises(FlowError, match="Which environment") as raised:
        Host(engine, deploy).answer("other", DEV).call("deploy")
    assert isinstance(raised.value, AssertionError)
    assert isinstance(raised.value, ElicitError)
    assert [fault.rule for fault in raised.value.faults] == ["unscripted"]
    assert str(raised.value).splitlines()[1].startswith('-> {"jsonrpc"')
    assert raised.value.flow.rounds == 1


def test_a_host_is_not_changed_by_what_is_made_of_it(engine: Engine) -> None:
    plain = Host(engine, deploy)
    assert plain.answer("target", DEV).call("deploy").is_complete
    assert plain.answer("target", decline()).capabilities({}).call("deploy").end == "error"
    with pytest.raises(FlowError):
        plain.call("deploy")


# --- the client ---------------------------------------------------------------------------------


def test_what_the_client_can_is_what_it_says(engine: Engine) -> None:
    flow = Host(engine, deploy).capabilities({}).call("deploy")
    assert flow.error is not None
    assert flow.error.code == -32021
    assert flow.error.data == {"requiredCapabilities": {"elicitation": {"form": {}}}}
    with pytest.raises(FlowError) as raised:
        _ = flow.result
    assert (raised.value.kind, raised.value.code) == ("application", -32021)
    assert raised.value.data == flow.error.data


def test_the_first_round_alone(engine: Engine) -> None:
    flow = Host(engine, deploy).first_round_only().call("deploy")
    assert (flow.end, flow.rounds) == ("first_round", 1)
    assert json.loads(flow.reply)["result"]["resultType"] == "input_required"
    assert [asked.key for asked in flow.questions] == ["target"]


def test_every_message_is_recorded_in_order(engine: Engine) -> None:
    host = Host(engine, deploy).answer("target", DEV).http()
    first, second = host.call("deploy", {"app": "web"}), host.call("deploy")
    assert [message.sent for message in first.messages] == [True, False, True, False]
    assert [message.status for message in first.messages] == [None, 200, None, 200]
    assert ("Mcp-Name", "deploy") in first.messages[0].headers
    assert first.status == 200
    assert first.reply == first.messages[-1].text
    ids = [json.loads(message.text)["id"] for message in first.messages + second.messages]
    assert ids[0::2] == ids[1::2]
    assert len(set(ids)) == 4
    lines = first.transcript.splitlines()
    assert [line[:3] for line in lines] == ["-> ", "<- ", "-> ", "<- "]
    assert lines[1].startswith("<- HTTP 200 {")
    assert "dev" not in repr(first) + repr(DEV)


def test_who_the_client_is(engine: Engine) -> None:
    def whoami(call: Call) -> dict[str, Any]:
        info = call.client_info or {}
        return text(f"{info['name']} for {call.principal.subject}")

    host = Host(engine, whoami)
    assert host.call("x").text == "mcp-elicit test host for alice"
    bob = Principal("https://login.example", "bob", "cli")
    mine = host.client_info({"name": "mine", "version": "1"}).principal(bob)
    assert mine.call("x").text == "mine for bob"
    silent = Host(engine, lambda call: text(str(call.client_info)))
    assert silent.client_info(None).call("x").text == "None"


def test_prompts_resources_and_any_request(engine: Engine) -> None:
    def answer(call: Call) -> dict[str, Any]:
        if call.method == "prompts/get":
            content = {"type": "text", "text": call.arguments["language"]}
            return {"messages": [{"role": "user", "content": content}]}
        if call.method == "resources/read":
            return {"contents": [{"uri": call.target, "text": "A"}, {"uri": "b", "text": "B"}]}
        return {**text(call.arguments_json), "isError": True}

    host = Host(engine, answer)
    assert host.prompt("review", {"language": "en"}).text == "en"
    assert host.read("file:///a").text == "A\nB"
    tool = host.call("x", '{"exact":1.10}')
    assert (tool.text, tool.is_tool_error) == ('{"exact":1.10}', True)
    assert host.request("tools/call", {"name": "y", "extra": 1}).is_tool_error


def test_parameter_headers(engine: Engine) -> None:
    host = Host(engine, lambda call: text(call.arguments["region"])).http()
    mirrored = host.param_header("Region", "region").param_header("Zone", ["place", "zone"])
    flow = mirrored.call("x", {"region": "süd", "place": {"zone": 7}})
    assert flow.text == "süd"
    assert flow.messages[0].headers[-2:] == [
        ("Mcp-Param-Region", "=?base64?c8O8ZA==?="),
        ("Mcp-Param-Zone", "7"),
    ]


def test_what_cannot_be_sent_says_so(engine: Engine) -> None:
    for wrong in ("[]", "{", '{"a":1,"a":2}'):
        with pytest.raises(ElicitError) as raised:
            Host(engine, deploy).request("tools/call", wrong)
        assert raised.value.kind == "invalid_argument"
    with pytest.raises(ElicitError) as raised:
        Host(engine, deploy).call("x", "{")
    assert raised.value.kind == "invalid_argument"
    with pytest.raises(TypeError):
        Host(engine, deploy).call("x", {"a": object()})


# --- servers that are called --------------------------------------------------------------------


def test_handlers_that_await(engine: Engine) -> None:
    host = Host(engine, deploy_async).answer("target", DEV)
    assert host.call("deploy").text == "Deployed to dev."
    assert awaited(lambda: host.acall("deploy")).text == "Deployed to dev."
    plain = Host(engine, deploy).answer("target", DEV)
    assert awaited(lambda: plain.acall("deploy")).text == "Deployed to dev."


def test_the_handlers_own_exception_goes_to_the_test(engine: Engine) -> None:
    def broken(_: Call) -> dict[str, Any]:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        Host(engine, broken).call("x")
    with pytest.raises(LookupError, match="mine"):
        awaited(lambda: Host(engine, broken).acall("x"))


RESULT = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "é"}]}}


@pytest.mark.parametrize(
    "response",
    [
        RESULT,
        json.dumps(RESULT),
        json.dumps(RESULT).encode(),
        (200, "application/json", RESULT),
        (200, "application/json; charset=utf-8", json.dumps(RESULT)),
        (200, "text/event-stream", f": hello\n\ndata: {json.dumps(RESULT)}\n\n".encode()),
    ],
)
def test_whatever_a_callable_returns(response: Any) -> None:
    assert Host.callable(lambda _: response).call("x").text == "é"

    async def late(_: Request) -> Any:
        return response

    assert Host.callable(late).call("x").text == "é"
    assert awaited(lambda: Host.callable(late).acall("x")).text == "é"


def test_a_callable_sees_the_request(engine: Engine) -> None:
    seen: list[Request] = []

    def server(request: Request) -> Reply:
        seen.append(request)
        return engine.run(request.body, deploy, **request.caller)

    host = Host.callable(server).answer("target", DEV).http().header("X-Test", "1")
    assert host.call("deploy").text == "Deployed to dev."
    assert seen[0].message["params"]["name"] == "deploy"
    assert seen[0].headers[-1] == ("X-Test", "1")
    assert seen[0].principal.subject == "alice"
    assert Host.callable(server).answer("target", DEV).call("deploy").status is None


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        ("nonsense", "syntax"),
        ({"jsonrpc": "2.0", "id": 7, "result": {}}, "id"),
        ({"jsonrpc": "2.0", "method": "notifications/message"}, "no_reply"),
        ((401, None, b""), "http_status"),
        ((200, "text/html", "<html>"), "content_type"),
        ((200, "text/event-stream", ""), "no_reply"),
    ],
)
def test_replies_that_break_the_protocol(response: Any, rule: str) -> None:
    with pytest.raises(FlowError) as raised:
        Host.callable(lambda _: response).call("x")
    assert raised.value.kind == "invalid_reply"
    assert [fault.rule for fault in raised.value.faults] == [rule]


def test_what_no_server_returns() -> None:
    with pytest.raises(TypeError, match="bytes"):
        Host.callable(lambda _: 7).call("x")  # type: ignore[arg-type, return-value]


def test_a_flow_without_end_has_one() -> None:
    def later(request: Request) -> dict[str, Any]:
        waiting = {"resultType": "input_required", "requestState": "wait"}
        return {"jsonrpc": "2.0", "id": request.message["id"], "result": waiting}

    with pytest.raises(FlowError) as raised:
        Host.callable(later).rounds(3).call("x")
    assert raised.value.flow.rounds == 3
    assert [fault.rule for fault in raised.value.faults] == ["rounds"]


# --- attacks ------------------------------------------------------------------------------------

ALL = [
    "tamper_first",
    "tamper_middle",
    "tamper_last",
    "tamper_cut",
    "tamper_appended",
    "tamper_padded",
    "tamper_spaced",
    "tamper_doubled",
    "tamper_emptied",
    "unasked",
    "other_arguments",
    "other_target",
    "other_principal",
    "expired",
]


def test_the_engine_stands_every_attack(engine: Engine, clock: Clock) -> None:
    host = Host(engine, deploy).answer("target", DEV).other_target("destroy").clock(clock)
    flow = host.call("deploy", {"app": "web"})
    for attacked in (host.attack_all(flow), awaited(lambda: host.aattack_all(flow))):
        assert [each.name for each in attacked] == ALL
        for each in attacked:
            assert each.held, each.flow.transcript
            if each.name != "unasked":
                assert each.flow.error is not None
                assert each.flow.error.data == {"reason": "invalid_request_state"}
    # The clock stands where it stood, so that the flow can still be played.
    assert host.attack(flow, "replay").text == "Deployed to dev."
    assert awaited(lambda: host.aattack(flow, "replay")).text == "Deployed to dev."


def test_a_server_that_trusts_its_client_is_found_out() -> None:
    question = {
        "method": "elicitation/create",
        "params": {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}},
    }

    def trusting(request: Request) -> dict[str, Any]:
        asks: dict[str, Any] = {
            "resultType": "input_required",
            "requestState": "plain",
            "inputRequests": {"target": question},
        }
        answered = "inputResponses" in request.message["params"]
        outcome = text("Done.") if answered else asks
        return {"jsonrpc": "2.0", "id": request.message["id"], "result": outcome}

    host = Host.callable(trusting).answer("target", accept()).other_target("destroy")
    host = host.other_header("Authorization", "Bearer mallory")
    attacked: list[Attacked] = host.attack_all(host.call("deploy"))
    assert [each.name for each in attacked] == ALL[:-1]
    assert not any(each.held for each in attacked)


def test_attacks_say_what_they_lack(engine: Engine) -> None:
    host = Host(engine, deploy).answer("target", DEV)
    flow = host.call("deploy")
    with pytest.raises(ValueError, match="clock"):
        host.attack(flow, "expired")
    other = Host.callable(lambda request: engine.run(request.body, deploy, **request.caller))
    with pytest.raises(ValueError, match="nobody else"):
        other.attack(flow, "other_principal")
    for name, what in (("other_target", None), ("replay", "x"), ("nothing", None)):
        with pytest.raises(ElicitError) as raised:
            host.attack(flow, name, what)  # type: ignore[arg-type]
        assert raised.value.kind == "invalid_argument"
    plain = Host(engine, lambda _: text("Done."))
    with pytest.raises(ElicitError, match="requestState"):
        plain.attack(plain.call("x"), "replay")


# --- an ASGI app --------------------------------------------------------------------------------


@pytest.fixture
def billing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the example server, loaded anew."""
    monkeypatch.setenv("MCP_ELICIT_KEYS", KEY)
    spec = importlib.util.spec_from_file_location("billing", EXAMPLES / "billing_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "billing", module)
    spec.loader.exec_module(module)
    module.__dict__["base"] = "http://127.0.0.1:8000"
    return module


def billing_host(server: Host) -> Host:
    return (
        server.header("Authorization", "Bearer demo-ada")
        .other_header("authorization", "Bearer demo-mallory")
        .other_target("list_invoices")
    )


def test_the_example_server_deploys(billing: ModuleType) -> None:
    with billing_host(Host.asgi(billing.app)) as host:
        staging = accept({"environment": "staging", "notify": True})
        flow = host.answer("target", staging).call("deploy", {"app": "web"})
        assert flow.text == "Deployed to staging and notified the team."
        assert flow.status == 200
        for attacked in host.attack_all(flow):
            assert attacked.held, attacked.flow.transcript
        assert host.answer("target", decline()).call("deploy").text == "Nothing was deployed."
        wrong = host.answer("target", accept({"environment": "moon"})).answer("target", staging)
        assert wrong.call("deploy").rounds == 3
        tools = host.request("tools/list", {}).result["tools"]
        assert [tool["name"] for tool in tools] == ["deploy", "list_invoices"]


def test_the_example_server_sends_to_sign_in(billing: ModuleType) -> None:
    asked: list[str] = []

    def sign_in(question: Question) -> Answer:
        asked.append(str(question.url))
        if len(asked) == 2:  # the second time the account is connected before the person agrees
            billing.connected["ada"] = ""
        return accept()

    with billing_host(Host.asgi(billing.app)) as host:
        flow = host.answer("login", sign_in).call("list_invoices")
        assert (flow.text, flow.rounds) == ("2 open invoices.", 3)
        assert asked[0] == asked[1]
        assert asked[0].startswith("http://127.0.0.1:8000/connect?flow=")
        billing.connected.clear()
        for answer in (decline(), cancel()):
            said = host.answer("login", answer).call("list_invoices").text
            assert said == "The billing account isn't connected, so no invoices were read."
        for capabilities in ("{}", '{"elicitation":{}}'):
            error = host.capabilities(capabilities).call("list_invoices").error
            assert error is not None
            assert error.data == {"requiredCapabilities": {"elicitation": {"url": {}}}}


def test_the_example_server_knows_who_speaks(billing: ModuleType) -> None:
    with Host.asgi(billing.app) as host:
        with pytest.raises(FlowError, match="401") as raised:
            host.call("deploy")
        assert raised.value.flow.status == 401


def test_an_app_in_the_loop_of_the_test(billing: ModuleType) -> None:
    async def test() -> None:
        host = billing_host(Host.asgi(billing.app)).answer("target", DEV)
        async with host:
            flow = await host.acall("deploy")
            assert flow.text == "Deployed to dev."
            assert all(attacked.held for attacked in await host.aattack_all(flow))
            with pytest.raises(RuntimeError, match="acall"):
                host.call("deploy")
        # Outside it the app lives on a thread.
        assert (await host.acall("deploy")).text == "Deployed to dev."
        await host.aclose()

    asyncio.run(test())


class App:
    """An app that notes its life, and answers as it is told."""

    def __init__(self, *, lifespan: str = "complete", events: list[dict[str, Any]]) -> None:
        self.life: list[str] = []
        self._lifespan = lifespan
        self._events = events

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            if self._lifespan == "unknown":
                raise ValueError("no lifespan here")
            assert (await receive())["type"] == "lifespan.startup"
            scope["state"]["began"] = True
            self.life.append("begun")
            await send({"type": f"lifespan.startup.{self._lifespan}", "message": "no disk"})
            if self._lifespan == "complete":
                assert (await receive())["type"] == "lifespan.shutdown"
                self.life.append("ended")
                await send({"type": "lifespan.shutdown.complete"})
            return
        assert (await receive())["more_body"] is False
        assert dict(scope["headers"])[b"host"] == b"app.test"
        assert (scope["path"], scope["query_string"]) == ("/x", b"q=1")
        assert scope["state"] == ({"began": True} if self._lifespan == "complete" else {})
        for event in self._events:
            await send(event)
        self.life.append((await receive())["type"])


def app_of(*bodies: str, kind: str = "text/event-stream", **more: Any) -> App:
    start = {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", kind.encode())],
    }
    pieces = [
        {"type": "http.response.body", "body": body.encode(), "more_body": True} for body in bodies
    ]
    return App(events=[start, *pieces], **more)


EVENT = f"data: {json.dumps(RESULT)}\r\n\r\n"


@pytest.mark.parametrize("lifespan", ["complete", "unknown"])
def test_a_stream_that_stays_open_is_left_when_the_reply_is_there(lifespan: str) -> None:
    app = app_of(EVENT[:20], EVENT[20:], ": still here\n\n", lifespan=lifespan)
    with Host.asgi(app, "http://app.test/x?q=1") as host:
        assert host.call("x").text == "é"
    lived = ["begun", "http.disconnect", "ended"] if lifespan == "complete" else ["http.disconnect"]
    assert app.life == lived


def test_an_app_that_is_closed_begins_anew() -> None:
    app = app_of(EVENT)
    host = Host.asgi(app, "http://app.test/x?q=1")
    assert host.call("x").is_complete
    host.close()
    host.close()
    assert app.life == ["begun", "http.disconnect", "ended"]
    with host:
        assert app.life[3:] == ["begun"]
    assert app.life[3:] == ["begun", "ended"]


def test_an_app_that_does_not_start() -> None:
    with pytest.raises(RuntimeError, match="no disk"):
        Host.asgi(app_of(EVENT, lifespan="failed"), "http://app.test/x?q=1").call("x")


def test_what_an_app_raises_goes_to_the_test() -> None:
    async def broken(scope: Any, _receive: Any, _send: Any) -> None:
        raise LookupError(scope["type"])

    with pytest.raises(LookupError, match="http"):
        Host.asgi(broken).call("x")

    async def mute(_scope: Any, _receive: Any, _send: Any) -> None:
        return

    with pytest.raises(RuntimeError, match="no response"):
        Host.asgi(mute).call("x")

    async def cut(scope: Any, _receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})

    with pytest.raises(FlowError, match="text/event-stream"):
        Host.asgi(cut).call("x")


class Target(BaseModel):
    environment: str


def ask_target() -> Elicit[Target]:
    return Elicit("Which environment?", Target)


@pytest.mark.parametrize("json_response", [True, False])
def test_a_server_on_the_official_sdk(json_response: bool) -> None:
    """The host knows nothing of who made the server, and takes a stream of events, too."""
    server = MCPServer("billing")

    @server.tool()
    async def deploy(target: Annotated[Target, Resolve(ask_target)], app: str) -> str:
        return f"Deployed {app} to {target.environment}."

    app = server.streamable_http_app(json_response=json_response, stateless_http=True)
    with Host.asgi(app) as host:
        names = [tool["name"] for tool in host.request("tools/list", {}).result["tools"]]
        assert names == ["deploy"]
        dev = host.otherwise(DEV)
        flow = dev.call("deploy", {"app": "web"})
        assert (flow.text, flow.rounds) == ("Deployed web to dev.", 2)
        assert [asked.message for asked in flow.questions] == ["Which environment?"]
        for refused in (
            dev.attack(flow, "tamper_middle"),
            dev.attack(flow, "other_arguments", '{"app":"db"}'),
        ):
            assert refused.error is not None
            assert refused.error.code == -32602


# --- a URL --------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Any) -> Iterator[str]:
    """The example server as a process: its URL."""
    errors = (tmp_path / "log").open("wb")
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "billing_server.py")],
        env={**os.environ, "MCP_ELICIT_KEYS": KEY, "PORT": "0", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    assert process.stdout is not None
    with process.stdout, errors:
        try:
            yield process.stdout.readline().decode().split()[-1]
        finally:
            process.terminate()
            process.wait()


def test_the_example_server_over_http(running: str) -> None:
    host = billing_host(Host.url(running)).answer("target", DEV)
    flow = host.call("deploy", {"app": "web"})
    assert flow.text == "Deployed to dev."
    assert all(attacked.held for attacked in host.attack_all(flow))
    assert awaited(lambda: host.acall("deploy")).text == "Deployed to dev."
    with pytest.raises(FlowError, match="404") as raised:
        Host.url(running + "/nowhere").call("deploy")
    assert raised.value.flow.status == 404


class Streaming(http.server.BaseHTTPRequestHandler):
    """Says the reply and then keeps the stream open."""

    protocol_version = "HTTP/1.1"
    left = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(307 if self.path == "/moved" else 200)
        self.send_header("Location", "/")
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"" if self.path == "/moved" else EVENT.encode())
        self.wfile.flush()
        if self.path == "/open":
            self.left.wait(30)

    def log_message(self, *_: Any) -> None:
        pass


def test_streams_redirects_and_servers_that_are_not_there() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        assert Host.url(f"{base}/open").call("x").text == "é"
        Streaming.left.set()
        with pytest.raises(FlowError, match="307"):
            Host.url(f"{base}/moved").call("x")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    with pytest.raises(FlowError, match="ConnectionRefusedError") as raised:
        Host.url(base).call("x")
    assert [fault.rule for fault in raised.value.faults] == ["no_reply"]


@pytest.mark.parametrize("url", ["", "/mcp", "ftp://127.0.0.1/", "http:///mcp", "127.0.0.1:80"])
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(ValueError, match="absolute"):
        Host.url(url)


# --- a command ----------------------------------------------------------------------------------


def command(**more: Any) -> Host:
    environment = {**os.environ, "KEYS": KEY}
    paths = [str(ROOT / "bindings-python" / "tests"), *sys.path]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    server = ROOT / "bindings-python" / "tests" / "stdio_server.py"
    return Host.command([sys.executable, str(server)], env=environment, **more)


def test_a_command_over_stdio() -> None:
    with command() as host:
        dev = host.answer("target", DEV)
        first = dev.call("deploy")
        assert first.text.startswith("Deployed to dev by process ")
        assert first.text == dev.call("deploy").text
        assert first.text == awaited(lambda: dev.acall("deploy")).text
        assert [json.loads(each.text).get("method") for each in first.messages] == [
            "tools/call",
            "notifications/progress",
            None,
            "tools/call",
            "notifications/progress",
            None,
        ]
        for attacked in dev.attack_all(first):
            assert attacked.held, attacked.flow.transcript


def test_a_command_that_fails_is_started_anew() -> None:
    with command(timeout=20) as host:
        dev = host.answer("target", DEV)
        first = dev.call("deploy").text
        with pytest.raises(FlowError, match="status 3"):
            dev.call("exit")
        second = dev.call("deploy").text
        assert first != second
        with pytest.raises(FlowError) as raised:
            dev.call("print")
        assert [fault.rule for fault in raised.value.faults] == ["syntax"]
        assert dev.call("deploy").text != second


def test_a_command_that_is_silent() -> None:
    with command(timeout=0.01) as host, pytest.raises(FlowError, match=r"within 0\.01 seconds"):
        host.call("silent")


def test_a_command_that_is_none() -> None:
    with pytest.raises(FlowError, match="does not run"):
        Host.command(["/no/such/command"]).call("x")


def test_a_host_that_is_dropped_ends_its_command() -> None:
    host = command()
    with pytest.raises(FlowError):
        host.call("deploy")
    host.answer("target", DEV).call("deploy")
    del host
    gc.collect()  # a child that still ran would be a warning, and a warning is an error


def test_flows_are_what_they_say(engine: Engine) -> None:
    flow: Flow = Host(engine, deploy).answer("target", DEV).call("deploy")
    assert repr(flow) == "<Flow complete, 2 rounds>"
    assert repr(never()) == "<Answer never>"
    assert repr(decline()) == "<Answer decline>"

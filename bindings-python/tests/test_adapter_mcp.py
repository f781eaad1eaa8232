"""The adapter for the official SDK: its server, its client, in process and over HTTP."""
# Tools and callbacks have the parameters that the SDK gives them.
# ruff: noqa: ARG001

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.request_state import RequestStateBoundary
from mcp_elicit import ElicitError, Engine, SchemaError, Suspended
from mcp_elicit.adapters.mcp import Ask, elicits, install
from mcp_types import (
    CallToolResult,
    InputRequiredResult,
)
from pydantic import AfterValidator, BaseModel, Field
from support import KEY, SCHEMA, TARGET, Bench
from support_mcp import (
    ACCEPT,
    ONE,
    REFUSED,
    Asker,
    deploy,
    one_round,
    open_state,
    runs,
    says,
    served,
)


async def both(ask: Ask) -> str:
    first, second = await ask.gather(
        ask.form("first", "First?", SCHEMA), ask.url("second", "Second?", "https://a.example", True)
    )
    return f"{first.action} {second.action}"


# --- the schema that a client sees ----------------------------------------------------------


@runs
async def test_ask_is_no_argument_and_the_rest_of_the_signature_stays() -> None:
    async def tool(
        app: Annotated[str, Field(description="Which app")], ask: Ask, ctx: Context, count: int = 1
    ) -> dict[str, int]:
        """What it does."""
        assert ask.round == 1
        assert ctx.request_id is not None
        return {app: count}

    server = served(Bench(), tool)
    async with Asker().client(server) as client:
        listed = (await client.list_tools()).tools[0]
        result = await client.call_tool("tool", {"app": "web"})
    assert listed.description == "What it does."
    assert listed.input_schema["required"] == ["app"]
    assert listed.input_schema["properties"] == {
        "app": {"type": "string", "title": "App", "description": "Which app"},
        "count": {"type": "integer", "title": "Count", "default": 1},
    }
    assert listed.output_schema is not None
    assert result.structured_content == {"web": 1}


def test_what_cannot_ask_is_refused_when_it_is_decorated() -> None:
    decorate = elicits(Bench().engine)

    def not_async(ask: Ask) -> str:
        return ""

    async def without(app: str) -> str:
        return app

    async def twice(ask: Ask, again: Ask) -> str:
        return ""

    async def unknown(ask: Ask, app: Nowhere) -> str:  # type: ignore[name-defined]  # noqa: F821
        return ""

    for tool in (not_async, without, twice, unknown):
        with pytest.raises(TypeError):
            decorate(tool)  # type: ignore[arg-type]


def test_the_package_alone_imports_no_sdk() -> None:
    code = "import sys, mcp_elicit, mcp_elicit.adapters; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- rounds ---------------------------------------------------------------------------------


@runs
async def test_the_official_client_runs_the_rounds() -> None:
    asker = Asker({"target": ACCEPT})
    async with asker.client(served(Bench(), deploy)) as client:
        result = await client.call_tool("deploy", {"app": "web"})
    assert says(result) == "Deployed web to staging."
    assert asker.asked == ["Which environment?"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_decline_and_cancel_are_normal(action: str) -> None:
    async def test() -> None:
        async with Asker({"target": {"action": action}}).client(served(Bench(), deploy)) as client:
            result = await client.call_tool("deploy", {"app": "web"})
        assert says(result) == "Nothing was deployed."

    anyio.run(test)


@runs
async def test_gather_asks_in_one_round() -> None:
    answers = {"first": ACCEPT, "second": {"action": "accept"}}
    first = await one_round(served(Bench(), both), "both")
    assert isinstance(first, InputRequiredResult)
    # What is done without having been asked needs no question.
    assert list(first.input_requests or {}) == ["first"]
    again = await one_round(served(Bench(), both), "both", answers=answers, state=open_state(first))
    assert says(again) == "accept accept"


@runs
async def test_questions_made_before_the_first_is_awaited_share_a_round() -> None:
    async def tool(ask: Ask) -> str:
        first = ask.form("first", "First?", TARGET)
        second = ask.form("second", "Second?", TARGET)
        assert first.is_pending == (ask.round == 1)
        return (await second).action + (await first).action

    result = await one_round(served(Bench(), tool), "tool")
    assert isinstance(result, InputRequiredResult)
    assert sorted(result.input_requests or {}) == ["first", "second"]


@runs
async def test_a_model_and_roots_are_asked_and_steps_run_once_a_flow() -> None:
    ran: list[str] = []

    async def tool(ask: Ask) -> str:
        async def slow() -> int:
            ran.append("slow")
            return 1

        def quick() -> list[str]:
            ran.append("quick")
            return ["a"]

        one = await ask.step("one", slow)
        two = await ask.step("two", quick)
        turn = ask.message(
            "capital",
            {
                "messages": [
                    {"role": "user", "content": {"type": "text", "text": "Capital of France?"}}
                ],
                "maxTokens": 10,
            },
        )
        roots = ask.roots("roots")
        said, where = await ask.gather(turn, roots)
        uri = where.content["roots"][0]["uri"]
        return f"{one} {two} {said.content['content']['text']} {uri} {ask.round}"

    asker = Asker()
    async with asker.client(served(Bench(), tool)) as client:
        result = await client.call_tool("tool")
    assert says(result) == "1 ['a'] Paris file:///home/ada 2"
    assert sorted(asker.asked) == ["Capital of France?", "roots"]
    assert ran == ["slow", "quick"]


@runs
async def test_retry_later_sends_the_state_alone_with_data_of_the_application() -> None:
    async def tool(ask: Ask) -> str:
        if ask.round < 3:
            ask.app_data = (ask.app_data or b"") + str(ask.round).encode()
            ask.retry_later()
        assert ask.app_data is not None
        return ask.app_data.decode()

    bench = Bench()
    first = await one_round(served(bench, tool), "tool")
    assert isinstance(first, InputRequiredResult)
    assert not first.input_requests
    assert open_state(first).startswith("me1.")
    async with Asker().client(served(bench, tool)) as client:
        assert says(await client.call_tool("tool")) == "12"
    assert bench.logged == []


@runs
async def test_a_step_may_be_readable() -> None:
    async def tool(readable: bool, ask: Ask) -> int:
        one = await ask.step("one", lambda: ask.round, readable=readable)
        if ask.round == 1:
            ask.retry_later()
        return one

    # A signed state holds results that the client may read, and no others.
    bench = Bench()
    bench.engine = Engine(keys=KEY, audience="deployer", state_format="signed")
    async with Asker().client(served(bench, tool)) as client:
        assert says(await client.call_tool("tool", {"readable": True})) == "1"
        assert (await client.call_tool("tool", {"readable": False})).is_error


@runs
async def test_an_invalid_answer_is_asked_again() -> None:
    bench = Bench()
    first = await one_round(served(bench, deploy), "deploy", {"app": "web"})
    wrong = {"target": {"action": "accept", "content": {"environment": "moon"}}}
    server = served(bench, deploy)
    again = await one_round(
        server, "deploy", {"app": "web"}, answers=wrong, state=open_state(first)
    )
    assert isinstance(again, InputRequiredResult)
    assert list(again.input_requests or {}) == ["target"]


@runs
async def test_a_type_is_asked_for_and_its_validators_ask_again() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("an even number is needed")
        return value

    class Target(BaseModel):
        replicas: Annotated[int, AfterValidator(even)]

    async def tool(ask: Ask) -> int:
        target = await ask.form("target", "How many?", Target)
        assert target.action == "accept"
        assert isinstance(target.content, Target)
        return target.content.replicas

    server = served(Bench(), tool)
    first = await one_round(server, "tool")
    odd = {"target": {"action": "accept", "content": {"replicas": 3}}}
    again = await one_round(server, "tool", answers=odd, state=open_state(first))
    assert list(again.input_requests or {}) == ["target"]  # type: ignore[union-attr]
    answers = {"target": {"action": "accept", "content": {"replicas": 4}}}
    assert says(await one_round(server, "tool", answers=answers, state=open_state(again))) == "4"


@runs
async def test_the_client_sees_the_schema_as_the_core_wrote_it() -> None:
    result = await one_round(served(Bench(), deploy), "deploy", {"app": "web"})
    assert isinstance(result, InputRequiredResult)
    question = (result.input_requests or {})["target"].model_dump(by_alias=True, exclude_unset=True)
    assert question["params"]["requestedSchema"] == SCHEMA


# --- the state ------------------------------------------------------------------------------


@runs
async def test_any_worker_with_the_keys_serves_the_next_round() -> None:
    first = await one_round(served(Bench(), deploy), "deploy", {"app": "web"})
    other = served(Bench(), deploy)  # a process of its own: another key of the SDK's
    answers = {"target": ACCEPT}
    result = await one_round(
        other, "deploy", {"app": "web"}, answers=answers, state=open_state(first)
    )
    assert says(result) == "Deployed web to staging."


@runs
async def test_the_state_is_sealed_once_and_is_the_engines() -> None:
    bench = Bench()
    first = await one_round(served(bench, deploy), "deploy", {"app": "web"})
    params: dict[str, Any] = {
        "name": "deploy",
        "arguments": {"app": "web"},
        "requestState": open_state(first),
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    }
    assert bench.engine.open_params("tools/call", params, principal=ONE).round == 2


@pytest.mark.parametrize(
    ("arguments", "change"),
    [
        ({"app": "web"}, lambda state: state[:-1] + ("A" if state[-1] != "A" else "B")),
        ({"app": "web"}, lambda state: state + "A"),
        ({"app": "web"}, lambda _: "me1.AAAA"),
        ({"app": "web"}, lambda _: "v1.AAAA"),
        ({"app": "web"}, lambda _: ""),
        ({"app": "other"}, lambda state: state),
    ],
)
def test_a_state_that_is_not_this_calls_is_refused(
    arguments: dict[str, Any], change: Callable[[str], str]
) -> None:
    async def test() -> None:
        bench = Bench()
        server = served(bench, deploy)
        first = await one_round(server, "deploy", {"app": "web"})
        with pytest.raises(MCPError) as refused:
            await one_round(server, "deploy", arguments, state=change(open_state(first)))
        assert (refused.value.code, refused.value.message, refused.value.data) == REFUSED

    anyio.run(test)


@runs
async def test_the_state_of_other_tools_stays_the_sdks() -> None:
    seen: list[str | None] = []

    async def by_hand(ctx: Context) -> str | InputRequiredResult:
        seen.append(ctx.request_state)
        if ctx.request_state is None:
            return InputRequiredResult(request_state="plain")
        return "done"

    server = served(Bench(), deploy)
    server.add_tool(by_hand)
    first = await one_round(server, "by_hand")
    assert open_state(first).startswith("v1.")
    assert says(await one_round(server, "by_hand", state=open_state(first))) == "done"
    # One of ours is nothing to it: as if the client had sent none.
    ours = open_state(await one_round(server, "deploy", {"app": "web"}))
    assert open_state(await one_round(server, "by_hand", state=ours)).startswith("v1.")
    assert seen == [None, "plain", None]


@runs
async def test_middleware_of_the_application_sees_no_state_and_may_answer() -> None:
    seen: list[Any] = []

    async def watch(ctx: Any, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method == "tools/call":
            seen.append(((ctx.params or {}).get("requestState"), result.get("requestState")))
            if (ctx.params or {})["arguments"] == {"app": "refused"}:
                return {"content": [], "resultType": "complete", "isError": True}
        return result

    server = served(Bench(), deploy, middleware=[watch])
    first = await one_round(server, "deploy", {"app": "web"})
    answers = {"target": ACCEPT}
    result = await one_round(
        server, "deploy", {"app": "web"}, answers=answers, state=open_state(first)
    )
    assert says(result) == "Deployed web to staging."
    assert seen == [(None, None), (None, None)]
    answered = await one_round(server, "deploy", {"app": "refused"})
    assert isinstance(answered, CallToolResult)


@runs
async def test_tools_given_as_objects_need_install() -> None:
    bench = Bench()
    tool = Tool.from_function(elicits(bench.engine, principal=ONE)(deploy))
    server = MCPServer("deployer", tools=[tool], log_level="CRITICAL")
    result = await one_round(server, "deploy", {"app": "web"})
    assert isinstance(result, CallToolResult)
    assert result.is_error
    assert install(install(server)) is server
    kinds = [type(part) for part in server.middleware]
    assert [kind.__module__ for kind in kinds].count("mcp_elicit.adapters.mcp") == 1
    assert kinds[kinds.index(RequestStateBoundary) - 1].__module__ == "mcp_elicit.adapters.mcp"
    assert open_state(await one_round(server, "deploy", {"app": "web"})).startswith("me1.")


# --- how a run ends -------------------------------------------------------------------------


@runs
async def test_except_exception_and_task_groups_let_the_signal_pass() -> None:
    async def caught(ask: Ask) -> str:
        try:
            return (await ask.form("target", "Which?", TARGET)).action
        except Exception:
            return "swallowed"

    async def grouped(ask: Ask) -> str:
        actions: list[str] = []

        async def child(key: str) -> None:
            actions.append((await ask.form(key, "Which?", TARGET)).action)

        async with anyio.create_task_group() as group:
            group.start_soon(child, "one")
            group.start_soon(child, "two")
        return " ".join(actions)

    async def gathered(ask: Ask) -> str:
        one, two = await asyncio.gather(
            ask.form("one", "Which?", TARGET), ask.form("two", "Which?", TARGET)
        )
        return f"{one.action} {two.action}"

    bench = Bench()
    server = served(bench, caught, grouped, gathered)
    for name in ("caught", "grouped", "gathered"):
        assert open_state(await one_round(server, name)).startswith("me1.")
    assert bench.logged == []
    asker = Asker({"one": ACCEPT, "two": {"action": "decline"}, "target": ACCEPT})
    async with asker.client(server) as client:
        assert says(await client.call_tool("caught")) == "accept"
        assert sorted(says(await client.call_tool("grouped")).split()) == ["accept", "decline"]
        assert says(await client.call_tool("gathered")) == "accept decline"


@runs
async def test_a_swallowed_signal_is_found_out_and_reported() -> None:
    async def returns(ask: Ask) -> str:
        try:
            return (await ask.form("target", "Which?", TARGET)).action
        except BaseException:
            return "swallowed"

    async def raises(ask: Ask) -> str:
        try:
            return (await ask.form("target", "Which?", TARGET)).action
        except Suspended:
            raise ToolError("no") from None

    async def forgets(ask: Ask) -> str:
        ask.form("target", "Which?", TARGET)
        return "done"

    async def waits(ask: Ask) -> str:
        try:
            ask.retry_later()
        except BaseException:
            return "swallowed"

    bench = Bench()
    server = served(bench, returns, raises, forgets, waits)
    for name in ("returns", "raises", "forgets", "waits"):
        assert open_state(await one_round(server, name)).startswith("me1.")
    assert bench.logged == [
        ("suspension_swallowed", "result"),
        ("suspension_swallowed", "exception"),
        ("question_left_open", "result"),
        ("suspension_swallowed", "result"),
    ]


@runs
async def test_what_is_returned_while_a_question_is_open_does_not_go_out() -> None:
    async def forgets(ask: Ask) -> str:
        ask.form("target", "Which?", TARGET, unavailable="tool_error", arguments=["environment"])
        return "done"

    async with Client(served(Bench(), forgets), mode="2026-07-28") as client:
        told = await client.call_tool("forgets")
    assert told.is_error
    assert "environment" in says(told)


@runs
async def test_the_tools_own_exceptions_are_the_sdks() -> None:
    async def tool(how: str, ask: Ask) -> str:
        if how == "tool":
            raise ToolError("on purpose")
        if how == "mcp":
            raise MCPError(code=4000, message="theirs", data={"a": 1})
        if how == "elicit":
            raise ElicitError("ours", code=4004, data={"b": 2})
        if how == "schema":
            await ask.form("k", "m", {"type": "array"})
        raise ValueError("a secret")

    server = served(Bench(), tool)
    told = await one_round(server, "tool", {"how": "tool"})
    assert says(told) == "Error executing tool tool: on purpose"
    for how in ("crash", "schema"):  # the server's own faults: nothing of them reaches the client
        crash = await one_round(server, "tool", {"how": how})
        assert says(crash) == "Error executing tool tool"
    for how, code, data in (("mcp", 4000, {"a": 1}), ("elicit", 4004, {"b": 2})):
        with pytest.raises(MCPError) as error:
            await one_round(server, "tool", {"how": how})
        assert (error.value.code, error.value.data) == (code, data)


def test_the_cause_of_a_crash_reaches_the_servers_log(caplog: pytest.LogCaptureFixture) -> None:
    async def tool(ask: Ask) -> str:
        await ask.form("k", "m", {"type": "array"})
        return ""

    async def test() -> None:
        server = served(Bench(), tool)
        await one_round(server, "tool")

    anyio.run(test)
    causes = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert any(isinstance(cause and cause.__cause__, SchemaError) for cause in causes)


@runs
async def test_a_tool_that_asks_neither_suspends_itself_nor_nests() -> None:
    async def itself(ask: Ask) -> InputRequiredResult:
        return InputRequiredResult(request_state="mine")

    async def outer(ctx: Context, ask: Ask) -> str:
        await ctx.mcp_server.call_tool("deploy", {"app": "web"}, ctx)
        return "done"

    server = served(Bench(), itself, outer, deploy)
    for name in ("itself", "outer"):
        result = await one_round(server, name)
        assert isinstance(result, CallToolResult)
        assert result.is_error
    with pytest.raises(ToolError):  # nobody's request
        await server.call_tool("deploy", {"app": "web"})


# --- with no one there ----------------------------------------------------------------------


async def by_policy(ask: Ask, policy: str, environment: str | None = None) -> str:
    """Asks with the policy that the test names."""
    schema = SCHEMA if policy != "defaults" else {**SCHEMA, "required": ["notify"]}
    options: Any = {"unavailable": policy, "arguments": ["environment"]}
    target = await ask.form("target", "Which environment?", schema, **options)
    return f"{target.action} {target.source} {target.content}"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_that_cannot_be_asked_gets_what_unavailable_says(mode: str) -> None:
    async def test() -> None:
        asker = Asker({"target": ACCEPT})
        # A client of 2025 may declare elicitation: that is another one.
        capable = {"elicitation_callback": asker.elicit} if mode == "legacy" else {}
        async with Client(served(Bench(), by_policy), mode=mode, **capable) as client:  # type: ignore[arg-type]
            with pytest.raises(MCPError) as missing:
                await client.call_tool("by_policy", {"policy": "error"})
            assert missing.value.code == -32021
            assert missing.value.data == {"requiredCapabilities": {"elicitation": {"form": {}}}}
            assert ("2025-11-25" in missing.value.message) == (mode == "legacy")
            assert ("2026-07-28" in missing.value.message) == (mode == "legacy")
            told = await client.call_tool("by_policy", {"policy": "tool_error"})
            assert told.is_error
            assert "environment" in says(told)
            given = {"policy": "tool_error", "environment": "prod"}
            assert says(await client.call_tool("by_policy", given)).startswith("accept argument")
            default = await client.call_tool("by_policy", {"policy": "defaults"})
            assert says(default) == "accept default {'notify': False}"
            outcome = await client.call_tool("by_policy", {"policy": "outcome"})
            assert says(outcome) == "unavailable None None"
        assert asker.asked == []

    anyio.run(test)


@runs
async def test_states_of_ours_are_nothing_to_a_client_of_2025() -> None:
    bench = Bench()
    server = served(bench, by_policy)
    first = await one_round(server, "by_policy", {"policy": "outcome"})
    async with Client(server, mode="legacy") as client:
        params = {
            "name": "by_policy",
            "arguments": {"policy": "outcome"},
            "requestState": open_state(first),
            "inputResponses": {"target": ACCEPT},
        }
        raw = await client.session._dispatcher.send_raw_request("tools/call", params)
    assert raw["content"][0]["text"] == "unavailable None None"

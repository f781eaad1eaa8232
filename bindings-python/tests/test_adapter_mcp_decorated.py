"""The adapter's decorator: what could not work is refused where it is written, with what to write.

Annotations are texts here, as `from __future__ import annotations` makes them.
"""
# Tools have the parameters that the test is about.
# ruff: noqa: ARG001, ARG005

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, Optional, Union

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp_elicit import Engine, Principal
from mcp_elicit.adapters.mcp import Ask, elicits
from support import TARGET, Bench
from support_mcp import ONE, Asker, runs, says, served

ACCEPTED = {"target": {"action": "accept", "content": {"environment": "dev"}}}


async def tool(ask: Ask) -> str:
    return (await ask.form("target", "Which?", TARGET)).action


async def async_principal(ctx: Any) -> Principal:
    return ONE


class TestEngine:
    def test_without_parentheses(self) -> None:
        decorate: Any = elicits
        with pytest.raises(TypeError, match=r"write @elicits\(engine\) above tool"):
            decorate(tool)

    @pytest.mark.parametrize(
        ("engine", "said"),
        [
            (Engine, "not the class Engine"),
            ("deployer", "not str"),
            (None, "not NoneType"),
            (MCPServer("a"), "not MCPServer"),
        ],
    )
    def test_of_another_type(self, engine: Any, said: str) -> None:
        with pytest.raises(TypeError, match=f"elicits takes an engine.*{said}"):
            elicits(engine)


class TestPrincipal:
    @pytest.mark.parametrize(
        ("principal", "said"),
        [
            ("alice", "not 'alice'"),
            (True, "not True"),
            (Principal, "not the class Principal"),
            (Principal.single_user, r"call it, Principal.single_user\(\)"),
            (Principal.none, r"call it, Principal.none\(\)"),
            (async_principal, "must not be async"),
            (lambda: ONE, "must take the Context"),
            (lambda a, b: ONE, "must take the Context"),
        ],
    )
    def test_that_is_none(self, principal: Any, said: str) -> None:
        with pytest.raises(TypeError, match=said):
            elicits(Bench().engine, principal=principal)

    @pytest.mark.parametrize(
        "principal",
        [
            None,
            ONE,
            Principal.none(),
            lambda ctx: ONE,
            lambda ctx, more=1: ONE,
            functools.partial(lambda more, ctx: ONE, 1),
        ],
    )
    def test_that_is_one(self, principal: Any) -> None:
        elicits(Bench().engine, principal=principal)(tool)

    def test_of_a_function_that_gives_another_thing(self) -> None:
        given: Any = lambda ctx: "alice"  # noqa: E731 - a function that is wrong

        async def test() -> None:
            server = served(Bench(), tool, principal=given)
            async with Asker(ACCEPTED).client(server) as client:
                assert (await client.call_tool("tool", {})).is_error

        runs(test)()


class TestOrder:
    def test_above_the_servers_own(self) -> None:
        server = MCPServer("a", log_level="CRITICAL")
        with pytest.raises(TypeError, match=r"write @mcp.tool\(\) above @elicits\(engine\)"):
            elicits(Bench().engine)(server.tool()(tool))

    @pytest.mark.parametrize("register", [MCPServer("a").add_tool, Tool.from_function])
    def test_left_out(self, register: Callable[[Any], Any]) -> None:
        async def maybe(ask: Ask | None = None) -> str:
            return ""

        def plain(ask: Ask) -> str:
            return ""

        for undecorated in (tool, maybe, plain):
            with pytest.raises(TypeError, match="registered without @elicits"):
                register(undecorated)

    def test_twice(self) -> None:
        decorate = elicits(Bench().engine)
        with pytest.raises(TypeError, match="already"):
            decorate(decorate(tool))

    def test_above_what_is_no_function(self) -> None:
        decorate: Any = elicits(Bench().engine, principal=ONE)
        decorated = decorate(tool)
        for other in (Tool.from_function(decorated), None, "tool", Engine):
            with pytest.raises(TypeError, match="above an async def function"):
                decorate(other)


class TestAnnotations:
    async def optional(self, ask: Optional[Ask] = None) -> str:  # noqa: UP045 - as it is written
        assert ask is not None
        return await tool(ask)

    async def union(self, ask: Union[None, Ask]) -> str:  # noqa: RUF036, UP007 - as it is written
        assert ask is not None
        return await tool(ask)

    async def either(self, ask: Ask | None) -> str:
        assert ask is not None
        return await tool(ask)

    async def annotated(self, ask: Annotated[Ask, "who asks"], ctx: Context | None = None) -> str:
        assert ctx is not None
        return await tool(ask)

    @pytest.mark.parametrize("name", ["optional", "union", "either", "annotated"])
    def test_that_work(self, name: str) -> None:
        async def test() -> None:
            server = served(Bench(), getattr(self, name))
            async with Asker(ACCEPTED).client(server) as client:
                listed = (await client.list_tools()).tools[0]
                assert listed.input_schema["properties"] == {}
                assert says(await client.call_tool(name, {})) == "accept"

        runs(test)()

    @pytest.mark.parametrize(
        ("hint", "said"),
        [
            (list[Ask], "write ask: Ask"),
            (Ask | str, "write ask: Ask"),
            (Callable[[Ask], None], "write ask: Ask"),
            (str, "annotated with Ask, as in ask: Ask, and has 0"),
            ("Nowhere", "cannot be evaluated: .*Nowhere.* not under TYPE_CHECKING"),
            ("Ask |", "annotations of wrong cannot be read"),
        ],
    )
    def test_that_say_something_else(self, hint: Any, said: str) -> None:
        async def wrong(ask: Any) -> str:
            return ""

        wrong.__annotations__["ask"] = hint
        wrong.__qualname__ = "wrong"
        with pytest.raises(TypeError, match=said):
            elicits(Bench().engine)(wrong)

    def test_of_parameters_that_have_no_name(self) -> None:
        async def positional(ask: Ask, /) -> str:
            return ""

        async def several(*ask: Ask) -> str:
            return ""

        async def named(**ask: Ask) -> str:
            return ""

        for wrong in (positional, several, named):
            with pytest.raises(TypeError, match=r"without \* or /"):
                elicits(Bench().engine)(wrong)

    def test_of_what_does_not_await(self) -> None:
        def plain(ask: Ask) -> str:
            return ""

        with pytest.raises(TypeError, match="must be async def"):
            elicits(Bench().engine)(plain)  # type: ignore[arg-type]

"""The adapter for the official SDK where it is served: principals, audiences, the example."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp_elicit import Engine, Principal
from mcp_elicit.adapters.mcp import Ask
from mcp_elicit.testing import Host, accept
from pydantic import AnyUrl
from support import EXAMPLES, KEY, Bench
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

# --- who asks -------------------------------------------------------------------------------


class Tokens:
    """Believes `NAME@CLIENT`; a demo's tokens."""

    def __init__(self, claims: dict[str, Any] | None) -> None:
        self._claims = claims

    async def verify_token(self, token: str) -> AccessToken | None:
        name, _, client = token.partition("@")
        return AccessToken(
            token=token, client_id=client, scopes=[], subject=name or None, claims=self._claims
        )


class Web:
    """A server of the SDK over HTTP, in process."""

    def __init__(self, bench: Bench, *, principal: Any = None, claims: Any = None) -> None:
        self.server = served(
            bench,
            deploy,
            who,
            principal=principal,
            token_verifier=Tokens(claims),
            auth=AuthSettings.model_validate(
                {
                    "issuer_url": AnyUrl("https://login.example/"),
                    "resource_server_url": AnyUrl("http://127.0.0.1:8000/mcp"),
                    "validate_token_resource": False,
                }
            ),
        )

    async def __call__(self, token: str, name: str, arguments: Any, **more: Any) -> Any:
        app = self.server.streamable_http_app()
        bearer = {"authorization": f"Bearer {token}"}
        async with (
            self.server.session_manager.run(),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), headers=bearer) as http,
        ):
            transport = streamable_http_client("http://127.0.0.1:8000/mcp", http_client=http)
            try:
                return await one_round(transport, name, arguments, **more)
            except MCPError as error:
                refused = error
        raise refused


async def who(ask: Ask) -> str:
    """Says who asks."""
    principal = ask.principal
    return f"{principal.kind} {principal.issuer} {principal.subject} {principal.client}"


@runs
async def test_the_principal_is_that_of_the_verified_token() -> None:
    at_auth = Web(Bench(), principal=ONE)
    assert says(await at_auth("ada@app", "who", {})) == "user https://login.example/ ada app"
    claimed = Web(Bench(), claims={"iss": "https://other.example"})
    assert says(await claimed("ada@app", "who", {})) == "user https://other.example ada app"


@pytest.mark.parametrize(
    ("token", "passes"), [("ada@app", True), ("eve@app", False), ("ada@other", False)]
)
def test_nobody_goes_on_with_what_another_began(token: str, passes: bool) -> None:
    async def test() -> None:
        bench = Bench()
        first = await Web(bench)("ada@app", "deploy", {"app": "web"})
        more = {"answers": {"target": ACCEPT}, "state": open_state(first)}
        if passes:
            result = await Web(bench)(token, "deploy", {"app": "web"}, **more)
            assert says(result) == "Deployed web to staging."
        else:
            with pytest.raises(MCPError) as refused:
                await Web(bench)(token, "deploy", {"app": "web"}, **more)
            assert (refused.value.code, refused.value.message, refused.value.data) == REFUSED
            assert bench.logged == [("state_refused", "other_principal")]

    anyio.run(test)


@runs
async def test_a_function_tells_the_principal_where_tokens_do_not() -> None:
    def told(ctx: Any) -> Principal:
        assert ctx.headers["authorization"] == "Bearer @app"
        return Principal("https://login.example", "from the session", "app")

    result = await Web(Bench(), principal=told)("@app", "who", {})
    assert says(result) == "user https://login.example from the session app"


def test_no_principal_is_an_error_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        nameless = await Web(Bench(), principal=ONE)("@app", "who", {})
        assert says(nameless) == "Error executing tool who"
        unsaid = await one_round(served(Bench(), who, principal=None), "who")
        assert says(unsaid) == "Error executing tool who"

    anyio.run(test)
    causes = [record.exc_info[1] for record in caplog.records if record.exc_info]
    reasons = [str(cause and cause.__cause__) for cause in causes]
    assert "does not say whose it is" in reasons[0]
    assert "has no access token" in reasons[1]


@runs
async def test_the_audience_is_the_engines() -> None:
    first = await one_round(served(Bench(), deploy), "deploy", {"app": "web"})
    with pytest.raises(MCPError) as refused:
        await one_round(
            served(Bench(audience="another"), deploy),
            "deploy",
            {"app": "web"},
            state=open_state(first),
        )
    assert (refused.value.code, refused.value.message, refused.value.data) == REFUSED


# --- the example ----------------------------------------------------------------------------


def example() -> ModuleType:
    """The module of the example server, loaded anew."""
    spec = importlib.util.spec_from_file_location("sdk_server", EXAMPLES / "sdk_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@runs
async def test_the_example_in_process() -> None:
    server = example().serve(Engine(keys=KEY, audience="deployer"), None)
    answers = {
        "target": {"action": "accept", "content": {"environment": "prod", "notify": True}},
        "sure": {"action": "accept", "content": {"sure": True}},
        "why": {"action": "accept", "content": {"reason": "moved"}},
    }
    asker = Asker(answers)
    async with asker.client(server) as client:
        deployed = await client.call_tool("deploy", {"app": "web"})
        dropped = await client.call_tool("drop_database", {"name": "old"})
        asker.answers["sure"] = {"action": "decline"}
        kept = await client.call_tool("drop_database", {"name": "old"})
    assert says(deployed) == "Deployed web to prod and notified the team."
    assert says(dropped) == "Dropped old: moved"
    assert says(kept) == "Nothing was dropped."


def test_the_example_by_the_test_host_stands_its_attacks() -> None:
    app = example().app(Engine(keys=KEY, audience="deployer"), "http://127.0.0.1:8000")
    with (
        Host.asgi(app)
        .header("authorization", "Bearer demo-ada")
        .other_header("authorization", "Bearer demo-eve")
        .answer("target", accept({"environment": "prod"}))
    ) as host:
        flow = host.call("deploy", {"app": "web"})
        assert flow.text == "Deployed web to prod."
        attacked = host.attack_all(flow)
    assert "other_principal" in [each.name for each in attacked]
    assert [each for each in attacked if not each.held] == []


@runs
async def test_the_example_over_stdio() -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=[str(EXAMPLES / "sdk_server.py"), "--stdio"],
        env={**os.environ, "MCP_ELICIT_KEYS": KEY},
    )
    async with Asker({"target": ACCEPT}).client(command) as client:
        assert says(await client.call_tool("deploy", {"app": "web"})) == "Deployed web to staging."


@runs
async def test_the_example_over_http_wants_a_token() -> None:
    module = example()
    app = module.app(Engine(keys=KEY, audience="deployer"), "http://127.0.0.1:8000")
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as http,
    ):
        url = "http://127.0.0.1:8000/mcp"
        assert (await http.post(url, json={})).status_code == 401
        http.headers["authorization"] = "Bearer demo-ada"
        transport = streamable_http_client(url, http_client=http)
        async with Asker({"target": ACCEPT}).client(transport) as client:
            result = await client.call_tool("deploy", {"app": "web"})
    assert says(result) == "Deployed web to staging."

"""The examples: the server in process, and over HTTP with the client on the official SDK."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from support import CAPABILITIES, EXAMPLES, KEY, ROOT, VERSION

BASE = "http://127.0.0.1:8000"
TEXT = "The billing account isn't connected, so no invoices were read."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the example server, loaded anew."""
    monkeypatch.setenv("MCP_ELICIT_KEYS", KEY)
    spec = importlib.util.spec_from_file_location("billing", EXAMPLES / "billing_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "billing", module)
    spec.loader.exec_module(module)
    module.__dict__["base"] = BASE
    return module


def browser(server: ModuleType, **headers: str) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=server.app)
    return httpx2.AsyncClient(transport=transport, base_url=BASE, headers=headers)


def message(method: str, **params: Any) -> dict[str, Any]:
    elicitation: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
    params["_meta"] = {VERSION: "2026-07-28", CAPABILITIES: elicitation}
    return {"jsonrpc": "2.0", "id": "one", "method": method, "params": params}


async def post(client: httpx2.AsyncClient, method: str, **params: Any) -> httpx2.Response:
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
    if "name" in params:
        headers["mcp-name"] = params["name"]
    return await client.post("/mcp", json=message(method, **params), headers=headers)


def in_process(test: Any) -> Any:
    """Runs a test that awaits."""

    def run(server: ModuleType) -> None:
        anyio.run(test, server)

    run.__name__ = test.__name__
    return run


ADA = {"authorization": "Bearer demo-ada"}


@in_process
async def test_the_official_client_deploys(server: ModuleType) -> None:
    async def answer(context: ClientRequestContext, params: Any) -> ElicitResult:
        assert context.request_id == "target"
        assert params.message == "Which environment?"
        return ElicitResult(action="accept", content={"environment": "staging", "notify": True})

    async with browser(server, **ADA) as http:
        transport = streamable_http_client(f"{BASE}/mcp", http_client=http)
        async with Client(transport, elicitation_callback=answer) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "deploy",
                "list_invoices",
            ]
            result = await client.call_tool("deploy", {"app": "billing"})
            assert result.content[0].model_dump()["text"] == (
                "Deployed to staging and notified the team."
            )


@in_process
async def test_methods_that_are_no_call(server: ModuleType) -> None:
    async with browser(server, **ADA) as client:
        found = await post(client, "server/discover")
        assert found.json()["result"]["supportedVersions"] == ["2026-07-28"]
        assert (found.status_code, found.json()["id"]) == (200, "one")
        listed = (await post(client, "tools/list")).json()["result"]
        assert {"tools", "ttlMs", "cacheScope", "resultType", "_meta"} == set(listed)
        unknown = await post(client, "tools/unknown")
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, -32601)
        missing = await post(client, "tools/call", name="unknown")
        assert (missing.status_code, missing.json()["error"]["code"]) == (200, -32602)
        bare = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert (bare.status_code, bare.json()["id"]) == (400, 1)
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        accepted = await client.post("/mcp", json=told)
        assert (accepted.status_code, accepted.content) == (202, b"")
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
        for id_json in ("1e400", "9" * 5000):
            body = json.dumps({**message("tools/list"), "id": "ID"}).replace('"ID"', id_json)
            strange = await client.post("/mcp", content=body, headers=headers)
            assert (strange.status_code, f'"id":{id_json},' in strange.text) == (200, True)
        for method in ("GET", "DELETE"):
            assert (await client.request(method, "/mcp")).status_code == 405
        huge = await client.post("/mcp", content=b"x" * (5 << 20))
        assert huge.status_code == 413


@in_process
async def test_who_may_speak_to_it(server: ModuleType) -> None:
    async with browser(server) as client:
        assert (await post(client, "server/discover")).status_code == 401
        for token in ("Bearer demo-", "Bearer demo-A", "Bearer other", "demo-ada"):
            client.headers["authorization"] = token
            assert (await post(client, "server/discover")).status_code == 401
        client.headers.update(ADA)
        for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://["):
            client.headers["origin"] = origin
            assert (await post(client, "server/discover")).status_code == 403
        for origin in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:1"):
            client.headers["origin"] = origin
            assert (await post(client, "server/discover")).status_code == 200


async def ask_to_sign_in(client: httpx2.AsyncClient) -> tuple[str, str]:
    """Flow and state of a call that asked for a visit."""
    result = (await post(client, "tools/call", name="list_invoices")).json()["result"]
    link = result["inputRequests"]["login"]["params"]["url"]
    assert link.startswith(f"{BASE}/connect?flow=")
    return link.split("=")[1], result["requestState"]


@in_process
async def test_the_page_connects_the_one_who_asked(server: ModuleType) -> None:
    async with browser(server, **ADA) as client:
        flow, state = await ask_to_sign_in(client)
        async with browser(server) as other:
            login = {"user": "mallory", "flow": flow}
            assert (await other.post("/login", data=login)).status_code == 303
            assert (await other.post("/connect", data={"flow": flow})).status_code == 403
        async with browser(server) as visitor:
            first = await visitor.get("/connect", params={"flow": flow})
            assert 'action="/login"' in first.text
            assert "script" not in first.text
            assert (await visitor.post("/connect", data={"flow": flow})).status_code == 403
            signed_in = await visitor.post("/login", data={"user": "ada", "flow": flow})
            cookie = signed_in.headers["set-cookie"].lower()
            assert (signed_in.status_code, signed_in.headers["location"]) == (
                303,
                f"/connect?flow={flow}",
            )
            assert "httponly" in cookie
            assert "samesite=lax" in cookie
            assert 'action="/connect"' in (await visitor.get(signed_in.headers["location"])).text
            done = await visitor.post("/connect", data={"flow": flow})
            assert (done.status_code, "Connected." in done.text) == (200, True)
        retried = {"inputResponses": {"login": {"action": "accept"}}, "requestState": state}
        result = (await post(client, "tools/call", name="list_invoices", **retried)).json()
        assert result["result"]["content"][0]["text"] == "2 open invoices."


@in_process
async def test_the_page_of_an_unknown_flow(server: ModuleType) -> None:
    async with browser(server) as visitor:
        for flow in ("", "unknown", "<script>"):
            assert (await visitor.get("/connect", params={"flow": flow})).status_code == 404
            for path in ("/login", "/connect"):
                data = {"flow": flow, "user": "ada"}
                assert (await visitor.post(path, data=data)).status_code == 404
    async with browser(server, **ADA) as client:
        flow, _ = await ask_to_sign_in(client)
        for user in ("", "Ada", "<script>"):
            refused = await client.post("/login", data={"user": user, "flow": flow})
            assert refused.status_code == 400


@in_process
async def test_its_memory_has_an_end(server: ModuleType) -> None:
    for number in range(10_010):
        server.remember(server.flows, str(number), "ada")
    assert len(server.flows) == 10_000
    assert "9" not in server.flows


def test_the_example_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_ELICIT_KEYS", KEY)
    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {
        "request": json.dumps(message("tools/call", name="deploy")),
        "issuer": "https://login.example",
        "subject": "ada",
        "client": "demo-client",
        "headers": None,
    }
    example = compile(code, "README.md", "exec", dont_inherit=True)
    exec(example, names)  # noqa: S102 - it is ours
    assert names["reply"].kind == "input_required"


@contextlib.contextmanager
def running(**more: str) -> Iterator[tuple[str, Path]]:
    """The example server as a process: its URL and its log."""
    log = Path(more.pop("LOG"))
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, str(EXAMPLES / "billing_server.py")],
            env={**os.environ, "MCP_ELICIT_KEYS": KEY, "PORT": "0", **more},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("listening on http://127.0.0.1:"), log.read_text()
        yield first.removeprefix("listening on ").strip(), log
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout:
            process.stdout.close()


def test_over_http_with_the_official_client(tmp_path: Path) -> None:
    script = ROOT / "tests/scenario/scenario.json"
    with running(LOG=str(tmp_path / "log")) as (url, _):
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / "client.py"), "--script", str(script), url],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    steps = len(json.loads(script.read_text()))
    assert done.stdout.splitlines()[-1] == f"{steps} passed, 0 failed"
    assert '<- HTTP 200 {"jsonrpc":"2.0"' in done.stdout


def test_the_client_fails_where_the_server_answers_otherwise(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"tool": "deploy", "answers": [{"action": "decline"}], "expect": {"text": "Other."}},
        {"tool": "deploy", "answers": [], "expect": {"text": "Nothing was deployed."}},
        {"tool": "deploy", "answers": [{"action": "decline"}, {"action": "decline"}]},
        {"tool": "deploy", "answers": [{"action": "decline"}], "rounds": 3},
        {"tool": "deploy", "capabilities": [], "expect": {"error": {"code": -32020}}},
        {"tool": "list_invoices", "answers": [{"action": "accept", "signIn": "x"}]},
        {"tool": "deploy", "answers": [{"action": "cancel"}], "rounds": 2},
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(steps))
    with running(LOG=str(tmp_path / "log")) as (url, _):
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / "client.py"), "--script", str(script), url],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1, done.stdout + done.stderr
    verdicts = [line.split()[0] for line in done.stdout.splitlines() if " deploy" in line[:20]]
    assert done.stdout.splitlines()[-1] == "1 passed, 6 failed", done.stdout
    assert verdicts


def test_the_client_says_when_it_could_not_run(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"tool": "deploy"}]')
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "client.py"), "--script", str(script), f"{BASE[:-4]}9/mcp"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr


def test_the_client_answers_from_the_terminal(tmp_path: Path) -> None:
    first = ["deploy", "", "yes", "moon", "", "send"]
    again = ["yes", "staging", "y", "send"]
    others = ["deploy", "", "decline", "list_invoices", "", "cancel", ""]
    typed = "\n".join([*first, *again, *others, ""])
    with running(LOG=str(tmp_path / "log")) as (url, _):
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / "client.py"), url],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Deployed to staging and notified the team." in done.stdout
    assert "Nothing was deployed." in done.stdout
    assert TEXT in done.stdout


def test_over_stdio(tmp_path: Path) -> None:
    """A server of a few lines over stdio, with the client's other transport."""
    server = tmp_path / "server.py"
    server.write_text(
        "import json, sys\n"
        "from mcp_elicit import Engine, NotACallError, Principal\n"
        "engine = Engine(ephemeral=True, audience='x')\n"
        "schema = {'type': 'object', 'properties': {'n': {'type': 'integer'}}}\n"
        "def handler(call):\n"
        "    n = call.elicit_form('n', 'How many?', schema)\n"
        "    return {'content': [{'type': 'text', 'text': str(n.content)}]}\n"
        "for line in sys.stdin:\n"
        "    user = Principal.single_user()\n"
        "    try:\n"
        "        text = engine.run(line, handler, principal=user).text\n"
        "    except NotACallError:\n"
        "        message = engine.check(line)\n"
        "        result = {'resultType': 'complete', 'supportedVersions': ['2026-07-28'],\n"
        "                  'capabilities': {'tools': {}}, 'tools': [], 'ttlMs': 0,\n"
        "                  'cacheScope': 'public'}\n"
        "        text = json.dumps({'jsonrpc': '2.0', 'id': message.id, 'result': result})\n"
        "    print(text, flush=True)\n"
    )
    script = tmp_path / "script.json"
    answer = {"action": "accept", "content": {"n": 3}}
    step = {"tool": "count", "answers": [answer], "expect": {"text": "{'n': 3}"}, "rounds": 2}
    script.write_text(json.dumps([step]))
    command = [sys.executable, str(EXAMPLES / "client.py"), "--script", str(script), "--"]
    done = subprocess.run(
        [*command, sys.executable, str(server)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n<- {" in done.stdout

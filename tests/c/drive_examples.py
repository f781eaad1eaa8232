"""Drives the example servers in C through everything they answer, and has them end by themselves.

    drive_examples.py DEPLOY_STDIO BILLING_SERVER

What the official clients and the scenario never do is in here: no credentials, foreign origins,
notifications, bodies that are too long, links of somebody else. A server that ends with another
status than 0 (a sanitizer found something) is a failure. Standard library only; loopback only.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from typing import Any
from urllib.parse import urlencode, urlsplit

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
}
ENVIRONMENT = {**os.environ, "PORT": "0", "MCP_ELICIT_KEYS": "0123456789abcdef" * 4}
done = 0


def need(held: bool, words: object) -> None:
    """Counts a check; ends everything where it does not hold."""
    global done
    done += 1
    if not held:
        raise SystemExit(f"drive_examples: {words}")


def message(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}


def text_of(answer: dict[str, Any]) -> str:
    """The one text of a tool's result."""
    return str(answer["result"]["content"][0]["text"])


def drive_stdio(program: str) -> None:
    """A line in, a line out; nothing for a notification; the end of input ends it."""
    server = subprocess.Popen(
        [program], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin
    assert server.stdout

    def send(line: object) -> None:
        text = line if isinstance(line, str) else json.dumps(line)
        server.stdin.write(text.encode() + b"\n")
        server.stdin.flush()

    def ask(line: object) -> dict[str, Any]:
        send(line)
        return dict(json.loads(server.stdout.readline()))

    discovered = ask(message("server/discover"))["result"]
    need(discovered["supportedVersions"] == ["2026-07-28"], discovered)
    need(
        [tool["name"] for tool in ask(message("tools/list"))["result"]["tools"]] == ["deploy"],
        "tools",
    )
    send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    need(ask("nonsense")["error"]["code"] == -32700, "the notification got no answer, nonsense did")
    need(ask(message("prompts/get", name="p"))["error"]["code"] == -32601, "there are no prompts")
    need(ask(message("tools/call", name="fly"))["error"]["code"] == -32602, "no such tool")
    asked = ask(message("tools/call", name="deploy"))["result"]
    state = asked["requestState"]
    need("target" in asked["inputRequests"], asked)
    moon = {"target": {"action": "accept", "content": {"environment": "moon"}}}
    again = ask(message("tools/call", 2, name="deploy", requestState=state, inputResponses=moon))[
        "result"
    ]
    need(again["resultType"] == "input_required", again)
    prod = {"target": {"action": "accept", "content": {"environment": "prod", "notify": True}}}
    last = ask(message("tools/call", 3, name="deploy", requestState=state, inputResponses=prod))
    need(text_of(last) == "Deployed to prod and notified the team.", last)
    for action in ("decline", "cancel"):
        responses = {"target": {"action": action}}
        last = ask(
            message("tools/call", 4, name="deploy", requestState=state, inputResponses=responses)
        )
        need(text_of(last) == "Nothing was deployed.", last)
    server.stdin.close()
    need(server.wait(30) == 0, f"deploy_stdio ended with {server.returncode}")


class Site:
    """The billing server, one request at a time."""

    def __init__(self, url: str) -> None:
        self._at = urlsplit(url)

    def send(
        self, method: str, path: str, body: bytes | str | None = None, **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        """Status, body and headers."""
        connection = http.client.HTTPConnection(self._at.hostname or "", self._at.port, timeout=30)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        answer = response.status, response.read(), response.headers
        connection.close()
        return answer

    def call(self, user: str, tool: str, **params: Any) -> dict[str, Any]:
        """One tools/call."""
        status, body, _ = self.post(message("tools/call", name=tool, **params), user, tool)
        need(status in (200, 400), f"{status} {body!r}")
        return dict(json.loads(body))

    def post(
        self, what: dict[str, Any], user: str, name: str = "", **more: str
    ) -> tuple[int, bytes, Any]:
        """One message as a user."""
        headers = {
            "Authorization": f"Bearer demo-{user}",
            "MCP_Protocol_Version": "2026-07-28",
            "Mcp_Method": what["method"],
            **({"Mcp_Name": name} if name else {}),
            **more,
        }
        return self.send("POST", "/mcp", json.dumps(what), **headers)

    def form(self, path: str, cookie: str = "", **fields: str) -> tuple[int, bytes, Any]:
        """A submitted form."""
        kind = "application/x-www-form-urlencoded"
        return self.send("POST", path, urlencode(fields), Content_Type=kind, Cookie=cookie)


def drive_transport(site: Site) -> None:
    """What is refused before, or beside, the protocol."""
    listing = message("tools/list")
    need(
        site.send("GET", "/mcp")[0] == 405 and site.send("DELETE", "/mcp")[0] == 405, "GET, DELETE"
    )
    need(site.send("POST", "/mcp", "{}")[0] == 401, "no credentials")
    need(
        site.send("POST", "/mcp", "{}", Authorization="Bearer demo-Ada!")[0] == 401, "no such user"
    )
    for origin, status in (
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://127.0.0.1:80evil", 403),
        ("null", 403),
        ("http://localhost:3000", 200),
        ("http://[::1]", 200),
    ):
        need(site.post(listing, "ada", Origin=origin)[0] == status, origin)
    need(site.send("GET", "/connect?flow=x", Origin="https://evil.example")[0] == 403, "a page too")
    need(
        site.send("POST", "/mcp", b" " * (5 << 20), Authorization="Bearer demo-ada")[0] == 413,
        "too long",
    )
    status, body, _ = site.post({"jsonrpc": "2.0", "method": "notifications/x"}, "ada")
    need((status, body) == (202, b""), f"a notification: {status} {body!r}")
    status, body, _ = site.post(message("tools/fly"), "ada")
    need(status == 404 and json.loads(body)["error"]["code"] == -32601, f"{status} {body!r}")
    status, body, headers = site.post(listing, "ada")
    result = json.loads(body)["result"]
    need(headers["content-type"] == "application/json", headers)
    need({tool["name"] for tool in result["tools"]} == {"deploy", "list_invoices"}, result)
    need(result["cacheScope"] == "public" and result["ttlMs"] > 0, result)
    status, body, _ = site.post(message("server/discover"), "ada")
    info = json.loads(body)["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
    need(info == {"name": "billing", "version": "1.0.0"}, info)
    need(site.send("POST", "/mcp", "{", Authorization="Bearer demo-ada")[0] == 400, "no JSON")
    need(site.send("GET", "/nowhere")[0] == 404, "an unknown page")


def drive_invoices(site: Site) -> None:
    """The visit: asked, not done, by somebody else, done; declined and cancelled."""
    asked = site.call("ada", "list_invoices")["result"]
    url, state = asked["inputRequests"]["login"]["params"]["url"], asked["requestState"]
    flow = url.split("flow=")[1]
    responses = {"login": {"action": "accept"}}
    again = site.call("ada", "list_invoices", requestState=state, inputResponses=responses)[
        "result"
    ]
    need(again["inputRequests"]["login"]["params"]["url"] == url, "the same link")
    state = again["requestState"]

    need(site.send("GET", "/connect?flow=unknown")[0] == 404, "an unknown flow")
    need(site.form("/login", flow="unknown", user="ada")[0] == 404, "an unknown flow")
    need(site.form("/connect", flow="unknown")[0] == 404, "an unknown flow")
    need(site.form("/login", flow=flow, user="Ada<b>")[0] == 400, "no name")
    need(site.form("/login", flow=flow, user="a" * 100)[0] == 400, "too long for a name")
    need(site.form("/connect", flow=flow)[0] == 403, "nobody is signed in")
    need(b"Sign in" in site.send("GET", f"/connect?flow={flow}")[1], "a form to sign in")
    for user, status in (("mallory", 403), ("ada", 200)):
        code, _, headers = site.form("/login", flow=flow, user=user)
        need(code == 303 and headers["location"] == f"/connect?flow={flow}", headers)
        need(
            "HttpOnly" in headers["set-cookie"] and "SameSite=Lax" in headers["set-cookie"], headers
        )
        cookie = headers["set-cookie"].split(";")[0]
        need(b"Connect" in site.send("GET", f"/connect?flow={flow}", Cookie=cookie)[1], "a button")
        code, body, _ = site.form("/connect", cookie, flow=flow)
        need(code == status, f"{user}: {code}")
    need(body.endswith(b"Connected. You can close this page."), body)
    last = site.call("ada", "list_invoices", requestState=state, inputResponses=responses)
    need(text_of(last) == "2 open invoices.", last)
    need(text_of(site.call("ada", "list_invoices")) == "2 open invoices.", "not asked again")

    state = site.call("grace", "list_invoices")["result"]["requestState"]
    for action in ("decline", "cancel"):
        responses = {"login": {"action": action}}
        last = site.call("grace", "list_invoices", requestState=state, inputResponses=responses)
        need("isn't connected" in text_of(last), last)
    refused = site.call("ada", "list_invoices", requestState=state, inputResponses={})
    need(refused["error"]["data"] == {"reason": "invalid_request_state"}, refused)
    need(site.call("ada", "fly")["error"]["code"] == -32602, "no such tool")


def drive_many(site: Site) -> None:
    """More flows than are remembered: the oldest are forgotten, and nothing grows."""
    url = site.call("first", "list_invoices")["result"]["inputRequests"]["login"]["params"]["url"]
    path = url[url.index("/connect") :]
    need(site.send("GET", path)[0] == 200, "a fresh link")
    for number in range(1001):
        site.call(f"user-{number}", "list_invoices")
    need(site.send("GET", path)[0] == 404, "a link of long ago")


def drive_billing(program: str) -> None:
    """Starts the server, drives it, and asks it to end."""
    server = subprocess.Popen(
        [program], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout
    try:
        said = re.fullmatch(r"listening on (\S+)\n", server.stdout.readline())
        need(said is not None, "it says where it listens")
        site = Site(said[1] if said else "")
        drive_transport(site)
        drive_invoices(site)
        drive_many(site)
    finally:
        server.send_signal(signal.SIGTERM)
        _, log = server.communicate(timeout=60)
    if server.returncode != 0:
        sys.stderr.write(log)
    need(server.returncode == 0, f"billing_server ended with {server.returncode}")
    events = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    need(any(event["reason"] == "other_principal" for event in events), events)
    need(
        all(set(event) == {"level", "name", "reason", "message", "flowId"} for event in events),
        events,
    )


if __name__ == "__main__":
    drive_stdio(sys.argv[1])
    drive_billing(sys.argv[2])
    print(f"examples in C: {done} checks, 0 failed")

"""What an honest client cannot do, by plain HTTP: items 7 and 8 of the scenario.

    raw.py refusals URL LOG      a state on another request, by another user, changed
    raw.py late URL LOG MS       a state after its time; the server runs with STATE_TTL_MS=MS
    raw.py handover URL URL...   flows begun on one server and finished on another

LOG is the file that the server's standard error goes to: the wire tells no cause, the log must.
Prints a line for each check, ends with "N passed, N failed", exits 1 if one failed.
Needs nothing but Python's standard library.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

VERSION = "2026-07-28"
ACCOUNT = {"account": "acme"}
REFUSAL = {
    "code": -32602,
    "message": "Invalid or expired requestState",
    "data": {"reason": "invalid_request_state"},
}
STAGING = {"target": {"action": "accept", "content": {"environment": "staging"}}}
MOON = {"target": {"action": "accept", "content": {"environment": "moon"}}}

ids = itertools.count(1)


class Miss(Exception):
    """Something came out otherwise than it must."""


def need(held: bool, words: object) -> None:
    """Ends a check that did not hold."""
    if not held:
        raise Miss(words)


def call(url: str, user: str, tool: str, **params: Any) -> tuple[int, dict[str, Any]]:
    """Sends one tools/call; the HTTP status and the message that came back."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
    }
    number = next(ids)
    message = {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, **params, "_meta": meta},
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer demo-{user}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    request = urllib.request.Request(url, json.dumps(message).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            status, body = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    came = json.loads(body)
    need(came.get("id") == number, f"the reply is to {came.get('id')}, not to {number}")
    return status, came


def ask(url: str, user: str, tool: str, **params: Any) -> dict[str, Any]:
    """Sends one tools/call that must be answered with a question; the result."""
    status, came = call(url, user, tool, **params)
    result = came.get("result", {})
    need(status == 200 and result.get("resultType") == "input_required", f"{status} {came}")
    need(isinstance(result.get("requestState"), str), f"no requestState: {came}")
    return dict(result)


def finish(url: str, user: str, state: str, answers: dict[str, Any]) -> None:
    """Answers `deploy` so that it is done."""
    status, came = call(url, user, "deploy", inputResponses=answers, requestState=state)
    need(status == 200, f"{status} {came}")
    result = came.get("result", {})
    texts = [item.get("text") for item in result.get("content", [])]
    need(result.get("resultType") == "complete" and texts == ["Deployed to staging."], came)


class Log:
    """The lines that a server writes to its log, from now on."""

    def __init__(self, path: Path) -> None:
        self._file = path.open(encoding="utf-8")
        self._file.seek(0, 2)
        self._rest = ""

    def refusal(self) -> str:
        """The cause that the server gave for the next state that it refused."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self._rest += self._file.read()
            while "\n" in self._rest:
                line, self._rest = self._rest.split("\n", 1)
                if line.startswith("{"):
                    event = json.loads(line)
                    if event.get("name") == "state_refused":
                        return str(event["reason"])
            time.sleep(0.02)
        raise Miss("the log says nothing of a refused state")


def refused(log: Log, reason: str, url: str, user: str, tool: str, **params: Any) -> None:
    """Sends a request whose state must be refused: one error on the wire, the cause in the log."""
    status, came = call(url, user, tool, **params)
    need((status, came.get("error")) == (200, REFUSAL), f"{status} {came}")
    logged = log.refusal()
    need(logged == reason, f"the log says {logged}, not {reason}")


def changed(state: str, at: int) -> str:
    """The state with another character of its alphabet at one place."""
    return state[:at] + ("A" if state[at] != "A" else "B") + state[at + 1 :]


class Checks:
    """Runs checks and counts them."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def run(self, name: str, check: Any, *arguments: Any, **named: Any) -> None:
        """One check, told in a line."""
        try:
            check(*arguments, **named)
        except Miss as error:
            self.failed += 1
            print(f"not ok {name}: {error}", flush=True)
        else:
            self.passed += 1
            print(f"ok {name}", flush=True)


def refusals(checks: Checks, url: str, path: Path) -> None:
    """Item 7, but for time."""
    log, user = Log(path), "raw-ada"
    state = ask(url, user, "list_invoices", arguments=ACCOUNT)["requestState"]
    same = {"arguments": ACCOUNT, "requestState": state}
    checks.run("a state on its own request is taken", ask, url, user, "list_invoices", **same)
    for name, reason, who, tool, params in (
        ("a state of list_invoices on deploy", "other_request", user, "deploy", same),
        (
            "a state with other arguments",
            "other_request",
            user,
            "list_invoices",
            {**same, "arguments": {"account": "other"}},
        ),
        ("a state by another principal", "other_principal", "raw-eve", "list_invoices", same),
        (
            "a state with one character changed",
            "forged",
            user,
            "list_invoices",
            {**same, "requestState": changed(state, len(state) // 2)},
        ),
    ):
        checks.run(f"{name} is refused", refused, log, reason, url, who, tool, **params)
    checks.run("the state is still good after that", ask, url, user, "list_invoices", **same)


def late(checks: Checks, url: str, path: Path, ttl_ms: int) -> None:
    """Item 7, time."""
    log, user = Log(path), "raw-late"
    state = ask(url, user, "list_invoices", arguments=ACCOUNT)["requestState"]
    time.sleep(ttl_ms / 1000 + 0.5)
    same = {"arguments": ACCOUNT, "requestState": state}
    checks.run(
        "a state after its time is refused",
        refused,
        log,
        "expired",
        url,
        user,
        "list_invoices",
        **same,
    )


def hand_over(first: str, second: str, user: str) -> None:
    """Begins on one server, finishes on another."""
    finish(second, user, ask(first, user, "deploy")["requestState"], STAGING)


def hand_to_and_fro(first: str, second: str, user: str) -> None:
    """Begins on one server, answers wrongly on another, finishes on the first."""
    state = ask(first, user, "deploy")["requestState"]
    again = ask(second, user, "deploy", inputResponses=MOON, requestState=state)
    finish(first, user, again["requestState"], STAGING)


def handover(checks: Checks, urls: list[str]) -> None:
    """Item 8, for each two of the servers, both ways round."""
    for first, second in itertools.permutations(urls, 2):
        ways = ((hand_over, "is finished on"), (hand_to_and_fro, "goes to and fro with"))
        for check, words in ways:
            checks.run(f"deploy begun on {first} {words} {second}", check, first, second, "raw-ada")


def main() -> int:
    """Reads the command line; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, usage="raw.py refusals|late|handover ...")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("refusals", "late"):
        command = commands.add_parser(name)
        command.add_argument("url")
        command.add_argument("log", type=Path)
        if name == "late":
            command.add_argument("ttl_ms", type=int)
    commands.add_parser("handover").add_argument("urls", nargs="+")
    given = parser.parse_args()
    checks = Checks()
    try:
        if given.command == "refusals":
            refusals(checks, given.url, given.log)
        elif given.command == "late":
            late(checks, given.url, given.log, given.ttl_ms)
        elif len(given.urls) > 1:
            handover(checks, given.urls)
        else:
            parser.error("handover needs two servers or more")
    except Miss as error:
        checks.failed += 1
        print(f"not ok the flow begins: {error}", flush=True)
    except OSError as error:
        print(f"raw.py: could not run: {error}", file=sys.stderr)
        return 2
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Plays the scenario: every server with every official client, then what no client may do.

    python3 tests/scenario/run.py                                  everything
    python3 tests/scenario/run.py --servers node --clients python  one pair, and the raw items

Starts each server on a free port with a fresh key, runs the clients with their scripts against it,
judges them by what crossed the wire (wire.py), runs raw.py, and prints a line an item and a table.
What a client printed is kept in build/scenario/. Python standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import wire
from servers import (
    CLIENTS,
    COMMANDS,
    POLICIES,
    ROOT,
    STDIO,
    DidNotStart,
    Server,
    clean_environment,
)

LOGS = ROOT / "build" / "scenario"
HERE = Path(__file__).resolve().parent
CLIENT_SECONDS = 300
#: How long a state lives on the servers that late states are tried on.
LATE_MS = 1000


class Tally:
    """What passed and what failed, by pair."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, int]] = []

    def pair(self, title: str, verdicts: list[tuple[str, str | None]], detail: Path) -> None:
        """Prints the verdicts of a pair and counts them."""
        failed = [verdict for verdict in verdicts if verdict[1] is not None]
        for name, miss in verdicts:
            print(f"  {'ok  ' if miss is None else 'MISS'} {title}: {name}")
            if miss is not None:
                print(f"       {miss}")
        if failed or not verdicts:
            print(f"       the whole of it: {detail.relative_to(ROOT)}")
        self.rows.append((title, len(verdicts) - len(failed), len(failed) or int(not verdicts)))
        sys.stdout.flush()

    def table(self) -> int:
        """Prints the table; the number of misses."""
        width = max(len(title) for title, _, _ in self.rows)
        print()
        for title, passed, failed in self.rows:
            print(f"  {title:<{width}}  {passed:>3} passed  {failed:>3} failed")
        passed = sum(row[1] for row in self.rows)
        failed = sum(row[2] for row in self.rows)
        print(f"scenario: {passed} passed, {failed} failed")
        return failed


def run_client(client: str, target: list[str], script: Path, kept: Path) -> str:
    """What a client printed. The command's own status is in the steps it reports."""
    options = ["--user", "ada", "--script", str(script)]
    url, command = (target, []) if target[0].startswith("http") else ([], ["--", *target])
    try:
        done = subprocess.run(
            [*CLIENTS[client], *options, *url, *command],
            cwd=ROOT,
            env=clean_environment(MCP_ELICIT_KEYS=secrets.token_hex(32)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=CLIENT_SECONDS,
            check=False,
        )
        printed, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        printed = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        status = -1
    kept.write_text(f"{printed}\nstatus {status}\n", encoding="utf-8")
    return printed


def play(tally: Tally, title: str, client: str, target: list[str], script: Path) -> None:
    """One client with one server."""
    kept = LOGS / f"{re.sub('[^a-z]+', '-', title)}.txt"
    steps: list[dict[str, Any]] = json.loads(script.read_text(encoding="utf-8"))
    printed = run_client(client, target, script, kept)
    tally.pair(title, wire.judge(steps, printed), kept)


def pairs(tally: Tally, servers: list[str], clients: list[str]) -> None:
    """Items 1 to 6, each pair with a server of its own."""
    for server in servers:
        for client in clients:
            title = f"{server} server, {client} client"
            logs = LOGS / f"{server}-{client}"
            logs.mkdir(parents=True, exist_ok=True)
            try:
                with Server(server, secrets.token_hex(32), logs) as running:
                    play(tally, title, client, [running.url], HERE / "scenario.json")
            except DidNotStart as error:
                tally.pair(title, [("the server starts", str(error))], logs / f"{server}.log")
    if "c" in servers:
        for client in clients:
            # SDKs hand a server over stdio next to nothing of their own environment.
            command = ["env", f"MCP_ELICIT_KEYS={secrets.token_hex(32)}", *STDIO]
            title = f"c server over stdio, {client} client"
            play(tally, title, client, command, HERE / "stdio.json")


def policies(tally: Tally, servers: list[str], clients: list[str]) -> None:
    """Every policy, each pair with a server of its own."""
    for server in servers:
        for client in clients:
            title = f"policies of the {server} server, {client} client"
            logs = LOGS / f"policies-{server}-{client}"
            logs.mkdir(parents=True, exist_ok=True)
            try:
                with Server(server, secrets.token_hex(32), logs, POLICIES) as running:
                    play(tally, title, client, [running.url], HERE / "policies.json")
            except DidNotStart as error:
                tally.pair(title, [("the server starts", str(error))], logs / f"{server}.log")


def raw(tally: Tally, title: str, arguments: list[str]) -> None:
    """One command of raw.py."""
    kept = LOGS / f"{re.sub('[^a-z]+', '-', title)}.txt"
    done = subprocess.run(
        [sys.executable, str(HERE / "raw.py"), *arguments],
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=CLIENT_SECONDS,
        check=False,
    )
    kept.write_text(f"{done.stdout}\nstatus {done.returncode}\n", encoding="utf-8")
    verdicts: list[tuple[str, str | None]] = []
    for line in done.stdout.splitlines():
        if line.startswith("ok "):
            verdicts.append((line[3:], None))
        elif line.startswith("not ok "):
            name, _, miss = line[7:].partition(": ")
            verdicts.append((name, miss))
    if done.returncode != 0 and all(miss is None for _, miss in verdicts):
        verdicts.append(("raw.py runs", done.stdout[-500:]))
    tally.pair(title, verdicts, kept)


def raw_items(tally: Tally, servers: list[str]) -> None:
    """Items 7 and 8: all servers at once, with one key."""
    keys = secrets.token_hex(32)
    try:
        with contextlib.ExitStack() as stack:
            running = []
            for server in servers:
                for folder, more in (("raw", {}), ("raw-late", {"STATE_TTL_MS": str(LATE_MS)})):
                    logs = LOGS / folder
                    logs.mkdir(parents=True, exist_ok=True)
                    running.append(stack.enter_context(Server(server, keys, logs, **more)))
            for usual, late in zip(running[::2], running[1::2], strict=True):
                raw(
                    tally,
                    f"{usual.name} server, foreign states",
                    ["refusals", usual.url, str(usual.log)],
                )
                raw(
                    tally,
                    f"{late.name} server, late states",
                    ["late", late.url, str(late.log), str(LATE_MS)],
                )
            if len(servers) > 1:
                urls = [server.url for server in running[::2]]
                print("  " + ", ".join(f"{server.name} = {server.url}" for server in running[::2]))
                raw(tally, "flows from server to server", ["handover", *urls])
    except DidNotStart as error:
        tally.pair("raw items", [("the servers start", str(error))], LOGS)


def main() -> int:
    """Plays what the command line says; 1 if anything missed."""
    parser = argparse.ArgumentParser(description="Plays the scenario.")
    parser.add_argument("--servers", default=",".join(COMMANDS), help="of: %(default)s")
    parser.add_argument("--clients", default=",".join(CLIENTS), help="of: %(default)s")
    given = parser.parse_args()
    servers, clients = given.servers.split(","), given.clients.split(",")
    unknown = [*(set(servers) - set(COMMANDS)), *(set(clients) - set(CLIENTS))]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    pairs(tally, servers, clients)
    policies(tally, [name for name in POLICIES if name.split()[0] in servers], clients)
    raw_items(tally, servers)
    return 1 if tally.table() else 0


if __name__ == "__main__":
    sys.exit(main())

"""Starts and stops the billing servers of the examples. Python standard library only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60

COMMANDS: dict[str, list[str]] = {
    "python": [sys.executable, "bindings-python/examples/billing_server.py"],
    "node": ["node", "bindings-node/examples/billing-server.mjs"],
    "c": ["build/c/billing_server"],
}
STDIO = ["build/c/deploy_stdio"]

#: Servers with a tool for each policy: policies.json.
POLICIES: dict[str, list[str]] = {
    "python": [sys.executable, "tests/scenario/policy_server.py"],
    "node": ["node", "tests/scenario/policy-server.mjs"],
    "python sdk": [sys.executable, "tests/scenario/policy_sdk_server.py"],
    "node sdk": ["node", "tests/scenario/policy-server.mjs", "--sdk"],
}

CLIENTS: dict[str, list[str]] = {
    "python": [sys.executable, "bindings-python/examples/client.py"],
    "typescript": ["node", "bindings-node/examples/client.mjs"],
}


def clean_environment(**more: str) -> dict[str, str]:
    """The environment of a child: this one's, without our own settings, and what it is given."""
    ours = {name for name in os.environ if name.startswith("MCP_ELICIT_")} | {
        "PORT",
        "STATE_TTL_MS",
    }
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


class DidNotStart(Exception):
    """A server that ended, or said nothing, before it listened."""


class Server:
    """One example server on a port of its own, from `with` to its end."""

    def __init__(
        self,
        name: str,
        keys: str,
        logs: Path,
        commands: dict[str, list[str]] = COMMANDS,
        /,
        **environment: str,
    ) -> None:
        self.name = name
        self._command = commands[name]
        self.url = ""
        self._environment = clean_environment(PORT="0", MCP_ELICIT_KEYS=keys, **environment)
        self._out = logs / f"{name}.out"
        #: What the server wrote to its error stream: an event of the log hook a line.
        self.log = logs / f"{name}.log"

    def __enter__(self) -> Server:  # noqa: PYI034 - Self needs Python 3.11
        with self._out.open("wb") as out, self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
            )
        try:
            self._wait()
        except BaseException:
            self._stop()
            raise
        return self

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            said = re.match(r"listening on (\S+)\n", self._out.read_text(encoding="utf-8"))
            if said:
                self.url = said[1]
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        tail = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise DidNotStart(
            f"the {self.name} server did not start (status {self._process.poll()})\n{tail}"
        )

    def _stop(self) -> None:
        """Ends this process and no other: first asks, then insists."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

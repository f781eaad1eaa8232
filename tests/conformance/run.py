"""Plays the protocol's conformance suite against server.py: multi round-trip and stateless servers.

    python tests/conformance/run.py NODE SUITE [SCENARIO...]

NODE is a Node.js of 22 or later, SUITE the suite's program; scripts/conformance.sh sets both up.

A scenario passes where the suite found no failure, gave no warning, and saw at least one success: a
server that is not there at all passes some of them with a warning. What the suite does not apply to
the server (subscriptions, list changes) it skips, and that is told. Each scenario's checks are kept
in build/conformance/. Python standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "build" / "conformance"
REVISION = "2026-07-28"
SECONDS = 120

SCENARIOS = [
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-unsupported-methods",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
    "server-stateless",
]


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The server, started; its URL."""
    with (RESULTS / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PORT": "0"},
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            if not line.startswith("listening on "):
                raise RuntimeError(f"the server did not start: see {RESULTS / 'server.log'}")
            yield line.split()[-1]
        finally:
            process.terminate()
            process.communicate()


def play(suite: list[str], scenario: str, url: str) -> list[dict[str, Any]]:
    """Has the suite play a scenario; its checks, none where it did not get that far."""
    output = RESULTS / scenario
    with (RESULTS / f"{scenario}.log").open("wb") as log:
        command = [*suite, "server", "--url", url, "--scenario", scenario]
        command += ["--spec-version", REVISION, "--output-dir", str(output)]
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS, check=False
        )
    checks: list[dict[str, Any]] = []
    for file in output.rglob("checks.json"):
        checks += json.loads(file.read_text(encoding="utf-8"))
    return checks


def judge(scenario: str, checks: list[dict[str, Any]]) -> bool:
    """Prints how a scenario went; whether it passed."""
    count = Counter(check["status"] for check in checks)
    amiss = [check for check in checks if check["status"] not in ("SUCCESS", "SKIPPED", "INFO")]
    # The check of what was on the wire succeeds where nothing was.
    own = [check for check in checks if not check["id"].startswith("wire-schema-")]
    passed = not amiss and any(check["status"] == "SUCCESS" for check in own)
    told = f"{count['SUCCESS']} succeeded, {count['FAILURE']} failed, {count['WARNING']} warned"
    told += f", {count['SKIPPED']} skipped" if count["SKIPPED"] else ""
    print(f"  {'ok  ' if passed else 'MISS'} {scenario}: {told}", flush=True)
    for check in amiss:
        print(f"       {check['status']} {check['id']}: {check.get('errorMessage')}")
    return passed


def main() -> int:
    """Plays the scenarios; the exit status."""
    suite, scenarios = sys.argv[1:3], sys.argv[3:] or SCENARIOS
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    with server() as url:
        failed = [name for name in scenarios if not judge(name, play(suite, name, url))]
    print(f"conformance: {len(scenarios) - len(failed)} scenarios passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs the examples of README.md, and that of the npm package, as they stand there, on this tree.

A flow is begun by one example and finished by the next one, so that each of them asks, takes an
answer, and reads a state that another language sealed. Those on the official SDKs are servers over
stdio: the example client on the official Python SDK calls them.

    python tests/readme/run.py      needs what `scripts/test.sh readme` sets up
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

from examples import ROOT, FailureError, Program, Workshop, command, flow


def build(workshop: Workshop) -> dict[str, Program]:
    """Every example by language."""
    tree = ROOT / "build" / "c"
    modules = workshop.folder / "node_modules"
    modules.mkdir()
    (modules / "mcp-elicit").symlink_to(ROOT / "bindings-node", target_is_directory=True)
    for name in ("@modelcontextprotocol", "zod"):
        (modules / name).symlink_to(ROOT / "bindings-node" / "node_modules" / name)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    flags = [
        f"-I{tree / 'include'}",
        f"-L{tree / 'lib'}",
        "-lmcp_elicit",
        f"-Wl,-rpath,{tree / 'lib'}",
    ]
    commands = {
        "Python": workshop.python(sys.executable),
        "JavaScript": workshop.js(),
        "the npm package": workshop.npm(),
        "Rust": workshop.rust(ROOT / "core", target),
        "C": workshop.c("example-c", flags),
    }
    return {name: Program(words, workshop.folder, {}) for name, words in commands.items()}


def call(words: list[str], folder: Path) -> None:
    """A client calls the tool of a server over stdio: the user accepts, and declines."""
    arguments = {"tool": "deploy", "arguments": {"app": "web"}, "rounds": 2}
    accept = {"action": "accept", "content": {"environment": "staging"}}
    steps = [
        {**arguments, "answers": [answer], "expect": {"text": said}}
        for answer, said in (
            (accept, "Deployed web to staging."),
            ({"action": "decline"}, "Nothing was deployed."),
        )
    ]
    (folder / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    client = [sys.executable, str(ROOT / "bindings-python" / "examples" / "client.py")]
    # SDKs hand a server over stdio next to nothing of their own environment.
    server = ["env", f"MCP_ELICIT_KEYS={secrets.token_hex(32)}", *words]
    command([*client, "--script", "steps.json", "--", *server], folder)


def main() -> int:
    """Builds the examples and hands flows from each to the next."""
    passed = failed = 0
    try:
        workshop = Workshop(ROOT / "build" / "readme")
        programs = build(workshop)
    except FailureError as failure:
        print(f"not ok the examples build: {failure}")
        return 1
    names = list(programs)
    for first, second in zip(names, [*names[1:], names[0]], strict=True):
        for last in (first, second):
            title = f"the example in {first} asks, the one in {last} completes"
            try:
                flow(programs[first], programs[last], workshop.form)
            except FailureError as failure:
                failed += 1
                print(f"not ok {title}: {failure}")
            else:
                passed += 1
                print(f"ok {title}")
    sdks = {"Python": workshop.sdk_python(sys.executable), "TypeScript": workshop.sdk_js()}
    for name, words in sdks.items():
        title = f"the example on the official SDK in {name} asks and completes"
        try:
            call(words, workshop.folder)
        except FailureError as failure:
            failed += 1
            print(f"not ok {title}: {failure}")
        else:
            passed += 1
            print(f"ok {title}")
    print(f"readme: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

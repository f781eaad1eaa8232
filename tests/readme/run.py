"""Runs the examples of README.md as they stand there, on what is built in this tree.

A flow is begun by one example and finished by the next one, so that each of them asks, takes an
answer, and reads a state that another language sealed.

    python tests/readme/run.py      needs what `scripts/test.sh readme` sets up
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from examples import ROOT, FailureError, Program, Workshop, flow


def build(workshop: Workshop) -> dict[str, Program]:
    """Every example by language."""
    tree = ROOT / "build" / "c"
    modules = workshop.folder / "node_modules"
    modules.mkdir()
    (modules / "mcp-elicit").symlink_to(ROOT / "bindings-node", target_is_directory=True)
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
        "Rust": workshop.rust(ROOT / "core", target),
        "C": workshop.c("example-c", flags),
    }
    return {name: Program(words, workshop.folder, {}) for name, words in commands.items()}


def main() -> int:
    """Builds the examples and hands flows from each to the next."""
    passed = failed = 0
    try:
        workshop = Workshop(ROOT / "build" / "readme")
        programs = build(workshop)
    except FailureError as failure:
        print(f"not ok the examples of README.md build: {failure}")
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
    print(f"readme: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

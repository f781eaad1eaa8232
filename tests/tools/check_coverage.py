"""Checks tests/protocol-coverage.md: what it names must exist.

The file has a table for each page of the protocol, a row for each rule:

    | rule | tests |
    |---|---|
    | the words of the rule | `core/tests/flows.rs::name`, `tests/vectors/requests.json::name` |
    | the words of another | not ours: why |

A test is named by its file and its name in it: a function in Rust, Python and C, the title of a
test in JavaScript, the `name` of a vector or of a scenario's step in JSON. A row whose last cell
names no test must begin with "not ours:" or "not yet:" and give a reason.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COVERAGE = "tests/protocol-coverage.md"

REFERENCE = re.compile(r"`([\w./-]+\.\w+)::([^`]+)`")
EXCUSE = re.compile(r"not (ours|yet): \S")
DIVIDER = re.compile(r"^\|[\s:|-]+\|$")


def names_in(value: Any) -> Iterator[str]:
    """Every `name` in a JSON document."""
    if isinstance(value, dict):
        if isinstance(value.get("name"), str):
            yield value["name"]
        for member in value.values():
            yield from names_in(member)
    elif isinstance(value, list):
        for element in value:
            yield from names_in(element)


def holds(path: str, text: str, name: str) -> bool:
    """Whether a file has a test of that name."""
    word = re.escape(name)
    if path.endswith(".json"):
        return name in set(names_in(json.loads(text)))
    if path.endswith(".rs"):
        return re.search(rf"\bfn {word}\s*[(<]", text) is not None
    if path.endswith(".py"):
        return re.search(rf"\bdef {word}\s*\(", text) is not None
    if path.endswith((".c", ".h")):
        return re.search(rf"\b{word}\s*\(", text) is not None
    return any(quote + name + quote in text for quote in "'\"`")


def check(coverage: str, root: Path) -> tuple[int, list[str]]:
    """How many rules the page has, and what is wrong with it."""
    wrong: list[str] = []
    rules = 0
    lines = coverage.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("|") or DIVIDER.match(line):
            continue
        if number < len(lines) and DIVIDER.match(lines[number]):
            continue  # the head of a table
        rules += 1
        cell = re.split(r"(?<!\\)\|", line)[-2].strip()
        references = REFERENCE.findall(cell)
        if not references and not EXCUSE.match(cell):
            wrong.append(f"line {number}: names no test and gives no reason")
        for path, name in references:
            file = root / path
            if not file.is_file():
                wrong.append(f"line {number}: there is no file {path}")
            elif not holds(path, file.read_text(encoding="utf-8"), name):
                wrong.append(f"line {number}: {path} has no test {name!r}")
    if rules == 0:
        wrong.append("the page has no rule")
    return rules, wrong


def main() -> int:
    """Checks the page of this tree."""
    rules, wrong = check((ROOT / COVERAGE).read_text(encoding="utf-8"), ROOT)
    for fault in wrong:
        print(f"{COVERAGE}: {fault}")
    print(f"coverage: {rules} rules, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

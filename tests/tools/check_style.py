"""The rules of the house that no linter knows.

Reads every file that git tracks, and says file, line and rule for each break. The rules:

- no file of source or prose over 800 lines;
- nothing put off: no marker of unfinished work;
- no host of a package registry (but in Cargo.lock), no path of one machine;
- bindings and C ABI never unwrap, expect or panic, unless an attribute there gives a reason;
- unsafe code in ffi only, and the core forbids it;
- every Rust module, Python module and script begins with what it is for.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 800

# Data, not prose or code: long by nature.
DATA = re.compile(r"(\.lock|\.json|\.txt|LICENSE-APACHE|/seeds/.*)$")
GENERATED = {"include/mcp_elicit.h"}

# Written in two pieces, so that this file does not find itself.
UNFINISHED = re.compile(
    r"\b("
    + "|".join(
        ["to" + r"do!\s*\(", "unimpl" + r"emented!\s*\(", "FIX" + "ME", "TO" + "DO", "XX" + r"X\b"]
    )
    + ")"
)
REGISTRIES = re.compile(
    "|".join(
        re.escape(name + "." + top)
        for name, top in [
            ("crates", "io"),
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("yarnpkg", "com"),
            ("proxy.golang", "org"),
            ("deb.debian", "org"),
        ]
    )
)
MACHINE = re.compile(r"(?<![\w./-])/(" + "|".join(["work", "root", "home", "Users"]) + r")/\w")
MERGE = re.compile(r"^(<{7} |>{7} |={7}$)")

PANICS = re.compile(
    r"\.(unwrap|expect)\(|\b(panic|unreachable|assert|assert_eq|assert_ne)!\s*[\(\[{]"
)
REASONED = re.compile(r"#\[(allow|expect)\(clippy::(unwrap_used|expect_used|panic|unreachable)")
UNSAFE = re.compile(r"\bunsafe\s+(fn|impl|extern|trait|\{)|\bunsafe\s*\{")


def code_of(line: str) -> str:
    """The line without its comment; strings are left as they are."""
    return re.sub(r"(?<![:\"'])//.*$", "", line)


def rust_faults(path: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """What a Rust file breaks."""
    if not lines or not lines[0].startswith("//!"):
        yield 1, "a module begins with a //! comment: what it owns, what not"
    if path == "core/src/lib.rs" and not any(
        line.startswith("#![forbid(unsafe_code)]") for line in lines
    ):
        yield 1, "the core forbids unsafe code"
    outer = path.startswith(("ffi/src/", "bindings-node/src/", "bindings-python/src/"))
    for number, line in enumerate(lines, 1):
        if line.startswith("#[cfg(test)]"):
            break
        code = code_of(line)
        if outer and PANICS.search(code):
            before = lines[max(0, number - 12) : number]
            if not any(REASONED.search(text) for text in before):
                yield number, "the outer layers never unwrap, expect or panic"
        if UNSAFE.search(code) and not path.startswith("ffi/"):
            yield number, "unsafe code lives in ffi only"


def faults(path: str, text: str) -> Iterator[tuple[int, str]]:
    """What one file breaks: line and rule."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES and not DATA.search(path) and path not in GENERATED:
        yield len(lines), f"over {MAX_LINES} lines: split it"
    if not path.endswith("Cargo.lock"):
        for number, line in enumerate(lines, 1):
            if UNFINISHED.search(line):
                yield number, "unfinished work"
            if REGISTRIES.search(line):
                yield number, "the host of a package registry"
            if MACHINE.search(line):
                yield number, "a path of one machine"
            if MERGE.search(line):
                yield number, "a conflict that was not resolved"
    if path.endswith(".rs"):
        yield from rust_faults(path, lines)
    if path.endswith(".py") and lines and not re.match(r'r?"""|#!', lines[0]):
        yield 1, "a module begins with its docstring"
    if path.startswith("scripts/") and path.endswith(".sh"):
        first = [line for line in lines[:2] if not line.startswith("#!")]
        if not first or not first[0].startswith("# "):
            yield 1, "a script begins with what it does"


def tracked() -> list[str]:
    """The files that git knows or would add, without links."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = sorted(set(listed.stdout.split("\0")) - {""})
    return [path for path in paths if (ROOT / path).is_file() and not (ROOT / path).is_symlink()]


def main() -> int:
    """Checks the tree; the number of broken rules decides."""
    found = 0
    files = tracked()
    for path in files:
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for line, rule in faults(path, text):
            found += 1
            print(f"{path}:{line}: {rule}")
    print(f"style: {len(files)} files, {found} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

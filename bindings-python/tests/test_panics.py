"""No defect of ours ends the interpreter, or passes through `except Exception`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import KEY, ROOT

TESTS = Path(__file__).resolve().parent
CARGO = shutil.which("cargo")


@pytest.mark.skipif(
    CARGO is None and "CI" not in os.environ, reason="needs cargo to build the module that panics"
)
def test_every_entry_turns_a_panic_into_our_error(tmp_path: Path) -> None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    build = ["cargo", "build", "--locked", "--quiet", "--features", "panic-probe"]
    subprocess.run(
        [*build, "-p", "mcp-elicit-python"],
        cwd=ROOT,
        env={**os.environ, "CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable},
        check=True,
    )
    package = tmp_path / "mcp_elicit"
    shutil.copytree(
        TESTS.parent / "python" / "mcp_elicit",
        package,
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    built = next(path for path in (target / "debug").glob("*_native.*") if path.suffix != ".d")
    shutil.copy(built, package / ("_native.pyd" if built.suffix == ".dll" else "_native.abi3.so"))
    done = subprocess.run(
        [sys.executable, "-B", str(TESTS / "panics.py")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS)]),
            "MCP_ELICIT_KEYS": KEY,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].endswith(" probes, 0 failed")

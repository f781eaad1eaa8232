"""The package as others see it: names, documentation, types."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import mcp_elicit
import pytest
from mcp_elicit import _native, errors, types

PACKAGE = Path(mcp_elicit.__file__).parent


def test_version_and_revision() -> None:
    assert mcp_elicit.__version__ == metadata("mcp-elicit")["Version"]
    assert mcp_elicit.PROTOCOL_VERSION == "2026-07-28"


def test_every_name_is_there_and_documented() -> None:
    for module in (mcp_elicit, errors, types):
        assert module.__doc__
        assert sorted(module.__all__, key=str.lower) == sorted(set(module.__all__), key=str.lower)
        for name in module.__all__:
            assert hasattr(module, name), name
    for name in set(mcp_elicit.__all__) - {"__version__", "PROTOCOL_VERSION"}:
        thing = getattr(mcp_elicit, name)
        assert thing.__doc__, name
        assert thing.__module__.startswith("mcp_elicit"), name
        for member in vars(thing) if isinstance(thing, type) else ():
            if not member.startswith("_"):
                assert getattr(thing, member).__doc__, f"{name}.{member}"


def documented(body: list[ast.stmt], where: str) -> Any:
    """What in a stub has no docstring though everybody may use it."""
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name != "ErrorInfo":
            if not ast.get_docstring(node):
                yield f"{where}{node.name}"
            yield from documented(node.body, f"{node.name}.")
        elif (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
            and not any(isinstance(it, ast.Attribute) for it in node.decorator_list)  # a setter
        ):
            yield f"{where}{node.name}"


@pytest.mark.parametrize("name", ["_native.pyi", "_claims.pyi", "_config.pyi"])
def test_everything_public_in_the_stub_is_documented(name: str) -> None:
    stub = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
    assert list(documented(stub.body, "")) == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_the_stub_is_what_runs() -> None:
    config = Path(__file__).resolve().parents[1] / "pyproject.toml"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", str(config)),
            *("mcp_elicit._native", "mcp_elicit._claims", "mcp_elicit._config"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["Engine", "Call", "Form", "Outcome", "Reply", "Principal"])
def test_classes_are_final(name: str) -> None:
    with pytest.raises(TypeError):
        type("Sub", (getattr(_native, name),), {})


def test_kinds_are_those_of_the_core() -> None:
    table = (Path(__file__).resolve().parents[2] / "core/src/error.rs").read_text(encoding="utf-8")
    rows = table.split("\nkinds! {")[1].split("\n}\n")[0].splitlines()
    kinds = [row.split('"')[1] for row in rows if " = " in row and "//" not in row]
    assert list(getattr(types.ErrorKind, "__args__")) == kinds  # noqa: B009

"""Installs everything in build/dist in an empty environment and runs a flow with it.

What is shipped as a binary is installed and run with no Rust to be found: cargo, rustc and rustup
on PATH are scripts that fail. What is shipped as source is built with Rust. Each of them asks,
completes, and finishes a flow that another began. Python standard library only.

    python tests/package/run.py     after scripts/package.sh
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "readme"))

from examples import ROOT, FailureError, Program, Workshop, command, expect, flow

DIST = ROOT / "build" / "dist"
WORK = ROOT / "build" / "package-test"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "package-test"
NPM_CACHE = {"npm_config_cache": str(ROOT / "build" / "cache" / "npm")}

#: A build that is quick, not one that is fast.
QUICK = {
    "CARGO_TARGET_DIR": str(TARGET),
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
}


def only(pattern: str) -> Path:
    """The one file of build/dist that has such a name."""
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise FailureError(f"build/dist has {len(found)} files {pattern}")
    return found[0]


def without_rust() -> dict[str, str]:
    """An environment in which no Rust tool works."""
    folder = WORK / "no-rust"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("cargo", "rustc", "rustup"):
        stub = folder / name
        stub.write_text("#!/bin/sh\necho 'a shipped binary needs no Rust' >&2\nexit 1\n")
        stub.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def unpacked(archive: Path, into: Path) -> Path:
    """The one folder of an archive."""
    shutil.rmtree(into, ignore_errors=True)
    with tarfile.open(archive) as tar:
        # The filter is missing in early patch releases of 3.10; the archives are our own.
        if hasattr(tarfile, "data_filter"):
            tar.extractall(into, filter="data")
        else:
            tar.extractall(into)
    [folder] = into.iterdir()
    # npm dates every file to 1985: cargo would take what it built of an earlier one for this.
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path)
    return folder


def fresh_venv(folder: Path) -> str:
    """The interpreter of an empty virtual environment."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    return str(folder / "bin" / "python")


PIP = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]


def wheel() -> Iterator[Program]:
    """The wheel, in a fresh virtual environment."""
    file = only("mcp_elicit-*.whl")
    if sys.platform == "linux" and "manylinux2014" not in file.name:
        raise FailureError(f"{file.name} is not for manylinux2014")
    if "-abi3-" not in file.name:
        raise FailureError(f"{file.name} is not for the stable ABI")
    with zipfile.ZipFile(file) as content:
        names = content.namelist()
    for wanted in ("mcp_elicit/py.typed", "mcp_elicit/_native.pyi"):
        if wanted not in names:
            raise FailureError(f"{file.name} has no {wanted}")
    workshop = Workshop(WORK / "wheel")
    python = fresh_venv(workshop.folder / "venv")
    command([python, *PIP, str(file)], workshop.folder, without_rust())
    yield Program(workshop.python(python), workshop.folder, without_rust())


def sdist() -> Iterator[Program]:
    """The source distribution, built by the maturin that the package tools have."""
    workshop = Workshop(WORK / "sdist")
    python = fresh_venv(workshop.folder / "venv")
    tools = ROOT / "build" / "venv-package"
    [site] = tools.glob("lib/python*/site-packages")
    path = {"PYTHONPATH": str(site), "PATH": f"{tools / 'bin'}:{os.environ['PATH']}"}
    arguments = [*PIP, "--no-build-isolation", str(only("mcp_elicit-*.tar.gz"))]
    command([python, *arguments], workshop.folder, {**QUICK, **path})
    yield Program(workshop.python(python), workshop.folder, {})


def npm() -> Iterator[Program]:
    """The npm tarball, in a fresh folder, as ES module and as CommonJS."""
    workshop = Workshop(WORK / "npm")
    (workshop.folder / "package.json").write_text('{"private": true}')
    install = ["npm", "install", "--offline", "--silent", "--no-audit", "--no-fund"]
    command(
        [*install, str(only("mcp-elicit-*.tgz"))], workshop.folder, {**without_rust(), **NPM_CACHE}
    )
    shown = (workshop.folder / "node_modules" / "mcp-elicit" / "README.md").read_bytes()
    expect(shown, (ROOT / "bindings-node" / "README.md").read_bytes())
    for words in (workshop.js(), workshop.cjs(), workshop.npm()):
        yield Program(words, workshop.folder, without_rust())


def npm_source() -> Iterator[Program]:
    """The npm tarball on a platform that it has no addon for: built from the sources in it."""
    workshop = Workshop(WORK / "npm-source")
    package = unpacked(only("mcp-elicit-*.tgz"), workshop.folder / "unpacked")
    for addon in package.glob("**/*.node"):
        addon.unlink()
    modules = workshop.folder / "node_modules"
    modules.mkdir()
    (modules / "mcp-elicit").symlink_to(package, target_is_directory=True)
    command(["node", "scripts/build.mjs", "--debug"], package, QUICK)
    yield Program(workshop.js(), workshop.folder, {})


def crate() -> Iterator[Program]:
    """The crate, as a dependency."""
    workshop = Workshop(WORK / "crate")
    folder = unpacked(only("mcp-elicit-*.crate"), workshop.folder / "unpacked")
    for wanted in ("README.md", "LICENSE-APACHE", "LICENSE-MIT", "Cargo.toml", "src/lib.rs"):
        if not (folder / wanted).is_file():
            raise FailureError(f"the crate has no {wanted}")
    yield Program(workshop.rust(folder, TARGET), workshop.folder, {})


def c_tree() -> Iterator[Program]:
    """The C tree, shared and static, found by pkg-config at the place it was unpacked."""
    workshop = Workshop(WORK / "c")
    tree = unpacked(only("mcp-elicit-c-*.tar.gz"), workshop.folder / "unpacked")
    found = {"PKG_CONFIG_PATH": str(tree / "lib" / "pkgconfig"), **without_rust()}

    def flags(*options: str) -> list[str]:
        return command(["pkg-config", *options, "mcp_elicit"], workshop.folder, found).split()

    library = {"LD_LIBRARY_PATH": str(tree / "lib"), **without_rust()}
    shared = workshop.c("example-shared", flags("--cflags", "--libs"))
    yield Program(shared, workshop.folder, library)
    if sys.platform == "linux":
        static = workshop.c("example-static", ["-static", *flags("--static", "--cflags", "--libs")])
        yield Program(static, workshop.folder, without_rust())


def private_paths() -> None:
    """No binary that is shipped names a folder of the machine that built it."""
    secrets = {str(ROOT), str(Path.home()), os.environ.get("CARGO_HOME", str(Path.home()))}
    files = 0
    for archive in sorted(DIST.iterdir()):
        into = WORK / "all" / archive.name
        shutil.rmtree(into, ignore_errors=True)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as content:
                content.extractall(into)
        else:
            unpacked(archive, into)
        for file in into.rglob("*"):
            if not file.is_file():
                continue
            files += 1
            data = file.read_bytes()
            for secret in secrets:
                if f"{secret}/".encode() in data:
                    raise FailureError(f"{archive.name}: {file.relative_to(into)} names {secret}")
    if files == 0:
        raise FailureError("build/dist is empty")


def exports() -> None:
    """The shared library exports our prefix and nothing else, and names its SONAME."""
    if sys.platform != "linux":
        return
    [library] = (WORK / "c" / "unpacked").glob("*/lib/libmcp_elicit.so.*.*.*")
    named = command(["nm", "-D", "--defined-only", str(library)], WORK)
    names = [line.split()[-1].split("@")[0] for line in named.splitlines()]
    foreign = [name for name in names if not name.startswith("mcp_elicit_")]
    if foreign or not names:
        raise FailureError(f"{library.name} exports {foreign[:5]} beside {len(names)} names")
    dynamic = command(["readelf", "-d", str(library)], WORK)
    if "[libmcp_elicit.so.0]" not in dynamic:
        raise FailureError(f"{library.name} has no SONAME libmcp_elicit.so.0")


def main() -> int:
    """Installs and runs everything; 1 if something failed."""
    passed = failed = 0
    programs: dict[str, Program] = {}
    form = Workshop(WORK / "form").form

    def check(title: str, body: Callable[[], object]) -> None:
        nonlocal passed, failed
        try:
            body()
        except (FailureError, OSError, ValueError, subprocess.SubprocessError) as failure:
            failed += 1
            print(f"not ok {title}: {failure}", flush=True)
        else:
            passed += 1
            print(f"ok {title}", flush=True)

    def install(name: str, steps: Callable[[], Iterator[Program]]) -> None:
        for number, program in enumerate(steps(), 1):
            flow(program, program, form)
            programs[f"{name} {number}"] = program

    for steps in (wheel, npm, c_tree, crate, sdist, npm_source):
        name = steps.__name__.replace("_", " ")
        check(
            f"{name}: installs in an empty environment and runs a flow",
            lambda: install(name, steps),
        )
    names = list(programs)
    for first, second in zip(names, [*names[1:], *names[:1]], strict=True):
        check(
            f"{second} finishes a flow that {first} began",
            lambda: flow(programs[first], programs[second], form),
        )
    check("no package names a folder of this machine", private_paths)
    check("the shared library exports our names alone", exports)
    print(f"package: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

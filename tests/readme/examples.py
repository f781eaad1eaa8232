"""The examples of README.md and of the npm package as programs: one request in, one reply out.

Each is put into a frame of its language (frame.*). `run.py` runs them on this tree, and
`tests/package` on what is shipped. Python standard library only.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

JsonObject = dict[str, Any]
Environment = Mapping[str, str]


class FailureError(Exception):
    """An example that does not build, does not run, or says something else than it must."""


def read_examples() -> dict[str, str]:
    """The code of README.md by language; each language has one block."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language in found:
            raise FailureError(f"README.md has two examples in {language}")
        found[language] = code
    # py and ts are those on the official SDKs.
    wanted = {"json", "python", "js", "rust", "c", "py", "ts"}
    if set(found) != wanted:
        raise FailureError(f"README.md has examples in {sorted(found)}, not in {sorted(wanted)}")
    return found


def framed(frame: str, code: str) -> str:
    """The example inside its frame, at the line that says README."""
    text = (HERE / frame).read_text(encoding="utf-8")
    before, line, after = re.split(r"(?m)^( *(?://|#) README\n)", text)
    indent = line[: len(line) - len(line.lstrip())]
    rows = code.splitlines(keepends=True)
    return before + "".join(indent + row if row.strip() else row for row in rows) + after


def command(words: list[str], cwd: Path, environment: Environment | None = None) -> str:
    """Runs a step; what it printed. What it says is shown if it fails."""
    env = {**os.environ, **(environment or {})}
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FailureError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Workshop:
    """A folder in which examples are built."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self._code = read_examples()
        self.form: JsonObject = json.loads(self._code["json"])
        (folder / "form.json").write_text(self._code["json"].strip(), encoding="utf-8")

    def _write(self, name: str, frame: str, language: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(framed(frame, self._code[language]), encoding="utf-8")
        return path

    def python(self, interpreter: str) -> list[str]:
        """The Python example, for an interpreter that finds the package."""
        self._write("example.py", "frame.py", "python")
        return [interpreter, "example.py"]

    def js(self) -> list[str]:
        """The JavaScript example; the package is in this folder's node_modules."""
        self._write("example.mjs", "frame.mjs", "js")
        return ["node", "example.mjs"]

    def npm(self) -> list[str]:
        """The example that npm shows, a module of its own, with a program that uses it."""
        text = (ROOT / "bindings-node" / "README.md").read_text(encoding="utf-8")
        code = re.findall(r"^```js\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if len(code) != 1:
            raise FailureError(f"bindings-node/README.md has {len(code)} examples, not one")
        (self.folder / "npm-example.mjs").write_text(code[0], encoding="utf-8")
        shutil.copy(HERE / "npm_main.mjs", self.folder)
        return ["node", "npm_main.mjs"]

    def cjs(self) -> list[str]:
        """The same for CommonJS: `require` in place of `import`, a function around the rest."""
        code = framed("frame.mjs", self._code["js"])
        code = re.sub(r"(?m)^import (\{.*?\}) from ('.*?');", r"const \1 = require(\2);", code)
        head, rest = code.split("\n\n", 1)
        body = f"{head}\n(async () => {{\n{rest}}})();\n"
        (self.folder / "example.cjs").write_text(body, encoding="utf-8")
        return ["node", "example.cjs"]

    def sdk_python(self, interpreter: str) -> list[str]:
        """The example on the official Python SDK: a server over stdio."""
        self._write("sdk_server.py", "sdk_frame.py", "py")
        return [interpreter, "sdk_server.py"]

    def sdk_js(self) -> list[str]:
        """The example on the official TypeScript SDK, which is no less JavaScript."""
        self._write("sdk-server.mjs", "sdk_frame.mjs", "ts")
        return ["node", "sdk-server.mjs"]

    def rust(self, crate: Path, target: Path) -> list[str]:
        """The Rust example, with the crate that is in a folder."""
        self._write("rust/src/main.rs", "frame.rs", "rust")
        folder = self.folder / "rust"
        shutil.copy(self.folder / "form.json", folder)
        # The versions that the workspace is locked to: nothing else is downloaded.
        shutil.copy(ROOT / "Cargo.lock", folder)
        (folder / "Cargo.toml").write_text(
            '[package]\nname = "readme"\nedition = "2024"\n\n'
            f'[dependencies]\nmcp-elicit = {{ path = "{crate}" }}\n\n[workspace]\n',
            encoding="utf-8",
        )
        command(["cargo", "build", "--quiet"], folder, {"CARGO_TARGET_DIR": str(target)})
        return [str(target / "debug" / "readme")]

    def c(self, name: str, flags: list[str]) -> list[str]:
        """The C example, with the flags that find and link the library."""
        source = self._write("example.c", "frame.c", "c")
        program = self.folder / name
        warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
        compiler = os.environ.get("CC", "cc")
        command([compiler, *warnings, source.name, "-o", program.name, *flags], self.folder)
        return [str(program)]


def request(number: int, **more: Any) -> bytes:
    """A call of the tool by a client that can show forms."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "readme", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "deploy", "arguments": {}, "_meta": meta, **more}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


def expect(came: object, wanted: object) -> None:
    """Fails if something is not as it must be."""
    if came != wanted:
        raise FailureError(f"{came!r} instead of {wanted!r}")


class Program:
    """A built example in its folder."""

    def __init__(self, words: list[str], folder: Path, environment: Environment) -> None:
        self._words, self._folder, self._environment = words, folder, dict(environment)

    def result(self, message: bytes, keys: str) -> JsonObject:
        """The result that the example gives to a request."""
        done = subprocess.run(
            self._words,
            cwd=self._folder,
            env={**os.environ, **self._environment, "MCP_ELICIT_KEYS": keys},
            input=message,
            capture_output=True,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            raise FailureError(f"{' '.join(self._words)}: {done.stderr.decode()}")
        reply: JsonObject = json.loads(done.stdout)
        if reply["status"] != 200 or "result" not in reply["body"]:
            raise FailureError(f"{' '.join(self._words)}: {reply}")
        result: JsonObject = reply["body"]["result"]
        return result


def flow(first: Program, second: Program, form: JsonObject) -> None:
    """A question asked by one example and answered to another: accepted, and declined."""
    keys = secrets.token_hex(32)
    asked = first.result(request(1), keys)
    expect(asked["resultType"], "input_required")
    expect(list(asked["inputRequests"]), ["target"])
    params = asked["inputRequests"]["target"]["params"]
    expect(params["requestedSchema"], form)
    expect(params["message"], "Which environment?")
    for answer, said in (
        ({"action": "accept", "content": {"environment": "staging"}}, "Deployed to staging."),
        ({"action": "decline"}, "Nothing was deployed."),
    ):
        more = {"inputResponses": {"target": answer}, "requestState": asked["requestState"]}
        result = second.result(request(2, **more), keys)
        expect(result["resultType"], "complete")
        expect(result["content"], [{"type": "text", "text": said}])

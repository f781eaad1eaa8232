"""A client on the official Python SDK: drives any of the billing servers, prints every message.

    python client.py http://127.0.0.1:8000/mcp                     answers from the terminal
    python client.py --script steps.json http://127.0.0.1:8000/mcp answers from a script
    python client.py -- ./deploy_stdio                             a server over stdio

Needs: pip install "mcp>=2.3"

The SDK runs the rounds of a request by itself: it calls `elicitation_callback` for each question
and sends the request again with the answers and the state that it was given. What is here is what
a host adds: the form, the link with its consent, and a look at the wire. tests/scenario/README.md
describes scripts and what is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, urljoin, urlsplit

import anyio
import anyio.to_thread
import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    Result,
    TextContent,
)

Question = ElicitRequestFormParams | ElicitRequestURLParams
Answerer = Callable[[Question], Awaitable[ElicitResult | ErrorData]]
Results = Callable[[object], Awaitable[dict[str, Any] | ErrorData]]
_Model = TypeVar("_Model", bound=Result)
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def show(line: str) -> None:
    """Prints one line of what happened."""
    print(line, flush=True)


# --- the wire -------------------------------------------------------------------------------


class Watched:
    """A stream of the SDK's transport, with a look at what passes."""

    def __init__(self, stream: Any, visible: bool) -> None:
        self._stream, self._visible = stream, visible

    def _show(self, arrow: str, message: Any) -> None:
        if self._visible:
            show(f"{arrow} {message.model_dump_json(by_alias=True, exclude_unset=True)}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Any:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stream.__aexit__(*exc)


class Sent(Watched):
    """What the SDK sends: counts calls, and declares fewer modes where asked to.

    The SDK declares both modes of elicitation as soon as there is a callback. A host that can
    show forms only must say so; here the declaration is narrowed on its way out.
    """

    def __init__(self, stream: Any, visible: bool, modes: list[str]) -> None:
        super().__init__(stream, visible)
        self._modes = modes
        self.calls = 0

    async def send(self, item: Any) -> None:
        """Sends one message."""
        method, params = getattr(item.message, "method", ""), getattr(item.message, "params", None)
        self.calls += method == "tools/call"
        meta = (params or {}).get("_meta", {})
        if self._modes and CAPABILITIES in meta:
            narrowed: dict[str, Any] = {"elicitation": {mode: {} for mode in self._modes}}
            meta[CAPABILITIES] = meta[CAPABILITIES] | narrowed
        self._show("->", item.message)
        await self._stream.send(item)


class Received(Watched):
    """What the SDK receives."""

    async def receive(self) -> Any:
        """The next message."""
        item = await self._stream.receive()
        if not isinstance(item, Exception):
            self._show("<-", item.message)
        return item

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


async def show_request(request: httpx2.Request) -> None:
    """Prints what goes out over HTTP, as it goes out."""
    if request.content:
        show("-> " + request.content.decode())


async def show_response(response: httpx2.Response) -> None:
    """Prints what comes back over HTTP, with its status."""
    # A stream of events has no end to wait for; every billing server answers with one JSON text.
    streams = response.headers.get("content-type", "").startswith("text/event-stream")
    text = "(a stream of events)" if streams else (await response.aread()).decode()
    show(f"<- HTTP {response.status_code} {text}")


@contextlib.asynccontextmanager
async def connect(
    server: str | list[str], user: str, kinds: list[str], answer: Answerer, result: Results
) -> AsyncIterator[tuple[Client, Sent]]:
    """An SDK client for a URL or a command, and the stream that it writes to.

    It can be asked these kinds of questions: form, url, sampling, roots. `answer` is given the
    first two, `result` the others.
    """
    modes = [kind for kind in kinds if kind in ("form", "url")]

    async def on_elicitation(
        context: ClientRequestContext,  # noqa: ARG001 - the SDK gives it
        params: Question,
    ) -> ElicitResult | ErrorData:
        return await answer(params)

    async def on_sampling(
        context: ClientRequestContext,  # noqa: ARG001 - the SDK gives it
        params: CreateMessageRequestParams,
    ) -> CreateMessageResult | ErrorData:
        return read_result(CreateMessageResult, await result(params))

    async def on_roots(
        context: ClientRequestContext,  # noqa: ARG001 - the SDK gives it
    ) -> ListRootsResult | ErrorData:
        return read_result(ListRootsResult, await result(None))

    async with contextlib.AsyncExitStack() as stack:
        if isinstance(server, str):
            http = httpx2.AsyncClient(
                headers={"authorization": f"Bearer demo-{user}"},
                event_hooks={"request": [show_request], "response": [show_response]},
                timeout=30,
            )
            await stack.enter_async_context(http)
            transport = streamable_http_client(server, http_client=http)
        else:
            transport = stdio_client(StdioServerParameters(command=server[0], args=server[1:]))
        sent: list[Sent] = []

        @contextlib.asynccontextmanager
        async def watched() -> AsyncIterator[Any]:
            # Over HTTP the hooks above show more: the status, and the bytes as they are.
            visible = not isinstance(server, str)
            async with transport as (read, write):
                sent.append(Sent(write, visible, modes))
                yield Received(read, visible), sent[0]

        client = Client(
            cast(Any, watched()),
            elicitation_callback=on_elicitation if modes else None,
            sampling_callback=on_sampling if "sampling" in kinds else None,
            list_roots_callback=on_roots if "roots" in kinds else None,
            read_timeout_seconds=30,
        )
        yield await stack.enter_async_context(client), sent[0]


def read_result(kind: type[_Model], given: dict[str, Any] | ErrorData) -> _Model | ErrorData:
    """A result as the SDK wants it."""
    return given if isinstance(given, ErrorData) else kind.model_validate(given)


# --- answers from a script ------------------------------------------------------------------


class Script:
    """The answers of one step, given in their order."""

    def __init__(self, step: dict[str, Any], user: str) -> None:
        self._answers: list[dict[str, Any]] = list(step.get("answers", []))
        self._user = user
        self.miss = ""

    async def answer(self, question: Question) -> ElicitResult | ErrorData:
        """The next answer; an error, which ends the call, where there is none."""
        if not self._answers:
            self.miss = f"a question past the last answer: {question.message}"
            return ErrorData(code=-32603, message=self.miss)
        given = self._answers.pop(0)
        if user := given.get("signIn"):
            if not isinstance(question, ElicitRequestURLParams):
                self.miss = "signIn answers a question that has no link"
            else:
                status = await sign_in(question.url, self._user if user is True else user)
                if status != given.get("browser", 200):
                    self.miss = f"POST /connect gave {status}"
        return ElicitResult(action=given["action"], content=given.get("content"))

    async def result(self, params: object) -> dict[str, Any] | ErrorData:
        """The next answer where it is a result: a model's turn, or roots."""
        if self._answers and "result" in self._answers[0]:
            found: dict[str, Any] = self._answers.pop(0)["result"]
            return found
        self.miss = f"no result is left for {'roots' if params is None else 'a turn of the model'}"
        return ErrorData(code=-32603, message=self.miss)

    @property
    def left_over(self) -> int:
        """How many answers no question asked for."""
        return len(self._answers)


async def sign_in(link: str, user: str) -> int:
    """Plays the browser at a sign-in link; the status of the last page."""
    flow = parse_qs(urlsplit(link).query)["flow"][0]
    async with httpx2.AsyncClient(follow_redirects=True, timeout=30) as browser:
        await browser.get(link)
        await browser.post(urljoin(link, "/login"), data={"user": user, "flow": flow})
        page = await browser.post(urljoin(link, "/connect"), data={"flow": flow})
    return int(page.status_code)


async def run_step(server: str | list[str], step: dict[str, Any], user: str) -> str:
    """Makes one call as a step says; what was amiss, or nothing."""
    user = step.get("user", user)
    script = Script(step, user)
    kinds = step.get("capabilities", ["form", "url"])
    first = {key: ElicitResult.model_validate(it) for key, it in step.get("first", {}).items()}
    came: dict[str, Any]
    async with connect(server, user, kinds, script.answer, script.result) as (client, sent):
        try:
            result = await client.call_tool(
                step["tool"], step.get("arguments", {}), input_responses=cast(Any, first or None)
            )
            came = told(result)
        except MCPError as error:
            came = {"error": {"code": error.code, "message": error.message, "data": error.data}}
    if script.miss:
        return script.miss
    if script.left_over:
        return f"{script.left_over} answers that no question asked for"
    expect = step.get("expect", {})
    for name, wanted in expect.items():
        part = came.get(name)
        if isinstance(wanted, dict) and isinstance(part, dict):
            part = {member: part.get(member) for member in wanted}
        if part != wanted:
            return f"expected {json.dumps(expect)}, came {json.dumps(came)}"
    if sent.calls != step.get("rounds", sent.calls):
        return f"expected {step['rounds']} tools/call requests, came {sent.calls}"
    return ""


async def run_script(server: str | list[str], steps: list[dict[str, Any]], user: str) -> int:
    """Runs every step, each as a client of its own; how many failed."""
    failed = 0
    for number, step in enumerate(steps, 1):
        name = step.get("name", step["tool"])
        show(f"# step {number}: {name}")
        if amiss := await run_step(server, step, user):
            failed += 1
            show(f"not ok {number} {name}: {amiss}")
        else:
            show(f"ok {number} {name}")
    show(f"{len(steps) - failed} passed, {failed} failed")
    return failed


def told(result: CallToolResult) -> dict[str, Any]:
    """A result in the words of a script."""
    texts = [item.text if isinstance(item, TextContent) else None for item in result.content]
    if len(texts) == 1 and texts[0] is not None:
        return {"toolError" if result.is_error else "text": texts[0]}
    return {"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}


# --- answers from the terminal --------------------------------------------------------------


def plain(text: object) -> str:
    """A text of the server's, without what could move the cursor or colour the screen."""
    return "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in str(text)
    )


async def ask(prompt: str) -> str:
    """One line from the terminal."""
    return (await anyio.to_thread.run_sync(input, prompt, abandon_on_cancel=True)).strip()


async def choose(prompt: str, choices: dict[str, str]) -> str:
    """One of a few words, by its first letter."""
    while True:
        typed = (await ask(f"{prompt} ({', '.join(choices)}) ")).lower()
        for word, value in choices.items():
            if typed and word.startswith(typed):
                return value


class Person:
    """Answers from the terminal, one question at a time."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._turn = anyio.Lock()

    async def answer(self, question: Question) -> ElicitResult | ErrorData:
        """Shows who asks for what, and takes the answer."""
        async with self._turn:
            show(f"\n{self._server} asks: {plain(question.message)}")
            if isinstance(question, ElicitRequestURLParams):
                return await self._link(question.url)
            return await self._form(question.requested_schema)

    async def result(self, params: object) -> dict[str, Any] | ErrorData:  # noqa: ARG002
        """What this client does not declare: nobody has a model here, or folders."""
        return ErrorData(code=-32601, message="not declared")

    async def _link(self, link: str) -> ElicitResult:
        """The host first, then the whole link: nothing is opened without consent."""
        parts = urlsplit(link)
        if parts.scheme not in ("http", "https"):
            show(f"It is no web page, so it is not opened: {plain(link)}")
            return ElicitResult(action="cancel")
        show(f"It wants to open a page of {plain(parts.hostname)}:\n  {plain(link)}")
        words = {"accept": "accept", "decline": "decline", "cancel": "cancel"}
        action = await choose("Open it?", words)
        if action == "accept":
            await ask("Open it in your browser. Press Enter when you are done there. ")
        return ElicitResult.model_validate({"action": action})

    async def _form(self, schema: dict[str, Any]) -> ElicitResult:
        """Field by field, then all of it for review."""
        words = {"send": "accept", "edit": "edit", "decline": "decline", "cancel": "cancel"}
        action = await choose(
            "Fill it in?", {"yes": "edit", "decline": "decline", "cancel": "cancel"}
        )
        content: dict[str, Any] = {}
        while action == "edit":
            required = schema.get("required", [])
            for name, field in schema.get("properties", {}).items():
                field = {**field, "default": content[name]} if name in content else field
                value = await self._field(name, field, name in required)
                content.pop(name, None)
                if value is not None:
                    content[name] = value
            show("Your answer: " + plain(json.dumps(content, ensure_ascii=False)))
            action = await choose("Send it?", words)
        return ElicitResult.model_validate(
            {"action": action, **({"content": content} if action == "accept" else {})}
        )

    async def _field(self, name: str, field: dict[str, Any], required: bool) -> Any:
        """One value, or None for a field that is left out."""
        items = field.get("items", field)
        titled = items.get("oneOf") or items.get("anyOf") or []
        choices = items.get("enum") or [option["const"] for option in titled]
        title = plain(field.get("title", name))
        hints = [field["type"]] + (["required"] if required else [])
        if choices:
            hints.append("one of " + ", ".join(map(plain, choices)))
        if field.get("description"):
            show(plain(field["description"]))
        default = f" [{plain(json.dumps(field['default']))}]" if "default" in field else ""
        while True:
            typed = await ask(f"{title} ({'; '.join(hints)}){default}: ")
            if not typed:
                if "default" in field or not required:
                    return field.get("default")
                continue
            with contextlib.suppress(ValueError):
                return read_value(field["type"], typed)
            show(f"That is no {field['type']}.")


def read_value(kind: str, typed: str) -> Any:
    """What was typed, as the type that the form asks for; `ValueError` where it is none."""
    if kind == "boolean":
        if typed.lower() not in ("y", "yes", "true", "n", "no", "false"):
            raise ValueError(typed)
        return typed.lower() in ("y", "yes", "true")
    if kind == "integer":
        return int(typed)
    if kind == "number":
        number = float(typed)
        if not math.isfinite(number):
            raise ValueError(typed)
        return number
    if kind == "array":
        return [item.strip() for item in typed.split(",")]
    return typed


async def converse(server: str | list[str], user: str) -> None:
    """Calls the tools that the person names, until there is no more."""
    name = server if isinstance(server, str) else " ".join(server)
    person = Person(name)
    async with connect(server, user, ["form", "url"], person.answer, person.result) as (client, _):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        while True:
            show("\nTools: " + ", ".join(map(plain, tools)))
            try:
                tool = await ask("Call which one? (Enter to stop) ")
            except EOFError:
                return
            if not tool:
                return
            if tool not in tools:
                continue
            arguments = {}
            for argument, field in tools[tool].input_schema.get("properties", {}).items():
                if typed := await ask(f"{plain(argument)} (Enter to leave it out): "):
                    arguments[argument] = read_value(field.get("type", "string"), typed)
            try:
                came = told(await client.call_tool(tool, arguments))
                said = came.get("text", came.get("toolError"))
                show("\n" + plain(said if said is not None else json.dumps(came)))
            except MCPError as error:
                show(f"\nError {error.code}: {plain(error.message)}")


def main() -> int:
    """Reads the command line; the exit status."""
    words, command = sys.argv[1:], []
    if "--" in words:
        words, command = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(
        usage="client.py [--user NAME] [--script FILE] (URL | -- COMMAND...)"
    )
    parser.add_argument("url", nargs="?", metavar="URL")
    parser.add_argument("--user", default="ada", help="sends the bearer token demo-NAME")
    parser.add_argument("--script", type=Path, help="answers from this file, not the terminal")
    given = parser.parse_args(words)
    if bool(command) == bool(given.url):
        parser.error("give a URL, or -- and a command")
    server = command or given.url
    try:
        if given.script:
            steps = json.loads(given.script.read_text(encoding="utf-8"))
            return 1 if anyio.run(run_script, server, steps, given.user) else 0
        anyio.run(converse, server, given.user)
        return 0
    except Exception as error:  # no server, no such file, a group of either
        print(f"client.py: could not run: {error!r}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

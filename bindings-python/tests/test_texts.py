"""Texts and truth values as arguments: what is none is our error, and names the argument."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from claim_support import World
from mcp_elicit import (
    Call,
    Choice,
    ElicitError,
    Engine,
    Form,
    MemoryStore,
    Principal,
)
from mcp_elicit.testing import Host, accept
from support import KEY, SCHEMA, TARGET, USER, Bench, request, text

HALF = "a\ud800"
URL = "https://a.example/"


def call() -> Call:
    return Bench().engine.open(request(), principal=USER)


def built() -> Any:
    return Form.builder()


#: By the name of the argument that the message must say.
ENTRIES: list[tuple[str, Callable[[], Any]]] = [
    ("mode", lambda: call().can_elicit(HALF)),  # type: ignore[arg-type]
    ("mode", lambda: Bench().engine.check(request()).can_elicit(HALF)),  # type: ignore[arg-type]
    ("key", lambda: call().elicit_form(HALF, "Which?", TARGET)),
    ("message", lambda: call().elicit_form("a", HALF, TARGET)),
    ("a schema", lambda: call().elicit_form("a", "Which?", HALF)),
    ("key", lambda: call().elicit_url(HALF, "Go.", URL, False)),
    ("message", lambda: call().elicit_url("a", HALF, URL, False)),
    ("url", lambda: call().elicit_url("a", "Go.", URL + HALF, False)),
    ("key", lambda: call().elicit(HALF, {"message": "Which?", "requestedSchema": SCHEMA})),
    ("a request", lambda: call().elicit("a", HALF)),
    ("key", lambda: call().create_message(HALF, {})),
    ("params", lambda: call().create_message("a", HALF)),
    ("key", lambda: call().list_roots(HALF)),
    ("the name of an option", lambda: call().list_roots("a", **{HALF: 1})),  # type: ignore[arg-type]
    ("policy", lambda: call().list_roots("a", unavailable=HALF)),  # type: ignore[arg-type]
    ("policy", lambda: call().list_roots("a", on_cancel=HALF)),  # type: ignore[arg-type]
    ("arguments", lambda: call().elicit_form("a", "Which?", TARGET, arguments=[HALF])),
    ("key", lambda: call().step(HALF, lambda: 1)),
    ("key", lambda: asyncio.run(later(call().astep(HALF, one)))),
    ("message", lambda: call().fail(7, HALF)),
    ("a result", lambda: call().complete(HALF)),
    ("a result", lambda: asyncio.run(later(call().acomplete(HALF)))),
    ("a result", lambda: Bench().engine.run(request(), lambda _: HALF, principal=USER)),
    ("message", lambda: ElicitError(HALF, code=7)),
    ("issuer", lambda: Principal(HALF, "b", "c")),
    ("subject", lambda: Principal("a", HALF, "c")),
    ("client", lambda: Principal("a", "b", HALF)),
    ("audience", lambda: Engine(keys=KEY, audience=HALF)),
    ("audience", lambda: Engine.from_env(audience=HALF)),
    ("state_format", lambda: Engine(keys=KEY, audience="a", state_format=HALF)),  # type: ignore[arg-type]
    ("keys", lambda: Engine(keys=HALF, audience="a")),
    ("keys", lambda: Engine(keys=[HALF], audience="a")),
    ("server_info", lambda: Engine(keys=KEY, audience="a", server_info=HALF)),
    ("method", lambda: Bench().engine.open_params(HALF, {}, principal=USER)),
    ("header", lambda: headers({HALF: "a"})),
    ("header", lambda: headers({"A": HALF})),
    ("header", lambda: headers({"A": ["a", HALF]})),
    ("a schema", lambda: Form(HALF)),
    ("allow_sensitive_name", lambda: Form(SCHEMA, allow_sensitive_name=HALF)),
    ("a schema", lambda: Form.normalize(HALF)),
    ("allow_sensitive_name", lambda: Form.normalize(SCHEMA, allow_sensitive_name=HALF)),
    ("a schema", lambda: Form.explain(HALF)),
    ("allow_sensitive_name", lambda: Form.builder(allow_sensitive_name=HALF)),
    ("message", lambda: Form.message_warning(HALF)),
    ("name", lambda: TARGET.field(HALF)),
    ("an answer", lambda: TARGET.validate(HALF)),
    ("unknown", lambda: TARGET.validate({}, unknown=HALF)),  # type: ignore[arg-type]
    ("the name of a field", lambda: TARGET.coerce({HALF: "a"})),
    ("a text", lambda: TARGET.coerce({"environment": HALF})),
    ("an answer", lambda: TARGET.with_defaults(HALF)),
    ("only", lambda: TARGET.wire_again({}, [HALF])),
    ("revision", lambda: TARGET.downgrade(HALF)),  # type: ignore[arg-type]
    ("text", lambda: TARGET.fields[0].coerce(HALF)),
    ("value", lambda: Choice(HALF)),
    ("title", lambda: Choice("a", HALF)),
    ("name", lambda: built().string(HALF)),
    ("title", lambda: built().string("a", title=HALF)),
    ("description", lambda: built().string("a", description=HALF)),
    ("default", lambda: built().string("a", default=HALF)),
    ("format", lambda: built().string("a", format=HALF)),
    ("pattern", lambda: built().string("a", pattern=HALF)),
    ("name", lambda: built().integer(HALF)),
    ("title", lambda: built().number("a", title=HALF)),
    ("description", lambda: built().boolean("a", description=HALF)),
    ("an option", lambda: built().choice("a", [HALF])),
    ("default", lambda: built().choice("a", ["b"], default=HALF)),
    ("default", lambda: built().choices("a", ["b"], default=[HALF])),
    ("method", lambda: Host(Bench().engine, done).request(HALF, {})),
    ("the key of an answer", lambda: Host(Bench().engine, done).answer(HALF, accept()).call("a")),
]


def done(_: Call) -> dict[str, Any]:
    return text("done")


async def later(work: Any) -> Any:
    return await work


async def one() -> int:
    return 1


def headers(declared: Any) -> Any:
    return Bench().engine.open(request(), principal=USER, headers={}, param_headers=declared)


@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_half_of_a_surrogate_pair(name: str, entry: Callable[[], Any]) -> None:
    with pytest.raises(ElicitError, match=name) as refused:
        entry()
    assert refused.value.kind == "invalid_argument"
    assert HALF not in str(refused.value)


def test_texts_inside_json_are_refused_by_the_core() -> None:
    """They are seen only when the JSON is read."""
    opened = call()
    typed_dict: Any = TypedDict
    chosen: Any = enum.Enum("chosen", {"A": HALF})
    for entry in (
        lambda: opened.complete({"content": [], "a": HALF}),
        lambda: opened.step("a", lambda: HALF),
        lambda: opened.fail(7, "no", HALF),
        lambda: ElicitError("no", code=7, data={HALF: 1}),
        lambda: opened.elicit_form("a", "Which?", TARGET, messages={"required": HALF}),
        lambda: Form({"type": "object", "properties": {HALF: {"type": "string"}}}),
        lambda: Form.of(typed_dict("Named", {HALF: str})),
        lambda: Form.of(typed_dict("Unknown", {HALF: object})),
        lambda: Form.of(chosen),
    ):
        with pytest.raises(ElicitError) as refused:
            entry()
        assert refused.value.kind in {"invalid_argument", "schema"}


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("key is a str, not int", lambda call: call.elicit_form(7, "Which?", TARGET)),
        ("message is a str, not NoneType", lambda call: call.elicit_form("a", None, TARGET)),
        ("done is True or False, not int", lambda call: call.elicit_url("a", "Go.", URL, 1)),
        ("done is True or False, not str", lambda call: call.elicit("a", {}, done="yes")),
        ("readable is True or False, not int", lambda call: call.step("a", int, readable=1)),
        ("readable is True or False, not int", lambda call: call.astep("a", int, readable=1)),
        ("human_only is True or False, not int", lambda call: call.list_roots("a", human_only=1)),
        ("arguments is a list of str, not int", lambda call: call.list_roots("a", arguments=1)),
        ("arguments is a list of str, not str", lambda call: call.list_roots("a", arguments="b")),
        ("each of arguments is a str", lambda call: call.list_roots("a", arguments=[1])),
        ("a schema is a dict or JSON as str, not type", lambda _: Form(int)),  # type: ignore[arg-type]
    ],
)
def test_an_argument_of_another_type(name: str, entry: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=name):
        entry(call())


@pytest.mark.parametrize("value", [1, 0, "yes", 1.0, [], object()])
def test_remember_is_a_truth_value(value: Any) -> None:
    world = World(MemoryStore())
    opened: Any = world.open(world.begin())
    for claim in (opened.claim, lambda **it: asyncio.run(later(opened.aclaim(**it)))):
        with pytest.raises(ElicitError, match="remember is True or False, not") as refused:
            claim(remember=value)
        assert refused.value.kind == "invalid_argument"
    assert opened.claim().status == "won"
    for finish in (opened.complete, lambda *it: asyncio.run(later(opened.acomplete(*it)))):
        with pytest.raises(ElicitError, match="remember is True or False, not") as refused:
            finish(text("paid"), value)
        assert refused.value.kind == "invalid_argument"
    assert opened.complete(text("paid"), remember=True).kind == "complete"

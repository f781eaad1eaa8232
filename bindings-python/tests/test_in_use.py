"""What is for one at a time: whoever comes back to it, or at it from elsewhere, gets our error."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from claim_support import PAID, World
from mcp_elicit import Call, ElicitError, Engine, Form, MemoryStore
from pydantic import BaseModel, field_validator
from support import KEY, SCHEMA, TARGET, USER, Clock, Counter, accept, request, text

SOURCES = Path(__file__).resolve().parents[1] / "src"

USES: dict[str, Callable[[Call], Any]] = {
    "app_data": lambda call: call.app_data,
    "app_data, set": lambda call: setattr(call, "app_data", b"x"),
    "arguments": lambda call: call.arguments,
    "arguments_json": lambda call: call.arguments_json,
    "can_elicit": lambda call: call.can_elicit("form"),
    "claim": lambda call: call.claim(),
    "client_capabilities": lambda call: call.client_capabilities,
    "client_info": lambda call: call.client_info,
    "complete": lambda call: call.complete(text("done")),
    "create_message": lambda call: call.create_message("a", {"messages": [], "maxTokens": 1}),
    "elicit": lambda call: call.elicit("a", {"message": "What?", "requestedSchema": SCHEMA}),
    "elicit_form": lambda call: call.elicit_form("a", "What?", TARGET),
    "elicit_form, by schema": lambda call: call.elicit_form("a", "What?", SCHEMA),
    "elicit_form, by type": lambda call: call.elicit_form("a", "What?", Plain),
    "elicit_url": lambda call: call.elicit_url("a", "Go.", "https://a.example/", False),
    "fail": lambda call: call.fail(7, "no"),
    "flow_id": lambda call: call.flow_id,
    "has_claim": lambda call: call.has_claim,
    "idempotency_key": lambda call: call.idempotency_key,
    "is_pending": lambda call: call.is_pending,
    "list_roots": lambda call: call.list_roots("a"),
    "method": lambda call: call.method,
    "principal": lambda call: call.principal,
    "protocol_version": lambda call: call.protocol_version,
    "release_claim": lambda call: call.release_claim(),
    "retry_later": lambda call: call.retry_later(),
    "round": lambda call: call.round,
    "step": lambda call: call.step("a", lambda: 1),
    "suspend": lambda call: call.suspend(),
    "target": lambda call: call.target,
}


class Plain(BaseModel):
    name: str


def kind_of(use: Callable[[], Any]) -> str:
    """How a use of what is in use ends."""
    try:
        use()
    except ElicitError as refused:
        return refused.kind
    return "done"


def model(validate: Callable[[], Any]) -> type[BaseModel]:
    """A type whose validator does something on the way."""

    class Name(BaseModel):
        name: str

        @field_validator("name")
        @classmethod
        def checked(cls, name: str) -> str:
            validate()
            return name

    return Name


class Flow:
    """An engine, and the second round of a flow that asks for a name."""

    def __init__(self, **hooks: Any) -> None:
        settings: dict[str, Any] = {"clock": Clock(), "random": Counter(), **hooks}
        self.engine = Engine(keys=KEY, audience="x", store=MemoryStore(), **settings)
        call = self.engine.open(request({"a": 1}), principal=USER)
        call.elicit_form("name", "What is your name?", Plain)
        self.again = request(
            {"a": 1},
            inputResponses={"name": accept(name="Ann")},
            requestState=call.suspend().dict["result"]["requestState"],
        )

    def open(self) -> Call:
        return self.engine.open(self.again, principal=USER)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
class TestOneUse:
    def test_in_a_validator_is_refused_and_nothing_is_done(
        self, use: Callable[[Call], Any]
    ) -> None:
        flow, kinds = Flow(), []
        call = flow.open()
        asked = model(lambda: kinds.append(kind_of(lambda: use(call))))
        name = call.elicit_form("name", "What is your name?", asked)
        assert set(kinds) == {"invalid_argument"}
        # The call goes on as if nobody had come back to it.
        assert name.action == "accept"
        assert (call.app_data, call.has_claim, call.is_pending) == (None, False, False)
        assert call.complete(text("done")).kind == "complete"

    def test_that_a_validator_lets_through_ends_the_ask_alone(
        self, use: Callable[[Call], Any]
    ) -> None:
        call = Flow().open()
        with pytest.raises(ElicitError, match="called from") as refused:
            call.elicit_form("name", "What is your name?", model(lambda: use(call)))
        assert refused.value.kind == "invalid_argument"
        assert call.elicit_form("name", "What is your name?", Plain).action == "accept"

    def test_by_a_second_thread_is_refused(self, use: Callable[[Call], Any]) -> None:
        world = Waiting()
        call = world.engine.open(request({"a": 1}), principal=USER)
        winner = threading.Thread(target=lambda: world.came.append(call.claim().status))
        winner.start()
        assert world.entered.wait(30)
        try:
            refused = kind_of(lambda: use(call))
        finally:
            world.go.set()
            winner.join()
        assert (refused, world.came) == ("invalid_argument", ["won"])
        assert call.complete(PAID).kind == "complete"


class Waiting:
    """An engine whose store keeps the first thread that comes."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Event(), threading.Event()
        self.came: list[str] = []
        self.uses: Call | None = None
        self._memory = MemoryStore()
        self.engine = Engine(keys=KEY, audience="x", store=self)

    def put_if_absent(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        self.entered.set()
        assert self.uses is None or self.uses.round
        assert self.go.wait(30)
        return self._memory.put_if_absent(key, value, ttl_ms)

    def get(self, key: str) -> bytes | None:
        return self._memory.get(key)

    def compare_and_set(self, key: str, expected: bytes, value: bytes, ttl_ms: int) -> bool:
        return self._memory.compare_and_set(key, expected, value, ttl_ms)

    def compare_and_delete(self, key: str, expected: bytes) -> bool:
        return self._memory.compare_and_delete(key, expected)


class Hook:
    """A hook that comes back to a call, once it is given one."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer
        self.call: Call | None = None
        self.kinds: list[str] = []
        self.lets_through = False

    def __call__(self, *arguments: Any) -> Any:
        call = self.call
        if call is not None:
            self.kinds.append(kind_of(lambda: call.flow_id))
            if self.lets_through:
                assert call.round
        return self._answer(*arguments)


@pytest.mark.parametrize(
    ("name", "answer"), [("clock", Clock()), ("random", Counter()), ("log", lambda _: None)]
)
def test_a_hook_that_uses_the_call_it_is_called_from(name: str, answer: Callable[..., Any]) -> None:
    hook = Hook(answer)
    flow = Flow(**{name: hook})
    call = flow.engine.open(request({"a": 1}), principal=USER)
    call.elicit_form("name", "Your name?", Plain)
    hook.call = call
    if name == "log":
        call._settle(text("done"))  # with a question open, which is told
        assert hook.kinds == ["invalid_argument"]
        return
    hook.lets_through = True
    with pytest.raises(ElicitError) as refused:
        call.suspend()
    assert refused.value.kind == "invalid_argument"
    assert set(hook.kinds) == {"invalid_argument"}
    if name == "random":  # without which there is no reply yet
        hook.lets_through = False
        assert call.suspend().kind == "input_required"


def test_a_store_that_uses_the_call_it_is_called_from() -> None:
    """It fails like any store, and what it raised is the cause."""
    world = Waiting()
    world.go.set()
    call = world.engine.open(request(), principal=USER)
    world.uses = call
    with pytest.raises(ElicitError) as failed:
        call.claim()
    assert failed.value.kind == "store"
    assert isinstance(failed.value.__cause__, ElicitError)
    assert failed.value.__cause__.kind == "invalid_argument"
    world.uses = None
    assert call.claim().status == "won"


def test_a_completion_whose_random_source_raised_can_be_tried_again() -> None:
    hook = Hook(Counter())
    world = World(MemoryStore(), random=hook)
    call, status = world.claim(world.begin())
    assert status == "won"
    hook.call, hook.lets_through = call, True
    with pytest.raises(ElicitError) as refused:
        call.complete(PAID)
    assert refused.value.kind == "invalid_argument"
    assert call.has_claim
    hook.call = None
    assert call.complete(PAID, remember=True).kind == "complete"
    assert world.claim(world.begin())[1] == "won"


def test_a_step_may_use_its_call() -> None:
    call = Flow().open()
    assert call.step("outer", lambda: call.step("inner", lambda: call.round)) == 2


def test_a_call_in_use_can_be_shown() -> None:
    call, shown = Flow().open(), []
    asked = model(lambda: shown.append(repr(call)))
    assert call.elicit_form("name", "What is your name?", asked).action == "accept"
    assert set(shown) == {"<Call in use>"}


def test_options_may_come_from_the_builder_that_they_are_for() -> None:
    builder = Form.builder()

    def options() -> Any:
        builder.string("note")
        yield from ("dev", "prod")

    form = builder.choice("environment", options()).build()
    assert [field.name for field in form.fields] == ["note", "environment"]


def test_no_class_can_be_borrowed() -> None:
    """PyO3 refuses with an error of its own what is not frozen."""
    classes = [
        (path.name, attribute)
        for path in SOURCES.glob("*.rs")
        for attribute in re.findall(r"#\[pyclass\b[^\]]*\]", path.read_text(encoding="utf-8"))
    ]
    assert len(classes) > 15
    assert [it for it in classes if "frozen" not in it[1]] == []

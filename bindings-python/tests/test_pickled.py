"""Exceptions go to other processes, and are copied, with everything that they say."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from mcp_elicit import (
    Call,
    ConfigError,
    ElicitError,
    Engine,
    Fault,
    Form,
    NotACallError,
    RequestError,
    SchemaError,
    Suspended,
    errors,
)
from mcp_elicit.testing import FlowError, Host, accept
from support import KEY, TARGET, USER, Bench, request


class DeniedError(ElicitError):
    """One of the application's own, whose `__init__` takes something else."""

    def __init__(self, account: int) -> None:
        super().__init__(f"denied to {account}", code=4003, data={"account": account, "deep": [[]]})
        self.account = account


def raised(entry: Callable[[], Any]) -> Any:
    try:
        entry()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def claim() -> Any:
    return Bench().engine.open(request(), principal=USER).claim()


def refuse() -> Any:
    return Form({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["b"]})


def params() -> Any:
    return Bench().engine.open_params("tools/call", {"name": 7}, principal=USER)


def misplaced() -> Any:
    message = request()
    message["params"]["name"] = 7
    return Bench().engine.open(message, principal=USER)


def noted() -> ElicitError:
    error = DeniedError(7)
    if hasattr(error, "add_note"):
        error.add_note("seen by the gateway")
    return error


MADE: dict[str, Callable[[], Any]] = {
    "application": lambda: ElicitError("no", code=4004, data={"a": [1, None, "é"]}),
    "without data": lambda: ElicitError("no", code=4004),
    "subclass": noted,
    "parse": lambda: raised(lambda: Bench().engine.open("{", principal=USER)),
    "under an id": lambda: raised(misplaced),
    "from parameters": lambda: raised(params),
    "not a call": lambda: raised(
        lambda: Bench().engine.open({**request(), "method": "ping"}, principal=USER)
    ),
    "schema": lambda: raised(refuse),
    "config": lambda: raised(lambda: Engine(keys=KEY, audience="")),
    "claim": lambda: raised(claim),
    "argument": lambda: raised(lambda: TARGET.validate({}, messages={"other": "words"})),
    "suspended": lambda: raised(pending),
}


def pending() -> Any:
    call = Bench().engine.open(request(), principal=USER)
    return call.elicit_form("target", "Which?", TARGET).action


def told(error: Any) -> Any:
    """Everything that an exception says."""
    names = [name for name in vars(ElicitError) if isinstance(vars(ElicitError)[name], property)]
    assert len(names) > 7
    said = {name: getattr(error, name, None) for name in names}
    reply = said.pop("reply")
    own = {name: value for name, value in vars(error).items() if name != "_error"}
    return type(error), error.args, str(error), said, reply and (reply.body, reply.status), own


@pytest.mark.parametrize("name", MADE)
def test_an_exception_that_was_pickled_or_copied_says_the_same(name: str) -> None:
    error = MADE[name]()
    again = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(2, 6)]  # noqa: S301
    again += [copy.copy(error), copy.deepcopy(error), copy.deepcopy(copy.copy(again[0]))]
    for other in again:
        assert other is not error
        assert told(other) == told(error)


def test_each_class_is_among_them() -> None:
    classes = {type(make()) for make in MADE.values()}
    public = {getattr(errors, name) for name in errors.__all__}
    assert public <= classes
    assert {ConfigError, NotACallError, RequestError, SchemaError, Suspended} <= public


def test_a_fault() -> None:
    faults = TARGET.validate({}).faults
    for again in (pickle.loads(pickle.dumps(faults)), copy.deepcopy(faults)):  # noqa: S301
        assert again == faults
        assert isinstance(again[0], Fault)
        assert hash(again[0]) == hash(faults[0])
        assert again[0] in {faults[0]}


def test_the_error_of_a_flow_keeps_its_text() -> None:
    def handler(_: Call) -> Any:
        raise ElicitError("no", code=4004, data=[1])

    flow = Host(Bench().engine, handler).answer("a", accept()).call("deploy")
    error = raised(lambda: flow.text)
    assert isinstance(error, FlowError)
    for again in (copy.copy(error), copy.deepcopy(error)):
        assert (told(again), again.flow) == (told(error), flow)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(again), again.kind, again.code, again.data) == (
        str(error),
        "application",
        4004,
        [1],
    )


def test_a_handler_that_raises_one_from_another_process() -> None:
    """A handler's work in a pool raises in the handler, and the client is told what it said."""
    error = pickle.loads(pickle.dumps(DeniedError(7)))  # noqa: S301

    def again(_: Call) -> Any:
        raise error

    reply = Bench().engine.run(request(), again, principal=USER)
    data = {"account": 7, "deep": [[]]}
    assert reply.dict["error"] == {"code": 4003, "message": "denied to 7", "data": data}

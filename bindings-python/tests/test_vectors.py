"""The shared vectors, as tests/vectors/README.md says how to run them."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from copy import copy
from functools import partial
from typing import Any

import pytest
from mcp_elicit import (
    Call,
    ElicitError,
    Engine,
    Envelope,
    Event,
    Limits,
    Outcome,
    Principal,
    Reply,
    Suspended,
)
from support import Bench, exact, joined, meta, printed, vectors

ENGINE = Engine(ephemeral=True, audience="vectors")


def named(cases: list[dict[str, Any]]) -> list[Any]:
    """Cases as parameters, by their names."""
    return [pytest.param(case, id=case["name"]) for case in cases]


def headers_of(case: dict[str, Any]) -> list[tuple[str, bytes]] | None:
    headers = case.get("headers")
    return None if headers is None else [(name, joined(value)) for name, value in headers]


def compact(value: Any) -> str | None:
    return None if value is None else printed(value)


def seen(opened: Call | Envelope) -> dict[str, Any]:
    """What a vector can say of a call or an envelope."""
    common = {
        "method": opened.method,
        "clientInfo": compact(opened.client_info),
        "canElicitForm": opened.can_elicit("form"),
        "canElicitUrl": opened.can_elicit("url"),
    }
    if isinstance(opened, Envelope):
        return {**common, "id": compact(opened.id)}
    arguments = strip(opened.arguments_json)
    assert json.loads(arguments) == opened.arguments
    return {**common, "target": opened.target, "arguments": arguments}


def strip(text: str) -> str:
    """JSON without the white space between its tokens."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m[1] or "", text)


def check_error(error: ElicitError, wanted: dict[str, Any], *, bare: bool) -> None:
    """Compares an error with a vector's, member by member."""
    assert set(wanted) == {"kind", "code", "http_status", "id", "data"}
    assert (error.kind, error.code, error.http_status) == (
        wanted["kind"],
        wanted["code"],
        wanted["http_status"],
    )
    data = error.data
    if data is not None and "path" in data:
        assert data.pop("message")
    assert data == wanted["data"]
    reply = error.reply
    if wanted["kind"] == "not_a_call":
        assert reply is None
        return
    assert reply is not None
    assert (reply.kind, reply.error_kind, reply.status) == (
        "error",
        wanted["kind"],
        wanted["http_status"],
    )
    if bare:
        assert set(reply.dict) <= {"code", "message", "data"}
        assert reply.dict["code"] == wanted["code"]
    elif wanted["id"] is None:
        assert "id" not in reply.dict
    else:
        ours = b'{"jsonrpc":"2.0","id":' + joined(wanted["id"]) + b',"error":'
        assert reply.body.startswith(ours)


def play(case: dict[str, Any], entry: Any, *, bare: bool = False) -> None:
    """Runs one case: it is seen as the vector says, or refused as it says."""
    if "error" in case:
        with pytest.raises(ElicitError) as refused:
            entry()
        check_error(refused.value, case["error"], bare=bare)
    else:
        came = seen(entry())
        wanted = case["seen"]
        assert set(wanted) <= set(came)
        assert {name: came[name] for name in wanted} == wanted


REQUESTS = vectors("requests.json")


@pytest.mark.parametrize("case", named(REQUESTS["open"]))
def test_open(case: dict[str, Any]) -> None:
    play(
        case,
        lambda: ENGINE.open(
            joined(case["request"]),
            principal=Principal.none(),
            headers=headers_of(case),
            param_headers=case.get("param_headers"),
        ),
    )


@pytest.mark.parametrize("case", named(REQUESTS["open_params"]))
def test_open_params(case: dict[str, Any]) -> None:
    play(
        case,
        lambda: ENGINE.open_params(
            case["method"],
            joined(case["params"]),
            principal=Principal.none(),
            headers=headers_of(case),
            param_headers=case.get("param_headers"),
        ),
        bare=True,
    )


@pytest.mark.parametrize("case", named(REQUESTS["check"]))
def test_check(case: dict[str, Any]) -> None:
    play(case, lambda: ENGINE.check(joined(case["request"]), headers=headers_of(case)))


CAPABILITIES = vectors("capabilities.json")


@pytest.mark.parametrize("case", named(CAPABILITIES["cases"]))
def test_capabilities(case: dict[str, Any]) -> None:
    request = CAPABILITIES["request"].replace("@", case["capabilities"])
    if "error" in case:
        with pytest.raises(ElicitError) as refused:
            ENGINE.open(request, principal=Principal.none())
        check_error(refused.value, case["error"], bare=False)
        return
    call = ENGINE.open(request, principal=Principal.none())
    modes = {"form": call.can_elicit("form"), "url": call.can_elicit("url")}
    assert modes == {mode: case["seen"][mode] for mode in modes}


FLOWS = vectors("flows.json")
EXACT_FLOWS = {flow["name"]: flow for flow in exact("flows.json")["flows"]}


class Player:
    """Plays the handler of a flow, as data, against a call."""

    def __init__(self, operations: list[dict[str, Any]]) -> None:
        self._operations = operations

    def __call__(self, call: Call) -> str | dict[str, Any] | Reply:
        asked: dict[str, Outcome[Any]] = {}
        steps: dict[str, Any] = {}
        for operation in self._operations:
            ((name, what),) = operation.items()
            if name == "form":
                options = what.get("options", {})
                key, schema = what["key"], printed(what["schema"])
                asked[key] = call.elicit_form(key, what["message"], schema, **options)
            elif name == "url":
                options = what.get("options", {})
                url = what["url"].replace("{flow_id}", call.flow_id)
                key, message = what["key"], what["message"]
                asked[key] = call.elicit_url(key, message, url, what["done"], **options)
            elif name == "sampling":
                options = what.get("options", {})
                key = what["key"]
                asked[key] = call.create_message(key, printed(what["params"]), **options)
            elif name == "roots":
                asked[what["key"]] = call.list_roots(what["key"], **what.get("options", {}))
            elif name == "step":
                result = json.loads(printed(what["result"]).replace('"$ROUND"', str(call.round)))
                steps[what["key"]] = call.step(what["key"], partial(copy, result))
            elif name == "data":
                call.app_data = what.replace("$ROUND", str(call.round)).encode()
            elif name == "later_until":
                if call.round < what:
                    return call.retry_later()
            elif name == "read":
                assert asked[what].action
            elif name == "swallow":
                with contextlib.suppress(Suspended):
                    assert asked[what].action
            elif name == "report":
                parts = [f"{json.dumps(key)}:{self.part(key, call, asked, steps)}" for key in what]
                return '{"content":[],"structuredContent":{' + ",".join(parts) + "}}"
            elif name == "complete":
                return printed(what)
            elif name == "fail":
                raise ElicitError(what["message"], code=what["code"], data=what.get("data"))
            else:
                raise AssertionError(f"an operation that is not known: {name}")
        raise AssertionError("the handler has no end")

    def part(
        self, key: str, call: Call, asked: dict[str, Outcome[Any]], steps: dict[str, Any]
    ) -> str:
        """One member of a report, as JSON."""
        if key == "$DATA":
            return json.dumps(call.app_data.decode() if call.app_data is not None else None)
        return printed(steps[key]) if key in steps else report(asked[key])


def report(outcome: Outcome[Any]) -> str:
    """An outcome as JSON, every digit as it was sent."""
    parts = [f'"action":"{outcome.action}"']
    if outcome.source is not None:
        parts.append(f'"source":"{outcome.source}"')
    if outcome.content_json is not None:
        parts.append(f'"content":{outcome.content_json}')
    if outcome.reason is not None:
        parts.append(f'"reason":"{outcome.reason}"')
    if outcome.faults:
        parts.append(f'"faults":{json.dumps([[f.path, f.rule] for f in outcome.faults])}')
    return "{" + ",".join(parts) + "}"


def principal_of(given: Any) -> Principal:
    if isinstance(given, list):
        return Principal(*given)
    return {"single_user": Principal.single_user, "none": Principal.none}[given]()


def with_state(request: str, state: str) -> str:
    middle = len(state) // 2
    flipped = "A" if state[middle : middle + 1] != "A" else "B"
    for name, value in (
        ("$STATE_FLIPPED", state[:middle] + flipped + state[middle + 1 :]),
        ("$STATE_APPENDED", state + "A"),
        ("$STATE_CUT", state[:-1]),
        ("$STATE", state),
    ):
        request = request.replace(name, value)
    return request


@pytest.mark.parametrize("flow", named(FLOWS["flows"]))
def test_flow(flow: dict[str, Any]) -> None:
    settings = FLOWS["engine"]
    limits = Limits(**flow["limits"]) if "limits" in flow else None
    info = flow.get("server_info")

    def bench(audience: str, now: int) -> Bench:
        keys = settings["keys"]
        return Bench(keys=keys, audience=audience, limits=limits, server_info=info, now=now)

    own = bench(settings["audience"], settings["now_ms"])
    state = ""
    for number, played in enumerate(flow["rounds"]):
        own.clock.now += played.get("advance_ms", 0)
        serving = bench(played["audience"], own.clock.now) if "audience" in played else own
        serving.log.clear()
        given = played["request"]
        message = with_state(given if isinstance(given, str) else printed(given), state)
        handler = Player(played.get("handler", flow["handler"]))
        principal = principal_of(played["principal"])
        wanted = EXACT_FLOWS[flow["name"]]["rounds"][number]["expect"]
        if "raises" in wanted:
            with pytest.raises(ElicitError) as raised:
                run(serving.engine, message, handler, principal, flow)
            assert raised.value.kind == wanted["raises"]
        else:
            reply = run(serving.engine, message, handler, principal, flow)
            assert reply.status == wanted["status"]
            came = json.loads(reply.text, parse_float=str)
            assert came == wanted["body"]
            result = came if flow.get("params_only") else came.get("result", {})
            state = result.get("requestState", state)
        assert serving.logged == [tuple(event) for event in wanted.get("log", [])]


def run(
    engine: Engine, message: str, handler: Player, principal: Principal, flow: dict[str, Any]
) -> Reply:
    """`run`, or what it does to a call that was opened from parameters."""
    if not flow.get("params_only"):
        return engine.run(message, handler, principal=principal)
    whole = json.loads(message)
    try:
        call = engine.open_params(whole["method"], printed(whole["params"]), principal=principal)
    except ElicitError as error:
        if error.reply is None:
            raise
        return error.reply
    try:
        return call.complete(handler(call))  # type: ignore[arg-type]
    except Suspended:
        return call.suspend()


TOKENS = vectors("tokens.json")


def present(case: dict[str, Any], log: list[Event]) -> Call:
    """Opens the request of a case of tokens.json with its token."""
    context = {**TOKENS["context"], **case.get("with", {})}
    wanted = context["request"]
    params: dict[str, Any] = {
        "_meta": meta(elicitation={"form": {}, "url": {}}),
        "uri" if wanted["method"] == "resources/read" else "name": wanted["target"],
        "requestState": joined(case["token"]).decode("utf-8", "surrogateescape"),
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": wanted["method"], "params": params}
    if wanted["arguments"] is not None:
        params["arguments"] = "@ARGUMENTS@"
    text = printed(message).replace('"@ARGUMENTS@"', wanted["arguments"] or "")
    engine = Engine(
        keys=[bytes.fromhex(TOKENS["keys"][name]) for name in context["keys"]],
        audience=context["audience"],
        limits=Limits(
            token_bytes=context["max_len"],
            request_bytes=16 << 20,
            question_rounds=context["question_rounds"],
            clock_skew_ms=context["clock_skew_ms"],
        ),
        clock=lambda: int(context["now_ms"]),
        log=log.append,
    )
    return engine.open(
        text.encode("utf-8", "surrogateescape"), principal=principal_of(context["principal"])
    )


@pytest.mark.parametrize("case", named(TOKENS["opens"]))
def test_token_opens(case: dict[str, Any]) -> None:
    log: list[Event] = []
    call = present(case, log)
    claims = case["claims"]
    flow_id = base64.urlsafe_b64encode(bytes.fromhex(claims["flow_id"])).rstrip(b"=").decode()
    assert call.flow_id == flow_id
    assert call.round == min(claims["round"] + 1, 2**32 - 1)
    assert log == []


@pytest.mark.parametrize("case", named(TOKENS["refused"]))
def test_token_refused(case: dict[str, Any]) -> None:
    log: list[Event] = []
    with pytest.raises(ElicitError) as refused:
        present(case, log)
    assert refused.value.kind == "invalid_state"
    assert refused.value.data == {"reason": "invalid_request_state"}
    assert [(event.name, event.reason) for event in log] == [("state_refused", case["refusal"])]

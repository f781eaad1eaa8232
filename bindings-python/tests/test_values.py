"""Values on their way in and out: numbers, texts, depth; forms and answers; errors."""

from __future__ import annotations

import asyncio
import base64
import copy
import gc
import json
import sys
from collections import OrderedDict
from enum import Enum, IntEnum
from typing import Any

import pytest
from mcp_elicit import (
    Call,
    ConfigError,
    ElicitError,
    Engine,
    Fault,
    Form,
    Limits,
    NotACallError,
    Outcome,
    RequestError,
    SchemaError,
    Suspended,
)
from support import KEY, SCHEMA, TARGET, USER, Bench, accept, answered, printed, request, text


class Color(str, Enum):
    RED = "red"


class Count(IntEnum):
    BIG = 1 << 70
    ONE = 1


def arguments(raw: str) -> Any:
    """What a handler sees of arguments that were sent like this."""
    message = printed(request({"it": "@"})).replace('"@"', raw)
    return Bench().engine.open(message, principal=USER).arguments["it"]


def sent(value: Any) -> str:
    """How a value in a result is written."""
    call = Bench().engine.open(request(), principal=USER)
    reply = call.complete({"content": [], "it": value})
    start = reply.text.index('"it":') + 5
    return reply.text[start:-2]


class TestIn:
    @pytest.mark.parametrize(
        ("raw", "value"),
        [
            ("0", 0),
            ("-0", 0),
            ("9223372036854775807", 2**63 - 1),
            ("-9223372036854775808", -(2**63)),
            ("9223372036854775808", 2**63),
            ("9007199254740993", 2**53 + 1),
            ("1" * 4299, int("1" * 4299)),
            ("1.0", 1.0),
            ("1e2", 100.0),
            ("-1.5E-3", -0.0015),
            ("0.1", 0.1),
            ("5e-324", 5e-324),
            ("1e400", float("inf")),
            ("[1,[2,{}],[]]", [1, [2, {}], []]),
            ('"\\u00e9\\ud83d\\ude00\\n"', "é\U0001f600\n"),
            ("null", None),
            ("true", True),
        ],
    )
    def test_as_pythons_own_json_reads_it(self, raw: str, value: Any) -> None:
        read = arguments(raw)
        assert read == value == json.loads(raw)
        assert type(read) is type(value)

    def test_an_integer_of_endless_digits_is_the_peers_error(self) -> None:
        message = printed(request({"it": "@"})).replace('"@"', "1" * 5000)

        def handler(call: Any) -> Any:
            return text(str(call.arguments))

        reply = Bench().engine.run(message, handler, principal=USER)
        assert (reply.error_kind, reply.dict["error"]["code"]) == ("invalid_params", -32602)

    def test_arguments_are_made_once(self) -> None:
        call = Bench().engine.open(request({"a": [1]}), principal=USER)
        assert call.arguments is call.arguments
        assert Bench().engine.open(request(), principal=USER).arguments == {}

    def test_as_deep_as_the_limit_allows(self) -> None:
        bench = Bench(limits=Limits(depth=1000))
        raw = "[" * 990 + "]" * 990
        message = printed(request({"it": "@"})).replace('"@"', raw)
        call = bench.engine.open(message, principal=USER)
        deep, depth = call.arguments["it"], 1
        while deep:
            (deep,), depth = deep, depth + 1
        assert depth == 990
        assert call.complete('{"content":[]}').kind == "complete"


class TestOut:
    @pytest.mark.parametrize(
        ("value", "raw"),
        [
            (True, "true"),
            (None, "null"),
            (1, "1"),
            (-(2**200), str(-(2**200))),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e308"),
            ('é\u2028"\\\n\0', '"é\u2028\\"\\\\\\n\\u0000"'),
            ((1, (2,)), "[1,[2]]"),
            (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
            (Color.RED, '"red"'),
            (Count.ONE, "1"),
            (Count.BIG, str(1 << 70)),
            ({"": {}}, '{"":{}}'),
        ],
    )
    def test_as_json_writes_it(self, value: Any, raw: str) -> None:
        assert sent(value) == raw
        assert json.loads(raw) == json.loads(json.dumps(value))

    def test_floats_come_back_as_they_went(self) -> None:
        for number in (1 / 3, 1e22, 1e23, 123456789012345680.0, 2**-1074, 1e16, 1.5e300):
            assert float(sent(number)) == number

    @pytest.mark.parametrize("value", [b"", {1}, object(), {None: 1}, {1: 1}, complex(1, 2)])
    def test_what_is_no_json_is_a_type_error(self, value: Any) -> None:
        with pytest.raises(TypeError):
            sent(value)

    def test_a_value_inside_itself_is_refused(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(ElicitError) as refused:
            sent(loop)
        assert refused.value.kind == "invalid_argument"

    def test_data_of_an_error(self) -> None:
        for data in ({"a": [1, None]}, [1], "words", 7, True):
            error = ElicitError("no", code=7, data=data)
            assert error.data == data
        assert ElicitError("no", code=7).data is None
        with pytest.raises(TypeError):
            ElicitError("no", code=7, data=object())


class TestOutcome:
    def outcome(self, answer: Any, form: Form = TARGET) -> Outcome:
        engine = Bench().engine
        call = engine.open(request(), principal=USER)
        call.elicit_form("target", "Which environment?", form)
        call = engine.open(answered(call.suspend(), target=answer), principal=USER)
        return call.elicit_form("target", "Which environment?", form)

    def test_accept(self) -> None:
        outcome = self.outcome(accept(environment="dev", notify=True, other=1))
        assert not outcome.is_pending
        assert (outcome.action, outcome.source) == ("accept", "user")
        assert outcome.content == {"environment": "dev", "notify": True}
        assert outcome.content is outcome.content
        assert outcome.content_json == '{"environment":"dev","notify":true}'
        assert outcome.faults == ()

    @pytest.mark.parametrize("action", ["decline", "cancel"])
    def test_decline_and_cancel(self, action: str) -> None:
        outcome: Any = self.outcome({"action": action, "content": None})
        assert (outcome.action, outcome.source, outcome.content) == (action, None, None)

    def test_repr_says_the_action_and_no_answer(self) -> None:
        assert repr(self.outcome(accept(environment="dev"))) == "<Outcome accept>"
        call = Bench().engine.open(request(), principal=USER)
        pending = call.elicit_form("target", "Which environment?", TARGET)
        assert repr(pending) == "<Outcome pending>"
        with pytest.raises(Suspended):
            assert pending.action

    def test_invalid_after_the_last_time_of_asking(self) -> None:
        bench = Bench(limits=Limits(reasks=0))

        def handler(call: Any) -> Any:
            target = call.elicit_form("target", "Which environment?", TARGET)
            assert target.action == "invalid"
            return text(" ".join(f"{fault.path} {fault.rule}" for fault in target.faults))

        asked = bench.engine.run(request(), handler, principal=USER)
        again = answered(asked, target=accept(environment="moon"))
        reply = bench.engine.run(again, handler, principal=USER)
        assert reply.dict["result"]["content"][0]["text"] == "/environment enum"

    def test_numbers_keep_their_digits_in_json(self) -> None:
        form = Form({"type": "object", "properties": {"n": {"type": "number"}}})
        engine = Bench().engine
        call = engine.open(request(), principal=USER)
        call.elicit_form("target", "How many?", form)
        again = printed(answered(call.suspend(), target=accept(n="@")))
        call = engine.open(again.replace('"@"', "1.2345678901234567890"), principal=USER)
        outcome = call.elicit_form("target", "How many?", form)
        assert outcome.content_json == '{"n":1.2345678901234567890}'
        assert outcome.content == {"n": 1.2345678901234567890}


class TestForm:
    def test_dict_and_json_are_one(self) -> None:
        assert Form(SCHEMA) == Form(json.dumps(SCHEMA)) == TARGET
        assert len({Form(SCHEMA), TARGET}) == 1
        assert Form({"type": "object", "properties": {}}) != TARGET
        assert json.loads(TARGET.wire) == json.loads(TARGET.source) == SCHEMA
        assert repr(TARGET) == f"<Form {TARGET.wire}>"

    def test_everything_that_is_wrong_is_told(self) -> None:
        properties = {"a": {"type": "object"}, "b": {"type": "string", "default": 7}}
        with pytest.raises(SchemaError) as refused:
            Form({"type": "object", "properties": properties, "required": ["c"]})
        assert {fault.path.split("/")[1] for fault in refused.value.faults} == {
            "properties",
            "required",
        }
        assert len(refused.value.faults) == 3

    @pytest.mark.parametrize("schema", [7, None, [], b"{}"])
    def test_what_is_no_schema_is_a_type_error(self, schema: Any) -> None:
        with pytest.raises(TypeError):
            Form(schema)
        call = Bench().engine.open(request(), principal=USER)
        with pytest.raises(TypeError):
            call.elicit_form("target", "Which?", schema)

    def test_limits(self) -> None:
        properties = {f"p{n}": {"type": "string"} for n in range(65)}
        schema = {"type": "object", "properties": properties}
        with pytest.raises(SchemaError):
            Form(schema)
        assert Form(schema, limits=Limits(schema_properties=65)).wire
        wide = Bench(limits=Limits(schema_properties=65)).engine
        call = wide.open(request(), principal=USER)
        assert call.elicit_form("target", "Which?", schema).is_pending

    def test_validate(self) -> None:
        answer = TARGET.validate({"environment": "dev", "else": 1})
        assert (answer.content, answer.dropped, answer.faults) == (
            {"environment": "dev"},
            ("else",),
            (),
        )
        answer = TARGET.validate('{"environment":"moon"}')
        assert (answer.content, answer.content_json) == (None, None)
        assert [(fault.path, fault.rule) for fault in answer.faults] == [("/environment", "enum")]
        refused = TARGET.validate({"environment": "dev", "else": 1}, unknown="refuse")
        assert [fault.path for fault in refused.faults] == ["/else"]
        with pytest.raises(ElicitError):
            TARGET.validate({}, unknown="other")  # type: ignore[arg-type]
        with pytest.raises(ElicitError):
            TARGET.validate("{")

    def test_a_fault(self) -> None:
        (fault,) = TARGET.validate({}).faults
        assert fault == TARGET.validate({}).faults[0]
        assert fault in {fault}
        match fault:
            case Fault(path, rule, message):
                assert (path, rule) == ("/environment", "required")
                assert str(fault) == f"{path}: {message}"
        assert "required" in repr(fault)


class TestErrors:
    def test_one_base(self) -> None:
        for kind in (ConfigError, NotACallError, RequestError, SchemaError):
            assert issubclass(kind, ElicitError)
        assert issubclass(ElicitError, Exception)
        assert not issubclass(Suspended, Exception)

    def test_an_error_of_the_core(self) -> None:
        with pytest.raises(RequestError) as refused:
            Bench().engine.open("{", principal=USER)
        error = refused.value
        assert (error.kind, error.code, error.http_status) == ("parse_error", -32700, 400)
        assert error.data["rule"] == "syntax"
        assert (error.is_for_peer, error.is_retryable) == (True, False)
        assert str(error) == error.args[0] != ""
        assert (error.reply.kind, error.reply.error_kind) == ("error", "parse_error")

    def test_an_error_of_the_application(self) -> None:
        error = ElicitError("no", code=4004, data={"a": 1})
        assert (error.kind, error.code, error.http_status) == ("application", 4004, 200)
        assert (str(error), error.faults) == ("no", ())
        assert error.reply is not None

    @pytest.mark.parametrize("code", [1.5, "7", None, 1 << 40])
    def test_a_code_is_a_small_integer(self, code: Any) -> None:
        with pytest.raises((TypeError, OverflowError)):
            ElicitError("no", code=code)

    def test_a_subclass_of_ones_own(self) -> None:
        class DeniedError(ElicitError):
            def __init__(self) -> None:
                super().__init__("denied", code=4003)

        class CarelessError(ElicitError):
            def __init__(self) -> None:  # forgets its base
                Exception.__init__(self, "careless")

        def deny(_: Any) -> Any:
            raise DeniedError

        def forget(_: Any) -> Any:
            raise CarelessError

        reply = Bench().engine.run(request(), deny, principal=USER)
        assert reply.dict["error"] == {"code": 4003, "message": "denied"}
        with pytest.raises(CarelessError):
            Bench().engine.run(request(), forget, principal=USER)

    def test_wrong_arguments_of_an_ask(self) -> None:
        call: Any = Bench().engine.open(request(), principal=USER)
        mistakes: list[Any] = [
            lambda: call.elicit_form(7, "Which?", TARGET),
            lambda: call.elicit_form("target", None, TARGET),
            lambda: call.elicit_form("target", "Which?"),
            lambda: call.elicit_form("target", "Which?", TARGET, True),
            lambda: call.elicit_form("target", "Which?", TARGET, other=1),
            lambda: call.elicit_form("target", "Which?", TARGET, human_only="yes"),
            lambda: call.elicit_form("target", "Which?", TARGET, unavailable=None),
            lambda: call.elicit_form("target", "Which?", TARGET, arguments="environment"),
            lambda: call.elicit_form("target", "Which?", TARGET, arguments=[7]),
            lambda: call.elicit_form("target", "Which?", TARGET, messages=[]),
            lambda: call.elicit_url("login", "Sign in.", "https://a.example"),
            lambda: call.elicit_url("login", "Sign in.", "https://a.example", "yes"),
            lambda: call.fail("7", "no"),
            lambda: call.can_elicit(7),
        ]
        for wrong in mistakes:
            with pytest.raises(TypeError):
                wrong()
        refusals: list[tuple[str, Any]] = [
            ("invalid_ask", lambda: call.elicit_form("", "Which?", TARGET)),
            ("invalid_ask", lambda: call.elicit_form("target", " ", TARGET)),
            ("invalid_ask", lambda: call.elicit_url("login", "Sign in.", "javascript:1", False)),
            ("invalid_argument", lambda: call.can_elicit("sms")),
            ("invalid_argument", lambda: call.list_roots("roots", unavailable="other")),
            ("invalid_argument", lambda: call.list_roots("roots", messages={"other": "words"})),
            ("invalid_ask", lambda: call.list_roots("roots", unavailable="defaults")),
            ("invalid_ask", lambda: call.create_message("model", {"messages": []})),
            ("invalid_ask", lambda: call.step("", dict)),
        ]
        for kind, wrong in refusals:
            with pytest.raises(ElicitError) as refused:
                wrong()
            assert refused.value.kind == kind


class TestCall:
    def test_by_hand(self) -> None:
        engine = Bench().engine
        call = engine.open(request(), principal=USER)
        assert (call.round, len(call.flow_id), call.principal) == (1, 22, USER)
        assert call.can_elicit("form")
        assert not call.is_pending
        with pytest.raises(ElicitError) as refused:
            call.suspend()
        assert refused.value.kind == "nothing_asked"
        assert call.elicit_form("target", "Which environment?", TARGET).is_pending
        assert call.is_pending
        with pytest.raises(ElicitError) as refused:
            call.complete(text("done"))
        assert refused.value.kind == "question_open"
        asked = call.suspend()
        with pytest.raises(ElicitError) as refused:
            call.suspend()
        assert refused.value.kind == "finished"
        again = engine.open(answered(asked, target={"action": "cancel"}), principal=USER)
        assert (again.round, again.flow_id) == (2, call.flow_id)
        assert repr(again) == f'<Call tools/call "deploy", round 2 of {call.flow_id}>'

    def test_a_link(self) -> None:
        engine = Bench().engine
        call = engine.open(request(), principal=USER)
        link = f"https://billing.example/connect?flow={call.flow_id}"
        assert call.elicit_url("login", "Sign in.", link, False).is_pending
        asked = call.suspend()
        params = asked.dict["result"]["inputRequests"]["login"]["params"]
        assert params == {"mode": "url", "message": "Sign in.", "url": link}
        back = answered(asked, login={"action": "accept"})
        call = engine.open(back, principal=USER)
        assert call.elicit_url("login", "Sign in.", "https://other.example/", False).is_pending
        again = call.suspend().dict["result"]["inputRequests"]["login"]["params"]
        assert again == params
        call = engine.open(back, principal=USER)
        done = call.elicit_url("login", "Sign in.", link, True)
        assert (done.action, done.content, done.source) == ("accept", None, "user")
        call = engine.open(request(), principal=USER)
        granted = call.elicit_url("login", "Sign in.", link, True)
        assert (granted.action, granted.source) == ("accept", "grant")
        with pytest.raises(ElicitError):
            call.elicit_url("plain", "Sign in.", "http://a.example/", False)
        allowed = call.elicit_url(
            "plain", "Sign in.", "http://a.example/", False, allow_insecure_http=True
        )
        assert allowed.is_pending

    @pytest.mark.parametrize("spell", [lambda it: it, json.dumps, lambda it: it["params"]])
    def test_a_request_as_the_protocol_writes_it(self, spell: Any) -> None:
        params = {"mode": "form", "message": "Which?", "requestedSchema": SCHEMA}
        created = {"method": "elicitation/create", "params": params}
        call = Bench().engine.open(request(), principal=USER)
        assert call.elicit("target", spell(created)).is_pending
        asked = call.suspend().dict["result"]["inputRequests"]
        assert asked == {"target": created}

    def test_an_unasked_answer(self) -> None:
        message = request(inputResponses={"target": accept(environment="dev")})
        call = Bench().engine.open(message, principal=USER)
        target = call.elicit_form("target", "Which?", TARGET, accept_unasked=True)
        assert target.action == "accept"
        call = Bench().engine.open(message, principal=USER)
        assert call.elicit_form("target", "Which?", TARGET).is_pending

    def test_from_parameters(self) -> None:
        engine = Bench().engine
        message = request({"a": 1})
        params = message["params"]
        for given in (params, printed(params), printed(params).encode()):
            call = engine.open_params("tools/call", given, principal=USER)
            assert call.arguments == {"a": 1}
            assert call.complete(text("done")).dict == {"resultType": "complete", **text("done")}
        with pytest.raises(RequestError) as refused:
            engine.open_params("tools/call", {}, principal=USER)
        assert set(refused.value.reply.dict) == {"code", "message", "data"}
        with pytest.raises(NotACallError):
            engine.open_params("tools/list", params, principal=USER)

    def test_nothing_can_be_copied_or_made_by_hand(self) -> None:
        call = Bench().engine.open(request(), principal=USER)
        for thing in (call, TARGET):
            with pytest.raises(TypeError):
                copy.copy(thing)
        for cls in (type(call), Outcome, type(call.complete(text("done")))):
            with pytest.raises(TypeError):
                cls()


class TestOptions:
    """The options of an ask; what they mean is proven by the vectors."""

    def test_nobody_to_ask(self) -> None:
        nobody = request({"environment": "dev"}, capabilities={})
        for options, seen in (
            ({"unavailable": "outcome"}, ("unavailable", None, "capability")),
            ({"arguments": ["environment"]}, ("accept", "argument", None)),
            ({"arguments": ("environment",), "on_cancel": None}, ("accept", "argument", None)),
        ):
            call: Any = Bench().engine.open(nobody, principal=USER)
            target = call.elicit_form("target", "Which?", TARGET, **options)
            assert (target.action, target.source, target.reason) == seen

    def test_a_tool_error_names_the_argument(self) -> None:
        call = Bench().engine.open(request(capabilities={}), principal=USER)
        call.elicit_form(
            "target", "Which?", TARGET, unavailable="tool_error", arguments=["environment"]
        )
        reply = call.suspend()
        assert (reply.kind, reply.dict["result"]["isError"]) == ("complete", True)
        assert "environment" in reply.dict["result"]["content"][0]["text"]

    def test_reasons_in_ones_own_words(self) -> None:
        words = {"required": "{field} fehlt.", "reask": "Bitte:"}
        engine = Bench().engine
        call = engine.open(request(), principal=USER)
        call.elicit_form("target", "Which?", TARGET, messages=words)
        again = engine.open(answered(call.suspend(), target=accept()), principal=USER)
        again.elicit_form("target", "Which?", TARGET, messages=words)
        asked = again.suspend().dict["result"]["inputRequests"]["target"]["params"]["message"]
        assert "Environment fehlt." in asked

    def test_models_and_roots(self) -> None:
        engine = Bench().engine
        able: dict[str, Any] = {"sampling": {}, "roots": {}}
        params = {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Name a city."}}],
            "maxTokens": 5,
        }
        call = engine.open(request(capabilities=able), principal=USER)
        assert call.client_capabilities == able
        assert call.protocol_version == "2026-07-28"
        assert call.create_message("city", json.dumps(params)).is_pending
        assert call.list_roots("roots").is_pending
        asked = call.suspend()
        sent = asked.dict["result"]["inputRequests"]
        assert sent["city"] == {"method": "sampling/createMessage", "params": params}
        turn = {"role": "assistant", "content": {"type": "text", "text": "Rome"}, "model": "m"}
        roots = {"roots": [{"uri": "file:///a"}]}
        again = answered(asked, city=turn, roots=roots)
        again["params"]["_meta"] = request(capabilities=able)["params"]["_meta"]
        call = engine.open(again, principal=USER)
        city, folders = call.create_message("city", params), call.list_roots("roots")
        assert (city.action, city.source, city.content) == ("answer", None, turn)
        assert (folders.action, folders.content) == ("answer", roots)

    def test_a_state_that_can_be_read(self) -> None:
        for name, prefix in (("encrypted", "me1."), ("signed", "ms1.")):
            engine: Any = Engine(audience="x", keys=KEY, state_format=name)  # type: ignore[arg-type]
            call = engine.open(request(), principal=USER)
            call.elicit_form("target", "Which?", TARGET)
            assert call.suspend().dict["result"]["requestState"].startswith(prefix)
        with pytest.raises(ConfigError):
            Engine(audience="x", keys=KEY, state_format="plain")  # type: ignore[arg-type]


class TestSteps:
    def test_work_runs_once_a_flow(self) -> None:
        bench = Bench()
        ran: list[int] = []

        def handler(call: Call) -> Any:
            def work() -> Any:
                ran.append(call.round)
                return {"n": (1, None, "\u20ac")}

            made = call.step("made", work)
            asyncio.run(call.astep("later", self.later(ran, call.round)))
            assert made == {"n": [1, None, "\u20ac"]}
            return text(call.elicit_form("target", "Which?", TARGET).action)

        asked = bench.engine.run(request(), handler, principal=USER)
        bench.engine.run(answered(asked, target=accept()), handler, principal=USER)
        assert ran == [1, -1]
        replayed = bench.engine.run(request(), handler, principal=USER)
        assert replayed.kind == "input_required"
        assert ran == [1, -1, 1, -1]

    @staticmethod
    def later(ran: list[int], number: int) -> Any:
        async def work() -> None:
            ran.append(-number)

        return work

    def test_work_that_raises_is_not_recorded(self) -> None:
        call = Bench().engine.open(request(), principal=USER)

        def fail() -> Any:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            call.step("made", fail)
        assert call.step("made", lambda: 1) == 1
        assert call.step("made", fail) == 1
        assert call.step("nothing", lambda: None) is None
        assert call.step("nothing", fail) is None

    def test_work_may_use_the_call(self) -> None:
        call = Bench().engine.open(request({"a": 1}), principal=USER)
        inner = call.step("outer", lambda: call.step("inner", lambda: call.arguments))
        assert inner == {"a": 1}
        # What was recorded first stays.
        assert call.step("twice", lambda: call.step("twice", lambda: 1) + 1) == 1

    def test_a_result_that_is_no_json(self) -> None:
        call = Bench().engine.open(request(), principal=USER)
        with pytest.raises(TypeError):
            call.step("made", object)
        with pytest.raises(ElicitError):
            call.step("made", lambda: float("nan"))
        with pytest.raises(TypeError):
            call.step("made", 7)  # type: ignore[arg-type]

    def test_a_step_in_a_signed_state_is_readable(self) -> None:
        engine = Engine(audience="x", keys=KEY, state_format="signed")
        for readable in (True, False):
            call = engine.open(request(), principal=USER)
            assert call.step("made", lambda: "words", readable=readable) == "words"
            if readable:
                state = call.retry_later().dict["result"]["requestState"]
                body = state.split(".")[1]
                assert b"words" in base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
            else:
                with pytest.raises(ElicitError):
                    call.retry_later()

    def test_data_of_ones_own(self) -> None:
        bench = Bench()
        seen: list[bytes | None] = []

        def handler(call: Call) -> Any:
            seen.append(call.app_data)
            call.app_data = bytes(range(256))
            if call.round < 3:
                return call.retry_later()
            call.app_data = None
            return text(str(call.app_data))

        later = bench.engine.run(request(), handler, principal=USER)
        assert set(later.dict["result"]) == {"resultType", "requestState"}
        later = bench.engine.run(answered(later), handler, principal=USER)
        reply = bench.engine.run(answered(later), handler, principal=USER)
        assert reply.dict["result"]["content"][0]["text"] == "None"
        assert seen == [None, bytes(range(256)), bytes(range(256))]
        call: Any = bench.engine.open(request(), principal=USER)
        for wrong in ("text", 7, bytearray(b"a")):
            with pytest.raises(TypeError):
                call.app_data = wrong
        with pytest.raises(ElicitError) as refused:
            call.app_data = b"x" * (65 << 10)
        assert refused.value.kind == "limit"


def test_rounds_leave_nothing_behind() -> None:
    engine = Bench().engine

    def handler(call: Any) -> Any:
        target = call.elicit_form("target", "Which environment?", TARGET)
        assert call.arguments == {}
        return text(target.content["environment"])

    def flow() -> None:
        asked = engine.run(request(), handler, principal=USER)
        engine.run(answered(asked, target=accept(environment="dev")), handler, principal=USER)

    for _ in range(50):
        flow()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(500):
        flow()
    gc.collect()
    assert sys.getallocatedblocks() - before < 200

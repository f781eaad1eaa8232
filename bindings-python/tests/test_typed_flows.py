"""Flows that ask for types: through the engine, the test host and the adapter."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp_elicit import Call, ElicitError, Form, Limits, Principal, SchemaError
from mcp_elicit.adapters.mcp import Ask
from mcp_elicit.testing import Host, accept, decline
from pydantic import BaseModel, field_validator
from support import Bench, request, text
from support_mcp import Asker, runs, served
from typed_support import Env, Release, Stay, Target, asks, refused_by


class TestFlows:
    @pytest.mark.parametrize(
        ("of", "answer", "value"),
        [
            (Target, {"environment": "dev"}, Target(Env.DEV)),
            (Form.of(Target), {"environment": "dev"}, Target(Env.DEV)),
            (Env, {"value": "prod"}, Env.PROD),
            (
                Release,
                {"version": "1", "day": "2026-07-28"},
                {"version": "1", "day": datetime.date(2026, 7, 28)},
            ),
            (
                Stay,
                {"first": "2026-07-01", "last": "2026-07-02"},
                Stay(first=datetime.date(2026, 7, 1), last=datetime.date(2026, 7, 2)),
            ),
        ],
    )
    def test_the_answer_comes_back_as_the_type(self, of: Any, answer: Any, value: Any) -> None:
        host = Host(Bench().engine, asks(of))
        flow = host.answer("it", accept(answer)).call("deploy")
        assert flow.text == f"user {value!r}"
        assert host.answer("it", decline()).call("deploy").text == "decline"

        async def later(call: Call) -> dict[str, Any]:
            await asyncio.sleep(0)
            return asks(of)(call)

        host = Host(Bench().engine, later).answer("it", accept(answer))
        assert asyncio.run(host.acall("deploy")).text == f"user {value!r}"

    def test_what_the_type_refuses_is_asked_again(self) -> None:
        host = (
            Host(Bench().engine, asks(Stay))
            .answer("it", accept({"first": "2026-07-02", "last": "2026-07-01"}))
            .answer("it", accept({"first": "2026-07-02", "last": "2026-07-03", "guests": 13}))
            .answer("it", accept({"first": "2026-07-02", "last": "2026-07-03"}))
        )
        flow = host.call("deploy")
        messages = [question.message for question in flow.questions]
        assert messages == [
            "What?",
            "What?\n\nPlease correct:\n- The last day is before the first.",
            "What?\n\nPlease correct:\n- Guests: thirteen bring bad luck",
        ]
        assert flow.text.startswith("user Stay(first=datetime.date(2026, 7, 2)")

    def test_after_the_last_time_it_is_invalid(self) -> None:
        wrong = accept({"first": "2026-07-02", "last": "2026-07-01"})
        flow = Host(Bench().engine, asks(Stay)).answer("it", wrong).call("deploy")
        assert flow.text == "invalid"
        assert len(flow.questions) == 4

    def test_arguments_and_defaults_come_as_the_type_too(self) -> None:
        handler = asks(Target, arguments=["environment", "notify"])
        flow = Host(Bench().engine, handler).call("deploy", {"environment": "prod"})
        assert flow.text == f"argument {Target(Env.PROD)!r}"

        @dataclasses.dataclass
        class All:
            env: Env = Env.DEV

        nobody = Host(Bench().engine, asks(All, unavailable="defaults")).capabilities({})
        assert nobody.call("deploy").text == f"default {All()!r}"

    def test_texts_of_ones_own_are_used_for_what_the_type_says(self) -> None:
        words = {"check": "Nein: {limit}", "reask": "Bitte:"}
        host = (
            Host(Bench().engine, asks(Stay, messages=words))
            .answer("it", accept({"first": "2026-07-02", "last": "2026-07-01"}))
            .answer("it", decline())
        )
        message = host.call("deploy").questions[1].message
        assert message == "What?\n\nBitte:\n- Nein: The last day is before the first."

    def test_the_same_value_is_given_to_who_asks_twice(self) -> None:
        def handler(call: Call) -> dict[str, Any]:
            first = call.elicit_form("it", "What?", Target)
            second = call.elicit_form("it", "What?", Target)
            assert first.content == second.content == Target(Env.DEV)
            assert first.content_json == '{"environment":"dev"}'
            as_dict = call.elicit_form("it", "What?", Form(Form.of(Target).wire))
            assert as_dict.content == {"environment": "dev"}
            return text("done")

        host = Host(Bench().engine, handler).answer("it", accept({"environment": "dev"}))
        assert host.call("deploy").text == "done"

    def test_what_a_validator_raises_besides_leaves_the_handler(self) -> None:
        class Model(BaseModel):
            name: str

            @field_validator("name")
            @classmethod
            def broken(cls, name: str) -> str:
                raise KeyError(name)

        bench = Bench()
        call = bench.engine.open(request(), principal=Principal.none())
        call.elicit_form("it", "What?", Model)
        state = call.suspend().dict["result"]["requestState"]
        answers = {"it": {"action": "accept", "content": {"name": "Ann"}}}
        again = request(inputResponses=answers, requestState=state)
        with pytest.raises(KeyError):
            bench.engine.run(again, asks(Model), principal=Principal.none())

    def test_limits_of_the_engine_count(self) -> None:
        bench = Bench(limits=Limits(schema_properties=1))
        call = bench.engine.open(request(), principal=Principal.none())
        assert refused_by(lambda: call.elicit_form("it", "What?", Target))[0][1] == (
            "too_many_properties"
        )
        request_of = {"message": "What?", "requestedSchema": json.loads(Form.of(Target).wire)}
        assert refused_by(lambda: call.elicit("it", request_of))[0][1] == "too_many_properties"

    def test_a_reason_is_shown_up_to_a_length_and_without_control_characters(self) -> None:
        class Model(BaseModel):
            name: str

            @field_validator("name")
            @classmethod
            def no_such_name(cls, name: str) -> str:
                raise ValueError(f"\x1b[31m{name}\r\n{'x' * 200_000}")

        flow = (
            Host(Bench().engine, asks(Model)).answer("it", accept({"name": "Ann"})).call("deploy")
        )
        again = flow.questions[1].message
        assert again is not None
        assert again.endswith(f"\n- Name:  [31mAnn \n{'x' * 490}…"), again[-600:]
        (fault,) = Form.of(Model).validate({"name": "Ann"}).faults
        assert again.endswith(fault.message)

    def test_what_is_no_form_at_all(self) -> None:
        call: Any = Bench().engine.open(request(), principal=Principal.none())
        for other in (5, None, int, [Target], Target(Env.DEV)):
            with pytest.raises(TypeError, match="a form is a Form"):
                call.elicit_form("it", "What?", other)

    @pytest.mark.parametrize(
        ("other", "said"),
        [
            (list[str], r"not list\[str\]: make it a field of one of these"),
            (Target | None, "not .*Target.*: make it a field of one of these"),
            (Literal["a", "b"], "not .*Literal.*: make it a field of one of these"),
            (str, "not str: make it a field of one of these"),
            (dict, "not dict: make it a field of one of these"),
            (Bench, "not the type Bench"),
            (Target(Env.DEV), "not a value of Target: give the type itself"),
            (Bench(), "not Bench"),
            (None, "not NoneType"),
            ([Target], "not list"),
        ],
    )
    def test_what_is_no_form_is_told_what_is(self, other: Any, said: str) -> None:
        call: Any = Bench().engine.open(request(), principal=Principal.none())
        for ask in (lambda: call.elicit_form("it", "What?", other), lambda: Form.of(other)):
            with pytest.raises(TypeError, match=f"an Enum; {said}"):
                ask()

    def test_a_reason_for_a_sensitive_name(self) -> None:
        @dataclasses.dataclass
        class Pinned:
            pin: str

        schema = {"type": "object", "properties": {"pin": {"type": "string", "title": "Pin"}}}
        reason = "a pin of a map"
        forms: list[Any] = [Pinned, schema, json.dumps(schema)]
        for form in forms:
            call = Bench().engine.open(request(), principal=Principal.none())
            with pytest.raises(SchemaError):
                call.elicit_form("it", "Where?", form)
            asked = call.elicit_form("it", "Where?", form, allow_sensitive_name=reason)
            assert asked.is_pending
            # The reason goes with this question alone.
            with pytest.raises(SchemaError):
                call.elicit_form("other", "Where?", form)
        made = Form(schema, allow_sensitive_name=reason)
        with pytest.raises(ElicitError, match="a Form is given it when it is made") as refused:
            call.elicit_form("it", "Where?", made, allow_sensitive_name=reason)
        assert refused.value.kind == "invalid_ask"
        wrong: Any = 7
        with pytest.raises(TypeError, match="allow_sensitive_name is a str"):
            call.elicit_form("it", "Where?", schema, allow_sensitive_name=wrong)


@runs
async def test_tools_of_the_official_sdk_may_give_a_reason_for_a_sensitive_name() -> None:
    async def tool(ask: Ask) -> str:
        schema = {"type": "object", "properties": {"pin": {"type": "string"}}}
        return (await ask.form("it", "Where?", schema, allow_sensitive_name="of a map")).action

    asker = Asker({"it": accepted(pin="7")})
    async with asker.client(served(Bench(), tool)) as client:
        result = await client.call_tool("tool", {})
    assert result.content[0].text == "accept"  # type: ignore[union-attr]


@runs
async def test_tools_of_the_official_sdk_get_values_too() -> None:
    async def book(ask: Ask) -> str:
        stay, env = await ask.gather(ask.form("it", "When?", Stay), ask.form("env", "Where?", Env))
        if stay.action != "accept":
            return stay.action
        return f"{stay.content.guests} to {env.content.name}"

    asker = Asker(
        {
            "it": accepted(first="2026-07-02", last="2026-07-01"),
            "env": accepted(value="prod"),
        }
    )
    async with asker.client(served(Bench(), book)) as client:
        result = await client.call_tool("book", {})
        assert result.content[0].text == "invalid"  # type: ignore[union-attr]
        assert asker.asked[2].endswith("- The last day is before the first.")
        asker.answers["it"] = accepted(first="2026-07-02", last="2026-07-03", guests=3)
        result = await client.call_tool("book", {})
    assert result.content[0].text == "3 to PROD"  # type: ignore[union-attr]


def accepted(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


def test_the_types_are_inferred() -> None:
    """`assert_type` in inference.py, and what must not pass, by mypy --strict."""
    here = Path(__file__).resolve().parent
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental"),
            *("--config-file", str(here.parent / "pyproject.toml"), str(here / "inference.py")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

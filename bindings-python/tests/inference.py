"""What type checkers make of forms of types. Checked by mypy, never run; see test_types.py."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, TypedDict

from mcp_elicit import Answer, Call, Form, Outcome
from pydantic import BaseModel
from typing_extensions import assert_type

if TYPE_CHECKING:
    from mcp_elicit.adapters.mcp import Ask, Question


class Model(BaseModel):
    environment: str


@dataclasses.dataclass
class Data:
    environment: str


class Dict(TypedDict):
    environment: str


class Env(enum.Enum):
    DEV = "dev"


def asks(call: Call) -> None:
    assert_type(call.elicit_form("a", "A?", Model), Outcome[Model])
    assert_type(call.elicit_form("a", "A?", Data), Outcome[Data])
    assert_type(call.elicit_form("a", "A?", Dict), Outcome[Dict])
    assert_type(call.elicit_form("a", "A?", Env, human_only=True), Outcome[Env])
    assert_type(call.elicit_form("a", "A?", Form.of(Data)), Outcome[Data])
    assert_type(call.elicit_form("a", "A?", {"type": "object"}), Outcome[dict[str, Any]])
    assert_type(call.elicit_form("a", "A?", "{}"), Outcome[dict[str, Any]])
    assert_type(call.elicit_form("a", "A?", Form("{}")), Outcome[dict[str, Any]])
    assert_type(call.elicit_form("a", "A?", Form.builder().build()), Outcome[dict[str, Any]])
    assert_type(call.elicit_form("a", "A?", Model).content, Model)
    assert_type(call.elicit_form("a", "A?", Dict).content["environment"], str)
    call.elicit_form("a", "A?", 5)  # type: ignore[call-overload]
    print(call.elicit_form("a", "A?", Data).content.other)  # type: ignore[attr-defined]


def forms() -> None:
    assert_type(Form.of(Model), Form[Model])
    assert_type(Form.of(Env).validate("{}"), Answer[Env])
    assert_type(Form.of(Env).validate("{}").content, Env | None)
    assert_type(Form.of(Data).downgrade("2025-06-18").form, Form[Data])
    assert_type(Form({}).validate("{}").content, dict[str, Any] | None)
    Form.of(Data).downgrade("2024-11-05")  # type: ignore[arg-type]


async def adapter(ask: Ask) -> None:
    assert_type(ask.form("a", "A?", Model), Question[Model])
    assert_type(await ask.form("a", "A?", Env), Outcome[Env])
    assert_type(await ask.form("a", "A?", {}), Outcome[dict[str, Any]])
    first, second = await ask.gather(ask.form("a", "A?", Data), ask.form("b", "B?", Form.of(Dict)))
    assert_type(first.content, Data)
    assert_type(second.content, Dict)

"""Types to ask for, and a handler that does."""

import dataclasses
import datetime
import enum
from collections.abc import Callable
from typing import Any, TypedDict

import pydantic
import pytest
from mcp_elicit import Call, Outcome, SchemaError
from pydantic import BaseModel, Field, field_validator
from support import text
from typing_extensions import NotRequired


# Values that are texts: these are offered.
class Env(enum.Enum):
    DEV = "dev"
    PROD = "prod"


# Values that are not: the names are offered.
class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass
class Target:
    environment: Env
    notify: bool = False


class Release(TypedDict):
    version: str
    day: NotRequired[datetime.date]


class Stay(BaseModel):
    """A model that refuses more than its schema says."""

    first: datetime.date
    last: datetime.date
    guests: int = Field(default=2, gt=0)

    @field_validator("guests")
    @classmethod
    def no_bad_luck(cls, guests: int) -> int:
        if guests == 13:
            raise ValueError("thirteen bring bad luck")
        return guests

    @pydantic.model_validator(mode="after")
    def in_order(self) -> "Stay":
        if self.last < self.first:
            raise ValueError("The last day is before the first.")
        return self


def asks(of: Any, **options: Any) -> Callable[[Call], dict[str, Any]]:
    """A handler that asks for a value of a type and says what came."""

    def handler(call: Call) -> dict[str, Any]:
        came: Outcome[Any] = call.elicit_form("it", "What?", of, **options)
        if came.action != "accept":
            return text(came.action)
        return text(f"{came.source} {came.content!r}")

    return handler


def refused_by(make: Callable[[], object]) -> list[tuple[str, str]]:
    with pytest.raises(SchemaError) as refused:
        make()
    assert all(fault.message for fault in refused.value.faults)
    return [(fault.path, fault.rule) for fault in refused.value.faults]

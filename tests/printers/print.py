"""Prints the schemas of tests/vectors/schema-printed.json that Python libraries make.

Needs pydantic[email], typing_extensions and msgspec.
"""

import dataclasses
import datetime
import enum
import ipaddress
import json
import sys
import uuid
from typing import Annotated, Any, Literal, Optional, Union

import msgspec
import pydantic
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    EmailStr,
    Field,
    PositiveInt,
    SecretStr,
    TypeAdapter,
)
from typing_extensions import TypedDict


class Color(str, enum.Enum):
    red = "red"
    green = "green"


class Level(enum.IntEnum):
    low = 1
    high = 2


class Person(BaseModel):
    """A person, as a form asks for one."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[
        str, Field(min_length=1, max_length=40, pattern="^[A-Z]", title="Name", examples=["Ann"])
    ]
    nick: Optional[str] = None
    need: Optional[str]
    mail: EmailStr
    site: AnyUrl
    day: datetime.date
    at: datetime.datetime
    uid: uuid.UUID
    ip: ipaddress.IPv4Address
    favourite: Color = Color.red
    other: Optional[Color] = None
    size: Literal["s", "m"] = "s"
    only: Literal["x"]
    age: int = Field(ge=0, lt=150)
    count: PositiveInt
    rate: float = Field(gt=0, le=1)
    step: int = Field(multiple_of=5)
    level: Level
    terms: Literal[True]
    news: bool = False
    colors: set[Color]
    rights: Annotated[list[Literal["r", "w"]], Field(min_length=1)] = ["r"]


class Unaskable(BaseModel):
    tags: list[str]
    either: Union[int, str]
    mixed: Literal["a", 1]
    names: dict[str, str]
    inner: "Inner"
    secret: SecretStr
    anything: Any


class Inner(BaseModel):
    x: int


@dataclasses.dataclass
class Point:
    x: int
    color: Color
    label: str = "p"
    note: Optional[float] = None
    colors: list[Color] = dataclasses.field(default_factory=list)


class Target(TypedDict, total=False):
    environment: Literal["dev", "prod"]
    notify: bool


class Packed(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=1, pattern="^a")]
    age: Annotated[int, msgspec.Meta(ge=0)]
    color: Color
    nick: str | None = None


def schemas() -> list[dict[str, Any]]:
    Unaskable.model_rebuild()
    version = pydantic.VERSION
    return [
        {"name": f"pydantic {version}: a model", "schema": Person.model_json_schema()},
        {
            "name": f"pydantic {version}: a model that no form can ask for",
            "schema": Unaskable.model_json_schema(),
        },
        {"name": f"pydantic {version}: a dataclass", "schema": TypeAdapter(Point).json_schema()},
        {"name": f"pydantic {version}: a TypedDict", "schema": TypeAdapter(Target).json_schema()},
        {"name": f"msgspec {msgspec.__version__}: a struct", "schema": msgspec.json.schema(Packed)},
    ]


json.dump(schemas(), sys.stdout, ensure_ascii=False)

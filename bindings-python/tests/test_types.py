"""Types as forms, and answers as their values."""
# Both spellings of what may be None are printed.
# ruff: noqa: UP007, UP045, PYI061

import dataclasses
import datetime
import enum
import gc
import json
import subprocess
import sys
import types
import uuid
import weakref
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union

import annotated_types
import pydantic
import pydantic.dataclasses
import pytest
import typing_extensions
from mcp_elicit import Form, Limits, SchemaError
from mcp_elicit.testing import Host, accept
from pydantic import BaseModel, ConfigDict, EmailStr, Field, PositiveInt, field_validator
from support import Bench
from typed_support import Env, Size, Stay, Target, asks, refused_by
from typing_extensions import Doc, Required


def shown(form: Form[Any]) -> Any:
    return json.loads(form.wire)["properties"]


def rules(form: Form[Any], content: dict[str, Any]) -> list[tuple[str, str]]:
    return [(fault.path, fault.rule) for fault in form.validate(content).faults]


# --- Pydantic ---------------------------------------------------------------------------------


class TestPydantic:
    def test_the_rows_of_the_issue(self) -> None:
        class Model(BaseModel):
            model_config = ConfigDict(extra="forbid")
            nick: Optional[str] = Field(default=None, title="Nick")
            rate: float = Field(gt=0)
            count: PositiveInt
            mail: EmailStr
            env: Env
            level: Literal["low", "high"] = "low"
            rights: set[Literal["r", "w"]] = Field(min_length=1)
            at: datetime.datetime

        form = Form.of(Model)
        fields = shown(form)
        assert fields["nick"] == {"type": "string", "title": "Nick"}
        assert fields["rate"] == {"type": "number", "title": "Rate"}
        assert fields["count"] == {"type": "integer", "title": "Count", "minimum": 1}
        assert fields["mail"] == {"type": "string", "title": "Mail", "format": "email"}
        assert fields["env"] == {"type": "string", "enum": ["dev", "prod"]}
        assert fields["level"]["default"] == "low"
        assert fields["rights"]["items"] == {"type": "string", "enum": ["r", "w"]}
        good = {
            "rate": 0.5,
            "count": 1,
            "mail": "ann@example.com",
            "env": "prod",
            "rights": ["w"],
            "at": "2026-07-28T09:30:00+03:00",
        }
        answer = form.validate(good)
        assert isinstance(answer.content, Model)
        assert (answer.content.env, answer.content.rights) == (Env.PROD, {"w"})
        assert answer.content.nick is None
        assert answer.content.at.utcoffset() == datetime.timedelta(hours=3)
        bad = {
            "rate": 0,
            "mail": "a",
            "at": "2026-07-28T09:30:00",
            "env": "x",
            "rights": ["r", "r"],
        }
        assert rules(form, good | bad) == [
            ("/rate", "exclusiveMinimum"),
            ("/mail", "format"),
            ("/env", "enum"),
            ("/rights/1", "uniqueItems"),
            ("/at", "format"),
        ]

    def test_what_a_form_cannot_carry_is_refused_by_pointer(self) -> None:
        class Inner(BaseModel):
            x: int

        class Model(BaseModel):
            inner: Inner
            tags: list[str]
            either: Union[int, str]
            secret: pydantic.SecretStr

        assert refused_by(lambda: Form.of(Model)) == [
            ("/$defs/Inner/type", "not_flat"),
            ("/properties/tags/items", "not_a_choice"),
            ("/properties/either/anyOf", "several_types"),
            ("/properties/secret/format", "sensitive_field"),
        ]

    def test_what_pydantic_cannot_print_is_refused(self) -> None:
        class Model(BaseModel):
            back: Callable[[], int]

        assert refused_by(lambda: Form.of(Model)) == [("", "not_carried")]

    def test_an_alias_is_the_name_in_the_form(self) -> None:
        class Model(BaseModel):
            first: str = Field(alias="first/name", min_length=1)

            @field_validator("first")
            @classmethod
            def loud(cls, first: str) -> str:
                if not first.isupper():
                    raise ValueError("write it loud")
                return first

        form = Form.of(Model)
        assert rules(form, {"first/name": "ann"}) == [("/first~1name", "check")]
        content = form.validate({"first/name": "ANN"}).content
        assert content is not None
        assert content.first == "ANN"

    def test_a_strict_model_reads_json(self) -> None:
        class Model(BaseModel):
            model_config = ConfigDict(strict=True)
            day: datetime.date
            env: Env

        content = Form.of(Model).validate({"day": "2026-07-28", "env": "dev"}).content
        assert content == Model(day=datetime.date(2026, 7, 28), env=Env.DEV)

    def test_what_the_model_refuses_is_a_fault(self) -> None:
        form = Form.of(Stay)
        wrong = form.validate({"first": "2026-07-02", "last": "2026-07-01"})
        assert [(f.path, f.rule, f.message) for f in wrong.faults] == [
            ("", "check", "The last day is before the first.")
        ]
        wrong = form.validate({"first": "2026-07-02", "last": "2026-07-03", "guests": 13})
        assert [(f.path, f.rule, f.message) for f in wrong.faults] == [
            ("/guests", "check", "Guests: thirteen bring bad luck")
        ]
        # What the form refuses is not the model's to see.
        assert rules(form, {"first": "x", "last": "2026-07-01"}) == [("/first", "format")]

    def test_a_form_for_an_older_revision_is_of_the_same_type(self) -> None:
        old = Form.of(Stay).downgrade("2025-06-18").form
        assert "default" not in shown(old)["guests"]
        content = old.validate({"first": "2026-07-02", "last": "2026-07-03"}).content
        assert content is not None
        assert content.guests == 2
        assert rules(old, {"first": "2026-07-02", "last": "2026-07-01"}) == [("", "check")]

    def test_a_mistake_in_a_validator_goes_through(self) -> None:
        class Model(BaseModel):
            name: str

            @field_validator("name")
            @classmethod
            def broken(cls, name: str) -> str:
                raise KeyError(name)

        with pytest.raises(KeyError):
            Form.of(Model).validate({"name": "Ann"})

    def test_dataclasses_and_annotations_of_pydantics_are_left_to_it(self) -> None:
        @pydantic.dataclasses.dataclass
        class Its:
            age: int = Field(ge=18)

        @dataclasses.dataclass
        class Plain:
            age: Annotated[int, Field(ge=18, title="Your age")]
            mail: EmailStr = "a@example.com"

        # Before Python 3.12 Pydantic wants this one, not that of `typing`.
        class Dict(typing_extensions.TypedDict):
            age: Annotated[int, Field(ge=18)]

        for of in (Its, Plain, Dict):
            form = Form.of(of)
            assert shown(form)["age"]["minimum"] == 18
            assert rules(form, {"age": 17}) == [("/age", "minimum")]
        assert shown(Form.of(Plain))["age"]["title"] == "Your age"
        assert Form.of(Its).validate({"age": 18}).content == Its(age=18)
        assert Form.of(Plain).validate({"age": 18}).content == Plain(age=18)
        assert Form.of(Dict).validate({"age": 18}).content == {"age": 18}


# --- our own printer --------------------------------------------------------------------------


UserId = NewType("UserId", str)


@dataclasses.dataclass
class Everything:
    text: str
    number: int
    rate: float
    yes: bool
    env: Env
    size: Size
    pick: Literal["a", "b"]
    level: Literal[1, 2]
    terms: Literal[True]
    who: UserId
    day: datetime.date
    at: datetime.datetime
    clock: datetime.time
    ident: uuid.UUID
    maybe: Optional[int]
    or_none: str | None
    either: Literal["x", None]
    many: list[Literal["r", "w"]]
    envs: set[Env]
    sizes: frozenset[Size]
    row: tuple[Env, ...]
    seq: Sequence[Env]


CONTENT: dict[str, Any] = {
    "text": "é",
    "number": 5.0,
    "rate": 1,
    "yes": True,
    "env": "prod",
    "size": "LARGE",
    "pick": "b",
    "level": 2,
    "terms": True,
    "who": "ann",
    "day": "2026-07-28",
    "at": "2026-07-28t09:30:00.1234567Z",
    "clock": "09:30:00-02:30",
    "ident": "123e4567-e89b-12d3-a456-426614174000",
    "many": ["w", "r"],
    "envs": ["dev"],
    "sizes": ["SMALL", "LARGE"],
    "row": ["prod", "dev"],
    "seq": ["prod"],
}


class TestPrinted:
    def test_every_annotation_there_and_back(self) -> None:
        came = Form.of(Everything).validate(CONTENT).content
        assert came == Everything(
            text="é",
            number=5,
            rate=1.0,
            yes=True,
            env=Env.PROD,
            size=Size.LARGE,
            pick="b",
            level=2,
            terms=True,
            who=UserId("ann"),
            day=datetime.date(2026, 7, 28),
            at=datetime.datetime(2026, 7, 28, 9, 30, 0, 123456, datetime.timezone.utc),
            clock=datetime.time(
                9, 30, tzinfo=datetime.timezone(-datetime.timedelta(hours=2, minutes=30))
            ),
            ident=uuid.UUID(CONTENT["ident"]),
            maybe=None,
            or_none=None,
            either=None,
            many=["w", "r"],
            envs={Env.DEV},
            sizes=frozenset(Size),
            row=(Env.PROD, Env.DEV),
            seq=[Env.PROD],
        )
        assert type(came.number) is int
        assert type(came.rate) is float
        assert type(came.sizes) is frozenset

    def test_a_great_whole_number_keeps_every_digit(self) -> None:
        form = Form.of(Everything)
        for written, number in (("9007199254740993", 9007199254740993), ("1.5e22", 15 * 10**21)):
            content = json.dumps(CONTENT).replace('"number": 5.0', f'"number": {written}')
            came = form.validate(content).content
            assert came is not None
            assert came.number == number

    def test_how_fields_look(self) -> None:
        fields = shown(Form.of(Everything))
        assert fields["env"] == {"type": "string", "title": "Env", "enum": ["dev", "prod"]}
        assert fields["size"]["enum"] == ["SMALL", "LARGE"]
        assert fields["or_none"] == {"type": "string", "title": "Or none"}
        assert fields["day"]["format"] == "date"
        assert fields["many"]["items"] == {"type": "string", "enum": ["r", "w"]}
        required = json.loads(Form.of(Everything).wire)["required"]
        assert not {"maybe", "or_none", "either"} & set(required)
        assert {"text", "many", "row"} <= set(required)

    def test_defaults_are_of_the_form_where_they_can_be_written(self) -> None:
        @dataclasses.dataclass
        class Model:
            env: Env = Env.PROD
            size: Size = Size.SMALL
            day: datetime.date = datetime.date(2026, 1, 2)
            none: int | None = None
            row: tuple[Env, ...] = (Env.DEV,)
            many: list[Env] = dataclasses.field(default_factory=lambda: [Env.DEV])
            inner: int = dataclasses.field(default=7, init=False)

        form = Form.of(Model)
        defaults = {"env": "prod", "size": "SMALL", "day": "2026-01-02", "row": ["dev"]}
        assert form.defaults() == defaults
        assert "inner" not in shown(form)
        # An answer is never filled from the form: these are the dataclass's own.
        assert form.validate({}).content == Model()

    def test_a_default_that_would_be_no_answer_is_refused(self) -> None:
        @dataclasses.dataclass
        class Model:
            age: int = "old"  # type: ignore[assignment]
            at: datetime.datetime = datetime.datetime(2026, 1, 2)
            what: str = dataclasses.field(default=object())  # type: ignore[assignment]

        assert refused_by(lambda: Form.of(Model)) == [
            ("/properties/what", "not_carried"),
            ("/properties/age/default", "default"),
            ("/properties/at/default", "default"),
        ]

    def test_annotated_describes_and_bounds(self) -> None:
        @dataclasses.dataclass
        class Model:
            name: Annotated[str, "Your name", annotated_types.Len(1, 3)]
            age: Annotated[int, annotated_types.Ge(18), annotated_types.Lt(100), Doc("In years")]
            rate: Annotated[Optional[float], annotated_types.Gt(0), annotated_types.MultipleOf(0.5)]
            some: Annotated[list[Env], annotated_types.MinLen(1)]
            marked: Annotated[str, object()]

        form = Form.of(Model)
        fields = shown(form)
        assert fields["name"] == {
            "type": "string",
            "title": "Name",
            "description": "Your name",
            "minLength": 1,
            "maxLength": 3,
        }
        assert (fields["age"]["description"], fields["age"]["minimum"]) == ("In years", 18)
        assert fields["some"]["minItems"] == 1
        wrong = {"name": "", "age": 100, "rate": 0, "some": [], "marked": ""}
        assert rules(form, wrong) == [
            ("/name", "minLength"),
            ("/age", "maximum"),
            ("/rate", "exclusiveMinimum"),
            ("/some", "minItems"),
        ]
        assert rules(form, wrong | {"name": "a", "age": 18, "rate": 0.7, "some": ["dev"]}) == [
            ("/rate", "multipleOf")
        ]

    def test_what_a_form_cannot_carry_is_refused_by_pointer(self) -> None:
        @dataclasses.dataclass
        class Model:
            nested: Target
            words: list[str]
            names: dict[str, str]
            either: Union[int, str]
            anything: Any
            raw: bytes
            mixed: Literal["a", 1]
            pair: tuple[Env, Env]
            even: Annotated[int, annotated_types.Predicate(bool)]
            password: str
            fine: str

        places = refused_by(lambda: Form.of(Model))
        assert places == [
            *(
                (f"/properties/{name}", "not_carried")
                for name in (
                    *("nested", "words", "names", "either", "anything", "raw", "mixed", "pair"),
                    "even",
                )
            ),
            ("/properties/password", "sensitive_field"),
        ]

    def test_a_post_init_that_refuses_is_a_fault(self) -> None:
        @dataclasses.dataclass
        class Model:
            low: int
            high: int

            def __post_init__(self) -> None:
                if self.high < self.low:
                    raise ValueError("high is below low")

        form = Form.of(Model)
        (fault,) = form.validate({"low": 2, "high": 1}).faults
        assert (fault.path, fault.rule, fault.message) == ("", "check", "high is below low")
        assert form.validate({"low": 1, "high": 2}).content == Model(1, 2)

    def test_what_no_object_of_pythons_can_hold_is_a_fault(self) -> None:
        @dataclasses.dataclass
        class Model:
            day: Optional[datetime.date] = None
            at: Optional[datetime.datetime] = None

        form = Form.of(Model)
        assert rules(form, {"day": "0000-01-01"}) == [("/day", "check")]
        assert rules(form, {"at": "2016-12-31T23:59:60Z"}) == [("/at", "check")]

    def test_typed_dicts(self) -> None:
        class Model(TypedDict, total=False):
            name: Required[str]
            env: Env
            maybe: Optional[int]

        form = Form.of(Model)
        assert json.loads(form.wire)["required"] == ["name"]
        assert form.validate({"name": "a", "env": "dev"}).content == {"name": "a", "env": Env.DEV}

        class More(Model):
            also: Required[Optional[int]]

        # What must be there and may be None is None where it was left out.
        assert Form.of(More).validate({"name": "a"}).content == {"name": "a", "also": None}

    def test_an_enumeration_without_members_is_refused_by_its_place(self) -> None:
        class Empty(enum.Enum):
            pass

        with pytest.raises(SchemaError) as refused:
            Form.of(Empty)
        assert [fault.path for fault in refused.value.faults] == ["/properties/value"]

    def test_an_enumeration_is_a_form_of_one_field(self) -> None:
        assert json.loads(Form.of(Env).wire) == {
            "type": "object",
            "properties": {"value": {"type": "string", "title": "Env", "enum": ["dev", "prod"]}},
            "required": ["value"],
        }
        assert Form.of(Env).validate({"value": "dev"}).content is Env.DEV
        assert Form.of(Size).validate({"value": "LARGE"}).content is Size.LARGE

    def test_names_that_look_like_secrets_and_limits(self) -> None:
        @dataclasses.dataclass
        class Model:
            pin: str
            other: str = ""

        assert refused_by(lambda: Form.of(Model)) == [("/properties/pin", "sensitive_field")]
        form = Form.of(Model, allow_sensitive_name="a pin of a map")
        assert form.validate({"pin": "x"}).content == Model("x")
        # The reason belongs to that form alone.
        assert refused_by(lambda: Form.of(Model)) == [("/properties/pin", "sensitive_field")]
        tight = Limits(schema_properties=1)
        assert refused_by(lambda: Form.of(Model, limits=tight))[0][1] == "too_many_properties"


class TestOf:
    @pytest.mark.parametrize("other", [int, list, object, 5, None, [], list[int], Literal["a"]])
    def test_what_is_no_such_type(self, other: Any) -> None:
        with pytest.raises(TypeError, match="a Pydantic model"):
            Form.of(other)

    def test_a_type_is_printed_and_compiled_once(self) -> None:
        printed = []

        class Model(BaseModel):
            name: str

            @classmethod
            def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
                printed.append(1)
                return super().model_json_schema(*args, **kwargs)

        host = Host(Bench().engine, asks(Model)).answer("it", accept({"name": "Ann"}))
        assert host.call("deploy").is_complete
        assert Form.of(Model) == Form.of(Model)
        assert printed == [1]

    @pytest.mark.parametrize("kind", ["dataclass", "enum", "model", "adapted", "typed_dict"])
    def test_a_type_is_not_kept_alive(self, kind: str) -> None:
        typed_dict: Any = TypedDict
        kinds: dict[str, Callable[[], Any]] = {
            "dataclass": lambda: dataclasses.make_dataclass("Made", [("x", int)]),
            "enum": lambda: enum.Enum("Made", {"A": "a"}),
            "model": lambda: pydantic.create_model("Made", x=(int, ...)),
            "adapted": lambda: dataclasses.make_dataclass("Made", [("x", EmailStr)]),
            "typed_dict": lambda: types.new_class("Made", (typed_dict,)),
        }
        made = kinds[kind]()
        made.FORM = Form.of(made) if kind == "dataclass" else None
        Form.of(made)
        gone = weakref.ref(made)
        del made
        gc.collect()
        assert gone() is None

    def test_pydantic_is_not_imported_for_other_types(self) -> None:
        program = (
            "import dataclasses, sys, mcp_elicit\n"
            "@dataclasses.dataclass\n"
            "class T:\n    a: int\n"
            "assert mcp_elicit.Form.of(T).validate({'a': 1}).content == T(1)\n"
            "loaded = {'pydantic', 'typing_extensions', 'annotated_types'} & set(sys.modules)\n"
            "assert not loaded, loaded\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

"""Dataclasses, TypedDicts and enumerations as JSON Schema, and answers as their values.

Owns what of Python's types a form carries, and how it comes back:

- `str`, `int`, `float`, `bool`: a field of that type.
- `Literal` of texts: a choice. Of whole numbers or a truth value: only these are taken.
- an `Enum`: a choice. Of its values where all of them are texts, otherwise of its members' names;
  the value is the member. By itself it is a form of one required field, called `value`.
- `list`, `set`, `frozenset`, `tuple[X, ...]`, `Sequence`, `Set` of such a choice: any of the
  options; the value is that collection (of an abstract one a list or a frozenset).
- `Optional[X]`, `X | None`: an optional field; the value is None where it was left out.
- `date`, `datetime`, `time`, `UUID`: a text of that format, times with their offset; the value is
  the object.
- `Annotated[X, ...]`: a text, `Doc`, or a `title` and `description` describe the field; the bounds
  of `annotated_types` count. Annotations of Pydantic's leave the whole type to Pydantic.
- `NewType`, `type X = ...`: what it stands for.

A field is titled by its name. One with a default is optional; its default is in the form, unless a
factory makes it. Everything else is refused, by its place: nothing that a type demands is dropped
silently.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import enum
import json
import re
import types
import typing
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    _Read: TypeAlias = Callable[[Any], Any]

ENUM_FIELD = "value"
"""The one field of the form of an `Enum`."""

_Schema = dict[str, Any]
_MISSING = dataclasses.MISSING


class _RefusedError(Exception):
    """An annotation that a form cannot carry; says why."""


class _ForPydanticError(Exception):
    """An annotation that is Pydantic's to read."""


class Printed:
    """A type that was printed."""

    __slots__ = ("_build", "_readers", "refused", "schema", "wants_pydantic")

    def __init__(self, build: Callable[[type, dict[str, Any]], Any]) -> None:
        self.schema: _Schema = {"type": "object", "properties": {}, "required": []}
        self.refused: list[tuple[str, str]] = []
        self.wants_pydantic = False
        self._readers: dict[str, Callable[[type, Any], Any]] = {}
        self._build = build

    def add(self, name: str, hint: Any, *, required: bool, default: Any = _MISSING) -> None:
        """Prints one field."""
        try:
            schema, read = _print(hint)
            if default is not _MISSING:
                schema["default"] = _dump(default)
        except _RefusedError as refused:
            self.refused.append((f"/properties/{_escaped(name)}", str(refused)))
            return
        except _ForPydanticError:
            self.wants_pydantic = True
            return
        schema.setdefault("title", _title(name))
        self.schema["properties"][name] = schema
        if required:
            self.schema["required"].append(name)
        self._readers[name] = lambda _, value: read(value)

    def add_enum(self, members: type[enum.Enum]) -> None:
        """Prints the one field of an enumeration, which is not kept."""
        schema, _ = _enum(members)
        schema["title"] = members.__name__
        self.schema["properties"][ENUM_FIELD] = schema
        self.schema["required"].append(ENUM_FIELD)
        self._readers[ENUM_FIELD] = lambda of, value: _enum(of)[1](value)

    def read_fields(self, of: type, text: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        """The values of the fields that were answered, and those that are none."""
        values: dict[str, Any] = {}
        refused = []
        for name, value in json.loads(text, parse_float=Decimal).items():
            try:
                values[name] = self._readers[name](of, value)
            except ValueError as said:
                refused.append((f"/{_escaped(name)}", str(said)))
        return values, refused

    def build(self, of: type, values: dict[str, Any]) -> Any:
        """The value of the type."""
        return self._build(of, values)


def print_type(of: type) -> Printed | None:
    """Prints a dataclass, a TypedDict or an enumeration; None for another type."""
    if issubclass(of, enum.Enum):
        printed = Printed(lambda _, values: values[ENUM_FIELD])
        try:
            printed.add_enum(of)
        except _RefusedError as refused:
            printed.refused.append((f"/properties/{ENUM_FIELD}", str(refused)))
        return printed
    if dataclasses.is_dataclass(of):
        return _print_dataclass(of)
    if issubclass(of, dict) and hasattr(of, "__required_keys__"):
        return _print_typed_dict(of)
    return None


def _print_dataclass(of: type) -> Printed:
    printed = Printed(lambda of, values: of(**values))
    hints = _hints(of)
    fields = dataclasses.fields(of)
    for field in fields:
        if field.init:
            has_default = field.default is not _MISSING
            required = not has_default and field.default_factory is _MISSING
            hint = hints[field.name]
            printed.add(field.name, hint, required=required, default=field.default)
    known = {field.name for field in fields}
    for name, hint in hints.items():
        if name not in known and isinstance(hint, dataclasses.InitVar):
            printed.refused.append((f"/properties/{_escaped(name)}", "an InitVar is no field"))
    return printed


def _print_typed_dict(of: type) -> Printed:
    printed = Printed(lambda _, values: values)
    required_keys: frozenset[str] = of.__required_keys__  # type: ignore[attr-defined]
    for name, hint in _hints(of).items():
        required = name in required_keys
        while (qualifier := _qualifier(hint)) is not None:
            if qualifier != "ReadOnly":
                required = qualifier == "Required"
            (hint,) = get_args(hint)
        printed.add(name, hint, required=required)
    return printed


def _qualifier(hint: Any) -> str | None:
    """`Required`, `NotRequired` or `ReadOnly`, from `typing` or `typing_extensions`."""
    name = getattr(get_origin(hint), "_name", None)
    return name if name in {"Required", "NotRequired", "ReadOnly"} else None


def _hints(of: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(of, include_extras=True)
    except NameError as unknown:
        message = f"an annotation of {of.__name__} cannot be evaluated: {unknown}"
        raise TypeError(message) from unknown


# --- one annotation ---------------------------------------------------------------------------


def _print(hint: Any) -> tuple[_Schema, _Read]:
    hint = _resolved(hint)
    origin = get_origin(hint)
    if origin is Annotated:
        return _annotated(hint)
    if origin is Literal:
        return _literal(get_args(hint))
    if origin is Union or origin is types.UnionType:
        return _union(get_args(hint))
    if origin in _COLLECTIONS:
        return _collection(hint, _COLLECTIONS[origin])
    plain = _PLAIN.get(hint) if isinstance(hint, type) else None
    if plain is not None:
        schema, read = plain
        return dict(schema), read
    if _is_of_pydantic(hint):
        raise _ForPydanticError
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _enum(hint)
    raise _RefusedError(
        f"a form cannot ask for {_name(hint)}: a field is a text, a number, a truth value, a date, "
        "or a choice of texts"
    )


def _resolved(hint: Any) -> Any:
    """What a `NewType` or an alias by `type` stands for."""
    for _ in range(100):
        if isinstance(hint, typing.NewType):
            hint = hint.__supertype__
        elif type(hint).__name__ == "TypeAliasType":
            hint = hint.__value__
        else:
            return hint
    raise _RefusedError("an alias that stands for itself")


def _union(members: tuple[Any, ...]) -> tuple[_Schema, _Read]:
    some = [member for member in members if member is not type(None)]
    if len(some) != 1:
        names = ", ".join(_name(member) for member in some)
        raise _RefusedError(f"a field is of one type, or of one type and None, not of {names}")
    schema, read = _print(some[0])
    # Titles and descriptions stand beside the union, where a field's are.
    outside: _Schema = {key: schema.pop(key) for key in ("title", "description") if key in schema}
    nullable: _Schema = {"anyOf": [schema, {"type": "null"}], **outside}
    return nullable, lambda value: None if value is None else read(value)


def _literal(members: tuple[Any, ...]) -> tuple[_Schema, _Read]:
    values = [member for member in members if member is not None]
    if not values:
        raise _RefusedError("a Literal of None is no question")
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and (kind := kinds.pop()) in _LITERALS:
        schema = {"type": _LITERALS[kind], "enum": values}
        read: _Read = int if kind is int else _same
    elif all(isinstance(value, enum.Enum) for value in values):
        by_option = {_option(member): member for member in values}
        schema, read = {"type": "string", "enum": list(by_option)}, by_option.__getitem__
    else:
        raise _RefusedError("a Literal is of texts, of whole numbers, or of truth values")
    if len(values) == len(members):
        return schema, read
    nullable = {"anyOf": [schema, {"type": "null"}]}
    return nullable, lambda value: None if value is None else read(value)


def _enum(members: type[enum.Enum]) -> tuple[_Schema, _Read]:
    by_option = {_option(member): member for member in members}
    if not by_option:
        raise _RefusedError(f"{members.__name__} has no member to choose")
    return {"type": "string", "enum": list(by_option)}, by_option.__getitem__


def _option(member: enum.Enum) -> str:
    """What stands for a member of an enumeration: its value, where all of its values are texts."""
    by_value = all(isinstance(other.value, str) for other in type(member))
    return str(member.value) if by_value else member.name


def _collection(hint: Any, build: _Read) -> tuple[_Schema, _Read]:
    members = get_args(hint)
    if get_origin(hint) is tuple:
        if len(members) != 2 or members[1] is not ...:
            raise _RefusedError("a tuple of a form is of any length: tuple[X, ...]")
        members = members[:1]
    items, read = _print(members[0])
    if items.get("type") != "string" or "enum" not in items:
        raise _RefusedError(
            f"{_name(hint)} is no choice: a collection is of a Literal of texts, or of an Enum"
        )
    schema = {"type": "array", "items": items, "uniqueItems": True}
    return schema, lambda value: build(read(item) for item in value)


def _annotated(hint: Any) -> tuple[_Schema, _Read]:
    extras = list(hint.__metadata__)
    if any(_is_of_pydantic(type(extra)) for extra in extras):
        raise _ForPydanticError
    schema, read = _print(hint.__origin__)
    inner = schema["anyOf"][0] if "anyOf" in schema else schema
    for extra in extras:
        if isinstance(extra, str):
            schema["description"] = extra
            continue
        for name, key in _DESCRIPTIONS.items():
            if isinstance(said := getattr(extra, name, None), str):
                schema[key] = said
        bounds = {
            keyword: bound
            for name, keyword in _KEYWORDS.items()
            if isinstance(bound := getattr(extra, name, None), int | float | str)
        }
        if not bounds and type(extra).__module__.split(".")[0] == "annotated_types":
            raise _RefusedError(f"a form cannot carry {extra!r}")
        if inner.get("type") == "array":
            bounds = {keyword.replace("Length", "Items"): it for keyword, it in bounds.items()}
        inner.update(bounds)
    return schema, read


_DESCRIPTIONS = {"documentation": "description", "title": "title", "description": "description"}

# What `annotated_types` calls the keywords of JSON Schema. A field that does not have them is the
# core's to refuse.
_KEYWORDS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}


def _is_of_pydantic(hint: Any) -> bool:
    return str(getattr(hint, "__module__", "")).split(".")[0] in {"pydantic", "pydantic_core"}


# --- values -----------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


def _date(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError("a date is from 0001-01-01 to 9999-12-31") from None


_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[zZ]|([+-])(\d\d):(\d\d))", re.ASCII)


def _time(text: str) -> datetime.time:
    """A time of RFC 3339, which the form has checked. What is beyond microseconds is cut off."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError("a time needs its offset")
    hour, minute, second, fraction, sign, hours, minutes = match.groups()
    if second == "60":
        raise ValueError("a leap second is on no clock here; say the second before or after it")
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    zone = datetime.timezone.utc
    if sign:
        offset = datetime.timedelta(hours=int(hours), minutes=int(minutes))
        zone = datetime.timezone(-offset if sign == "-" else offset)
    return datetime.time(int(hour), int(minute), int(second), micro, zone)


def _datetime(text: str) -> datetime.datetime:
    return datetime.datetime.combine(_date(text[:10]), _time(text[11:]))


_PLAIN: dict[type, tuple[_Schema, _Read]] = {
    str: ({"type": "string"}, _same),
    int: ({"type": "integer"}, int),
    float: ({"type": "number"}, float),
    bool: ({"type": "boolean"}, _same),
    datetime.date: ({"type": "string", "format": "date"}, _date),
    datetime.datetime: ({"type": "string", "format": "date-time"}, _datetime),
    datetime.time: ({"type": "string", "format": "time"}, _time),
    uuid.UUID: ({"type": "string", "format": "uuid"}, uuid.UUID),
}

_COLLECTIONS: dict[Any, Callable[[Any], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Sequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    collections.abc.Set: frozenset,
}

_LITERALS: dict[type, str] = {str: "string", int: "integer", bool: "boolean"}


def _dump(default: Any) -> Any:
    """A default as JSON. One that is no value of its annotation is the form's to refuse."""
    if isinstance(default, enum.Enum):
        return _option(default)
    if default is None or isinstance(default, str | int | float):
        return default
    if isinstance(default, datetime.date | datetime.time):
        return default.isoformat()
    if isinstance(default, uuid.UUID):
        return str(default)
    if isinstance(default, list | tuple | set | frozenset):
        dumped = [_dump(item) for item in default]
        return dumped if isinstance(default, list | tuple) else sorted(dumped)
    raise _RefusedError(f"a default of {_name(type(default))} cannot be written into a form")


# --- names ------------------------------------------------------------------------------------


def _title(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:] or name


def _name(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")

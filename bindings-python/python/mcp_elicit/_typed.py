"""Forms of types: what a form asks for, and the answer as that type.

Owns which reader a type has, and that a type is printed and its form compiled once. A Pydantic
model prints and reads itself; dataclasses, TypedDicts and enumerations are `_printed`'s. What can
be asked and which answers count is the core's: it normalizes what is printed here, and asks again
what a reader refuses.

Nothing here imports Pydantic, unless a type was made by it.
"""

from __future__ import annotations

import dataclasses
import typing
import weakref
from typing import TYPE_CHECKING, Any

from mcp_elicit import _native
from mcp_elicit._printed import Printed, print_type

if TYPE_CHECKING:
    from collections.abc import Callable

Refused = list[tuple[str, str]]
"""Why a type refuses an answer: JSON pointers and reasons fit to be shown to a person."""

_Limits = tuple[int, int]


class _Plan:
    """What is known of a type: its schema, its forms by their limits, how its answers are read.

    Holds the type by no way: it is kept for as long as the type lives.
    """

    __slots__ = ("forms", "read", "refused", "schema")

    def __init__(
        self,
        schema: dict[str, Any],
        read: Callable[[type, str], tuple[Any, Refused | None]],
        refused: Refused,
    ) -> None:
        self.schema = schema
        self.read = read
        self.refused = refused
        self.forms: dict[_Limits | None, _native.Form[Any]] = {}


class _Reader:
    """Makes an answer, which the form accepts, a value of the type.

    Gives the value and None, or None and why the type refuses the answer. Mistakes of the type go
    through.
    """

    __slots__ = ("_plan", "_type")

    def __init__(self, of: type, plan: _Plan) -> None:
        self._type = of
        self._plan = plan

    def __call__(self, text: str, /) -> tuple[Any, Refused | None]:
        return self._plan.read(self._type, text)


_plans: weakref.WeakKeyDictionary[type, _Plan] = weakref.WeakKeyDictionary()


def form_of(of: Any, reason: str | None, limits: _Limits | None) -> _native.Form[Any]:
    """The form that asks for a value of a type. Called by `Form.of` and `Call.elicit_form`."""
    plan = _plan_of(of)
    form = plan.forms.get(limits) if reason is None else None
    if form is None:
        form = _compile(plan, reason, limits)
        if reason is None:
            plan.forms[limits] = form
    return form._with_reader(_Reader(of, plan))  # noqa: SLF001


def _compile(plan: _Plan, reason: str | None, limits: _Limits | None) -> _native.Form[Any]:
    try:
        form = _native.Form._printed(plan.schema, reason, limits)  # noqa: SLF001
    except Exception as refused:
        # Everything at once: also what could not even be printed.
        faults = getattr(refused, "faults", ())
        if not (plan.refused and faults):
            raise
        raise _cannot_be_asked(plan.refused, list(faults)) from None
    if plan.refused:
        raise _cannot_be_asked(plan.refused, [])
    return form


def _cannot_be_asked(refused: Refused, faults: list[_native.Fault]) -> Exception:
    """The error for a type that no form can ask for; its names may be no text at all."""
    clean = [(_clean(path), _clean(reason)) for path, reason in refused]
    return _native._schema_error(clean, faults)  # noqa: SLF001


def _plan_of(of: Any) -> _Plan:
    try:
        plan = _plans.get(of)
    except TypeError:  # nothing that can be kept, for example a dict
        return _make_plan(of)
    if plan is None:
        plan = _plans[of] = _make_plan(of)
    return plan


def _make_plan(of: Any) -> _Plan:
    if isinstance(of, type) and not typing.get_args(of):  # as `list[int]` is none in Python 3.10
        if callable(getattr(of, "model_json_schema", None)) and callable(
            getattr(of, "model_validate_json", None)
        ):
            return _pydantic_plan(of.model_json_schema, _read_model)  # type: ignore[attr-defined]
        if hasattr(of, "__pydantic_validator__"):  # a dataclass of Pydantic's
            return _adapter_plan(of)
        printed = print_type(of)
        if printed is not None:
            if printed.wants_pydantic:
                return _adapter_plan(of)
            return _printed_plan(printed)
    raise TypeError(
        "a form is a Form, its schema as dict or JSON as str, or a type: a Pydantic model, a "
        f"dataclass, a TypedDict or an Enum; not {_instead(of)}"
    )


def _instead(of: Any) -> str:
    """What was given in place of a form, and what to do about it."""
    # A list, a text, a Literal, a union: what a field is.
    if typing.get_origin(of) is not None:
        return f"{repr(of)[:80]}: make it a field of one of these"
    if isinstance(of, type) and of.__module__ == "builtins":
        return f"{of.__name__}: make it a field of one of these"
    if isinstance(of, type):
        return f"the type {of.__name__}"
    if _is_form(type(of)):
        return f"a value of {type(of).__name__}: give the type itself"
    return type(of).__name__


def _is_form(of: type) -> bool:
    return dataclasses.is_dataclass(of) or hasattr(of, "model_json_schema")


# --- types that we print ----------------------------------------------------------------------


def _printed_plan(printed: Printed) -> _Plan:
    def read(of: type, text: str) -> tuple[Any, Refused | None]:
        values, refused = printed.read_fields(of, text)
        if refused:
            return None, refused
        try:
            return printed.build(of, values), None
        except (ValueError, AssertionError) as said:  # a `__post_init__` that refuses
            return None, [("", _reason(said))]

    return _Plan(printed.schema, read, printed.refused)


# --- types of Pydantic's ----------------------------------------------------------------------


def _pydantic_plan(
    print_schema: Callable[[], Any],
    read: Callable[[type, str], tuple[Any, Refused | None]],
) -> _Plan:
    try:
        return _Plan(print_schema(), read, [])
    except Exception as failed:
        # It has a field that no JSON Schema can say, or names a type that is not there yet.
        if not type(failed).__module__.startswith("pydantic"):
            raise
        about = str(failed).split("\n", 1)[0]
        refused = [("", f"Pydantic cannot print it: {about}")]
        raise _cannot_be_asked(refused, []) from failed


def _read_model(of: type, text: str) -> tuple[Any, Refused | None]:
    return _validated(of.model_validate_json, text)  # type: ignore[attr-defined]


def _adapter_plan(of: type) -> _Plan:
    """A dataclass of Pydantic's, or a type whose annotations are for Pydantic to read."""
    return _pydantic_plan(lambda: _adapter(of).json_schema(), _read_adapted)


def _read_adapted(of: type, text: str) -> tuple[Any, Refused | None]:
    return _validated(_adapter(of).validate_json, text)


_ADAPTER = "__mcp_elicit_adapter__"


def _adapter(of: type) -> Any:
    """Pydantic's adapter of a type, made once. It holds the type: so the type keeps it."""
    adapter = vars(of).get(_ADAPTER)
    if adapter is None:
        import pydantic  # whose annotations it has: it is there

        adapter = pydantic.TypeAdapter(of)
        setattr(of, _ADAPTER, adapter)
    return adapter


def _validated(validate: Callable[[str], Any], text: str) -> tuple[Any, Refused | None]:
    try:
        return validate(text), None
    except ValueError as said:
        errors = getattr(said, "errors", None)
        if not callable(errors):
            raise
        found = errors(include_url=False, include_input=False)
        return None, [(_pointer(error["loc"]), _pydantic_reason(error)) for error in found]


def _pydantic_reason(error: dict[str, Any]) -> str:
    """What Pydantic says, or in its place what the author of a validator does."""
    said = error.get("ctx", {}).get("error")
    return _reason(said) if isinstance(said, Exception) else _clean(error["msg"])


def _pointer(location: tuple[str | int, ...]) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in location)
    return "".join(f"/{_clean(step)}" for step in steps)


def _reason(said: Exception) -> str:
    return _clean(str(said)) or "This answer will not do."


def _clean(text: str) -> str:
    """The text without halves of surrogates, which have no place in JSON."""
    return text.encode("utf-8", "replace").decode("utf-8")

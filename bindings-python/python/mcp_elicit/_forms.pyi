# Forms. What they do at run time is in ../../src; this says what they are.
# Import from mcp_elicit.
from collections.abc import Callable, Iterable, Sequence
from types import GenericAlias
from typing import Any, Generic, Literal, final

from typing_extensions import TypeVar

from mcp_elicit._config import Limits
from mcp_elicit._native import Fault
from mcp_elicit.types import Fate, FieldKind, Json, Revision

__all__ = [
    "Answer",
    "Choice",
    "Coerced",
    "Downgraded",
    "Field",
    "Form",
    "FormBuilder",
    "Normalized",
    "Note",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True, default=dict[str, Any])

@final
class Answer(Generic[_T_co]):
    """What a form makes of an answer."""

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @property
    def content(self) -> _T_co | None:
        """The members that the form has, as they were given; None where there are faults.

        Of a form made of a type (`Form.of`) the value of that type.
        """

    @property
    def content_json(self) -> str | None:
        """The members as JSON, with every digit as it was given."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of members that the form does not have."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that is wrong with the answer; empty where it is accepted."""

@final
class Coerced:
    """What a field makes of a text that a person typed."""

    @property
    def value(self) -> Any:
        """The value; None where the text is no answer, or is at fault."""

    @property
    def value_json(self) -> str | None:
        """The same as JSON, with every digit as it was typed."""

    @property
    def is_absent(self) -> bool:
        """Whether the field was left alone: an empty text, unless that is an answer to it."""

    @property
    def fault(self) -> Fault | None:
        """What is wrong with the text; its message does not repeat it."""

@final
class Choice:
    """An option of a choice."""

    __match_args__ = ("value", "title")

    def __new__(cls, value: str, title: str | None = None) -> Choice:
        """An option with the title that a person sees in place of the value."""

    @property
    def value(self) -> str:
        """The value that an answer holds."""

    @property
    def title(self) -> str | None:
        """The title, where the schema gives one."""

    @property
    def label(self) -> str:
        """What a person sees: the title, or the value."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Field:
    """One field of a form, to look at. Shared by threads."""

    @property
    def name(self) -> str:
        """The name: the key in the answer."""

    @property
    def title(self) -> str | None:
        """The title, where the schema gives one."""

    @property
    def label(self) -> str:
        """What a person sees: the title, or the name."""

    @property
    def description(self) -> str | None:
        """The description, where the schema gives one."""

    @property
    def kind(self) -> FieldKind:
        """What kind of answer it takes."""

    @property
    def is_required(self) -> bool:
        """Whether an answer without this field is incomplete."""

    @property
    def is_sensitive(self) -> bool:
        """Whether the field looks like a secret and was allowed all the same."""

    @property
    def default_value(self) -> Any:
        """The default; None where the schema gives none."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The options of a choice in their order; empty for any other field."""

    @property
    def min_length(self) -> int | None:
        """The fewest characters (code points) of a text, where the schema says."""

    @property
    def max_length(self) -> int | None:
        """The most characters (code points) of a text, where the schema says."""

    @property
    def format(self) -> str | None:
        """The format of a text, such as `email`, where the schema says."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns that are checked when the answer comes back, as the schema writes them."""

    @property
    def minimum(self) -> int | float | None:
        """The smallest number, where the schema says."""

    @property
    def maximum(self) -> int | float | None:
        """The greatest number, where the schema says."""

    @property
    def min_items(self) -> int | None:
        """The fewest options to choose, where the schema says."""

    @property
    def max_items(self) -> int | None:
        """The most options to choose, where the schema says."""

    def coerce(
        self, text: str, /, *, messages: dict[str, str] | None = None, show_values: bool = False
    ) -> Coerced:
        """Reads a text that a person typed as an answer to this field. For hosts and terminals.

        The whole text or nothing: never a prefix of a number, never an infinity. A truth value is
        one of true, t, yes, y, on, 1, false, f, no, n, off, 0 in any case; a choice is named by
        its value or its title, several by a list with commas or a JSON array. `messages` and
        `show_values` as in `Form.validate`.
        """

    def print(self, value: Any, /) -> str | None:
        """The text that `coerce` reads as `value`; None where it is of another type.

        To show a default, for example.
        """

@final
class Note:
    """What became of one keyword of a schema that was normalized."""

    __match_args__ = ("path", "fate", "message")

    @property
    def path(self) -> str:
        """JSON pointer to the keyword, into the schema as it was given."""

    @property
    def fate(self) -> Fate:
        """What became of it.

        wire: hosts are shown it, as it was or in other words. enforced: hosts are not shown it,
        and answers that break it are refused. dropped: it is gone, since it says nothing about
        answers, or what it says holds anyway. refused: a form cannot carry it.
        """

    @property
    def message(self) -> str:
        """How, in a sentence for the author; empty where it was kept as it was."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Normalized:
    """A schema that was normalized: the form or why there is none, and the report either way."""

    @property
    def form(self) -> Form | None:
        """The form; None where the schema is refused."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything for which it is refused."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What became of each keyword, those that were refused last."""

@final
class Downgraded(Generic[_T_co]):
    """A form as an older revision of the protocol can carry it."""

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @property
    def form(self) -> Form[_T_co]:
        """The form: its wire text is the older revision's, answers are checked as before."""

    @property
    def lost(self) -> tuple[Note, ...]:
        """What hosts are no longer shown; paths are those of the wire text before."""

@final
class Form(Generic[_T_co]):
    """A form: a requestedSchema, checked and compiled. Make it once, use it on every call.

    `Form(schema)` takes the protocol's grammar and nothing else, `Form.normalize` what type
    libraries print, `Form.of` a type, and `Form.builder` needs no schema. Immutable, shared by
    threads. Equal where the schemas are.

    Everywhere, `allow_sensitive_name` is the reason why a field whose name looks like a secret is
    none, and `limits` says how much a form may hold.
    """

    def __new__(
        cls,
        schema: Json,
        *,
        allow_sensitive_name: str | None = None,
        limits: Limits | None = None,
    ) -> Form[_T_co]:
        """Checks a schema of the protocol's grammar.

        Raises `SchemaError` with everything that is wrong in `faults`.
        """

    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...
    @staticmethod
    def normalize(
        schema: Json, *, allow_sensitive_name: str | None = None, limits: Limits | None = None
    ) -> Form:
        """Brings JSON Schema as type libraries print it into the grammar of a form.

        What hosts do not know but we can enforce (`pattern`, `exclusiveMinimum`, `multipleOf`,
        other formats) stays off the wire and is checked when the answer comes back; `report` says
        what became of each keyword. Raises `SchemaError` with everything that a form cannot carry,
        by its place in `schema`.
        """

    @staticmethod
    def explain(
        schema: Json, *, allow_sensitive_name: str | None = None, limits: Limits | None = None
    ) -> Normalized:
        """What `normalize` makes of a schema, also where there is no form in the end."""

    @staticmethod
    def of(
        model: type[_T],
        /,
        *,
        allow_sensitive_name: str | None = None,
        limits: Limits | None = None,
    ) -> Form[_T]:
        """The form that asks for a value of a type; the answer comes back as one.

        A Pydantic model (it prints and reads itself), a dataclass, a TypedDict, or an `Enum`,
        which is a form of one required field called `value`. Fields are `str`, `int`, `float`,
        `bool`, `Literal`, `Enum`, `Optional`, a `list`, `set`, `frozenset` or `tuple[X, ...]` of
        texts to choose from, `date`, `datetime`, `time` (both with offset), `UUID`; `Annotated`
        with a text describes the field, bounds as of `annotated_types` count. An `Enum` of texts
        offers its values, any other the names of its members. Annotations of Pydantic's make it
        Pydantic's to print and read.

        What the type refuses beyond its schema (a validator, a `__post_init__` that raises
        `ValueError`) is asked again like any invalid answer. A type is printed and its form
        compiled once. Raises `SchemaError` with everything that a form cannot carry, by its
        place in the schema of the type; `TypeError` for what is no such type.
        """

    @staticmethod
    def builder(
        *, allow_sensitive_name: str | None = None, limits: Limits | None = None
    ) -> FormBuilder:
        """Builds a form field by field, without any other library."""

    @staticmethod
    def messages() -> dict[str, str]:
        """The texts that faults of answers are worded with, by key: what `messages` can replace.

        A text may hold `{field}`, `{limit}` and `{choices}`.
        """

    @staticmethod
    def message_warning(message: str, /) -> Fault | None:
        """What a person may stumble over in the message that a form is asked with: a link."""

    @property
    def wire(self) -> str:
        """The schema as it goes on the wire, as JSON on one line."""

    @property
    def source(self) -> str:
        """The whole schema as JSON: also the rules that are enforced off the wire."""

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What is allowed, and what a person or a host may stumble over."""

    @property
    def report(self) -> tuple[Note, ...]:
        """What became of each keyword when the form was normalized; empty where it was not."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the order of the schema."""

    def field(self, name: str, /) -> Field | None:
        """The field of this name."""

    def validate(
        self,
        content: Json,
        *,
        unknown: Literal["drop", "refuse"] = "drop",
        messages: dict[str, str] | None = None,
        show_values: bool = False,
    ) -> Answer[_T_co]:
        """Checks an answer as the engine does: nothing is converted and nothing filled in.

        `unknown` says what happens to members that the form does not have. `messages` replaces
        texts of faults, by the keys of `Form.messages()`; `show_values` has them repeat what was
        given, shortened. A form made of a type asks the type too.

        Raises `ElicitError` (invalid_argument) for an unknown key of `messages`.
        """

    def coerce(
        self,
        texts: dict[str, str],
        *,
        messages: dict[str, str] | None = None,
        show_values: bool = False,
    ) -> Answer:
        """Reads texts that a person typed, each under the name of a field, as an answer.

        For hosts and terminals; see `Field.coerce`. Fields without a text are absent.
        """

    def defaults(self) -> dict[str, Any]:
        """The defaults of all fields that have one, also where it is 0, False or empty."""

    def with_defaults(self, content: Json, /) -> dict[str, Any]:
        """`content` with the default of each field that is absent from it and has one.

        Nothing that is there is changed, nothing is invented. For hosts.
        """

    def for_type(self, content: Json, /) -> dict[str, Any]:
        """`content` with None under each absent field that its type requires and lets be None."""

    def wire_with_defaults(self, answer: Json, /) -> str:
        """The wire text to ask the form again after `answer` had faults, as the engine does.

        What was answered well becomes the default; what may be a secret, and truth values, are
        left to be given anew.
        """

    def wire_again(self, answer: Json, only: Iterable[str], /) -> str:
        """`wire_with_defaults` of those fields only that are named."""

    @staticmethod
    def _printed(
        schema: Json, allow_sensitive_name: str | None, limits: tuple[int, int] | None, /
    ) -> Form[Any]: ...
    def _with_reader(
        self, reader: Callable[[str], tuple[Any, list[tuple[str, str]] | None]], /
    ) -> Form[Any]: ...
    def downgrade(self, revision: Revision, /) -> Downgraded[_T_co]:
        """The form as hosts of an older revision can be asked it, and what they are not shown.

        Raises `SchemaError` with each field that the revision cannot carry, `ElicitError`
        (invalid_argument) for another revision.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class FormBuilder:
    """Builds a form. Fields stand in the order of the calls; each call gives the builder back.

    Of every field, `title` is what a person sees in place of the name, `description` helps to
    answer, `required` says that an answer must hold it, and `default` is what hosts fill in.
    Two fields of one name are one. Belongs to one thread at a time.
    """

    def string(
        self,
        name: str,
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: str | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        format: str | None = None,  # noqa: A002 - the keyword's name
        pattern: str | None = None,
    ) -> FormBuilder:
        """A field for a text.

        Lengths are in characters (code points). `format` is email, uri, date or date-time; others
        that we can check, such as uuid, stay off the wire and are checked when the answer comes
        back, as does `pattern` (ECMA-262, without looking around or back).
        """

    def integer(
        self,
        name: str,
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: int | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        more_than: float | None = None,
        less_than: float | None = None,
        multiple_of: float | None = None,
    ) -> FormBuilder:
        """A field for a whole number.

        `more_than`, `less_than` and `multiple_of` stay off the wire and are checked when the
        answer comes back.
        """

    def number(
        self,
        name: str,
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: float | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        more_than: float | None = None,
        less_than: float | None = None,
        multiple_of: float | None = None,
    ) -> FormBuilder:
        """A field for a number, with bounds as of `integer`."""

    def boolean(
        self,
        name: str,
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: bool | None = None,
    ) -> FormBuilder:
        """A field for true or false."""

    def choice(
        self,
        name: str,
        options: Iterable[str | Choice],
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: str | None = None,
    ) -> FormBuilder:
        """A field for one of some options: texts, or `Choice`s with titles."""

    def choices(
        self,
        name: str,
        options: Iterable[str | Choice],
        *,
        title: str | None = None,
        description: str | None = None,
        required: bool = False,
        default: Sequence[str] | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
    ) -> FormBuilder:
        """A field for any of some options."""

    def build(self) -> Form:
        """Reads what was built. Raises `SchemaError` with everything that is wrong."""

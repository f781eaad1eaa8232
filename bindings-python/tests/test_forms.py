"""Forms: every way to make one, what can be seen of it, and what it makes of answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_elicit import Choice, ElicitError, Fault, Form, Limits, Note, SchemaError

SCHEMA: dict[str, Any] = {
    "$defs": {"Color": {"enum": ["red", "green"], "type": "string"}},
    "title": "Person",
    "type": "object",
    "properties": {
        "name": {
            "type": "string",
            "title": "Name",
            "description": "As on the card",
            "minLength": 1,
            "maxLength": 40,
            "pattern": "^[A-Z]",
        },
        "age": {"type": "integer", "minimum": 0, "maximum": 150, "default": 30},
        "rate": {"type": "number", "exclusiveMinimum": 0},
        "mail": {"type": "string", "format": "email"},
        "ok": {"type": "boolean", "default": False},
        "color": {"$ref": "#/$defs/Color"},
        "rights": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {"anyOf": [{"const": "r", "title": "Read"}, {"const": "w", "title": "Write"}]},
        },
    },
    "required": ["name"],
}
PERSON = Form.normalize(SCHEMA)


class TestNormalize:
    def test_the_report_says_what_became_of_each_keyword(self) -> None:
        report = {note.path: note for note in PERSON.report}
        assert report["/properties/name/pattern"].fate == "enforced"
        assert report["/properties/rate/exclusiveMinimum"].fate == "enforced"
        assert report["/title"].fate == "dropped"
        assert report["/properties/name/title"].fate == "wire"
        assert report["/properties/name/pattern"].message
        assert len({hash(note) for note in PERSON.report}) > 1
        match report["/title"]:
            case Note("/title", fate, _):
                assert fate == "dropped"
            case _:
                raise AssertionError

    def test_what_is_enforced_stays_off_the_wire(self) -> None:
        assert "pattern" not in PERSON.wire
        assert "pattern" in PERSON.source
        assert [fault.rule for fault in PERSON.validate({"name": "ann", "rate": 0}).faults] == [
            "pattern",
            "exclusiveMinimum",
        ]

    def test_text_is_taken_as_well(self) -> None:
        assert Form.normalize(json.dumps(SCHEMA)) == PERSON

    def test_what_no_form_can_carry_is_refused_by_pointer(self) -> None:
        schema = {
            "type": "object",
            "properties": {"in": {"type": "object", "properties": {}}, "t": {"type": "array"}},
        }
        with pytest.raises(SchemaError) as refused:
            Form.normalize(schema)
        assert [(fault.path, fault.rule) for fault in refused.value.faults] == [
            ("/properties/in/type", "not_flat"),
            ("/properties/t/items", "not_a_choice"),
        ]
        explained = Form.explain(schema)
        assert explained.form is None
        assert explained.faults == refused.value.faults
        assert "refused" in {note.fate for note in explained.notes}
        assert repr(explained).startswith("<Normalized to refused")

    @pytest.mark.parametrize("schema", ["{", '{"a":1,"a":2}', {"a": float("nan")}])
    def test_what_is_no_json_is_refused_too(self, schema: Any) -> None:
        for entry in (Form.normalize, Form):
            with pytest.raises(SchemaError) as refused:
                entry(schema)
            assert [fault.rule for fault in refused.value.faults] == ["json"]
        assert [fault.rule for fault in Form.explain(schema).faults] == ["json"]

    def test_limits_and_names_that_look_like_secrets(self) -> None:
        schema = {"type": "object", "properties": {"pin": {"type": "string"}}}
        for entry in (Form.normalize, Form):
            with pytest.raises(SchemaError) as refused:
                entry(schema)
            assert [fault.rule for fault in refused.value.faults] == ["sensitive_field"]
            form = entry(schema, allow_sensitive_name="the pin of a map")
            assert form.fields[0].is_sensitive
            assert "sensitive_allowed" in {warning.rule for warning in form.warnings}
            with pytest.raises(SchemaError) as refused:
                entry(SCHEMA if entry is Form.normalize else schema, limits=few(0))
            assert "too_many_properties" in {fault.rule for fault in refused.value.faults}


def few(properties: int) -> Limits:
    return Limits(schema_properties=properties)


class TestFields:
    def test_every_member_of_a_field(self) -> None:
        name = PERSON.field("name")
        assert name is not None
        assert (name.name, name.title, name.label, name.kind) == ("name", "Name", "Name", "string")
        assert name.description == "As on the card"
        assert (name.min_length, name.max_length) == (1, 40)
        assert name.patterns == ("^[A-Z]",)
        assert name.is_required
        assert not name.is_sensitive
        assert name.default_value is None
        assert name.choices == ()
        assert "minLength" in repr(name)

    def test_kinds_and_bounds(self) -> None:
        assert [field.kind for field in PERSON.fields] == [
            *("string", "integer", "number", "string", "boolean", "choice", "choices"),
        ]
        _, age, rate, mail, ok, color, rights = PERSON.fields
        assert (age.minimum, age.maximum, age.default_value) == (0, 150, 30)
        assert (rate.minimum, rate.maximum, rate.title, rate.label) == (None, None, None, "rate")
        assert mail.format == "email"
        assert ok.default_value is False
        assert color.choices == (Choice("red"), Choice("green"))
        assert rights.choices == (Choice("r", "Read"), Choice("w", "Write"))
        assert (rights.min_items, rights.max_items) == (1, 2)
        assert PERSON.field("other") is None

    def test_choices_are_values(self) -> None:
        read = Choice("r", "Read")
        assert (read.value, read.title, read.label) == ("r", "Read", "Read")
        assert Choice("r").label == "r"
        assert len({read, Choice("r", "Read"), Choice("r")}) == 2
        assert repr(read) == 'Choice("r", "Read")'


class TestCoerce:
    def test_a_field_reads_what_a_person_types(self) -> None:
        _, age, rate, _, ok, color, rights = PERSON.fields
        assert age.coerce(" 42 ").value == 42
        assert rate.coerce(".5").value_json == "0.5"
        assert ok.coerce("Yes").value is True
        assert color.coerce("RED").value == "red"
        assert rights.coerce("Read, w").value == ["r", "w"]
        assert rights.print(["r", "w"]) == "r, w"
        assert age.print("x") is None
        blank = age.coerce("  ")
        assert blank.is_absent
        assert blank.fault is None
        assert repr(blank) == "<Coerced absent>"

    def test_a_fault_does_not_repeat_the_text_unless_asked_to(self) -> None:
        age = PERSON.fields[1]
        wrong = age.coerce("200")
        assert wrong.fault is not None
        assert (wrong.fault.path, wrong.fault.rule, wrong.value) == ("/age", "maximum", None)
        assert not wrong.is_absent
        assert "200" not in wrong.fault.message
        shown = age.coerce("200", show_values=True).fault
        assert shown is not None
        assert "200" in shown.message
        own = age.coerce("200", messages={"maximum": "{field} ist zu groß"}).fault
        assert own is not None
        assert own.message == "age ist zu groß"

    def test_a_form_reads_all_its_texts(self) -> None:
        read = PERSON.coerce({"name": "Ann", "age": "", "rights": "w", "ok": "no"})
        assert read.content == {"name": "Ann", "ok": False, "rights": ["w"]}
        faulty = PERSON.coerce({"age": "-1", "other": "x"})
        assert [(fault.path, fault.rule) for fault in faulty.faults] == [
            ("/age", "minimum"),
            ("/other", "additionalProperties"),
            ("/name", "required"),
        ]
        assert faulty.content is None


class TestValidate:
    def test_messages_come_from_a_catalogue(self) -> None:
        texts = Form.messages()
        assert {"required", "check.field", "reask"} <= set(texts)
        answer = PERSON.validate({}, messages={"required": "{field} fehlt"})
        assert answer.faults == PERSON.validate({}, messages={"required": "{field} fehlt"}).faults
        assert [fault.message for fault in answer.faults] == ["Name fehlt"]
        with pytest.raises(ElicitError) as refused:
            PERSON.validate({}, messages={"nothing": "x"})
        assert refused.value.kind == "invalid_argument"

    def test_values_are_shown_when_asked_for(self) -> None:
        content = {"name": "Ann", "age": 777}
        (fault,) = PERSON.validate(content).faults
        assert "777" not in fault.message
        (fault,) = PERSON.validate(content, show_values=True).faults
        assert "777" in fault.message

    def test_the_three_answers_of_name_and_age(self) -> None:
        form = Form.builder().string("name", required=True).integer("age", minimum=0).build()
        rules = [
            [(fault.path, fault.rule) for fault in form.validate(content).faults]
            for content in ({}, {"name": 42}, {"name": "Alice", "age": -5})
        ]
        assert rules == [[("/name", "required")], [("/name", "type")], [("/age", "minimum")]]

    def test_defaults_are_filled_for_hosts_and_never_in_an_answer(self) -> None:
        form = Form.builder().boolean("ok", required=True, default=True).build()
        assert form.defaults() == form.with_defaults("{}") == {"ok": True}
        assert [fault.rule for fault in form.validate({}).faults] == ["required"]
        assert [fault.rule for fault in form.validate({"ok": "true"}).faults] == ["type"]

    def test_a_form_is_asked_again_with_what_was_answered_well(self) -> None:
        again = json.loads(PERSON.wire_with_defaults({"name": "Ann", "age": -1, "ok": True}))
        fields = again["properties"]
        assert fields["name"]["default"] == "Ann"
        assert fields["age"]["default"] == 30
        assert "default" not in fields["ok"]
        only = json.loads(PERSON.wire_again({}, {"age", "name"}))
        assert (list(only["properties"]), only["required"]) == (["name", "age"], ["name"])
        with pytest.raises(TypeError):
            PERSON.wire_again({}, "age")


class TestDowngrade:
    def test_what_hosts_are_no_longer_shown_is_told(self) -> None:
        form = (
            Form.builder()
            .choice("env", [Choice("d", "Dev"), "p"], default="d")
            .string("name", pattern="^a")
            .build()
        )
        down = form.downgrade("2025-06-18")
        assert json.loads(down.form.wire)["properties"]["env"] == {
            "type": "string",
            "enum": ["d", "p"],
            "enumNames": ["Dev", "p"],
        }
        assert [note.path for note in down.lost] == ["/properties/env/default"]
        assert [fault.rule for fault in down.form.validate({"name": "b"}).faults] == ["pattern"]
        assert form.downgrade("2025-11-25").lost == ()

    def test_what_cannot_be_carried_is_refused(self) -> None:
        with pytest.raises(SchemaError) as refused:
            PERSON.downgrade("2025-06-18")
        assert [(f.path, f.rule) for f in refused.value.faults] == [
            ("/properties/rights", "downgrade")
        ]
        revision: Any = "2024-11-05"
        with pytest.raises(ElicitError) as wrong:
            PERSON.downgrade(revision)
        assert wrong.value.kind == "invalid_argument"


class TestBuilder:
    def test_every_kind_of_field_with_every_keyword(self) -> None:
        common: dict[str, Any] = {"title": "T", "description": "D", "required": True}
        numbers: dict[str, Any] = {"minimum": 0, "maximum": 10.5, "more_than": -1, "less_than": 11}
        form = (
            Form.builder()
            .string("s", **common, default="abc", min_length=1, max_length=5, pattern="^a")
            .string("f", format="uuid")
            .integer("i", **common, **numbers, multiple_of=2, default=4)
            .number("n", default=0.5)
            .boolean("b", **common, default=True)
            .choice("c", ["x", Choice("y", "Why")], **common, default="y")
            .choices("m", ("x", "y"), **common, default=["x"], min_items=1, max_items=2)
            .build()
        )
        described = {"title": "T", "description": "D"}
        assert json.loads(form.source) == {
            "type": "object",
            "properties": {
                "s": {
                    "type": "string",
                    **described,
                    "default": "abc",
                    "minLength": 1,
                    "maxLength": 5,
                    "pattern": "^a",
                },
                "f": {"type": "string", "format": "uuid"},
                "i": {
                    "type": "integer",
                    **described,
                    "default": 4,
                    "minimum": 0,
                    "maximum": 10.5,
                    "exclusiveMinimum": -1,
                    "exclusiveMaximum": 11,
                    "multipleOf": 2,
                },
                "n": {"type": "number", "default": 0.5},
                "b": {"type": "boolean", **described, "default": True},
                "c": {
                    "type": "string",
                    "oneOf": [{"const": "x", "title": "x"}, {"const": "y", "title": "Why"}],
                    **described,
                    "default": "y",
                },
                "m": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["x", "y"]},
                    **described,
                    "default": ["x"],
                    "minItems": 1,
                    "maxItems": 2,
                },
            },
            "required": ["s", "i", "b", "c", "m"],
        }
        assert "pattern" not in form.wire
        assert "uuid" not in form.wire

    def test_what_cannot_be_asked_is_refused_when_it_is_built(self) -> None:
        builder = Form.builder().integer("a", minimum=2, maximum=1).choice("b", [])
        with pytest.raises(SchemaError) as refused:
            builder.number("c", minimum=float("inf")).build()
        places = {fault.path.split("/")[2]: fault.rule for fault in refused.value.faults}
        assert places == {"a": "number_bounds", "b": "no_options", "c": "keyword_type"}

    def test_limits_and_names_that_look_like_secrets(self) -> None:
        with pytest.raises(SchemaError):
            Form.builder().string("password").build()
        reason = "the password of a game"
        assert Form.builder(allow_sensitive_name=reason).string("password").build().warnings
        with pytest.raises(SchemaError):
            Form.builder(limits=few(1)).string("a").string("b").build()

    def test_values_of_other_types_are_refused(self) -> None:
        wrong: Any = Form.builder()
        calls: list[Callable[[], Any]] = [
            lambda: wrong.string("a", min_length=1.5),
            lambda: wrong.string("a", min_length=True),
            lambda: wrong.integer("a", minimum="1"),
            lambda: wrong.integer("a", default=True),
            lambda: wrong.choice("a", "abc"),
            lambda: wrong.choice("a", [1]),
            lambda: wrong.boolean("a", True),
        ]
        for call in calls:
            with pytest.raises(TypeError):
                call()
        calls = [
            lambda: wrong.string("a", min_length=-1),
            lambda: wrong.choices("a", ["b"], max_items=2**64),
            lambda: wrong.integer("a", minimum=2**64),
        ]
        for call in calls:
            with pytest.raises(ElicitError) as refused:
                call()
            assert refused.value.kind == "invalid_argument"
        assert wrong.integer("a", maximum=2**64 - 1).build().fields[0].maximum == 2**64 - 1


def test_a_link_in_a_message_is_warned_of() -> None:
    warning = Form.message_warning("See https://example.com")
    assert isinstance(warning, Fault)
    assert (warning.path, warning.rule) == ("/message", "link_in_text")
    assert Form.message_warning("Which environment?") is None

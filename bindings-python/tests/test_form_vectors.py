"""The shared vectors of forms: schema-*.json, as tests/vectors/README.md says how to run them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from mcp_elicit import Form, Limits, SchemaError
from support import printed, vectors

FATES = {"wire", "enforced", "dropped", "refused"}


def cases(*names: str) -> list[Any]:
    """Cases of some files as parameters, by their names."""
    found = [case for name in names for case in vectors(f"schema-{name}.json")["cases"]]
    return [pytest.param(case, id=case["name"]) for case in found]


def text_of(case: dict[str, Any], key: str) -> str:
    """JSON of a vector: as it is written, or printed."""
    return str(case[key + "Text"]) if key + "Text" in case else printed(case[key])


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    limits = case.get("limits", {})
    return {
        "allow_sensitive_name": case.get("allowSensitiveName"),
        "limits": Limits(
            schema_properties=limits.get("properties"), schema_options=limits.get("options")
        ),
    }


def form_of(case: dict[str, Any], make: Callable[..., Form] = Form) -> Form:
    return make(text_of(case, "schema"), **options_of(case))


def places(faults: Any) -> list[dict[str, str]]:
    assert all(fault.message for fault in faults)
    return [{"path": fault.path, "rule": fault.rule} for fault in faults]


def check_answers(form: Form, case: dict[str, Any]) -> None:
    for answer in case.get("answers", []):
        checked = form.validate(text_of(answer, "content"), unknown=answer.get("unknown", "drop"))
        assert places(checked.faults) == answer.get("faults", [])
        if "faults" in answer:
            assert checked.content is None
            assert checked.content_json is None
            continue
        kept = "kept" if "kept" in answer or "keptText" in answer else "content"
        assert checked.content_json is not None
        if "contentText" in answer:
            assert checked.content_json == text_of(answer, kept)
        else:  # Python's JSON has lost how fractions were written
            assert json.loads(checked.content_json) == json.loads(text_of(answer, kept))
        assert list(checked.dropped) == answer.get("dropped", [])


@pytest.mark.parametrize("case", cases("parse"))
def test_parse(case: dict[str, Any]) -> None:
    if "faults" in case:
        with pytest.raises(SchemaError) as refused:
            form_of(case)
        assert places(refused.value.faults) == case["faults"]
        return
    form = form_of(case)
    wanted = case["wire"] if "wire" in case else text_of(case, "schema")
    assert form.wire == (wanted if isinstance(wanted, str) else printed(wanted))
    assert form.source == form.wire
    assert places(form.warnings) == case.get("warnings", [])
    assert form.report == ()


@pytest.mark.parametrize("case", cases("validate"))
def test_validate(case: dict[str, Any]) -> None:
    check_answers(form_of(case), case)


@pytest.mark.parametrize("case", cases("normalize", "printed"))
def test_normalize(case: dict[str, Any]) -> None:
    explained = Form.explain(text_of(case, "schema"), **options_of(case))
    by_fate = {
        fate: sorted(note.path for note in explained.notes if note.fate == fate) for fate in FATES
    }
    assert all(note.path == "" or note.path.startswith("/") for note in explained.notes)
    assert all(note.fate in FATES for note in explained.notes)
    if "faults" in case:
        with pytest.raises(SchemaError) as refused:
            form_of(case, Form.normalize)
        assert places(refused.value.faults) == case["faults"]
        assert explained.form is None
        assert explained.faults == refused.value.faults
        assert by_fate["refused"] == sorted(fault["path"] for fault in case["faults"])
        return
    form = form_of(case, Form.normalize)
    assert form == explained.form
    assert explained.faults == ()
    assert form.report == explained.notes
    assert form.wire == text_of(case, "wire")
    for fate in ("enforced", "dropped"):
        if fate in case:
            assert by_fate[fate] == sorted(case[fate])
    # Normalize is idempotent, and what it writes is of the grammar.
    assert Form.normalize(form.source, **options_of(case)).source == form.source
    assert Form(form.wire, **options_of(case)).wire == form.wire
    check_answers(form, case)
    if "nulls" in case:
        found = form.for_type(text_of(case["nulls"], "content"))
        assert printed(found) == text_of(case["nulls"], "forType")


@pytest.mark.parametrize("case", cases("coerce"))
def test_coerce(case: dict[str, Any]) -> None:
    field = Form({"type": "object", "properties": {"f": case["field"]}}).fields[0]
    for typed in case["texts"]:
        came = field.coerce(typed["text"])
        assert came.is_absent == typed.get("absent", False)
        if "rule" in typed:
            assert came.fault is not None
            assert places([came.fault]) == [
                {"path": typed.get("path", "/f"), "rule": typed["rule"]}
            ]
            assert came.value is None
            continue
        assert came.fault is None
        if came.is_absent:
            assert came.value is None
            assert came.value_json is None
            continue
        assert came.value_json == text_of(typed, "value")
        shown = field.print(came.value)
        assert shown is not None
        assert field.coerce(shown).value == came.value


@pytest.mark.parametrize("case", cases("defaults"))
def test_defaults(case: dict[str, Any]) -> None:
    form = form_of(case)
    for filled in case.get("filled", []):
        came = form.with_defaults(text_of(filled, "content"))
        assert printed(came) == text_of(filled, "result")
        if filled["content"] == {}:
            assert form.defaults() == came
    for again in case.get("again", []):
        answer = text_of(again, "answer")
        wire = (
            form.wire_again(answer, again["only"])
            if "only" in again
            else form.wire_with_defaults(answer)
        )
        assert wire == text_of(again, "wire")
        assert Form(wire, **options_of(case))


@pytest.mark.parametrize("case", cases("downgrade"))
def test_downgrade(case: dict[str, Any]) -> None:
    form = form_of(case, Form.normalize if case.get("normalize") else Form)
    if "faults" in case:
        with pytest.raises(SchemaError) as refused:
            form.downgrade(case["revision"])
        assert places(refused.value.faults) == case["faults"]
        return
    down = form.downgrade(case["revision"])
    assert down.form.wire == text_of(case, "wire")
    assert [note.path for note in down.lost] == case.get("lost", [])
    assert all(note.fate == "dropped" and note.message for note in down.lost)
    check_answers(down.form, case)

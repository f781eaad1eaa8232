//! What a form is made of, to look at: `Field`, `Choice`, `Note`, and what was made of a form.

use mcp_elicit::schema;
use mcp_elicit::{Json, Value};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::answer::Coerced;
use crate::boundary::boundary;
use crate::error::faults;
use crate::form::Form;
use crate::json;
use crate::options::messages;
use crate::text::{self, text_or_none};

/// One field of a form. Read-only.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Field {
    form: mcp_elicit::Form,
    field: schema::Field,
}

impl Field {
    /// The field at a position that the form has.
    pub(crate) fn of(form: &mcp_elicit::Form, at: usize) -> Self {
        Self { form: form.clone(), field: form.fields()[at].clone() }
    }
}

/// A bound as a number.
fn bound<'py>(py: Python<'py>, text: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    boundary(py, || text.map(|text| json::to_py(py, json::read(py, text)?.root())).transpose())
}

#[pymethods]
impl Field {
    /// The name: the key in the answer.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// The title, where the schema gives one.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.field.title()
    }

    /// What a person sees: the title, or the name.
    #[getter]
    fn label(&self) -> &str {
        self.field.label()
    }

    /// The description, where the schema gives one.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.field.description()
    }

    /// `string`, `integer`, `number`, `boolean`, `choice` or `choices`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.field.kind().name()
    }

    /// Whether an answer without this field is incomplete.
    #[getter]
    fn is_required(&self) -> bool {
        self.field.is_required()
    }

    /// Whether the field looks like a secret and was allowed all the same.
    #[getter]
    fn is_sensitive(&self) -> bool {
        self.field.is_sensitive()
    }

    /// The default, where the schema gives one.
    #[getter]
    fn default_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.field.default_value().map(|value| json::to_py(py, value)).transpose())
    }

    /// The options of a choice in their order; empty for any other field.
    #[getter]
    fn choices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.field.choices().iter().map(|choice| Choice(choice.clone())))
    }

    /// The fewest characters of a text, where the schema says.
    #[getter]
    fn min_length(&self) -> Option<u64> {
        self.field.min_length()
    }

    /// The most characters of a text, where the schema says.
    #[getter]
    fn max_length(&self) -> Option<u64> {
        self.field.max_length()
    }

    /// The format of a text, such as `email`, where the schema says.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.field.format()
    }

    /// The patterns that are checked when the answer comes back.
    #[getter]
    fn patterns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.field.patterns().collect::<Vec<_>>())
    }

    /// The smallest number, where the schema says.
    #[getter]
    fn minimum<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        bound(py, self.field.minimum())
    }

    /// The greatest number, where the schema says.
    #[getter]
    fn maximum<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        bound(py, self.field.maximum())
    }

    /// The fewest options to choose, where the schema says.
    #[getter]
    fn min_items(&self) -> Option<u64> {
        self.field.min_items()
    }

    /// The most options to choose, where the schema says.
    #[getter]
    fn max_items(&self) -> Option<u64> {
        self.field.max_items()
    }

    /// Reads a text that a person typed as an answer to this field.
    #[pyo3(signature = (text, /, *, messages=None, show_values=false))]
    fn coerce(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        show_values: bool,
    ) -> PyResult<Coerced> {
        boundary(py, || {
            let messages = self::messages(messages)?.show_values(show_values);
            let text = text::text(text, "text")?;
            Ok(Coerced(self.field.coerce_with(text, &messages)))
        })
    }

    /// The text that `coerce` reads as a value.
    #[pyo3(signature = (value, /))]
    fn print(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let py = value.py();
        boundary(py, || {
            let value = json::read(py, &json::write(value)?)?;
            Ok(self.field.print(value.root()))
        })
    }

    fn __repr__(&self) -> String {
        let source = Json::parse(self.form.source()).ok();
        let schema = source.as_ref().and_then(|source| {
            source.root().get("properties")?.get(self.field.name()).map(Value::compact)
        });
        format!("<Field {:?}: {}>", self.field.name(), schema.unwrap_or_default())
    }
}

/// An option of a choice.
#[pyclass(frozen, eq, hash, module = "mcp_elicit")]
#[derive(PartialEq, Eq)]
pub(crate) struct Choice(pub(crate) schema::Choice);

impl std::hash::Hash for Choice {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.0.value(), self.0.title()).hash(state);
    }
}

#[pymethods]
impl Choice {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("value", "title");

    /// An option with the title that a person sees in place of the value.
    #[new]
    #[pyo3(signature = (value, title=None))]
    fn new(value: &Bound<'_, PyAny>, title: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let value = text::text(value, "value")?;
        Ok(Self(match text_or_none(title, "title")? {
            Some(title) => schema::Choice::titled(value, title),
            None => schema::Choice::from(value),
        }))
    }

    /// The value that an answer holds.
    #[getter]
    fn value(&self) -> &str {
        self.0.value()
    }

    /// The title, where the schema gives one.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.0.title()
    }

    /// What a person sees: the title, or the value.
    #[getter]
    fn label(&self) -> &str {
        self.0.label()
    }

    fn __repr__(&self) -> String {
        match self.0.title() {
            Some(title) => format!("Choice({:?}, {title:?})", self.0.value()),
            None => format!("Choice({:?})", self.0.value()),
        }
    }
}

/// What became of one keyword of a schema.
#[pyclass(frozen, eq, hash, get_all, module = "mcp_elicit")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Note {
    /// JSON pointer to the keyword, into the schema as it was given.
    path: String,
    /// What became of it: `wire`, `enforced`, `dropped` or `refused`.
    fate: &'static str,
    /// How, in a sentence; empty where it was kept as it was.
    message: String,
}

#[pymethods]
impl Note {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("path", "fate", "message");

    fn __repr__(&self) -> String {
        format!("Note(path={:?}, fate={:?}, message={:?})", self.path, self.fate, self.message)
    }
}

/// Notes as a tuple of [`Note`].
pub(crate) fn notes<'py>(py: Python<'py>, notes: &[schema::Note]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(
        py,
        notes.iter().map(|note| Note {
            path: note.path.clone(),
            fate: note.fate.name(),
            message: note.message.to_string(),
        }),
    )
}

/// A form as an older revision can carry it.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Downgraded {
    pub(crate) form: Py<Form>,
    pub(crate) lost: Vec<schema::Note>,
}

#[pymethods]
impl Downgraded {
    /// `Downgraded[T]`, for annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// The form: its wire text is the older revision's, answers are checked as before.
    #[getter]
    fn form(&self, py: Python<'_>) -> Py<Form> {
        self.form.clone_ref(py)
    }

    /// What hosts are no longer shown.
    #[getter]
    fn lost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || notes(py, &self.lost))
    }

    fn __repr__(&self) -> String {
        format!("<Downgraded with {} losses>", self.lost.len())
    }
}

/// A schema that was normalized: the form or why there is none, and the report either way.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Normalized(pub(crate) schema::Normalized);

#[pymethods]
impl Normalized {
    /// The form; None where the schema is refused.
    #[getter]
    fn form(&self) -> Option<Form> {
        self.0.form.as_ref().ok().cloned().map(Form::from)
    }

    /// Everything for which it is refused.
    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || faults(py, self.0.form.as_ref().err().map_or(&[][..], |e| e.faults())))
    }

    /// What became of each keyword, those that were refused last.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || notes(py, &self.0.notes))
    }

    fn __repr__(&self) -> String {
        let end = if self.0.form.is_ok() { "a form" } else { "refused" };
        format!("<Normalized to {end}, {} notes>", self.0.notes.len())
    }
}

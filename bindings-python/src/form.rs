//! `Form`: a requestedSchema, checked and compiled.

use std::hash::{Hash, Hasher};

use mcp_elicit::schema::{Revision, SchemaLimits, UnknownFields, ValidateOptions, explain_text};
use mcp_elicit::{Error, ErrorKind, FormOptions, Json};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::answer::Answer;
use crate::boundary::boundary;
use crate::builder::FormBuilder;
use crate::error::{Fault, faults, raise};
use crate::field::{Downgraded, Field, Normalized, notes};
use crate::json::{self, type_error};
use crate::limits::Limits;
use crate::options::messages;
use crate::text::{text, text_or_none, texts};
use crate::typed;

/// A form: a requestedSchema, checked and compiled. Make it once, use it on every call.
#[pyclass(frozen, eq, hash, module = "mcp_elicit")]
pub(crate) struct Form {
    pub(crate) form: mcp_elicit::Form,
    /// What makes an answer a value of the type behind the form, where there is one.
    pub(crate) reader: Option<Py<PyAny>>,
}

/// Forms are equal where their schemas are.
impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Eq for Form {}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.form.source().hash(state);
    }
}

impl From<mcp_elicit::Form> for Form {
    fn from(form: mcp_elicit::Form) -> Self {
        Self { form, reader: None }
    }
}

/// Reads a schema as dict, or as JSON.
pub(crate) fn compile(
    schema: &Bound<'_, PyAny>,
    options: &FormOptions,
) -> PyResult<mcp_elicit::Form> {
    let text = json::text_of(schema, "a schema")?;
    mcp_elicit::Form::parse_with(&text, options).map_err(|error| raise(schema.py(), error))
}

/// How a schema is read, by the keyword arguments of every way to make a form.
pub(crate) fn form_options(
    allow_sensitive_name: Option<&Bound<'_, PyAny>>,
    limits: Option<SchemaLimits>,
) -> PyResult<FormOptions> {
    let mut options = FormOptions::new();
    if let Some(limits) = limits {
        options = options.limits(limits);
    }
    if let Some(reason) = text_or_none(allow_sensitive_name, "allow_sensitive_name")? {
        options = options.allow_sensitive_name(reason);
    }
    Ok(options)
}

pub(crate) fn schema_limits(limits: Option<&Bound<'_, Limits>>) -> Option<SchemaLimits> {
    limits.map(|limits| limits.get().0.schema())
}

/// The form that asks for a value of a type: compiled once a type.
pub(crate) fn form_of<'py>(
    of: &Bound<'py, PyAny>,
    allow_sensitive_name: Option<&Bound<'py, PyAny>>,
    limits: Option<SchemaLimits>,
) -> PyResult<Bound<'py, Form>> {
    static FORM_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let limits = limits.map(|limits| (limits.properties, limits.options));
    text_or_none(allow_sensitive_name, "allow_sensitive_name")?;
    let made = FORM_OF.import(of.py(), "mcp_elicit._typed", "form_of")?.call1((
        of,
        allow_sensitive_name,
        limits,
    ))?;
    Ok(made.cast_into::<Form>()?)
}

/// A text that was typed, under the name of a field.
fn text_of_field(
    (name, typed): (Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> PyResult<(String, String)> {
    Ok((text(&name, "the name of a field")?.to_owned(), text(&typed, "a text")?.to_owned()))
}

impl Form {
    fn read_content(&self, content: &Bound<'_, PyAny>) -> PyResult<Json> {
        json::read(content.py(), &json::text_of(content, "an answer")?)
    }
}

#[pymethods]
impl Form {
    /// Checks a schema of the protocol's grammar: dict, or JSON as str.
    #[new]
    #[pyo3(signature = (schema, *, allow_sensitive_name=None, limits=None))]
    fn new(
        schema: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Self> {
        boundary(schema.py(), || {
            let options = form_options(allow_sensitive_name, schema_limits(limits))?;
            compile(schema, &options).map(Self::from)
        })
    }

    /// `Form[T]`, for annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// Brings JSON Schema as type libraries print it into the grammar of a form.
    #[staticmethod]
    #[pyo3(signature = (schema, *, allow_sensitive_name=None, limits=None))]
    fn normalize(
        schema: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Self> {
        let py = schema.py();
        boundary(py, || {
            let text = json::text_of(schema, "a schema")?;
            let options = form_options(allow_sensitive_name, schema_limits(limits))?;
            let form = mcp_elicit::Form::normalize_with(&text, &options);
            form.map(Self::from).map_err(|error| raise(py, error))
        })
    }

    /// Tells what becomes of each keyword of a schema, also where there is no form in the end.
    #[staticmethod]
    #[pyo3(signature = (schema, *, allow_sensitive_name=None, limits=None))]
    fn explain(
        schema: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Normalized> {
        boundary(schema.py(), || {
            let text = json::text_of(schema, "a schema")?;
            let options = form_options(allow_sensitive_name, schema_limits(limits))?;
            Ok(Normalized(explain_text(&text, &options)))
        })
    }

    /// The form that asks for a value of a type.
    #[staticmethod]
    #[pyo3(signature = (model, /, *, allow_sensitive_name=None, limits=None))]
    fn of<'py>(
        model: &Bound<'py, PyAny>,
        allow_sensitive_name: Option<&Bound<'py, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Bound<'py, Self>> {
        boundary(model.py(), || form_of(model, allow_sensitive_name, schema_limits(limits)))
    }

    /// For `of`: a form of a schema that was printed, without a type.
    #[staticmethod]
    #[pyo3(name = "_printed", signature = (schema, allow_sensitive_name, limits, /))]
    fn printed(
        schema: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        limits: Option<(usize, usize)>,
    ) -> PyResult<Self> {
        let py = schema.py();
        boundary(py, || {
            let text = json::text_of(schema, "a schema")?;
            let limits = limits.map(|(properties, options)| SchemaLimits { properties, options });
            let options = form_options(allow_sensitive_name, limits)?;
            let form = mcp_elicit::Form::normalize_with(&text, &options);
            form.map(Self::from).map_err(|error| raise(py, error))
        })
    }

    /// For `of`: the same form, whose answers a reader makes values of a type.
    #[pyo3(name = "_with_reader", signature = (reader, /))]
    fn with_reader(&self, reader: Py<PyAny>) -> Self {
        Self { form: self.form.clone(), reader: Some(reader) }
    }

    /// Builds a form field by field.
    #[staticmethod]
    #[pyo3(signature = (*, allow_sensitive_name=None, limits=None))]
    fn builder(
        py: Python<'_>,
        allow_sensitive_name: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<FormBuilder> {
        boundary(py, || {
            let options = form_options(allow_sensitive_name, schema_limits(limits))?;
            Ok(FormBuilder::new(mcp_elicit::Form::builder().options(options)))
        })
    }

    /// The texts that faults of answers are worded with, by key.
    #[staticmethod]
    fn messages(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let texts = PyDict::new(py);
        for (key, text) in mcp_elicit::schema::Messages::catalogue() {
            texts.set_item(key, text)?;
        }
        Ok(texts)
    }

    /// What a person may stumble over in the message that a form is asked with.
    #[staticmethod]
    #[pyo3(signature = (message, /))]
    fn message_warning(py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<Option<Fault>> {
        boundary(py, || {
            let message = text(message, "message")?;
            Ok(mcp_elicit::Form::message_warning(message).map(Fault::from))
        })
    }

    /// The schema as it goes on the wire, as JSON.
    #[getter]
    fn wire(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.form.wire()))
    }

    /// The schema as it was given, rules enforced off the wire included, as JSON.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.form.source()))
    }

    /// What is allowed and probably not meant.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || faults(py, self.form.warnings()))
    }

    /// What became of each keyword when the form was normalized.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || notes(py, self.form.report()))
    }

    /// The fields, in the order of the schema.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || {
            PyTuple::new(py, (0..self.form.fields().len()).map(|at| Field::of(&self.form, at)))
        })
    }

    /// The field of this name.
    #[pyo3(signature = (name, /))]
    fn field(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Option<Field>> {
        boundary(py, || {
            let name = text(name, "name")?;
            let at = self.form.fields().iter().position(|field| field.name() == name);
            Ok(at.map(|at| Field::of(&self.form, at)))
        })
    }

    /// Checks an answer: dict, or JSON as str.
    #[pyo3(
        signature = (content, *, unknown=None, messages=None, show_values=false),
        text_signature = "($self, content, *, unknown='drop', messages=None, show_values=False)"
    )]
    fn validate(
        &self,
        content: &Bound<'_, PyAny>,
        unknown: Option<&Bound<'_, PyAny>>,
        messages: Option<&Bound<'_, PyAny>>,
        show_values: bool,
    ) -> PyResult<Answer> {
        let py = content.py();
        boundary(py, || {
            let unknown = match text_or_none(unknown, "unknown")?.unwrap_or("drop") {
                "drop" => UnknownFields::Drop,
                "refuse" => UnknownFields::Refuse,
                unknown => {
                    let message = format!("unknown is \"drop\" or \"refuse\", not {unknown:?}");
                    return Err(raise(py, Error::new(ErrorKind::InvalidArgument, message)));
                }
            };
            let messages = self::messages(messages)?.show_values(show_values);
            let options = ValidateOptions::new().unknown(unknown).messages(messages);
            let given = self.read_content(content)?;
            let Some(reader) = &self.reader else {
                return Ok(Answer::new(self.form.validate_with(given.root(), &options)));
            };
            let reading = typed::Reading::new(py, &self.form, reader);
            let judged =
                reading.judge(|check| self.form.validate_checked(given.root(), &options, check))?;
            let value = judged.as_ref().ok().map(|answer| reading.value(&answer.content));
            Ok(Answer::typed(judged, value.transpose()?))
        })
    }

    /// Reads texts that a person typed, each under the name of a field, as an answer.
    #[pyo3(signature = (texts, *, messages=None, show_values=false))]
    fn coerce(
        &self,
        texts: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        show_values: bool,
    ) -> PyResult<Answer> {
        boundary(texts.py(), || {
            let Ok(texts) = texts.cast::<PyDict>() else {
                return Err(type_error(texts, "texts are a dict of str"));
            };
            let texts: Vec<(String, String)> =
                texts.iter().map(text_of_field).collect::<PyResult<_>>()?;
            let messages = self::messages(messages)?.show_values(show_values);
            let texts = texts.iter().map(|(name, text)| (&**name, &**text));
            let read = self.form.coerce_with(texts, &messages);
            Ok(Answer::new(read.map(|content| mcp_elicit::Answer { content, dropped: Vec::new() })))
        })
    }

    /// The defaults of all fields that have one.
    fn defaults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        boundary(py, || json::to_py(py, self.form.defaults().root()))
    }

    /// An answer with the default of each field that is absent from it and has one.
    #[pyo3(signature = (content, /))]
    fn with_defaults<'py>(&self, content: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = content.py();
        boundary(py, || {
            let content = self.read_content(content)?;
            json::to_py(py, self.form.with_defaults(content.root()).root())
        })
    }

    /// An answer as the type behind the form reads it.
    #[pyo3(signature = (content, /))]
    fn for_type<'py>(&self, content: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = content.py();
        boundary(py, || {
            let content = self.read_content(content)?;
            json::to_py(py, self.form.for_type(content.root()).root())
        })
    }

    /// The wire text to ask the form again, with what was answered well as its defaults.
    #[pyo3(signature = (answer, /))]
    fn wire_with_defaults(&self, answer: &Bound<'_, PyAny>) -> PyResult<String> {
        boundary(answer.py(), || {
            Ok(self.form.wire_with_defaults(self.read_content(answer)?.root()))
        })
    }

    /// The same, of those fields only whose names are given.
    #[pyo3(signature = (answer, only, /))]
    fn wire_again(&self, answer: &Bound<'_, PyAny>, only: &Bound<'_, PyAny>) -> PyResult<String> {
        boundary(answer.py(), || {
            let only = texts(only, "only")?;
            let answer = self.read_content(answer)?;
            Ok(self.form.wire_again(answer.root(), |name| only.iter().any(|other| other == name)))
        })
    }

    /// The form as hosts of an older revision can be asked it.
    #[pyo3(signature = (revision, /))]
    fn downgrade(&self, py: Python<'_>, revision: &Bound<'_, PyAny>) -> PyResult<Downgraded> {
        boundary(py, || {
            let revision = text(revision, "revision")?;
            let Some(known) = Revision::by_name(revision) else {
                let names: Vec<&str> = Revision::ALL.iter().map(|known| known.name()).collect();
                let message = format!("a form is for {}, not {revision:?}", names.join(" or "));
                return Err(raise(py, Error::new(ErrorKind::InvalidArgument, message)));
            };
            let down = self.form.downgrade(known).map_err(|error| raise(py, error))?;
            let reader = self.reader.as_ref().map(|reader| reader.clone_ref(py));
            let form = Py::new(py, Self { form: down.form, reader })?;
            Ok(Downgraded { form, lost: down.lost })
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.reader)
    }

    fn __repr__(&self) -> String {
        format!("<Form {}>", self.form.wire())
    }
}

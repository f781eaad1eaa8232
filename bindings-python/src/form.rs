//! `Form`: a requestedSchema, checked and compiled.

use std::hash::{Hash, Hasher};

use mcp_elicit::schema::{UnknownFields, ValidateOptions};
use mcp_elicit::{Error, ErrorKind, FormOptions};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::boundary::boundary;
use crate::error::{faults, raise};
use crate::json;
use crate::limits::Limits;

/// A form: a requestedSchema, checked and compiled. Make it once, use it on every call.
#[pyclass(frozen, eq, hash, module = "mcp_elicit")]
#[derive(PartialEq, Eq)]
pub(crate) struct Form(pub(crate) mcp_elicit::Form);

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.source().hash(state);
    }
}

/// Reads a schema as dict, or as JSON.
pub(crate) fn compile(
    schema: &Bound<'_, PyAny>,
    options: &FormOptions,
) -> PyResult<mcp_elicit::Form> {
    let text = json::text_of(schema, "a form is a Form, or its schema:")?;
    mcp_elicit::Form::parse_with(&text, options).map_err(|error| raise(schema.py(), error))
}

#[pymethods]
impl Form {
    /// Checks a schema: dict, or JSON as str.
    #[new]
    #[pyo3(signature = (schema, *, allow_sensitive_name=None, limits=None))]
    fn new(
        schema: &Bound<'_, PyAny>,
        allow_sensitive_name: Option<&str>,
        limits: Option<&Bound<'_, Limits>>,
    ) -> PyResult<Self> {
        boundary(schema.py(), || {
            let mut options = FormOptions::new();
            if let Some(limits) = limits {
                options = options.limits(limits.get().0.schema());
            }
            if let Some(reason) = allow_sensitive_name {
                options = options.allow_sensitive_name(reason);
            }
            compile(schema, &options).map(Self)
        })
    }

    /// The schema as it goes on the wire, as JSON.
    #[getter]
    fn wire(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.0.wire()))
    }

    /// The schema as it was given, rules enforced off the wire included, as JSON.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.0.source()))
    }

    /// What is allowed and probably not meant.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || faults(py, self.0.warnings()))
    }

    /// Checks an answer: dict, or JSON as str.
    #[pyo3(signature = (content, *, unknown="drop"))]
    fn validate(&self, content: &Bound<'_, PyAny>, unknown: &str) -> PyResult<Answer> {
        let py = content.py();
        boundary(py, || {
            let unknown = match unknown {
                "drop" => UnknownFields::Drop,
                "refuse" => UnknownFields::Refuse,
                _ => {
                    let message = format!("unknown is \"drop\" or \"refuse\", not {unknown:?}");
                    return Err(raise(py, Error::new(ErrorKind::InvalidArgument, message)));
                }
            };
            let given = json::read(py, &json::text_of(content, "an answer")?)?;
            let options = ValidateOptions::new().unknown(unknown);
            Ok(Answer(self.0.validate_with(given.root(), &options)))
        })
    }

    fn __repr__(&self) -> String {
        format!("<Form {}>", self.0.wire())
    }
}

/// What a form makes of an answer.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Answer(Result<mcp_elicit::Answer, Vec<mcp_elicit::Fault>>);

#[pymethods]
impl Answer {
    /// The members that the form has, as they were given; None where there are faults.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || {
            let content = self.0.as_ref().ok().map(|answer| answer.content.root());
            content.map(|content| json::to_py(py, content)).transpose()
        })
    }

    /// The same as JSON.
    #[getter]
    fn content_json(&self) -> Option<&str> {
        self.0.as_ref().ok().map(|answer| answer.content.text())
    }

    /// The names of members that the form does not have.
    #[getter]
    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.as_ref().map_or(&[][..], |answer| &answer.dropped))
    }

    /// Everything that is wrong with the answer.
    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        faults(py, self.0.as_ref().err().map_or(&[][..], Vec::as_slice))
    }

    /// Says how it came out, never what was answered.
    fn __repr__(&self) -> String {
        match &self.0 {
            Ok(_) => "<Answer accepted>".to_owned(),
            Err(faults) => format!("<Answer with {} faults>", faults.len()),
        }
    }
}

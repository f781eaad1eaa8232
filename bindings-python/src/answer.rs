//! `Answer` and `Coerced`: what a form makes of what was answered, or typed.

use mcp_elicit::Json;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::boundary::boundary;
use crate::error::{Fault, faults};
use crate::json;

/// What a form makes of an answer.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Answer {
    judged: Result<mcp_elicit::Answer, Vec<mcp_elicit::Fault>>,
    /// The content as the type behind the form, where there is one.
    value: Option<Py<PyAny>>,
}

impl Answer {
    pub(crate) fn new(judged: Result<mcp_elicit::Answer, Vec<mcp_elicit::Fault>>) -> Self {
        Self { judged, value: None }
    }

    pub(crate) fn typed(
        judged: Result<mcp_elicit::Answer, Vec<mcp_elicit::Fault>>,
        value: Option<Py<PyAny>>,
    ) -> Self {
        Self { judged, value }
    }
}

#[pymethods]
impl Answer {
    /// `Answer[T]`, for annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// The members that the form has, or the value of its type; None where there are faults.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(value) = &self.value {
            return Ok(Some(value.bind(py).clone()));
        }
        boundary(py, || {
            let content = self.judged.as_ref().ok().map(|answer| answer.content.root());
            content.map(|content| json::to_py(py, content)).transpose()
        })
    }

    /// The same as JSON.
    #[getter]
    fn content_json(&self) -> Option<&str> {
        self.judged.as_ref().ok().map(|answer| answer.content.text())
    }

    /// The names of members that the form does not have.
    #[getter]
    fn dropped<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.judged.as_ref().map_or(&[][..], |answer| &answer.dropped))
    }

    /// Everything that is wrong with the answer.
    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        faults(py, self.judged.as_ref().err().map_or(&[][..], Vec::as_slice))
    }

    /// Says how it came out, never what was answered.
    fn __repr__(&self) -> String {
        match &self.judged {
            Ok(_) => "<Answer accepted>".to_owned(),
            Err(faults) => format!("<Answer with {} faults>", faults.len()),
        }
    }
}

/// What a field makes of a text that a person typed.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Coerced(pub(crate) Result<Option<Json>, mcp_elicit::Fault>);

#[pymethods]
impl Coerced {
    /// The value; None where nothing was typed, or what is no answer.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || {
            let value = self.0.as_ref().ok().and_then(Option::as_ref);
            value.map(|value| json::to_py(py, value.root())).transpose()
        })
    }

    /// The same as JSON.
    #[getter]
    fn value_json(&self) -> Option<&str> {
        self.0.as_ref().ok().and_then(Option::as_ref).map(Json::text)
    }

    /// Whether the text is no answer at all, as if the field had been left alone.
    #[getter]
    fn is_absent(&self) -> bool {
        matches!(self.0, Ok(None))
    }

    /// What is wrong with the text.
    #[getter]
    fn fault(&self) -> Option<Fault> {
        self.0.as_ref().err().cloned().map(Fault::from)
    }

    /// Says how it came out, never what was typed.
    fn __repr__(&self) -> &'static str {
        match &self.0 {
            Ok(Some(_)) => "<Coerced value>",
            Ok(None) => "<Coerced absent>",
            Err(_) => "<Coerced fault>",
        }
    }
}

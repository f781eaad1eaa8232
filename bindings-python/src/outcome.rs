//! `Outcome`: what an ask gives, pending or not.

use mcp_elicit::Ask;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::boundary::boundary;
use crate::error::{faults, suspended};
use crate::json;
use crate::typed::Reading;

/// What became of a question. Reading anything but `is_pending` while nobody has answered ends
/// this run of the handler.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Outcome {
    ask: Ask,
    /// Made when it is first read: many handlers look at the action alone.
    content: PyOnceLock<Option<Py<PyAny>>>,
}

impl From<Ask> for Outcome {
    fn from(ask: Ask) -> Self {
        Self { ask, content: PyOnceLock::new() }
    }
}

impl Outcome {
    /// The outcome of a form that asks for a type; `reading` has judged it.
    pub(crate) fn typed(py: Python<'_>, ask: Ask, reading: &Reading<'_, '_>) -> PyResult<Self> {
        let content = PyOnceLock::new();
        if let Some(answer) = ask.peek().and_then(mcp_elicit::Outcome::content) {
            let _ = content.set(py, Some(reading.value(answer)?));
        }
        Ok(Self { ask, content })
    }

    fn known(&self, py: Python<'_>) -> PyResult<&mcp_elicit::Outcome> {
        self.ask.outcome().map_err(|_| suspended(py))
    }
}

#[pymethods]
impl Outcome {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("action", "content");

    /// `Outcome[T]`, for annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// Whether nobody has answered yet.
    #[getter]
    fn is_pending(&self) -> bool {
        self.ask.is_pending()
    }

    /// `accept`, `decline`, `cancel`, `invalid`, `unavailable` or `answer`.
    #[getter]
    fn action(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.known(py)?.action().name())
    }

    /// The answer of an accepted form.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Option<&Bound<'py, PyAny>>> {
        let outcome = self.known(py)?;
        let content = self.content.get_or_try_init(py, || {
            boundary(py, || {
                let content = outcome.content().map(|content| json::to_py(py, content.root()));
                Ok(content.transpose()?.map(Bound::unbind))
            })
        })?;
        Ok(content.as_ref().map(|content| content.bind(py)))
    }

    /// The answer of an accepted form, as JSON.
    #[getter]
    fn content_json(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        Ok(self.known(py)?.content().map(mcp_elicit::Json::text))
    }

    /// Where an accepted answer came from: `user`, `argument`, `default` or `grant`.
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.known(py)?.source().map(mcp_elicit::Source::name))
    }

    /// Why nobody can be asked, where the action is `unavailable`: `capability` or `cancelled`.
    #[getter]
    fn reason(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.known(py)?.reason())
    }

    /// What was wrong with the last answer, where the action is `invalid`.
    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || faults(py, self.known(py)?.faults()))
    }

    /// Says the action, never what a person answered; does not suspend.
    fn __repr__(&self) -> String {
        let action = self.ask.peek().map_or("pending", |outcome| outcome.action().name());
        format!("<Outcome {action}>")
    }
}

//! `Envelope`: a message of any method, checked.

use pyo3::prelude::*;

use crate::boundary::boundary;
use crate::call::mode;
use crate::json;

/// A message of any method whose envelope, `_meta` and headers are sound.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Envelope(pub(crate) mcp_elicit::Envelope);

#[pymethods]
impl Envelope {
    /// The method's name.
    #[getter]
    fn method(&self, py: Python<'_>) -> PyResult<&str> {
        boundary(py, || Ok(self.0.method()))
    }

    /// The id to answer under; None for a notification, which gets no answer.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || {
            let Some(text) = self.0.id() else { return Ok(None) };
            json::to_py(py, json::read(py, text)?.root()).map(Some)
        })
    }

    /// The id as JSON, as it was sent: what to write into an answer. None for a notification.
    #[getter]
    fn id_json(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        boundary(py, || Ok(self.0.id()))
    }

    /// The parameters; None where a notification has none.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.0.params().map(|params| json::to_py(py, params)).transpose())
    }

    /// What the client says of itself; nobody has verified it.
    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.0.client_info().map(|info| json::to_py(py, info)).transpose())
    }

    /// Whether the client declared that it can show this kind of question: `form` or `url`.
    #[pyo3(signature = (mode, /))]
    fn can_elicit(&self, py: Python<'_>, mode: &Bound<'_, PyAny>) -> PyResult<bool> {
        boundary(py, || Ok(self.0.capabilities().elicits(self::mode(mode)?)))
    }

    fn __repr__(&self) -> String {
        format!("<Envelope {}>", self.0.method())
    }
}

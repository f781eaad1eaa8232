//! `Reply`.

use mcp_elicit::Json;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::boundary::boundary;
use crate::error::raise;
use crate::json;

/// What goes back to the client.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Reply(mcp_elicit::Reply);

impl From<mcp_elicit::Reply> for Reply {
    fn from(reply: mcp_elicit::Reply) -> Self {
        Self(reply)
    }
}

#[pymethods]
impl Reply {
    /// The JSON as UTF-8, on one line.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.body().as_bytes())
    }

    /// The JSON as text.
    #[getter]
    fn text(&self) -> &str {
        self.0.body()
    }

    /// The JSON as a dict, made anew each time.
    #[getter]
    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        boundary(py, || {
            let json = Json::parse_with_depth(self.0.body(), usize::MAX)
                .map_err(|error| raise(py, error.into()))?;
            json::to_py(py, json.root())
        })
    }

    /// The HTTP status to send it with.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status()
    }

    /// The HTTP headers to send it with, names in lower case.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.0.headers() {
            headers.set_item(name, value)?;
        }
        Ok(headers)
    }

    /// `complete`, `input_required` or `error`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    /// Which kind of error it is, where it is one.
    #[getter]
    fn error_kind(&self) -> Option<&'static str> {
        self.0.error_kind().map(mcp_elicit::ErrorKind::name)
    }

    /// Says the kind and the length, never the body.
    fn __repr__(&self) -> String {
        let length = self.0.body().len();
        format!("<Reply {}, HTTP {}, {length} bytes>", self.kind(), self.status())
    }
}

//! `Limits`.

use mcp_elicit::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use crate::error::raise;
use crate::json::type_error;

/// Bounds on what a peer, or a handler gone wrong, can make us do.
#[pyclass(frozen, eq, module = "mcp_elicit")]
#[derive(PartialEq, Eq)]
pub(crate) struct Limits(pub(crate) mcp_elicit::Limits);

/// A limit as the core has it; the engine checks its bounds.
fn number<T: TryFrom<u64>>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    // True is an int to Python, and no number of bytes to anybody.
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(value, &format!("limit {name} is an int")));
    }
    let fits = value.extract::<u64>().ok().and_then(|value| T::try_from(value).ok());
    fits.ok_or_else(|| {
        let message = format!("limit {name} cannot be {value}");
        raise(value.py(), Error::new(ErrorKind::Config, message))
    })
}

/// One list of names for the constructor, the getters and `repr`.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        #[pymethods]
        impl Limits {
            /// Limits other than the usual; those left out are the usual.
            #[new]
            #[pyo3(signature = (*, $($name=None),*))]
            #[allow(clippy::too_many_arguments)]
            fn new($($name: Option<Bound<'_, PyAny>>),*) -> PyResult<Self> {
                let mut limits = mcp_elicit::Limits::default();
                $(if let Some(value) = $name {
                    limits.$name = number(&value, stringify!($name))?;
                })*
                Ok(Self(limits))
            }

            $($(#[$doc])*
            #[getter]
            fn $name(&self) -> $type {
                self.0.$name
            })*

            fn __repr__(&self) -> String {
                let parts = [$(format!("{}={}", stringify!($name), self.0.$name)),*];
                format!("Limits({})", parts.join(", "))
            }
        }
    };
}

limits! {
    /// Length of a request, in bytes.
    request_bytes: usize,
    /// Length of a `requestState`, in bytes.
    token_bytes: usize,
    /// Arrays and objects inside one another in any JSON.
    depth: usize,
    /// Properties of a form.
    schema_properties: usize,
    /// Choices of a form, all its fields together.
    schema_options: usize,
    /// Rounds of a flow that bring a new question.
    question_rounds: u16,
    /// Times that a question is asked again after an invalid answer.
    reasks: u16,
    /// How long a person may take over a round, in milliseconds.
    round_ttl_ms: u64,
    /// How long a flow may take, in milliseconds.
    flow_ttl_ms: u64,
    /// How long the winner of a claim may be at work before its outcome counts as unknown, in
    /// milliseconds.
    claim_wait_ms: u64,
    /// How far the clocks of a fleet may stand apart, in milliseconds.
    clock_skew_ms: u64,
}

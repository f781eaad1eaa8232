//! Hooks: time, randomness and the log as Python callables.
//!
//! Owns what happens when one of them raises: clock and random source fail the entry that needed
//! them, the log is reported through `sys.unraisablehook` and nothing else.

use mcp_elicit::{Clock, Error, ErrorKind, Log, Rng};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::boundary::keep;

/// Something that the operator should know and the peer must not.
#[pyclass(frozen, get_all, module = "mcp_elicit")]
pub(crate) struct Event {
    /// How much it matters: `info` or `warning`.
    level: &'static str,
    /// Stable name, such as `state_refused`.
    name: &'static str,
    /// Stable name of the cause, such as `forged`; empty where there is one only.
    reason: &'static str,
    /// A sentence for a person.
    message: String,
    /// The flow it is about; empty where there is none.
    flow_id: String,
}

#[pymethods]
impl Event {
    fn __repr__(&self) -> String {
        format!(
            "Event(level={:?}, name={:?}, reason={:?}, message={:?}, flow_id={:?})",
            self.level, self.name, self.reason, self.message, self.flow_id
        )
    }
}

pub(crate) struct PyClock(pub(crate) Py<PyAny>);

impl Clock for PyClock {
    fn now_ms(&self) -> u64 {
        Python::attach(|py| match self.0.call0(py).and_then(|now| now.extract::<u64>(py)) {
            Ok(now) => now,
            // The entry raises this; what it makes of the number is thrown away.
            Err(raised) => {
                keep(raised);
                0
            }
        })
    }
}

pub(crate) struct PyRng(pub(crate) Py<PyAny>);

impl Rng for PyRng {
    fn fill(&self, out: &mut [u8]) -> mcp_elicit::Result<()> {
        Python::attach(|py| {
            let given = self.0.call1(py, (out.len(),)).and_then(|given| {
                let given = given.into_bound(py).cast_into::<PyBytes>()?;
                let wanted = out.len();
                if given.as_bytes().len() != wanted {
                    let message = format!("random({wanted}) must return {wanted} bytes");
                    return Err(PyValueError::new_err(message));
                }
                out.copy_from_slice(given.as_bytes());
                Ok(())
            });
            given.map_err(|raised| {
                keep(raised);
                Error::new(ErrorKind::Internal, "the random source raised")
            })
        })
    }
}

pub(crate) struct PyLog(pub(crate) Py<PyAny>);

impl Log for PyLog {
    fn log(&self, event: &mcp_elicit::Event<'_>) {
        Python::attach(|py| {
            let event = Event {
                level: event.level.name(),
                name: event.name,
                reason: event.reason,
                message: event.message.to_owned(),
                flow_id: event.flow_id.to_owned(),
            };
            if let Err(raised) = self.0.call1(py, (event,)) {
                raised.write_unraisable(py, Some(self.0.bind(py)));
            }
        });
    }
}

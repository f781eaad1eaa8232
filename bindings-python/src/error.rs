//! Errors: the core's, as exceptions of `mcp_elicit.errors`.
//!
//! Owns the way there and back: an exception that came from the core goes back as the very error
//! it was made of, so that `run` can say on the wire what the core said.

use std::borrow::Cow;

use mcp_elicit::{Error, ErrorKind, ErrorParts};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::boundary::boundary;
use crate::json;
use crate::reply::Reply;
use crate::text::text;

/// A place that is at fault, and the rule against which it is.
#[pyclass(frozen, eq, hash, get_all, module = "mcp_elicit")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Fault {
    /// JSON pointer to the place; empty for the whole.
    path: String,
    /// Stable id of the rule, such as `minLength`.
    rule: Cow<'static, str>,
    /// A sentence for a person: what is wrong and what to do instead.
    message: String,
}

#[pymethods]
impl Fault {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("path", "rule", "message");

    /// For `pickle` and `copy`: an exception goes to another process with its faults.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Remade<'py>> {
        let made_of = (&self.path, &*self.rule, &self.message).into_pyobject(py)?;
        Ok((py.import("mcp_elicit._native")?.getattr("_fault")?, made_of))
    }

    fn __repr__(&self) -> String {
        format!("Fault(path={:?}, rule={:?}, message={:?})", self.path, self.rule, self.message)
    }

    fn __str__(&self) -> String {
        if self.path.is_empty() {
            self.message.clone()
        } else {
            format!("{}: {}", self.path, self.message)
        }
    }
}

impl From<mcp_elicit::Fault> for Fault {
    fn from(fault: mcp_elicit::Fault) -> Self {
        Self { path: fault.path, rule: fault.rule.into(), message: fault.message }
    }
}

/// What `pickle` makes a value anew with: a function, and its arguments.
type Remade<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// For `pickle`: a fault that was taken apart.
#[pyfunction]
#[pyo3(name = "_fault", signature = (path, rule, message, /))]
pub(crate) fn fault(path: String, rule: String, message: String) -> Fault {
    Fault { path, rule: rule.into(), message }
}

/// Faults as a tuple of [`Fault`].
pub(crate) fn faults<'py>(
    py: Python<'py>,
    faults: &[mcp_elicit::Fault],
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, faults.iter().cloned().map(Fault::from))
}

/// What an `ElicitError` is made of.
#[pyclass(frozen, module = "mcp_elicit._native")]
pub(crate) struct ErrorInfo {
    error: Error,
    /// The faults of an error that came from another process: the core's name its own rules.
    faults: Option<Vec<Fault>>,
}

impl From<Error> for ErrorInfo {
    fn from(error: Error) -> Self {
        Self { error, faults: None }
    }
}

/// For `pickle`: an error that was taken apart.
#[pyfunction]
#[pyo3(name = "_error_info", signature = (kind, code, message, data, id, bare, faults, /))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn error_info(
    py: Python<'_>,
    kind: &str,
    code: i32,
    message: String,
    data: Option<&str>,
    id: Option<&str>,
    bare: bool,
    faults: Vec<Bound<'_, Fault>>,
) -> PyResult<ErrorInfo> {
    boundary(py, || {
        let kind = ErrorKind::from_name(kind).unwrap_or(ErrorKind::Internal);
        let read = |text: Option<&str>| text.map(|text| json::read(py, text)).transpose();
        let parts = ErrorParts { kind, code, message, data: read(data)?, id: read(id)?, bare };
        let faults = faults.iter().map(|fault| fault.get().clone()).collect();
        Ok(ErrorInfo { error: Error::from_parts(parts), faults: Some(faults) })
    })
}

#[pymethods]
impl ErrorInfo {
    /// An error of the application's own.
    #[new]
    #[pyo3(signature = (message, code, data=None))]
    fn new(
        py: Python<'_>,
        message: &Bound<'_, PyAny>,
        code: i32,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let data = data.map(|data| json::read(py, &json::write(data)?)).transpose()?;
            Ok(Error::application(code, text(message, "message")?, data).into())
        })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.error.kind().name()
    }

    #[getter]
    fn code(&self) -> i32 {
        self.error.code()
    }

    #[getter]
    fn http_status(&self) -> u16 {
        self.error.http_status()
    }

    #[getter]
    fn message(&self) -> &str {
        self.error.message()
    }

    #[getter]
    fn is_for_peer(&self) -> bool {
        self.error.kind().is_for_peer()
    }

    #[getter]
    fn is_retryable(&self) -> bool {
        self.error.is_retryable()
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.error.data().map(|data| json::to_py(py, data.root())).transpose())
    }

    #[getter]
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || match &self.faults {
            Some(kept) => PyTuple::new(py, kept.iter().cloned()),
            None => faults(py, self.error.faults()),
        })
    }

    /// For `pickle` and `copy`.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Remade<'py>> {
        boundary(py, || {
            let parts = self.error.parts();
            let made_of = (
                parts.kind.name(),
                parts.code,
                parts.message,
                parts.data.map(|data| data.compact()),
                parts.id.map(|id| id.compact()),
                parts.bare,
                self.faults(py)?,
            );
            let made_of = made_of.into_pyobject(py)?;
            Ok((py.import("mcp_elicit._native")?.getattr("_error_info")?, made_of))
        })
    }

    #[getter]
    fn reply(&self, py: Python<'_>) -> PyResult<Option<Reply>> {
        boundary(py, || Ok(self.error.reply().map(Reply::from)))
    }
}

/// The exception for a type that no form can ask for: why, by the places in it, and what the core
/// found at fault besides. Those of no rule of their own are `not_carried`.
#[pyfunction]
#[pyo3(name = "_schema_error", signature = (refused, faults, /))]
pub(crate) fn schema_error(
    py: Python<'_>,
    refused: Vec<(String, String)>,
    faults: Vec<Bound<'_, Fault>>,
) -> PyResult<Py<PyAny>> {
    let refused =
        refused.into_iter().map(|(path, reason)| mcp_elicit::Fault::not_carried(path, reason));
    let besides = faults.iter().map(|fault| {
        let Fault { path, rule, message } = fault.get().clone();
        match rule {
            Cow::Borrowed(rule) => mcp_elicit::Fault::new(path, rule, message),
            Cow::Owned(_) => mcp_elicit::Fault::not_carried(path, message),
        }
    });
    let all = refused.chain(besides).collect();
    let error = Error::with_faults(ErrorKind::Schema, "this form cannot be asked", all);
    Ok(raise(py, error).into_value(py).into_any())
}

static ERRORS: PyOnceLock<Errors> = PyOnceLock::new();

struct Errors {
    base: Py<PyType>,
    suspended: Py<PyType>,
    from_native: Py<PyAny>,
}

/// The classes in `mcp_elicit.errors`, which is Python: a class made here cannot extend
/// `Exception` under the stable ABI of Python 3.10.
fn errors(py: Python<'_>) -> PyResult<&'static Errors> {
    ERRORS.get_or_try_init(py, || {
        let module = py.import("mcp_elicit.errors")?;
        Ok(Errors {
            base: module.getattr("ElicitError")?.cast_into::<PyType>()?.unbind(),
            suspended: module.getattr("Suspended")?.cast_into::<PyType>()?.unbind(),
            from_native: module.getattr("_from_native")?.unbind(),
        })
    })
}

/// The exception for an error of the core's.
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    let made =
        errors(py).and_then(|errors| errors.from_native.call1(py, (ErrorInfo::from(error),)));
    match made {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}

/// The signal that ends a handler's run while a question is pending.
pub(crate) fn suspended(py: Python<'_>) -> PyErr {
    match errors(py) {
        Ok(errors) => PyErr::from_type(errors.suspended.bind(py).clone(), ()),
        Err(error) => error,
    }
}

/// The core's error inside an exception, where it is one of ours.
pub(crate) fn native(exception: &Bound<'_, PyAny>) -> PyResult<Option<Error>> {
    let py = exception.py();
    if !exception.is_instance(errors(py)?.base.bind(py))? {
        return Ok(None);
    }
    // A subclass whose `__init__` never called ours has none.
    Ok(match exception.getattr("_error").and_then(|info| Ok(info.cast_into::<ErrorInfo>()?)) {
        Ok(info) => Some(info.get().error.clone()),
        Err(_) => Some(Error::new(ErrorKind::Internal, "an ElicitError without a cause")),
    })
}

/// What an exception that left a handler is, to `run`.
pub(crate) enum Raised {
    /// The signal to suspend, alone or in a group that holds nothing else.
    Suspended,
    /// It ends a task or the program (`CancelledError`, `KeyboardInterrupt`): nobody's to answer.
    Ending,
    /// Anything else.
    Other,
}

/// Tells what left a handler. Task groups wrap what their tasks raise, the signal included.
pub(crate) fn classify(exception: &Bound<'_, PyAny>) -> PyResult<Raised> {
    /// More than any group has; what pretends to be one may hold itself.
    const MOST: usize = 10_000;
    let py = exception.py();
    let mut all = Raised::Suspended;
    let mut open = vec![exception.clone()];
    let mut seen = 0;
    while let Some(exception) = open.pop() {
        seen += 1;
        if seen > MOST {
            return Ok(Raised::Other);
        }
        if exception.is_instance(errors(py)?.suspended.bind(py))? {
            continue;
        }
        // Told by its member: before Python 3.11 groups are a package's.
        let members = exception.getattr("exceptions").and_then(|it| Ok(it.cast_into::<PyTuple>()?));
        match members {
            Ok(members) if !members.is_empty() => open.extend(members.iter()),
            _ if exception.is_instance_of::<pyo3::exceptions::PyException>() => all = Raised::Other,
            _ => return Ok(Raised::Ending),
        }
    }
    Ok(all)
}

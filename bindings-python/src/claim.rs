//! Claims: the core's sequences, one step at a time, and their results.
//!
//! Owns how a step is said in Python: a [`Need`] says which method of the store is to be called,
//! with what; its answer goes into the next step. `_claim.py` and the core carry them out.

use mcp_elicit::store::{StoreError, StoreOp};
use mcp_elicit::{ClaimOptions, Json, Next};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyClass, PyClassInitializer};

use crate::boundary::boundary;
use crate::call::Call;
use crate::error::raise;
use crate::json;
use crate::reply::Reply;
use crate::store::{
    answer, arguments, failure, forget_cause, invalid, needs_await, raise_store, whole,
};
use crate::text::truth;

/// What became of a claim.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct Claimed(mcp_elicit::Claimed);

#[pymethods]
impl Claimed {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("status", "result");

    /// `won`, `already`, `recorded`, `in_progress` or `unknown`.
    #[getter]
    fn status(&self) -> &'static str {
        self.0.name()
    }

    /// The recorded result; None unless there is one.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        boundary(py, || self.json().map(|result| json::to_py(py, result.root())).transpose())
    }

    /// The same as JSON.
    #[getter]
    fn result_json(&self) -> Option<&str> {
        self.json().map(|result| result.root().raw())
    }

    fn __repr__(&self) -> String {
        format!("<Claimed {}>", self.status())
    }
}

impl Claimed {
    fn json(&self) -> Option<&Json> {
        match &self.0 {
            mcp_elicit::Claimed::Recorded(result) => Some(result),
            _ => None,
        }
    }
}

/// An operation that a sequence needs.
#[pyclass(frozen, module = "mcp_elicit._native")]
pub(crate) struct Need(StoreOp);

#[pymethods]
impl Need {
    /// The method of the store.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its arguments.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        boundary(py, || arguments(py, &self.0))
    }
}

/// A step of the core's, for Python: a [`Need`], or what the sequence came to.
pub(crate) fn stands<C, P>(py: Python<'_>, next: mcp_elicit::Result<Next<C>>) -> PyResult<Py<PyAny>>
where
    P: PyClass + From<C> + Into<PyClassInitializer<P>>,
{
    match next {
        Ok(Next::Need(op)) => Ok(Py::new(py, Need(op))?.into_any()),
        Ok(Next::Done(done)) => Ok(Py::new(py, P::from(done))?.into_any()),
        Err(error) => Err(raise(py, error)),
    }
}

impl From<mcp_elicit::Claimed> for Claimed {
    fn from(claimed: mcp_elicit::Claimed) -> Self {
        Self(claimed)
    }
}

/// Whether a result is to be recorded; not where nothing is said.
pub(crate) fn remember(given: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let Some(given) = given else { return Ok(false) };
    // Refused as the other options of a claim are.
    truth(given, "remember")
        .map_err(|error| invalid(given.py(), error.value(given.py()).to_string()))
}

/// The options of a claim, as keyword arguments.
pub(crate) fn options(
    wait_ms: Option<&Bound<'_, PyAny>>,
    lease_ms: Option<&Bound<'_, PyAny>>,
    remember: Option<&Bound<'_, PyAny>>,
) -> PyResult<ClaimOptions> {
    let mut options = ClaimOptions::new().remember(self::remember(remember)?);
    if let Some(wait_ms) = wait_ms {
        options = options.wait_ms(whole(wait_ms, "wait_ms")?);
    }
    if let Some(lease_ms) = lease_ms {
        options = options.lease_ms(whole(lease_ms, "lease_ms")?);
    }
    Ok(options)
}

impl Call {
    /// Claims through the engine's store; other threads go on meanwhile.
    pub(crate) fn claim_now(&self, py: Python<'_>, options: &ClaimOptions) -> PyResult<Claimed> {
        let mut call = self.enter(py)?;
        let call = &mut *call;
        let claimed = py.detach(|| call.claim(options));
        claimed.map(Claimed).map_err(|error| raise_store(py, error))
    }

    /// Refuses to finish a claim, before anything is done, where the store must be awaited.
    pub(crate) fn check_blocks(&self, py: Python<'_>, call: &mcp_elicit::Call) -> PyResult<()> {
        match self.driver(py) {
            Some(driver) if call.has_claim() => {
                let awaits: bool = driver.bind(py).getattr("awaits")?.extract()?;
                if awaits { Err(needs_await(py)) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}

/// Runs what may finish a claim through the engine's store.
pub(crate) fn finishing<T: Send>(
    py: Python<'_>,
    call: &mut mcp_elicit::Call,
    finish: impl FnOnce(&mut mcp_elicit::Call) -> mcp_elicit::Result<T> + Send,
) -> mcp_elicit::Result<T> {
    if !call.has_claim() {
        return finish(call);
    }
    let finished = py.detach(|| finish(call));
    if finished.is_ok() {
        forget_cause();
    }
    finished
}

/// Begins a claim.
#[pyfunction]
#[pyo3(name = "_claim_start")]
pub(crate) fn claim_start(
    call: &Bound<'_, Call>,
    wait_ms: Option<&Bound<'_, PyAny>>,
    lease_ms: Option<&Bound<'_, PyAny>>,
    remember: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let py = call.py();
    boundary(py, || {
        let options = options(wait_ms, lease_ms, remember)?;
        let next = call.get().enter(py)?.claim_start(&options);
        stands::<_, Claimed>(py, next)
    })
}

/// Goes on with what a method of the store returned.
#[pyfunction]
#[pyo3(name = "_claim_next")]
pub(crate) fn claim_next(
    call: &Bound<'_, Call>,
    need: &Bound<'_, Need>,
    returned: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let py = call.py();
    boundary(py, || {
        let answered = answer(&need.get().0, returned);
        let mut call = call.get().enter(py)?;
        match answered {
            Ok(reply) => stands::<_, Claimed>(py, call.claim_next(reply)),
            Err(error) => Err(raise_store(py, call.store_failed(&error))),
        }
    })
}

/// Completes; what is needed first is to finish the record of a claim.
#[pyfunction]
#[pyo3(name = "_complete_start")]
pub(crate) fn complete_start(
    call: &Bound<'_, Call>,
    result: &Bound<'_, PyAny>,
    remember: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let py = call.py();
    boundary(py, || {
        let remember = self::remember(remember)?;
        let result = json::read(py, &json::text_of(result, "a result")?)?;
        let next = call.get().enter(py)?.complete_start(&result, remember);
        stands::<_, Reply>(py, next)
    })
}

/// The reply, after what a method of the store returned; or, where it could not, what it raised.
#[pyfunction]
#[pyo3(name = "_complete_end")]
pub(crate) fn complete_end(
    call: &Bound<'_, Call>,
    need: &Bound<'_, Need>,
    returned: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let py = call.py();
    boundary(py, || {
        let answered = outcome(py, need, returned);
        let mut call = call.get().enter(py)?;
        match answered {
            Ok(reply) => stands::<_, Reply>(py, call.complete_next(reply)),
            Err(error) => {
                forget_cause();
                let failed = call.store_failed(&error);
                let reply = call.complete_without_store(failed.message());
                stands::<_, Reply>(py, reply.map(Next::Done))
            }
        }
    })
}

/// What a method came to: its answer, or the exception that it raised.
fn outcome(
    py: Python<'_>,
    need: &Bound<'_, Need>,
    returned: &Bound<'_, PyAny>,
) -> Result<mcp_elicit::store::StoreReply, StoreError> {
    if returned.is_instance_of::<PyException>() {
        return Err(failure(py, PyErr::from_value(returned.clone())));
    }
    answer(&need.get().0, returned)
}

/// Begins to give a claim back; None where there is none.
#[pyfunction]
#[pyo3(name = "_release_start")]
pub(crate) fn release_start(call: &Bound<'_, Call>) -> PyResult<Option<Need>> {
    let py = call.py();
    boundary(py, || {
        let op = call.get().enter(py)?.release_start();
        op.map(|op| op.map(Need)).map_err(|error| raise(py, error))
    })
}

/// Ends it.
#[pyfunction]
#[pyo3(name = "_release_end")]
pub(crate) fn release_end(
    call: &Bound<'_, Call>,
    need: &Bound<'_, Need>,
    returned: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = call.py();
    boundary(py, || {
        let answered = answer(&need.get().0, returned);
        let mut call = call.get().enter(py)?;
        match answered {
            Ok(reply) => call.release_next(reply).map_err(|error| raise(py, error)),
            Err(error) => Err(raise_store(py, call.store_failed(&error))),
        }
    })
}

/// The error of a sequence whose operation raised.
#[pyfunction]
#[pyo3(name = "_store_failed")]
pub(crate) fn store_failed<'py>(
    call: &Bound<'py, Call>,
    raised: &Bound<'py, PyException>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    boundary(py, || {
        let error = failure(py, PyErr::from_value(raised.clone().into_any()));
        let failed = call.get().enter(py)?.store_failed(&error);
        Ok(raise_store(py, failed).into_value(py).into_bound(py).into_any())
    })
}

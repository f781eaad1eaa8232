//! Stores: `MemoryStore`, `SqliteStore`, and any object with the four operations as methods.
//!
//! Owns the way from the core's operations to Python's methods and back. What may be claimed, and
//! what a record holds, is the core's.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_elicit::store::{
    LONGEST_TIME_LIMIT_MS, MAX_KEY_BYTES, MAX_VALUE_BYTES, Store, StoreError, StoreOp, StoreReply,
    USUAL_TIME_LIMIT_MS, is_key,
};
use mcp_elicit::{Error, ErrorKind, SystemClock};
use pyo3::exceptions::{PyException, PyOSError, PyTimeoutError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyString, PyTuple, PyType};

use crate::boundary::{boundary, keep};
use crate::error::raise;

/// The operations of a store, in the words of every language.
const METHODS: [&str; 4] = ["get", "put_if_absent", "compare_and_set", "compare_and_delete"];

/// A store in this process, bounded, gone with it.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct MemoryStore(Arc<mcp_elicit::store::MemoryStore>, usize);

/// A store in a SQLite file, shared by the processes of one machine.
#[pyclass(frozen, module = "mcp_elicit")]
pub(crate) struct SqliteStore(Arc<mcp_elicit::store::SqliteStore>, u64);

/// An argument of the application's that is not of its form.
pub(crate) fn invalid(py: Python<'_>, message: String) -> PyErr {
    raise(py, Error::new(ErrorKind::InvalidArgument, message))
}

/// A whole number from 0, as a store counts bytes and milliseconds.
pub(crate) fn whole(value: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    let number = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    match value.extract::<u64>() {
        Ok(count) if number => Ok(count),
        _ => Err(invalid(value.py(), format!("{what} is a whole number from 0 to 2**64 - 1"))),
    }
}

fn key(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let key = value.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
    key.filter(|key| is_key(key)).map(str::to_owned).ok_or_else(|| {
        let message = format!("a key is a str of 1 to {MAX_KEY_BYTES} of a-z A-Z 0-9 : - _");
        invalid(value.py(), message)
    })
}

fn bytes(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<u8>> {
    let bytes = value.cast::<PyBytes>().map(|bytes| bytes.as_bytes().to_vec());
    bytes.map_err(|_| invalid(value.py(), format!("{what} is bytes")))
}

/// Carries out one operation for Python; nobody waits for this thread meanwhile.
fn execute(py: Python<'_>, store: &dyn Store, op: StoreOp) -> PyResult<StoreReply> {
    py.detach(|| store.execute(&op))
        .map_err(|error| raise(py, Error::new(ErrorKind::Store, error.to_string())))
}

fn found<'py>(py: Python<'py>, reply: &StoreReply) -> Option<Bound<'py, PyBytes>> {
    match reply {
        StoreReply::Found(value) => Some(PyBytes::new(py, value)),
        _ => None,
    }
}

/// The four operations, the same for both.
macro_rules! operations {
    ($store:ident { $($own:item)* }) => {
        #[pymethods]
        impl $store {
            $($own)*

            /// The value under a key, or None.
            #[pyo3(signature = (key, /))]
            fn get<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
            ) -> PyResult<Option<Bound<'py, PyBytes>>> {
                boundary(py, || {
                    let op = StoreOp::Get { key: self::key(key)? };
                    Ok(found(py, &execute(py, &*self.0, op)?))
                })
            }

            /// Puts a value where there is none, and gives None; otherwise gives what is there.
            #[pyo3(signature = (key, value, ttl_ms, /))]
            fn put_if_absent<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                value: &Bound<'py, PyAny>,
                ttl_ms: &Bound<'py, PyAny>,
            ) -> PyResult<Option<Bound<'py, PyBytes>>> {
                boundary(py, || {
                    let key = self::key(key)?;
                    let (value, ttl_ms) = (bytes(value, "a value")?, whole(ttl_ms, "ttl_ms")?);
                    let op = StoreOp::PutIfAbsent { key, value, ttl_ms };
                    Ok(found(py, &execute(py, &*self.0, op)?))
                })
            }

            /// Puts a value in place of another; whether that one was there.
            #[pyo3(signature = (key, expected, value, ttl_ms, /))]
            fn compare_and_set(
                &self,
                py: Python<'_>,
                key: &Bound<'_, PyAny>,
                expected: &Bound<'_, PyAny>,
                value: &Bound<'_, PyAny>,
                ttl_ms: &Bound<'_, PyAny>,
            ) -> PyResult<bool> {
                boundary(py, || {
                    let (key, expected) = (self::key(key)?, bytes(expected, "expected")?);
                    let (value, ttl_ms) = (bytes(value, "a value")?, whole(ttl_ms, "ttl_ms")?);
                    let op = StoreOp::CompareAndSet { key, expected, value, ttl_ms };
                    Ok(execute(py, &*self.0, op)? == StoreReply::Done)
                })
            }

            /// Deletes a value; whether it was there.
            #[pyo3(signature = (key, expected, /))]
            fn compare_and_delete(
                &self,
                py: Python<'_>,
                key: &Bound<'_, PyAny>,
                expected: &Bound<'_, PyAny>,
            ) -> PyResult<bool> {
                boundary(py, || {
                    let (key, expected) = (self::key(key)?, bytes(expected, "expected")?);
                    let op = StoreOp::CompareAndDelete { key, expected };
                    Ok(execute(py, &*self.0, op)? == StoreReply::Done)
                })
            }
        }
    };
}

operations!(MemoryStore {
    /// A store of about so many bytes at most.
    #[new]
    #[pyo3(signature = (capacity=None))]
    fn new(py: Python<'_>, capacity: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        boundary(py, || {
            let capacity = capacity.map(|it| whole(it, "capacity")).transpose()?;
            let capacity = usize::try_from(capacity.unwrap_or(64 << 20)).unwrap_or(usize::MAX);
            if capacity == 0 {
                return Err(invalid(py, "capacity is in bytes, and more than 0".to_owned()));
            }
            let store = mcp_elicit::store::MemoryStore::with_capacity(capacity);
            Ok(Self(Arc::new(store), capacity))
        })
    }

    /// Bytes that it holds at most, keys included.
    #[getter]
    fn capacity(&self) -> usize {
        self.1
    }

    fn __repr__(&self) -> String {
        format!("MemoryStore(capacity={})", self.1)
    }
});

operations!(SqliteStore {
    /// Opens or makes the file.
    #[new]
    #[pyo3(signature = (path, *, time_limit_ms=None))]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        time_limit_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let Ok(path) = path.extract::<PathBuf>() else {
                return Err(invalid(py, "the path of a store is a str or a PathLike".to_owned()));
            };
            let limit = time_limit(py, time_limit_ms)?;
            let time = Duration::from_millis(limit);
            let open = || mcp_elicit::store::SqliteStore::open_with(path, time, SystemClock);
            match py.detach(open) {
                Ok(store) => Ok(Self(Arc::new(store), limit)),
                Err(error) => Err(raise(py, Error::new(ErrorKind::Store, error.to_string()))),
            }
        })
    }

    /// How long an operation waits for other processes, in milliseconds.
    #[getter]
    fn time_limit_ms(&self) -> u64 {
        self.1
    }

    fn __repr__(&self) -> String {
        format!("<SqliteStore, time limit {} ms>", self.1)
    }
});

/// A time limit of a store: 2 seconds where nothing is said.
pub(crate) fn time_limit(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    let limit = given.map(|it| whole(it, "time_limit_ms")).transpose()?;
    match limit.unwrap_or(USUAL_TIME_LIMIT_MS) {
        limit @ 1..=LONGEST_TIME_LIMIT_MS => Ok(limit),
        _ => Err(invalid(py, format!("time_limit_ms is from 1 to {LONGEST_TIME_LIMIT_MS}"))),
    }
}

/// A store of the application's own, as the core uses one: it blocks the thread that calls it.
pub(crate) struct PyStore([Py<PyAny>; 4]);

/// The store that an engine was given, for the core.
pub(crate) fn blocking(store: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Store>> {
    if let Ok(memory) = store.cast::<MemoryStore>() {
        return Ok(memory.get().0.clone());
    }
    if let Ok(sqlite) = store.cast::<SqliteStore>() {
        return Ok(sqlite.get().0.clone());
    }
    if let Ok(class) = store.cast::<PyType>() {
        let name = class.name()?;
        let message = format!("store is an instance, not the class {name}: give {name}(...)");
        return Err(raise(store.py(), Error::new(ErrorKind::Config, message)));
    }
    let methods = METHODS.map(|name| match store.getattr(name) {
        Ok(method) if method.is_callable() => Ok(method.unbind()),
        _ => {
            let message = format!(
                "a store has the methods get, put_if_absent, compare_and_set and \
                 compare_and_delete; this one has no {name}"
            );
            Err(raise(store.py(), Error::new(ErrorKind::Config, message)))
        }
    });
    let [get, put, set, delete] = methods;
    Ok(Arc::new(PyStore([get?, put?, set?, delete?])))
}

impl Store for PyStore {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        Python::attach(|py| {
            let at = METHODS.iter().position(|name| *name == op.name()).unwrap_or_default();
            let method = self.0[at].bind(py);
            match is_async(method).and_then(|awaits| match awaits {
                true => Err(needs_await(py)),
                false => method.call1(arguments(py, op)?),
            }) {
                Ok(returned) => answer(op, &returned),
                Err(raised) => Err(failure(py, raised)),
            }
        })
    }
}

/// Whether a method is `async def`.
fn is_async(method: &Bound<'_, PyAny>) -> PyResult<bool> {
    let inspect = method.py().import("inspect")?;
    inspect.call_method1("iscoroutinefunction", (method,))?.extract()
}

/// The error where a store that must be awaited would have to block.
pub(crate) fn needs_await(py: Python<'_>) -> PyErr {
    let message = "the methods of this store await: use arun, and in the handler \
                   await call.aclaim() and call.acomplete()";
    raise(py, Error::new(ErrorKind::Config, message))
}

/// The arguments of an operation's method.
pub(crate) fn arguments<'py>(py: Python<'py>, op: &StoreOp) -> PyResult<Bound<'py, PyTuple>> {
    let bytes = |value: &[u8]| PyBytes::new(py, value);
    match op {
        StoreOp::Get { key } => (key,).into_pyobject(py),
        StoreOp::PutIfAbsent { key, value, ttl_ms } => {
            (key, bytes(value), ttl_ms).into_pyobject(py)
        }
        StoreOp::CompareAndSet { key, expected, value, ttl_ms } => {
            (key, bytes(expected), bytes(value), ttl_ms).into_pyobject(py)
        }
        StoreOp::CompareAndDelete { key, expected } => (key, bytes(expected)).into_pyobject(py),
        _ => Err(raise(py, Error::new(ErrorKind::Internal, "an operation without a method"))),
    }
}

/// What a method returned, as the answer to its operation.
pub(crate) fn answer(op: &StoreOp, returned: &Bound<'_, PyAny>) -> Result<StoreReply, StoreError> {
    let looks = matches!(op, StoreOp::Get { .. } | StoreOp::PutIfAbsent { .. });
    let put = matches!(op, StoreOp::PutIfAbsent { .. });
    if looks && returned.is_none() {
        return Ok(if put { StoreReply::Done } else { StoreReply::Absent });
    }
    if looks {
        let value = match (returned.cast::<PyBytes>(), returned.cast::<PyByteArray>()) {
            (Ok(value), _) if value.as_bytes().len() <= MAX_VALUE_BYTES => {
                value.as_bytes().to_vec()
            }
            (_, Ok(value)) if value.len() <= MAX_VALUE_BYTES => value.to_vec(),
            (Err(_), Err(_)) => return Err(strange(op, returned, "bytes or None")),
            _ => {
                let message = format!("{} gave a value longer than any of ours", op.name());
                return Err(StoreError::Unavailable(message));
            }
        };
        return Ok(StoreReply::Found(value));
    }
    match returned.cast::<PyBool>() {
        Ok(done) if done.is_true() => Ok(StoreReply::Done),
        Ok(_) => Ok(StoreReply::Conflict),
        Err(_) => Err(strange(op, returned, "a bool")),
    }
}

/// An answer of another type than the operation has. One that awaits is told apart.
fn strange(op: &StoreOp, returned: &Bound<'_, PyAny>, wanted: &str) -> StoreError {
    let py = returned.py();
    if returned.hasattr("__await__").unwrap_or(false) {
        // A coroutine that nobody will await would say so when it is collected.
        let _ = returned.call_method0("close");
        keep(needs_await(py));
    }
    let gave = name_of(returned);
    StoreError::Unavailable(format!("{} gave {gave}, not {wanted}", op.name()))
}

/// The name of a value's type, of a length that fits a line.
fn name_of(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().qualname().map(|name| name.to_string());
    name.unwrap_or_default().chars().take(80).collect()
}

thread_local! {
    /// What a method raised, until the error that it leads to is raised.
    static CAUSE: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// What a method raised, as a failure of the store. Its text stays out of messages: it may name
/// addresses and passwords.
pub(crate) fn failure(py: Python<'_>, raised: PyErr) -> StoreError {
    let value = raised.value(py).as_any();
    // Ends a task or the program, or says what the application did wrong.
    let ours = crate::error::native(value).ok().flatten();
    // A store of ours, asked by hand or by one that stands around it.
    if let Some(error) = ours.as_ref().and_then(StoreError::of) {
        CAUSE.set(Some(raised));
        return error;
    }
    if !value.is_instance_of::<PyException>()
        || ours.is_some_and(|error| error.kind() == ErrorKind::Config)
    {
        keep(raised);
        return StoreError::Unavailable("it was interrupted".to_owned());
    }
    let errno = value.getattr("errno").and_then(|errno| errno.extract::<i32>()).unwrap_or(0);
    let error = match value {
        // Before Python 3.11 asyncio has one of its own, and clients have theirs.
        it if it.is_instance_of::<PyTimeoutError>() || name_of(it) == "TimeoutError" => {
            StoreError::TimedOut
        }
        it if it.is_instance_of::<PyOSError>() && errno == ENOSPC => StoreError::Full,
        it => StoreError::Unavailable(name_of(it)),
    };
    CAUSE.set(Some(raised));
    error
}

/// "No space left on device", the same number on every system that we build for.
const ENOSPC: i32 = 28;

/// Forgets what a method raised where it leads to no error: the effect has happened by then.
pub(crate) fn forget_cause() {
    CAUSE.set(None);
}

/// The exception for an error of the core's; one of the store names what led to it.
pub(crate) fn raise_store(py: Python<'_>, error: Error) -> PyErr {
    let cause = CAUSE.take();
    let of_store = error.kind() == ErrorKind::Store;
    let raised = raise(py, error);
    if of_store && cause.is_some() {
        raised.set_cause(py, cause);
    }
    raised
}

/// For `_redis.py` and `_store.py`: the error for an argument that is not of its form.
#[pyfunction]
#[pyo3(name = "_invalid")]
pub(crate) fn py_invalid<'py>(py: Python<'py>, message: String) -> Bound<'py, PyAny> {
    invalid(py, message).into_value(py).into_bound(py).into_any()
}

/// For `_redis.py` and `_store.py`: a time limit, 2 seconds for None.
#[pyfunction]
#[pyo3(name = "_time_limit")]
pub(crate) fn py_time_limit(py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    boundary(py, || time_limit(py, given))
}

/// For `_redis.py`: the key of an operation, where it is one.
#[pyfunction]
#[pyo3(name = "_store_key", signature = (given, /))]
pub(crate) fn py_store_key(given: &Bound<'_, PyAny>) -> PyResult<String> {
    boundary(given.py(), || key(given))
}

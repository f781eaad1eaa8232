//! The boundary that every entry runs inside.
//!
//! Owns what happens to a panic, and to an exception raised by a hook (clock, random source) that
//! the core called and whose signature has no room for it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_elicit::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::error::raise;

thread_local! {
    /// What a hook raised while the core was at work on this thread.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Keeps an exception of a hook until the core returns; the first one counts.
pub(crate) fn keep(raised: PyErr) {
    let first = RAISED.take().unwrap_or(raised);
    RAISED.set(Some(first));
}

/// Runs an entry: a panic becomes an `ElicitError` of kind `internal`, and what a hook raised
/// meanwhile goes to the caller in place of the result.
pub(crate) fn boundary<T>(py: Python<'_>, entry: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    // A hook may enter again, on the same thread, while an outer entry's exception is kept.
    let outer = RAISED.take();
    // The values that an entry works on are replaced or dropped after a panic, never used again:
    // a call whose handler gets this error is finished by it.
    let result = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "panic-probe")]
        probe();
        entry()
    }));
    let raised = RAISED.replace(outer);
    match (result, raised) {
        (_, Some(raised)) => Err(raised),
        (Ok(result), None) => result,
        (Err(_), None) => {
            let message = "a defect of mcp_elicit stopped this; please report it";
            Err(raise(py, Error::new(ErrorKind::Internal, message)))
        }
    }
}

#[cfg(feature = "panic-probe")]
mod probe {
    use std::sync::atomic::{AtomicBool, Ordering};

    static ARMED: AtomicBool = AtomicBool::new(false);

    /// Makes the next entry panic. Test builds only.
    #[pyo3::pyfunction]
    #[pyo3(name = "_panic_next")]
    pub(crate) fn panic_next() {
        ARMED.store(true, Ordering::SeqCst);
    }

    pub(super) fn probe() {
        #[allow(clippy::panic)]
        if ARMED.swap(false, Ordering::SeqCst) {
            panic!("asked for by a test");
        }
    }
}

#[cfg(feature = "panic-probe")]
pub(crate) use probe::panic_next;
#[cfg(feature = "panic-probe")]
use probe::probe;

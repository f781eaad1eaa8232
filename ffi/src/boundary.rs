//! The boundary: no panic crosses it, and every failure becomes a status and an error.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_elicit::{Error, ErrorKind};

use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;

/// Why a function did not do what was asked.
pub(crate) enum Failure {
    /// A question is open, which is no error.
    Pending,
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What the work of a function ends with.
pub(crate) type Done<T = ()> = Result<T, Failure>;

/// Does the work of a function that returns a status, and fills `err` where C wants one.
pub(crate) fn status(
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
    work: impl FnOnce() -> Done,
) -> mcp_elicit_status {
    let error = match guard(work) {
        Some(Ok(())) => {
            put(err, None);
            return mcp_elicit_status::MCP_ELICIT_OK;
        }
        Some(Err(Failure::Pending)) => {
            put(err, None);
            return mcp_elicit_status::MCP_ELICIT_PENDING;
        }
        Some(Err(Failure::Error(error))) => error,
        None => Error::new(ErrorKind::Internal, "a defect in mcp_elicit: it panicked"),
    };
    let status = mcp_elicit_status::of(error.kind());
    if let Some(err) = err {
        err.write(Some(Box::new(mcp_elicit_error::new(error))));
    }
    status
}

/// Does the work of a function that cannot fail; `neutral` is what it returns after a panic.
pub(crate) fn value<T>(neutral: T, work: impl FnOnce() -> T) -> T {
    guard(work).unwrap_or(neutral)
}

/// None after a panic.
fn guard<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Nothing of ours is looked at after a panic but a call, which knows that it broke off.
    let done = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "panic-test")]
        crate::panic_test::panic_if_armed(crate::panic_test::Place::Boundary);
        work()
    }));
    match done {
        Ok(done) => Some(done),
        Err(payload) => {
            // Dropping what was thrown can panic in its turn.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            None
        }
    }
}

/// An error that names the parameter.
pub(crate) fn invalid_argument(name: &str, fault: &str) -> Failure {
    Failure::Error(Error::new(ErrorKind::InvalidArgument, format!("{name} {fault}")))
}

/// The value of a parameter that may not be NULL.
pub(crate) fn need<T>(value: Option<T>, name: &str) -> Done<T> {
    value.ok_or_else(|| invalid_argument(name, "is NULL"))
}

/// The place for a result, which may not be NULL. Holds `neutral` until there is one, so that C
/// never reads garbage from it.
pub(crate) fn place<'a, T>(
    place: Option<&'a mut MaybeUninit<T>>,
    neutral: T,
    name: &str,
) -> Done<&'a mut MaybeUninit<T>> {
    let place = need(place, name)?;
    place.write(neutral);
    Ok(place)
}

/// Puts a result where C wants it, if it does.
pub(crate) fn put<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

//! A value that one entry at a time works with.
//!
//! Owns what becomes of the other: hooks and validators run while the core is at work, and may come
//! back to the very value that they are called from; threads may share what is for one at a time.
//! Each is refused with an error of ours, before anything is done.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use mcp_elicit::{Error, ErrorKind};
use pyo3::prelude::*;

use crate::error::raise;

pub(crate) struct Guarded<T> {
    value: Mutex<T>,
    /// What whoever comes while it is in use is told.
    refusal: &'static str,
}

impl<T> Guarded<T> {
    pub(crate) fn new(value: T, refusal: &'static str) -> Self {
        Self { value: Mutex::new(value), refusal }
    }

    /// The value, for the one entry that holds it. Never waits.
    pub(crate) fn enter(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, T>> {
        self.try_enter()
            .ok_or_else(|| raise(py, Error::new(ErrorKind::InvalidArgument, self.refusal)))
    }

    /// The value; None while an entry holds it.
    pub(crate) fn try_enter(&self) -> Option<MutexGuard<'_, T>> {
        match self.value.try_lock() {
            Ok(guard) => Some(guard),
            // After a panic: whoever got its error finishes what it was about.
            Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

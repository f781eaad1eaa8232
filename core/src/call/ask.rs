//! Asks: what a handler holds between asking and reading.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::elicit::Outcome;
use crate::error::Error;
use crate::json::JsonError;

/// A question that was asked in this round. Owned; does not borrow the call.
///
/// Ask everything that can go out together before reading any of it: reading one that is pending
/// ends this run of the handler.
#[derive(Clone)]
pub struct Ask(Arc<Cell>);

struct Cell {
    /// None while pending; never changes within a round.
    outcome: Option<Outcome>,
    /// Somebody tried to read it while it was pending: the signal to suspend is on its way.
    read: AtomicBool,
}

impl Ask {
    pub(super) fn new(outcome: Option<Outcome>) -> Self {
        Self(Arc::new(Cell { outcome, read: AtomicBool::new(false) }))
    }

    /// Whether there is no outcome yet.
    pub fn is_pending(&self) -> bool {
        self.0.outcome.is_none()
    }

    /// The outcome, or the signal that ends this run of the handler: `?` is enough.
    ///
    /// # Errors
    /// [`Suspend`] while the question is pending. The call knows that it was given.
    pub fn outcome(&self) -> Result<&Outcome, Suspend> {
        self.0.outcome.as_ref().ok_or_else(|| {
            self.0.read.store(true, Ordering::Relaxed);
            Suspend(())
        })
    }

    /// The outcome where there is one; does not suspend.
    pub fn peek(&self) -> Option<&Outcome> {
        self.0.outcome.as_ref()
    }

    pub(super) fn was_read_pending(&self) -> bool {
        self.0.read.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.outcome {
            Some(outcome) => outcome.fmt(f),
            None => f.write_str("Ask(pending)"),
        }
    }
}

/// The signal that ends a handler's run while a question is pending. Pass it on with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a handler that goes on after this works with an answer that nobody gave"]
pub struct Suspend(());

impl fmt::Display for Suspend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a question is pending; the handler runs again when it is answered")
    }
}

impl std::error::Error for Suspend {}

/// Why a handler stopped before it had a result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Stop {
    /// A question is pending.
    Suspend,
    /// Nothing is asked, but the result is not there yet: the client comes back by itself
    /// ([`Call::retry_later`](crate::Call::retry_later)).
    RetryLater,
    /// A question could not be asked, or the application ends the call with an error of its own
    /// ([`Error::application`]).
    Error(Error),
}

impl From<Suspend> for Stop {
    fn from(_: Suspend) -> Self {
        Self::Suspend
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// A result of the application's own that is not JSON.
impl From<JsonError> for Stop {
    fn from(error: JsonError) -> Self {
        Self::Error(error.into())
    }
}

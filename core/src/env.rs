//! Time and randomness, which come in from outside, and the log, which goes out.
//!
//! Owns no state. With a fixed [`Clock`] and [`Rng`] every byte of a flow is reproducible.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Error, ErrorKind, Result};

/// Tells the time. Shared by threads.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    fn now_ms(&self) -> u64;
}

/// Gives unpredictable bytes. Shared by threads.
pub trait Rng: Send + Sync {
    /// Fills `out`. The bytes become nonces and ids: a source that repeats gives states away.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] where the source has nothing to give; the call then ends.
    fn fill(&self, out: &mut [u8]) -> Result<()>;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The system's random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

impl Rng for SystemRng {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        getrandom::fill(out)
            .map_err(|_| Error::new(ErrorKind::Internal, "the system gave no random bytes"))
    }
}

impl<F: Fn() -> u64 + Send + Sync> Clock for F {
    fn now_ms(&self) -> u64 {
        self()
    }
}

/// How much an [`Event`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Something was refused, or the application did what it probably did not mean.
    Warning,
}

impl Level {
    /// `info` or `warning`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// Something that the operator should know and the peer must not.
///
/// Holds no secret and nothing that a person answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Event<'e> {
    /// How much it matters.
    pub level: Level,
    /// Stable name: `state_refused`, `suspension_swallowed`, `question_left_open`,
    /// `ephemeral_keys`, `form_warning`, `unknown_answer`, `question_reworded`, `sampling_context`,
    /// `store_failed`, `store_value_refused`, `claim_left_open`, `claim_not_finished`,
    /// `result_not_recorded`.
    pub name: &'static str,
    /// Stable name of the cause, where there are several, such as `forged`.
    pub reason: &'static str,
    /// A sentence for a person.
    pub message: &'e str,
    /// The flow it is about; empty where there is none.
    pub flow_id: &'e str,
}

/// Receives [`Event`]s. Shared by threads; must not call back into the call it hears of.
///
/// A thread that is in a log is not told of what it does there; what it does in a clock or a random
/// source takes time and bytes from the system.
pub trait Log: Send + Sync {
    /// Takes one event. Returns soon: the call waits.
    fn log(&self, event: &Event<'_>);
}

impl<F: Fn(&Event<'_>) + Send + Sync> Log for F {
    fn log(&self, event: &Event<'_>) {
        self(event);
    }
}

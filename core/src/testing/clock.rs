//! A clock that a test sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::env::Clock;

/// A clock that stands still until a test moves it. Clones are the same clock: give one to the
/// engine and keep one.
#[derive(Clone, Debug)]
pub struct TestClock(Arc<AtomicU64>);

impl TestClock {
    /// A clock that stands at 2026-01-01T00:00:00Z.
    pub fn new() -> Self {
        Self::at(1_767_225_600_000)
    }

    /// A clock that stands at `now_ms`, milliseconds since 1970-01-01T00:00:00Z.
    pub fn at(now_ms: u64) -> Self {
        Self(Arc::new(AtomicU64::new(now_ms)))
    }

    /// Sets it.
    pub fn set(&self, now_ms: u64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }

    /// Moves it on.
    pub fn advance(&self, by_ms: u64) {
        self.set(self.now_ms().saturating_add(by_ms));
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

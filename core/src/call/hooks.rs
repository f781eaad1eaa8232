//! The hooks of an engine, bounded.
//!
//! Owns one rule: no clock is called while its thread is in a clock, no random source in a random
//! source, no log in a log. One that uses an engine would otherwise be called by it, use it again,
//! and so on to the end of the stack.

use std::cell::Cell;

use crate::env::{Clock, Event, Log, Rng, SystemClock, SystemRng};
use crate::error::Result;

pub(super) struct Hooks {
    clock: Box<dyn Clock>,
    rng: Box<dyn Rng>,
    log: Option<Box<dyn Log>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Clock = 1,
    Rng = 2,
    Log = 4,
}

thread_local! {
    /// The kinds of hook that this thread is inside of, of any engine: a bit each.
    static INSIDE: Cell<u8> = const { Cell::new(0) };
}

/// The time that a thread is inside a hook; over also where the hook panics.
struct Inside(Kind);

impl Inside {
    /// None where the thread is in a hook of this kind already.
    fn enter(kind: Kind) -> Option<Self> {
        let inside = INSIDE.get();
        (inside & kind as u8 == 0).then(|| {
            INSIDE.set(inside | kind as u8);
            Self(kind)
        })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() & !(self.0 as u8));
    }
}

impl Hooks {
    pub(super) fn new(clock: Box<dyn Clock>, rng: Box<dyn Rng>, log: Option<Box<dyn Log>>) -> Self {
        Self { clock, rng, log }
    }

    /// What a thread does inside a clock is timed by the system's.
    pub(super) fn now_ms(&self) -> u64 {
        match Inside::enter(Kind::Clock) {
            Some(_inside) => self.clock.now_ms(),
            None => SystemClock.now_ms(),
        }
    }

    /// What a thread does inside a log is not told.
    pub(super) fn log(&self, event: &Event<'_>) {
        let Some(log) = &self.log else { return };
        if let Some(_inside) = Inside::enter(Kind::Log) {
            log.log(event);
        }
    }
}

/// What a thread does inside a random source draws from the system's.
impl Rng for Hooks {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        match Inside::enter(Kind::Rng) {
            Some(_inside) => self.rng.fill(out),
            None => SystemRng.fill(out),
        }
    }
}

//! The wall between JavaScript and the core.
//!
//! Owns what every exported function does around its work: no panic gets out, hooks find their
//! way back into JavaScript while the work lasts, and errors leave as thrown handles.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_elicit::{Error, ErrorKind, Result};
use napi::Env;
use napi::bindgen_prelude::External;

thread_local! {
    /// The environment of the call that this thread is in; a thread has one JavaScript at a time.
    static CURRENT: Cell<Option<Env>> = const { Cell::new(None) };
    /// Why the work cannot count although the core could not be told: a hook failed that has no
    /// way to say so.
    static FAILED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Does the work of an exported function.
pub(crate) fn enter<T>(env: Env, work: impl FnOnce() -> Result<T>) -> napi::Result<T> {
    let outer = (CURRENT.replace(Some(env)), FAILED.take());
    let done = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "panic-on-purpose")]
        on_purpose::panic_if_asked(on_purpose::Place::Work);
        work()
    }));
    CURRENT.set(outer.0);
    let failed = FAILED.replace(outer.1);
    match (done, failed) {
        (_, Some(why)) => Err(thrown(env, Error::new(ErrorKind::Internal, why))),
        (Ok(result), None) => result.map_err(|error| thrown(env, error)),
        (Err(_), None) => {
            let message = "a defect of mcp-elicit was met; what was in hand is given up";
            Err(thrown(env, Error::new(ErrorKind::Internal, message)))
        }
    }
}

/// The environment, while the work of an exported function lasts.
pub(crate) fn current_env() -> Option<Env> {
    CURRENT.get()
}

/// Makes the work that is under way end in an error.
pub(crate) fn fail_current(why: &'static str) {
    FAILED.set(Some(why));
}

/// Throws an error as a handle, so that it can come back as the very same.
fn thrown(env: Env, error: Error) -> napi::Error {
    match env.throw(External::new(error)) {
        Ok(()) => napi::Error::from_status(napi::Status::PendingException),
        Err(error) => error,
    }
}

/// For the tests of the boundary: a panic where JavaScript wants one.
#[cfg(feature = "panic-on-purpose")]
pub mod on_purpose {
    use std::cell::Cell;

    /// Where to panic.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Place {
        /// At the beginning of the work of the next function.
        Work,
        /// In the clock hook, with the core in the midst of its work.
        Clock,
    }

    thread_local! {
        static ASKED: Cell<Option<Place>> = const { Cell::new(None) };
    }

    /// Makes the next function that is called panic, or the next that asks for the time.
    #[napi_derive::napi]
    pub fn panic_next(in_clock: bool) {
        ASKED.set(Some(if in_clock { Place::Clock } else { Place::Work }));
    }

    #[allow(clippy::panic)]
    pub(crate) fn panic_if_asked(here: Place) {
        if ASKED.get() == Some(here) {
            ASKED.set(None);
            panic!("on purpose");
        }
    }
}

//! Callbacks with a context of the application's: the clock and the random source.

use std::ffi::{c_int, c_void};

use mcp_elicit::{Clock, Error, ErrorKind, Result, Rng};

/// Frees the context of a callback.
///
/// Called exactly once, by whichever thread gives up the last thing that can still use the
/// callback: the configuration, its engines, their calls. Must not unwind.
pub type mcp_elicit_destroy_fn = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Tells the time: milliseconds since 1970-01-01T00:00:00Z.
///
/// Called by any thread that uses the engine, by several at once too. Must not unwind and must not
/// call into this library.
pub type mcp_elicit_clock_fn = Option<unsafe extern "C" fn(context: *mut c_void) -> u64>;

/// Writes `len` unpredictable bytes to `out` and returns 0; returns anything else where it cannot,
/// and the function that needed them gives MCP_ELICIT_INTERNAL.
///
/// The bytes become nonces and ids: a source that repeats gives sealed state away. Called by any
/// thread that uses the engine, by several at once too. Must not unwind and must not call into
/// this library.
pub type mcp_elicit_random_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, out: *mut u8, len: usize) -> c_int>;

/// The application's context, freed with the last that holds it.
pub(crate) struct Context {
    pointer: *mut c_void,
    destroy: mcp_elicit_destroy_fn,
}

// SAFETY: the header says that callbacks are called by any thread, by several at once, and that
// the context is destroyed by any thread; whoever hands one in agrees to that.
unsafe impl Send for Context {}
// SAFETY: as above; the pointer itself is never written.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn new(pointer: *mut c_void, destroy: mcp_elicit_destroy_fn) -> Self {
        Self { pointer, destroy }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the header promises this one call with this pointer, and nobody can reach
            // the context after it.
            unsafe { destroy(self.pointer) };
        }
    }
}

/// A clock of the application's.
pub(crate) struct ClockHook {
    pub(crate) call: unsafe extern "C" fn(*mut c_void) -> u64,
    pub(crate) context: Context,
}

impl Clock for ClockHook {
    fn now_ms(&self) -> u64 {
        // SAFETY: the application gave function and context together, for calls by any thread, and
        // the context lives as long as this.
        unsafe { (self.call)(self.context.pointer()) }
    }
}

/// A random source of the application's.
pub(crate) struct RandomHook {
    pub(crate) call: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_int,
    pub(crate) context: Context,
}

impl Rng for RandomHook {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        // SAFETY: as in `ClockHook`; `out` is valid for writes of its length.
        match unsafe { (self.call)(self.context.pointer(), out.as_mut_ptr(), out.len()) } {
            0 => Ok(()),
            _ => Err(Error::new(ErrorKind::Internal, "the random callback gave no bytes")),
        }
    }
}

//! Clock, random source and log written in JavaScript.
//!
//! They are called on the thread of the call, while it lasts. `lib/engine.js` has wrapped them:
//! none of them throws, and a failure comes back as a value that cannot be meant.

use mcp_elicit::{Clock, Error, ErrorKind, Event, Log, Result, Rng};
use napi::bindgen_prelude::{FnArgs, FunctionRef, Uint8Array, Undefined};

use crate::boundary::{current_env, fail_current};

/// Gives the milliseconds since 1970; NaN where it failed.
pub(crate) type ClockFunction = FunctionRef<(), f64>;

/// Is given how many bytes are wanted; gives others where it failed.
pub(crate) type RandomFunction = FunctionRef<u32, Uint8Array>;

/// Is given level, name, reason, message and flow id.
pub(crate) type LogFunction =
    FunctionRef<FnArgs<(&'static str, &'static str, &'static str, String, String)>, Undefined>;

pub(crate) struct ClockHook(pub(crate) ClockFunction);

impl Clock for ClockHook {
    fn now_ms(&self) -> u64 {
        #[cfg(feature = "panic-on-purpose")]
        crate::boundary::on_purpose::panic_if_asked(crate::boundary::on_purpose::Place::Clock);
        let now = current_env()
            .and_then(|env| self.0.borrow_back(&env).ok()?.call(()).ok())
            .filter(|now| now.is_finite() && *now >= 0.0);
        match now {
            // Saturates, and drops a fraction.
            Some(now) => now as u64,
            None => {
                fail_current("the clock hook threw, or gave no milliseconds since 1970");
                0
            }
        }
    }
}

pub(crate) struct RandomHook(pub(crate) RandomFunction);

impl Rng for RandomHook {
    fn fill(&self, out: &mut [u8]) -> Result<()> {
        let bytes = u32::try_from(out.len())
            .ok()
            .and_then(|count| {
                let env = current_env()?;
                self.0.borrow_back(&env).ok()?.call(count).ok()
            })
            .filter(|bytes| bytes.len() == out.len());
        match bytes {
            Some(bytes) => {
                out.copy_from_slice(&bytes);
                Ok(())
            }
            None => {
                let message = "the random hook threw, or gave another number of bytes";
                Err(Error::new(ErrorKind::Internal, message))
            }
        }
    }
}

pub(crate) struct LogHook(pub(crate) LogFunction);

impl Log for LogHook {
    fn log(&self, event: &Event<'_>) {
        let Some(env) = current_env() else { return };
        let Ok(function) = self.0.borrow_back(&env) else { return };
        let arguments = (
            event.level.name(),
            event.name,
            event.reason,
            event.message.to_owned(),
            event.flow_id.to_owned(),
        );
        // A log that fails is not worth a call.
        let _ = function.call(arguments.into());
    }
}

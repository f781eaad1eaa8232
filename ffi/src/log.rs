//! The log hook and the events that it is given.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use mcp_elicit::{Event, Level, Log};

use crate::boundary;
use crate::callback::Context;
use crate::text::{Text, give};

/// How much an event matters. Later versions can add levels.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum mcp_elicit_level {
    /// No event: what is returned for NULL.
    MCP_ELICIT_LEVEL_NONE = 0,
    /// Worth knowing.
    MCP_ELICIT_LEVEL_INFO = 1,
    /// Something was refused, or the application did what it probably did not mean.
    MCP_ELICIT_LEVEL_WARNING = 2,
}

/// Something that the operator should know and the peer must not, such as why a `requestState` was
/// refused. Holds no secret and nothing that a person answered.
///
/// Lent to the log callback: neither the event nor what is read from it lives longer than the call
/// of the callback.
pub struct mcp_elicit_event {
    level: mcp_elicit_level,
    name: Text,
    reason: Text,
    message: Text,
    flow_id: Text,
}

/// Receives an event. `context` is what was given along with the function.
///
/// Called by any thread that uses the engine, by several at once too, in the middle of that
/// thread's call into the library: return soon, do not unwind, and do not call into this library
/// but for the accessors of the event.
pub type mcp_elicit_log_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, event: *const mcp_elicit_event)>;

/// How much an event matters. MCP_ELICIT_LEVEL_NONE if `event` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_event_level(event: Option<&mcp_elicit_event>) -> mcp_elicit_level {
    boundary::value(mcp_elicit_level::MCP_ELICIT_LEVEL_NONE, || {
        event.map_or(mcp_elicit_level::MCP_ELICIT_LEVEL_NONE, |event| event.level)
    })
}

/// The name of an event, stable, for programs: "state_refused", "ephemeral_keys", "form_warning"
/// and others. NULL if `event` is NULL.
///
/// Owned by the event, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_event_name(event: Option<&mcp_elicit_event>) -> *const c_char {
    boundary::value(std::ptr::null(), || give(event.map(|event| &event.name), None))
}

/// The cause, where there are several, stable, for programs, such as "forged"; "" otherwise. NULL
/// if `event` is NULL.
///
/// Owned by the event, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_event_reason(event: Option<&mcp_elicit_event>) -> *const c_char {
    boundary::value(std::ptr::null(), || give(event.map(|event| &event.reason), None))
}

/// A sentence for a person. NULL if `event` is NULL.
///
/// Owned by the event, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_event_message(
    event: Option<&mcp_elicit_event>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(event.map(|event| &event.message), len))
}

/// The flow that the event is about; "" where there is none. NULL if `event` is NULL.
///
/// Owned by the event, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_event_flow_id(event: Option<&mcp_elicit_event>) -> *const c_char {
    boundary::value(std::ptr::null(), || give(event.map(|event| &event.flow_id), None))
}

/// A log hook of the application's.
pub(crate) struct LogHook {
    pub(crate) call: unsafe extern "C" fn(*mut c_void, *const mcp_elicit_event),
    pub(crate) context: Context,
}

impl Log for LogHook {
    fn log(&self, event: &Event<'_>) {
        let event = mcp_elicit_event {
            level: match event.level {
                Level::Info => mcp_elicit_level::MCP_ELICIT_LEVEL_INFO,
                Level::Warning => mcp_elicit_level::MCP_ELICIT_LEVEL_WARNING,
            },
            name: Text::new(event.name),
            reason: Text::new(event.reason),
            message: Text::new(event.message),
            flow_id: Text::new(event.flow_id),
        };
        // SAFETY: the application gave function and context together, for calls by any thread; the
        // context lives as long as this, the event until the call is over.
        unsafe { (self.call)(self.context.pointer(), &raw const event) };
    }
}

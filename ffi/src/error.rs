//! Errors as C reads them.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use mcp_elicit::Error;

use crate::boundary;
use crate::fault::{Faults, mcp_elicit_fault};
use crate::reply::mcp_elicit_reply;
use crate::status::{TABLE, mcp_elicit_status};
use crate::text::{Text, give};

/// Why a function did not do what was asked.
///
/// Made by functions that take `mcp_elicit_error **err`; free it with mcp_elicit_error_free. What
/// it says is safe to show to whoever may see the server's log: never a secret, never what a
/// person answered.
///
/// Thread-safety: immutable; any number of threads may read it at once.
pub struct mcp_elicit_error {
    pub(crate) error: Error,
    message: OnceLock<Text>,
    data: OnceLock<Option<Text>>,
    faults: OnceLock<Faults>,
}

impl mcp_elicit_error {
    pub(crate) fn new(error: Error) -> Self {
        Self { error, message: OnceLock::new(), data: OnceLock::new(), faults: OnceLock::new() }
    }

    fn faults(&self) -> &Faults {
        self.faults.get_or_init(|| Faults::new(self.error.faults()))
    }
}

/// Frees an error and everything that was read from it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_free(error: Option<Box<mcp_elicit_error>>) {
    boundary::value((), || drop(error));
}

/// The status that the function returned with this error. MCP_ELICIT_OK if `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_status(error: Option<&mcp_elicit_error>) -> mcp_elicit_status {
    boundary::value(mcp_elicit_status::MCP_ELICIT_INTERNAL, || match error {
        Some(error) => mcp_elicit_status::of(error.error.kind()),
        None => mcp_elicit_status::MCP_ELICIT_OK,
    })
}

/// The name of the kind of error, such as "invalid_state": the same in every language, and that of
/// the status. NULL if `error` is NULL. The text is static.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_kind(error: Option<&mcp_elicit_error>) -> *const c_char {
    boundary::value(std::ptr::null(), || match error {
        Some(error) => TABLE
            .iter()
            .find(|row| row.0 == error.error.kind())
            .map_or(c"unknown", |row| row.2)
            .as_ptr(),
        None => std::ptr::null(),
    })
}

/// The JSON-RPC code of this error on the wire, such as -32602 (basic, "Error Codes"). 0 if
/// `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_code(error: Option<&mcp_elicit_error>) -> i32 {
    boundary::value(0, || error.map_or(0, |error| error.error.code()))
}

/// The HTTP status of a reply with this error. 0 if `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_http_status(error: Option<&mcp_elicit_error>) -> u16 {
    boundary::value(0, || error.map_or(0, |error| error.error.http_status()))
}

/// Whether the peer is at fault, or must be told. Where false, something of the server's own must
/// be mended: look into its message, since the peer is told no more than "Internal error". False if
/// `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_is_for_peer(error: Option<&mcp_elicit_error>) -> bool {
    boundary::value(false, || error.is_some_and(|error| error.error.kind().is_for_peer()))
}

/// Whether the same request may succeed a little later. False if `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_is_retryable(error: Option<&mcp_elicit_error>) -> bool {
    boundary::value(false, || error.is_some_and(|error| error.error.is_retryable()))
}

/// What is at fault, as a sentence for whoever runs the server. NULL if `error` is NULL.
///
/// Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_message(
    error: Option<&mcp_elicit_error>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text = |error: &'_ mcp_elicit_error| Text::new(error.error.message());
        give(error.map(|error| error.message.get_or_init(|| text(error))), len)
    })
}

/// The `data` member of this error on the wire, as JSON. NULL if it has none, or `error` is NULL.
///
/// Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_data(
    error: Option<&mcp_elicit_error>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        let text =
            |error: &mcp_elicit_error| error.error.data().map(|data| Text::new(data.compact()));
        give(error.and_then(|error| error.data.get_or_init(|| text(error)).as_ref()), len)
    })
}

/// How many places are at fault, where the error is about places, such as those of a schema. 0 if
/// `error` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_fault_count(error: Option<&mcp_elicit_error>) -> usize {
    boundary::value(0, || error.map_or(0, |error| error.error.faults().len()))
}

/// The fault at `index`, counted from 0. NULL if there is none, or `error` is NULL.
///
/// Owned by the error.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_fault(
    error: Option<&mcp_elicit_error>,
    index: usize,
) -> Option<&mcp_elicit_fault> {
    boundary::value(None, || error.and_then(|error| error.faults().each.get(index)))
}

/// All faults as a JSON array of {"path", "rule", "message"}. NULL if `error` is NULL.
///
/// Owned by the error, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_faults(
    error: Option<&mcp_elicit_error>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(error.map(|error| &error.faults().json), len))
}

/// The reply that tells the peer of this error: a JSON-RPC error response under the request's
/// `id`, or the error object alone where the call was opened from parameters.
///
/// An error that is the server's own fault says no more than "Internal error" in it. NULL for
/// MCP_ELICIT_NOT_A_CALL, which is for whoever routed the request, and if `error` is NULL.
///
/// The reply is yours: free it with mcp_elicit_reply_free. It does not need the error any more.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_error_reply(
    error: Option<&mcp_elicit_error>,
) -> Option<Box<mcp_elicit_reply>> {
    boundary::value(None, || {
        let reply = error?.error.reply()?;
        Some(Box::new(mcp_elicit_reply::new(reply)))
    })
}

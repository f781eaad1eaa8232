//! The envelope of a request that is no call.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::{Envelope, Mode};

use crate::boundary;
use crate::call::mode_of;
use crate::text::{Text, give};

/// What is needed to answer a request that cannot carry input, or to see that it is a notification.
///
/// Made by mcp_elicit_engine_check; free it with mcp_elicit_envelope_free.
///
/// Thread-safety: immutable; any number of threads may read it at once.
pub struct mcp_elicit_envelope {
    method: Text,
    id: Option<Text>,
    client_info: Option<Text>,
    form: bool,
    url: bool,
}

impl mcp_elicit_envelope {
    pub(crate) fn new(envelope: &Envelope) -> Self {
        Self {
            method: Text::new(envelope.method()),
            id: envelope.id().map(Text::new),
            client_info: envelope.client_info().map(|info| Text::new(info.compact())),
            form: envelope.capabilities().elicits(Mode::Form),
            url: envelope.capabilities().elicits(Mode::Url),
        }
    }
}

/// Frees an envelope and everything that was read from it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_envelope_free(envelope: Option<Box<mcp_elicit_envelope>>) {
    boundary::value((), || drop(envelope));
}

/// The method. NULL if `envelope` is NULL.
///
/// Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_envelope_method(
    envelope: Option<&mcp_elicit_envelope>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(envelope.map(|envelope| &envelope.method), len))
}

/// The `id` as JSON, to be written into the response as it is. NULL for a notification, which gets
/// no response (basic, "Notifications"), and if `envelope` is NULL.
///
/// Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_envelope_id(
    envelope: Option<&mcp_elicit_envelope>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(envelope.and_then(|envelope| envelope.id.as_ref()), len)
    })
}

/// What the client says of itself, as JSON; not verified (basic, "Per-request protocol fields").
/// NULL if it says nothing, or `envelope` is NULL.
///
/// Owned by the envelope, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_envelope_client_info(
    envelope: Option<&mcp_elicit_envelope>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(envelope.and_then(|envelope| envelope.client_info.as_ref()), len)
    })
}

/// Whether the client declared that it can show this kind of question: `mode` is one of
/// mcp_elicit_mode. False for any other number, and if `envelope` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_envelope_can_elicit(
    envelope: Option<&mcp_elicit_envelope>,
    mode: u32,
) -> bool {
    boundary::value(false, || match (envelope, mode_of(mode)) {
        (Some(envelope), Some(Mode::Form)) => envelope.form,
        (Some(envelope), Some(Mode::Url)) => envelope.url,
        _ => false,
    })
}

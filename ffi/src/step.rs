//! Steps and application data: what a handler keeps in the state for its later rounds.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use crate::boundary::{self, need, place, put};
use crate::call::{mcp_elicit_call, own_json};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::{Text, bytes, text};

/// The result that an earlier round, or this one, recorded under `key`; NULL in `*result` if there
/// is none: do the work then, and record what comes out with mcp_elicit_call_record_step.
///
/// A step is a memo, so that an honest client's later rounds need not repeat the work. It is no
/// promise that the work happens once: a client that presents an older state repeats it.
///
/// `key_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. On success `*result` is JSON owned
/// by the call, NUL-terminated; `len` (may be NULL) receives its length in bytes.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_INVALID_ASK:
/// the key cannot be used. MCP_ELICIT_FINISHED: the call was finished before.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_step_result(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    result: Option<&mut MaybeUninit<*const c_char>>,
    mut len: Option<&mut MaybeUninit<usize>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        put(len.as_deref_mut(), 0);
        let place = place(result, std::ptr::null(), "result")?;
        let call = need(call, "call")?;
        // SAFETY: the header asks for a text of this length.
        let key = unsafe { text(key, key_len, "key") }?;
        place.write(call.change(|call| {
            let Some(step) = call.call.step_result(key)? else { return Ok(std::ptr::null()) };
            let step = Text::new(step.compact());
            let pointer = step.give(len);
            call.steps.push(step);
            Ok(pointer)
        })?);
        Ok(())
    })
}

/// Records the result of a step, as JSON. What was recorded first under a key stays.
///
/// Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_RESULT: `result` is not JSON. The rest as mcp_elicit_call_step_result.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_record_step(
    call: Option<&mut mcp_elicit_call>,
    key: *const c_char,
    key_len: usize,
    result: *const c_char,
    result_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let call = need(call, "call")?;
        // SAFETY: the header asks for texts of these lengths.
        let (key, result) =
            unsafe { (text(key, key_len, "key")?, text(result, result_len, "result")?) };
        call.change(|call| Ok(call.call.record_step(key, &own_json(result)?)?))
    })
}

/// Data that the application put into the state in an earlier round, or in this one. NULL if there
/// is none, or `call` is NULL.
///
/// Owned by the call, until mcp_elicit_call_set_app_data changes it. Any bytes, not NUL-terminated;
/// `len` (may be NULL) receives how many.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_call_app_data(
    call: Option<&mcp_elicit_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const u8 {
    boundary::value(std::ptr::null(), || {
        let data = call.and_then(|call| call.call.app_data());
        put(len, data.map_or(0, <[u8]>::len));
        data.map_or(std::ptr::null(), <[u8]>::as_ptr)
    })
}

/// Puts data of the application's own into the state, in place of what was there; `data` NULL takes
/// it out. It is sealed like everything else: the client carries every byte and can read none.
///
/// `len` is in bytes; they are copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_LIMIT: it
/// alone is longer than a state may be. MCP_ELICIT_FINISHED: the call was finished before.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_call_set_app_data(
    call: Option<&mut mcp_elicit_call>,
    data: *const u8,
    len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let call = need(call, "call")?;
        let data = match data.is_null() {
            true => None,
            // SAFETY: the header asks for `len` readable bytes.
            false => Some(unsafe { bytes(data.cast(), len, "data") }?.to_vec()),
        };
        call.change(|call| Ok(call.call.set_app_data(data)?))
    })
}

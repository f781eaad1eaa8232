//! New keys.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::keygen;
use zeroize::Zeroizing;

use crate::boundary::{self, invalid_argument, need};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;

/// Room that mcp_elicit_keygen needs, in bytes, the NUL included.
pub const MCP_ELICIT_KEY_SIZE: usize = 65;

/// Makes a key from the system's randomness, as text for MCP_ELICIT_KEYS or
/// mcp_elicit_engine_config_set_keys: 64 hex digits.
///
/// Writes the text and a NUL to `out`, which has room for `out_size` bytes, MCP_ELICIT_KEY_SIZE or
/// more. What was written is a secret: wipe it when you are done.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: there is less room. MCP_ELICIT_INTERNAL: the system gave no
/// randomness.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_keygen(
    out: *mut c_char,
    out_size: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let out = need(std::ptr::NonNull::new(out), "out")?;
        let mut key = Zeroizing::new(keygen()?);
        key.push('\0');
        if out_size < key.len().max(MCP_ELICIT_KEY_SIZE) {
            return Err(invalid_argument("out_size", "is less than MCP_ELICIT_KEY_SIZE"));
        }
        // SAFETY: the header asks for `out_size` writable bytes, which is not less than what is
        // copied, and a fresh allocation overlaps with nothing of the caller's.
        unsafe { std::ptr::copy_nonoverlapping(key.as_ptr().cast(), out.as_ptr(), key.len()) };
        Ok(())
    })
}

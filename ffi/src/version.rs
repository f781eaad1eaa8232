//! Which version of the library and of the protocol this is.

use std::ffi::{CStr, c_char};

use crate::boundary;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The version of the library that runs, such as "0.1.0".
///
/// MCP_ELICIT_VERSION is the version of the header that was compiled against. The text is static.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_version() -> *const c_char {
    boundary::value(c"".as_ptr(), || VERSION.as_ptr())
}

/// The version of the library that runs as one number that grows: 1000000 * major, 1000 * minor and
/// patch together. Compare with MCP_ELICIT_VERSION_NUMBER.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_version_number() -> u32 {
    boundary::value(0, || {
        let part = |text: &str| text.parse::<u32>().unwrap_or(0);
        part(env!("CARGO_PKG_VERSION_MAJOR")) * 1_000_000
            + part(env!("CARGO_PKG_VERSION_MINOR")) * 1_000
            + part(env!("CARGO_PKG_VERSION_PATCH"))
    })
}

/// The protocol revision that this library speaks, such as "2026-07-28": what belongs into
/// `supportedVersions` of server/discover. The text is static.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_protocol_version() -> *const c_char {
    boundary::value(c"".as_ptr(), || PROTOCOL.as_ptr())
}

/// The core's constant with a NUL behind it, which a constant text cannot get; a test compares.
pub(crate) const PROTOCOL: &CStr = c"2026-07-28";

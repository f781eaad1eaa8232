//! Texts across the boundary: borrowed on the way in, NUL-terminated on the way out.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::boundary::{self, Done, invalid_argument, put};

/// The length that says that a text ends at its NUL; `MCP_ELICIT_NUL` in the header.
const NUL: usize = usize::MAX;

/// The bytes that C hands in as pointer and length.
///
/// NULL is good for no bytes at all (length 0), since that is what an empty buffer often is.
///
/// # Safety
/// Unless NULL, `pointer` is valid for reads of `len` bytes, or of a NUL-terminated text where
/// `len` is `MCP_ELICIT_NUL`, and nobody writes there for `'a`.
pub(crate) unsafe fn bytes<'a>(
    pointer: *const c_char,
    len: usize,
    name: &'static str,
) -> Done<&'a [u8]> {
    if pointer.is_null() {
        return match len {
            0 => Ok(&[]),
            _ => Err(invalid_argument(name, "is NULL")),
        };
    }
    if len == NUL {
        // SAFETY: the caller vouches for a NUL-terminated text.
        return Ok(unsafe { CStr::from_ptr(pointer) }.to_bytes());
    }
    if isize::try_from(len).is_err() {
        return Err(invalid_argument(name, "has a length that no object has"));
    }
    // SAFETY: not NULL, of a length that an object can have, and the caller vouches for the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// The text that C hands in as pointer and length, which must be UTF-8.
///
/// # Safety
/// As [`bytes`].
pub(crate) unsafe fn text<'a>(
    pointer: *const c_char,
    len: usize,
    name: &'static str,
) -> Done<&'a str> {
    // SAFETY: the same promise.
    let bytes = unsafe { bytes(pointer, len, name) }?;
    std::str::from_utf8(bytes).map_err(|_| invalid_argument(name, "is not UTF-8"))
}

/// The text that C may leave out by NULL.
///
/// # Safety
/// As [`bytes`].
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    len: usize,
    name: &'static str,
) -> Done<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the same promise.
    unsafe { text(pointer, len, name) }.map(Some)
}

/// A text that C may read for as long as its owner lives: UTF-8 with a NUL behind it.
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let mut text = text.into();
        text.push('\0');
        Self(text)
    }

    /// The pointer for C; the length, which does not count the NUL, goes where C wants it.
    pub(crate) fn give(&self, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
        put(len, self.0.len().saturating_sub(1));
        self.0.as_ptr().cast()
    }
}

/// A text of the caller's own.
///
/// Free it with mcp_elicit_text_free.
///
/// Thread-safety: immutable; any number of threads may read it at once.
pub struct mcp_elicit_text(Text);

impl mcp_elicit_text {
    pub(crate) fn boxed(text: impl Into<String>) -> Box<Self> {
        Box::new(Self(Text::new(text)))
    }
}

/// The bytes of a text: UTF-8, NUL-terminated. NULL if `text` is NULL.
///
/// Owned by the text; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_text_data(
    text: Option<&mcp_elicit_text>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(text.map(|text| &text.0), len))
}

/// Frees a text. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_text_free(text: Option<Box<mcp_elicit_text>>) {
    boundary::value((), || drop(text));
}

/// A text that may be absent: NULL and length 0.
pub(crate) fn give(text: Option<&Text>, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
    match text {
        Some(text) => text.give(len),
        None => {
            put(len, 0);
            std::ptr::null()
        }
    }
}

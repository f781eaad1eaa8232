//! Request digest: what binds a `requestState` to the request that carries it.
//!
//! Owns the canonical form of `arguments` and its hash. Knows nothing of keys or tokens.
//! Protocol: basic/patterns/mrtr, server requirement 5 ("an identifier for the originating request").

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Decimal, Entries, Items, JsonType, Value, push_pointer, quote_into};

/// Hashed first, so that the digest is of no other use.
const DOMAIN: &[u8] = b"mcp-elicit/1 request";

/// The largest exponent of ten, either way, of a number in canonical form.
const EXPONENT_MAX: i64 = 9999;

/// SHA-256 over method, target and canonical arguments.
///
/// Equal for requests that a JSON reader cannot tell apart: key order, white space,
/// escapes and the spelling of numbers do not matter. Every digit does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestDigest(pub(super) [u8; 32]);

impl RequestDigest {
    /// The digest of a request to `method` about `target` (a tool's or prompt's name, a
    /// resource's URI). Absent and null arguments are the same as `{}`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParams`] where a number's exponent is past ±9999; the fault's path
    /// begins with `/params/arguments`.
    pub(crate) fn of(method: &str, target: &str, arguments: Option<Value<'_>>) -> Result<Self> {
        let mut canonical = Cow::Borrowed("{}");
        if let Some(arguments) = arguments.filter(|arguments| !arguments.is_null()) {
            let mut text = String::with_capacity(arguments.raw().len());
            canonical_into(arguments, &mut text).map_err(|place| {
                let message = format!("write a number whose exponent is at most {EXPONENT_MAX}");
                let path = format!("/params/arguments{place}");
                Error::at(ErrorKind::InvalidParams, Fault::new(path, "exponent", message))
            })?;
            canonical = Cow::Owned(text);
        }
        let mut hash = Sha256::new();
        for field in [DOMAIN, method.as_bytes(), target.as_bytes(), canonical.as_bytes()] {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        Ok(Self(hash.finalize().into()))
    }
}

/// An array or object that is being written.
enum Open<'j> {
    Array { rest: Items<'j>, written: usize },
    Object { members: Vec<(Cow<'j, str>, Value<'j>)>, written: usize },
}

/// Appends the canonical form of `value`, or says where a number cannot be written.
///
/// RFC 8785 but for numbers. No recursion: nesting is bounded by the reader's limit alone.
pub(super) fn canonical_into(value: Value<'_>, out: &mut String) -> Result<(), String> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match value.json_type() {
                JsonType::Null | JsonType::Boolean => out.push_str(value.raw()),
                JsonType::Number => {
                    let number = value.as_decimal().filter(|number| number_into(number, out));
                    if number.is_none() {
                        return Err(pointer(&open));
                    }
                }
                JsonType::String => text_into(&value.as_str().unwrap_or_default(), out),
                JsonType::Array => {
                    out.push('[');
                    open.push(Open::Array { rest: value.items(), written: 0 });
                }
                JsonType::Object => {
                    out.push('{');
                    open.push(Open::Object { members: sorted(value.entries()), written: 0 });
                }
            }
        }
        match open.last_mut() {
            None => return Ok(()),
            Some(Open::Array { rest, written }) => {
                if let Some(item) = rest.next() {
                    if *written > 0 {
                        out.push(',');
                    }
                    *written += 1;
                    next = Some(item);
                    continue;
                }
                out.push(']');
            }
            Some(Open::Object { members, written }) => {
                if let Some((key, value)) = members.get(*written) {
                    if *written > 0 {
                        out.push(',');
                    }
                    text_into(key, out);
                    out.push(':');
                    *written += 1;
                    next = Some(*value);
                    continue;
                }
                out.push('}');
            }
        }
        open.pop();
    }
}

/// Appends the number; false where its exponent is too large.
fn number_into(number: &Decimal<'_>, out: &mut String) -> bool {
    if number.is_zero() {
        out.push('0');
        return true;
    }
    let exponent = number.exponent();
    if exponent.abs() > EXPONENT_MAX {
        return false;
    }
    if number.is_negative() {
        out.push('-');
    }
    out.push_str(number.digits());
    if exponent == 0 {
        out.push_str("e0");
    } else {
        // Writing to a String does not fail.
        let _ = write!(out, "e{exponent}");
    }
    true
}

/// Appends a text as RFC 8785 section 3.2.2.2 writes it.
#[expect(clippy::ptr_arg, reason = "what is borrowed had no escape")]
fn text_into(text: &Cow<'_, str>, out: &mut String) {
    match text {
        // As it was sent, without an escape: there is nothing in it that needs one.
        Cow::Borrowed(text) => {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
        Cow::Owned(text) => quote_into(out, text),
    }
}

fn sorted<'j>(entries: Entries<'j>) -> Vec<(Cow<'j, str>, Value<'j>)> {
    let mut members: Vec<_> = entries.map(|entry| (entry.key(), entry.value)).collect();
    members.sort_unstable_by(|a, b| utf16_order(&a.0, &b.0));
    members
}

/// The order of the texts as UTF-16 (RFC 8785 section 3.2.3), told from their UTF-8.
///
/// The two orders differ in one place: UTF-16 writes characters past U+FFFF with units that sort
/// before U+E000, UTF-8 with bytes that sort after it.
pub(super) fn utf16_order(a: &str, b: &str) -> Ordering {
    let differing = a.bytes().zip(b.bytes()).find(|(a, b)| a != b);
    let Some((a_byte, b_byte)) = differing else { return a.len().cmp(&b.len()) };
    // 0xEE and 0xEF begin U+E000 to U+FFFF: move them past 0xF4, the last first byte there is.
    let place = |byte: u8| if matches!(byte, 0xEE | 0xEF) { byte + 0x10 } else { byte };
    place(a_byte).cmp(&place(b_byte))
}

/// Where the value being written stands.
fn pointer(open: &[Open<'_>]) -> String {
    let mut pointer = String::new();
    for open in open {
        match open {
            Open::Array { written, .. } => {
                push_pointer(&mut pointer, &written.saturating_sub(1).to_string());
            }
            Open::Object { members, written } => {
                if let Some((key, _)) = members.get(written.saturating_sub(1)) {
                    push_pointer(&mut pointer, key);
                }
            }
        }
    }
    pointer
}

//! The HTTP headers that a client sends with a message, made from its body.
//!
//! The other end of `protocol::headers`.
//! Protocol: streamable-http, "Sending Messages" 2 and "Request Metadata".

use std::borrow::Cow;

use super::refused;
use crate::error::Result;
use crate::json::{JsonType, Value};
use crate::protocol::{PROTOCOL_VERSION, SENTINEL, is_token};

/// Integers past this are not safe in every language (`x-mcp-header`, "Constraints").
const LARGEST: i64 = (1 << 53) - 1;

/// The argument at `path` goes into the header `Mcp-Param-{name}`.
#[derive(Clone, Debug)]
pub(super) struct ParamHeader {
    pub(super) name: String,
    pub(super) path: Vec<String>,
}

/// All headers of a request of `method`. `named` is the value that `Mcp-Name` shows.
pub(super) fn write(
    method: &str,
    named: Option<&str>,
    declared: &[ParamHeader],
    arguments: Option<Value<'_>>,
) -> Result<Vec<(String, String)>> {
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ("MCP-Protocol-Version".to_owned(), PROTOCOL_VERSION.to_owned()),
        ("Mcp-Method".to_owned(), method.to_owned()),
    ];
    if let Some(name) = named {
        headers.push(("Mcp-Name".to_owned(), encode(name).into_owned()));
    }
    for (at, param) in declared.iter().enumerate() {
        if param.name.is_empty() || !param.name.bytes().all(is_token) || param.path.is_empty() {
            return Err(refused(format!(
                "the parameter header {:?} cannot be: it needs the name of a header and the keys \
                 that lead to an argument",
                param.name
            )));
        }
        if declared[..at].iter().any(|other| other.name.eq_ignore_ascii_case(&param.name)) {
            return Err(refused(format!(
                "the parameter header {:?} is declared twice: upper and lower case are the same",
                param.name
            )));
        }
        let argument =
            param.path.iter().try_fold(arguments, |value, key| Some(value?.get_present(key)));
        if let Some(value) = argument.flatten() {
            headers.push((format!("Mcp-Param-{}", param.name), show(param, value)?));
        }
    }
    Ok(headers)
}

/// An argument as the value of a header ("Type conversion").
fn show(param: &ParamHeader, value: Value<'_>) -> Result<String> {
    let integer = || value.as_decimal()?.to_i64().filter(|number| number.abs() <= LARGEST);
    match value.json_type() {
        JsonType::String => Ok(encode(&value.as_str().unwrap_or_default()).into_owned()),
        JsonType::Boolean => Ok(value.raw().to_owned()),
        JsonType::Number => integer().map(|number| number.to_string()).ok_or_else(|| {
            refused(format!(
                "the parameter header {:?} mirrors a number that is no safe integer",
                param.name
            ))
        }),
        JsonType::Null | JsonType::Array | JsonType::Object => Err(refused(format!(
            "the parameter header {:?} mirrors an array or object; only strings, integers and \
             booleans can be",
            param.name
        ))),
    }
}

/// A text as the value of a header: as it is where every proxy leaves it alone, else in base64
/// ("Value Encoding").
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    let (prefix, suffix) = SENTINEL;
    let plain = text.bytes().all(|byte| matches!(byte, b'\t' | 0x20..=0x7E))
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !(text.starts_with(prefix) && text.ends_with(suffix));
    if plain {
        return Cow::Borrowed(text);
    }
    let coded = base64_simd::STANDARD.encode_to_string(text.as_bytes());
    Cow::Owned([prefix, &coded, suffix].concat())
}

#[cfg(test)]
mod tests {
    use super::encode;

    /// The table of examples in streamable-http, "Value Encoding", and its edges.
    #[test]
    fn values_are_encoded_where_a_header_could_not_carry_them() {
        for (text, value) in [
            ("us-west1", "us-west1"),
            ("two words\tand a tab", "two words\tand a tab"),
            ("", ""),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("\t", "=?base64?CQ==?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
            ("=?BASE64?x?=", "=?BASE64?x?="),
            ("=?base64?x", "=?base64?x"),
            ("\u{7f}", "=?base64?fw==?="),
        ] {
            assert_eq!(encode(text), value, "{text:?}");
        }
    }
}

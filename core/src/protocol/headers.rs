//! The HTTP headers that mirror the body, against the body.
//!
//! A proxy acts on the headers, we act on the body: where they differ, one of us was deceived.
//! Values are never repeated in a message, since an argument may be anything.
//! Protocol: streamable-http, "Request Metadata" and "Server Validation".

use std::borrow::Cow;

use super::caller::{Header, Headers, ParamHeader};
use super::refusal;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Decimal, JsonType, Value, push_pointer};

/// How a value in base64 begins and ends. Case counts.
pub(crate) const SENTINEL: (&str, &str) = ("=?base64?", "?=");

/// Whether a header must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    /// Where it is there, it must fit all the same.
    Optional,
}

/// `MCP-Protocol-Version` against the version in `_meta`.
pub(super) fn check_version(headers: &Headers<'_>, version: &str) -> Result<()> {
    let mirror = Mirror::Version;
    match mirror.read(headers.version)? {
        Some(sent) => mirror.equal(sent == version),
        None => Err(mirror.missing()),
    }
}

/// `Mcp-Method` against the method.
pub(super) fn check_method(headers: &Headers<'_>, method: &str, need: Need) -> Result<()> {
    let mirror = Mirror::Method;
    match mirror.read(headers.method)? {
        Some(sent) => mirror.equal(sent == method),
        None if need == Need::Optional => Ok(()),
        None => Err(mirror.missing()),
    }
}

/// `Mcp-Name` against the parameter that it mirrors.
pub(super) fn check_name(
    headers: &Headers<'_>,
    param: &str,
    value: Option<Value<'_>>,
    need: Need,
) -> Result<()> {
    let mirror = Mirror::Name(param);
    match mirror.read(headers.name)? {
        Some(sent) => match value.and_then(Value::as_str) {
            Some(body) => mirror.equal(*mirror.decode(sent)? == *body.as_bytes()),
            None => Err(mirror.unexpected()),
        },
        None if need == Need::Optional => Ok(()),
        None => Err(mirror.missing()),
    }
}

/// Each declared `Mcp-Param-*` against the argument that it mirrors.
pub(super) fn check_params(
    headers: &Headers<'_>,
    declared: &[ParamHeader<'_>],
    arguments: Option<Value<'_>>,
) -> Result<()> {
    for param in declared {
        let mut header = Header::Absent;
        for (name, value) in &headers.params {
            if name.eq_ignore_ascii_case(param.name) {
                header.put(value);
            }
        }
        let mirror = Mirror::Param(param);
        let argument = param
            .path
            .iter()
            .try_fold(arguments, |value, key| Some(value?.get_present(key)))
            .flatten();
        match (mirror.read(header)?, argument) {
            (None, None) => {}
            (None, Some(_)) => return Err(mirror.missing()),
            (Some(_), None) => return Err(mirror.unexpected()),
            (Some(sent), Some(argument)) => mirror.equal(mirror.shows(sent, argument)?)?,
        }
    }
    Ok(())
}

/// What the server declared must itself be sound: a slip there would check nothing.
pub(super) fn check_declared(declared: &[ParamHeader<'_>]) -> Result<()> {
    for (at, param) in declared.iter().enumerate() {
        let wrong = if param.name.is_empty() || !param.name.bytes().all(is_token) {
            "is no header token: use letters, digits and hyphens"
        } else if param.path.is_empty() {
            "mirrors no argument: give the keys that lead to it"
        } else if declared[..at].iter().any(|other| other.name.eq_ignore_ascii_case(param.name)) {
            "is declared twice: upper and lower case are the same"
        } else {
            continue;
        };
        let message = format!("the parameter header {} {wrong}", super::excerpt(param.name));
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    Ok(())
}

/// A header and the place in the body that it mirrors. Names are spelled out only for a refusal.
enum Mirror<'m> {
    Version,
    Method,
    /// `Mcp-Name` and the parameter it mirrors.
    Name(&'m str),
    Param(&'m ParamHeader<'m>),
}

impl Mirror<'_> {
    /// The header's text without the white space around it, which HTTP does not count to it.
    fn read<'h>(&self, header: Header<'h>) -> Result<Option<&'h str>> {
        let value = match header {
            Header::Absent => return Ok(None),
            Header::Once(value) => value,
            Header::Repeated => {
                return Err(self.refuse("header_repeated", "stands more than once: send it once"));
            }
        };
        let plain = |byte: &u8| matches!(byte, b'\t' | 0x20..=0x7E);
        match std::str::from_utf8(value) {
            Ok(text) if value.iter().all(plain) => Ok(Some(text.trim_matches([' ', '\t']))),
            _ => Err(self.refuse(
                "header_characters",
                if self.has_base64_form() {
                    "holds characters that a header cannot carry: send it as =?base64?...?="
                } else {
                    "holds characters that a header cannot carry: send the body's value"
                },
            )),
        }
    }

    /// The bytes that a header stands for.
    fn decode<'h>(&self, sent: &'h str) -> Result<Cow<'h, [u8]>> {
        let (prefix, suffix) = SENTINEL;
        if !(sent.starts_with(prefix) && sent.ends_with(suffix)) {
            return Ok(Cow::Borrowed(sent.as_bytes()));
        }
        let coded = sent.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        match coded.and_then(|coded| base64_simd::STANDARD.decode_to_vec(coded).ok()) {
            Some(bytes) => Ok(Cow::Owned(bytes)),
            None => Err(self.refuse(
                "header_base64",
                "looks like =?base64?...?= and does not decode: send standard base64 with padding",
            )),
        }
    }

    /// Whether a header shows the argument: numbers by value, the rest byte by byte.
    fn shows(&self, sent: &str, argument: Value<'_>) -> Result<bool> {
        let sent = self.decode(sent)?;
        Ok(match argument.json_type() {
            JsonType::String => argument.as_str().is_some_and(|text| *text.as_bytes() == *sent),
            JsonType::Boolean => argument.raw().as_bytes() == &*sent,
            JsonType::Number => {
                let sent = std::str::from_utf8(&sent).ok().and_then(Decimal::parse);
                sent.is_some() && sent == argument.as_decimal()
            }
            JsonType::Null | JsonType::Array | JsonType::Object => {
                return Err(self.refuse(
                    "type",
                    "mirrors an array or object: send a string, an integer or a boolean there",
                ));
            }
        })
    }

    fn equal(&self, equal: bool) -> Result<()> {
        if equal {
            return Ok(());
        }
        Err(self.refuse("header_mismatch", "differs from the body: send the same value in both"))
    }

    fn missing(&self) -> Error {
        self.refuse("header_missing", "is missing: send the body's value in it")
    }

    fn unexpected(&self) -> Error {
        self.refuse(
            "header_unexpected",
            "has a value and the body has none: send it in both, or in neither",
        )
    }

    fn refuse(&self, rule: &'static str, wrong: &str) -> Error {
        let header = match self {
            Self::Version => Cow::Borrowed("MCP-Protocol-Version"),
            Self::Method => Cow::Borrowed("Mcp-Method"),
            Self::Name(_) => Cow::Borrowed("Mcp-Name"),
            Self::Param(param) => Cow::Owned(format!("Mcp-Param-{}", param.name)),
        };
        let path = match self {
            Self::Version => Cow::Borrowed(super::meta::VERSION_PATH),
            Self::Method => Cow::Borrowed("/method"),
            Self::Name(param) => Cow::Owned(format!("/params/{param}")),
            Self::Param(param) => {
                let mut path = String::from("/params/arguments");
                param.path.iter().for_each(|key| push_pointer(&mut path, key));
                Cow::Owned(path)
            }
        };
        refusal(ErrorKind::HeaderMismatch, &path, rule, format!("the header {header} {wrong}"))
    }

    const fn has_base64_form(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Param(_))
    }
}

/// A character of a header's name (RFC 9110, "tchar").
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

//! The wire: what a request of revision 2026-07-28 must be before anyone acts on it.
//!
//! Owns the JSON-RPC envelope, `_meta`, the HTTP headers that mirror the body, the client's
//! capabilities, and the parameters of the three methods that can carry input. Knows nothing of
//! forms, tokens or flows: `inputResponses` and `requestState` are checked for their shape and
//! handed on. Every refusal is an [`Error`](crate::Error) with its kind, the place as a JSON
//! pointer into the message, the rule, and a sentence that says what to send instead.
//! Protocol: basic, "Messages" and "`_meta`"; basic/versioning; streamable-http, "Request Metadata"
//! and "Server Validation"; mrtr, "Supported Requests"; elicitation, "Capabilities".
//!
//! The checks come in one order, so that every language gives the same answer to a request with
//! several faults: size, JSON, JSON-RPC, method, `_meta`, version header, version, other headers,
//! capabilities, client info, parameters.
//!
//! | rule | what is wrong |
//! |---|---|
//! | `too_large`, `syntax`, `utf8`, `depth`, `repeated_key`, `lone_surrogate` | the text itself |
//! | `batch` | an array of messages |
//! | `required`, `type`, `const` | a member is missing, of another type, of another value |
//! | `header_missing`, `header_repeated`, `header_characters`, `header_base64` | a header itself |
//! | `header_mismatch`, `header_unexpected` | a header against the body |

mod caller;
mod capabilities;
mod envelope;
mod headers;
mod message;
mod meta;
mod method;
mod principal;
mod request;
#[cfg(test)]
mod tests;

pub use caller::Caller;
pub use capabilities::Capabilities;
pub use envelope::Envelope;
pub(crate) use headers::{SENTINEL, is_token};
pub(crate) use message::RequestLimits;
pub use method::{Method, Mode};
pub use principal::{Principal, PrincipalKind};
pub(crate) use request::Request;

use crate::error::{Error, ErrorKind, Fault};
use crate::json::{Json, quote_into};

/// The protocol revision that this library speaks.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// How much of a pointer or a name that the peer chose is repeated to it.
const LONGEST_PATH: usize = 512;
const LONGEST_EXCERPT: usize = 64;

/// A refusal: what is wrong at `path`, against which `rule`, and what to send instead.
fn refusal(kind: ErrorKind, path: &str, rule: &'static str, message: impl Into<String>) -> Error {
    Error::at(kind, Fault::new(nearest(path), rule, message))
}

/// `path`, or the place nearest to it whose pointer is short enough to send back.
fn nearest(path: &str) -> &str {
    if path.len() <= LONGEST_PATH {
        return path;
    }
    let cut = path.as_bytes()[..=LONGEST_PATH].iter().rposition(|&byte| byte == b'/');
    &path[..cut.unwrap_or(0)]
}

/// The beginning of a text of the peer's, quoted and escaped, for a message.
fn excerpt(text: &str) -> String {
    let mut quoted = String::new();
    match text.char_indices().nth(LONGEST_EXCERPT) {
        None => quote_into(&mut quoted, text),
        Some((cut, _)) => {
            quote_into(&mut quoted, &text[..cut]);
            quoted.push('…');
        }
    }
    quoted
}

/// The request asks for a version that we do not speak.
fn unsupported_version(requested: &str) -> Error {
    let mut data = String::from("{\"supported\":[");
    quote_into(&mut data, PROTOCOL_VERSION);
    data.push_str("],\"requested\":");
    quote_into(&mut data, requested);
    data.push('}');
    let error = Error::new(
        ErrorKind::UnsupportedVersion,
        format!("Unsupported protocol version: this server speaks {PROTOCOL_VERSION}"),
    );
    match Json::parse(data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

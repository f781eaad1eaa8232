//! Replies: what goes back to the peer.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use mcp_elicit::{ErrorKind, Reply, ReplyKind};

use crate::boundary;
use crate::status::mcp_elicit_status;
use crate::text::{Text, give};

/// What goes back to the peer: a body, and for HTTP a status and headers.
///
/// Free it with mcp_elicit_reply_free.
///
/// Thread-safety: immutable; any number of threads may read it at once.
pub struct mcp_elicit_reply {
    kind: mcp_elicit_kind,
    error: Option<ErrorKind>,
    status: u16,
    body: Text,
    fields: &'static [(&'static str, &'static str)],
    headers: OnceLock<Vec<(Text, Text)>>,
}

/// What a reply is. Later versions can add kinds.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum mcp_elicit_kind {
    /// No reply: what is returned for NULL.
    MCP_ELICIT_REPLY_NONE = 0,
    /// The result; the flow is over.
    MCP_ELICIT_REPLY_COMPLETE = 1,
    /// Questions for the client, or state to come back with (mrtr, "InputRequiredResult").
    MCP_ELICIT_REPLY_INPUT_REQUIRED = 2,
    /// An error.
    MCP_ELICIT_REPLY_ERROR = 3,
}

impl mcp_elicit_reply {
    pub(crate) fn new(reply: Reply) -> Self {
        Self {
            kind: match reply.kind() {
                ReplyKind::Complete => mcp_elicit_kind::MCP_ELICIT_REPLY_COMPLETE,
                ReplyKind::InputRequired => mcp_elicit_kind::MCP_ELICIT_REPLY_INPUT_REQUIRED,
                ReplyKind::Error => mcp_elicit_kind::MCP_ELICIT_REPLY_ERROR,
                // A kind that the core has and this file does not: the tests look for it.
                _ => mcp_elicit_kind::MCP_ELICIT_REPLY_NONE,
            },
            error: reply.error_kind(),
            status: reply.status(),
            fields: reply.headers(),
            headers: OnceLock::new(),
            body: Text::new(reply.into_body()),
        }
    }

    fn header(&self, index: usize) -> Option<&(Text, Text)> {
        let texts = || {
            self.fields.iter().map(|(name, value)| (Text::new(*name), Text::new(*value))).collect()
        };
        self.headers.get_or_init(texts).get(index)
    }
}

/// Frees a reply and everything that was read from it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_free(reply: Option<Box<mcp_elicit_reply>>) {
    boundary::value((), || drop(reply));
}

/// What the reply is. MCP_ELICIT_REPLY_NONE if `reply` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_kind(reply: Option<&mcp_elicit_reply>) -> mcp_elicit_kind {
    boundary::value(mcp_elicit_kind::MCP_ELICIT_REPLY_NONE, || {
        reply.map_or(mcp_elicit_kind::MCP_ELICIT_REPLY_NONE, |reply| reply.kind)
    })
}

/// What error the reply tells the peer of, as the status of that error; MCP_ELICIT_OK if it is
/// none, or `reply` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_error(reply: Option<&mcp_elicit_reply>) -> mcp_elicit_status {
    boundary::value(mcp_elicit_status::MCP_ELICIT_INTERNAL, || {
        reply
            .and_then(|reply| reply.error)
            .map_or(mcp_elicit_status::MCP_ELICIT_OK, mcp_elicit_status::of)
    })
}

/// The body: JSON on one line, without a newline in it or behind it. Over stdio send it and a
/// newline. A whole JSON-RPC response, or the result or error object alone where the call was
/// opened from parameters. NULL if `reply` is NULL.
///
/// Owned by the reply, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_body(
    reply: Option<&mcp_elicit_reply>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(reply.map(|reply| &reply.body), len))
}

/// The HTTP status. 0 if `reply` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_http_status(reply: Option<&mcp_elicit_reply>) -> u16 {
    boundary::value(0, || reply.map_or(0, |reply| reply.status))
}

/// How many HTTP headers belong to the reply. 0 if `reply` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_header_count(reply: Option<&mcp_elicit_reply>) -> usize {
    boundary::value(0, || reply.map_or(0, |reply| reply.fields.len()))
}

/// The name of the header at `index`, counted from 0. NULL if there is none, or `reply` is NULL.
///
/// Owned by the reply, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_header_name(
    reply: Option<&mcp_elicit_reply>,
    index: usize,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(reply.and_then(|reply| reply.header(index)).map(|header| &header.0), None)
    })
}

/// The value of the header at `index`, counted from 0. NULL if there is none, or `reply` is NULL.
///
/// Owned by the reply, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_reply_header_value(
    reply: Option<&mcp_elicit_reply>,
    index: usize,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(reply.and_then(|reply| reply.header(index)).map(|header| &header.1), None)
    })
}

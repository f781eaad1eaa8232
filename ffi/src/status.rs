//! Statuses: the numbers that functions return.
//!
//! The numbers, names and meanings of errors are those of the core's table; a test compares them.

use std::ffi::{CStr, c_char};

use mcp_elicit::ErrorKind;

use crate::boundary;

/// What a function returns: MCP_ELICIT_OK, or why it did not do what was asked.
///
/// Compare these, never messages. A number is never used for anything else in a later version,
/// and later versions can add numbers: treat one that you do not know as MCP_ELICIT_INTERNAL.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum mcp_elicit_status {
    /// It was done.
    MCP_ELICIT_OK = 0,
    /// The question is open: there is no outcome to read before the client sends an answer. No
    /// error; suspend the call.
    MCP_ELICIT_PENDING = 1,
    /// The body is not JSON.
    MCP_ELICIT_PARSE_ERROR = 10,
    /// The body is JSON but no JSON-RPC request, or one that two readers could see differently.
    MCP_ELICIT_INVALID_REQUEST = 11,
    /// The method cannot carry input: only tools/call, prompts/get and resources/read can. For
    /// whoever routed the request; there is no reply to it.
    MCP_ELICIT_NOT_A_CALL = 12,
    /// A parameter is missing or malformed.
    MCP_ELICIT_INVALID_PARAMS = 13,
    /// A required `_meta` field is missing or malformed (basic, "Per-request protocol fields").
    MCP_ELICIT_INVALID_META = 14,
    /// The `requestState` was refused. The log hook hears why; the peer does not.
    MCP_ELICIT_INVALID_STATE = 15,
    /// HTTP headers and body differ (streamable-http, "Server Validation").
    MCP_ELICIT_HEADER_MISMATCH = 16,
    /// The client lacks a capability that the questions need. What mcp_elicit_reply_error says of
    /// the reply.
    MCP_ELICIT_MISSING_CAPABILITY = 17,
    /// The protocol version is not one that this library speaks.
    MCP_ELICIT_UNSUPPORTED_VERSION = 18,
    /// A form cannot be asked: its schema is not of the grammar, or contradicts itself.
    MCP_ELICIT_SCHEMA = 20,
    /// A question cannot be asked: its key, message or link is at fault.
    MCP_ELICIT_INVALID_ASK = 21,
    /// The key stands for another question in the same round.
    MCP_ELICIT_CONFLICT = 22,
    /// The call cannot be completed while a question is open.
    MCP_ELICIT_QUESTION_OPEN = 23,
    /// There is neither a question nor a state to send.
    MCP_ELICIT_NOTHING_ASKED = 24,
    /// The call was finished before.
    MCP_ELICIT_FINISHED = 25,
    /// What was given as a result or an error cannot be sent.
    MCP_ELICIT_INVALID_RESULT = 26,
    /// What a server replied to a host breaks the protocol.
    MCP_ELICIT_INVALID_REPLY = 27,
    /// A limit of the engine was met while a reply was being built.
    MCP_ELICIT_LIMIT = 30,
    /// The store did not answer, or not in time, or takes no more. The same request may succeed a
    /// little later: the effect was not run, nothing was claimed twice.
    MCP_ELICIT_STORE = 31,
    /// The engine cannot be built like this: keys, audience, limits.
    MCP_ELICIT_CONFIG = 40,
    /// An argument is not of its form, or NULL where a value is needed. The message names the
    /// parameter.
    MCP_ELICIT_INVALID_ARGUMENT = 41,
    /// The system gave no randomness, or a defect of this library.
    MCP_ELICIT_INTERNAL = 50,
    /// The application's own error.
    MCP_ELICIT_APPLICATION = 60,
}

use mcp_elicit_status::*;

/// Kind, status and name of each error.
pub(crate) const TABLE: &[(ErrorKind, mcp_elicit_status, &CStr)] = &[
    (ErrorKind::Parse, MCP_ELICIT_PARSE_ERROR, c"parse_error"),
    (ErrorKind::InvalidRequest, MCP_ELICIT_INVALID_REQUEST, c"invalid_request"),
    (ErrorKind::NotACall, MCP_ELICIT_NOT_A_CALL, c"not_a_call"),
    (ErrorKind::InvalidParams, MCP_ELICIT_INVALID_PARAMS, c"invalid_params"),
    (ErrorKind::InvalidMeta, MCP_ELICIT_INVALID_META, c"invalid_meta"),
    (ErrorKind::InvalidState, MCP_ELICIT_INVALID_STATE, c"invalid_state"),
    (ErrorKind::HeaderMismatch, MCP_ELICIT_HEADER_MISMATCH, c"header_mismatch"),
    (ErrorKind::MissingCapability, MCP_ELICIT_MISSING_CAPABILITY, c"missing_capability"),
    (ErrorKind::UnsupportedVersion, MCP_ELICIT_UNSUPPORTED_VERSION, c"unsupported_version"),
    (ErrorKind::Schema, MCP_ELICIT_SCHEMA, c"schema"),
    (ErrorKind::InvalidAsk, MCP_ELICIT_INVALID_ASK, c"invalid_ask"),
    (ErrorKind::Conflict, MCP_ELICIT_CONFLICT, c"conflict"),
    (ErrorKind::QuestionOpen, MCP_ELICIT_QUESTION_OPEN, c"question_open"),
    (ErrorKind::NothingAsked, MCP_ELICIT_NOTHING_ASKED, c"nothing_asked"),
    (ErrorKind::Finished, MCP_ELICIT_FINISHED, c"finished"),
    (ErrorKind::InvalidResult, MCP_ELICIT_INVALID_RESULT, c"invalid_result"),
    (ErrorKind::InvalidReply, MCP_ELICIT_INVALID_REPLY, c"invalid_reply"),
    (ErrorKind::Limit, MCP_ELICIT_LIMIT, c"limit"),
    (ErrorKind::Store, MCP_ELICIT_STORE, c"store"),
    (ErrorKind::Config, MCP_ELICIT_CONFIG, c"config"),
    (ErrorKind::InvalidArgument, MCP_ELICIT_INVALID_ARGUMENT, c"invalid_argument"),
    (ErrorKind::Internal, MCP_ELICIT_INTERNAL, c"internal"),
    (ErrorKind::Application, MCP_ELICIT_APPLICATION, c"application"),
];

impl mcp_elicit_status {
    /// The status of an error of the core. A kind that is not in the table is a defect of ours,
    /// which the tests find.
    pub(crate) fn of(kind: ErrorKind) -> Self {
        TABLE.iter().find(|row| row.0 == kind).map_or(MCP_ELICIT_INTERNAL, |row| row.1)
    }
}

/// The name of a status in lower case, such as "invalid_state": what the other languages call it.
///
/// "ok" and "pending" for the two that are no errors, "unknown" for a number that this version
/// does not have. Never NULL; the text is static.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_status_name(status: u32) -> *const c_char {
    boundary::value(c"unknown".as_ptr(), || {
        let name = match status {
            0 => c"ok",
            1 => c"pending",
            number => {
                TABLE.iter().find(|row| row.1 as u32 == number).map_or(c"unknown", |row| row.2)
            }
        };
        name.as_ptr()
    })
}

//! Errors: the only table of kinds, JSON-RPC codes, HTTP statuses and public messages.
//!
//! An [`Error`] is safe to show and to log: it names what is at fault and where, never a secret,
//! never what a person answered. Why a token was refused is not in it; that goes to the log hook.
//! Protocol: basic, "Error Codes"; streamable-http, "Server Validation".

use std::fmt;

use crate::json::{Json, JsonError, quote_into};

/// Where an answer, a question or a request is wrong, and against which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer to the place; empty for the whole.
    pub path: String,
    /// Stable id of the rule, such as `minLength`.
    pub rule: &'static str,
    /// A sentence for a person: what is wrong and what to do instead.
    pub message: String,
}

impl Fault {
    /// A fault at `path` against `rule`.
    pub fn new(path: impl Into<String>, rule: &'static str, message: impl Into<String>) -> Self {
        Self { path: path.into(), rule, message: message.into() }
    }

    /// What a check of the application's own says of an answer, as an
    /// [`AnswerCheck`](crate::schema::AnswerCheck) gives it: the place, and the reason alone, which
    /// is fit to be shown to a person and does not repeat what was answered. At most 500 characters
    /// of it are kept, control characters but the newline as spaces.
    pub fn check(path: impl Into<String>, reason: impl AsRef<str>) -> Self {
        Self::new(path, crate::schema::CHECK, crate::schema::shown(reason.as_ref()))
    }

    /// What no form can carry of a type, as one who prints types says it: the place in the schema
    /// that was to be printed, and the reason.
    pub fn not_carried(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(path, crate::schema::NOT_CARRIED, reason)
    }

    /// Appends `{"path":…,"rule":…,"message":…}`.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"path\":");
        quote_into(out, &self.path);
        out.push_str(",\"rule\":");
        quote_into(out, self.rule);
        out.push_str(",\"message\":");
        quote_into(out, &self.message);
        out.push('}');
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $code:literal, $http:literal, $on_wire:literal;)*) => {
        /// What kind of error this is. Compare these, never messages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorKind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// A stable name, the same in every language.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind of this [name](Self::name).
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// The number that the C ABI returns as status. Numbers are never used again.
            pub const fn number(self) -> u32 {
                match self { $(Self::$variant => $number,)* }
            }

            /// The JSON-RPC code of this kind on the wire.
            pub const fn code(self) -> i32 {
                match self { $(Self::$variant => $code,)* }
            }

            /// The HTTP status of a reply with this error.
            pub const fn http_status(self) -> u16 {
                match self { $(Self::$variant => $http,)* }
            }

            /// Whether the peer must be told. `run` turns these into replies; it gives the others
            /// to its caller, since they are faults of the server, and the peer is told no more
            /// than "Internal error".
            pub const fn is_for_peer(self) -> bool {
                match self { $(Self::$variant => $on_wire,)* }
            }
        }
    };
}

kinds! {
    // kind = C status, name, JSON-RPC code, HTTP status, whether its text is for the peer
    /// The body is not JSON.
    Parse = 10, "parse_error", -32700, 400, true;
    /// The body is JSON but no JSON-RPC request, or one that two readers could see differently.
    InvalidRequest = 11, "invalid_request", -32600, 400, true;
    /// The method cannot carry input: only tools/call, prompts/get and resources/read can.
    /// An error to the caller, never a reply.
    NotACall = 12, "not_a_call", -32603, 500, false;
    /// A parameter is missing or malformed.
    InvalidParams = 13, "invalid_params", -32602, 200, true;
    /// A required `_meta` field is missing or malformed (basic, "Per-request protocol fields").
    InvalidMeta = 14, "invalid_meta", -32602, 400, true;
    /// The `requestState` was refused. One frozen text for every cause.
    InvalidState = 15, "invalid_state", -32602, 200, true;
    /// HTTP headers and body differ (streamable-http, "Server Validation").
    HeaderMismatch = 16, "header_mismatch", -32020, 400, true;
    /// The client lacks a capability that the questions need.
    MissingCapability = 17, "missing_capability", -32021, 400, true;
    /// The protocol version is not one that we speak.
    UnsupportedVersion = 18, "unsupported_version", -32022, 400, true;
    /// A form cannot be asked: its schema is not of the grammar, or contradicts itself.
    Schema = 20, "schema", -32603, 500, false;
    /// A question cannot be asked: its key, message or link is at fault.
    InvalidAsk = 21, "invalid_ask", -32603, 500, false;
    /// The key stands for another question in the same round.
    Conflict = 22, "conflict", -32603, 500, false;
    /// The call cannot be completed while a question is open.
    QuestionOpen = 23, "question_open", -32603, 500, false;
    /// There is neither a question nor a state to send.
    NothingAsked = 24, "nothing_asked", -32603, 500, false;
    /// The call was finished before.
    Finished = 25, "finished", -32603, 500, false;
    /// What the application gave as a result or an error cannot be sent.
    InvalidResult = 26, "invalid_result", -32603, 500, false;
    /// What a server replied to a host breaks the protocol. The fault says where and how.
    InvalidReply = 27, "invalid_reply", -32603, 500, false;
    /// A limit of the engine was met while a reply was being built.
    Limit = 30, "limit", -32603, 200, true;
    /// The store did not answer, or not in time, or takes no more. Retryable: the effect was not
    /// run, nothing was claimed twice.
    Store = 31, "store", -32603, 200, true;
    /// The engine cannot be built like this: keys, audience, limits.
    Config = 40, "config", -32603, 500, false;
    /// An argument of a function is not of its form. In C also: NULL where a value is needed.
    InvalidArgument = 41, "invalid_argument", -32603, 500, false;
    /// The system gave no randomness or no time, or a defect of ours.
    Internal = 50, "internal", -32603, 500, false;
    /// The application's own error, with its own code (`fail`).
    Application = 60, "application", -32603, 200, true;
}

/// An error of this library: kind, wire form, and what to mend.
///
/// `Display` is safe to show to anyone who may see the server's log. What the peer sees is
/// [`Error::code`], [`Error::wire_message`] and [`Error::data`].
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    code: i32,
    message: String,
    faults: Vec<Fault>,
    data: Option<Json>,
    /// The `id` member to answer under, as JSON; none where it could not be read, or there is none.
    id: Option<String>,
    /// The error stopped a call opened from parameters: its reply is the error object alone.
    bare: bool,
}

/// What of an [`Error`] goes with it to another process of the same service, so that there it has
/// the same reply. Its faults do not: whoever carries them keeps them beside it.
#[derive(Clone, Debug)]
pub struct ErrorParts {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// The JSON-RPC code.
    pub code: i32,
    /// The text for whoever runs the server.
    pub message: String,
    /// The `data` member on the wire.
    pub data: Option<Json>,
    /// The id to answer under; none where it could not be read, or there is none.
    pub id: Option<Json>,
    /// Whether the reply is the error object alone.
    pub bare: bool,
}

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with the message that says what is at fault.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            code: kind.code(),
            message: message.into(),
            faults: Vec::new(),
            data: None,
            id: None,
            bare: false,
        }))
    }

    /// An error of the application's own, to end a handler with. The code is checked when the
    /// reply is built: those that the protocol reserves are refused (basic, "Error Codes").
    pub fn application(code: i32, message: impl Into<String>, data: Option<Json>) -> Self {
        let mut error = Self::new(ErrorKind::Application, message);
        error.0.code = code;
        error.0.data = data;
        error
    }

    /// The error that [`Error::parts`] were taken of, without its faults.
    pub fn from_parts(parts: ErrorParts) -> Self {
        let ErrorParts { kind, code, message, data, id, bare } = parts;
        let id = id.map(|id| id.compact());
        Self(Box::new(Inner { kind, code, message, faults: Vec::new(), data, id, bare }))
    }

    /// What of this error goes with it to another process.
    pub fn parts(&self) -> ErrorParts {
        let Inner { kind, code, message, data, id, bare, .. } = &*self.0;
        ErrorParts {
            kind: *kind,
            code: *code,
            message: message.clone(),
            data: data.clone(),
            id: id.as_deref().and_then(|id| Json::parse(id).ok()),
            bare: *bare,
        }
    }

    /// Several faults at once; the message is `about` and the first of them.
    pub fn with_faults(kind: ErrorKind, about: &str, faults: Vec<Fault>) -> Self {
        let message = match faults.as_slice() {
            [] => about.to_owned(),
            [only] => format!("{about}: {only}"),
            [first, rest @ ..] => format!("{about}: {first} (and {} more)", rest.len()),
        };
        let mut error = Self::new(kind, message);
        error.0.faults = faults;
        error
    }

    /// A peer's mistake at one place: path, rule and message go to the wire as `data`.
    pub fn at(kind: ErrorKind, fault: Fault) -> Self {
        let mut data = String::new();
        fault.write_json(&mut data);
        let mut error = Self::new(kind, fault.to_string());
        error.0.data = Json::parse(data).ok();
        error.0.faults = vec![fault];
        error
    }

    /// The one answer to every `requestState` that does not verify. Never changes: what differs
    /// between causes would tell an attacker which part of a forgery holds.
    pub(crate) fn invalid_state() -> Self {
        let error = Self::new(ErrorKind::InvalidState, "Invalid or expired requestState");
        match Json::parse("{\"reason\":\"invalid_request_state\"}") {
            Ok(data) => error.with_data(data),
            Err(_) => error,
        }
    }

    pub(crate) fn with_data(mut self, data: Json) -> Self {
        self.0.data = Some(data);
        self
    }

    pub(crate) fn with_id(mut self, id: Option<&str>) -> Self {
        self.0.id = id.map(str::to_owned);
        self
    }

    pub(crate) fn bare(mut self) -> Self {
        self.0.bare = true;
        self
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The JSON-RPC code on the wire.
    pub fn code(&self) -> i32 {
        self.0.code
    }

    /// The HTTP status of a reply with this error.
    pub fn http_status(&self) -> u16 {
        self.0.kind.http_status()
    }

    /// Whether the same request may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        self.0.kind == ErrorKind::Store
    }

    /// Each place at fault, where the error is about places.
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// The `data` member on the wire.
    pub fn data(&self) -> Option<&Json> {
        self.0.data.as_ref()
    }

    /// The text for whoever runs the server.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The text that the peer sees: the message, or "Internal error" for the server's own faults.
    pub fn wire_message(&self) -> &str {
        if self.0.kind.is_for_peer() { &self.0.message } else { "Internal error" }
    }

    pub(crate) fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.0.bare
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("code", &self.0.code)
            .field("message", &self.0.message)
            .field("faults", &self.0.faults)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {}

/// A text given by the application, not by the peer, that is not JSON.
impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        Self::new(ErrorKind::InvalidArgument, error.to_string())
    }
}

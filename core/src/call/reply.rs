//! Replies: what goes back to the client, and the one place where their JSON is put together.
//!
//! Protocol: basic "Responses"; mrtr "InputRequiredResult".

use crate::error::{Error, ErrorKind, Result};
use crate::json::{Json, Value, quote_into};
use crate::protocol::Method;

/// What kind of message a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReplyKind {
    /// The result of the request.
    Complete,
    /// Questions for the client, and the state to come back with.
    InputRequired,
    /// A JSON-RPC error.
    Error,
}

impl ReplyKind {
    /// `complete`, `input_required` or `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Error => "error",
        }
    }
}

/// What goes back to the client: one JSON text without a raw newline, fit for a line of stdio or
/// the body of an HTTP response.
#[derive(Clone)]
pub struct Reply {
    body: String,
    status: u16,
    kind: ReplyKind,
    error: Option<ErrorKind>,
}

impl Reply {
    /// The JSON: a whole message, or the result or error object alone where the call was opened
    /// from parameters.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The JSON, taken out.
    pub fn into_body(self) -> String {
        self.body
    }

    /// The HTTP status to send it with.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The HTTP headers to send it with, names in lower case.
    pub fn headers(&self) -> &'static [(&'static str, &'static str)] {
        // What a person is asked and answers is nobody's to keep.
        &[("content-type", "application/json"), ("cache-control", "no-store")]
    }

    /// What kind of message it is.
    pub fn kind(&self) -> ReplyKind {
        self.kind
    }

    /// What kind of error it is, where it is one.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        self.error
    }

    pub(super) fn complete(id: Option<&str>, result: &str) -> Self {
        Self::result(id, ReplyKind::Complete, result.len(), |out| out.push_str(result))
    }

    /// A result whose members `write` appends.
    pub(super) fn result(
        id: Option<&str>,
        kind: ReplyKind,
        room: usize,
        write: impl FnOnce(&mut String),
    ) -> Self {
        let mut body = String::with_capacity(room + 64);
        wrap(&mut body, id, "result", write);
        Self { body, status: 200, kind, error: None }
    }

    fn error(error: &Error) -> Self {
        let mut body = String::with_capacity(128);
        let id = if error.is_bare() { Envelope::None } else { Envelope::Id(error.id()) };
        let write = |out: &mut String| {
            out.push_str("{\"code\":");
            out.push_str(&error.code().to_string());
            out.push_str(",\"message\":");
            quote_into(out, error.wire_message());
            if let Some(data) = error.data().filter(|_| error.kind().is_for_peer()) {
                out.push_str(",\"data\":");
                data.root().compact_into(out);
            }
            out.push('}');
        };
        match id {
            Envelope::None => write(&mut body),
            // The id is left out where it could not be read (basic, "Error Responses").
            Envelope::Id(None) => {
                body.push_str("{\"jsonrpc\":\"2.0\",\"error\":");
                write(&mut body);
                body.push('}');
            }
            Envelope::Id(id) => wrap(&mut body, id, "error", write),
        }
        Self {
            body,
            status: error.http_status(),
            kind: ReplyKind::Error,
            error: Some(error.kind()),
        }
    }
}

enum Envelope<'e> {
    None,
    Id(Option<&'e str>),
}

/// `{"jsonrpc":"2.0","id":…,"member":…}`, or what `write` appends alone where there is no id.
fn wrap(out: &mut String, id: Option<&str>, member: &str, write: impl FnOnce(&mut String)) {
    let Some(id) = id else { return write(out) };
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    out.push_str(id);
    out.push_str(",\"");
    out.push_str(member);
    out.push_str("\":");
    write(out);
    out.push('}');
}

/// The result object of the application, completed with what the protocol wants of it. `asked`
/// says whether a person had a part in it.
///
/// # Errors
/// [`ErrorKind::InvalidResult`] where it has not the shape, or claims to be of another kind.
pub(super) fn write_complete(
    method: Method,
    result: &Json,
    asked: bool,
    server_info: Option<&str>,
) -> Result<String> {
    let root = result.root();
    check_result(method, root, asked)?;
    let mut out = String::with_capacity(root.raw().len() + 128);
    out.push_str("{\"resultType\":\"complete\"");
    for entry in root.entries() {
        if entry.key_is("resultType") || entry.key_is("_meta") {
            continue;
        }
        out.push(',');
        out.push_str(entry.raw_key());
        out.push(':');
        entry.value.compact_into(&mut out);
    }
    if method == Method::ReadResource {
        for (key, value) in [("ttlMs", "0"), ("cacheScope", "\"private\"")] {
            if root.get(key).is_none() {
                out.push_str(&format!(",\"{key}\":{value}"));
            }
        }
    }
    write_meta(&mut out, root.get("_meta"), server_info);
    out.push('}');
    Ok(out)
}

/// basic "ResultType"; tools, prompts and resources on what a result must hold; caching on
/// `cacheScope`.
fn check_result(method: Method, root: Value<'_>, asked: bool) -> Result<()> {
    let refuse = |message: &str| Err(Error::new(ErrorKind::InvalidResult, message));
    if !root.is_object() {
        return refuse("a result is an object");
    }
    match root.get("resultType") {
        None => {}
        Some(kind) if kind.as_str().as_deref() == Some("complete") => {}
        Some(_) => return refuse("a result given to complete has no resultType but \"complete\""),
    }
    if root.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return refuse("_meta of a result is an object");
    }
    let has_array = |key: &str| root.get(key).is_some_and(Value::is_array);
    match method {
        Method::CallTool if !has_array("content") => {
            refuse("the result of a tool has an array of content, which may be empty")
        }
        Method::CallTool if root.get("isError").is_some_and(|is| is.as_bool().is_none()) => {
            refuse("isError is true or false")
        }
        Method::GetPrompt if !has_array("messages") => {
            refuse("the result of a prompt has an array of messages")
        }
        Method::ReadResource if !has_array("contents") => {
            refuse("the result of a resource has an array of contents")
        }
        Method::ReadResource => {
            let scope = root.get("cacheScope").map(Value::as_str);
            match scope.as_ref().map(Option::as_deref) {
                None | Some(Some("private")) => Ok(()),
                Some(Some("public")) if !asked => Ok(()),
                Some(Some("public")) => {
                    refuse("a person had a part in this result: cacheScope must be private")
                }
                Some(_) => refuse("cacheScope is public or private"),
            }
        }
        _ => Ok(()),
    }
}

/// A tool's result that tells a model what to do better (tools, "Error Handling").
pub(super) fn write_tool_error(text: &str, server_info: Option<&str>) -> String {
    let mut out =
        String::from("{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":");
    quote_into(&mut out, text);
    out.push_str("}],\"isError\":true");
    write_meta(&mut out, None, server_info);
    out.push('}');
    out
}

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Appends `,"_meta":{…}`: what the application gave, and who the server is unless it said so.
pub(super) fn write_meta(out: &mut String, meta: Option<Value<'_>>, server_info: Option<&str>) {
    let own = meta.filter(|meta| meta.entries().next().is_some());
    let info = server_info.filter(|_| own.is_none_or(|meta| meta.get(SERVER_INFO).is_none()));
    if own.is_none() && info.is_none() {
        return;
    }
    out.push_str(",\"_meta\":{");
    let mut comma = "";
    for entry in own.into_iter().flat_map(Value::entries) {
        out.push_str(comma);
        out.push_str(entry.raw_key());
        out.push(':');
        entry.value.compact_into(out);
        comma = ",";
    }
    if let Some(info) = info {
        out.push_str(comma);
        quote_into(out, SERVER_INFO);
        out.push(':');
        out.push_str(info);
    }
    out.push('}');
}

impl Error {
    /// The wire form of this error. Errors that are the server's own fault say no more than
    /// "Internal error". None for [`ErrorKind::NotACall`]: that is for whoever routed the request.
    pub fn reply(&self) -> Option<Reply> {
        (self.kind() != ErrorKind::NotACall).then(|| Reply::error(self))
    }

    /// The wire form where the peer must be told; the error itself where the server must be
    /// mended. What `run` does.
    ///
    /// # Errors
    /// The error itself, unless its kind [is for the peer](ErrorKind::is_for_peer).
    pub fn into_reply(self) -> Result<Reply> {
        if self.kind().is_for_peer() { Ok(Reply::error(&self)) } else { Err(self) }
    }
}

/// Says the kind and the length, never the body.
impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reply({}, HTTP {}, {} bytes)", self.kind.name(), self.status, self.body.len())
    }
}

//! Replies: one message of a server, read as a client must read it.
//!
//! Protocol: basic, "Result Responses", "ResultType", "Error Responses" and "Notifications"; mrtr,
//! "InputRequiredResult".

use super::question::{Question, read_all};
use super::{HostLimits, broken};
use crate::error::{Error, Result};
use crate::json::{Json, Value, quote_into};
use crate::protocol::Capabilities;

/// What a message was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heard {
    /// The reply to the request.
    Reply,
    /// A notification, such as progress; the reply is still to come.
    Notification,
}

/// An error that the server replied. Its text is the server's: show it as such.
#[derive(Clone, PartialEq)]
pub struct PeerError {
    code: i64,
    message: String,
    data: Option<Json>,
}

impl PeerError {
    /// The JSON-RPC code.
    pub fn code(&self) -> i64 {
        self.code
    }

    /// The server's text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the server said beside it.
    pub fn data(&self) -> Option<&Json> {
        self.data.as_ref()
    }

    /// `{"code":…,"message":…,"data"?:…}`
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\"code\":{},\"message\":", self.code);
        quote_into(&mut out, &self.message);
        if let Some(data) = &self.data {
            out.push_str(",\"data\":");
            data.root().compact_into(&mut out);
        }
        out.push('}');
        out
    }
}

impl std::fmt::Display for PeerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

/// Says the code; the rest is the server's text.
impl std::fmt::Debug for PeerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PeerError({})", self.code)
    }
}

/// A message that was read.
pub(crate) enum Content {
    Notification,
    Complete(Json),
    Failed(PeerError),
    /// The questions, and the state as the JSON string that it came as.
    InputRequired(Vec<Question>, Option<String>),
}

/// What a message must fit.
pub(super) struct Expected<'e> {
    pub(super) id: u64,
    pub(super) carries_questions: bool,
    pub(super) declared: Capabilities,
    pub(super) round: u32,
    pub(super) limits: &'e HostLimits,
}

impl Expected<'_> {
    /// Reads a message.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidReply`](crate::ErrorKind::InvalidReply) with the place and the rule.
    pub(super) fn read(&self, bytes: &[u8]) -> Result<Content> {
        if bytes.len() > self.limits.reply_bytes {
            let most = self.limits.reply_bytes;
            return Err(broken("", "too_large", format!("it is longer than {most} bytes")));
        }
        let json = Json::parse_bytes(bytes, self.limits.depth).map_err(|error| {
            // A path could hold any text of the server's, at any length: byte and rule will do.
            broken("", error.fault().name(), format!("it is {}", error.fault().message()))
        })?;
        let message = json.root();
        if !message.is_object() {
            return Err(broken("", "type", "a message is an object"));
        }
        match message.get("jsonrpc").map(Value::as_str) {
            Some(Some(version)) if version == "2.0" => {}
            Some(_) => return Err(broken("/jsonrpc", "const", "jsonrpc is the text 2.0")),
            None => return Err(broken("/jsonrpc", "required", "jsonrpc is missing")),
        }
        let id = message.get_present("id");
        if let Some(method) = message.get_present("method") {
            return match (method.as_str(), id) {
                (None, _) => Err(broken("/method", "type", "the method is a text")),
                (Some(_), None) => Ok(Content::Notification),
                (Some(_), Some(_)) => {
                    let why = "a server sends no requests: it asks inside a result";
                    Err(broken("/method", "request", why))
                }
            };
        }
        match (message.get_present("result"), message.get_present("error")) {
            (Some(result), None) => {
                self.check_id(id, true)?;
                self.read_result(result)
            }
            (None, Some(error)) => {
                self.check_id(id, false)?;
                read_error(error).map(Content::Failed)
            }
            (both, _) => {
                let held = if both.is_some() { "both" } else { "neither" };
                let why = format!("a reply holds result or error; this holds {held}");
                Err(broken("", "result_or_error", why))
            }
        }
    }

    /// An error may have no id: the server could not read it.
    fn check_id(&self, id: Option<Value<'_>>, needed: bool) -> Result<()> {
        match id {
            None if needed => Err(broken("/id", "required", "a result carries the request's id")),
            None => Ok(()),
            Some(id) => {
                let number = id.as_decimal().and_then(|number| number.to_i64());
                if number.and_then(|number| u64::try_from(number).ok()) == Some(self.id) {
                    return Ok(());
                }
                Err(broken("/id", "id", format!("it answers another request than {}", self.id)))
            }
        }
    }

    fn read_result(&self, result: Value<'_>) -> Result<Content> {
        let at = "/result/resultType";
        if !result.is_object() {
            return Err(broken("/result", "type", "a result is an object"));
        }
        // "Clients MUST treat an absent `resultType` as "complete"."
        let kind = result.get("resultType").map(Value::as_str);
        match kind.as_ref().map(Option::as_deref) {
            None | Some(Some("complete")) => Ok(Content::Complete(result.to_json())),
            Some(Some("input_required")) if self.carries_questions => self.read_questions(result),
            Some(Some("input_required")) => {
                let why = "only tools/call, prompts/get and resources/read carry questions";
                Err(broken(at, "input_required", why))
            }
            Some(Some(_)) => Err(broken(at, "result_type", "this resultType was not agreed upon")),
            Some(None) => Err(broken(at, "type", "resultType is a text")),
        }
    }

    fn read_questions(&self, result: Value<'_>) -> Result<Content> {
        let questions = match result.get_present("inputRequests") {
            Some(requests) => read_all(requests, self.round, self.declared)?,
            None => Vec::new(),
        };
        let state = match result.get_present("requestState") {
            None => None,
            Some(state) if state.as_str().is_some() => Some(state.raw().to_owned()),
            Some(_) => {
                return Err(broken("/result/requestState", "type", "requestState is a text"));
            }
        };
        if questions.is_empty() && state.is_none() {
            let why = "input_required holds questions, or a state, or both";
            return Err(broken("/result", "nothing_asked", why));
        }
        Ok(Content::InputRequired(questions, state))
    }
}

fn read_error(error: Value<'_>) -> Result<PeerError> {
    let fault =
        |member: &str, rule, why: &str| -> Error { broken(format!("/error{member}"), rule, why) };
    if !error.is_object() {
        return Err(fault("", "type", "an error is an object"));
    }
    let code = match error.get("code") {
        None => return Err(fault("/code", "required", "an error has a code")),
        Some(code) => code.as_decimal().and_then(|code| code.to_i64()),
    };
    let code = code.ok_or_else(|| fault("/code", "type", "the code is an integer"))?;
    let message = match error.get("message") {
        None => return Err(fault("/message", "required", "an error has a message")),
        Some(message) => message.as_str(),
    };
    let message = message.ok_or_else(|| fault("/message", "type", "the message is a text"))?;
    let data = error.get("data").map(Value::to_json);
    Ok(PeerError { code, message: message.into_owned(), data })
}

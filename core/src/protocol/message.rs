//! One JSON-RPC message: its size, its JSON, its envelope.
//!
//! Owns what holds for any method. Protocol: basic, "Requests" and "Notifications".

use super::{excerpt, refusal};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{DEFAULT_DEPTH, Json, JsonError, JsonFault, Position, Value, salvage_id};

/// How large and how deep a message may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLimits {
    /// Longest message in bytes.
    pub(crate) max_bytes: usize,
    /// Deepest nesting of arrays and objects; the message itself is the first.
    pub(crate) depth: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { max_bytes: 4 << 20, depth: DEFAULT_DEPTH }
    }
}

/// A message whose envelope is sound.
pub(super) struct Message {
    pub(super) json: Json,
    /// None: a notification.
    pub(super) id: Option<Position>,
    pub(super) method: Text,
    pub(super) params: Option<Position>,
}

impl Message {
    /// Reads a request or a notification. Errors carry the id where it could be read.
    pub(super) fn read(bytes: &[u8], limits: RequestLimits) -> Result<Self> {
        let json = read_json(bytes, limits, "").map_err(|refused| match refused.kind() {
            // The text is JSON as far as it was read, and may say who waits for the answer.
            ErrorKind::InvalidRequest if bytes.len() <= limits.max_bytes => {
                refused.with_id(std::str::from_utf8(bytes).ok().and_then(salvage_id))
            }
            _ => refused,
        })?;
        let root = json.root();
        if root.is_array() {
            return Err(invalid("", "batch", "an array of messages: send each message by itself"));
        }
        if !root.is_object() {
            return Err(invalid("", "type", "no object: send a JSON-RPC 2.0 request object"));
        }

        let (mut version, mut id, mut method, mut params) = (None, None, None, None);
        for entry in root.entries() {
            match &*entry.key() {
                "jsonrpc" => version = Some(entry.value),
                "id" => id = Some(entry.value),
                "method" => method = Some(entry.value),
                "params" => params = Some(entry.value),
                _ => {}
            }
        }
        let known = id.filter(|id| is_id(*id)).map(Value::raw);
        check_version(version)
            .and_then(|()| check_id(id))
            .and_then(|()| check_method(method))
            .map(|method| (id.map(Value::position), method, params.map(Value::position)))
            .map_err(|error| error.with_id(known))
            .map(|(id, method, params)| Self { id, method, params, json })
    }

    /// The text of the id as it stands.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.map(|id| self.json.at(id).raw())
    }

    pub(super) fn method(&self) -> &str {
        self.method.get(&self.json)
    }

    /// Whether nobody waits for an answer: there is no id, and none is wanted.
    pub(super) fn is_notification(&self) -> bool {
        self.id.is_none() && self.method().starts_with("notifications/")
    }
}

/// Reads a text from the peer; `at` is the pointer under which its root stands in the message.
pub(super) fn read_json(bytes: &[u8], limits: RequestLimits, at: &str) -> Result<Json> {
    if bytes.len() > limits.max_bytes {
        let sentence = format!(
            "{} bytes, and {} are taken: send a shorter request",
            bytes.len(),
            limits.max_bytes
        );
        return Err(invalid(at, "too_large", sentence));
    }
    Json::parse_bytes(bytes, limits.depth).map_err(|error| unreadable(&error, limits, at))
}

fn unreadable(error: &JsonError, limits: RequestLimits, at: &str) -> Error {
    let path = format!("{at}{}", error.pointer().unwrap_or_default());
    let (kind, advice) = match error.fault() {
        JsonFault::Utf8 => (ErrorKind::Parse, "send JSON in UTF-8".to_owned()),
        JsonFault::RepeatedKey => (ErrorKind::InvalidRequest, "send each key once".to_owned()),
        JsonFault::LoneSurrogate => {
            (ErrorKind::InvalidRequest, "send both halves of a \\u pair, or neither".to_owned())
        }
        JsonFault::Depth => (
            ErrorKind::InvalidRequest,
            format!("send at most {} arrays and objects inside one another", limits.depth),
        ),
        JsonFault::TooLarge => (ErrorKind::InvalidRequest, "send a shorter request".to_owned()),
        JsonFault::Syntax | JsonFault::Unprintable => {
            (ErrorKind::Parse, "send one JSON-RPC message as JSON".to_owned())
        }
    };
    let place = if kind == ErrorKind::Parse { at } else { path.as_str() };
    let sentence = format!("{} (byte {}): {advice}", error.fault().message(), error.offset());
    refusal(kind, place, error.fault().name(), sentence)
}

fn check_version(version: Option<Value<'_>>) -> Result<()> {
    let sentence = "not JSON-RPC 2.0: send \"jsonrpc\": \"2.0\"";
    match version {
        Some(version) if version.as_str().as_deref() == Some("2.0") => Ok(()),
        Some(_) => Err(invalid("/jsonrpc", "const", sentence)),
        None => Err(invalid("/jsonrpc", "required", sentence)),
    }
}

fn check_id(id: Option<Value<'_>>) -> Result<()> {
    match id {
        Some(id) if !is_id(id) => {
            Err(invalid("/id", "type", "not an id: send a string or an integer as \"id\""))
        }
        _ => Ok(()),
    }
}

fn check_method(method: Option<Value<'_>>) -> Result<Text> {
    match method.map(Text::of) {
        Some(Some(name)) => Ok(name),
        Some(None) => {
            Err(invalid("/method", "type", "not a name: send the method's name as a string"))
        }
        None => Err(invalid(
            "/method",
            "required",
            "no \"method\": send a request (a client has no responses to send)",
        )),
    }
}

/// A string or an integer; `1.0` is one.
fn is_id(id: Value<'_>) -> bool {
    id.as_decimal().map_or_else(|| id.as_str().is_some(), |number| number.is_integer())
}

fn invalid(path: &str, rule: &'static str, message: impl Into<String>) -> Error {
    refusal(ErrorKind::InvalidRequest, path, rule, message)
}

/// The message is a notification where an answer is to be given.
pub(super) fn no_id(method: &str) -> Error {
    let sentence = format!(
        "no \"id\", so nobody could answer {}: send a string or an integer",
        excerpt(method)
    );
    invalid("/id", "required", sentence)
}

/// A string of the message: where it stands, or its content where escapes had to be resolved.
pub(super) enum Text {
    Plain(Position),
    Resolved(Box<str>),
}

impl Text {
    /// The text of a string; nothing for any other value.
    pub(super) fn of(value: Value<'_>) -> Option<Self> {
        if value.as_plain_str().is_some() {
            return Some(Self::Plain(value.position()));
        }
        value.as_str().map(|text| Self::Resolved(text.into()))
    }

    pub(super) fn get<'j>(&'j self, json: &'j Json) -> &'j str {
        match self {
            Self::Plain(position) => json.at(*position).as_plain_str().unwrap_or_default(),
            Self::Resolved(text) => text,
        }
    }
}

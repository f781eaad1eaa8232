//! A message of any method, as far as every method is alike.
//!
//! For what is no call: `server/discover`, `tools/list`, notifications. The server answers those
//! itself and still owes them the checks of envelope, `_meta` and headers.
//! Protocol: basic, "Messages" and "`_meta`"; streamable-http, "Server Validation".

use super::caller::Caller;
use super::capabilities::Capabilities;
use super::headers::{self, Need};
use super::message::{Message, RequestLimits, no_id};
use super::meta::Meta;
use super::method::Method;
use super::request::{check_version, object_params};
use crate::error::Result;
use crate::json::{Json, Position, Value};

/// A message of any method whose envelope, `_meta` and headers are sound.
///
/// What the method wants of its parameters is not looked at.
pub struct Envelope {
    message: Message,
    client_info: Option<Position>,
    capabilities: Capabilities,
}

impl Envelope {
    /// Checks a message. Errors carry its id where it could be read.
    pub(crate) fn parse(bytes: &[u8], caller: &Caller<'_>, limits: RequestLimits) -> Result<Self> {
        let message = Message::read(bytes, limits)?;
        match check(&message, caller) {
            Ok((client_info, capabilities)) => Ok(Self { message, client_info, capabilities }),
            Err(error) => Err(error.with_id(message.id())),
        }
    }

    /// The method's name.
    pub fn method(&self) -> &str {
        self.message.method()
    }

    /// The id as JSON, as it stands in the message, to be put into the reply. None: this is a
    /// notification, and gets none (HTTP 202 without a body).
    pub fn id(&self) -> Option<&str> {
        self.message.id()
    }

    /// The parameters; none where a notification has none.
    pub fn params(&self) -> Option<Value<'_>> {
        self.message.params.map(|at| self.message.json.at(at))
    }

    /// What the client can do; nothing on a notification.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// What the client says of itself. For display and logs only: nobody has verified it.
    pub fn client_info(&self) -> Option<Value<'_>> {
        self.client_info.map(|at| self.message.json.at(at))
    }

    /// The whole message.
    pub fn message(&self) -> &Json {
        &self.message.json
    }
}

fn check(message: &Message, caller: &Caller<'_>) -> Result<(Option<Position>, Capabilities)> {
    let method = message.method();
    let params = message.params.map(|at| message.json.at(at));
    if message.id.is_none() {
        if !message.is_notification() {
            return Err(no_id(method));
        }
        if let Some(headers) = &caller.http {
            headers::check_method(headers, method, Need::Optional)?;
        }
        return Ok((None, Capabilities::default()));
    }
    let params = object_params(params)?;
    let meta = Meta::read(params.get("_meta"))?;
    check_version(&meta, caller)?;
    if let Some(headers) = &caller.http {
        headers::check_method(headers, method, Need::Required)?;
        if let Some((param, need)) = named_by(method) {
            headers::check_name(headers, param, params.get_present(param), need)?;
        }
    }
    let capabilities = Capabilities::read(meta.client_capabilities()?)?;
    Ok((meta.client_info()?.map(Value::position), capabilities))
}

/// The parameter that `Mcp-Name` mirrors. The tasks extension asks it of its clients, and nothing
/// of servers that miss it.
fn named_by(method: &str) -> Option<(&'static str, Need)> {
    match method {
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some(("taskId", Need::Optional)),
        _ => Method::from_name(method).map(|method| (method.target(), Need::Required)),
    }
}

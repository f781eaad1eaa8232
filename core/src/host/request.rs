//! Messages that a client sends: one request, written anew for each round.
//!
//! Protocol: basic, "Requests" and "Per-request protocol fields"; mrtr, "Client Requirements" 2
//! and 3.

use std::sync::Arc;

use super::headers::{self, ParamHeader};
use super::refused;
use super::response::Response;
use crate::error::Result;
use crate::json::{Json, Value, quote_into};
use crate::protocol::{Method, PROTOCOL_VERSION};

/// A JSON-RPC request to send, and over HTTP the headers to send it with.
#[derive(Clone)]
pub struct Message {
    id: u64,
    body: String,
    headers: Arc<[(String, String)]>,
}

impl Message {
    /// The JSON, without a raw newline: a line of stdio, or the body of a POST.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The headers that the protocol wants, in order; empty unless the driver was made for HTTP.
    /// Add your own (`Authorization`) to them.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The id, which the reply must carry.
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// Says which request it is, never what is in it.
impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Message({}, {} bytes)", self.id, self.body.len())
    }
}

/// What all requests of a flow have in common.
#[derive(Clone)]
pub(crate) struct Template {
    method: String,
    params: Json,
    /// The `_meta` object as it goes out.
    meta: String,
    declared: Vec<ParamHeader>,
    http: bool,
    headers: Arc<[(String, String)]>,
}

/// What the user of a driver says of itself.
pub(super) struct Client<'c> {
    pub(super) info: Option<&'c Json>,
    pub(super) capabilities: &'c Json,
    /// None where the transport has no headers.
    pub(super) http: Option<Vec<ParamHeader>>,
}

impl Template {
    /// Checks the parts and writes what stays the same.
    pub(super) fn new(method: &str, params: &Json, client: Client<'_>) -> Result<Self> {
        let root = params.root();
        if method.is_empty() || !method.bytes().all(|byte| matches!(byte, 0x21..=0x7E)) {
            return Err(refused("the method is a name in visible ASCII"));
        }
        if !root.is_object() {
            return Err(refused("the parameters are an object"));
        }
        for own in ["inputResponses", "requestState"] {
            if root.get(own).is_some() {
                return Err(refused(format!(
                    "{own} is the driver's to send: leave it out of the parameters"
                )));
            }
        }
        let meta = write_meta(root.get("_meta"), &client)?;
        let http = client.http.is_some();
        let mut template = Self {
            method: method.to_owned(),
            params: root.to_json(),
            meta,
            declared: client.http.unwrap_or_default(),
            http,
            headers: Arc::new([]),
        };
        template.write_headers()?;
        Ok(template)
    }

    /// The headers, which follow from the rest.
    fn write_headers(&mut self) -> Result<()> {
        let params = self.params.root();
        let named = match self.kind().map(Method::target) {
            None => None,
            Some(member) => match params.get(member).and_then(Value::as_str) {
                Some(name) => Some(name),
                None => return Err(refused(format!("params.{member} is a string"))),
            },
        };
        if self.http {
            let is_tool = self.kind() == Some(Method::CallTool);
            let declared = if is_tool { &self.declared[..] } else { &[] };
            let arguments = params.get_present("arguments");
            self.headers =
                headers::write(&self.method, named.as_deref(), declared, arguments)?.into();
        }
        Ok(())
    }

    #[cfg(feature = "testing")]
    pub(super) fn params(&self) -> &Json {
        &self.params
    }

    /// Puts other parameters in place of the old ones; `_meta` stays.
    #[cfg(feature = "testing")]
    pub(super) fn set_params(&mut self, params: &Json) -> Result<()> {
        self.params = params.clone();
        self.write_headers()
    }

    /// The method, where it is one that can carry questions.
    pub(crate) fn kind(&self) -> Option<Method> {
        Method::from_name(&self.method)
    }

    /// The request of a round. `responses` and `state` are those that are echoed: nothing where
    /// there is nothing. `state` is the JSON string as it came.
    pub(crate) fn write(
        &self,
        id: u64,
        responses: &[(String, Response)],
        state: Option<&str>,
    ) -> Message {
        let params = self.params.root();
        let mut body = String::with_capacity(
            160 + self.meta.len() + params.raw().len() + state.map_or(0, str::len),
        );
        body.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
        body.push_str(&id.to_string());
        body.push_str(",\"method\":");
        quote_into(&mut body, &self.method);
        body.push_str(",\"params\":{");
        for member in params.entries().filter(|member| !member.key_is("_meta")) {
            body.push_str(member.raw_key());
            body.push(':');
            member.value.compact_into(&mut body);
            body.push(',');
        }
        let mut comma = "\"inputResponses\":{";
        for (key, response) in responses {
            if let Some(json) = response.json() {
                body.push_str(comma);
                quote_into(&mut body, key);
                body.push(':');
                json.root().compact_into(&mut body);
                comma = ",";
            }
        }
        if comma == "," {
            body.push_str("},");
        }
        if let Some(state) = state {
            body.push_str("\"requestState\":");
            body.push_str(state);
            body.push(',');
        }
        body.push_str("\"_meta\":");
        body.push_str(&self.meta);
        body.push_str("}}");
        Message { id, body, headers: self.headers.clone() }
    }
}

/// The three fields of every request, then what the user of the driver wants beside them.
fn write_meta(given: Option<Value<'_>>, client: &Client<'_>) -> Result<String> {
    const PREFIX: &str = "io.modelcontextprotocol/";
    let capabilities = client.capabilities.root();
    if !capabilities.is_object() {
        return Err(refused("the capabilities are an object: {} for none"));
    }
    let mut meta = format!("{{\"{PREFIX}protocolVersion\":\"{PROTOCOL_VERSION}\"");
    if let Some(info) = client.info.map(Json::root) {
        let named = |key: &str| info.get(key).is_some_and(|value| value.as_str().is_some());
        if !(named("name") && named("version")) {
            return Err(refused("the client's info is an object with the texts name and version"));
        }
        meta.push_str(&format!(",\"{PREFIX}clientInfo\":"));
        info.compact_into(&mut meta);
    }
    meta.push_str(&format!(",\"{PREFIX}clientCapabilities\":"));
    capabilities.compact_into(&mut meta);
    match given {
        Some(given) if !given.is_object() => return Err(refused("params._meta is an object")),
        _ => {}
    }
    for member in given.into_iter().flat_map(Value::entries) {
        let key = member.key();
        let own = ["protocolVersion", "clientInfo", "clientCapabilities"];
        if key.strip_prefix(PREFIX).is_some_and(|rest| own.contains(&rest)) {
            return Err(refused(format!("{key} in params._meta is the driver's to send")));
        }
        meta.push(',');
        meta.push_str(member.raw_key());
        meta.push(':');
        member.value.compact_into(&mut meta);
    }
    meta.push('}');
    Ok(meta)
}
